/* Measures the memory bandwidth of the machine, as a reference: the triad a[i] = b[i] + s c[i] over
 * arrays far larger than any cache, best of ten, in GB/s (24 bytes per element), for 1 thread and
 * for all. */
#include "limits.h"

#include <stdio.h>

enum { ROUNDS = 10 };

static int measure(int threads)
{
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_context_options_default(&options);
    options.threads = threads;
    if (psdvec_context_new(&options, &ctx) != PSDVEC_OK)
        return 1;
    double rate;
    psdvec_status status = limit_memory(ctx, ROUNDS, &rate);
    if (status == PSDVEC_OK)
        printf("%d\t%.1f\n", psdvec_threads(ctx), rate * 1e-9);
    else
        fprintf(stderr, "%s\n", psdvec_error_message(ctx));
    psdvec_context_free(ctx);
    return status != PSDVEC_OK;
}

int main(void)
{
    return measure(1) || measure(0);
}
