/* Measures evaluation on random vectors, each part against a limit:
 *
 *     analogies     as many as in Google's set, of its form (sections in which every pair of
 *                   words is combined with every other), and with all words drawn at random;
 *                   against the matrix products in it, computed by sgemm alone
 *     bootstrap     intervals of a correlation of 3000 pairs, 10,000 resamples
 *
 *     eval [WORDS [DIM [THREADS]]]      70000, 300, all
 *
 * Prints name, unit, value.
 */
#include "base/blas.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "eval/analogy.h"
#include "eval/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 3, SECTIONS = 14, PAIRS = 38, ASKED = 2 * SECTIONS * PAIRS };
enum { QUESTIONS = SECTIONS * PAIRS * (PAIRS - 1), BLOCK = 1024, SAMPLE = 3000, RESAMPLES = 10000 };

typedef struct setting {
    psdvec_context *ctx;
    uint32_t words, dim;
    float *rows, *units, *product;
    pv_analogy *questions;
} setting;

static psdvec_status fill_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    setting *s = arg;
    for (size_t k = 0; k < s->dim; k++)
        s->rows[task * s->dim + k] = (float)pv_random_unit(1, 0, task * s->dim + k) - 0.5f;
    return PSDVEC_OK;
}

/* Word 2 k of the units is the first of pair k, word 2 k + 1 the second. */
static void ask_like_google(setting *s)
{
    pv_analogy *q = s->questions;
    for (uint32_t section = 0; section < SECTIONS; section++)
        for (uint32_t i = 0; i < PAIRS; i++)
            for (uint32_t j = 0; j < PAIRS; j++)
                if (i != j) {
                    uint32_t one = 2 * (section * PAIRS + i), two = 2 * (section * PAIRS + j);
                    *q++ = (pv_analogy){
                        .a = one, .b = one + 1, .c = two, .excluded = {one, one + 1, two}};
                }
}

static void ask_at_random(setting *s)
{
    for (uint64_t q = 0; q < QUESTIONS; q++) {
        uint32_t word[3];
        for (uint64_t k = 0; k < 3; k++)
            word[k] = (uint32_t)(pv_random_u64(1, 1, 3 * q + k) % ASKED);
        s->questions[q] = (pv_analogy){
            .a = word[0], .b = word[1], .c = word[2], .excluded = {word[0], word[1], word[2]}};
    }
}

static psdvec_status multiply(void *arg, size_t task, int worker)
{
    setting *s = arg;
    size_t first = task * BLOCK, left = s->words - first;
    int length = (int)(left < BLOCK ? left : BLOCK);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, ASKED, length, (int)s->dim, 1, s->units,
                (int)s->dim, s->rows + first * s->dim, (int)s->dim, 0,
                s->product + (size_t)worker * ASKED * BLOCK, length);
    return PSDVEC_OK;
}

static psdvec_status time_analogies(setting *s, double *seconds)
{
    const pv_analogy_space space = {.rows = pv_vector_set_floats(s->words, s->dim, s->rows),
                                    .units = s->units,
                                    .candidates = s->words,
                                    .words = ASKED,
                                    .dim = s->dim,
                                    .shift = 1};
    *seconds = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double began = pv_now();
        PV_TRY(pv_analogies_answer(s->ctx, &space, s->questions, QUESTIONS, NULL));
        *seconds = fmin(*seconds, pv_now() - began);
    }
    return PSDVEC_OK;
}

static psdvec_status bench_analogies(setting *s)
{
    double google, random, sgemm = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double began = pv_now();
        PV_TRY(pv_parallel_tasks(s->ctx, (s->words + BLOCK - 1) / BLOCK, multiply, s));
        sgemm = fmin(sgemm, pv_now() - began);
    }
    ask_like_google(s);
    PV_TRY(time_analogies(s, &google));
    ask_at_random(s);
    PV_TRY(time_analogies(s, &random));
    printf("%d analogies, %u words\ts\t%.2f\n", QUESTIONS, s->words, google);
    printf("the same, no two alike\ts\t%.2f\n", random);
    printf("their products by sgemm\ts\t%.2f\n", sgemm);
    printf("analogies to sgemm\tratio\t%.2f\n", google / sgemm);
    return PSDVEC_OK;
}

static double correlation(const void *arg, const uint32_t *times, void *room)
{
    return pv_spearman(arg, times, room);
}

static psdvec_status bench_bootstrap(psdvec_context *ctx)
{
    static double x[SAMPLE], y[SAMPLE], values[RESAMPLES];
    pv_ranked ranked;
    pv_scope scope = {.ctx = ctx, .what = "ranks"};
    double seconds = INFINITY;
    for (size_t i = 0; i < SAMPLE; i++) {
        x[i] = pv_random_unit(1, 2, i);
        y[i] = floor(50 * (x[i] + pv_random_unit(1, 3, i)));
    }
    PV_TRY(pv_ranked_make(&ranked, &scope, x, y, SAMPLE));
    psdvec_status status = PSDVEC_OK;
    for (int round = 0; round < ROUNDS && status == PSDVEC_OK; round++) {
        double began = pv_now();
        status = pv_bootstrap(ctx, SAMPLE, RESAMPLES, correlation, &ranked,
                              pv_spearman_numbers(&ranked) * sizeof(double), values);
        seconds = fmin(seconds, pv_now() - began);
    }
    pv_scope_free(&scope);
    printf("%d resamples of %d pairs\ts\t%.2f\n", RESAMPLES, SAMPLE, seconds);
    return status;
}

static psdvec_status run(setting *s)
{
    size_t threads = (size_t)psdvec_threads(s->ctx);
    s->rows = pv_alloc(s->ctx, (size_t)s->words * s->dim, sizeof *s->rows, "vectors");
    s->units = s->rows; /* the words of the questions come first */
    s->questions = pv_alloc(s->ctx, QUESTIONS, sizeof *s->questions, "questions");
    s->product = pv_alloc(s->ctx, threads * ASKED * BLOCK, sizeof *s->product, "products");
    if (!s->rows || !s->questions || !s->product)
        return pv_failure(s->ctx);
    PV_TRY(pv_parallel_tasks(s->ctx, s->words, fill_rows, s));
    PV_TRY(bench_analogies(s));
    return bench_bootstrap(s->ctx);
}

int main(int argc, char **argv)
{
    psdvec_context_options options;
    setting s = {.words = 70000, .dim = 300};
    psdvec_context_options_default(&options);
    if (argc > 1)
        s.words = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        s.dim = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        options.threads = atoi(argv[3]);
    if (s.words < ASKED || s.dim == 0 || psdvec_context_new(&options, &s.ctx) != PSDVEC_OK) {
        fprintf(stderr, "usage: eval [WORDS [DIM [THREADS]]], at least %d words\n", ASKED);
        return 2;
    }
    psdvec_status status = run(&s);
    if (status != PSDVEC_OK)
        fprintf(stderr, "eval: %s\n", psdvec_error_message(s.ctx));
    pv_free(s.ctx, s.rows);
    pv_free(s.ctx, s.questions);
    pv_free(s.ctx, s.product);
    psdvec_context_free(s.ctx);
    return status != PSDVEC_OK;
}
