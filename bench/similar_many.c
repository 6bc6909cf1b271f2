/* Measures the search for neighbours of single vectors and of batches, in queries per second.
 *
 *     similar_many make MODEL WORDS DIM      a model of random vectors
 *     similar_many run MODEL THREADS SECONDS
 *
 * `run` uses the vectors of words spread over the vocabulary as queries and finds the ten nearest
 * of each. Prints batch size and queries per second, the best of the rounds that fit into SECONDS
 * for each size. bench/neighbours.sh compares it with numpy.
 */
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "model/model_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10, LARGEST = 1024 };

static psdvec_status make(psdvec_context *ctx, const char *path, uint32_t words, uint32_t dim)
{
    psdvec_status status = PSDVEC_OK;
    size_t numbers = (size_t)words * dim;
    char *bytes = pv_alloc(ctx, words, 12, "words");
    uint64_t *offsets = pv_alloc_zero(ctx, (size_t)words + 1, sizeof *offsets, "words");
    float *vectors = pv_alloc(ctx, numbers, sizeof *vectors, "vectors");
    if (!bytes || !offsets || !vectors) {
        status = pv_failure(ctx);
        goto done;
    }
    for (uint32_t i = 0; i < words; i++)
        offsets[i + 1] = offsets[i] + (uint64_t)sprintf(bytes + offsets[i], "w%u", i);
    for (size_t k = 0; k < numbers; k++)
        vectors[k] = (float)(pv_random_unit(7, 3, k) - 0.5);
    pv_model_data data = {
        .words = words, .dim = dim, .bytes = bytes, .offsets = offsets, .vectors = vectors};
    status = pv_model_write(ctx, &data, path);
done:
    pv_free(ctx, vectors);
    pv_free(ctx, offsets);
    pv_free(ctx, bytes);
    return status;
}

/* One round of `batch` queries, starting with query `first`. */
static psdvec_status ask(psdvec_context *ctx, const psdvec_model *m, const float *queries,
                         size_t batch, psdvec_neighbour *near, size_t *found)
{
    if (batch == 1)
        return psdvec_model_similar(ctx, m, queries, NULL, MOST, near, found);
    return psdvec_model_similar_many(ctx, m, queries, batch, NULL, MOST, near, found);
}

static psdvec_status run(psdvec_context *ctx, const char *path, double seconds)
{
    static const size_t batches[] = {1, 4, 8, 16, 64, 256, LARGEST};
    psdvec_model *m = NULL;
    psdvec_status status = psdvec_model_open(ctx, path, &m);
    if (status != PSDVEC_OK)
        return status;
    const psdvec_model_info *info = psdvec_model_get_info(m);
    float *queries = pv_alloc(ctx, (size_t)LARGEST * info->dim, sizeof *queries, "queries");
    psdvec_neighbour *near = pv_alloc(ctx, LARGEST * MOST, sizeof *near, "neighbours");
    size_t found[LARGEST];
    if (!queries || !near) {
        status = pv_failure(ctx);
        goto done;
    }
    for (size_t q = 0; q < LARGEST; q++)
        psdvec_model_copy(m, (uint32_t)(q * info->words / LARGEST), queries + q * info->dim);
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
        size_t batch = batches[b], at = 0;
        double best = 1e30, until = pv_now() + seconds;
        for (int round = 0; round < 3 || pv_now() < until; round++, at = (at + batch) % LARGEST) {
            double began = pv_now();
            PV_TRY_DONE(ask(ctx, m, queries + at * info->dim, batch, near, found));
            double took = pv_now() - began;
            best = took < best ? took : best;
        }
        printf("%zu\t%.1f\n", batch, (double)batch / best);
    }
done:
    pv_free(ctx, queries);
    pv_free(ctx, near);
    psdvec_model_close(m);
    return status;
}

int main(int argc, char **argv)
{
    psdvec_context_options options;
    psdvec_context *ctx;
    bool makes = argc == 5 && strcmp(argv[1], "make") == 0;
    if (!makes && (argc != 5 || strcmp(argv[1], "run") != 0)) {
        fprintf(stderr, "usage: similar_many make MODEL WORDS DIM\n"
                        "       similar_many run MODEL THREADS SECONDS\n");
        return 2;
    }
    psdvec_context_options_default(&options);
    if (!makes)
        options.threads = atoi(argv[3]);
    psdvec_status status = psdvec_context_new(&options, &ctx);
    if (status == PSDVEC_OK)
        status = makes ? make(ctx, argv[2], (uint32_t)atol(argv[3]), (uint32_t)atol(argv[4]))
                       : run(ctx, argv[2], atof(argv[4]));
    if (status != PSDVEC_OK)
        fprintf(stderr, "%s\n", psdvec_error_message(ctx));
    psdvec_context_free(ctx);
    return status != PSDVEC_OK;
}
