/* Vectors of which most numbers are 0: only the others are there, with the directions where they
 * stand, row after row.
 *
 *     row i:  column[begin[i]] < column[begin[i] + 1] < ... < dim
 *             value [begin[i]],  value [begin[i] + 1], ...
 */
#ifndef PV_MODEL_SPARSE_ROWS_H
#define PV_MODEL_SPARSE_ROWS_H

#include "base/context.h"

typedef struct pv_sparse_vectors {
    uint32_t words, dim;
    const uint64_t *begin;  /* words + 1 */
    const uint32_t *column; /* begin[words] */
    const float *value;     /* the same; NULL: all are 1 */
    const float *ones;      /* as many as the longest row has entries, if `value` is NULL */
} pv_sparse_vectors;

typedef struct pv_sparse_row {
    const uint32_t *column; /* ascending */
    const float *value;
    size_t count;
} pv_sparse_row;

static inline pv_sparse_row pv_sparse_row_of(const pv_sparse_vectors *v, uint32_t i)
{
    uint64_t at = v->begin[i];
    return (pv_sparse_row){.column = v->column + at,
                           .value = v->value ? v->value + at : v->ones,
                           .count = (size_t)(v->begin[i + 1] - at)};
}

/* In double precision and in order. */
double pv_sparse_product(pv_sparse_row a, pv_sparse_row b);
double pv_sparse_length(pv_sparse_row a);
/* Of the product and the lengths; 0 if one of them has no direction or is not finite. That of a row
 * with itself is 1. */
double pv_sparse_cosine(pv_sparse_row a, pv_sparse_row b);

/* As `dim` numbers, those of further directions left out. */
void pv_sparse_spread_out(pv_sparse_row a, uint32_t dim, float *to);
/* How many entries stand in the first `dim` directions. */
size_t pv_sparse_cut(pv_sparse_row a, uint32_t dim);

/* *fine: in every row the columns ascend and are below dim. All workers look. `begin` must be
 * sound. */
psdvec_status pv_sparse_check_columns(psdvec_context *ctx, const pv_sparse_vectors *v, bool *fine);

/* Entries of the longest row. */
uint64_t pv_sparse_longest(const pv_sparse_vectors *v);

#endif
