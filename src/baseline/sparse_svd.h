/* A sparse matrix that is multiplied with blocks of vectors, from both sides, and its truncated singular
 * value decomposition.
 *
 *     M = diag(row_scale) A diag(column_scale)
 *
 * A is kept in rows. A product A X gathers rows of X, and of all ways that is the fastest: adding
 * into scattered rows, which is what A' X by the rows of A would take, is three times slower. So
 * the transpose is written out too, 8 bytes an entry, unless A is symmetric and is its own. A
 * row's sum is always taken by one worker in the order of the columns: the number of threads
 * changes no bit.
 *
 * U of M ~ U S V' has the leading eigenvectors of M M', which the eigensolver (solve/eigen.h) finds from
 * products M (M' X) alone; S^2 has the eigenvalues, and V = M' U / S. Squaring moves the values apart, so
 * fewer products do, and costs half of the digits of small values: what is below a thousandth of
 * the largest cannot be told from rounding and counts as 0. Vectors of words have no use for it.
 *
 * Memory: the transpose of M, rows x 2.5 dim numbers, and blocks of 32 columns.
 */
#ifndef PV_BASELINE_SPARSE_SVD_H
#define PV_BASELINE_SPARSE_SVD_H

#include "solve/kernels.h"
#include "sparse/csr.h"

enum { PV_SPARSE_TASKS = 256 };

typedef struct pv_sparse_side {
    pv_csr rows;
    uint32_t edges[PV_SPARSE_TASKS + 1]; /* rows of each task, with about as many entries */
    const float *scale;                  /* of the rows; NULL: ones */
} pv_sparse_side;

typedef struct pv_sparse_matrix {
    psdvec_context *ctx;
    const pv_kernels *kernels;
    pv_sparse_side across, down; /* A and A' */
    pv_csr_store transpose;      /* if it was written out */
} pv_sparse_matrix;

/* A and the scales are the caller's and must stay; a scale of NULL is ones. The transpose goes to a
 * temporary file beside `output` if the budget has no memory for it beside `besides` bytes. */
psdvec_status pv_sparse_matrix_open(psdvec_context *ctx, pv_csr rows, bool symmetric,
                                    const float *row_scale, const float *column_scale,
                                    const char *output, uint64_t besides, pv_sparse_matrix *out);
void pv_sparse_matrix_close(pv_sparse_matrix *matrix);

/* Y (rows x k) = M X, X: columns x k; row-major. `workspace` has columns x k numbers; only looked at if
 * there are column scales. `transposed`: the same with M' and rows and columns exchanged. */
psdvec_status pv_sparse_multiply(const pv_sparse_matrix *matrix, bool transposed, const float *X,
                                 float *Y, size_t k, float *workspace);

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
