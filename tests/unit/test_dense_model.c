/* The dense reference is itself tested against independent results: Appendix A of the paper, values
 * computed by hand, invariants, and counts that were generated from vectors. So are ARPACK and the
 * distances that other tests use. */
#include "support/arpack.h"
#include "support/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

/* The options of the paper, except those that tests change most. */
static psdvec_train_options paper(uint32_t dim, uint32_t iterations)
{
    return (psdvec_train_options){.size = sizeof(psdvec_train_options),
                                  .dim = dim,
                                  .form = PSDVEC_FORM_PSD,
                                  .target = PSDVEC_TARGET_SMOOTHED,
                                  .kappa = 0.02,
                                  .context_power = 0.75,
                                  .weights = PSDVEC_WEIGHTS_RAW,
                                  .cut = 0.002,
                                  .factor_power = 0.3,
                                  .glove_max = 10,
                                  .glove_power = 0.75,
                                  .rho = 0,
                                  .rho_target = -2,
                                  .unseen_weight = 0.001,
                                  .iterations = iterations,
                                  .relaxation = 1,
                                  .start = 0.5,
                                  .mu_power = 0.5};
}

/* Factored weights with a background, as in the default preset. */
static psdvec_train_options factored(uint32_t dim, uint32_t iterations)
{
    psdvec_train_options o = paper(dim, iterations);
    o.form = PSDVEC_FORM_SYMMETRIC;
    o.target = PSDVEC_TARGET_PMI;
    o.weights = PSDVEC_WEIGHTS_FACTORED;
    o.rho = 0.1;
    o.rho_pairs = 300;
    o.start = 0;
    return o;
}

static dense_model train(const dense_counts *c, const psdvec_train_options *o)
{
    dense_link l = dense_link_make(c, o);
    dense_model m = dense_train(&l, o);
    dense_link_free(&l);
    return m;
}

static double plain_product(const dense_model *m, size_t i, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k < m->rank; k++)
        sum += m->V[i * m->rank + k] * m->V[j * m->rank + k];
    return sum;
}

static double signed_product(const dense_model *m, size_t i, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k < m->rank; k++)
        sum += m->V[i * m->rank + k] * m->sign[k] * m->V[j * m->rank + k];
    return sum;
}

#define assert_close(a, b, tolerance)                                                              \
    do {                                                                                           \
        double a_ = (a), b_ = (b), tolerance_ = (tolerance);                                       \
        if (!(fabs(a_ - b_) <= tolerance_))                                                        \
            fail_msg("%s is %.17g, and %s is %.17g", #a, a_, #b, b_);                              \
    } while (0)

#define assert_below(a, b)                                                                         \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(a_ < b_))                                                                            \
            fail_msg("%s is %.17g, not below %s, %.17g", #a, a_, #b, b_);                          \
    } while (0)

enum { KNOWN = 40, KNOWN_DIM = 3 };

static void known_vectors(dice *d, double *V)
{
    for (size_t i = 0; i < KNOWN * KNOWN_DIM; i++)
        V[i] = fmax(-1, fmin(1, 0.6 * dice_normal(d)));
}

/* ---- Appendix A of the paper ----------------------------------------------------------------- */

static const double M1[9] = {1.4, 0.8, 0, 0.8, 2.6, 0, 0, 0, 2};
static const double M2[9] = {0.2, -1.6, 0, -1.6, -2.2, 0, 0, 0, 2};

/* Every pair, including the diagonal, has weight 1: one step from 0 gives the eigenvalues of M. */
static dense_model approximate(const double *M, psdvec_form form)
{
    dense_link l = dense_link_blank(3, 3);
    memcpy(l.G, M, 9 * sizeof *M);
    for (size_t ij = 0; ij < 9; ij++)
        l.f[ij] = 1;
    psdvec_train_options o = paper(2, 1);
    o.form = form;
    o.start = 0;
    dense_model m = dense_train(&l, &o);
    dense_link_free(&l);
    return m;
}

static void appendix_a_the_semidefinite_form_gives_the_printed_vectors(void **state)
{
    (void)state;
    dense_model m = approximate(M2, PSDVEC_FORM_PSD);
    assert_int_equal(m.rank, 2);
    assert_close(m.eigenvalue[0], 2, 1e-12);
    assert_close(m.eigenvalue[1], 1, 1e-12);
    /* The paper prints the dimensions in the other order; the sign of each is arbitrary. */
    double one = m.V[0 * 2 + 1] < 0 ? 1 : -1, two = m.V[2 * 2 + 0] > 0 ? 1 : -1;
    assert_close(one * m.V[0 * 2 + 1], -0.89, 0.005);
    assert_close(one * m.V[1 * 2 + 1], 0.45, 0.005);
    assert_close(one * m.V[2 * 2 + 1], 0, 1e-12);
    assert_close(m.V[0 * 2 + 0], 0, 1e-12);
    assert_close(m.V[1 * 2 + 0], 0, 1e-12);
    assert_close(two * m.V[2 * 2 + 0], 1.41, 0.005);
    assert_close(plain_product(&m, 0, 1), -0.4, 1e-12);
    dense_model_free(&m);
}

static void appendix_a_singular_vectors_lose_the_sign(void **state)
{
    (void)state;
    /* Without the signs, the symmetric form equals an SVD: the same for both. */
    dense_model m1 = approximate(M1, PSDVEC_FORM_SYMMETRIC);
    dense_model m2 = approximate(M2, PSDVEC_FORM_SYMMETRIC);
    assert_close(fabs(m1.V[0]), 0.45 * sqrt(3), 0.01);
    assert_close(fabs(m1.V[2]), 0.89 * sqrt(3), 0.01);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            assert_close(plain_product(&m1, i, j), plain_product(&m2, i, j), 1e-12);
    assert_true(M2[1] < 0 && plain_product(&m2, 0, 1) > 1);
    dense_model_free(&m1);
    dense_model_free(&m2);
}

static void appendix_a_the_symmetric_form_keeps_the_sign_in_J(void **state)
{
    (void)state;
    dense_model m = approximate(M2, PSDVEC_FORM_SYMMETRIC);
    assert_close(m.eigenvalue[0], -3, 1e-12);
    assert_close(m.eigenvalue[1], 2, 1e-12);
    assert_close(signed_product(&m, 0, 1), -1.2, 1e-12);
    double cosine = plain_product(&m, 0, 1) /
                    sqrt(plain_product(&m, 0, 0) * plain_product(&m, 1, 1));
    assert_close(cosine, 1, 1e-12);
    dense_model_free(&m);
}

/* ---- Link ------------------------------------------------------------------------------------ */

/* Three words and one outside the core:
 *   x = 0 8 2 0    X = 10      Y = 6 12 2 0, total 20
 *       4 0 0 0        4
 *       2 4 0 0        6
 *       0 0 0 0        0
 * r = X + Y = 16 16 8 0. */
static dense_counts by_hand(void)
{
    dense_counts c = dense_counts_new(4);
    const double x[16] = {0, 8, 2, 0, 4, 0, 0, 0, 2, 4, 0, 0};
    const double frequency[4] = {8, 4, 2, 1};
    memcpy(c.x, x, sizeof x);
    memcpy(c.frequency, frequency, sizeof frequency);
    return c;
}

static void smoothed_targets_agree_with_hand_computed_values(void **state)
{
    (void)state;
    dense_counts c = by_hand();
    psdvec_train_options o = paper(2, 1);
    o.core = 3;
    o.kappa = 0.25;
    dense_link l = dense_link_make(&c, &o);
    assert_int_equal(l.core, 3);
    assert_true(l.u[0] == 0.3 && l.u[1] == 0.6 && l.u[2] == 0.1 && l.u[3] == 0);
    assert_close(l.G[0 * 4 + 1], log((0.75 * 0.8 + 0.25 * 0.6) / 0.6), 1e-14);
    assert_close(l.G[1 * 4 + 0], log((0.75 * 1 + 0.25 * 0.3) / 0.3), 1e-14);
    assert_true(l.G[1 * 4 + 2] == log(0.25)); /* never seen: exact */
    assert_true(l.G[0 * 4 + 0] == log(0.25)); /* the diagonal is treated like the rest */
    assert_true(l.G[3 * 4 + 1] == log(0.25) && l.G[1 * 4 + 3] == log(0.25));
    dense_link_free(&l);
    dense_counts_free(&c);
}

static void pmi_targets_agree_with_hand_computed_values(void **state)
{
    (void)state;
    dense_counts c = by_hand();
    psdvec_train_options o = paper(2, 1);
    o.target = PSDVEC_TARGET_PMI;
    o.context_power = 1;
    dense_link l = dense_link_make(&c, &o);
    /* s_01 = 12, of a total of 40 */
    assert_close(l.G[0 * 4 + 1], log(12.0 * 40 / (16 * 16)), 1e-14);
    assert_close(l.G[1 * 4 + 2], log(4.0 * 40 / (16 * 8)), 1e-14);
    assert_true(l.G[1 * 4 + 2] == l.G[2 * 4 + 1]);
    dense_link_free(&l);
    o.context_power = 0.5; /* pc = 4, 4, sqrt 8, 0 of 8 + sqrt 8 */
    l = dense_link_make(&c, &o);
    double sum = 8 + sqrt(8);
    assert_close(l.G[1 * 4 + 2], (log(4 / (16 * sqrt(8) / sum)) + log(4 / (8 * 4 / sum))) / 2,
                 1e-14);
    dense_link_free(&l);
    dense_counts_free(&c);
}

static void square_root_weights_agree_with_hand_computed_values(void **state)
{
    (void)state;
    dense_counts c = by_hand();
    psdvec_train_options o = paper(2, 1);
    o.core = 3;
    o.cut = 0.3; /* of 9 pairs: the third largest of 8 4 4 2 2 */
    dense_link l = dense_link_make(&c, &o);
    assert_true(l.cut == 2);
    assert_true(l.f[0 * 4 + 1] == 1 && l.f[2 * 4 + 1] == 1);
    assert_close(l.f[0 * 4 + 2], sqrt(2) / 2, 1e-15);
    assert_true(l.f[1 * 4 + 2] == 0 && l.f[0] == 0);
    assert_true(l.seen[1 * 4 + 2] && l.seen[2 * 4 + 1] && !l.seen[3 * 4 + 1]);
    dense_link_free(&l);

    o.cut = 1; /* nine of five: the smallest */
    l = dense_link_make(&c, &o);
    assert_true(l.cut == sqrt(2) && l.f[0 * 4 + 2] == 1);
    dense_link_free(&l);

    o.cut = 0;
    o.kappa = 0.25;
    o.weights = PSDVEC_WEIGHTS_SMOOTHED;
    l = dense_link_make(&c, &o);
    double largest = 0.75 * 8 / 20 + 0.25 * 0.3 * 0.6;
    assert_close(l.cut, sqrt(largest), 1e-15);
    assert_true(l.f[0 * 4 + 1] == 1);
    assert_close(l.f[1 * 4 + 2], sqrt(0.25 * 0.6 * 0.1 / largest), 1e-15); /* never seen */
    assert_true(l.f[2 * 4 + 2] == 0);
    dense_link_free(&l);
    dense_counts_free(&c);
}

static void symmetric_weights_agree_with_hand_computed_values(void **state)
{
    (void)state;
    dense_counts c = by_hand();
    psdvec_train_options o = paper(2, 1);
    o.core = 3;
    o.weights = PSDVEC_WEIGHTS_GLOVE;
    dense_link l = dense_link_make(&c, &o);
    assert_true(l.f[0 * 4 + 1] == 1); /* 12 of 10 */
    assert_close(l.f[1 * 4 + 2], pow(0.4, 0.75), 1e-15);
    assert_close(l.f[2 * 4 + 1], pow(0.4, 0.75), 1e-15);
    assert_true(l.f[0] == 0 && l.b[1] == 0 && l.m[2] == 1);
    dense_link_free(&l);

    o = factored(2, 1);
    o.core = 3;
    o.factor_power = 0.5;
    o.rho_pairs = 10;
    l = dense_link_make(&c, &o);
    double mean = (4 + 4 + sqrt(8)) / 3, odds = 4.0 * 40 / (16 * 8); /* e^pmi */
    assert_close(l.m[0], 4 / mean, 1e-14);
    assert_close(l.m[2], sqrt(8) / mean, 1e-14);
    assert_true(l.m[3] == 0);
    assert_close(l.f[1 * 4 + 2], 4 * sqrt(8) / (mean * mean) * odds / (1 + odds), 1e-14);
    double faded = sqrt(8.0 / 10); /* r is 16 and 8 */
    assert_close(l.b[1 * 4 + 2], 0.1 * 4 * sqrt(8) * faded / (mean * mean), 1e-14);
    assert_true(l.b[0] == 0 && l.background == -2);
    dense_link_free(&l);
    dense_counts_free(&c);
}

static void priors_grow_with_rarity_and_have_bands(void **state)
{
    (void)state;
    dense_counts c = dense_counts_new(8);
    for (size_t i = 0; i < 8; i++)
        c.frequency[i] = pow(4, (double)(8 - i));
    psdvec_train_options o = paper(2, 1);
    const double mu[] = {2, 4, 8};
    const uint32_t edges[] = {3, 7};
    o.core = 2;
    o.core_mu = 3;
    o.mu = mu;
    o.mu_count = 3;
    dense_link l = dense_link_make(&c, &o);
    assert_close(l.mu[0], 1.5, 1e-14);
    assert_close(l.mu[1], 3, 1e-14);
    assert_close(l.mu[2], 2 * 2, 1e-14);
    assert_close(l.mu[3], 2 * 4, 1e-14);
    assert_close(l.mu[4], 4 * 8, 1e-13);
    assert_close(l.mu[7], 8 * 64, 1e-12);
    dense_link_free(&l);
    o.bands = edges;
    o.bands_count = 2;
    o.mu_power = 0;
    l = dense_link_make(&c, &o);
    const double expected[] = {3, 3, 2, 4, 4, 4, 4, 8};
    for (size_t i = 0; i < 8; i++)
        assert_true(l.mu[i] == expected[i]);
    dense_link_free(&l);
    dense_counts_free(&c);
}

/* ---- The problem ----------------------------------------------------------------------------- */

static void both_directions_make_one_symmetric_problem(void **state)
{
    (void)state;
    dice d = {1};
    dense_counts c = random_counts(&d, 30, 4000);
    psdvec_train_options o = paper(4, 1);
    dense_link l = dense_link_make(&c, &o);
    double first = 0;
    for (int trial = 0; trial < 3; trial++) {
        double V[30 * 4], sign[4] = {1, 1, -1, 1}, symmetric = 0;
        for (size_t i = 0; i < 30 * 4; i++)
            V[i] = dice_normal(&d);
        double *X = dense_products(30, 4, V, sign);
        for (size_t i = 0; i < 30; i++)
            for (size_t j = 0; j < 30; j++) {
                double f = l.f[i * 30 + j], back = l.f[j * 30 + i], S = (f + back) / 2;
                if (S == 0)
                    continue;
                double T = (f * l.G[i * 30 + j] + back * l.G[j * 30 + i]) / (f + back);
                symmetric += S * (T - X[i * 30 + j]) * (T - X[i * 30 + j]);
            }
        double constant = dense_objective(&l, 4, V, sign) - symmetric;
        if (trial == 0)
            first = constant;
        assert_true(first > 0.1);
        assert_close(constant, first, 1e-9 * symmetric);
        free(X);
    }
    dense_link_free(&l);
    dense_counts_free(&c);
}

static void the_first_step_is_that_of_the_paper(void **state)
{
    (void)state;
    dice d = {2};
    size_t n = 30;
    dense_counts c = random_counts(&d, n, 4000);
    psdvec_train_options o = paper(5, 1);
    dense_link l = dense_link_make(&c, &o);
    double *A = calloc(n * n, sizeof *A), *Q = calloc(n * n, sizeof *Q), values[30], trace = 0;
    double *X = calloc(n * n, sizeof *X);
    assert_true(A && Q && X);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t ij = i * n + j, ji = j * n + i;
            A[ij] = (l.f[ij] * l.G[ij] + (1 - l.f[ij]) * l.G[ij] / 2) / 2 +
                    (l.f[ji] * l.G[ji] + (1 - l.f[ji]) * l.G[ji] / 2) / 2;
            trace += i == j ? l.G[ij] / 2 : 0;
        }
    dense_eigen(n, A, values, Q);
    for (size_t k = n - 5; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                X[i * n + j] += values[k] * Q[k * n + i] * Q[k * n + j];
    dense_model m = dense_train(&l, &o);
    double *Y = dense_products(n, m.rank, m.V, m.sign);
    assert_below(largest_difference(n * n, X, Y), 1e-12);
    assert_close(m.iterations[0].trace, trace, 1e-10);
    for (size_t k = 0; k < 5; k++)
        assert_close(m.eigenvalue[k], values[n - 1 - k], 1e-10);
    free(A);
    free(Q);
    free(X);
    free(Y);
    dense_model_free(&m);
    dense_link_free(&l);
    dense_counts_free(&c);
}

static void the_trace_is_the_sum_kept_before(void **state)
{
    (void)state;
    dice d = {3};
    dense_counts c = random_counts(&d, 40, 6000);
    for (int form = PSDVEC_FORM_SYMMETRIC; form <= PSDVEC_FORM_PSD; form++)
        for (int relaxed = 0; relaxed < 2; relaxed++) {
            psdvec_train_options o = paper(6, 6);
            o.form = form;
            o.relaxation = relaxed ? 1.6 : 1;
            o.rank_extra = 1;
            dense_model m = train(&c, &o);
            for (size_t t = 0; t < 6; t++) {
                assert_int_equal(m.iterations[t].rank, 6 + 6 - (t + 1));
                if (t > 0)
                    assert_close(m.iterations[t].trace, m.iterations[t - 1].kept, 1e-10);
            }
            assert_int_equal(m.rank, 6);
            dense_model_free(&m);
        }
    dense_counts_free(&c);
}

static void the_objective_never_rises(void **state)
{
    (void)state;
    dice d = {4};
    size_t taken_back = 0;
    for (int trial = 0; trial < 48; trial++) {
        psdvec_train_options o = paper(5, 12);
        switch (trial % 6) {
        case 0:
            break;
        case 1:
            o.weights = PSDVEC_WEIGHTS_SMOOTHED;
            break;
        case 2:
            o.weights = PSDVEC_WEIGHTS_GLOVE;
            break;
        case 3:
            o = factored(5, 12);
            break;
        case 4:
            o = factored(5, 12);
            o.target = PSDVEC_TARGET_SMOOTHED;
            o.start = 0.5;
            break;
        default:
            o.target = PSDVEC_TARGET_PMI;
            o.start = 0;
        }
        o.cut = 0.1;
        o.form = trial / 6 % 2 ? PSDVEC_FORM_PSD : PSDVEC_FORM_SYMMETRIC;
        o.core_mu = o.form == PSDVEC_FORM_PSD && trial / 12 % 2 ? 0.5 : 0;
        o.relaxation = trial / 24 % 2 ? 1.75 : 1;
        dense_counts c = random_counts(&d, 30, 6000);
        dense_link l = dense_link_make(&c, &o);
        dense_model m = dense_train(&l, &o);
        assert_int_equal(m.iteration_count, 12);
        double before = o.start == 0 ? dense_objective(&l, 0, NULL, NULL) : INFINITY;
        for (size_t t = 0; t < 12; t++) {
            double L = m.iterations[t].objective;
            if (!(L <= before * (1 + 1e-12)))
                fail_msg("trial %d, iteration %zu: from %.17g to %.17g", trial, t + 1, before, L);
            taken_back += m.iterations[t].relaxation != o.relaxation;
            before = L;
        }
        assert_close(before, dense_objective(&l, m.rank, m.V, m.sign), 1e-9 * before);
        dense_model_free(&m);
        dense_link_free(&l);
        dense_counts_free(&c);
    }
    assert_true(taken_back > 0); /* else the rule is not tested */
}

/* The weights reach (1 + rho) times the majoriser, so that a step of length 1 can be too long. */
static void the_objective_never_rises_with_a_heavy_background(void **state)
{
    (void)state;
    size_t short_steps = 0;
    for (uint64_t trial = 0; trial < 40; trial++) {
        dice d = {1000 + trial};
        dense_counts c = random_counts(&d, 30, 20000);
        psdvec_train_options o = factored(4, 12);
        o.rho = 0.9;
        o.form = PSDVEC_FORM_PSD;
        dense_model m = train(&c, &o);
        for (size_t t = 0; t < 12; t++) {
            short_steps += m.iterations[t].relaxation < 1;
            if (t > 0)
                assert_true(m.iterations[t].objective <=
                            m.iterations[t - 1].objective * (1 + 1e-12));
        }
        dense_model_free(&m);
        dense_counts_free(&c);
    }
    assert_true(short_steps > 0);
}

static void training_stops_when_the_objective_stops_decreasing(void **state)
{
    (void)state;
    dice d = {5};
    dense_counts c = random_counts(&d, 30, 6000);
    psdvec_train_options o = paper(4, 200);
    o.cut = 0.2;
    o.tolerance = 0.01;
    dense_model m = train(&c, &o);
    size_t t = m.iteration_count;
    assert_true(t > 2 && t < 100);
    const dense_iteration *it = m.iterations;
    assert_true(it[t - 2].objective - it[t - 1].objective < 0.01 * it[t - 2].objective);
    assert_true(it[t - 3].objective - it[t - 2].objective >= 0.01 * it[t - 3].objective);
    dense_model_free(&m);
    dense_counts_free(&c);
}

static void fewer_positive_eigenvalues_than_dimensions_are_kept(void **state)
{
    (void)state;
    dense_link l = dense_link_blank(3, 3);
    memcpy(l.G, M2, sizeof M2);
    for (size_t ij = 0; ij < 9; ij++)
        l.f[ij] = 1;
    psdvec_train_options o = paper(3, 4);
    o.start = 0;
    dense_model m = dense_train(&l, &o);
    assert_int_equal(m.rank, 2); /* the third is -3 */
    assert_int_equal(m.iterations[0].positive, 2);
    dense_model_free(&m);
    o.form = PSDVEC_FORM_SYMMETRIC;
    m = dense_train(&l, &o);
    assert_int_equal(m.rank, 3);
    assert_int_equal(m.iterations[3].positive, 2);
    assert_close(m.iterations[3].objective, 0, 1e-12);
    dense_model_free(&m);
    dense_link_free(&l);
}

/* ---- Priors ---------------------------------------------------------------------------------- */

/* With all weights 1 and one mu, the solution is known: magnitudes minus mu / 2. */
static void one_prior_for_all_shrinks_the_eigenvalues(void **state)
{
    (void)state;
    dense_link l = dense_link_blank(3, 3);
    memcpy(l.G, M2, sizeof M2);
    for (size_t ij = 0; ij < 9; ij++)
        l.f[ij] = 1;
    for (size_t i = 0; i < 3; i++)
        l.mu[i] = 0.5;
    psdvec_train_options o = paper(3, 1);
    o.start = 0;
    dense_model m = dense_train(&l, &o);
    assert_int_equal(m.rank, 2);
    assert_close(m.eigenvalue[0], 2 - 0.25, 1e-12);
    assert_close(m.eigenvalue[1], 1 - 0.25, 1e-12);
    dense_model_free(&m);
    o.relaxation = 1.5; /* 1.5 times as far in the same direction */
    m = dense_train(&l, &o);
    assert_close(m.eigenvalue[0], 1.5 * (2 - 0.25), 1e-12);
    dense_model_free(&m);
    dense_link_free(&l);
}

/* At convergence, each word's vector equals its regression on the others: the gradient is 0,
 * including priors and background, for any step length. */
static void a_solution_is_a_fixed_point_of_every_words_regression(void **state)
{
    (void)state;
    for (int trial = 0; trial < 16; trial++) {
        dice d = {6};
        double V[KNOWN * KNOWN_DIM];
        known_vectors(&d, V);
        dense_counts exact = exact_counts(KNOWN, KNOWN_DIM, V, 0.02, 3e5);
        dense_counts c = sampled_counts(&d, &exact);
        psdvec_train_options o = trial % 2 ? factored(3, 250) : paper(3, 250);
        o.core = KNOWN;
        o.cut = 1;
        o.form = trial / 2 % 2 ? PSDVEC_FORM_PSD : PSDVEC_FORM_SYMMETRIC;
        o.core_mu = o.form == PSDVEC_FORM_PSD && trial / 4 % 2 ? 2 : 0;
        o.relaxation = trial / 8 % 2 ? 1.6 : 1;
        dense_link l = dense_link_make(&c, &o);
        dense_model m = dense_train(&l, &o);
        double v[3];
        assert_int_equal(m.rank, 3);
        for (size_t w = 0; w < KNOWN; w++) {
            double spread = dense_regress(&l, &o, &m, w, v);
            if (!(largest_difference(3, v, &m.V[w * 3]) < 1e-6))
                fail_msg("trial %d, word %zu: off by %g", trial, w,
                         largest_difference(3, v, &m.V[w * 3]));
            assert_true(spread == m.spread[w]);
        }
        dense_model_free(&m);
        dense_link_free(&l);
        dense_counts_free(&c);
        dense_counts_free(&exact);
    }
}

/* ---- Recovery -------------------------------------------------------------------------------- */

static void vectors_are_recovered_from_their_counts(void **state)
{
    (void)state;
    dice d = {7};
    double V[KNOWN * KNOWN_DIM], sign[KNOWN_DIM] = {1, 1, 1};
    known_vectors(&d, V);
    double *X = dense_products(KNOWN, KNOWN_DIM, V, sign);
    for (int trial = 0; trial < 8; trial++) {
        psdvec_train_options o = trial % 4 == 3 ? factored(KNOWN_DIM, 250) : paper(KNOWN_DIM, 250);
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
        dense_counts c = exact_counts(KNOWN, KNOWN_DIM, V, kappa, 1e5);
        dense_link l = dense_link_make(&c, &o);
        for (size_t i = 0; i < KNOWN; i++)
            for (size_t j = 0; j < KNOWN; j++)
                if (i != j)
                    assert_close(l.G[i * l.words + j], X[i * KNOWN + j], 1e-10);
        dense_model m = dense_train(&l, &o);
        double *Y = dense_products(KNOWN, m.rank, m.V, m.sign);
        if (!(largest_difference(KNOWN * KNOWN, X, Y) < 1e-3)) /* including the diagonal */
            fail_msg("trial %d: off by %g", trial, largest_difference(KNOWN * KNOWN, X, Y));
        assert_below(subspace_distance(KNOWN, KNOWN_DIM, V, m.rank, m.V), 1e-3);
        free(Y);
        dense_model_free(&m);
        dense_link_free(&l);
        dense_counts_free(&c);
    }
    free(X);
}

static void more_text_recovers_more(void **state)
{
    (void)state;
    dice d = {8};
    double V[KNOWN * KNOWN_DIM], sign[KNOWN_DIM] = {1, 1, 1}, before = INFINITY;
    known_vectors(&d, V);
    double *X = dense_products(KNOWN, KNOWN_DIM, V, sign);
    for (double pairs = 1e4; pairs < 2e7; pairs *= 10) {
        dense_counts expected = exact_counts(KNOWN, KNOWN_DIM, V, 0.02, pairs);
        dense_counts c = sampled_counts(&d, &expected);
        psdvec_train_options o = paper(KNOWN_DIM, 150);
        o.core = KNOWN;
        o.cut = 0.2;
        o.relaxation = 1.8;
        dense_model m = train(&c, &o);
        double error = product_error(KNOWN, m.rank, m.V, m.sign, X);
        /* With ten times the text the error is about a third; the test requires half. */
        assert_below(error, before / 2);
        before = error;
        dense_model_free(&m);
        dense_counts_free(&c);
        dense_counts_free(&expected);
    }
    assert_below(before, 0.02);
    free(X);
}

/* ---- Regression ------------------------------------------------------------------------------ */

/* The objective of the regression of word w, summed term by term. */
static double penalty(const dense_link *l, const psdvec_train_options *o, const dense_model *m,
                      size_t w, const double *v)
{
    double sum = 0;
    for (size_t j = 0; j < l->core; j++) {
        double product = 0;
        for (size_t k = 0; k < m->rank; k++)
            product += v[k] * m->sign[k] * m->V[j * m->rank + k];
        size_t wj = w * l->words + j, jw = j * l->words + w;
        sum += l->f[wj] * pow(l->G[wj] - product, 2) + l->f[jw] * pow(l->G[jw] - product, 2);
        sum += 2 * l->b[wj] * pow(l->background - product, 2);
        if (!l->seen[wj])
            sum += o->unseen_weight * product * product;
    }
    for (size_t k = 0; k < m->rank; k++)
        sum += l->mu[w] * v[k] * v[k];
    return sum;
}

static void noncore_vectors_minimise_their_penalty(void **state)
{
    (void)state;
    const double mu[] = {2, 4};
    for (int trial = 0; trial < 6; trial++) {
        dice d = {9 + (uint64_t)trial};
        dense_counts c = random_counts(&d, 50, 20000);
        psdvec_train_options o = trial % 3 == 0 ? factored(5, 5) : paper(5, 5);
        o.core = 30;
        o.form = trial < 3 ? PSDVEC_FORM_SYMMETRIC : PSDVEC_FORM_PSD;
        o.mu = mu;
        o.mu_count = 2;
        o.unseen_weight = 0.1;
        if (trial % 3 == 2)
            o.weights = PSDVEC_WEIGHTS_SMOOTHED;
        dense_link l = dense_link_make(&c, &o);
        dense_model m = dense_train(&l, &o);
        for (size_t w = 30; w < 50; w++) {
            double *v = &m.V[w * m.rank], least = penalty(&l, &o, &m, w, v);
            /* A quadratic with gradient 0: steps in both directions have the same cost. */
            for (size_t k = 0; k < m.rank; k++) {
                double at = v[k];
                v[k] = at + 0.5;
                double above = penalty(&l, &o, &m, w, v);
                v[k] = at - 0.5;
                double below = penalty(&l, &o, &m, w, v);
                v[k] = at;
                assert_below(least, above);
                assert_close(above, below, 1e-9 * above);
            }
        }
        dense_model_free(&m);
        dense_link_free(&l);
        dense_counts_free(&c);
    }
}

static void spread_is_the_posterior_standard_deviation(void **state)
{
    (void)state;
    /* One core word with the vector 2, and a word seen with it in both directions: H = (1 + .5) 4 +
     * 3, the density decreases as exp(-H (v - mean)^2). */
    dense_link l = dense_link_blank(2, 1);
    l.f[1] = 1;
    l.f[2] = 0.5;
    l.G[1] = 3;
    l.G[2] = 6;
    l.mu[1] = 3;
    l.seen[1] = l.seen[2] = true;
    double V[2] = {2, 0}, sign[1] = {1}, v[2] = {0};
    dense_model m = {.words = 2, .core = 1, .rank = 1, .V = V, .sign = sign};
    psdvec_train_options o = paper(1, 1);
    assert_close(dense_regress(&l, &o, &m, 1, v), sqrt(1 / (2 * 9.0)), 1e-14);
    assert_close(v[0], (1 * 2 * 3 + 0.5 * 2 * 6) / 9.0, 1e-14);

    /* Two dimensions, one core word, no prior: one direction is undetermined and stays 0. */
    double V2[4] = {3, 4}, sign2[2] = {1, -1};
    dense_model m2 = {.words = 2, .core = 1, .rank = 2, .V = V2, .sign = sign2};
    l.mu[1] = 0;
    assert_true(isinf(dense_regress(&l, &o, &m2, 1, v)));
    assert_close(v[0] * 3 - v[1] * 4, 4, 1e-12);
    assert_close(v[0] * 4 + v[1] * 3, 0, 1e-12);
    dense_link_free(&l);
}

/* ---- Functions that other tests rely on ------------------------------------------------------ */

static void apply_dense(void *user, size_t n, const double *x, double *y)
{
    const double *A = user;
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
    }
}

static void arpack_and_lapack_agree(void **state)
{
    (void)state;
#ifndef PV_HAVE_ARPACK
    skip();
#endif
    enum { N = 60, K = 8 };
    dice d = {10};
    double *A = calloc(N * N, sizeof *A), *Q = calloc(N * N, sizeof *Q), values[N];
    double found[K], vectors[K * N], y[N];
    assert_true(A && Q);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++)
            A[i * N + j] = A[j * N + i] = dice_normal(&d) - 0.2; /* one large negative eigenvalue */
    dense_eigen(N, A, values, Q);
    assert_true(arpack_eigen(N, K, ARPACK_LARGEST, 0, apply_dense, A, found, vectors));
    for (size_t k = 0; k < K; k++)
        assert_close(found[k], values[N - 1 - k], 1e-10);
    assert_true(arpack_eigen(N, K, ARPACK_LARGEST_MAGNITUDE, 0, apply_dense, A, found, vectors));
    size_t low = 0, high = N;
    for (size_t k = 0; k < K; k++) {
        bool top = values[high - 1] >= -values[low];
        assert_close(found[k], top ? values[--high] : values[low++], 1e-10);
        apply_dense(A, N, &vectors[k * N], y);
        for (size_t i = 0; i < N; i++)
            assert_close(y[i], found[k] * vectors[k * N + i], 1e-9);
    }
    assert_true(low > 0 && high < N);
    free(A);
    free(Q);
}

static void random_counts_are_preserved_in_a_counts_file(void **state)
{
    (void)state;
    char *folder = scratch_new(), *path = scratch_path(folder, "counts.safetensors");
    psdvec_context *ctx;
    assert_int_equal(psdvec_context_new(NULL, &ctx), PSDVEC_OK);
    dice d = {11};
    dense_counts c = random_counts(&d, 60, 5000);
    double total = 0, unseen = 0;
    for (size_t ij = 0; ij < 3600; ij++) {
        total += c.x[ij];
        unseen += c.x[ij] == 0;
    }
    assert_true(total > 2500 && total < 50000 && unseen > 1200 && unseen < 3400);
    for (size_t i = 1; i < 60; i++)
        assert_true(c.frequency[i] <= c.frequency[i - 1]);
    for (uint64_t scale = 1; scale <= 8; scale *= 8) {
        for (size_t ij = 0; ij < 3600; ij++)
            c.x[ij] /= (double)scale;
        write_counts(ctx, &c, scale, folder, path);
        psdvec_counts *counts;
        assert_int_equal(psdvec_counts_open(ctx, path, &counts), PSDVEC_OK);
        dense_counts back = dense_counts_read(counts);
        assert_int_equal(back.words, 60);
        assert_true(largest_difference(3600, c.x, back.x) == 0);
        assert_true(largest_difference(60, c.frequency, back.frequency) == 0);
        dense_counts_free(&back);
        psdvec_counts_close(counts);
        assert_int_equal(scratch_entries(folder), 1);
    }
    dense_counts_free(&c);
    psdvec_context_free(ctx);
    free(path);
    scratch_free(folder);
}

static void distances_are_those_of_known_spaces(void **state)
{
    (void)state;
    const double A[8] = {1, 0, 0, 1, 0, 0, 0, 0};          /* e1, e2 in four dimensions */
    const double same[12] = {1, 1, 2, 1, -1, 0, 0, 0, 0};  /* three columns of rank two */
    const double turned[8] = {1, 0, 0, 0.8, 0, 0.6, 0, 0}; /* e1, and e2 rotated towards e3 */
    const double line[4] = {0, 1, 0, 0}, plus[2] = {1, 1}, minus[2] = {1, -1};
    assert_close(subspace_distance(4, 2, A, 3, same), 0, 1e-12);
    assert_close(subspace_distance(4, 2, A, 2, turned), 0.6, 1e-12);
    assert_true(subspace_distance(4, 2, A, 1, line) == 1);
    /* A rotation of the columns by 90 degrees changes nothing; a sign in J does. */
    const double quarter[8] = {0, 1, -1, 0, 0, 0, 0, 0};
    assert_close(product_difference(4, 2, A, plus, 2, quarter, plus), 0, 1e-15);
    assert_close(product_difference(4, 2, A, plus, 2, A, minus), 2, 1e-15);
    const double one[3] = {1, NAN, 2}, two[3] = {1, 0, 2};
    assert_false(largest_difference(3, one, two) < 1e300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appendix_a_the_semidefinite_form_gives_the_printed_vectors),
        cmocka_unit_test(appendix_a_singular_vectors_lose_the_sign),
        cmocka_unit_test(appendix_a_the_symmetric_form_keeps_the_sign_in_J),
        cmocka_unit_test(smoothed_targets_agree_with_hand_computed_values),
        cmocka_unit_test(pmi_targets_agree_with_hand_computed_values),
        cmocka_unit_test(square_root_weights_agree_with_hand_computed_values),
        cmocka_unit_test(symmetric_weights_agree_with_hand_computed_values),
        cmocka_unit_test(priors_grow_with_rarity_and_have_bands),
        cmocka_unit_test(both_directions_make_one_symmetric_problem),
        cmocka_unit_test(the_first_step_is_that_of_the_paper),
        cmocka_unit_test(the_trace_is_the_sum_kept_before),
        cmocka_unit_test(the_objective_never_rises),
        cmocka_unit_test(the_objective_never_rises_with_a_heavy_background),
        cmocka_unit_test(training_stops_when_the_objective_stops_decreasing),
        cmocka_unit_test(fewer_positive_eigenvalues_than_dimensions_are_kept),
        cmocka_unit_test(one_prior_for_all_shrinks_the_eigenvalues),
        cmocka_unit_test(a_solution_is_a_fixed_point_of_every_words_regression),
        cmocka_unit_test(vectors_are_recovered_from_their_counts),
        cmocka_unit_test(more_text_recovers_more),
        cmocka_unit_test(noncore_vectors_minimise_their_penalty),
        cmocka_unit_test(spread_is_the_posterior_standard_deviation),
        cmocka_unit_test(arpack_and_lapack_agree),
        cmocka_unit_test(random_counts_are_preserved_in_a_counts_file),
        cmocka_unit_test(distances_are_those_of_known_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
