/* What the machine allows, for programs that compare with it. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include "base/blas.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/thread.h"

/* Of OpenBLAS only; another BLAS divides a product as it likes. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

/* ---- Memory: the triad a[i] = b[i] + s c[i] over arrays far larger than any cache ---- */
enum { LIMIT_ELEMENTS = 16 << 20, LIMIT_SLICES = 64 };

typedef struct limit_triad {
    double *a, *b, *c;
} limit_triad;

static inline psdvec_status limit_triad_slice(void *opaque, size_t slice, int worker)
{
    (void)worker;
    limit_triad *t = opaque;
    size_t length = LIMIT_ELEMENTS / LIMIT_SLICES;
    double *a = t->a + slice * length;
    const double *b = t->b + slice * length, *c = t->c + slice * length;
    for (size_t i = 0; i < length; i++)
        a[i] = b[i] + 3.0 * c[i];
    return PSDVEC_OK;
}

/* Bytes a second (24 an element), best of `rounds`, with the context's threads. */
static inline psdvec_status limit_memory(psdvec_context *ctx, int rounds, double *rate)
{
    limit_triad t = {pv_alloc_zero(ctx, LIMIT_ELEMENTS, sizeof(double), "triad"),
                     pv_alloc_zero(ctx, LIMIT_ELEMENTS, sizeof(double), "triad"),
                     pv_alloc_zero(ctx, LIMIT_ELEMENTS, sizeof(double), "triad")};
    psdvec_status status = t.a && t.b && t.c ? PSDVEC_OK : pv_failure(ctx);
    double best = 1e30;
    for (int round = 0; round < rounds && status == PSDVEC_OK; round++) {
        double began = pv_now();
        status = pv_parallel_tasks(ctx, LIMIT_SLICES, limit_triad_slice, &t);
        double took = pv_now() - began;
        best = took < best ? took : best;
    }
    *rate = 24.0 * LIMIT_ELEMENTS / best;
    pv_free(ctx, t.a);
    pv_free(ctx, t.b);
    pv_free(ctx, t.c);
    return status;
}

/* ---- Matrix products: BLAS itself on `threads` cores -------------------------------- */
/* Seconds of each of `rounds` products side x side x side. */
static inline psdvec_status limit_sgemm(psdvec_context *ctx, size_t side, int threads, int rounds,
                                        double *seconds)
{
    size_t cells = side * side;
    float *block = pv_alloc(ctx, 3 * cells, sizeof *block, "a matrix product");
    if (!block)
        return pv_failure(ctx);
    for (size_t i = 0; i < 3 * cells; i++)
        block[i] = (float)(i % 1021) / 1021 - 0.5f;
    if (openblas_set_num_threads)
        openblas_set_num_threads(threads);
    for (int round = -1; round < rounds; round++) { /* the first wakes the threads */
        double began = pv_now();
        int n = (int)(round < 0 && side > 512 ? 512 : side);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, block, (int)side,
                    block + cells, (int)side, 0, block + 2 * cells, (int)side);
        if (round >= 0)
            seconds[round] = pv_now() - began;
    }
    pv_blas_alone();
    pv_free(ctx, block);
    return PSDVEC_OK;
}

#endif
