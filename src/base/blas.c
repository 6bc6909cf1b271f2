/* LAPACK behind a few plain calls. */
#include "base/blas.h"

#include "base/memory.h"

#include <limits.h>
#include <pthread.h>

extern void dsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *lda,
                    double *w, double *work, const int *work_length, int *iwork,
                    const int *iwork_length, int *info);
extern void spotrf_(const char *triangle, const int *n, float *a, const int *lda, int *info);

/* Of OpenBLAS only; another BLAS has its own ways, and Debian's is this one. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

/* 1: the build for POSIX threads. */
extern int openblas_get_parallel(void) __attribute__((weak));

/* One for the process, as the buffers are. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static bool takes_turns(void)
{
    return openblas_get_parallel && openblas_get_parallel() != 1;
}

void pv_blas_enter(void)
{
    if (takes_turns())
        pthread_mutex_lock(&turn);
}

void pv_blas_leave(void)
{
    if (takes_turns())
        pthread_mutex_unlock(&turn);
}

void pv_blas_alone(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
}

psdvec_status pv_symmetric_eigen(psdvec_context *ctx, double *A, double *values, size_t n)
{
    if (n == 0)
        return PSDVEC_OK;
    if (n > 30000) /* the work space of dsyevd counts in ints */
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "an eigenproblem of %zu rows is too large", n);
    pv_blas_alone();
    int size = (int)n, work_length = -1, iwork_length = -1, info = 0, iwork_query = 0;
    double work_query = 0;
    dsyevd_("V", "U", &size, A, &size, values, &work_query, &work_length, &iwork_query,
            &iwork_length, &info);
    work_length = (int)work_query;
    iwork_length = iwork_query;
    double *work = pv_alloc(ctx, (size_t)work_length, sizeof *work, "eigenvectors");
    int *iwork = work ? pv_alloc(ctx, (size_t)iwork_length, sizeof *iwork, "eigenvectors") : NULL;
    psdvec_status status = PSDVEC_OK;
    if (!iwork)
        status = pv_failure(ctx);
    else {
        pv_blas_enter();
        dsyevd_("V", "U", &size, A, &size, values, work, &work_length, iwork, &iwork_length, &info);
        pv_blas_leave();
        if (info != 0)
            status = pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                             "the eigenvalues of a matrix of %zu rows were not found (dsyevd: %d)",
                             n, info);
    }
    pv_free(ctx, iwork);
    pv_free(ctx, work);
    return status;
}

/* Fortran sees the transpose, so its upper triangle is our lower one. */
bool pv_cholesky(float *A, size_t n, size_t stride)
{
    int size = (int)n, lda = (int)stride, info = 0;
    pv_blas_enter();
    if (n > 0)
        spotrf_("U", &size, A, &lda, &info);
    pv_blas_leave();
    return info == 0;
}
