/* A sparse matrix that is multiplied with blocks of vectors, from both sides.
 *
 *     M = diag(row_scale) A diag(column_scale)
 *
 * A is kept in rows. A product A X gathers rows of X, and of all ways that is the fastest: adding
 * into scattered rows, which is what A' X by the rows of A would take, is three times slower. So
 * the transpose is written out too, 8 bytes an entry, unless A is symmetric and is its own. A
 * row's sum is always taken by one worker in the order of the columns: the number of threads
 * changes no bit.
 */
#ifndef PV_BASELINE_SPARSE_MATRIX_H
#define PV_BASELINE_SPARSE_MATRIX_H

#include "solve/kernels.h"
#include "sparse/csr.h"

enum { PV_SPARSE_TASKS = 256 };

typedef struct pv_sparse_side {
    pv_csr rows;
    uint32_t edges[PV_SPARSE_TASKS + 1]; /* rows of each task, with about as many entries */
} pv_sparse_side;

typedef struct pv_sparse_matrix {
    psdvec_context *ctx;
    const pv_kernels *kernels;
    pv_sparse_side across, down; /* A and A' */
    const float *row_scale;      /* NULL: ones */
    const float *column_scale;
    pv_csr_store transpose; /* if it was written out */
} pv_sparse_matrix;

/* A and the scales are the caller's and must stay. The transpose goes to a temporary file beside
 * `output` if there is no room for it beside `besides` bytes. */
psdvec_status pv_sparse_matrix_open(psdvec_context *ctx, pv_csr rows, bool symmetric,
                                    const float *row_scale, const float *column_scale,
                                    const char *output, uint64_t besides, pv_sparse_matrix *out);
void pv_sparse_matrix_close(pv_sparse_matrix *matrix);

/* Y (rows x k) = M X, X: columns x k; row-major. `room` has columns x k numbers; only looked at if
 * there are column scales. */
psdvec_status pv_sparse_multiply(const pv_sparse_matrix *matrix, const float *X, float *Y, size_t k,
                                 float *room);
/* Y (columns x k) = M' X, X: rows x k; `room` likewise rows x k, for row scales. */
psdvec_status pv_sparse_multiply_transposed(const pv_sparse_matrix *matrix, const float *X,
                                            float *Y, size_t k, float *room);

#endif
