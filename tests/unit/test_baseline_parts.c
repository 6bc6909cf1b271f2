/* Parts shared by the baselines: the symmetric counts, strata, options. */
#include "baseline/cooccurrence.h"
#include "baseline/options.h"
#include "baseline/strata.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Counts in both directions --------------------------------------------------------------- */

static void compare_with_dense(problem *p)
{
    pv_cooccurrence c;
    size_t n = p->dense.words;
    well(p->ctx, pv_cooccurrence_make(p->ctx, p->counts, NULL, p->path, 0, &c));
    assert_int_equal(c.matrix.rows, n);
    double total = 0;
    uint64_t entries = 0;
    for (size_t i = 0; i < n; i++) {
        double margin = 0;
        uint64_t k = c.matrix.begin[i];
        for (size_t j = 0; j < n; j++) {
            double x = p->dense.x[i * n + j] + p->dense.x[j * n + i];
            if (x == 0)
                continue;
            margin += x;
            assert_true(k < c.matrix.begin[i + 1]);
            assert_int_equal(c.matrix.column[k], j);
            assert_close(c.matrix.value[k], x, 1e-6 * x);
            k++;
        }
        assert_int_equal(k, c.matrix.begin[i + 1]);
        assert_close(c.margin[i], margin, 1e-12 * margin);
        total += margin;
        entries = k;
    }
    assert_int_equal(entries, c.matrix.begin[n]);
    assert_close(c.total, total, 1e-9 * total);
    pv_cooccurrence_free(&c);
}

static void both_directions_are_summed(void **state)
{
    (void)state;
    for (int subsample = 0; subsample < 2; subsample++) {
        problem *p = problem_of_text(7, 300, 20000, subsample != 0, 3);
        compare_with_dense(p);
        problem_free(p);
    }
}

static void large_matrices_go_to_files_and_are_the_same(void **state)
{
    (void)state;
    problem *p = problem_of_text(8, 200, 5000, false, 2);
    pv_cooccurrence memory, file;
    well(p->ctx, pv_cooccurrence_make(p->ctx, p->counts, NULL, p->path, 0, &memory));
    well(p->ctx, pv_cooccurrence_make(p->ctx, p->counts, NULL, p->path, UINT64_MAX, &file));
    assert_false(memory.matrix.column_memory.mapped);
    assert_true(file.matrix.column_memory.mapped);
    assert_memory_equal(memory.matrix.column, file.matrix.column,
                        memory.matrix.begin[memory.matrix.rows] * sizeof *memory.matrix.column);
    assert_memory_equal(memory.matrix.value, file.matrix.value,
                        memory.matrix.begin[memory.matrix.rows] * sizeof *memory.matrix.value);
    pv_cooccurrence_free(&memory);
    pv_cooccurrence_free(&file);
    problem_free(p);
}

/* ---- Strata ---------------------------------------------------------------------------------- */

typedef struct touch {
    const pv_strata *strata;
    atomic_int rows[64], columns[64]; /* in use */
    atomic_int met;                   /* conflicts */
    atomic_int done[64 * 64];
} touch;

static psdvec_status touch_stratum(void *arg, uint32_t p, uint32_t q, int worker)
{
    touch *t = arg;
    (void)worker;
    if (atomic_fetch_add(&t->rows[p], 1) || atomic_fetch_add(&t->columns[q], 1))
        atomic_fetch_add(&t->met, 1);
    for (volatile int k = 0; k < 20000; k++) {
    }
    atomic_fetch_add(&t->done[p * t->strata->blocks + q], 1);
    atomic_fetch_sub(&t->rows[p], 1);
    atomic_fetch_sub(&t->columns[q], 1);
    return PSDVEC_OK;
}

static void strata_of_a_round_share_nothing(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(7);
    double work[900];
    for (int i = 0; i < 900; i++)
        work[i] = 1.0 / (i + 3);
    pv_strata strata;
    well(ctx, pv_strata_make(ctx, 900, work, 7, &strata));
    for (uint32_t shift = 0; shift < 9; shift += 4) {
        touch *t = calloc(1, sizeof *t);
        t->strata = &strata;
        well(ctx, pv_strata_run(&strata, shift, touch_stratum, t));
        assert_int_equal(t->met, 0);
        for (int k = 0; k < 7 * 7; k++)
            assert_int_equal(t->done[k], 1);
        free(t);
    }
    pv_strata_free(&strata);
    psdvec_context_free(ctx);
}

static void blocks_have_about_the_same_work(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(2);
    enum { WORDS = 5000, BLOCKS = 16 };
    double *work = calloc(WORDS, sizeof *work), load[BLOCKS] = {0}, all = 0;
    for (int i = 0; i < WORDS; i++)
        all += work[i] = 1.0 / (i + 40);
    pv_strata strata;
    well(ctx, pv_strata_make(ctx, WORDS, work, BLOCKS, &strata));
    uint32_t seen = 0;
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t k = strata.start[b]; k < strata.start[b + 1]; k++) {
            assert_int_equal(strata.block[strata.members[k]], b);
            assert_true(k == strata.start[b] || strata.members[k] > strata.members[k - 1]);
            load[b] += work[strata.members[k]];
            seen++;
        }
    assert_int_equal(seen, WORDS);
    for (uint32_t b = 0; b < BLOCKS; b++)
        assert_close(load[b], all / BLOCKS, 0.001 * all / BLOCKS);
    pv_strata_free(&strata);
    free(work);
    psdvec_context_free(ctx);
}

static void few_words_still_have_a_block(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(2);
    pv_strata strata;
    assert_int_equal(pv_strata_blocks(1), 1);
    assert_true(pv_strata_blocks(UINT32_MAX) <= UINT16_MAX);
    well(ctx, pv_strata_make(ctx, 1, (double[]){0}, 3, &strata));
    assert_int_equal(strata.start[3], 1);
    pv_strata_free(&strata);
    psdvec_context_free(ctx);
}

/* ---- Options --------------------------------------------------------------------------------- */

static void every_method_has_a_name_and_fitting_defaults(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    for (int m = PSDVEC_METHOD_PPMI; m < PSDVEC_METHODS; m++) {
        psdvec_method found;
        psdvec_baseline_options o;
        psdvec_count_options count;
        psdvec_count_options_default(&count);
        assert_true(psdvec_method_find(psdvec_method_name((psdvec_method)m), &found));
        assert_int_equal(found, m);
        psdvec_baseline_options_default(&o, (psdvec_method)m, &count);
        well(ctx, psdvec_baseline_options_check(ctx, &o));
        well(ctx, psdvec_count_options_check(ctx, &count));
    }
    psdvec_method found;
    assert_false(psdvec_method_find("lsa", &found));
    psdvec_context_free(ctx);
}

static void options_out_of_range_are_refused_if_they_are_used(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    psdvec_baseline_options o;
    psdvec_baseline_options_default(&o, PSDVEC_METHOD_SVD, NULL);
    o.rate = NAN; /* svd has no rate */
    well(ctx, psdvec_baseline_options_check(ctx, &o));
    o.shift = 0;
    assert_int_equal(psdvec_baseline_options_check(ctx, &o), PSDVEC_ERR_OPTION);
    assert_contains(psdvec_error_message(ctx), "`shift` is 0");
    psdvec_baseline_options_default(&o, PSDVEC_METHOD_GLOVE, NULL);
    o.rate = NAN;
    assert_int_equal(psdvec_baseline_options_check(ctx, &o), PSDVEC_ERR_OPTION);
    o.rate = 0.05;
    o.dim = 0;
    assert_int_equal(psdvec_baseline_options_check(ctx, &o), PSDVEC_ERR_OPTION);
    psdvec_context_free(ctx);
}

static void settings_name_the_method_and_what_it_uses(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    psdvec_baseline_options o;
    pv_buffer json;
    pv_buffer_init(&json, ctx);
    psdvec_baseline_options_default(&o, PSDVEC_METHOD_PPMI, NULL);
    ok(pv_baseline_settings(ctx, &o, &json));
    ok(pv_buffer_byte(&json, 0));
    assert_string_equal(json.data, "{\"method\":\"ppmi\",\"context_power\":0.75,\"shift\":1}");
    pv_buffer_free(&json);
    psdvec_context_free(ctx);
}

static void wrong_kinds_of_input_are_refused(void **state)
{
    (void)state;
    psdvec_context *ctx = context_of(1);
    psdvec_baseline_options o;
    psdvec_count_options count;
    psdvec_count_options_default(&count);
    psdvec_baseline_options_default(&o, PSDVEC_METHOD_SGNS, &count);
    assert_int_equal(psdvec_baseline(ctx, &o, "x.counts", "y", NULL), PSDVEC_ERR_OPTION);
    assert_contains(psdvec_error_message(ctx), "trains on text");
    psdvec_baseline_options_default(&o, PSDVEC_METHOD_SPARSE, NULL);
    const char *input = "x.txt";
    assert_int_equal(psdvec_baseline_text(ctx, &o, &count, &input, 1, "y", NULL, NULL),
                     PSDVEC_ERR_OPTION);
    assert_contains(psdvec_error_message(ctx), "vectors");
    psdvec_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_directions_are_summed),
        cmocka_unit_test(large_matrices_go_to_files_and_are_the_same),
        cmocka_unit_test(strata_of_a_round_share_nothing),
        cmocka_unit_test(blocks_have_about_the_same_work),
        cmocka_unit_test(few_words_still_have_a_block),
        cmocka_unit_test(every_method_has_a_name_and_fitting_defaults),
        cmocka_unit_test(options_out_of_range_are_refused_if_they_are_used),
        cmocka_unit_test(settings_name_the_method_and_what_it_uses),
        cmocka_unit_test(wrong_kinds_of_input_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
