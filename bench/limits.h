/* Measures the limits of the machine, for comparison. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include "base/blas.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/thread.h"

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

/* Bytes per second (24 per element), best of `rounds`, with the context's threads. */
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

/* ---- Matrix products: BLAS on `threads` cores ---------------------------------------- */
typedef struct limit_product {
    size_t side, rows; /* of the matrices, and of a task */
    float *a, *b, *c;
} limit_product;

static inline psdvec_status limit_product_rows(void *opaque, size_t task, int worker)
{
    (void)worker;
    limit_product *p = opaque;
    size_t first = task * p->rows, left = p->side - first;
    int n = (int)p->side;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(left < p->rows ? left : p->rows),
                n, n, 1, p->a + first * p->side, n, p->b, n, 0, p->c + first * p->side, n);
    return PSDVEC_OK;
}

/* Seconds of each of `rounds` products side x side x side, the rows divided among the
 * threads. */
static inline psdvec_status limit_sgemm(size_t side, int threads, int rounds, double *seconds)
{
    psdvec_context *ctx;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = threads;
    psdvec_status status = psdvec_context_new(&options, &ctx);
    if (status != PSDVEC_OK)
        return status;
    size_t cells = side * side, share = (size_t)threads;
    float *block = pv_alloc(ctx, 3 * cells, sizeof *block, "a matrix product");
    if (!block)
        status = pv_failure(ctx);
    else {
        for (size_t i = 0; i < 3 * cells; i++)
            block[i] = (float)(i % 1021) / 1021 - 0.5f;
    }
    for (int round = -1; round < rounds && status == PSDVEC_OK; round++) { /* the first is a
                                                                            * warm-up */
        size_t n = round < 0 && side > 512 ? 512 : side;
        limit_product p = {n, (n + share - 1) / share, block, block + cells, block + 2 * cells};
        double began = pv_now();
        status = pv_parallel_tasks(ctx, (n + p.rows - 1) / p.rows, limit_product_rows, &p);
        if (round >= 0)
            seconds[round] = pv_now() - began;
    }
    pv_free(ctx, block);
    psdvec_context_free(ctx);
    return status;
}

#endif
