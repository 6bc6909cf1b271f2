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
