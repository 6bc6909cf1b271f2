/* Products with tall matrices: n rows, one per word, and at most a few thousand columns.
 *
 * All are row-major float32 with a row stride in elements. Rows are divided into tiles that depend
 * only on n; one worker handles each tile with one call of BLAS, or of a kernel for few columns,
 * and sums over tiles are added along one tree. So the bits do not depend on the number of threads.
 *
 * In a group of processes, matrices can be divided (sparse/division.h): each member holds the rows
 * of its tiles and computes with them only. Sums over its tiles are exchanged, and are added along the
 * same tree as by one process.
 */
#ifndef PV_SOLVE_TALL_H
#define PV_SOLVE_TALL_H

#include "sparse/division.h"

typedef struct pv_tall {
    const float *data; /* rows x columns */
    size_t stride;
    size_t columns;
    const pv_division *division; /* NULL: all rows are here */
} pv_tall;

/* Memory for partial sums that callers of many products keep between them: allocating new pages for
 * each product would cost a tenth of the time. Zero-initialise it. */
typedef struct pv_tall_workspace {
    void *data;
    size_t bytes;
} pv_tall_workspace;

void pv_tall_workspace_free(psdvec_context *ctx, pv_tall_workspace *workspace);

/* out (a.columns x b.columns, row-major, dense) = A' B over n rows, those of all members if A and B
 * are divided, which both are or neither. Sums over tiles are in double precision. `workspace` may
 * be NULL. */
psdvec_status pv_tall_gram(psdvec_context *ctx, size_t n, pv_tall a, pv_tall b,
                           pv_tall_workspace *workspace, double *out);

/* Bytes of `workspace`, or those allocated temporarily without one. */
uint64_t pv_tall_gram_bytes(uint64_t n, const pv_division *division, uint64_t a_columns,
                            uint64_t b_columns);

/* Y (n x columns) = beta Y + alpha A M, divided as A is; M: a.columns x columns, row-major,
 * dense. Y must not overlap A. */
psdvec_status pv_tall_multiply(psdvec_context *ctx, size_t n, float alpha, pv_tall a,
                               const float *M, size_t columns, float beta, float *Y, size_t stride);

/* A (n x a columns) = A M in place; M: columns x kept, kept <= columns. */
psdvec_status pv_tall_transform(psdvec_context *ctx, size_t n, float *A, size_t stride,
                                size_t columns, const pv_division *division, const float *M,
                                size_t kept);
uint64_t pv_tall_transform_bytes(uint64_t n, uint64_t kept, int threads);

/* squares[k] = the sum of squares of column k, over all members; in double precision. */
psdvec_status pv_tall_squares(psdvec_context *ctx, size_t n, pv_tall a, double *squares);
uint64_t pv_tall_squares_bytes(uint64_t n, uint64_t columns);

/* all (n x columns, dense) = the rows of all members. For matrices so small that they need not be
 * divided. */
psdvec_status pv_tall_gather(size_t n, pv_tall own, float *all);

#endif
