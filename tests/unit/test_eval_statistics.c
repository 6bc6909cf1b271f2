/* The statistics of evaluation against direct implementations of their definitions. */
#include "base/memory.h"
#include "base/random.h"
#include "eval/kmeans.h"
#include "eval/statistics.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 400 };

/* ---- Direct implementations ------------------------------------------------------------------ */

static double slow_rank(const double *values, size_t n, size_t i)
{
    double rank = 1;
    for (size_t k = 0; k < n; k++)
        rank += k == i ? 0 : values[k] < values[i] ? 1 : values[k] == values[i] ? 0.5 : 0;
    return rank;
}

static double slow_spearman(const double *x, const double *y, size_t n)
{
    double mean = ((double)n + 1) / 2, xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        double a = slow_rank(x, n, i) - mean, b = slow_rank(y, n, i) - mean;
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

static void assert_near(double got, double wanted, double within)
{
    if (!(fabs(got - wanted) <= within) && !(isnan(got) && isnan(wanted)))
        fail_msg("%.17g instead of %.17g", got, wanted);
}

static void random_values(dice *d, double *x, double *y, size_t n)
{
    size_t steps = 1 + dice_below(d, 2 * n + 1); /* few steps: many ties */
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)dice_below(d, steps) / 7;
        y[i] = dice_percent(d, 50) ? x[i] : dice_unit(d);
    }
}

/* ---- Spearman -------------------------------------------------------------------------------- */

static void the_correlation_is_that_of_average_ranks(void **state)
{
    workshop *w = *state;
    dice d = {1};
    double x[MOST], y[MOST], room[2 * MOST];
    for (int round = 0; round < 300; round++) {
        size_t n = 2 + dice_below(&d, 40);
        pv_ranked ranked;
        pv_scope scope = {.ctx = w->ctx, .what = "ranks"};
        random_values(&d, x, y, n);
        assert_int_equal(pv_ranked_make(&ranked, &scope, x, y, n), PSDVEC_OK);
        assert_near(pv_spearman(&ranked, NULL, room), slow_spearman(x, y, n), 1e-14);
        pv_scope_free(&scope);
    }
}

static void a_resample_counts_each_question_as_often_as_it_was_drawn(void **state)
{
    workshop *w = *state;
    dice d = {2};
    double x[MOST], y[MOST], more_x[4 * MOST], more_y[4 * MOST], room[2 * MOST];
    uint32_t times[MOST];
    for (int round = 0; round < 200; round++) {
        size_t n = 2 + dice_below(&d, 40), drawn = 0;
        pv_ranked ranked;
        pv_scope scope = {.ctx = w->ctx, .what = "ranks"};
        random_values(&d, x, y, n);
        memset(times, 0, sizeof times);
        for (size_t i = 0; i < n; i++)
            times[dice_below(&d, n)]++;
        for (size_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < times[i]; k++) {
                more_x[drawn] = x[i];
                more_y[drawn++] = y[i];
            }
        assert_int_equal(pv_ranked_make(&ranked, &scope, x, y, n), PSDVEC_OK);
        assert_near(pv_spearman(&ranked, times, room), slow_spearman(more_x, more_y, drawn), 1e-14);
        pv_scope_free(&scope);
    }
}

static void a_correlation_needs_two_questions_and_two_values(void **state)
{
    workshop *w = *state;
    double x[] = {1, 2, 3}, same[] = {5, 5, 5}, room[6];
    for (size_t n = 0; n <= 3; n++) {
        pv_ranked ranked;
        pv_scope scope = {.ctx = w->ctx, .what = "ranks"};
        assert_int_equal(pv_ranked_make(&ranked, &scope, x, same, n), PSDVEC_OK);
        assert_true(isnan(pv_spearman(&ranked, NULL, room)));
        pv_scope_free(&scope);
    }
    pv_ranked ranked;
    pv_scope scope = {.ctx = w->ctx, .what = "ranks"};
    assert_int_equal(pv_ranked_make(&ranked, &scope, x, x, 3), PSDVEC_OK);
    assert_true(pv_spearman(&ranked, NULL, room) == 1);
    pv_scope_free(&scope);
}

/* ---- Purity ---------------------------------------------------------------------------------- */

static double slow_purity(const uint32_t *cluster, const uint32_t *group, size_t n)
{
    uint32_t right = 0;
    for (uint32_t c = 0; c < 10; c++) {
        uint32_t most = 0;
        for (uint32_t g = 0; g < 10; g++) {
            uint32_t here = 0;
            for (size_t i = 0; i < n; i++)
                here += cluster[i] == c && group[i] == g;
            most = here > most ? here : most;
        }
        right += most;
    }
    return (double)right / (double)n;
}

static void purity_is_the_share_of_the_commonest_groups(void **state)
{
    workshop *w = *state;
    dice d = {3};
    uint32_t cluster[MOST], group[MOST];
    bool right[MOST];
    for (int round = 0; round < 200; round++) {
        size_t n = 1 + dice_below(&d, 60), marked = 0;
        for (size_t i = 0; i < n; i++) {
            cluster[i] = dice_percent(&d, 10) ? PV_NO_CLUSTER : (uint32_t)dice_below(&d, 10);
            group[i] = (uint32_t)dice_below(&d, 10);
        }
        assert_int_equal(pv_mark_commonest(w->ctx, cluster, group, n, right), PSDVEC_OK);
        for (size_t i = 0; i < n; i++) {
            marked += right[i];
            assert_false(right[i] && cluster[i] == PV_NO_CLUSTER);
            for (size_t j = 0; j < i; j++) /* one group per cluster */
                assert_false(right[i] && right[j] && cluster[i] == cluster[j] &&
                             group[i] != group[j]);
        }
        assert_near((double)marked / (double)n, slow_purity(cluster, group, n), 1e-15);
    }
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* Pascal's triangle instead of logarithms. */
static double choose(unsigned n, unsigned k)
{
    double value = 1;
    for (unsigned i = 0; i < k; i++)
        value = value * (n - i) / (i + 1);
    return value;
}

static void mcnemars_test_is_exact(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 25; first++)
        for (unsigned second = 0; second < 25; second++) {
            unsigned n = first + second, fewer = first < second ? first : second;
            double p = 0;
            for (unsigned k = 0; k <= fewer; k++)
                p += choose(n, k) * pow(0.5, n);
            assert_near(pv_mcnemar(first, second), fmin(1, 2 * p), 1e-12);
        }
    assert_true(pv_mcnemar(0, 0) == 1);
    assert_true(pv_mcnemar(100000, 100000) == 1);
    assert_true(pv_mcnemar(5000, 6000) < 1e-15 && pv_mcnemar(5000, 6000) > 0);
}

static void the_interval_of_a_share_has_the_quantiles_of_the_binomial(void **state)
{
    (void)state;
    for (unsigned n = 1; n < 40; n++)
        for (unsigned right = 0; right <= n; right++) {
            double low, high, below = 0, p = (double)right / n, tail = (1 - 0.9) / 2;
            pv_share_interval(right, n, 0.9, &low, &high);
            double wanted_low = -1, wanted_high = -1;
            for (unsigned k = 0; k <= n && wanted_high < 0; k++) {
                below += choose(n, k) * pow(p, k) * pow(1 - p, n - k);
                if (wanted_low < 0 && below >= tail - 1e-12)
                    wanted_low = (double)k / n;
                if (below >= 1 - tail - 1e-12)
                    wanted_high = (double)k / n;
            }
            assert_near(low, wanted_low, 1e-15);
            assert_near(high, wanted_high, 1e-15);
        }
    double low, high;
    pv_share_interval(0, 0, 0.95, &low, &high);
    assert_true(isnan(low) && isnan(high));
    pv_share_interval(500000, 1000000, 0.95, &low, &high);
    assert_near(low, 0.5 - 1.95996 * 0.0005, 2e-6);
    assert_near(high, 0.5 + 1.95996 * 0.0005, 2e-6);
}

static void quantiles_lie_between_values(void **state)
{
    (void)state;
    const double values[] = {1, 2, 4, 8};
    assert_near(pv_quantile(values, 4, 0), 1, 0);
    assert_near(pv_quantile(values, 4, 1), 8, 0);
    assert_near(pv_quantile(values, 4, 0.5), 3, 0);
    assert_near(pv_quantile(values, 4, 0.25), 1.75, 1e-15);
    assert_true(isnan(pv_quantile(values, 0, 0.5)));
}

/* ---- The bootstrap --------------------------------------------------------------------------- */

/* Checks each resample as well. */
static double first_question_share(const void *arg, const uint32_t *times, void *room)
{
    size_t n = *(const size_t *)arg, all = 0;
    (void)room;
    for (size_t q = 0; q < n; q++)
        all += times[q];
    return all == n ? (double)times[0] : NAN;
}

static void a_resample_draws_as_many_questions_as_there_are(void **state)
{
    workshop *w = *state;
    enum { RESAMPLES = 4000 };
    static double values[RESAMPLES];
    for (size_t n = 1; n < 30; n += 7) {
        double sum = 0, squares = 0;
        assert_int_equal(pv_bootstrap(w->ctx, n, RESAMPLES, first_question_share, &n, 0, values),
                         PSDVEC_OK);
        for (int k = 0; k < RESAMPLES; k++) {
            assert_false(isnan(values[k]));
            sum += values[k];
            squares += values[k] * values[k];
        }
        double mean = sum / RESAMPLES, variance = squares / RESAMPLES - mean * mean;
        assert_near(mean, 1, 0.08); /* five standard errors */
        assert_near(variance, 1 - 1 / (double)n, 0.2);
    }
}

static double correlation(const void *arg, const uint32_t *times, void *room)
{
    return pv_spearman(arg, times, room);
}

/* The confidence interval of a correlation of normal variables is known: Fisher's z. */
static void the_interval_is_about_as_wide_as_theory_says(void **state)
{
    workshop *w = *state;
    enum { RESAMPLES = 2000 };
    double x[MOST], y[MOST], values[RESAMPLES], low, high, room[2 * MOST];
    pv_ranked ranked;
    pv_scope scope = {.ctx = w->ctx, .what = "ranks"};
    for (size_t i = 0; i < MOST; i++) {
        x[i] = pv_random_normal(5, 1, i);
        y[i] = x[i] + pv_random_normal(5, 2, i);
    }
    assert_int_equal(pv_ranked_make(&ranked, &scope, x, y, MOST), PSDVEC_OK);
    size_t bytes = pv_spearman_numbers(&ranked) * sizeof(double);
    assert_int_equal(pv_bootstrap(w->ctx, MOST, RESAMPLES, correlation, &ranked, bytes, values),
                     PSDVEC_OK);
    pv_interval(values, RESAMPLES, 0.95, &low, &high);
    double rho = pv_spearman(&ranked, NULL, room);
    double half = 1.96 * sqrt((1 + rho * rho / 2) / (MOST - 3));
    assert_near(low, tanh(atanh(rho) - half), 0.02);
    assert_near(high, tanh(atanh(rho) + half), 0.02);
    pv_scope_free(&scope);
}

static void resamples_do_not_depend_on_the_threads_but_on_the_seed(void **state)
{
    workshop *w = *state;
    enum { RESAMPLES = 500 };
    double x[MOST], y[MOST], values[4][RESAMPLES];
    dice d = {6};
    random_values(&d, x, y, MOST);
    const int threads[] = {1, 2, 5, 3};
    for (int k = 0; k < 4; k++) {
        pv_ranked ranked;
        workshop_context(w, UINT64_C(256) << 20, threads[k]);
        pv_scope scope = {.ctx = w->ctx, .what = "ranks"};
        if (k == 3)
            w->ctx->options.seed++;
        assert_int_equal(pv_ranked_make(&ranked, &scope, x, y, MOST), PSDVEC_OK);
        size_t bytes = pv_spearman_numbers(&ranked) * sizeof(double);
        assert_int_equal(
            pv_bootstrap(w->ctx, MOST, RESAMPLES, correlation, &ranked, bytes, values[k]),
            PSDVEC_OK);
        pv_scope_free(&scope);
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    assert_memory_equal(values[0], values[2], sizeof values[0]);
    assert_true(memcmp(values[0], values[3], sizeof values[0]) != 0);
}

static void missing_values_are_ignored_in_intervals(void **state)
{
    (void)state;
    double values[] = {3, NAN, 1, 2, NAN}, low, high;
    pv_interval(values, 5, 0.5, &low, &high);
    assert_near(low, 1.5, 1e-15);
    assert_near(high, 2.5, 1e-15);
    double few[] = {3, NAN, NAN};
    pv_interval(few, 3, 0.5, &low, &high);
    assert_true(isnan(low) && isnan(high));
}

static void p_is_twice_the_smaller_tail(void **state)
{
    (void)state;
    double values[99];
    for (int k = 0; k < 99; k++)
        values[k] = k < 4 ? -1 : 1;
    assert_near(pv_paired_p(values, 99), 2 * 5 / 100.0, 1e-15);
    for (int k = 0; k < 99; k++)
        values[k] = 0;
    assert_near(pv_paired_p(values, 99), 1, 0);
    for (int k = 0; k < 99; k++)
        values[k] = NAN;
    assert_true(isnan(pv_paired_p(values, 99)));
}

/* ---- k-means --------------------------------------------------------------------------------- */

enum { GROUPS = 6, MEMBERS = 15, DIM = 9 };

static void make_groups(float *points, double spread)
{
    for (int i = 0; i < GROUPS * MEMBERS; i++)
        for (int k = 0; k < DIM; k++)
            points[i * DIM + k] = (float)((k == i % GROUPS) +
                                          spread * pv_random_normal(7, 1, (uint64_t)(i * DIM + k)));
}

static void separate_groups_are_found(void **state)
{
    workshop *w = *state;
    float points[GROUPS * MEMBERS * DIM];
    uint32_t cluster[GROUPS * MEMBERS];
    make_groups(points, 0.05);
    assert_int_equal(
        pv_kmeans(w->ctx, points, NULL, (size_t)GROUPS * MEMBERS, DIM, GROUPS, cluster), PSDVEC_OK);
    for (int i = 0; i < GROUPS * MEMBERS; i++)
        for (int j = 0; j < i; j++)
            assert_int_equal(cluster[i] == cluster[j], i % GROUPS == j % GROUPS);
}

static double inertia(const float *points, const uint32_t *cluster, int n, uint32_t k)
{
    double sum = 0;
    for (uint32_t c = 0; c < k; c++)
        for (int d = 0; d < DIM; d++) {
            double mean = 0, size = 0;
            for (int i = 0; i < n; i++)
                if (cluster[i] == c) {
                    mean += (double)points[i * DIM + d];
                    size++;
                }
            for (int i = 0; i < n; i++)
                if (cluster[i] == c)
                    sum += pow((double)points[i * DIM + d] - mean / size, 2);
        }
    return sum;
}

/* With two clusters of few points, all partitions can be tried. In the plane, because in many
 * dimensions most partitions are nearly as good as similar ones. */
static void the_clusters_are_nearly_always_the_tightest_there_are(void **state)
{
    workshop *w = *state;
    enum { FEW = 10 };
    int tightest = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        float points[FEW * DIM];
        uint32_t cluster[FEW], tried[FEW];
        double least = INFINITY;
        for (int k = 0; k < FEW * DIM; k++)
            points[k] = k % DIM < 2 ? (float)pv_random_normal(seed, 3, (uint64_t)k) : 0;
        for (uint32_t bits = 0; bits < 1u << (FEW - 1); bits++) {
            for (int i = 0; i < FEW; i++)
                tried[i] = bits >> i & 1;
            least = fmin(least, inertia(points, tried, FEW, 2));
        }
        assert_int_equal(pv_kmeans(w->ctx, points, NULL, FEW, DIM, 2, cluster), PSDVEC_OK);
        double found = inertia(points, cluster, FEW, 2);
        tightest += found < least * 1.00001;
        assert_true(found < least * 1.1);
    }
    assert_true(tightest >= 18);
}

static void clusters_do_not_depend_on_the_threads(void **state)
{
    workshop *w = *state;
    float points[GROUPS * MEMBERS * DIM];
    uint32_t one[GROUPS * MEMBERS], many[GROUPS * MEMBERS];
    make_groups(points, 0.8);
    workshop_context(w, UINT64_C(256) << 20, 1);
    assert_int_equal(pv_kmeans(w->ctx, points, NULL, (size_t)GROUPS * MEMBERS, DIM, 8, one),
                     PSDVEC_OK);
    workshop_context(w, UINT64_C(256) << 20, 4);
    assert_int_equal(pv_kmeans(w->ctx, points, NULL, (size_t)GROUPS * MEMBERS, DIM, 8, many),
                     PSDVEC_OK);
    assert_memory_equal(one, many, sizeof one);
}

static void as_many_clusters_as_points_and_equal_points_work(void **state)
{
    workshop *w = *state;
    float points[5 * DIM] = {0};
    uint32_t cluster[5];
    assert_int_equal(pv_kmeans(w->ctx, points, NULL, 5, DIM, 5, cluster), PSDVEC_OK);
    for (int i = 0; i < 5; i++)
        assert_true(cluster[i] < 5);
    points[DIM] = points[2 * DIM + 1] = points[3 * DIM + 2] = points[4 * DIM + 3] = 1;
    assert_int_equal(pv_kmeans(w->ctx, points, NULL, 5, DIM, 5, cluster), PSDVEC_OK);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            assert_true(cluster[i] != cluster[j]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        TEST(the_correlation_is_that_of_average_ranks),
        TEST(a_resample_counts_each_question_as_often_as_it_was_drawn),
        TEST(a_correlation_needs_two_questions_and_two_values),
        TEST(purity_is_the_share_of_the_commonest_groups),
        TEST(mcnemars_test_is_exact),
        TEST(the_interval_of_a_share_has_the_quantiles_of_the_binomial),
        TEST(quantiles_lie_between_values),
        TEST(a_resample_draws_as_many_questions_as_there_are),
        TEST(the_interval_is_about_as_wide_as_theory_says),
        TEST(resamples_do_not_depend_on_the_threads_but_on_the_seed),
        TEST(missing_values_are_ignored_in_intervals),
        TEST(p_is_twice_the_smaller_tail),
        TEST(separate_groups_are_found),
        TEST(the_clusters_are_nearly_always_the_tightest_there_are),
        TEST(clusters_do_not_depend_on_the_threads),
        TEST(as_many_clusters_as_points_and_equal_points_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
