/* Cosines of sparse vectors with a block of sparse candidates.
 *
 * The block is transposed once: for each dimension, the candidates with a nonzero component. A
 * vector then visits only its own dimensions and adds to the sums of the candidates there; the
 * sums, one per candidate, stay in the L1 cache. So the work is one multiplication per pair of
 * nonzero components, a few hundredths of a dense product.
 *
 *     dimension     0   1   2   3   ...
 *     candidates    4   1   -   0          a word with dimensions 0 and 3 adds to
 *                   9   4       4          the sums of 4, 9, 0, 4 and 7
 *                               7
 */
#ifndef PV_EVAL_SPARSE_BLOCK_H
#define PV_EVAL_SPARSE_BLOCK_H

#include "base/memory.h"
#include "model/vector_set.h"

/* A sparse vector of length 1: the components times `scale`. 0: it has no direction. */
typedef struct pv_sparse_unit {
    pv_csr_row row;
    float scale;
} pv_sparse_unit;

pv_sparse_unit pv_sparse_unit_of(pv_csr_row row);

enum { PV_SPARSE_BLOCK_MOST = 1 << 16 }; /* candidates */

typedef struct pv_sparse_block {
    uint32_t dim, length;
    uint32_t *end;       /* dim: where the entries of a dimension end; they begin where those of
                          * the previous one end */
    uint16_t *candidate; /* entries: in the block */
    float *value;        /* entries: of vectors of length 1 */
} pv_sparse_block;

/* Allocates capacity for any block of `length` candidates among the first `candidates` rows. */
psdvec_status pv_sparse_block_init(pv_sparse_block *block, pv_scope *scope, const pv_csr *vectors,
                                   uint32_t candidates, uint32_t length);

/* Loads candidates first .. first + length - 1. */
void pv_sparse_block_take(pv_sparse_block *block, const pv_csr *vectors, uint32_t first,
                          uint32_t length);
/* out: one for each candidate of the block. */
void pv_sparse_block_cosines(const pv_sparse_block *block, const pv_sparse_unit *unit, float *out);

#endif
