/* The link function against the dense reference: margins, the cut-off, and for every pair of core
 * words its weight, target and contribution to the objective. */
#include "base/context.h"
#include "link/pairs.h"
#include "link/weights.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

static problem *random_problem(uint64_t seed, size_t words, double pairs, int threads)
{
    dice d = {seed};
    return problem_new(random_counts(&d, words, pairs), 1, threads);
}

/* The index of pair (i, j) in row i; UINT64_MAX: not there. */
static uint64_t place_of(const pv_pairs *pairs, uint32_t i, uint32_t j)
{
    for (uint64_t k = pairs->matrix.begin[i]; k < pairs->matrix.begin[i + 1]; k++)
        if (pairs->matrix.column[k] == j)
            return k;
    return UINT64_MAX;
}

static uint64_t upper_place(const pv_pairs *pairs, uint32_t i, uint64_t k)
{
    return pairs->upper[i] + (k - pairs->middle[i]);
}

static void pattern_is_symmetric(const pv_pairs *pairs)
{
    assert_int_equal(pairs->matrix.begin[0], 0);
    assert_int_equal(pairs->upper[pairs->matrix.rows], pairs->count);
    assert_int_equal(pairs->matrix.begin[pairs->matrix.rows], 2 * pairs->count);
    for (uint32_t i = 0; i < pairs->matrix.rows; i++) {
        assert_int_equal(pairs->upper[i + 1] - pairs->upper[i],
                         pairs->matrix.begin[i + 1] - pairs->middle[i]);
        for (uint64_t k = pairs->matrix.begin[i]; k < pairs->matrix.begin[i + 1]; k++) {
            assert_true(pairs->matrix.column[k] < pairs->matrix.rows);
            assert_true(k < pairs->middle[i] ? pairs->matrix.column[k] < i
                                             : pairs->matrix.column[k] > i);
            assert_true(k == pairs->matrix.begin[i] ||
                        pairs->matrix.column[k] > pairs->matrix.column[k - 1]);
            assert_true(place_of(pairs, pairs->matrix.column[k], i) != UINT64_MAX);
        }
    }
}

/* The numbers of pairs of the first words, before and after the pairs are built. */
static void pairs_are_counted(const pv_link *link, const pv_pairs *pairs)
{
    uint32_t n = pairs->matrix.rows;
    uint64_t *among = calloc(n + 1, sizeof *among), *expected = calloc(n + 1, sizeof *expected);
    assert_true(among && expected);
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t k = pairs->middle[i]; k < pairs->matrix.begin[i + 1]; k++)
            for (uint32_t words = pairs->matrix.column[k] + 1; words <= n; words++)
                expected[words]++;
    assert_int_equal(expected[n], pairs->count);
    well(link->ctx, pv_pairs_count(link, among));
    assert_memory_equal(among, expected, (n + 1) * sizeof *among);
    memset(among, 0, (n + 1) * sizeof *among);
    pv_pairs_among(pairs, among);
    assert_memory_equal(among, expected, (n + 1) * sizeof *among);
    free(among);
    free(expected);
}

/* Compares the library's weights and targets with the reference: for any products x, the total cost
 * of the pairs of a row is equal, and so is the derivative of each pair. Returns the number of
 * unseen pairs that are listed. */
static size_t compare_pairs(problem *p, const psdvec_train_options *o)
{
    dense_link l = dense_link_make(&p->dense, o);
    size_t n = l.core, listed_unseen = 0;
    bool smoothed = o->weights == PSDVEC_WEIGHTS_SMOOTHED;
    pv_link *link = NULL;
    pv_pairs *pairs = NULL;
    dice d = {99};
    well(p->ctx, pv_link_open(p->ctx, p->counts, o, NULL, &link));
    well(p->ctx, pv_pairs_make(link, NULL, p->folder, UINT64_MAX, true, &pairs));
    assert_int_equal(pairs->matrix.rows, n);
    pairs_are_counted(link, pairs);
    pattern_is_symmetric(pairs);
    for (uint32_t i = 0; i < n; i++) {
        double row = 0, expected = 0, size = 1e-6;
        assert_true(l.m[i] == 0 || fabs(pv_link_majoriser(link, i) / l.m[i] - 1) < 1e-9);
        for (uint32_t j = i + 1; j < n; j++) {
            size_t ij = i * l.words + j, ji = j * l.words + i;
            /* The background of all pairs; with FACTORED it is added to the weight. */
            double b = smoothed ? sqrt(o->kappa * l.u[i] * l.u[j]) / l.cut : l.b[ij];
            assert_close(pv_link_background(link, i, j), b, 1e-6 * b);
            if (!smoothed)
                b = 0;
            double x = dice_normal(&d), w = 0, g = 0;
            uint64_t k = place_of(pairs, i, j);
            if (k != UINT64_MAX) {
                w = pairs->weight[upper_place(pairs, i, k)];
                g = pairs->target[upper_place(pairs, i, k)];
                listed_unseen += !l.seen[ij];
                if (o->target == PSDVEC_TARGET_SMOOTHED)
                    assert_close(pairs->matrix.value[k], (l.G[ij] + l.G[ji]) / 2, 2e-6);
            } else {
                assert_false(l.seen[ij]);
            }
            double slope = 2 * w * (g - x) + 2 * b * (log(o->kappa) - x);
            double right = l.f[ij] * (l.G[ij] - x) + l.f[ji] * (l.G[ji] - x);
            assert_close(slope, right, 2e-6 * (1 + fabs(w * g) + b));
            row += 2 * w * (g - x) * (g - x) + 2 * b * (log(o->kappa) - x) * (log(o->kappa) - x);
            size += fabs(w) * g * g + b + fabs(w);
            expected += l.f[ij] * (l.G[ij] - x) * (l.G[ij] - x) +
                        l.f[ji] * (l.G[ji] - x) * (l.G[ji] - x);
            assert_true((l.f[ij] + l.f[ji]) / 2 + l.b[ij] <=
                        (1 + o->rho) * l.m[i] * l.m[j] * (1 + 1e-12));
        }
        assert_close(row + pairs->constant[i], expected, 1e-5 * size);
    }
    pv_pairs_free(pairs);
    pv_link_close(link);
    dense_link_free(&l);
    return listed_unseen;
}

/* ---- Margins and constants ------------------------------------------------------------------- */

static void margins_are_those_of_the_whole_file(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        problem *p = kind == 0 ? random_problem(1, 70, 5000, 2)
                               : problem_of_text(1, 300, 20000, kind == 2, 2);
        if (kind > 0)
            assert_true(p->counts->info.scale > 1);
        assert_int_equal(p->counts->retention != NULL, kind == 2);
        psdvec_train_options o = paper_options(4, 1);
        o.core = 20;
        dense_link l = dense_link_make(&p->dense, &o);
        pv_link *link;
        well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
        assert_int_equal(link->words, p->dense.words);
        assert_int_equal(link->core, 20);
        assert_close(link->total, l.total, 1e-12 * l.total);
        assert_close(link->margin_total, 2 * l.total, 1e-12 * l.total);
        for (uint32_t i = 0; i < link->words; i++) {
            assert_close(link->context[i], l.X[i], 1e-12 * l.total);
            assert_close(link->focus[i], l.Y[i], 1e-12 * l.total);
            assert_close(link->unigram[i], l.u[i], 1e-12);
        }
        for (uint32_t i = 0; i < 20; i++)
            assert_close(pv_link_diagonal(link, i), l.G[i * l.words + i], 1e-9);
        pv_link_close(link);
        dense_link_free(&l);
        problem_free(p);
    }
}

static void the_cut_off_is_the_one_that_sorting_finds(void **state)
{
    (void)state;
    problem *p = random_problem(2, 90, 9000, 2);
    problem *text = problem_of_text(2, 700, 20000, true, 4);
    static const double cuts[] = {1e-9, 0.0003, 0.002, 0.02, 0.11, 1};
    for (int kind = 0; kind < 2; kind++)
        for (int weights = PSDVEC_WEIGHTS_RAW; weights <= PSDVEC_WEIGHTS_SMOOTHED; weights++)
            for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
                problem *q = kind == 0 ? p : text;
                psdvec_train_options o = paper_options(4, 1);
                o.weights = (psdvec_weights)weights;
                o.cut = cuts[c];
                o.core = c % 2 ? 50 : 0;
                dense_link l = dense_link_make(&q->dense, &o);
                pv_link *link;
                well(q->ctx, pv_link_open(q->ctx, q->counts, &o, NULL, &link));
                assert_close(link->constants.cut / l.cut, 1, 1e-7);
                pv_link_close(link);
                dense_link_free(&l);
            }
    problem_free(p);
    problem_free(text);
}

static void constants_that_are_given_are_used(void **state)
{
    (void)state;
    problem *p = random_problem(3, 40, 4000, 1);
    psdvec_train_options o = paper_options(4, 1);
    pv_link *link;
    well(p->ctx,
         pv_link_open(p->ctx, p->counts, &o, &(pv_link_past){.constants = {.cut = 123}}, &link));
    assert_true(link->constants.cut == 123);
    assert_close(link->weight(link, 0, 1, 123 * 123 / 4.0, 0), 0.5, 1e-12);
    pv_link_close(link);
    o = factored_options(4, 1);
    well(p->ctx, pv_link_open(p->ctx, p->counts, &o,
                              &(pv_link_past){.constants = {.factor_mean = 2}}, &link));
    double r = link->context[3] + link->focus[3];
    assert_close(link->factor[3], pow(r, o.factor_power) / 2, 1e-12 * r);
    pv_link_close(link);
    problem_free(p);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

typedef struct combination {
    psdvec_weights weights;
    psdvec_target target;
    double rho, rho_pairs, power;
} combination;

static const combination combinations[] = {
    {PSDVEC_WEIGHTS_RAW, PSDVEC_TARGET_SMOOTHED, 0, 0, 1},
    {PSDVEC_WEIGHTS_RAW, PSDVEC_TARGET_PMI, 0, 0, 1},
    {PSDVEC_WEIGHTS_SMOOTHED, PSDVEC_TARGET_SMOOTHED, 0, 0, 1},
    {PSDVEC_WEIGHTS_GLOVE, PSDVEC_TARGET_SMOOTHED, 0, 0, 1},
    {PSDVEC_WEIGHTS_GLOVE, PSDVEC_TARGET_PMI, 0, 0, 0.75},
    {PSDVEC_WEIGHTS_FACTORED, PSDVEC_TARGET_SMOOTHED, 0.2, 0, 1},
    {PSDVEC_WEIGHTS_FACTORED, PSDVEC_TARGET_PMI, 0, 0, 0.75},
    {PSDVEC_WEIGHTS_FACTORED, PSDVEC_TARGET_PMI, 0.1, 0, 0.5},
    {PSDVEC_WEIGHTS_FACTORED, PSDVEC_TARGET_PMI, 0.1, 300, 0.5},
};

static psdvec_train_options combined(size_t c)
{
    psdvec_train_options o = paper_options(4, 1);
    o.weights = combinations[c].weights;
    o.target = combinations[c].target;
    o.rho = combinations[c].rho;
    o.rho_pairs = combinations[c].rho_pairs;
    o.context_power = combinations[c].power;
    if (o.target == PSDVEC_TARGET_PMI)
        o.start = 0;
    return o;
}

static void compare_all(problem *p)
{
    for (size_t c = 0; c < sizeof combinations / sizeof *combinations; c++)
        for (uint32_t core = 0; core <= 45; core += 45) {
            psdvec_train_options o = combined(c);
            o.core = core;
            compare_pairs(p, &o);
        }
}

static void every_weight_and_target_is_that_of_the_reference(void **state)
{
    (void)state;
    /* Few pairs, so that some words have none; and many. */
    for (uint64_t seed = 4; seed < 6; seed++) {
        problem *p = random_problem(seed, 80, seed == 4 ? 150 : 20000, 2);
        compare_all(p);
        problem_free(p);
    }
}

static void weights_and_targets_agree_with_distances_and_subsampling(void **state)
{
    (void)state;
    for (int subsample = 0; subsample < 2; subsample++) {
        problem *p = problem_of_text(6, 120, 6000, subsample, 2);
        compare_all(p);
        problem_free(p);
    }
}

static void weights_and_targets_agree_with_64_bit_counts(void **state)
{
    (void)state;
    dice d = {7};
    dense_counts c = random_counts(&d, 60, 6000);
    for (size_t ij = 0; ij < 3600; ij++)
        c.x[ij] *= 1e9;
    problem *p = problem_new(c, 1, 2);
    assert_true(p->counts->info.wide);
    compare_all(p);
    problem_free(p);
}

static void unseen_pairs_whose_weight_is_capped_are_listed(void **state)
{
    (void)state;
    problem *p = random_problem(8, 80, 2500, 2);
    psdvec_train_options o = combined(2);
    o.cut = 1;
    o.kappa = 0.5;
    assert_true(compare_pairs(p, &o) > 10);
    o.core = 30;
    o.kappa = 0.7;
    assert_true(compare_pairs(p, &o) > 3);
    o.kappa = 0.02;
    o.cut = 0.002;
    assert_int_equal(compare_pairs(p, &o), 0);
    problem_free(p);
}

/* A seen pair whose weight equals that of an unseen pair still has its own target. */
static void a_pair_may_have_the_weight_of_the_background(void **state)
{
    (void)state;
    problem *p = random_problem(9, 30, 3000, 1);
    psdvec_train_options o = combined(2);
    o.cut = 1;
    o.kappa = 0.6;
    pv_link *link;
    well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
    double xij = p->dense.x[1], xji = p->dense.x[30];
    assert_true(xij > 0 && xji > 0);
    /* Capped in both directions, and a background near 1. */
    static const double above_one[] = {0, 1e-12, 1e-9, 1e-6, -1e-6, 1e-3};
    for (size_t a = 0; a < sizeof above_one / sizeof *above_one; a++) {
        const double *z = link->background_factor;
        link->background = (1 + above_one[a]) / (z[0] * z[1]);
        link->constants.cut = 1e-6;
        double gij = link->target(link, 0, 1, xij, xij + xji);
        double gji = link->target(link, 1, 0, xji, xij + xji), b = 1 + above_one[a];
        pv_pair pair = pv_link_pair(link, 0, 1, xij, xji);
        for (double x = -3; x < 4; x++) {
            /* In single precision, as in the solver. */
            float weight = (float)pair.weight, target = (float)pair.target;
            double residual = (double)weight * (target - x) + b * (log(o.kappa) - x);
            assert_close(residual, (gij - x + gji - x) / 2, 3e-3);
        }
    }
    pv_link_close(link);
    problem_free(p);
}

static void mirrored_values_are_on_both_sides(void **state)
{
    (void)state;
    problem *p = random_problem(10, 200, 20000, 4);
    psdvec_train_options o = combined(0);
    o.core = 150;
    pv_link *link;
    pv_pairs *pairs;
    well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
    well(p->ctx, pv_pairs_make(link, NULL, p->folder, UINT64_MAX, false, &pairs));
    for (uint32_t i = 0; i < pairs->matrix.rows; i++)
        for (uint64_t k = pairs->middle[i]; k < pairs->matrix.begin[i + 1]; k++)
            pairs->matrix.value[k] = (float)(i * 1000 + pairs->matrix.column[k]);
    well(p->ctx, pv_pairs_mirror(pairs));
    for (uint32_t i = 0; i < pairs->matrix.rows; i++)
        for (uint64_t k = pairs->matrix.begin[i]; k < pairs->matrix.begin[i + 1]; k++) {
            uint32_t j = pairs->matrix.column[k];
            assert_true(pairs->matrix.value[k] == (float)(i < j ? i * 1000 + j : j * 1000 + i));
        }
    pv_pairs_free(pairs);
    pv_link_close(link);
    problem_free(p);
}

static void pairs_are_the_same_bits_for_any_threads_and_in_a_file(void **state)
{
    (void)state;
    problem *p = problem_of_text(11, 600, 30000, true, 1);
    psdvec_train_options o = combined(2);
    o.core = 400;
    o.kappa = 0.3;
    o.cut = 0.1;
    pv_link *link;
    pv_pairs *pairs;
    well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
    well(p->ctx, pv_pairs_make(link, NULL, p->folder, UINT64_MAX, true, &pairs));
    assert_false(pairs->matrix.column_memory.mapped);
    for (int threads = 1; threads <= 4; threads *= 2)
        for (int spill = 0; spill < 2; spill++) {
            psdvec_context *ctx = context_of(threads);
            psdvec_counts *counts;
            pv_link *other;
            pv_pairs *again;
            well(ctx, psdvec_counts_open(ctx, p->path, &counts));
            well(ctx, pv_link_open(ctx, counts, &o, NULL, &other));
            well(ctx, pv_pairs_make(other, NULL, p->folder, spill ? 0 : UINT64_MAX, true, &again));
            assert_true(again->matrix.column_memory.mapped == (spill == 1));
            assert_int_equal(scratch_entries(p->folder), 1); /* the file is unlinked */
            assert_int_equal(again->count, pairs->count);
            uint64_t count = pairs->count;
            assert_memory_equal(again->matrix.begin, pairs->matrix.begin,
                                (pairs->matrix.rows + 1) * sizeof(uint64_t));
            assert_memory_equal(again->matrix.column, pairs->matrix.column,
                                2 * count * sizeof(uint32_t));
            assert_memory_equal(again->matrix.value, pairs->matrix.value,
                                2 * count * sizeof(float));
            assert_memory_equal(again->weight, pairs->weight, count * sizeof(float));
            assert_memory_equal(again->target, pairs->target, count * sizeof(float));
            assert_memory_equal(again->constant, pairs->constant,
                                pairs->matrix.rows * sizeof(double));
            pv_pairs_free(again);
            pv_link_close(other);
            psdvec_counts_close(counts);
            assert_int_equal(atomic_load(&ctx->memory_used), 0);
            psdvec_context_free(ctx);
        }
    pv_pairs_free(pairs);
    pv_link_close(link);
    problem_free(p);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void a_core_without_pairs_fails_with_a_message(void **state)
{
    (void)state;
    dense_counts c = dense_counts_new(4);
    c.x[0] = 5;         /* w0 with itself */
    c.x[0 * 4 + 3] = 2; /* and with a word outside the core */
    for (size_t i = 0; i < 4; i++)
        c.frequency[i] = 9;
    problem *p = problem_new(c, 1, 1);
    for (int weights = PSDVEC_WEIGHTS_FACTORED; pv_weights_choices[weights].name; weights++) {
        psdvec_train_options o = paper_options(1, 1);
        o.weights = (psdvec_weights)weights;
        o.core = 3;
        pv_link *link;
        pv_pairs *pairs = NULL;
        pv_begin(p->ctx);
        psdvec_status status = pv_link_open(p->ctx, p->counts, &o, NULL, &link);
        if (status == PSDVEC_OK)
            status = pv_pairs_make(link, NULL, p->folder, UINT64_MAX, false, &pairs);
        assert_int_equal(status, PSDVEC_ERR_EMPTY);
        assert_contains(psdvec_error_message(p->ctx), "no two different words");
        pv_pairs_free(pairs);
        pv_link_close(link);
    }
    problem_free(p);
}

static void a_number_that_is_not_finite_is_reported_with_its_words(void **state)
{
    (void)state;
    problem *p = random_problem(12, 30, 30000, 2);
    psdvec_train_options o = paper_options(4, 1);
    pv_link *link;
    pv_pairs *pairs;
    well(p->ctx, pv_link_open(p->ctx, p->counts, &o, NULL, &link));
    link->unigram[29] = NAN;
    pv_begin(p->ctx);
    assert_int_equal(pv_pairs_make(link, NULL, p->folder, UINT64_MAX, false, &pairs),
                     PSDVEC_ERR_NUMERIC);
    assert_contains(psdvec_error_message(p->ctx), "\"w29\"");
    assert_contains(psdvec_error_message(p->ctx), "not finite");
    pv_pairs_free(pairs);
    pv_link_close(link);
    problem_free(p);
}

/* A new weight function or target needs a combination above. */
static void every_weight_and_target_is_tested(void **state)
{
    (void)state;
    enum { COUNT = sizeof combinations / sizeof *combinations };
    for (unsigned w = 0; pv_weights_choices[w].name; w++) {
        bool found = false;
        for (size_t k = 0; k < COUNT; k++)
            found |= combinations[k].weights == w;
        if (!found)
            fail_msg("no combination has the weights %s", pv_weights_choices[w].name);
    }
    for (unsigned t = 0; pv_target_choices[t].name; t++) {
        bool found = false;
        for (size_t k = 0; k < COUNT; k++)
            found |= combinations[k].target == t;
        if (!found)
            fail_msg("no combination has the target %s", pv_target_choices[t].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_weight_and_target_is_tested),
        cmocka_unit_test(margins_are_those_of_the_whole_file),
        cmocka_unit_test(the_cut_off_is_the_one_that_sorting_finds),
        cmocka_unit_test(constants_that_are_given_are_used),
        cmocka_unit_test(every_weight_and_target_is_that_of_the_reference),
        cmocka_unit_test(weights_and_targets_agree_with_distances_and_subsampling),
        cmocka_unit_test(weights_and_targets_agree_with_64_bit_counts),
        cmocka_unit_test(unseen_pairs_whose_weight_is_capped_are_listed),
        cmocka_unit_test(a_pair_may_have_the_weight_of_the_background),
        cmocka_unit_test(mirrored_values_are_on_both_sides),
        cmocka_unit_test(pairs_are_the_same_bits_for_any_threads_and_in_a_file),
        cmocka_unit_test(a_core_without_pairs_fails_with_a_message),
        cmocka_unit_test(a_number_that_is_not_finite_is_reported_with_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
