/* The targets of pairs, against values computed by hand for three words with the formulas of
 * docs/explanation/model.md.
 *
 *     x   w0 w1 w2      X    Y    r     tot = 8
 *     w0   .  3  2      5    1    6
 *     w1   1  .  1      2    4    6
 *     w2   0  1  .      1    3    4
 */
#include "support/problem.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static problem *three_words(void)
{
    static const double x[] = {0, 3, 2, 1, 0, 1, 0, 1, 0};
    dense_counts c = dense_counts_new(3);
    memcpy(c.x, x, sizeof x);
    return problem_new(c, 1, 1);
}

static psdvec_model *trained(problem *p, const psdvec_train_options *options)
{
    psdvec_model *m;
    char *path = scratch_path(p->folder, "model");
    well(p->ctx, psdvec_train(p->ctx, options, p->path, path, NULL));
    well(p->ctx, psdvec_model_open(p->ctx, path, &m));
    free(path);
    return m;
}

static void the_default_preset_by_hand(void **state)
{
    (void)state;
    problem *p = three_words();
    psdvec_train_options o;
    psdvec_pair_explanation s;
    psdvec_train_options_default(&o);
    o.dim = 2;
    o.rho_pairs = 1000;
    psdvec_model *m = trained(p, &o);
    well(p->ctx, psdvec_model_explain_pair(p->ctx, m, p->counts, 0, 1, &s));
    assert_true(s.count_ij == 3 && s.count_ji == 1 && s.same_counts);
    /* ½ [log(s / (r_0 pc_1)) + log(s / (r_1 pc_0))], pc = √r / sum; here both are the same */
    double sum = pow(6, 0.5) + pow(6, 0.5) + pow(4, 0.5);
    assert_close(s.target, log(4 / (6 * pow(6, 0.5) / sum)), 1e-12);
    assert_true(s.target_ij == s.target_ji && s.weight_ij == s.weight_ji);
    /* a_0 a_1 σ(pmi), e^pmi = 2 tot s / (r_0 r_1) = 16 * 4 / 36 */
    double mean = (pow(6, 0.3) + pow(6, 0.3) + pow(4, 0.3)) / 3, a = pow(6, 0.3) / mean;
    double odds = 16.0 * 4 / 36;
    assert_close(s.weight, a * a * odds / (1 + odds), 1e-12);
    /* Both words have 6 of 1,000 pairs. */
    assert_close(s.background, 0.2 * a * a * pow(6.0 / 1000, 0.6), 1e-12);
    assert_true(s.background_target == -2);
    assert_true(s.product == psdvec_model_product(m, 0, 1));
    assert_close(s.residual, s.target - s.product, 1e-12);
    well(p->ctx, psdvec_model_explain_pair(p->ctx, m, p->counts, 2, 0, &s));
    assert_true(s.count_ij == 0 && s.count_ji == 2);
    assert_close(s.target,
                 0.5 * (log(2 / (4 * pow(6, 0.5) / sum)) + log(2 / (6 * pow(4, 0.5) / sum))),
                 1e-12);
    /* A word with itself has no weight, and therefore no target. */
    well(p->ctx, psdvec_model_explain_pair(p->ctx, m, p->counts, 1, 1, &s));
    assert_true(s.weight == 0 && s.background == 0 && isnan(s.target) && isnan(s.residual));
    psdvec_model_close(m);
    problem_free(p);
}

static void the_papers_preset_by_hand(void **state)
{
    (void)state;
    problem *p = three_words();
    psdvec_train_options o;
    psdvec_pair_explanation s;
    psdvec_train_options_preset(&o, PSDVEC_PRESET_PAPER, NULL);
    o.dim = 2;
    psdvec_model *m = trained(p, &o);
    well(p->ctx, psdvec_model_explain_pair(p->ctx, m, p->counts, 0, 1, &s));
    /* log((1 - kappa) x / X + kappa u) - log u; u_1 = 4/8, u_0 = 1/8 */
    double g01 = log(0.98 * 3 / 5 + 0.02 * 0.5) - log(0.5);
    double g10 = log(0.98 * 1 / 2 + 0.02 * 0.125) - log(0.125);
    /* C is the square root of the largest count, 3, as the cut is one pair here. */
    double f01 = 1, f10 = 1 / sqrt(3);
    assert_close(s.target_ij, g01, 1e-12);
    assert_close(s.target_ji, g10, 1e-12);
    assert_close(s.weight_ij, f01, 1e-12);
    assert_close(s.weight_ji, f10, 1e-12);
    assert_close(s.weight, (f01 + f10) / 2, 1e-12);
    assert_close(s.target, (f01 * g01 + f10 * g10) / (f01 + f10), 1e-12);
    assert_true(s.background == 0);
    /* w0 never follows w2: that direction has a target, but no weight. */
    well(p->ctx, psdvec_model_explain_pair(p->ctx, m, p->counts, 0, 2, &s));
    assert_close(s.target_ji, log(0.02), 1e-12);
    assert_true(s.weight_ji == 0);
    assert_close(s.target, log(0.98 * 2 / 5 + 0.02 * 0.375) - log(0.375), 1e-12);
    psdvec_model_close(m);
    problem_free(p);
}

static void unseen_pairs_have_the_weights_of_the_function(void **state)
{
    (void)state;
    static const double x[] = {0, 4, 0, 2, 0, 3, 0, 1, 0};
    psdvec_pair_explanation s;
    for (int smoothed = 0; smoothed < 2; smoothed++) {
        dense_counts c = dense_counts_new(3);
        memcpy(c.x, x, sizeof x);
        problem *p = problem_new(c, 1, 1);
        psdvec_train_options o;
        psdvec_train_options_preset(&o, smoothed ? PSDVEC_PRESET_PAPER : PSDVEC_PRESET_DEFAULT,
                                    NULL);
        o.dim = 2;
        if (smoothed)
            o.weights = PSDVEC_WEIGHTS_SMOOTHED;
        psdvec_model *m = trained(p, &o);
        well(p->ctx, psdvec_model_explain_pair(p->ctx, m, p->counts, 0, 2, &s));
        assert_true(s.count_ij == 0 && s.count_ji == 0);
        if (smoothed) {
            /* √(kappa u_0 u_2) / C, u_0 = 2/10, u_2 = 3/10; C² is the largest h, that of w0 w1 */
            double cut = sqrt(0.98 * 4 / 10 + 0.02 * 0.2 * 0.5);
            assert_close(s.weight, sqrt(0.02 * 0.2 * 0.3) / cut, 1e-8); /* C has that many digits */
            assert_close(s.target, log(0.02), 1e-12);
        } else {
            assert_true(s.weight == 0 && isnan(s.target) && s.background > 0);
        }
        psdvec_model_close(m);
        problem_free(p);
    }
}

static void with_subsampling_counts_are_expected_ones(void **state)
{
    (void)state;
    problem *p = problem_of_text(5, 30, 4000, true, 2);
    psdvec_train_options o;
    psdvec_pair_explanation s;
    psdvec_train_options_default(&o);
    o.dim = 5;
    psdvec_model *m = trained(p, &o);
    well(p->ctx, psdvec_model_explain_pair(p->ctx, m, p->counts, 0, 1, &s));
    double scale = (double)psdvec_counts_get_info(p->counts)->scale;
    assert_true(psdvec_counts_retention(p->counts, 0) < 1);
    assert_close(s.count_ij,
                 (double)psdvec_counts_get(p->counts, 0, 1) / scale *
                     psdvec_counts_retention(p->counts, 0) * psdvec_counts_retention(p->counts, 1),
                 1e-9);
    assert_true(s.same_counts && s.weight > 0 && isfinite(s.target));
    /* A word has no target with itself even if it occurs next to itself. */
    assert_true(psdvec_counts_get(p->counts, 0, 0) > 0);
    well(p->ctx, psdvec_model_explain_pair(p->ctx, m, p->counts, 0, 0, &s));
    assert_true(s.count_ij > 0 && s.weight == 0 && s.background == 0 && isnan(s.target));
    psdvec_model_close(m);
    problem_free(p);
}

static void mismatched_files_are_reported(void **state)
{
    (void)state;
    problem *p = three_words(), *other = problem_of_text(5, 30, 4000, false, 1);
    psdvec_train_options o;
    psdvec_pair_explanation s;
    psdvec_train_options_default(&o);
    o.dim = 2;
    psdvec_model *m = trained(other, &o);
    assert_int_equal(psdvec_model_explain_pair(p->ctx, m, p->counts, 0, 29, &s),
                     PSDVEC_ERR_MISMATCH);
    assert_non_null(strstr(psdvec_error_message(p->ctx), "does not have the word"));
    assert_int_equal(psdvec_model_explain_pair(p->ctx, m, p->counts, 30, 0, &s), PSDVEC_ERR_OPTION);
    uint32_t w0 = 0, w1 = 0;
    assert_true(psdvec_model_find(m, "w0", 2, &w0) && psdvec_model_find(m, "w1", 2, &w1));
    well(p->ctx, psdvec_model_explain_pair(p->ctx, m, p->counts, w0, w1, &s));
    assert_false(s.same_counts);
    psdvec_model_close(m);
    problem_free(other);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_preset_by_hand),
        cmocka_unit_test(the_papers_preset_by_hand),
        cmocka_unit_test(unseen_pairs_have_the_weights_of_the_function),
        cmocka_unit_test(with_subsampling_counts_are_expected_ones),
        cmocka_unit_test(mismatched_files_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
