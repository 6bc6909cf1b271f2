/* What public calls do when a host hands them NULL or an index out of range. */
#include "base/arguments.h"
#include "model/sparse_write.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_refused(workshop *w, psdvec_status status, const char *sentence)
{
    assert_int_equal(status, PSDVEC_ERR_OPTION);
    assert_string_equal(psdvec_error_message(w->ctx), sentence);
}

#define assert_needs(w, name, call)                                                                \
    assert_refused(w, call, "NULL was given for `" name "`, which is required")
#define assert_needs_array(w, name, count, call)                                                   \
    assert_refused(w, call, "NULL was given for `" name "`, but its number of elements is " #count)

/* ---- The macros --------------------------------------------------------------- */

static psdvec_status a_call(psdvec_context *context, const int *model, const char *const *inputs,
                            size_t input_count, const int *list, size_t list_count, uint32_t word)
{
    PV_BEGIN(context);
    PV_NEED(context, model);
    PV_NEED_EACH(context, inputs, input_count);
    PV_NEED_ARRAY(context, list, list_count);
    PV_NEED_INDEX(context, word, 7U);
    return PSDVEC_OK;
}

static void null_and_bad_indices_are_refused_by_name(void **state)
{
    workshop *w = *state;
    psdvec_context *ctx = w->ctx;
    const int x = 0;
    const char *inputs[] = {"a", "b"}, *holes[] = {"a", NULL};
    assert_int_equal(a_call(ctx, &x, inputs, 2, &x, 1, 6), PSDVEC_OK);
    assert_int_equal(a_call(ctx, &x, NULL, 0, NULL, 0, 6), PSDVEC_OK);
    assert_refused(w, a_call(ctx, NULL, inputs, 2, &x, 1, 6),
                   "NULL was given for `model`, which is required");
    assert_refused(w, a_call(ctx, &x, NULL, 2, &x, 1, 6),
                   "NULL was given for `inputs`, but its number of elements is 2");
    assert_refused(w, a_call(ctx, &x, holes, 2, &x, 1, 6), "NULL was given for `inputs[1]`");
    assert_refused(w, a_call(ctx, &x, inputs, 2, NULL, 3, 6),
                   "NULL was given for `list`, but its number of elements is 3");
    assert_refused(w, a_call(ctx, &x, inputs, 2, &x, 1, 7), "`word` is 7, but must be less than 7");
    assert_int_equal(a_call(NULL, &x, inputs, 2, &x, 1, 6), PSDVEC_ERR_OPTION);
    assert_int_equal(a_call(ctx, &x, inputs, 2, &x, 1, 0), PSDVEC_OK);
    assert_string_equal(psdvec_error_message(ctx), "");
}

/* ---- Models ------------------------------------------------------------------------ */

/* Two words a, b of three numbers each. */
static psdvec_model *open_pair(workshop *w)
{
    static const char text[] = "a 1 2 3\nb 3 2 1\n";
    scratch_write(w->in, text, strlen(text));
    return open_model(w, w->in);
}

static void check_model_getters(const psdvec_model *m, uint32_t i, bool there)
{
    size_t length = 99, count = 99;
    const uint32_t *columns = NULL;
    const float *values = NULL;
    float vector[3] = {7, 7, 7};
    bool sparse = m && psdvec_model_get_info(m)->sparse;
    assert_true((psdvec_model_word(m, i, &length) != NULL) == there);
    assert_int_equal(length, there ? 1 : 0);
    assert_true((psdvec_model_word(m, i, NULL) != NULL) == there);
    assert_true((psdvec_model_vector(m, i) != NULL) == (there && !sparse));
    assert_int_equal(psdvec_model_frequency(m, i), 0);
    assert_true(there ? psdvec_model_spread(m, i) == 0 : isnan(psdvec_model_spread(m, i)));
    assert_true(there ? psdvec_model_unigram(m, i) == 0 : isnan(psdvec_model_unigram(m, i)));
    assert_true(isnan(psdvec_model_product(m, i, 0)) == !there);
    assert_true(isnan(psdvec_model_product(m, 0, i)) == !there);
    assert_true(isnan(psdvec_model_cosine(m, i, 0)) == !there);
    assert_true(isnan(psdvec_model_cosine(m, 0, i)) == !there);
    assert_true(psdvec_model_copy(m, i, vector) == there);
    assert_true(m && !there ? vector[0] == 0 && vector[2] == 0 : vector[0] != 0);
    psdvec_model_sparse_row(m, i, &columns, &values, &count);
    assert_true(count == (there && sparse ? 2 : 0));
    psdvec_model_sparse_row(m, i, NULL, NULL, NULL);
}

static void getters_of_models_answer_for_any_index(void **state)
{
    workshop *w = *state;
    psdvec_model *m = open_pair(w);
    for (uint32_t i = 0; i < 2; i++)
        check_model_getters(m, i, true);
    check_model_getters(m, 2, false);
    check_model_getters(m, UINT32_MAX, false);
    check_model_getters(NULL, 0, false);
    uint32_t i;
    float vector[3];
    assert_true(psdvec_model_find(m, "b", 1, &i) && i == 1);
    assert_false(psdvec_model_find(NULL, "b", 1, &i) || psdvec_model_find(m, NULL, 0, &i) ||
                 psdvec_model_find(m, "b", 1, NULL));
    assert_null(psdvec_model_get_info(NULL));
    assert_false(psdvec_model_copy(m, 0, NULL));
    assert_false(psdvec_model_spell(NULL, "b", 1, vector) ||
                 psdvec_model_spell(m, NULL, 0, vector) || psdvec_model_spell(m, "b", 1, NULL));
    psdvec_model_close(m);
}

static void getters_of_sparse_models_answer_for_any_index(void **state)
{
    workshop *w = *state;
    const uint64_t offsets[] = {0, 1, 2}, begin[] = {0, 2, 4};
    const uint32_t column[] = {0, 1, 0, 2};
    const float value[] = {1, 2, 3, 4};
    const pv_sparse_model_data data = {.words = 2,
                                       .dim = 3,
                                       .bytes = "ab",
                                       .offsets = offsets,
                                       .begin = begin,
                                       .column = column,
                                       .value = value};
    assert_int_equal(pv_sparse_model_write(w->ctx, &data, w->out), PSDVEC_OK);
    psdvec_model *m = open_model(w, w->out);
    check_model_getters(m, 0, true);
    check_model_getters(m, 1, true);
    check_model_getters(m, 2, false);
    check_model_getters(m, UINT32_MAX, false);
    psdvec_model_close(m);
}

static void calls_about_models_need_their_pointers(void **state)
{
    workshop *w = *state;
    psdvec_model *m = open_pair(w), *none = m;
    const float v[3] = {1, 2, 3}, *vectors;
    psdvec_neighbour near[2];
    size_t found;
    assert_needs(w, "path", psdvec_model_open(w->ctx, NULL, &none));
    assert_null(none);
    assert_needs(w, "model", psdvec_model_open(w->ctx, w->in, NULL));
    assert_int_equal(psdvec_model_open(NULL, w->in, &none), PSDVEC_ERR_OPTION);
    assert_needs(w, "model", psdvec_model_verify(w->ctx, NULL));
    assert_needs(w, "model", psdvec_model_readout(w->ctx, NULL, &vectors));
    assert_needs(w, "vectors", psdvec_model_readout(w->ctx, m, NULL));
    assert_needs(w, "model", psdvec_model_similar(w->ctx, NULL, v, NULL, 2, near, &found));
    assert_needs(w, "vector", psdvec_model_similar(w->ctx, m, NULL, NULL, 2, near, &found));
    psdvec_query_options options = without(NULL, 3);
    assert_refused(w, psdvec_model_similar(w->ctx, m, v, &options, 2, near, &found),
                   "`except` is NULL, but `except_count` is 3; give the list, or 0");
    assert_needs_array(w, "neighbours", 2,
                       psdvec_model_similar(w->ctx, m, v, NULL, 2, NULL, &found));
    assert_needs(w, "found", psdvec_model_similar(w->ctx, m, v, NULL, 2, near, NULL));
    assert_needs(
        w, "b",
        psdvec_model_analogy(w->ctx, m, PSDVEC_MEASURE_ADD, v, NULL, v, NULL, 2, near, &found));
    assert_needs_array(
        w, "answers", 2,
        psdvec_model_analogy(w->ctx, m, PSDVEC_MEASURE_ADD, v, v, v, NULL, 2, NULL, &found));
    assert_needs(w, "input", psdvec_convert(w->ctx, NULL, NULL, w->out));
    assert_needs(w, "output", psdvec_convert(w->ctx, NULL, w->in, NULL));
    psdvec_model_close(m);
}

/* ---- Counts ------------------------------------------------------------------------ */

static psdvec_counts *open_counts(workshop *w)
{
    static const char text[] = "a b a b a\n";
    const char *inputs[] = {w->in};
    psdvec_count_options options;
    psdvec_counts *counts;
    scratch_write(w->in, text, strlen(text));
    psdvec_count_options_default(&options);
    options.min_count = 1;
    assert_int_equal(psdvec_count(w->ctx, &options, inputs, 1, w->out, NULL), PSDVEC_OK);
    assert_int_equal(psdvec_counts_open(w->ctx, w->out, &counts), PSDVEC_OK);
    return counts;
}

static void check_counts_getters(const psdvec_counts *c, uint32_t i, bool there)
{
    size_t length = 99;
    psdvec_row row = {.length = 99};
    assert_true((psdvec_counts_word(c, i, &length) != NULL) == there);
    assert_int_equal(length, there ? 1 : 0);
    assert_true((psdvec_counts_frequency(c, i) > 0) == there);
    assert_true((psdvec_counts_context_total(c, i) > 0) == there);
    assert_true((psdvec_counts_focus_total(c, i) > 0) == there);
    assert_true(there ? psdvec_counts_keep(c, i) == 1 : isnan(psdvec_counts_keep(c, i)));
    psdvec_counts_row(c, i, &row);
    assert_int_equal(row.length, there ? 2 : 0);
    assert_true((psdvec_counts_get(c, i, 0) > 0) == there);
    assert_true((psdvec_counts_get(c, 0, i) > 0) == there);
    psdvec_counts_row(c, i, NULL);
}

static void getters_of_counts_answer_for_any_index(void **state)
{
    workshop *w = *state;
    psdvec_counts *c = open_counts(w);
    uint32_t i;
    check_counts_getters(c, 0, true);
    check_counts_getters(c, 1, true);
    check_counts_getters(c, 2, false);
    check_counts_getters(c, UINT32_MAX, false);
    check_counts_getters(NULL, 0, false);
    assert_null(psdvec_counts_get_info(NULL));
    assert_false(psdvec_counts_find(NULL, "a", 1, &i) || psdvec_counts_find(c, NULL, 0, &i) ||
                 psdvec_counts_find(c, "a", 1, NULL));
    psdvec_counts_close(c);
}

static void calls_about_counts_need_their_pointers(void **state)
{
    workshop *w = *state;
    psdvec_counts *c = open_counts(w), *none = c;
    psdvec_model *m = NULL;
    psdvec_pair_story story;
    const char *holes[] = {w->in, NULL};
    assert_int_equal(psdvec_count_options_check(w->ctx, NULL), PSDVEC_OK);
    assert_needs_array(w, "inputs", 2, psdvec_count(w->ctx, NULL, NULL, 2, w->other, NULL));
    assert_refused(w, psdvec_count(w->ctx, NULL, holes, 2, w->other, NULL),
                   "NULL was given for `inputs[1]`");
    assert_needs(w, "output", psdvec_count(w->ctx, NULL, holes, 1, NULL, NULL));
    assert_needs(w, "path", psdvec_counts_open(w->ctx, NULL, &none));
    assert_null(none);
    assert_needs(w, "counts", psdvec_counts_open(w->ctx, w->out, NULL));
    assert_needs(w, "counts", psdvec_counts_verify(w->ctx, NULL));
    assert_needs(w, "counts", psdvec_counts_check_rows(w->ctx, NULL));
    assert_needs_array(w, "paths", 1, psdvec_counts_merge(w->ctx, NULL, 1, w->other, NULL));
    assert_needs(w, "output", psdvec_counts_merge(w->ctx, holes, 1, NULL, NULL));
    assert_needs(w, "input", psdvec_counts_import(w->ctx, NULL, NULL, w->other, NULL));
    assert_needs(w, "output", psdvec_counts_import(w->ctx, NULL, w->in, NULL, NULL));
    assert_needs(
        w, "counts",
        psdvec_counts_export(w->ctx, NULL, PSDVEC_FORMAT_TOP2GRAMS, false, w->other, NULL));
    assert_needs(w, "output",
                 psdvec_counts_export(w->ctx, c, PSDVEC_FORMAT_TOP2GRAMS, false, NULL, NULL));
    assert_needs(w, "model", psdvec_model_explain_pair(w->ctx, NULL, c, 0, 1, &story));
    m = open_pair(w);
    assert_needs(w, "counts", psdvec_model_explain_pair(w->ctx, m, NULL, 0, 1, &story));
    assert_needs(w, "story", psdvec_model_explain_pair(w->ctx, m, c, 0, 1, NULL));
    psdvec_model_close(m);
    psdvec_counts_close(c);
}

/* ---- Tests ------------------------------------------------------------------------- */

static void calls_about_tests_need_their_pointers(void **state)
{
    workshop *w = *state;
    psdvec_test *test = NULL, *none;
    psdvec_report *report;
    psdvec_model *m = open_pair(w);
    const psdvec_model *models[] = {m, NULL};
    size_t count = 99;
    assert_needs(w, "path", psdvec_test_open(w->ctx, NULL, &none));
    assert_needs(w, "test", psdvec_test_open(w->ctx, w->in, NULL));
    assert_needs(w, "test", psdvec_test_builtin(w->ctx, 0, NULL));
    assert_int_equal(psdvec_test_builtin(w->ctx, 0, &test), PSDVEC_OK);
    const psdvec_test *tests[] = {test, NULL};
    assert_refused(w, psdvec_eval(w->ctx, NULL, models, 2, tests, 1, &report),
                   "NULL was given for `models[1]`");
    assert_refused(w, psdvec_eval(w->ctx, NULL, models, 1, tests, 2, &report),
                   "NULL was given for `tests[1]`");
    assert_needs_array(w, "tests", 1, psdvec_eval(w->ctx, NULL, models, 1, NULL, 1, &report));
    assert_needs(w, "report", psdvec_eval(w->ctx, NULL, models, 1, tests, 1, NULL));
    assert_int_equal(psdvec_eval(w->ctx, NULL, models, 1, tests, 1, &report), PSDVEC_OK);
    psdvec_report_free(report);
    assert_null(psdvec_report_scores(NULL, &count));
    assert_int_equal(count, 0);
    count = 99;
    assert_null(psdvec_report_differences(NULL, &count));
    assert_int_equal(count, 0);
    assert_null(psdvec_test_get_info(NULL));
    assert_null(psdvec_test_section(NULL, 0));
    assert_null(psdvec_test_section(test, psdvec_test_get_info(test)->sections));
    psdvec_test_close(test);
    psdvec_model_close(m);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, workshop_open, workshop_close)
    const struct CMUnitTest tests[] = {
        TEST(null_and_bad_indices_are_refused_by_name),
        TEST(getters_of_models_answer_for_any_index),
        TEST(getters_of_sparse_models_answer_for_any_index),
        TEST(calls_about_models_need_their_pointers),
        TEST(getters_of_counts_answer_for_any_index),
        TEST(calls_about_counts_need_their_pointers),
        TEST(calls_about_tests_need_their_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
