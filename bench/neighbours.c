/* Compares the neighbour search with the memory that it must read: 70,000 vectors of 300
 * dimensions, more than any cache holds. The limit is a sum over the same numbers, which a search
 * cannot beat. Prints threads, name, GB/s, milliseconds and the ratio to the limit; each is the
 * best of its rounds, which alternate, so that other load on the machine affects all of them. */
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/thread.h"
#include "model/model_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS = 70000, DIM = 300, ROUNDS = 15, SLICES = 64, LANES = 32, MOST = 10 };

typedef struct reading {
    const float *numbers;
    float sums[SLICES];
} reading;

static psdvec_status read_slice(void *arg, size_t slice, int worker)
{
    (void)worker;
    reading *r = arg;
    size_t length = (size_t)WORDS * DIM / SLICES / LANES * LANES;
    const float *at = r->numbers + slice * length;
    float sums[LANES] = {0}; /* enough of them that additions are not the bottleneck */
    for (size_t k = 0; k < length; k += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            sums[lane] += at[k + lane];
    for (size_t lane = 1; lane < LANES; lane++)
        sums[0] += sums[lane];
    r->sums[slice] = sums[0];
    return PSDVEC_OK;
}

enum { READING, SIMILAR, ANALOGY, KINDS };
static const char *const names[KINDS] = {"reading alone", "similar", "analogy"};

static psdvec_status search(psdvec_context *ctx, const psdvec_model *m, int kind, reading *r)
{
    psdvec_neighbour found[MOST];
    size_t count;
    if (kind == READING)
        return pv_parallel_tasks(ctx, SLICES, read_slice, r);
    if (kind == SIMILAR)
        return psdvec_model_similar(ctx, m, r->numbers, NULL, MOST, found, &count);
    return psdvec_model_analogy(ctx, m, PSDVEC_MEASURE_MUL, r->numbers, r->numbers + DIM,
                                r->numbers + 2 * DIM, NULL, MOST, found, &count);
}

static psdvec_status measure(psdvec_context *ctx, const psdvec_model *m)
{
    double best[KINDS] = {1e30, 1e30, 1e30};
    reading r = {0};
    psdvec_status status = psdvec_model_readout(ctx, m, &r.numbers);
    for (int round = 0; round < ROUNDS; round++)
        for (int kind = 0; kind < KINDS && status == PSDVEC_OK; kind++) {
            double began = pv_now();
            status = search(ctx, m, kind, &r);
            double took = pv_now() - began;
            best[kind] = took < best[kind] ? took : best[kind];
        }
    for (int kind = 0; kind < KINDS && status == PSDVEC_OK; kind++)
        printf("%d\t%s\t%.1f\t%.2f\t%.2f\n", psdvec_threads(ctx), names[kind],
               4e-9 * WORDS * DIM / best[kind], 1e3 * best[kind], best[READING] / best[kind]);
    return status;
}

/* Random vectors, in a file like every model. */
static psdvec_status make_model(psdvec_context *ctx, const char *path)
{
    psdvec_status status = PSDVEC_OK;
    char *bytes = pv_alloc(ctx, WORDS, 8, "words");
    uint64_t *offsets = pv_alloc_zero(ctx, WORDS + 1, sizeof *offsets, "words");
    float *vectors = pv_alloc(ctx, (size_t)WORDS * DIM, sizeof *vectors, "vectors");
    if (!bytes || !offsets || !vectors) {
        status = pv_failure(ctx);
        goto done;
    }
    for (uint32_t i = 0; i < WORDS; i++)
        offsets[i + 1] = offsets[i] + (uint64_t)sprintf(bytes + offsets[i], "w%u", i);
    for (size_t k = 0; k < (size_t)WORDS * DIM; k++)
        vectors[k] = (float)(pv_random_unit(7, 3, k) - 0.5);
    pv_model_data data = {
        .words = WORDS, .dim = DIM, .bytes = bytes, .offsets = offsets, .vectors = vectors};
    status = pv_model_write(ctx, &data, path);
done:
    pv_free(ctx, vectors);
    pv_free(ctx, offsets);
    pv_free(ctx, bytes);
    return status;
}

int main(void)
{
    char path[] = "neighbours-XXXXXX";
    int file = mkstemp(path);
    psdvec_status status = file >= 0 ? PSDVEC_OK : PSDVEC_ERR_WRITE;
    for (int threads = 1; threads >= 0 && status == PSDVEC_OK; threads--) {
        psdvec_context_options options;
        psdvec_context *ctx;
        psdvec_model *model = NULL;
        psdvec_context_options_default(&options);
        options.threads = threads;
        status = psdvec_context_new(&options, &ctx);
        if (status == PSDVEC_OK && threads == 1)
            status = make_model(ctx, path);
        if (status == PSDVEC_OK)
            status = psdvec_model_open(ctx, path, &model);
        if (status == PSDVEC_OK)
            status = measure(ctx, model);
        if (status != PSDVEC_OK)
            fprintf(stderr, "%s\n", psdvec_error_message(ctx));
        psdvec_model_close(model);
        psdvec_context_free(ctx);
    }
    if (file >= 0) {
        unlink(path);
        close(file);
    }
    return status != PSDVEC_OK;
}
