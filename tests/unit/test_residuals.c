/* Residuals of all pairs against the dense reference: pattern, targets, products. */
#include "document/residual_matrix.h"
#include "support/problem.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static psdvec_model *trained(problem *p, const psdvec_train_options *options)
{
    psdvec_model *m;
    char *path = scratch_path(p->folder, "model");
    well(p->ctx, psdvec_train(p->ctx, options, p->path, path, NULL));
    well(p->ctx, psdvec_model_open(p->ctx, path, &m));
    free(path);
    return m;
}

/* Every pair of words, the rows' entries and those that must not be there. */
static void compare_with_reference(const problem *p, const psdvec_model *m,
                                   const psdvec_train_options *o, pv_residual_kind kind)
{
    pv_residual_matrix *r;
    well(p->ctx, pv_residual_matrix_make(p->ctx, m, p->counts, kind, &r));
    dense_link link = dense_link_make(&p->dense, o);
    size_t n = p->dense.words;
    assert_int_equal(r->words, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = r->begin[i];
        for (size_t j = 0; j < n; j++) {
            double xij = p->dense.x[i * n + j], xji = p->dense.x[j * n + i];
            bool wanted = o->target == PSDVEC_TARGET_PMI ? xij + xji > 0 : xij > 0;
            bool found = at < r->begin[i + 1] && r->focus[at] == j;
            assert_int_equal(found, wanted);
            if (!found)
                continue;
            double expected = link.G[i * n + j];
            if (kind == PV_RESIDUAL_DIFFERENCE)
                expected -= psdvec_model_product(m, (uint32_t)i, (uint32_t)j);
            assert_close(r->value[at], expected, 2e-5);
            at++;
        }
        assert_int_equal(at, r->begin[i + 1]);
    }
    if (o->target == PSDVEC_TARGET_PMI)
        assert_true(isnan(r->unseen));
    else
        assert_close(r->unseen, log(o->kappa), 1e-12);
    dense_link_free(&link);
    pv_residual_matrix_free(r);
}

static void both_targets_agree_with_the_dense_reference(void **state)
{
    (void)state;
    for (int subsample = 0; subsample < 2; subsample++)
        for (int pmi = 0; pmi < 2; pmi++) {
            problem *p = problem_of_text(11, 90, 3000, subsample, 2);
            psdvec_train_options o = pmi ? factored_options(13, 4) : paper_options(13, 4);
            psdvec_model *m = trained(p, &o);
            compare_with_reference(p, m, &o, PV_RESIDUAL_TARGET);
            compare_with_reference(p, m, &o, PV_RESIDUAL_DIFFERENCE);
            psdvec_model_close(m);
            problem_free(p);
        }
}

/* So many words that there are several stripes of rows, dense tiles, and behind them sparse ones.
 * Every product is checked, and every bit for another number of threads. */
static void products_are_right_in_dense_and_sparse_tiles(void **state)
{
    (void)state;
    problem *p = problem_of_text(3, 4000, 60000, false, 1);
    psdvec_train_options o = factored_options(10, 2);
    psdvec_model *m = trained(p, &o);
    pv_residual_matrix *r, *again, *targets;
    well(p->ctx, pv_residual_matrix_make(p->ctx, m, p->counts, PV_RESIDUAL_DIFFERENCE, &r));
    well(p->ctx, pv_residual_matrix_make(p->ctx, m, p->counts, PV_RESIDUAL_TARGET, &targets));
    uint64_t count = r->begin[r->words];
    assert_true(r->words > 2600 && count > 100000);
    for (uint32_t i = 0; i < r->words; i++)
        for (uint64_t k = r->begin[i]; k < r->begin[i + 1]; k++)
            assert_close(r->value[k], targets->value[k] - psdvec_model_product(m, i, r->focus[k]),
                         2e-5);
    psdvec_context *three = context_of(3);
    well(three, pv_residual_matrix_make(three, m, p->counts, PV_RESIDUAL_DIFFERENCE, &again));
    assert_memory_equal(r->begin, again->begin, (r->words + 1) * sizeof *r->begin);
    assert_memory_equal(r->focus, again->focus, count * sizeof *r->focus);
    assert_memory_equal(r->value, again->value, count * sizeof *r->value);
    pv_residual_matrix_free(again);
    psdvec_context_free(three);
    pv_residual_matrix_free(r);
    pv_residual_matrix_free(targets);
    psdvec_model_close(m);
    problem_free(p);
}

/* Counts of other words, in another order: matched by spelling. */
static void words_of_other_counts_are_matched_by_spelling(void **state)
{
    (void)state;
    problem *p = problem_of_text(5, 40, 4000, false, 1),
            *other = problem_of_text(6, 60, 900, false, 1);
    for (int pmi = 0; pmi < 2; pmi++) {
        psdvec_train_options o = pmi ? factored_options(6, 3) : paper_options(6, 3);
        psdvec_model *m = trained(p, &o);
        pv_residual_matrix *r;
        well(p->ctx, pv_residual_matrix_make(p->ctx, m, other->counts, PV_RESIDUAL_DIFFERENCE, &r));
        uint64_t seen = 0;
        for (uint32_t i = 0; i < r->words; i++) {
            for (uint64_t k = r->begin[i]; k < r->begin[i + 1]; k++) {
                psdvec_pair_story s;
                assert_true(k == r->begin[i] || r->focus[k] > r->focus[k - 1]);
                well(p->ctx,
                     psdvec_model_explain_pair(p->ctx, m, other->counts, i, r->focus[k], &s));
                assert_close(r->value[k], s.target_ij - s.product, 2e-5);
                assert_true(s.count_ij > 0 || (pmi && s.count_ji > 0));
                seen++;
            }
        }
        /* All pairs of words that both know, and no other. */
        uint64_t expected = 0;
        for (uint32_t i = 0; i < r->words; i++)
            for (uint32_t j = 0; j < r->words; j++) {
                uint32_t a, b;
                size_t length;
                const char *word = psdvec_model_word(m, i, &length);
                bool known = psdvec_counts_find(other->counts, word, length, &a);
                word = psdvec_model_word(m, j, &length);
                if (known && psdvec_counts_find(other->counts, word, length, &b))
                    expected += psdvec_counts_get(other->counts, a, b) > 0 ||
                                (pmi && psdvec_counts_get(other->counts, b, a) > 0);
            }
        assert_true(seen == expected && seen > 100);
        pv_residual_matrix_free(r);
        psdvec_model_close(m);
    }
    problem_free(other);
    problem_free(p);
}

static void a_small_budget_puts_the_matrix_into_a_file(void **state)
{
    (void)state;
    problem *p = problem_of_text(3, 800, 200000, false, 1);
    psdvec_train_options o = factored_options(4, 2);
    psdvec_model *m = trained(p, &o);
    pv_residual_matrix *r, *large;
    psdvec_context_options small;
    psdvec_context *ctx;
    psdvec_context_options_default(&small);
    small.threads = 1;
    small.memory = 2 << 20;
    assert_int_equal(psdvec_context_new(&small, &ctx), PSDVEC_OK);
    well(ctx, pv_residual_matrix_make(ctx, m, p->counts, PV_RESIDUAL_DIFFERENCE, &r));
    well(p->ctx, pv_residual_matrix_make(p->ctx, m, p->counts, PV_RESIDUAL_DIFFERENCE, &large));
    assert_true(r->values.mapped && !large->values.mapped);
    assert_memory_equal(r->value, large->value, r->begin[r->words] * sizeof *r->value);
    pv_residual_matrix_free(r);
    pv_residual_matrix_free(large);
    psdvec_context_free(ctx);
    psdvec_model_close(m);
    problem_free(p);
}

static void a_model_of_another_program_has_no_residuals(void **state)
{
    (void)state;
    problem *p = problem_of_text(5, 40, 4000, false, 1);
    char *path = scratch_path(p->folder, "foreign.txt");
    scratch_write(path, "2 2\nw0 1 2\nw1 3 4\n", 18);
    psdvec_model *m;
    pv_residual_matrix *r;
    well(p->ctx, psdvec_model_open(p->ctx, path, &m));
    assert_int_equal(pv_residual_matrix_make(p->ctx, m, p->counts, PV_RESIDUAL_TARGET, &r),
                     PSDVEC_ERR_FORMAT);
    assert_non_null(strstr(psdvec_error_message(p->ctx), "does not say how it was trained"));
    pv_residual_matrix_free(r);
    psdvec_model_close(m);
    free(path);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_targets_agree_with_the_dense_reference),
        cmocka_unit_test(products_are_right_in_dense_and_sparse_tiles),
        cmocka_unit_test(words_of_other_counts_are_matched_by_spelling),
        cmocka_unit_test(a_small_budget_puts_the_matrix_into_a_file),
        cmocka_unit_test(a_model_of_another_program_has_no_residuals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
