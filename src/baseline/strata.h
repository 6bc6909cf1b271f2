/* Conflict-free strata: stochastic gradient descent by many workers without races.
 *
 * An update touches one row of a first matrix (words) and rows of one block of a second (contexts,
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
 * B is given by the number of words alone, never by the threads.
 */
#ifndef PV_BASELINE_STRATA_H
#define PV_BASELINE_STRATA_H

#include "base/memory.h"

typedef struct pv_strata {
    pv_scope memory;
    uint32_t words, blocks;
    uint16_t *block;   /* words: to which each belongs */
    uint32_t *start;   /* blocks + 1: block b has members[start[b]] ... */
    uint32_t *members; /* words, by block, ascending in each */
} pv_strata;

/* Blocks of about equal sums of `work` (words numbers, not negative): each word in turn, the largest
 * first, goes to the block with the least so far; ties by number. */
psdvec_status pv_strata_make(psdvec_context *ctx, uint32_t words, const double *work,
                             uint32_t blocks, pv_strata *strata);
void pv_strata_free(pv_strata *strata);
/* `start` and `members` from `block`. */
void pv_strata_list(pv_strata *strata);

/* Blocks that suit so many words: enough for many workers, none too small. */
uint32_t pv_strata_blocks(uint32_t words);

typedef psdvec_status pv_stratum_fn(void *arg, uint32_t p, uint32_t q, int worker);
/* All strata, round by round; the rounds begin with `shift` (so that epochs may differ). */
psdvec_status pv_strata_run(const pv_strata *strata, uint32_t shift, pv_stratum_fn *fn, void *arg);

#endif
