/* Columns of a counts file, a block at a time.
 *
 * The file has rows: the words seen after a word. The other direction, the words
 * seen before it, is a column, scattered over all rows. As columns ascend in each
 * row, a block of columns is one range in each row. Where the ranges begin is found
 * once for all blocks; then a block can be gathered by one worker, in the order
 * of the rows, whatever the others do.
 */
#ifndef PV_SPARSE_COLUMNS_H
#define PV_SPARSE_COLUMNS_H

#include "sparse/csr.h"

typedef struct pv_column_blocks {
    pv_scope memory;
    pv_csr matrix;
    uint32_t blocks;
    uint32_t *edges;  /* blocks + 1: block b has the columns edges[b] .. edges[b+1]-1 */
    uint32_t *offset; /* rows x (blocks + 1): where the blocks begin in each row, from its begin */
} pv_column_blocks;

/* Divides columns first .. end-1 into `blocks` blocks with about as many entries each. */
psdvec_status pv_column_blocks_make(psdvec_context *ctx, pv_csr matrix, uint32_t first,
                                    uint32_t end, uint32_t blocks, pv_column_blocks *out);
/* The same with edges that the caller chose: blocks + 1 of them, copied. */
psdvec_status pv_column_blocks_at(psdvec_context *ctx, pv_csr matrix, const uint32_t *edges,
                                  uint32_t blocks, pv_column_blocks *out);
void pv_column_blocks_free(pv_column_blocks *blocks);

/* Entries of row i in block b: positions *from .. *to-1 of matrix.column. */
static inline void pv_column_range(const pv_column_blocks *blocks, uint32_t i, uint32_t b,
                                   uint64_t *from, uint64_t *to)
{
    const uint32_t *offset = blocks->offset + (size_t)i * (blocks->blocks + 1) + b;
    *from = blocks->matrix.begin[i] + offset[0];
    *to = blocks->matrix.begin[i] + offset[1];
}

/* The transpose of one block, restricted to rows first_row .. end_row-1. */
typedef struct pv_gathered {
    pv_scope memory;
    size_t *begin;   /* columns of the block + 1 */
    uint32_t *row;   /* ascending in each column */
    uint64_t *value; /* NULL if the matrix has none. Taken along while the rows are read in order:
                        looked up later, each would be a cache miss */
} pv_gathered;

psdvec_status pv_gather(psdvec_context *ctx, const pv_column_blocks *blocks, uint32_t block,
                        uint32_t first_row, uint32_t end_row, pv_gathered *out);
void pv_gathered_free(pv_gathered *gathered);

/* The columns of one block become rows of another matrix, whose rows begin at `begin`: the places of
 * column j are begin[j], begin[j] + 1, ... Looks at the rows before end_row. Writes what is not NULL:
 * to_column gets the number of the row, to_value the value. */
psdvec_status pv_transpose_block(psdvec_context *ctx, const pv_column_blocks *blocks,
                                 uint32_t block, uint32_t end_row, const uint64_t *begin,
                                 uint32_t *to_column, const float *value, float *to_value);
/* The whole transpose. `output` and `besides`: pv_csr_store_reserve(). */
psdvec_status pv_csr_transpose(psdvec_context *ctx, const pv_csr *matrix, const char *output,
                               uint64_t besides, const char *what, pv_csr_store *transpose);

/* Bytes that pv_column_blocks_make allocates, and that gathered blocks have at most if every
 * worker holds one. */
uint64_t pv_column_blocks_bytes(uint64_t rows, uint64_t columns, uint64_t blocks, int threads);
uint64_t pv_gather_bytes(uint64_t rows, uint64_t columns, uint64_t entries, uint64_t blocks,
                         int threads);

#endif
