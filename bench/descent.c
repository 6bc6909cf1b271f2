/* Compares how fast the objective falls with the steps of the paper, with relaxed ones, and with
 * ridge regressions of all core words in turn.
 *
 *     descent COUNTS CORE DIM FORM ITERATIONS SWEEPS
 *
 * FORM: psd or symmetric. The weights are raw, as in the paper. The regressions solve blocks of 256
 * words, each for fixed other words, starting from the result of one step of the paper, with a
 * prior of 0.01. Prints a Markdown table; seconds are CPU time, summed over all threads.
 */
#include "base/memory.h"
#include "solve/algorithm1.h"
#include "solve/regression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static psdvec_context *ctx;
static double began;

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void must(psdvec_status status)
{
    if (status == PSDVEC_OK)
        return;
    fprintf(stderr, "descent: %s\n", psdvec_error_message(ctx));
    exit(1);
}

static void *must_have(void *block)
{
    if (!block)
        must(pv_failure(ctx));
    return block;
}

typedef struct problem {
    psdvec_counts *counts;
    pv_link *link;
    pv_pairs *pairs;
    pv_core *core;
    pv_course course;
} problem;

static psdvec_status tell(void *user, const pv_core *core, const pv_course *course)
{
    (void)core;
    printf("| steps of length %g | %u | %.2f | %.5g |\n", *(const double *)user, course->done,
           cpu_seconds() - began, course->iterations[course->done - 1].objective);
    return PSDVEC_OK;
}

static void open_problem(problem *p, const char *path, const psdvec_train_options *options)
{
    must(psdvec_counts_open(ctx, path, &p->counts));
    must(pv_link_open(ctx, p->counts, options, NULL, &p->link));
    must(pv_pairs_make(p->link, NULL, ".", UINT64_MAX, options->start != 0, &p->pairs));
    must(pv_core_open(p->link, p->pairs, options->dim, &p->core));
    p->course.iterations =
        must_have(pv_alloc_zero(ctx, options->iterations, sizeof *p->course.iterations, "course"));
    p->course.values = must_have(pv_alloc_zero(ctx, p->core->stride, sizeof(float), "course"));
}

static void close_problem(problem *p)
{
    pv_free(ctx, p->course.values);
    pv_free(ctx, p->course.iterations);
    pv_core_close(p->core);
    pv_pairs_free(p->pairs);
    pv_link_close(p->link);
    psdvec_counts_close(p->counts);
}

static void take_steps(const char *path, psdvec_train_options options, double length)
{
    problem p = {0};
    options.relaxation = length;
    open_problem(&p, path, &options);
    began = cpu_seconds();
    must(pv_algorithm1(p.core, &p.course, tell, &length));
    close_problem(&p);
}

/* Solves one block of words, for fixed other words. */
static void regress_block(problem *p, const uint32_t *row_of, float *V, uint32_t first,
                          uint32_t count)
{
    size_t dim = p->core->rank;
    uint32_t words[256];
    double mu[256];
    for (uint32_t k = 0; k < count; k++) {
        words[k] = first + k;
        mu[k] = 0.01;
    }
    pv_regression *regression;
    float *out = must_have(pv_alloc(ctx, count * dim, sizeof *out, "vectors"));
    must(pv_regression_open(p->link, V, p->core->n, dim, p->core->sign, row_of, &regression));
    must(pv_regression_solve(regression, words, count, mu, out, NULL));
    pv_regression_close(regression);
    memcpy(V + first * dim, out, count * dim * sizeof *out);
    for (uint32_t k = 0; k < count; k++)
        for (size_t d = 0; d < dim; d++)
            p->core->U[(first + k) * p->core->stride + d] = out[k * dim + d] *
                                                            p->core->root[first + k];
    pv_free(ctx, out);
}

static void sweep(const char *path, psdvec_train_options options, int sweeps)
{
    problem p = {0};
    options.iterations = 1;
    open_problem(&p, path, &options);
    began = cpu_seconds();
    must(pv_algorithm1(p.core, &p.course, NULL, NULL));
    size_t n = p.core->n, dim = p.core->rank;
    float *V = must_have(pv_alloc(ctx, n * dim, sizeof *V, "vectors"));
    uint32_t *row_of = must_have(pv_alloc(ctx, p.link->words, sizeof *row_of, "words"));
    for (uint32_t w = 0; w < p.link->words; w++)
        row_of[w] = w < n ? w : UINT32_MAX;
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < dim; d++)
            V[i * dim + d] = p.core->U[i * p.core->stride + d] / p.core->root[i];
    for (int s = 1; s <= sweeps; s++) {
        for (uint32_t first = 0; first < n; first += 256)
            regress_block(&p, row_of, V, first, n - first < 256 ? (uint32_t)(n - first) : 256);
        double objective, at = cpu_seconds() - began;
        must(pv_core_residual(p.core, &objective));
        printf("| one step, then regressions | %d | %.2f | %.5g |\n", s, at, objective);
    }
    pv_free(ctx, row_of);
    pv_free(ctx, V);
    close_problem(&p);
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "use: descent COUNTS CORE DIM psd|symmetric ITERATIONS SWEEPS\n");
        return 2;
    }
    psdvec_train_options options;
    psdvec_train_options_preset(&options, PSDVEC_PRESET_PAPER, NULL);
    options.core = (uint32_t)strtoul(argv[2], NULL, 10);
    options.dim = (uint32_t)strtoul(argv[3], NULL, 10);
    options.form = strcmp(argv[4], "psd") == 0 ? PSDVEC_FORM_PSD : PSDVEC_FORM_SYMMETRIC;
    options.start = options.form == PSDVEC_FORM_PSD ? 0.5 : 0;
    options.iterations = (uint32_t)strtoul(argv[5], NULL, 10);
    options.rank_extra = 0;
    if (psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        return 1;
    printf("| way | iterations or sweeps | CPU s | objective |\n|---|---|---|---|\n");
    take_steps(argv[1], options, 1);
    take_steps(argv[1], options, 1.8);
    sweep(argv[1], options, (int)strtol(argv[6], NULL, 10));
    psdvec_context_free(ctx);
    return 0;
}
