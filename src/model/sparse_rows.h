/* Vectors of which most numbers are 0, as rows of a sparse matrix: products, lengths. */
#ifndef PV_MODEL_SPARSE_ROWS_H
#define PV_MODEL_SPARSE_ROWS_H

#include "sparse/csr.h"

/* In double precision and in order. */
double pv_sparse_product(pv_csr_row a, pv_csr_row b);
double pv_sparse_length(pv_csr_row a);
/* Of the product and the lengths; 0 if one of them has no direction or is not finite. That of a row
 * with itself is 1. */
double pv_sparse_cosine(pv_csr_row a, pv_csr_row b);

/* As `dim` numbers, those of further directions left out. */
void pv_sparse_spread_out(pv_csr_row a, uint32_t dim, float *to);

#endif
