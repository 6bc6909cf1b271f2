/* Positive PMI against the formula on a dense matrix, and the baseline `ppmi`. */
#include "baseline/cooccurrence.h"
#include "model/model_read.h"
#include "support/problem.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* words x words; 0 where it is not positive. */
static double *dense_ppmi(const dense_counts *counts, double power, double shift)
{
    size_t n = counts->words;
    double *M = calloc(n * n, sizeof *M), *margin = calloc(n, sizeof *margin), smoothed = 0;
    assert_true(M && margin);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            margin[i] += counts->x[i * n + j] + counts->x[j * n + i];
    for (size_t i = 0; i < n; i++)
        smoothed += pow(margin[i], power);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double x = counts->x[i * n + j] + counts->x[j * n + i];
            double pmi = log(x * smoothed / (margin[i] * pow(margin[j], power))) - log(shift);
            M[i * n + j] = x > 0 && pmi > 0 ? pmi : 0;
        }
    free(margin);
    return M;
}

static void assert_is(const pv_csr_store *c, const double *M)
{
    size_t n = c->rows;
    assert_int_equal(c->begin[0], 0);
    for (size_t i = 0; i < n; i++) {
        uint64_t k = c->begin[i];
        for (size_t j = 0; j < n; j++) {
            bool there = k < c->begin[i + 1] && c->column[k] == j;
            /* If a value is close to 0, rounding decides whether it is there. */
            assert_close(there ? (double)c->value[k] : 0, M[i * n + j], 2e-6);
            assert_true(!there || c->value[k] > 0);
            k += there;
        }
        assert_int_equal(k, c->begin[i + 1]);
    }
}

static void entries_are_those_of_the_formula(void **state)
{
    (void)state;
    static const double powers[] = {0.75, 1, 0.3}, shifts[] = {1, 5, 0.5};
    for (int subsample = 0; subsample < 2; subsample++) {
        problem *p = problem_of_text(11, 250, 15000, subsample != 0, 3);
        for (size_t k = 0; k < 9; k++) {
            pv_cooccurrence c;
            double power = powers[k % 3], shift = shifts[k / 3];
            well(p->ctx, pv_cooccurrence_make(p->ctx, p->counts, NULL, p->path, 0, &c));
            const uint64_t *entries = &c.matrix.begin[c.matrix.rows], before = *entries;
            well(p->ctx, pv_ppmi_make(&c, power, shift));
            assert_true(*entries > 0 && *entries < before);
            double *M = dense_ppmi(&p->dense, power, shift);
            assert_is(&c.matrix, M);
            free(M);
            pv_cooccurrence_free(&c);
        }
        problem_free(p);
    }
}

static void the_bits_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    pv_cooccurrence c[2];
    problem *p[2];
    for (int k = 0; k < 2; k++) {
        p[k] = problem_of_text(12, 700, 30000, false, k ? 5 : 1);
        well(p[k]->ctx, pv_cooccurrence_make(p[k]->ctx, p[k]->counts, NULL, p[k]->path, 0, &c[k]));
        well(p[k]->ctx, pv_ppmi_make(&c[k], 0.75, 1));
    }
    const pv_csr_store *one = &c[0].matrix, *other = &c[1].matrix;
    uint64_t entries = one->begin[one->rows];
    assert_memory_equal(one->begin, other->begin, (one->rows + 1) * sizeof *one->begin);
    assert_memory_equal(one->column, other->column, entries * sizeof *one->column);
    assert_memory_equal(one->value, other->value, entries * sizeof *one->value);
    for (int k = 0; k < 2; k++) {
        pv_cooccurrence_free(&c[k]);
        problem_free(p[k]);
    }
}

static void too_large_a_shift_leaves_nothing_and_is_reported(void **state)
{
    (void)state;
    problem *p = problem_of_text(13, 100, 3000, false, 2);
    pv_cooccurrence c;
    well(p->ctx, pv_cooccurrence_make(p->ctx, p->counts, NULL, p->path, 0, &c));
    assert_int_equal(pv_ppmi_make(&c, 0.75, 1e6), PSDVEC_ERR_EMPTY);
    assert_non_null(strstr(psdvec_error_message(p->ctx), "`shift`"));
    pv_cooccurrence_free(&c);
    problem_free(p);
}

static void the_model_has_the_matrix_in_its_rows(void **state)
{
    (void)state;
    problem *p = problem_of_text(14, 200, 9000, false, 3);
    char *output = scratch_path(p->folder, "ppmi.safetensors");
    psdvec_baseline_options options;
    psdvec_baseline_report report;
    psdvec_model *m;
    psdvec_baseline_options_default(&options, PSDVEC_METHOD_PPMI, NULL);
    options.context_power = 0.5;
    options.shift = 2;
    well(p->ctx, psdvec_baseline(p->ctx, &options, p->path, output, &report));
    well(p->ctx, psdvec_model_open(p->ctx, output, &m));
    well(p->ctx, psdvec_model_verify(p->ctx, m));
    const psdvec_model_info *info = psdvec_model_get_info(m);
    double *M = dense_ppmi(&p->dense, 0.5, 2);
    size_t n = p->dense.words;
    float *row = calloc(n, sizeof *row);
    assert_true(info->sparse && info->directions_are_words && info->has_counts);
    assert_true(info->words == n && info->dim == n && info->entries == report.entries);
    assert_true(report.words == n && report.dim == n && report.pairs > report.entries);
    assert_string_equal(info->method, "ppmi");
    assert_non_null(strstr(info->settings_json, "\"context_power\":0.5"));
    assert_non_null(strstr(info->settings_json, "\"shift\":2"));
    assert_non_null(info->counts_json);
    for (uint32_t i = 0; i < n; i++) {
        size_t length, other;
        const char *word = psdvec_model_word(m, i, &length);
        assert_memory_equal(word, psdvec_counts_word(p->counts, i, &other), length);
        assert_int_equal(length, other);
        psdvec_model_copy(m, i, row);
        for (size_t j = 0; j < n; j++)
            assert_close((double)row[j], M[i * n + j], 2e-6);
    }
    free(row);
    free(M);
    free(output);
    psdvec_model_close(m);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_those_of_the_formula),
        cmocka_unit_test(the_bits_do_not_depend_on_the_threads),
        cmocka_unit_test(too_large_a_shift_leaves_nothing_and_is_reported),
        cmocka_unit_test(the_model_has_the_matrix_in_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
