/* Products with tall matrices: n rows, one per word, and at most a few thousand columns.
 *
 * All are row-major float32 with a row stride in elements. Rows are divided into tiles that depend
 * only on n; one worker handles each tile with one call of BLAS, or of a kernel for few columns,
 * and sums over tiles are computed in the order of the tiles. So the bits do not depend on the
 * number of threads.
 *
 * In a group of processes (base/group.h), matrices can be divided: each member has consecutive
 * tiles, computes them only, and never touches the other rows, so that they take address space but
 * no memory. Sums over tiles are exchanged, and are computed in the same order as by one process.
 */
#ifndef PV_SOLVE_TALL_H
#define PV_SOLVE_TALL_H

#include "base/context.h"

typedef struct pv_tall {
    const float *data; /* rows x columns */
    size_t stride;
    size_t columns;
    bool divided; /* only the rows of this member of the group are valid */
} pv_tall;

/* Memory for partial sums that callers of many products keep between them: allocating new pages for
 * each product would cost a tenth of the time. Zero-initialise it. */
typedef struct pv_tall_workspace {
    float *data;
    size_t count;
} pv_tall_workspace;

void pv_tall_workspace_free(psdvec_context *ctx, pv_tall_workspace *workspace);

/* out (a.columns x b.columns, row-major, dense) = A' B over n rows; both are divided or neither. Sums over tiles are in double
 * precision. `workspace` may be NULL. */
psdvec_status pv_tall_gram(psdvec_context *ctx, size_t n, pv_tall a, pv_tall b,
                           pv_tall_workspace *workspace, double *out);

/* Bytes of `workspace`, or those allocated temporarily without one. */
uint64_t pv_tall_gram_bytes(uint64_t n, uint64_t a_columns, uint64_t b_columns);

/* Y (n x columns) = beta Y + alpha A M; M: a.columns x columns, row-major,
 * dense. Y must not overlap A. */
psdvec_status pv_tall_multiply(psdvec_context *ctx, size_t n, float alpha, pv_tall a,
                               const float *M, size_t columns, float beta, float *Y, size_t stride);

/* A (n x a columns) = A M in place; M: columns x kept, kept <= columns. */
psdvec_status pv_tall_transform(psdvec_context *ctx, size_t n, float *A, size_t stride,
                                size_t columns, bool divided, const float *M, size_t kept);
uint64_t pv_tall_transform_bytes(uint64_t n, uint64_t kept, int threads);

/* Rows of a tile, a multiple of PV_TILE_ROWS, and the number of tiles, for n rows. */
enum { PV_TILE_ROWS = 256 };
size_t pv_tall_tile(size_t n);
size_t pv_tall_tiles(size_t n);

/* The tiles of a divided matrix that member `rank` has. */
typedef struct pv_tall_share {
    size_t first_tile, end_tile;
    size_t first, end; /* rows */
} pv_tall_share;
pv_tall_share pv_tall_share_of(const psdvec_context *ctx, size_t n, uint32_t rank);
/* The tiles that this process handles: its share if the matrix is divided, otherwise all. */
pv_tall_share pv_tall_own(const psdvec_context *ctx, size_t n, bool divided);
/* Makes the first `columns` columns of all rows of a divided matrix valid in all members. */
psdvec_status pv_tall_gather(psdvec_context *ctx, size_t n, float *A, size_t stride,
                             size_t columns);

#endif
