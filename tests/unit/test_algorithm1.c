/* Algorithm 1 on the sparse problem against the dense reference, step by step; against the vectors
 * that the counts were generated from; and its guarantees about threads, files and saved states. */
#include "base/context.h"
#include "solve/algorithm1.h"
#include "solve/sum_matrix.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

/* A core that is ready to train, and its results. */
typedef struct run {
    psdvec_context *ctx;
    psdvec_counts *counts;
    pv_link *link;
    pv_pairs *pairs;
    pv_core *core;
    pv_course course;
} run;

static run run_open(psdvec_context *ctx, const problem *p, const psdvec_train_options *o,
                    bool spill)
{
    run r = {.ctx = ctx};
    well(ctx, psdvec_counts_open(ctx, p->path, &r.counts));
    well(ctx, pv_link_open(ctx, r.counts, o, NULL, &r.link));
    well(ctx,
         pv_pairs_make(r.link, NULL, p->folder, spill ? 0 : UINT64_MAX, o->start != 0, &r.pairs));
    well(ctx, pv_core_open(r.link, r.pairs, pv_rank_most(o, r.link->core), &r.core));
    r.course.iterations = calloc(o->iterations, sizeof *r.course.iterations);
    r.course.values = calloc(r.core->stride, sizeof *r.course.values);
    assert_true(r.course.iterations && r.course.values);
    return r;
}

static void run_close(run *r)
{
    free(r->course.iterations);
    free(r->course.values);
    pv_core_close(r->core);
    pv_pairs_free(r->pairs);
    pv_link_close(r->link);
    psdvec_counts_close(r->counts);
}

static run solve(const problem *p, const psdvec_train_options *o)
{
    run r = run_open(p->ctx, p, o, false);
    well(p->ctx, pv_algorithm1(r.core, &r.course, NULL, NULL));
    return r;
}

/* V in the layout of the reference: n x rank. */
static double *vectors_of(const run *r)
{
    const pv_core *c = r->core;
    double *V = calloc(c->n * c->rank + 1, sizeof *V);
    assert_non_null(V);
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->rank; k++)
            V[i * c->rank + k] = c->U[i * c->stride + k] / c->root[i];
    return V;
}

static double *signs_of(const run *r)
{
    double *sign = calloc(r->core->stride + 1, sizeof *sign);
    assert_non_null(sign);
    for (size_t k = 0; k < r->core->rank; k++)
        sign[k] = r->core->sign[k];
    return sign;
}

/* Compares all products and every iteration with the reference. Returns the number of rejected
 * steps. */
static size_t compare(const problem *p, const psdvec_train_options *o, double tolerance)
{
    dense_link l = dense_link_make(&p->dense, o);
    dense_model m = dense_train(&l, o);
    run r = solve(p, o);
    double *V = vectors_of(&r), *sign = signs_of(&r);
    size_t taken_back = 0;
    char what[100];
    snprintf(what, sizeof what, "weights %d, target %d, form %d, start %g, mu %g, omega %g",
             o->weights, o->target, o->form, o->start, o->core_mu, o->relaxation);
    assert_int_equal(r.course.done, m.iteration_count);
    for (size_t t = 0; t < m.iteration_count; t++) {
        const psdvec_iteration *ours = &r.course.iterations[t];
        const dense_iteration *theirs = &m.iterations[t];
        assert_int_equal(ours->iteration, t + 1);
        if (!(fabs(ours->objective / theirs->objective - 1) < 1e-4) || ours->rank != theirs->rank ||
            ours->positive != theirs->positive || ours->relaxation != theirs->relaxation)
            fail_msg("%s: iteration %zu has objective %.9g, rank %u (%u), length %g, the reference "
                     "%.9g, %u (%u), %g",
                     what, t + 1, ours->objective, ours->rank, ours->positive, ours->relaxation,
                     theirs->objective, theirs->rank, theirs->positive, theirs->relaxation);
        assert_close(ours->smallest, theirs->smallest, tolerance);
        taken_back += ours->relaxation != o->relaxation;
    }
    assert_int_equal(r.core->rank, m.rank);
    for (size_t k = 0; k < m.rank; k++) {
        assert_close(r.course.values[k], m.eigenvalue[k], tolerance);
        assert_true(k == 0 || fabs(m.eigenvalue[k]) < fabs(m.eigenvalue[k - 1]) * (1 + 1e-6));
    }
    double off = product_difference(l.core, r.core->rank, V, sign, m.rank, m.V, m.sign);
    if (!(off <= tolerance))
        fail_msg("%s: the products differ by %g", what, off);
    assert_close(dense_objective(&l, r.core->rank, V, sign) /
                     r.course.iterations[r.course.done - 1].objective,
                 1, 1e-5);
    free(V);
    free(sign);
    run_close(&r);
    dense_model_free(&m);
    dense_link_free(&l);
    return taken_back;
}

static problem *random_problem(uint64_t seed, size_t words, double pairs)
{
    dice d = {seed};
    return problem_new(random_counts(&d, words, pairs), 1, 2);
}

/* All combinations of weights and targets, in both forms. */
enum { SETTINGS = 16 };

static psdvec_train_options setting(size_t s, uint32_t dim, uint32_t iterations)
{
    psdvec_train_options o = paper_options(dim, iterations);
    switch (s / 2) {
    case 0:
        break;
    case 1:
        o.start = 0;
        break;
    case 2:
        o.weights = PSDVEC_WEIGHTS_SMOOTHED;
        break;
    case 3:
        o.weights = PSDVEC_WEIGHTS_SMOOTHED;
        o.start = 0;
        o.cut = 0.5;
        o.kappa = 0.3; /* unseen pairs reach weight 1 */
        break;
    case 4:
        o.weights = PSDVEC_WEIGHTS_GLOVE;
        break;
    case 5:
        o = factored_options(dim, iterations);
        break;
    case 6:
        o = factored_options(dim, iterations);
        o.target = PSDVEC_TARGET_SMOOTHED;
        o.start = 0.5;
        o.rho_pairs = 0;
        break;
    default:
        o = factored_options(dim, iterations);
        o.weights = PSDVEC_WEIGHTS_GLOVE;
        o.rho = 0;
    }
    o.form = s % 2 ? PSDVEC_FORM_PSD : PSDVEC_FORM_SYMMETRIC;
    return o;
}

/* ---- Against the reference ------------------------------------------------------------------- */

static void one_step_is_that_of_the_reference(void **state)
{
    (void)state;
    problem *p = random_problem(1, 70, 8000);
    for (size_t s = 0; s < SETTINGS; s++) {
        psdvec_train_options o = setting(s, 8, 1);
        compare(p, &o, 2e-4);
        o.core = 50;
        o.start /= 2;
        compare(p, &o, 2e-4);
    }
    problem_free(p);
}

static void several_steps_are_those_of_the_reference(void **state)
{
    (void)state;
    problem *p = random_problem(2, 60, 1500); /* some words have no pair */
    for (size_t s = 0; s < SETTINGS; s++) {
        psdvec_train_options o = setting(s, 6, 5);
        compare(p, &o, 1e-3);
    }
    problem_free(p);
}

static void several_steps_agree_with_subsampling_and_distance_weights(void **state)
{
    (void)state;
    problem *p = problem_of_text(3, 100, 5000, true, 2);
    for (size_t s = 0; s < SETTINGS; s++) {
        psdvec_train_options o = setting(s, 6, 3);
        o.core = 70;
        compare(p, &o, 1e-3);
    }
    problem_free(p);
}

static void refined_steps_are_those_of_the_reference(void **state)
{
    (void)state;
    problem *p = random_problem(16, 60, 6000);
    for (size_t s = 0; s < SETTINGS; s++) {
        psdvec_train_options o = setting(s, 6, 4);
        o.exact_iterations = 1 + s % 3;
        compare(p, &o, 1e-3);
        o.relaxation = 1.6;
        compare(p, &o, 1e-3);
        o.relaxation = 1;
        o.rho = 0;        /* as in ranks_shrink_as_the_schedule_says */
        o.rank_extra = 2; /* the last of the old vectors are dropped */
        compare(p, &o, 1e-3);
        o = setting(s, 6, 5); /* the last iteration is exact, some before it are not */
        o.exact_iterations = 1;
        o.relaxation = 0.5;
        compare(p, &o, 1e-3);
    }
    problem_free(p);
}

/* Here the eigenvalues are computed by Lanczos iteration. */
static void several_steps_agree_with_an_implicit_matrix(void **state)
{
    (void)state;
    problem *p = random_problem(4, 560, 60000);
    for (size_t s = 0; s < SETTINGS; s += 5) {
        psdvec_train_options o = setting(s, 10, 2);
        o.eigen_tolerance = 1e-5;
        compare(p, &o, 2e-2);
        o.exact_iterations = 1;
        compare(p, &o, 2e-2);
    }
    assert_true(p->counts->info.words > 512);
    problem_free(p);
}

/* Relative Frobenius distance of the products from those of the reference. */
static double distance_of(const problem *p, const psdvec_train_options *o)
{
    dense_link l = dense_link_make(&p->dense, o);
    dense_model m = dense_train(&l, o);
    run r = solve(p, o);
    double *V = vectors_of(&r), *sign = signs_of(&r);
    double *ours = dense_products(l.core, r.core->rank, V, sign);
    double *theirs = dense_products(l.core, m.rank, m.V, m.sign), off = 0, all = 0;
    for (size_t k = 0; k < l.core * l.core; k++) {
        off += (ours[k] - theirs[k]) * (ours[k] - theirs[k]);
        all += theirs[k] * theirs[k];
    }
    free(ours);
    free(theirs);
    free(V);
    free(sign);
    run_close(&r);
    dense_model_free(&m);
    dense_link_free(&l);
    return sqrt(off / all);
}

/* The tolerance and number of iterations of the presets. */
static void presets_are_near_the_dense_solution(void **state)
{
    (void)state;
    problem *p = random_problem(14, 700, 90000);
    for (int preset = PSDVEC_PRESET_DEFAULT; preset <= PSDVEC_PRESET_PAPER; preset++) {
        psdvec_train_options o;
        psdvec_train_options_preset(&o, (psdvec_preset)preset, NULL);
        o.dim = 40;
        assert_below(distance_of(p, &o), 0.01);
    }
    assert_true(p->counts->info.words > 600);
    problem_free(p);
}

static void ranks_shrink_as_the_schedule_says(void **state)
{
    (void)state;
    problem *p = random_problem(5, 40, 6000);
    for (size_t s = 0; s < SETTINGS; s += 3) {
        psdvec_train_options o = setting(s, 5, 4);
        o.rho = 0; /* with a background, a step of length 1 might be rejected */
        o.rank_extra = 3;
        compare(p, &o, 1e-3);
        o.rank_extra = 30; /* more than there are words */
        compare(p, &o, 1e-3);
    }
    psdvec_train_options o = paper_options(5, 4);
    o.rank_extra = 3;
    for (uint32_t t = 1; t <= 4; t++)
        assert_int_equal(pv_rank_at(&o, 40, t), 5 + 3 * (4 - t));
    assert_int_equal(pv_rank_at(&o, 12, 1), 12);
    assert_int_equal(pv_rank_most(&o, 40), 14);
    problem_free(p);
}

static void fewer_positive_eigenvalues_are_kept_with_a_warning(void **state)
{
    (void)state;
    problem *p = random_problem(6, 24, 3000);
    psdvec_train_options o = paper_options(24, 3);
    compare(p, &o, 1e-3);
    run r = solve(p, &o);
    assert_true(r.core->rank > 0 && r.core->rank < 24);
    assert_contains(p->messages, "largest eigenvalues are positive");
    for (size_t k = r.core->rank; k < r.core->stride; k++)
        assert_true(r.core->sign[k] == 0 && r.core->U[k] == 0);
    run_close(&r);
    problem_free(p);
}

static void long_steps_are_rejected_where_the_reference_rejects_them(void **state)
{
    (void)state;
    size_t taken_back = 0, shorter_than_one = 0;
    for (uint64_t seed = 1000; seed < 1018; seed++) {
        problem *p = random_problem(seed, 30, seed % 2 ? 6000 : 20000);
        psdvec_train_options o = setting(seed % SETTINGS, 5, 12);
        o.cut = 0.1;
        o.relaxation = 1.75;
        taken_back += compare(p, &o, 5e-3);
        o = factored_options(4, 12);
        o.rho = 0.9; /* even a step of length 1 may be too long */
        o.form = PSDVEC_FORM_PSD;
        shorter_than_one += compare(p, &o, 5e-3);
        problem_free(p);
    }
    assert_true(taken_back > 0 && shorter_than_one > 0);
}

static void priors_are_those_of_the_reference(void **state)
{
    (void)state;
    problem *p = random_problem(7, 60, 8000);
    for (size_t s = 1; s < SETTINGS; s += 2) { /* psd */
        psdvec_train_options o = setting(s, 6, 4);
        o.core_mu = 1.5;
        o.mu_power = s % 4 == 1 ? 0.7 : 0;
        compare(p, &o, 1e-3);
        o.relaxation = 1.3;
        compare(p, &o, 1e-3);
    }
    problem_free(p);
}

static void it_stops_where_the_reference_stops(void **state)
{
    (void)state;
    problem *p = random_problem(8, 30, 6000);
    psdvec_train_options o = paper_options(4, 200);
    o.cut = 0.2;
    o.tolerance = 0.01;
    compare(p, &o, 1e-2);
    run r = solve(p, &o);
    assert_true(r.course.finished && r.course.done > 2 && r.course.done < 100);
    run_close(&r);
    problem_free(p);
}

static void portable_kernels_agree_up_to_rounding(void **state)
{
    (void)state;
    problem *p = random_problem(9, 80, 8000);
    psdvec_train_options o = setting(10, 9, 3);
    run fast = solve(p, &o), plain = run_open(p->ctx, p, &o, false);
    plain.core->kernels = &pv_kernels_plain;
    well(p->ctx, pv_algorithm1(plain.core, &plain.course, NULL, NULL));
    double *A = vectors_of(&fast), *B = vectors_of(&plain), *s = signs_of(&fast);
    double *t = signs_of(&plain);
    assert_below(product_difference(80, fast.core->rank, A, s, plain.core->rank, B, t), 1e-3);
    free(A);
    free(B);
    free(s);
    free(t);
    run_close(&fast);
    run_close(&plain);
    problem_free(p);
}

/* ---- Properties of any solution -------------------------------------------------------------- */

typedef struct watch {
    const dense_link *link;
    double kept; /* of the previous iteration */
    size_t seen;
} watch;

/* Applies the matrix of the next step to unit vectors: it is W o G + (1 - W) o X, and its trace is
 * the sum of the eigenvalues just kept. */
static psdvec_status look_at_the_matrix(void *user, const pv_core *core, const pv_course *course)
{
    watch *w = user;
    const dense_link *l = w->link;
    size_t n = core->n;
    pv_sum_matrix sum = {.ctx = core->ctx,
                         .kernels = core->kernels,
                         .pairs = core->pairs,
                         .sparse_factor = 1,
                         .diagonal = core->diagonal};
    pv_sum_matrix_add(&sum, (pv_low_rank){core->U, core->stride, core->rank, core->sign, NULL});
    pv_operator matrix = pv_sum_matrix_operator(&sum);
    float *unit = calloc(n * n, sizeof *unit), *A = calloc(n * n, sizeof *A);
    double *V = calloc(n * core->rank + 1, sizeof *V), *sign = calloc(core->stride, sizeof *sign);
    assert_true(unit && A && V && sign);
    for (size_t i = 0; i < n; i++) {
        unit[i * n + i] = 1;
        for (size_t k = 0; k < core->rank; k++) {
            V[i * core->rank + k] = core->U[i * core->stride + k];
            sign[k] = core->sign[k];
        }
    }
    double *X = dense_products(n, core->rank, V, sign), trace = 0, kept = 0;
    assert_int_equal(matrix.apply(matrix.self, unit, A, n), PSDVEC_OK);
    for (size_t i = 0; i < n; i++) {
        trace += A[i * n + i];
        for (size_t j = 0; j < n; j++) {
            size_t ij = i * l->words + j, ji = j * l->words + i;
            double S = (l->f[ij] + l->f[ji]) / 2, x = X[i * n + j];
            double expected = (l->f[ij] * l->G[ij] + l->f[ji] * l->G[ji]) / 2 + (1 - S) * x;
            assert_close(A[i * n + j], expected, 1e-4);
        }
    }
    for (size_t k = 0; k < core->rank; k++)
        kept += course->values[k];
    assert_close(trace, kept, 1e-4 * fabs(kept));
    pv_sum_matrix_close(&sum);
    w->seen++;
    free(X);
    free(V);
    free(sign);
    free(unit);
    free(A);
    return PSDVEC_OK;
}

static void the_matrix_of_a_step_has_the_trace_that_was_kept(void **state)
{
    (void)state;
    problem *p = random_problem(10, 50, 6000);
    for (int form = PSDVEC_FORM_SYMMETRIC; form <= PSDVEC_FORM_PSD; form++) {
        psdvec_train_options o = paper_options(7, 4);
        o.form = (psdvec_form)form;
        dense_link l = dense_link_make(&p->dense, &o);
        run r = run_open(p->ctx, p, &o, false);
        watch w = {.link = &l};
        well(p->ctx, pv_algorithm1(r.core, &r.course, look_at_the_matrix, &w));
        assert_int_equal(w.seen, 4);
        run_close(&r);
        dense_link_free(&l);
    }
    problem_free(p);
}

static void the_objective_never_rises(void **state)
{
    (void)state;
    for (size_t trial = 0; trial < 2 * SETTINGS; trial++) {
        problem *p = random_problem(200 + trial, 40, 8000);
        psdvec_train_options o = setting(trial % SETTINGS, 5, 20);
        o.relaxation = trial < SETTINGS ? 1 : 1.75;
        if (o.form == PSDVEC_FORM_PSD)
            o.core_mu = 0.3;
        run r = solve(p, &o);
        assert_int_equal(r.course.done, 20);
        double before = INFINITY;
        for (size_t t = 0; t < 20; t++) {
            assert_true(r.course.iterations[t].objective <= before * (1 + 2e-6));
            before = r.course.iterations[t].objective;
        }
        assert_true(before < r.course.iterations[0].objective * 0.999);
        run_close(&r);
        problem_free(p);
    }
}

/* ---- Known answers --------------------------------------------------------------------------- */

enum { KNOWN = 40, KNOWN_DIM = 3 };

static void known_vectors(dice *d, double *V)
{
    for (size_t i = 0; i < KNOWN * KNOWN_DIM; i++)
        V[i] = fmax(-1, fmin(1, 0.6 * dice_normal(d)));
}

static void vectors_are_recovered_from_their_counts(void **state)
{
    (void)state;
    dice d = {11};
    double V[KNOWN * KNOWN_DIM], sign[KNOWN_DIM] = {1, 1, 1};
    known_vectors(&d, V);
    for (int trial = 0; trial < 8; trial++) {
        psdvec_train_options o = trial % 4 == 3 ? factored_options(KNOWN_DIM, 200)
                                                : paper_options(KNOWN_DIM, 200);
        o.core = KNOWN;
        o.form = trial / 4 ? PSDVEC_FORM_PSD : PSDVEC_FORM_SYMMETRIC;
        o.context_power = 1;
        o.rho = 0; /* a background would change the products */
        o.cut = 0.5;
        o.relaxation = 1.8;
        if (trial % 4 == 1)
            o.weights = PSDVEC_WEIGHTS_SMOOTHED;
        if (trial % 4 == 2)
            o.weights = PSDVEC_WEIGHTS_GLOVE;
        double kappa = o.target == PSDVEC_TARGET_SMOOTHED ? o.kappa : 0;
        problem *p = problem_new(exact_counts(KNOWN, KNOWN_DIM, V, kappa, 1e10), 1, 2);
        run r = solve(p, &o);
        double *found = vectors_of(&r), *J = signs_of(&r);
        double off = product_difference(KNOWN, KNOWN_DIM, V, sign, r.core->rank, found, J);
        if (!(off < 1e-3))
            fail_msg("trial %d: off by %g", trial, off);
        free(found);
        free(J);
        run_close(&r);
        problem_free(p);
    }
}

static void more_text_recovers_more(void **state)
{
    (void)state;
    dice d = {12};
    double V[KNOWN * KNOWN_DIM], sign[KNOWN_DIM] = {1, 1, 1}, before = INFINITY;
    known_vectors(&d, V);
    double *X = dense_products(KNOWN, KNOWN_DIM, V, sign);
    for (double pairs = 3e4; pairs < 1e8; pairs *= 10) {
        dense_counts exact = exact_counts(KNOWN, KNOWN_DIM, V, 0.02, pairs);
        problem *p = problem_new(sampled_counts(&d, &exact), 1, 2);
        psdvec_train_options o = paper_options(KNOWN_DIM, 60);
        o.core = KNOWN;
        o.cut = 0.5;
        o.relaxation = 1.8;
        run r = solve(p, &o);
        double *found = vectors_of(&r), *J = signs_of(&r);
        double error = product_error(KNOWN, r.core->rank, found, J, X);
        assert_below(error, before / 1.5);
        before = error;
        free(found);
        free(J);
        run_close(&r);
        problem_free(p);
        dense_counts_free(&exact);
    }
    assert_below(before, 0.03);
    free(X);
}

/* Appendix A of the paper: counts whose targets are M(2), including the diagonal. From X(0) = G the
 * first step computes the eigenvalues of M(2). */
static void appendix_a_signs_mark_words_that_avoid_each_other(void **state)
{
    (void)state;
    static const double M2[9] = {0.2, -1.6, 0, -1.6, -2.2, 0, 0, 0, 2};
    const double u = 0.08, pairs = 1e10, kappa = 0.02;
    dense_counts c = dense_counts_new(4);
    double rest = pairs * (1 - 3 * u);
    for (size_t i = 0; i < 3; i++) {
        double left = pairs * u;
        for (size_t j = 0; j < 3; j++) {
            c.x[i * 4 + j] = pairs * u * u * (exp(M2[i * 3 + j]) - kappa) / (1 - kappa);
            left -= c.x[i * 4 + j];
        }
        c.x[i * 4 + 3] = c.x[3 * 4 + i] = left;
        rest -= left;
    }
    c.x[15] = rest;
    for (size_t i = 0; i < 4; i++)
        c.frequency[i] = 100;
    problem *p = problem_new(c, 1, 1);
    psdvec_train_options o = paper_options(2, 1);
    o.core = 3;
    o.start = 1;
    run r = solve(p, &o);
    double *V = vectors_of(&r), *J = signs_of(&r);
    assert_int_equal(r.core->rank, 2);
    assert_close(r.course.values[0], 2, 1e-5);
    assert_close(r.course.values[1], 1, 1e-5);
    assert_close(fabs(V[0 * 2 + 1]), 0.89, 0.005); /* as printed in the paper */
    assert_close(fabs(V[1 * 2 + 1]), 0.45, 0.005);
    assert_close(fabs(V[2 * 2 + 0]), 1.41, 0.005);
    assert_close(V[0] * V[2] + V[1] * V[3], -0.4, 1e-4);
    free(V);
    free(J);
    run_close(&r);
    o.form = PSDVEC_FORM_SYMMETRIC;
    r = solve(p, &o);
    V = vectors_of(&r);
    J = signs_of(&r);
    assert_close(r.course.values[0], -3, 1e-5);
    assert_close(r.course.values[1], 2, 1e-5);
    assert_close(V[0] * J[0] * V[2] + V[1] * J[1] * V[3], -1.2, 1e-4);
    double plain = V[0] * V[2] + V[1] * V[3];
    double one = V[0] * V[0] + V[1] * V[1], two = V[2] * V[2] + V[3] * V[3];
    assert_close(plain / sqrt(one * two), 1, 1e-4); /* the cosine does not distinguish them */
    free(V);
    free(J);
    run_close(&r);
    problem_free(p);
}

/* ---- Threads, files, states, failures -------------------------------------------------------- */

static void the_bits_are_the_same_for_any_threads_and_from_a_file(void **state)
{
    (void)state;
    problem *p = random_problem(13, 600, 50000);
    for (size_t s = 2; s < SETTINGS; s += 3) {
        psdvec_train_options o = setting(s, 12, 2);
        o.eigen_tolerance = 1e-3;
        o.exact_iterations = s % 2;
        o.core = 570; /* Lanczos */
        run first = solve(p, &o);
        for (int threads = 1; threads <= 4; threads *= 2) {
            psdvec_context *ctx = context_of(threads);
            run r = run_open(ctx, p, &o, threads == 2);
            assert_true(r.pairs->matrix.value_memory.mapped == (threads == 2));
            well(ctx, pv_algorithm1(r.core, &r.course, NULL, NULL));
            assert_memory_equal(r.core->U, first.core->U,
                                r.core->n * r.core->stride * sizeof(float));
            assert_memory_equal(r.course.values, first.course.values,
                                r.core->stride * sizeof(float));
            assert_memory_equal(r.course.iterations, first.course.iterations,
                                2 * sizeof *r.course.iterations);
            run_close(&r);
            assert_int_equal(atomic_load(&ctx->memory_used), 0);
            psdvec_context_free(ctx);
        }
        run_close(&first);
    }
    problem_free(p);
}

static psdvec_status stop_after_two(void *user, const pv_core *core, const pv_course *course)
{
    (void)user;
    return course->done == 2 ? pv_fail(core->ctx, PSDVEC_ERR_CANCELLED, "enough") : PSDVEC_OK;
}

/* Replaces aligned_alloc, with which the library allocates all blocks of up to some megabytes. The
 * request number `refused` fails. */
static _Atomic size_t asked, refused;

void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = NULL;
    if (++asked == refused)
        return NULL;
    return posix_memalign(&block, alignment, size) == 0 ? block : NULL;
}

static psdvec_status note_requests(void *user, const pv_core *core, const pv_course *course)
{
    (void)core;
    if (course->done == 1)
        *(size_t *)user = asked;
    return PSDVEC_OK;
}

static void failed_allocations_never_change_the_bits(void **state)
{
    (void)state;
    problem *p = random_problem(5, 600, 20000);
    psdvec_train_options o = paper_options(30, 2);
    o.eigen_tolerance = 0.01;
    psdvec_context *ctx = context_of(1);
    run whole = run_open(ctx, p, &o, false);
    size_t first = 0; /* requests of the first iteration */
    asked = refused = 0;
    well(ctx, pv_algorithm1(whole.core, &whole.course, note_requests, &first));
    assert_true(first > 30 && asked > first + 30);
    for (size_t k = 1; k < first + 15; k = k == 15 ? first - 5 : k + 1) {
        run r = run_open(ctx, p, &o, false);
        asked = 0;
        refused = k;
        psdvec_status status = pv_algorithm1(r.core, &r.course, NULL, NULL);
        refused = 0;
        if (status == PSDVEC_OK)
            assert_memory_equal(r.core->U, whole.core->U,
                                whole.core->n * whole.core->stride * sizeof *whole.core->U);
        else
            assert_int_equal(status, PSDVEC_ERR_MEMORY);
        pv_begin(ctx);
        run_close(&r);
    }
    run_close(&whole);
    psdvec_context_free(ctx);
    problem_free(p);
}

static void a_resumed_run_gives_the_same_bits(void **state)
{
    (void)state;
    problem *p = random_problem(14, 60, 8000);
    for (size_t s = 0; s < SETTINGS; s++) {
        psdvec_train_options o = setting(s, 6, 5);
        o.rank_extra = 1;
        o.relaxation = 1.4;
        run whole = solve(p, &o), half = run_open(p->ctx, p, &o, false);
        pv_begin(p->ctx);
        assert_int_equal(pv_algorithm1(half.core, &half.course, stop_after_two, NULL),
                         PSDVEC_ERR_CANCELLED);
        pv_begin(p->ctx);
        run rest = run_open(p->ctx, p, &o, false);
        size_t stride = rest.core->stride;
        memcpy(rest.core->U, half.core->U, 60 * stride * sizeof(float));
        memcpy(rest.core->sign, half.core->sign, stride * sizeof(float));
        memcpy(rest.course.values, half.course.values, stride * sizeof(float));
        memcpy(rest.course.iterations, half.course.iterations, 2 * sizeof(psdvec_iteration));
        rest.core->rank = half.core->rank;
        rest.course.done = 2;
        well(p->ctx, pv_algorithm1(rest.core, &rest.course, NULL, NULL));
        assert_int_equal(rest.course.done, 5);
        assert_memory_equal(rest.core->U, whole.core->U, 60 * stride * sizeof(float));
        assert_memory_equal(rest.course.iterations, whole.course.iterations,
                            5 * sizeof(psdvec_iteration));
        run_close(&whole);
        run_close(&half);
        run_close(&rest);
    }
    problem_free(p);
}

static void a_number_that_is_not_finite_is_reported_with_its_word(void **state)
{
    (void)state;
    problem *p = random_problem(15, 50, 8000);
    for (size_t s = 0; s < SETTINGS; s += 5) {
        psdvec_train_options o = setting(s, 4, 2);
        run r = solve(p, &o);
        double objective;
        r.core->U[49 * r.core->stride + 1] = s % 2 ? NAN : INFINITY;
        pv_begin(p->ctx);
        assert_int_equal(pv_core_residual(r.core, &objective), PSDVEC_ERR_NUMERIC);
        assert_contains(psdvec_error_message(p->ctx), "\"w");
        /* The same for a resumed run. */
        r.course.done = 1;
        pv_begin(p->ctx);
        assert_int_equal(pv_algorithm1(r.core, &r.course, NULL, NULL), PSDVEC_ERR_NUMERIC);
        pv_begin(p->ctx);
        run_close(&r);
    }
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_is_that_of_the_reference),
        cmocka_unit_test(several_steps_are_those_of_the_reference),
        cmocka_unit_test(several_steps_agree_with_subsampling_and_distance_weights),
        cmocka_unit_test(several_steps_agree_with_an_implicit_matrix),
        cmocka_unit_test(refined_steps_are_those_of_the_reference),
        cmocka_unit_test(presets_are_near_the_dense_solution),
        cmocka_unit_test(ranks_shrink_as_the_schedule_says),
        cmocka_unit_test(fewer_positive_eigenvalues_are_kept_with_a_warning),
        cmocka_unit_test(long_steps_are_rejected_where_the_reference_rejects_them),
        cmocka_unit_test(priors_are_those_of_the_reference),
        cmocka_unit_test(it_stops_where_the_reference_stops),
        cmocka_unit_test(portable_kernels_agree_up_to_rounding),
        cmocka_unit_test(the_matrix_of_a_step_has_the_trace_that_was_kept),
        cmocka_unit_test(the_objective_never_rises),
        cmocka_unit_test(vectors_are_recovered_from_their_counts),
        cmocka_unit_test(more_text_recovers_more),
        cmocka_unit_test(appendix_a_signs_mark_words_that_avoid_each_other),
        cmocka_unit_test(the_bits_are_the_same_for_any_threads_and_from_a_file),
        cmocka_unit_test(a_resumed_run_gives_the_same_bits),
        cmocka_unit_test(failed_allocations_never_change_the_bits),
        cmocka_unit_test(a_number_that_is_not_finite_is_reported_with_its_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
