/* Dense linear algebra: what is used of BLAS and LAPACK, and how.
 *
 * A BLAS that divides one product among threads may add up in another order
 * for another number of them. So every call here is made by one worker, alone:
 * work is divided into tiles whose size depends on the problem only, and the
 * tiles are handed to the workers of the context.
 *
 * Only the build of OpenBLAS for POSIX threads (Debian: libopenblas-pthread) guards its buffers
 * when several of our workers call it at once. That for OpenMP hands one buffer to two
 * workers now and then, in a few of a hundred runs, and a product is wrong. So with any other
 * build than the first the calls take turns: slower, and right.
 *
 * LAPACK is called by its Fortran symbols; Debian's OpenBLAS has no LAPACKE.
 */
#ifndef PV_BASE_BLAS_H
#define PV_BASE_BLAS_H

#include "base/context.h"

#include <cblas.h>

/* From here on BLAS calls of this thread use this thread alone. Cheap; to be
 * called at the start of each task that calls BLAS. */
void pv_blas_alone(void);

/* Taken around every call that uses buffers; does nothing where calls may overlap. */
void pv_blas_enter(void);
void pv_blas_leave(void);
#define cblas_sgemm(...) (pv_blas_enter(), cblas_sgemm(__VA_ARGS__), pv_blas_leave())
#define cblas_sgemv(...) (pv_blas_enter(), cblas_sgemv(__VA_ARGS__), pv_blas_leave())
#define cblas_ssyrk(...) (pv_blas_enter(), cblas_ssyrk(__VA_ARGS__), pv_blas_leave())
#define cblas_strsv(...) (pv_blas_enter(), cblas_strsv(__VA_ARGS__), pv_blas_leave())

/* Eigenvalues ascending in `values` (n) and eigenvectors of the symmetric
 * matrix A (n x n, double), which they replace: row k of A becomes the vector of
 * values[k]. */
psdvec_status pv_symmetric_eigen(psdvec_context *ctx, double *A, double *values, size_t n);

/* L of A = L L' (n x n, row-major, float, lower triangle read and written).
 * False if A is not positive definite. */
bool pv_cholesky(float *A, size_t n, size_t stride);

#endif
