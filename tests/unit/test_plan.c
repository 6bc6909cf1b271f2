/* Memory predictions of modules and of the plan of a run, against the memory allocated. */
#include "base/context.h"
#include "base/memory.h"
#include "baseline/sparse_svd.h"
#include "link/pairs.h"
#include "solve/algorithm1.h"
#include "solve/eigen.h"
#include "solve/regression.h"
#include "support/problem.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static psdvec_context *context_with(int threads)
{
    psdvec_context_options o;
    psdvec_context *ctx;
    psdvec_context_options_default(&o);
    o.threads = threads;
    o.memory = UINT64_C(1) << 32;
    ok(psdvec_context_new(&o, &ctx));
    return ctx;
}

/* The prediction is sufficient and, with one thread, not much too large: `slack` is for small items
 * that are not predicted. With several threads, not all may have had their arrays at the same
 * time. */
static void assert_foreseen(const char *what, uint64_t planned, uint64_t taken, int threads,
                            double factor, uint64_t slack)
{
    if (taken > planned)
        fail_msg("%s: %.0f bytes planned, %.0f taken", what, (double)planned, (double)taken);
    if (threads == 1 && (double)planned > factor * (double)taken + (double)slack)
        fail_msg("%s: %.0f bytes planned, only %.0f taken", what, (double)planned, (double)taken);
}

/* ---- Modules --------------------------------------------------------------------------------- */

static psdvec_status apply_diagonal(void *self, const float *X, float *Y, size_t k)
{
    const size_t *n = self;
    for (size_t i = 0; i < *n; i++)
        for (size_t c = 0; c < k; c++)
            Y[i * k + c] = X[i * k + c] * (1 + (float)(i % 97) + 1e-3F * (float)i);
    return PSDVEC_OK;
}

static void the_eigensolver_takes_the_predicted_memory(void **state)
{
    (void)state;
    static const struct {
        size_t n, want, block;
    } shapes[] = {{60, 5, 64},    {500, 20, 64},   {700, 400, 64}, {1000, 30, 16},
                  {4000, 50, 64}, {4000, 300, 64}, {20000, 4, 8},  {20000, 100, 64}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int threads = 1; threads <= 4; threads += 3) {
            size_t n = shapes[s].n, want = shapes[s].want;
            psdvec_context *ctx = context_with(threads);
            double *values = calloc(want, sizeof *values);
            float *vectors = calloc(n * want, sizeof *vectors);
            assert_true(values && vectors);
            pv_operator matrix = {.n = n, .self = &n, .apply = apply_diagonal};
            pv_eigen_options options;
            pv_eigen_report report;
            pv_eigen_options_default(&options, want);
            options.block = shapes[s].block;
            options.restarts = 1;
            options.tolerance = 1e-12;
            well(ctx, pv_eigen(ctx, &matrix, &options, values, vectors, &report));
            char what[60];
            snprintf(what, sizeof what, "n %zu, want %zu, %d threads", n, want, threads);
            assert_foreseen(what, pv_eigen_bytes(&options, n, NULL, 0, threads),
                            psdvec_peak_memory(ctx), threads, 1.2, 100000);
            free(vectors);
            free(values);
            psdvec_context_free(ctx);
        }
}

static void the_singular_value_decomposition_takes_the_predicted_memory(void **state)
{
    (void)state;
    enum { N = 3000, A_ROW = 20 };
    uint64_t begin[N + 1];
    uint32_t *column = calloc(N * A_ROW, sizeof *column);
    float *value = calloc(N * A_ROW, sizeof *value);
    assert_true(column && value);
    dice d = {8};
    for (uint32_t i = 0; i < N; i++) {
        begin[i] = (uint64_t)i * A_ROW;
        for (uint32_t k = 0; k < A_ROW; k++) { /* a band, so that columns ascend */
            column[i * A_ROW + k] = (i < N - A_ROW ? i : N - A_ROW) + k;
            value[i * A_ROW + k] = (float)dice_unit(&d);
        }
    }
    begin[N] = (uint64_t)N * A_ROW;
    for (int contexts = 0; contexts < 2; contexts++)
        for (size_t dim = 10; dim <= 100; dim += 90)
            for (int threads = 1; threads <= 4; threads += 3) {
                psdvec_context *ctx = context_with(threads);
                pv_sparse_matrix matrix;
                pv_singular singular;
                well(ctx, pv_sparse_matrix_open(ctx, pv_csr_of(N, N, begin, column, value), false,
                                                NULL, NULL, NULL, 0, &matrix));
                uint64_t before = atomic_load(&ctx->memory_used);
                ctx->memory_peak = before;
                well(ctx, pv_sparse_svd(&matrix, dim, 1e-2, contexts, &singular));
                assert_foreseen("singular vectors",
                                pv_sparse_svd_bytes(N, NULL, dim, contexts, threads),
                                psdvec_peak_memory(ctx) - before, threads, 1.3, 65536);
                pv_singular_free(&singular);
                pv_sparse_matrix_close(&matrix);
                psdvec_context_free(ctx);
            }
    free(value);
    free(column);
}

/* From the link function to the end of Algorithm 1, module by module. */
static void link_pairs_and_core_take_the_predicted_memory(void **state)
{
    (void)state;
    problem *p = problem_of_text(5, 2500, 300000, true, 1);
    for (int kind = 0; kind < 3; kind++)
        for (int threads = 1; threads <= 4; threads += 3) {
            psdvec_train_options o = kind == 1 ? factored_options(60, 2) : paper_options(60, 2);
            if (kind == 2)
                o.weights = PSDVEC_WEIGHTS_SMOOTHED;
            o.core = 2000;
            o.eigen_tolerance = 0.03;
            psdvec_context *ctx = context_with(threads);
            psdvec_counts *counts;
            pv_link *link;
            pv_pairs *pairs;
            pv_core *core;
            well(ctx, psdvec_counts_open(ctx, p->path, &counts));
            uint64_t opened = atomic_load(&ctx->memory_used);
            well(ctx, pv_link_open(ctx, counts, &o, NULL, &link));
            uint64_t linked = atomic_load(&ctx->memory_used), n = link->core;
            assert_foreseen("the link function", pv_link_bytes(counts), linked - opened, threads, 1,
                            8192);
            uint64_t while_linking = pv_link_bytes(counts) + pv_link_open_bytes(counts, threads);
            assert_foreseen("opening it", while_linking, psdvec_peak_memory(ctx) - opened, threads,
                            1, 8192);
            well(ctx, pv_pairs_make(link, NULL, p->folder, UINT64_MAX, o.start != 0, &pairs));
            uint64_t paired = atomic_load(&ctx->memory_used);
            uint64_t arrays = pv_pairs_bytes(n, NULL) + pv_pairs_large_bytes(pairs->count);
            assert_foreseen("the pairs", arrays, paired - linked, threads, 1.2, 65536);
            arrays += pv_pairs_make_bytes(n, NULL, counts->info.bigrams, threads);
            assert_foreseen("making pairs", arrays, psdvec_peak_memory(ctx) - linked, threads, 1.2,
                            65536);
            well(ctx, pv_core_open(link, pairs, pv_rank_most(&o, n), &core));
            uint64_t cored = atomic_load(&ctx->memory_used);
            assert_foreseen("the core", pv_core_bytes(n, NULL, pv_rank_most(&o, n)), cored - paired,
                            threads, 1.2, 4096);
            pv_course course = {.iterations = calloc(o.iterations, sizeof *course.iterations),
                                .values = calloc(core->stride, sizeof *course.values)};
            assert_true(course.iterations && course.values);
            ctx->memory_peak = cored;
            well(ctx, pv_algorithm1(core, &course, NULL, NULL));
            assert_foreseen("Algorithm 1", pv_algorithm1_bytes(&o, n, NULL, threads),
                            psdvec_peak_memory(ctx) - cored, threads, 1.2, 65536);
            free(course.iterations);
            free(course.values);
            pv_core_close(core);
            pv_pairs_free(pairs);
            pv_link_close(link);
            psdvec_counts_close(counts);
            psdvec_context_free(ctx);
        }
    problem_free(p);
}

static void the_regression_takes_the_predicted_memory(void **state)
{
    (void)state;
    enum { CORE = 600, DIM = 40 };
    problem *p = problem_of_text(6, 2500, 300000, true, 1);
    for (int kind = 0; kind < 2; kind++)
        for (int threads = 1; threads <= 4; threads += 3) {
            psdvec_train_options o = kind ? factored_options(DIM, 1) : paper_options(DIM, 1);
            o.core = CORE;
            o.rho = kind ? 1e-8 : 0;
            psdvec_context *ctx = context_with(threads);
            psdvec_counts *counts;
            pv_link *link;
            pv_regression *r;
            well(ctx, psdvec_counts_open(ctx, p->path, &counts));
            well(ctx, pv_link_open(ctx, counts, &o, NULL, &link));
            uint32_t words = counts->info.words, rest = words - CORE;
            float *vectors = calloc((size_t)CORE * DIM, sizeof *vectors);
            float *out = calloc((size_t)rest * DIM, sizeof *out);
            uint32_t *row_of = calloc(words, sizeof *row_of), *list = calloc(rest, sizeof *list);
            double *mu = calloc(rest, sizeof *mu);
            assert_true(vectors && out && row_of && list && mu);
            float sign[DIM];
            dice d = {3};
            for (size_t k = 0; k < DIM; k++)
                sign[k] = 1;
            for (size_t i = 0; i < CORE * DIM; i += DIM) /* singular, without a prior */
                vectors[i] = vectors[i + 1] = (float)dice_normal(&d);
            for (uint32_t w = 0; w < words; w++)
                row_of[w] = w < CORE ? w : UINT32_MAX;
            for (uint32_t k = 0; k < rest; k++) {
                list[k] = CORE + k;
                mu[k] = k > 0 ? 2 : 0; /* takes the most memory without a prior */
            }
            uint64_t before = atomic_load(&ctx->memory_used);
            ctx->memory_peak = before;
            well(ctx, pv_regression_open(link, vectors, CORE, DIM, sign, row_of, &r));
            well(ctx, pv_regression_solve(r, list, rest, mu, out, NULL));
            uint64_t planned = pv_regression_bytes(CORE, DIM, words, counts->info.bigrams, threads);
            assert_foreseen("the regression", planned, psdvec_peak_memory(ctx) - before, threads,
                            1.2, 65536);
            pv_regression_close(r);
            free(vectors), free(out), free(row_of), free(list), free(mu);
            pv_link_close(link);
            psdvec_counts_close(counts);
            psdvec_context_free(ctx);
        }
    problem_free(p);
}

/* ---- Complete runs --------------------------------------------------------------------------- */

static void a_run_takes_the_planned_memory(void **state)
{
    (void)state;
    static const struct {
        uint32_t dim, core;
        bool paper;
        double order, spelling;
    } shapes[] = {{120, 0, false, 0, 0},  {120, 0, false, 0.4, 0},  {120, 0, false, 0.4, 1},
                  {60, 700, false, 0, 0}, {60, 700, false, 0.4, 1}, {120, 0, true, 0, 0},
                  {60, 700, true, 0, 0}};
    problem *p = problem_of_text(7, 2500, 300000, true, 1);
    char *output = scratch_path(p->folder, "model");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int threads = 1; threads <= 4; threads += 3) {
            psdvec_train_options o;
            psdvec_train_options_preset(
                &o, shapes[s].paper ? PSDVEC_PRESET_PAPER : PSDVEC_PRESET_DEFAULT, NULL);
            o.dim = shapes[s].dim;
            o.core = shapes[s].core;
            o.order = shapes[s].order;
            o.spelling = shapes[s].spelling;
            o.iterations = 2;
            psdvec_train_plan plan;
            psdvec_context *ctx = context_with(threads);
            well(ctx, psdvec_train_plan_make(ctx, &o, p->path, &plan));
            psdvec_context_free(ctx);
            ctx = context_with(threads);
            well(ctx, psdvec_train(ctx, &o, p->path, output, NULL));
            char what[60];
            snprintf(what, sizeof what, "shape %zu, %d threads", s, threads);
            assert_foreseen(what, plan.memory, psdvec_peak_memory(ctx), threads, 1.2, 3 << 20);
            psdvec_context_free(ctx);
        }
    free(output);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_eigensolver_takes_the_predicted_memory),
        cmocka_unit_test(the_singular_value_decomposition_takes_the_predicted_memory),
        cmocka_unit_test(link_pairs_and_core_take_the_predicted_memory),
        cmocka_unit_test(the_regression_takes_the_predicted_memory),
        cmocka_unit_test(a_run_takes_the_planned_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
