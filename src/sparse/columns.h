/* Columns of a counts file, a block at a time.
 *
 * The file stores rows: the words that follow a word. The words that precede it are a column, whose
 * entries are scattered over all rows. As columns ascend in each row, a block of columns is one
 * range in each row. The starts of the ranges are computed once for all blocks; then each block can
 * be gathered by one worker, in row order, independently of the others.
 *
 * If the file does not fit the memory budget, its columns are in another file
 * (sparse/transposed.h), from which pv_gather reads the blocks. The functions that need ranges of
 * rows (pv_column_blocks_at, pv_column_range, pv_transpose_block, pv_csr_transpose) are for matrices
 * without such a file.
 */
#ifndef PV_SPARSE_COLUMNS_H
#define PV_SPARSE_COLUMNS_H

#include "base/progress.h"
#include "sparse/csr.h"

typedef struct pv_column_blocks {
    pv_scope memory;
    pv_csr matrix;
    uint32_t blocks;
    uint32_t *edges;  /* blocks + 1: block b has the columns edges[b] .. edges[b+1]-1 */
    uint32_t *offset; /* rows x (blocks + 1): where the blocks begin in each row, from its begin;
                       * NULL if the columns are in a file (matrix.transposed) */
} pv_column_blocks;

/* Counts the entries of columns first .. end-1. entries: workers x (end - first), zeroed by the
 * caller, who adds up those of the workers. */
psdvec_status pv_count_columns(psdvec_context *ctx, const pv_csr *matrix, uint32_t first,
                               uint32_t end, uint32_t *entries);

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
    uint64_t *value; /* NULL if the matrix has none. Copied while the rows are read in order;
                      * looking each up later would be a cache miss */
} pv_gathered;

psdvec_status pv_gather(psdvec_context *ctx, const pv_column_blocks *blocks, uint32_t block,
                        uint32_t first_row, uint32_t end_row, pv_gathered *out);
void pv_gathered_free(pv_gathered *gathered);

/* Writes the columns of one block as rows of another matrix: the positions of the block's column j
 * (from 0) are begin[j], begin[j] + 1, ... Reads the rows before end_row, whose numbers begin with
 * first_row. Of the outputs, which may be NULL, to_column gets the row numbers and to_value the
 * values. */
psdvec_status pv_transpose_block(psdvec_context *ctx, const pv_column_blocks *blocks,
                                 uint32_t block, uint32_t end_row, uint32_t first_row,
                                 const uint64_t *begin, uint32_t *to_column, const float *value,
                                 float *to_value);
/* The complete transpose. `output` and `besides`: see pv_csr_store_reserve(). */
psdvec_status pv_csr_transpose(psdvec_context *ctx, const pv_csr *matrix, const char *output,
                               uint64_t besides, const char *what, pv_csr_store *transpose);

/* Bytes that pv_column_blocks_make allocates, and an upper bound for the gathered blocks if every
 * worker holds one. */
uint64_t pv_column_blocks_bytes(uint64_t rows, uint64_t columns, uint64_t blocks, int threads);
uint64_t pv_gather_bytes(uint64_t rows, uint64_t columns, uint64_t entries, uint64_t blocks,
                         int threads);

/* ---- Both directions of all pairs -------------------------------------------------------------
 * Row i of a square matrix of counts together with its column i. A worker gathers the columns of a
 * block and iterates over the rows of the block. So the symmetric matrix is never stored, and the
 * result for a row does not depend on the number of threads. */

/* A row and an iterator over it. pv_pair_next() moves to the next pair (i, j) that is in the row,
 * in the column or in both. */
typedef struct pv_pair_row {
    uint32_t i;
    bool last;         /* row of its block */
    psdvec_row after;  /* row i: entries (i, j) by j */
    psdvec_row before; /* column i: entries (j, i) by j */
    size_t next_after, next_before;
    /* The current pair; a value is 0 if that direction has no entry or the matrix has no values. */
    uint32_t j;
    uint64_t xij, xji;
} pv_pair_row;

static inline uint64_t pv_pair_value(const psdvec_row *row, size_t k)
{
    return row->values32 ? row->values32[k] : row->values64 ? row->values64[k] : 0;
}

static inline bool pv_pair_next(pv_pair_row *row)
{
    bool a = row->next_after < row->after.length, b = row->next_before < row->before.length;
    uint32_t after = a ? row->after.focus[row->next_after] : UINT32_MAX;
    uint32_t before = b ? row->before.focus[row->next_before] : UINT32_MAX;
    uint32_t j = row->j = after < before ? after : before;
    row->xij = row->xji = 0;
    if (a && after == j)
        row->xij = pv_pair_value(&row->after, row->next_after++);
    if (b && before == j)
        row->xji = pv_pair_value(&row->before, row->next_before++);
    return a || b;
}

/* Skips pairs with j < least. */
static inline void pv_pair_skip(pv_pair_row *row, uint32_t least)
{
    row->next_after = pv_lower_bound(row->after.focus, row->after.length, least);
    row->next_before = pv_lower_bound(row->before.focus, row->before.length, least);
}

typedef psdvec_status pv_pair_row_fn(void *arg, pv_pair_row row, int worker);

typedef struct pv_pair_walk {
    /* Iterates over rows that are also columns of the blocks. Columns are gathered from the first
     * matrix.rows rows, but `begin` and `end` must have all rows. */
    const pv_column_blocks *blocks;
    bool above;                  /* only pairs with j >= i */
    bool row_only;               /* without columns: `before` is empty */
    uint32_t first_row, end_row; /* of `before`, if not `above`; 0, 0: all */
    /* Only blocks `from`, `from` + `every`, ...; `every` 0: all. */
    uint32_t from, every;
    pv_progress *progress; /* by entries of the rows; NULL: none */
    pv_pair_row_fn *on_row;
    void *arg;
} pv_pair_walk;

/* Calls on_row for every row of these blocks, those of a block in order by the same worker. */
psdvec_status pv_walk_pairs(psdvec_context *ctx, const pv_pair_walk *walk);

#endif
