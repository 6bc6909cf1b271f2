/* Both directions of all pairs: row i of a square matrix of counts together with its column i.
 *
 * A worker gathers the columns of a block (columns.h) and walks over the rows of the block. So the
 * symmetric matrix is never stored, and what a row yields does not depend on the number of threads.
 */
#ifndef PV_SPARSE_PAIR_WALK_H
#define PV_SPARSE_PAIR_WALK_H

#include "base/progress.h"
#include "sparse/columns.h"

/* A row and the position in it. pv_pair_next() moves to the next pair (i, j) that is in the row, in
 * the column or in both. */
typedef struct pv_pair_row {
    uint32_t i;
    bool last;         /* row of its block */
    psdvec_row after;  /* row i: entries (i, j) by j */
    psdvec_row before; /* column i: entries (j, i) by j */
    size_t next_after, next_before;
    /* The pair at hand; a value is 0 if that direction has no entry, or the matrix no values. */
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

/* Leaves out pairs with j < least. */
static inline void pv_pair_skip(pv_pair_row *row, uint32_t least)
{
    row->next_after = pv_lower_bound(row->after.focus, row->after.length, least);
    row->next_before = pv_lower_bound(row->before.focus, row->before.length, least);
}

typedef psdvec_status pv_pair_row_fn(void *arg, pv_pair_row row, int worker);

typedef struct pv_pair_walk {
    /* Rows that are also columns of the blocks are walked over. Columns are gathered from the
     * first matrix.rows rows, but `begin` and `end` must have all rows. */
    const pv_column_blocks *blocks;
    bool above;            /* only pairs with j >= i are of interest */
    bool row_only;         /* columns are not of interest: `before` is empty */
    pv_progress *progress; /* by rows; NULL: none */
    pv_pair_row_fn *on_row;
    void *arg;
} pv_pair_walk;

/* Calls on_row for every row, those of a block in order by the same worker. */
psdvec_status pv_walk_pairs(psdvec_context *ctx, const pv_pair_walk *walk);

#endif
