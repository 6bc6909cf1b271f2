/* The memory bandwidth of the machine, as a limit to compare with: the triad
 * a[i] = b[i] + s c[i] over arrays far larger than any cache, best of ten, in
 * GB/s (24 bytes an element), for 1 thread and for all.
 */
#include "base/memory.h"
#include "base/progress.h"
#include "base/thread.h"

#include <stdio.h>

enum { ELEMENTS = 16 << 20, SLICES = 64, ROUNDS = 10 };

typedef struct triad {
    double *a, *b, *c;
} triad;

static psdvec_status triad_slice(void *opaque, size_t slice, int worker)
{
    (void)worker;
    triad *t = opaque;
    size_t length = ELEMENTS / SLICES;
    double *a = t->a + slice * length;
    const double *b = t->b + slice * length, *c = t->c + slice * length;
    for (size_t i = 0; i < length; i++)
        a[i] = b[i] + 3.0 * c[i];
    return PSDVEC_OK;
}

static int measure(int threads)
{
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_context_options_default(&options);
    options.threads = threads;
    if (psdvec_context_new(&options, &ctx) != PSDVEC_OK)
        return 1;
    triad t = {pv_alloc_zero(ctx, ELEMENTS, sizeof(double), "triad"),
               pv_alloc_zero(ctx, ELEMENTS, sizeof(double), "triad"),
               pv_alloc_zero(ctx, ELEMENTS, sizeof(double), "triad")};
    if (!t.a || !t.b || !t.c) {
        fprintf(stderr, "%s\n", psdvec_error_message(ctx));
        return 1;
    }
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double began = pv_now();
        pv_parallel_tasks(ctx, SLICES, triad_slice, &t);
        double took = pv_now() - began;
        best = took < best ? took : best;
    }
    printf("%d\t%.1f\n", psdvec_threads(ctx), 24.0 * ELEMENTS / best * 1e-9);
    pv_free(ctx, t.a);
    pv_free(ctx, t.b);
    pv_free(ctx, t.c);
    psdvec_context_free(ctx);
    return 0;
}

int main(void)
{
    return measure(1) || measure(0);
}
