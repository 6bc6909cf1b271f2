/* Dense linear algebra: the subset of BLAS and LAPACK that is used.
 *
 * A multithreaded BLAS may sum in a different order for each number of threads. So every call here
 * runs on the calling thread only: work is divided into tiles whose size depends only on the
 * problem, and the workers of the context process the tiles.
 *
 * The number of threads of OpenBLAS is global to the process, and the host may use OpenBLAS too. So
 * the build chooses one of two implementations:
 *
 *   blas_private.c   libpsdvec contains a hidden copy of the serial OpenBLAS. The host's
 *                    OpenBLAS is never touched.
 *   blas_shared.c    where there is no static archive to copy: the system's shared
 *                    OpenBLAS, set to one thread during our calls.
 *
 * Several threads may call these functions at the same time. OpenBLAS has no way to report that it
 * gets no memory for its work buffers: so code that calls a function of BLAS or pv_cholesky()
 * first calls pv_blas_ready(), which tests/check_calls.sh checks.
 *
 * LAPACK is called by its Fortran symbols; Debian's OpenBLAS has no LAPACKE.
 */
#ifndef PV_BASE_BLAS_H
#define PV_BASE_BLAS_H

#include "base/context.h"

/* Every function that is used. cblas.h declares them under these names; the private
 * copy is built from this list (scripts/private-blas.sh). */
#define cblas_dgemm pv_blas_dgemm
#define cblas_dsyrk pv_blas_dsyrk
#define cblas_saxpy pv_blas_saxpy
#define cblas_sdot pv_blas_sdot
#define cblas_sgemm pv_blas_sgemm
#define cblas_sgemv pv_blas_sgemv
#define cblas_ssyrk pv_blas_ssyrk
#define cblas_strsv pv_blas_strsv
#define dpotrf_ pv_blas_dpotrf
#define dsyevd_ pv_blas_dsyevd
#define spotrf_ pv_blas_spotrf

#include <cblas.h>

/* The last arguments are the lengths of the strings, which Fortran passes implicitly. */
void dsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *lda,
             double *w, double *work, const int *work_length, int *iwork, const int *iwork_length,
             int *info, size_t job_length, size_t triangle_length);
void dpotrf_(const char *triangle, const int *n, double *a, const int *lda, int *info,
             size_t triangle_length);
void spotrf_(const char *triangle, const int *n, float *a, const int *lda, int *info,
             size_t triangle_length);

/* Fails with PSDVEC_ERR_MEMORY if OpenBLAS has no work buffer and cannot get one. After it has
 * succeeded once, calls of BLAS cannot run out of memory. Cheap; any thread may call it. */
psdvec_status pv_blas_ready(psdvec_context *ctx);
/* The same without a context: returns 0, or the number of bytes that are missing. */
size_t pv_blas_reserve(void) __attribute__((visibility("default")));

/* Computes the eigenvalues, ascending, into `values` (n) and the eigenvectors of the symmetric
 * matrix A (n x n, double) in place: row k of A becomes the eigenvector of values[k]. */
psdvec_status pv_symmetric_eigen(psdvec_context *ctx, double *A, double *values, size_t n);
/* Bytes of workspace that it allocates. */
uint64_t pv_symmetric_eigen_bytes(uint64_t n);

/* Replaces A by U, where A = U'U (n x n, row-major; only the upper triangle is read and written).
 * Returns false if A is not positive definite. */
bool pv_cholesky(float *A, size_t n, size_t stride);
bool pv_cholesky_double(double *A, size_t n, size_t stride);

#endif
