/* Calls to the system's shared OpenBLAS, for systems without a static archive for a private copy.
 *
 * While at least one of our calls runs, OpenBLAS is set to one thread; the last call to end
 * restores the previous number. So the host sees its own setting before and after every library
 * call, but its other threads may see 1 in between, and their products are then computed by one
 * thread. A number that the host sets in the meantime is kept.
 *
 * Only OpenBLAS built for POSIX threads guards its buffers against concurrent calls. OpenMP builds
 * and most serial builds occasionally give the same buffer to two threads, which makes a product
 * wrong. With these builds our calls are serialised, which is slower but correct.
 *
 * OpenBLAS maps a work buffer for every call that runs, keeps it for later calls, and asks for ever
 * if the system refuses. So pv_blas_reserve() makes sure that there is room for one and makes
 * OpenBLAS map it; if the address space is limited, calls are serialised, so that one is enough.
 */
#include "base/blas.h"

#include <stdlib.h>
#include <sys/resource.h>

/* Defined by OpenBLAS only; other BLAS libraries control their threads differently.
 * NOLINTBEGIN(readability-redundant-declaration): cblas.h has them without "weak" */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));
/* NOLINTEND(readability-redundant-declaration) */

enum { POSIX_THREADS = 1 }; /* a return value of openblas_get_parallel() */

/* Process-wide, like OpenBLAS' number of threads and its buffers. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t reserving = PTHREAD_MUTEX_INITIALIZER; /* for pv_blas_reserve */
static int calls;                                             /* in progress */
static int found; /* the number of threads before the first call */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool takes_turns;

static void find_out(void)
{
    struct rlimit limit;
    takes_turns = (openblas_get_parallel && openblas_get_parallel() != POSIX_THREADS) ||
                  (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY);
}

static void enter(void)
{
    pthread_once(&once, find_out);
    pthread_mutex_lock(&lock);
    if (calls++ == 0 && openblas_get_num_threads && openblas_set_num_threads) {
        found = openblas_get_num_threads();
        if (found != 1)
            openblas_set_num_threads(1);
    }
    if (!takes_turns)
        pthread_mutex_unlock(&lock);
}

static void leave(void)
{
    if (!takes_turns)
        pthread_mutex_lock(&lock);
    if (--calls == 0 && openblas_get_num_threads && openblas_set_num_threads && found != 1 &&
        openblas_get_num_threads() == 1)
        openblas_set_num_threads(found);
    pthread_mutex_unlock(&lock);
}

/* The functions under their real names. */
#undef cblas_dgemm
#undef cblas_dsyrk
#undef cblas_saxpy
#undef cblas_sdot
#undef cblas_sgemm
#undef cblas_sgemv
#undef cblas_ssyrk
#undef cblas_strsv
#undef dpotrf_
#undef dsyevd_
#undef spotrf_
extern __typeof__(pv_blas_dgemm) cblas_dgemm;
extern __typeof__(pv_blas_dsyrk) cblas_dsyrk;
extern __typeof__(pv_blas_saxpy) cblas_saxpy;
extern __typeof__(pv_blas_sdot) cblas_sdot;
extern __typeof__(pv_blas_sgemm) cblas_sgemm;
extern __typeof__(pv_blas_sgemv) cblas_sgemv;
extern __typeof__(pv_blas_ssyrk) cblas_ssyrk;
extern __typeof__(pv_blas_strsv) cblas_strsv;
extern __typeof__(pv_blas_dpotrf) dpotrf_;
extern __typeof__(pv_blas_dsyevd) dsyevd_;
extern __typeof__(pv_blas_spotrf) spotrf_;

/* The names of the parameters are those of cblas.h. */
void pv_blas_dgemm(enum CBLAS_ORDER Order, enum CBLAS_TRANSPOSE TransA, enum CBLAS_TRANSPOSE TransB,
                   blasint M, blasint N, blasint K, double alpha, const double *A, blasint lda,
                   const double *B, blasint ldb, double beta, double *C, blasint ldc)
{
    enter();
    cblas_dgemm(Order, TransA, TransB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    leave();
}

void pv_blas_dsyrk(enum CBLAS_ORDER Order, enum CBLAS_UPLO Uplo, enum CBLAS_TRANSPOSE Trans,
                   blasint N, blasint K, double alpha, const double *A, blasint lda, double beta,
                   double *C, blasint ldc)
{
    enter();
    cblas_dsyrk(Order, Uplo, Trans, N, K, alpha, A, lda, beta, C, ldc);
    leave();
}

void pv_blas_saxpy(blasint n, float alpha, const float *x, blasint incx, float *y, blasint incy)
{
    enter();
    cblas_saxpy(n, alpha, x, incx, y, incy);
    leave();
}

float pv_blas_sdot(blasint n, const float *x, blasint incx, const float *y, blasint incy)
{
    enter();
    float dot = cblas_sdot(n, x, incx, y, incy);
    leave();
    return dot;
}

void pv_blas_sgemm(enum CBLAS_ORDER Order, enum CBLAS_TRANSPOSE TransA, enum CBLAS_TRANSPOSE TransB,
                   blasint M, blasint N, blasint K, float alpha, const float *A, blasint lda,
                   const float *B, blasint ldb, float beta, float *C, blasint ldc)
{
    enter();
    cblas_sgemm(Order, TransA, TransB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    leave();
}

void pv_blas_sgemv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, blasint m, blasint n,
                   float alpha, const float *a, blasint lda, const float *x, blasint incx,
                   float beta, float *y, blasint incy)
{
    enter();
    cblas_sgemv(order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
    leave();
}

void pv_blas_ssyrk(enum CBLAS_ORDER Order, enum CBLAS_UPLO Uplo, enum CBLAS_TRANSPOSE Trans,
                   blasint N, blasint K, float alpha, const float *A, blasint lda, float beta,
                   float *C, blasint ldc)
{
    enter();
    cblas_ssyrk(Order, Uplo, Trans, N, K, alpha, A, lda, beta, C, ldc);
    leave();
}

void pv_blas_strsv(enum CBLAS_ORDER order, enum CBLAS_UPLO Uplo, enum CBLAS_TRANSPOSE TransA,
                   enum CBLAS_DIAG Diag, blasint N, const float *A, blasint lda, float *X,
                   blasint incX)
{
    enter();
    cblas_strsv(order, Uplo, TransA, Diag, N, A, lda, X, incX);
    leave();
}

void pv_blas_dsyevd(const char *job, const char *triangle, const int *n, double *a, const int *lda,
                    double *w, double *work, const int *work_length, int *iwork,
                    const int *iwork_length, int *info, size_t job_length, size_t triangle_length)
{
    enter();
    dsyevd_(job, triangle, n, a, lda, w, work, work_length, iwork, iwork_length, info, job_length,
            triangle_length);
    leave();
}

void pv_blas_dpotrf(const char *triangle, const int *n, double *a, const int *lda, int *info,
                    size_t triangle_length)
{
    enter();
    dpotrf_(triangle, n, a, lda, info, triangle_length);
    leave();
}

void pv_blas_spotrf(const char *triangle, const int *n, float *a, const int *lda, int *info,
                    size_t triangle_length)
{
    enter();
    spotrf_(triangle, n, a, lda, info, triangle_length);
    leave();
}

/* More than a work buffer: 128 MiB on x86-64, less on most others. */
static const size_t buffer_room = (size_t)160 << 20;

size_t pv_blas_reserve(void)
{
    enum { side = 64 };
    static bool reserved;
    static float block[2 * side * side];
    pthread_mutex_lock(&reserving);
    if (!reserved) {
        void *volatile room =
            malloc(buffer_room); /* volatile: the call must not be optimised away */
        reserved = room != NULL;
        free(room);
        if (reserved)
            pv_blas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, side, side, side, 1, block, side,
                          block, side, 0, block + side * side, side);
    }
    bool fine = reserved;
    pthread_mutex_unlock(&reserving);
    return fine ? 0 : buffer_room;
}
