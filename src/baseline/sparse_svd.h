/* The truncated singular value decomposition of a sparse matrix, M ~ U S V'.
 *
 * U has the leading eigenvectors of M M', which the eigensolver (solve/eigen.h) finds from products
 * M (M' X) alone; S^2 has the eigenvalues, and V = M' U / S. Squaring moves the values apart, so
 * fewer products do, and costs half of the digits of small values: what is below a thousandth of
 * the largest cannot be told from rounding and counts as 0. Vectors of words have no use for it.
 *
 * Memory: the transpose of M (sparse_matrix.h), rows x 2.5 dim numbers, and blocks of 32 columns.
 */
#ifndef PV_BASELINE_SPARSE_SVD_H
#define PV_BASELINE_SPARSE_SVD_H

#include "baseline/sparse_matrix.h"

typedef struct pv_singular {
    pv_scope memory;
    size_t rows, columns, dim;
    size_t rank;   /* of the dim directions, those that M has; the others are 0 */
    double *value; /* dim, descending */
    float *U;      /* rows x dim */
    float *V;      /* columns x dim; NULL: not asked for */
} pv_singular;

/* `tolerance`: of the eigenpairs' residuals, as in pv_eigen_options. */
psdvec_status pv_sparse_svd(const pv_sparse_matrix *matrix, size_t dim, double tolerance,
                            bool contexts, pv_singular *out);
void pv_singular_free(pv_singular *singular);
/* Bytes that it allocates at most for a matrix of n rows and columns, the transpose not
 * counted. */
uint64_t pv_sparse_svd_bytes(uint64_t n, uint64_t dim, bool contexts, int threads);

/* Vectors of words, in place: U = U S^power, plus V S^power if V is there. */
void pv_singular_weigh(pv_singular *singular, double power);

#endif
