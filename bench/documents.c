/* Measures log Z of contexts over a complete vocabulary, against the matrix product in it alone,
 * and by sampling, on random vectors:
 *
 *     documents [WORDS [DIM [THREADS [CONTEXTS]]]]      70000, 300, all, 2048
 *
 * The rounds alternate, so that other load on the machine affects both. Prints name, unit, value.
 */
#include "base/blas.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/thread.h"
#include "document/partition_function.h"
#include "model/model_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 7, TILE = 512, BLOCK = 256 };

typedef struct setting {
    psdvec_context *ctx;
    uint32_t words, dim, contexts;
    psdvec_model model;
    pv_conditional conditional;
    pv_contexts x;
    pv_partition *partitions;
    float *vectors, *product;
} setting;

static psdvec_status fill_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    setting *s = arg;
    for (size_t k = 0; k < s->dim; k++)
        s->vectors[task * s->dim + k] = (float)(pv_random_unit(1, 0, task * s->dim + k) - 0.5) / 4;
    return PSDVEC_OK;
}

static psdvec_status multiply(void *arg, size_t task, int worker)
{
    setting *s = arg;
    size_t tiles = (s->words + TILE - 1) / TILE, word = task % tiles * TILE;
    size_t row = task / tiles * BLOCK, left = s->words - word, rows = s->contexts - row;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(rows < BLOCK ? rows : BLOCK),
                (int)(left < TILE ? left : TILE), (int)s->dim, 1, s->x.h + row * s->dim,
                (int)s->dim, s->vectors + word * s->dim, (int)s->dim, 0,
                s->product + (size_t)worker * TILE * BLOCK, TILE);
    return PSDVEC_OK;
}

static psdvec_status prepare(setting *s)
{
    psdvec_context *ctx = s->ctx;
    pv_conditional *c = &s->conditional;
    size_t threads = (size_t)psdvec_threads(ctx);
    s->vectors = pv_alloc(ctx, s->words, s->dim * sizeof *s->vectors, "vectors");
    s->product = pv_alloc(ctx, threads, TILE * BLOCK * sizeof *s->product, "tiles");
    s->partitions = pv_alloc(ctx, s->contexts, sizeof *s->partitions, "sums");
    c->log_unigram = pv_alloc(ctx, s->words, sizeof *c->log_unigram, "probabilities");
    c->log_p = pv_alloc(ctx, s->words, sizeof *c->log_p, "probabilities");
    c->shift = pv_alloc(ctx, s->words, sizeof *c->shift, "shifts");
    if (!s->vectors || !s->product || !s->partitions || !c->log_unigram || !c->log_p || !c->shift)
        return pv_failure(ctx);
    PV_TRY(pv_parallel_tasks(ctx, s->words, fill_rows, s));
    c->vectors = s->vectors;
    s->model.path = (char *)"random";
    c->ctx = ctx;
    c->model = &s->model;
    c->words = s->words;
    c->dim = s->dim;
    double sum = 0;
    for (uint32_t i = 0; i < s->words; i++)
        sum += 1 / (i + 2.7);
    for (uint32_t i = 0; i < s->words; i++) {
        c->log_unigram[i] = -log((i + 2.7) * sum);
        c->log_p[i] = (float)c->log_unigram[i];
        c->shift[i] = (float)(pv_random_unit(1, 1, i) - 0.5);
    }
    PV_TRY(pv_contexts_init(&s->x, ctx, s->dim, s->contexts));
    for (size_t k = 0; k < (size_t)s->contexts * s->dim; k++)
        s->x.h[k] = (float)(pv_random_unit(1, 2, k) - 0.5);
    for (uint32_t row = 0; row < s->contexts; row++)
        s->x.weight[row] = s->x.constant[row] = 1;
    s->x.count = s->contexts;
    return PSDVEC_OK;
}

static psdvec_status bench_exact(setting *s)
{
    double sgemm = INFINITY, sums = INFINITY;
    size_t tiles = (size_t)((s->words + TILE - 1) / TILE) * ((s->contexts + BLOCK - 1) / BLOCK);
    pv_partition_function *n;
    PV_TRY(pv_partition_function_open(&s->conditional, 0, &n));
    for (int round = 0; round < ROUNDS; round++) {
        double began = pv_now();
        PV_TRY(pv_parallel_tasks(s->ctx, tiles, multiply, s));
        double between = pv_now();
        PV_TRY(pv_partition_function_sum(n, &s->x, 1, s->partitions));
        sgemm = fmin(sgemm, between - began);
        sums = fmin(sums, pv_now() - between);
    }
    pv_partition_function_close(n);
    printf("%u contexts x %u words x %u numbers by sgemm\ts\t%.3f\n", s->contexts, s->words, s->dim,
           sgemm);
    printf("the same with log Z\ts\t%.3f\n", sums);
    printf("contexts a second\t1/s\t%.0f\n", s->contexts / sums);
    printf("speed of log Z, of sgemm's\tratio\t%.2f\n", sgemm / sums);
    return PSDVEC_OK;
}

static psdvec_status bench_sampled(setting *s, uint32_t sampled)
{
    double sums = INFINITY;
    pv_partition_function *n;
    PV_TRY(pv_partition_function_open(&s->conditional, sampled, &n));
    for (int round = 0; round < ROUNDS; round++) {
        double began = pv_now();
        PV_TRY(pv_partition_function_sum(n, &s->x, 1, s->partitions));
        sums = fmin(sums, pv_now() - began);
    }
    pv_partition_function_close(n);
    printf("contexts a second, --sampled %u\t1/s\t%.0f\n", sampled, s->contexts / sums);
    return PSDVEC_OK;
}

int main(int argc, char **argv)
{
    psdvec_context_options options;
    setting s = {.words = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 70000,
                 .dim = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 300,
                 .contexts = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 2048};
    psdvec_context_options_default(&options);
    options.threads = argc > 3 ? atoi(argv[3]) : 0;
    if (psdvec_context_new(&options, &s.ctx) != PSDVEC_OK)
        return 1;
    psdvec_status status = prepare(&s);
    if (status == PSDVEC_OK)
        status = bench_exact(&s);
    for (uint32_t sampled = 500; sampled <= 8000 && status == PSDVEC_OK; sampled *= 4)
        status = bench_sampled(&s, sampled);
    if (status != PSDVEC_OK)
        fprintf(stderr, "%s\n", psdvec_error_message(s.ctx));
    return status != PSDVEC_OK; /* the system frees everything else */
}
