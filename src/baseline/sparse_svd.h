/* Products of a sparse matrix and its transpose with blocks of vectors, and its truncated singular
 * value decomposition.
 *
 *     M = diag(row_scale) A diag(column_scale)
 *
 * A is stored by rows. A product A X gathers rows of X, which is the fastest method: scattering,
 * which A' X by the rows of A would require, is three times slower. So the transpose is stored too,
 * with 8 bytes per entry, unless A is symmetric. The sum of a row is always computed by one worker
 * in the order of the columns, so the number of threads does not change the bits.
 *
 * In a group of processes, each member has its rows of A and of A', and of vectors; before a product,
 * the members exchange the rows of the block that is multiplied.
 *
 * In M ~ U S V', U has the leading eigenvectors of M M', which the eigensolver (solve/eigen.h)
 * computes from products M (M' X) alone; S^2 has the eigenvalues, and V = M' U / S. Squaring
 * separates the values, so fewer products are needed, but halves the number of accurate digits of
 * small values: values below a thousandth of the largest cannot be distinguished from rounding
 * errors and count as 0. Word vectors do not need them.
 *
 * Memory: the transpose of M, rows x 2.5 dim floats, and blocks of 32 columns; in a group, the rows
 * of this member, and two blocks with all rows.
 */
#ifndef PV_BASELINE_SPARSE_SVD_H
#define PV_BASELINE_SPARSE_SVD_H

#include "solve/kernels.h"
#include "sparse/csr.h"
#include "sparse/division.h"

enum { PV_SPARSE_TASKS = 256 };

typedef struct pv_sparse_side {
    pv_csr rows;
    /* Ranges of rows per task, with about the same number of entries. */
    uint32_t edges[PV_SPARSE_TASKS + 1];
    const float *scale; /* of all rows; NULL: ones */
} pv_sparse_side;

typedef struct pv_sparse_matrix {
    psdvec_context *ctx;
    const pv_division *division; /* NULL: all rows are here; otherwise A is square */
    const pv_kernels *kernels;
    pv_sparse_side across, down; /* A and A' */
    pv_csr_store transpose;      /* if it is stored */
} pv_sparse_matrix;

/* The caller keeps A and the scales, which must outlive the matrix; a scale of NULL is ones. The
 * transpose goes to a temporary file next to `output` if it does not fit the budget together with
 * `besides` bytes. */
psdvec_status pv_sparse_matrix_open(psdvec_context *ctx, pv_csr rows, bool symmetric,
                                    const float *row_scale, const float *column_scale,
                                    const char *output, uint64_t besides, pv_sparse_matrix *out);
void pv_sparse_matrix_close(pv_sparse_matrix *matrix);
/* The same for a square matrix that is divided: its rows and those of its transpose that are here, or
 * all of them if the division is NULL. The caller keeps both. */
void pv_sparse_matrix_divided(psdvec_context *ctx, const pv_division *division, pv_csr rows,
                              pv_csr transposed, const float *row_scale, const float *column_scale,
                              pv_sparse_matrix *out);

/* Y (rows x k) = M X, X: columns x k; row-major. `workspace` has columns x k floats and is used
 * only if there are column scales or the matrix is divided: X and Y then have the rows of this
 * member, and `workspace` has all rows. `transposed`: the same with M' and rows and columns
 * exchanged. */
psdvec_status pv_sparse_multiply(const pv_sparse_matrix *matrix, bool transposed, const float *X,
                                 float *Y, size_t k, float *workspace);

/* If the matrix is divided, rows and columns are those of this member. */
typedef struct pv_singular {
    pv_scope memory;
    size_t rows, columns, dim;
    size_t rank;   /* number of directions, of `dim`, that M has; the others are 0 */
    double *value; /* dim, descending */
    float *U;      /* rows x dim */
    float *V;      /* columns x dim; NULL: not requested */
} pv_singular;

/* `tolerance`: of the eigenpairs' residuals, as in pv_eigen_options. */
psdvec_status pv_sparse_svd(const pv_sparse_matrix *matrix, size_t dim, double tolerance,
                            bool contexts, pv_singular *out);
void pv_singular_free(pv_singular *singular);
/* Upper bound of the bytes that it allocates for a matrix of n rows and columns, without the
 * transpose. */
uint64_t pv_sparse_svd_bytes(uint64_t n, const pv_division *division, uint64_t dim, bool contexts,
                             int threads);

/* Word vectors, in place: U = U S^power, plus V S^power if V is present. */
void pv_singular_weigh(pv_singular *singular, double power);

#endif
