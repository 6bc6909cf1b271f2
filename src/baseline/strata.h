/* Conflict-free strata: stochastic gradient descent by many workers without races.
 *
 * An update changes one row of a first matrix (words) and rows of one block of a second (contexts,
 * noise). The rows of both are divided into B blocks of about the same work. Updates with a row of
 * block p and a context of block q form stratum (p, q). In round r, the strata (p, (p + r) mod B)
 * for all p share no row, so they may run at the same time, in any order, on any number of workers,
 * and give the same bits (after Gemulla, Nijkamp, Haas and Sismanis, "Large-scale matrix
 * factorization with distributed stochastic gradient descent", KDD 2011).
 *
 *         q: 0 1 2 3
 *     p=0:   r0 r1 r2 r3     strata of the same round share neither p nor q
 *     p=1:   r3 r0 r1 r2
 *     p=2:   r2 r3 r0 r1
 *
 * B depends only on the number of words, never on the number of threads.
 */
#ifndef PV_BASELINE_STRATA_H
#define PV_BASELINE_STRATA_H

#include "base/memory.h"

typedef struct pv_strata {
    pv_scope memory;
    uint32_t words, blocks;
    uint16_t *block;   /* words: block of each */
    uint32_t *start;   /* blocks + 1: block b has members[start[b]] ... */
    uint32_t *members; /* words, by block, ascending in each */
} pv_strata;

/* Divides words into blocks of about equal sums of `work` (words elements, not negative): each
 * word, in decreasing order of work, goes to the block with the least so far; ties are resolved by
 * number. */
psdvec_status pv_strata_make(psdvec_context *ctx, uint32_t words, const double *work,
                             uint32_t blocks, pv_strata *strata);
void pv_strata_free(pv_strata *strata);
/* Computes `start` and `members` from `block`. */
void pv_strata_list(pv_strata *strata);

/* A suitable number of blocks for this many words: enough for many workers, none too small; at most
 * PV_STRATA_BLOCKS. */
enum { PV_STRATA_BLOCKS = 16 };
uint32_t pv_strata_blocks(uint32_t words);

typedef psdvec_status pv_stratum_fn(void *arg, uint32_t p, uint32_t q, int worker);
/* Runs all strata, round by round; the first round is `shift` (so that epochs may differ). */
psdvec_status pv_strata_run(const pv_strata *strata, uint32_t shift, pv_stratum_fn *fn, void *arg);

/* ---- In a group of processes -------------------------------------------------------------------
 * A member runs the strata (p, q) of consecutive p, in every round, so the rows of these blocks of
 * words stay with it. The rows of a block of contexts belong to the member that runs its stratum,
 * and after each round they move to the one that runs the next:
 *
 *     round  member 0: p = 0, 1   member 1: p = 2, 3
 *       0         q = 0, 1             q = 2, 3
 *       1         q = 1, 2             q = 3, 0       1 sends block 2 to 0, and 0 block 0 to 1
 *
 * So in a run over all rounds, a member sends about as many rows as there are contexts, however many
 * members there are. Every member has memory for all rows. */
typedef struct pv_strata_rows {
    const pv_strata *strata;
    float *rows; /* words x stride */
    size_t stride;
    bool placed;     /* false: the rows of all blocks are valid in all members */
    uint32_t shift;  /* otherwise: of the round whose members have them */
    pv_scope memory; /* of what is sent and received */
    float *out, *in; /* capacity x stride each */
    size_t capacity;
} pv_strata_rows;

void pv_strata_rows_free(pv_strata_rows *contexts);
/* The blocks of words of a member: those from *first to *end - 1. */
void pv_strata_share(const psdvec_context *ctx, uint32_t blocks, uint32_t rank, uint32_t *first,
                     uint32_t *end);
/* As pv_strata_run, for the strata of this member. */
psdvec_status pv_strata_run_shared(pv_strata_rows *contexts, uint32_t shift, pv_stratum_fn *fn,
                                   void *arg);
/* The leader gets the rows of all contexts, and those of all words (as many, with the same
 * stride). */
psdvec_status pv_strata_collect(pv_strata_rows *contexts, float *words);
/* Bytes that these allocate. */
uint64_t pv_strata_rows_bytes(const psdvec_context *ctx, uint32_t words, size_t stride);

/* ---- Phases: many short steps in sequence, each divided into tasks ----------------------------
 *
 * pv_parallel_tasks() waits for all workers after every step, which costs more than a step of a
 * tenth of a millisecond. Here a worker takes the next task of any phase, and starts it as soon as
 * all tasks of the previous phases are done; so no worker waits for an idle one, which on a busy
 * machine may not be scheduled for a long time.
 */
typedef psdvec_status pv_phase_fn(void *arg, size_t phase, size_t task, int worker);

/* Phase k has the tasks starts[k] .. starts[k + 1] - 1, numbered from 0 for fn. All tasks of a
 * phase see the results of the previous phases. Stops early after a failure or a request to
 * stop. */
psdvec_status pv_phases_run(psdvec_context *ctx, size_t phases, const uint64_t *starts,
                            pv_phase_fn *fn, void *arg);

#endif
