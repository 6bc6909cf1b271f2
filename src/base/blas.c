/* Wrappers of the LAPACK functions in use, and the check for work buffers. */
#include "base/blas.h"

#include "base/memory.h"

psdvec_status pv_blas_ready(psdvec_context *ctx)
{
    static _Atomic bool ready;
    if (atomic_load(&ready))
        return PSDVEC_OK;
    size_t missing = pv_blas_reserve();
    if (missing > 0)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY,
                       "OpenBLAS needs a work buffer with %zu MiB of address space, which the "
                       "system does not provide; raise the limit of the process (`ulimit -v`)",
                       missing >> 20);
    atomic_store(&ready, true);
    return PSDVEC_OK;
}

psdvec_status pv_symmetric_eigen(psdvec_context *ctx, double *A, double *values, size_t n)
{
    if (n == 0)
        return PSDVEC_OK;
    if (n > 30000) /* dsyevd takes the size of its workspace as an int */
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "the eigenproblem with %zu rows is too large", n);
    PV_TRY(pv_blas_ready(ctx));
    int size = (int)n, work_length = -1, iwork_length = -1, info = 0, iwork_query = 0;
    double work_query = 0;
    dsyevd_("V", "U", &size, A, &size, values, &work_query, &work_length, &iwork_query,
            &iwork_length, &info, 1, 1);
    work_length = (int)work_query;
    iwork_length = iwork_query;
    pv_scope scope = {.ctx = ctx, .what = "eigenvectors"};
    double *work;
    int *iwork;
    PV_TAKE(&scope, work, (size_t)work_length);
    PV_TAKE(&scope, iwork, (size_t)iwork_length);
    psdvec_status status = pv_scope_status(&scope);
    if (status == PSDVEC_OK)
        dsyevd_("V", "U", &size, A, &size, values, work, &work_length, iwork, &iwork_length, &info,
                1, 1);
    if (info != 0)
        status = pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                         "computing the eigenvalues of a matrix with %zu rows failed (dsyevd: %d)",
                         n, info);
    pv_scope_free(&scope);
    return status;
}

/* Workspace of dsyevd: 1 + 6 n + 2 n^2 elements, or 2 n + n times its block size if n is small. */
uint64_t pv_symmetric_eigen_bytes(uint64_t n)
{
    return pv_larger(1 + 6 * n + 2 * n * n, 130 * n) * sizeof(double) + (3 + 5 * n) * sizeof(int);
}

/* Fortran sees the transpose, so its lower triangle is our upper one. */
bool pv_cholesky(float *A, size_t n, size_t stride)
{
    int size = (int)n, lda = (int)stride, info = 0;
    if (n > 0)
        spotrf_("L", &size, A, &lda, &info, 1);
    return info == 0;
}

bool pv_cholesky_double(double *A, size_t n, size_t stride)
{
    int size = (int)n, lda = (int)stride, info = 0;
    if (n > 0)
        dpotrf_("L", &size, A, &lda, &info, 1);
    return info == 0;
}
