/* Residuals of all pairs against the dense reference: pattern, targets, products, figures, the
 * largest ones, and the file. */
#include "base/safetensors_read.h"
#include "document/residuals.h"
#include "model/model_read.h"
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

/* Compares every pair of words: the entries of the rows, and pairs that must not be there. */
static void compare_with_reference(const problem *p, const psdvec_model *m,
                                   const psdvec_train_options *o, pv_residual_kind kind)
{
    pv_residual_matrix *r;
    well(p->ctx, pv_residual_matrix_make(p->ctx, m, p->counts, kind, &r));
    dense_link link = dense_link_make(&p->dense, o);
    size_t n = p->dense.words;
    assert_int_equal(r->rows.rows, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = r->rows.begin[i];
        for (size_t j = 0; j < n; j++) {
            double xij = p->dense.x[i * n + j], xji = p->dense.x[j * n + i];
            bool wanted = o->target == PSDVEC_TARGET_PMI ? xij + xji > 0 : xij > 0;
            bool found = at < r->rows.begin[i + 1] && r->rows.column[at] == j;
            assert_int_equal(found, wanted);
            if (!found)
                continue;
            double expected = link.G[i * n + j];
            if (kind == PV_RESIDUAL_DIFFERENCE)
                expected -= psdvec_model_product(m, (uint32_t)i, (uint32_t)j);
            assert_close(r->rows.value[at], expected, 2e-5);
            at++;
        }
        assert_int_equal(at, r->rows.begin[i + 1]);
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

/* Enough words for several stripes of rows, dense tiles, and sparse ones after them. Checks every
 * product, and every bit with another number of threads. */
static void products_are_right_in_dense_and_sparse_tiles(void **state)
{
    (void)state;
    problem *p = problem_of_text(3, 4000, 60000, false, 1);
    psdvec_train_options o = factored_options(10, 2);
    psdvec_model *m = trained(p, &o);
    pv_residual_matrix *r, *again, *targets;
    well(p->ctx, pv_residual_matrix_make(p->ctx, m, p->counts, PV_RESIDUAL_DIFFERENCE, &r));
    well(p->ctx, pv_residual_matrix_make(p->ctx, m, p->counts, PV_RESIDUAL_TARGET, &targets));
    uint64_t count = r->rows.begin[r->rows.rows];
    assert_true(r->rows.rows > 2600 && count > 100000);
    for (uint32_t i = 0; i < r->rows.rows; i++)
        for (uint64_t k = r->rows.begin[i]; k < r->rows.begin[i + 1]; k++)
            assert_close(r->rows.value[k],
                         targets->rows.value[k] - psdvec_model_product(m, i, r->rows.column[k]),
                         2e-5);
    psdvec_context *three = context_of(3);
    well(three, pv_residual_matrix_make(three, m, p->counts, PV_RESIDUAL_DIFFERENCE, &again));
    assert_memory_equal(r->rows.begin, again->rows.begin,
                        (r->rows.rows + 1) * sizeof *r->rows.begin);
    assert_memory_equal(r->rows.column, again->rows.column, count * sizeof *r->rows.column);
    assert_memory_equal(r->rows.value, again->rows.value, count * sizeof *r->rows.value);
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
        for (uint32_t i = 0; i < r->rows.rows; i++) {
            for (uint64_t k = r->rows.begin[i]; k < r->rows.begin[i + 1]; k++) {
                psdvec_pair_explanation s;
                assert_true(k == r->rows.begin[i] || r->rows.column[k] > r->rows.column[k - 1]);
                well(p->ctx,
                     psdvec_model_explain_pair(p->ctx, m, other->counts, i, r->rows.column[k], &s));
                assert_close(r->rows.value[k], s.target_ij - s.product, 2e-5);
                assert_true(s.count_ij > 0 || (pmi && s.count_ji > 0));
                seen++;
            }
        }
        /* All pairs of words in both, and no others. */
        uint64_t expected = 0;
        for (uint32_t i = 0; i < r->rows.rows; i++)
            for (uint32_t j = 0; j < r->rows.rows; j++) {
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
    assert_true(r->rows.value_memory.mapped && !large->rows.value_memory.mapped);
    assert_memory_equal(r->rows.value, large->rows.value,
                        r->rows.begin[r->rows.rows] * sizeof *r->rows.value);
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
    assert_non_null(strstr(psdvec_error_message(p->ctx), "does not record how it was trained"));
    pv_residual_matrix_free(r);
    psdvec_model_close(m);
    free(path);
    problem_free(p);
}

/* ---- psdvec_residuals ------------------------------------------------------------------------ */

static int by_loss(const void *a, const void *b)
{
    const psdvec_residual *x = a, *y = b;
    double p = x->weight * pow(x->target - x->product, 2);
    double q = y->weight * pow(y->target - y->product, 2);
    return p < q ? 1 : p > q ? -1 : 0;
}

/* All residuals with i != j from the dense reference, the largest loss first. */
static psdvec_residual *all_residuals(const problem *p, const psdvec_model *m,
                                      const psdvec_train_options *o, double least, size_t *count)
{
    size_t n = p->dense.words;
    dense_link link = dense_link_make(&p->dense, o);
    psdvec_residual *all = calloc(n * n, sizeof *all);
    bool pmi = o->target == PSDVEC_TARGET_PMI;
    *count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double x = p->dense.x[i * n + j], back = p->dense.x[j * n + i];
            if (i == j || (pmi ? x + back <= 0 || x < back || (x == back && i > j) : x <= 0))
                continue;
            if (pmi)
                x += back;
            if (x >= least)
                all[(*count)++] =
                    (psdvec_residual){.context = (uint32_t)i,
                                      .focus = (uint32_t)j,
                                      .count = x,
                                      .target = link.G[i * n + j],
                                      .product = psdvec_model_product(m, (uint32_t)i, (uint32_t)j),
                                      .weight = link.f[i * n + j]};
        }
    dense_link_free(&link);
    qsort(all, *count, sizeof *all, by_loss);
    return all;
}

static void the_pairs_that_cost_most_come_first(void **state)
{
    (void)state;
    enum { most = 40 };
    for (int pmi = 0; pmi < 2; pmi++) {
        problem *p = problem_of_text(11, 90, 3000, false, 2);
        psdvec_train_options o = pmi ? factored_options(5, 4) : paper_options(5, 4);
        psdvec_model *m = trained(p, &o);
        psdvec_residual top[most], again[most];
        psdvec_residual_report report;
        size_t count, found;
        psdvec_residual *all = all_residuals(p, m, &o, 2, &count);
        well(p->ctx, psdvec_residuals(p->ctx, m, p->counts, NULL, PSDVEC_RESIDUAL_LOSS, 2, most,
                                      top, &found, &report));
        assert_int_equal(found, most);
        for (size_t k = 0; k < most; k++) {
            double loss = top[k].weight * pow(top[k].target - top[k].product, 2);
            double expected = all[k].weight * pow(all[k].target - all[k].product, 2);
            assert_close(loss, expected, 1e-4 * expected);
            assert_true(top[k].context != top[k].focus && top[k].count >= 2);
        }
        assert_true(top[0].context == all[0].context && top[0].focus == all[0].focus);
        assert_close(top[0].target, all[0].target, 1e-9);
        assert_close(top[0].weight, all[0].weight, 1e-9);
        assert_close(top[0].count, all[0].count, 1e-9);
        /* The same pairs with another number of threads. */
        psdvec_context *five = context_of(5);
        well(five, psdvec_residuals(five, m, p->counts, NULL, PSDVEC_RESIDUAL_LOSS, 2, most, again,
                                    &found, NULL));
        for (size_t k = 0; k < most; k++)
            assert_true(top[k].context == again[k].context && top[k].focus == again[k].focus &&
                        top[k].product == again[k].product);
        psdvec_context_free(five);
        free(all);
        psdvec_model_close(m);
        problem_free(p);
    }
}

static void by_sign_the_extremes_come_first(void **state)
{
    (void)state;
    problem *p = problem_of_text(11, 12, 600, false, 2);
    psdvec_train_options o = paper_options(3, 4);
    psdvec_model *m = trained(p, &o);
    psdvec_residual more[500], less[500];
    size_t count, found, found_less;
    psdvec_residual *all = all_residuals(p, m, &o, 0, &count);
    well(p->ctx, psdvec_residuals(p->ctx, m, p->counts, NULL, PSDVEC_RESIDUAL_MORE, 0, 500, more,
                                  &found, NULL));
    well(p->ctx, psdvec_residuals(p->ctx, m, p->counts, NULL, PSDVEC_RESIDUAL_LESS, 0, 500, less,
                                  &found_less, NULL));
    assert_true(count > 60 && found == count && found_less == count);
    for (size_t k = 1; k < found; k++)
        assert_true(more[k].target - more[k].product <= more[k - 1].target - more[k - 1].product);
    for (size_t k = 0; k < found; k++)
        assert_true(less[k].context == more[found - 1 - k].context &&
                    less[k].focus == more[found - 1 - k].focus);
    free(all);
    psdvec_model_close(m);
    problem_free(p);
}

static void the_figures_are_those_of_all_pairs(void **state)
{
    (void)state;
    for (int pmi = 0; pmi < 2; pmi++) {
        problem *p = problem_of_text(11, 60, 3000, true, 2);
        psdvec_train_options o = pmi ? factored_options(5, 4) : paper_options(5, 4);
        psdvec_model *m = trained(p, &o);
        dense_link link = dense_link_make(&p->dense, &o);
        psdvec_residual_report report;
        size_t n = p->dense.words, pairs = 0;
        double sum = 0, square = 0, loss = 0, targets = 0;
        double w = 0, wg = 0, wx = 0, wgg = 0, wxx = 0, wgx = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double x = p->dense.x[i * n + j], back = p->dense.x[j * n + i];
                if (pmi ? x + back <= 0 : x <= 0)
                    continue;
                double G = link.G[i * n + j], f = link.f[i * n + j];
                double product = psdvec_model_product(m, (uint32_t)i, (uint32_t)j);
                pairs++;
                sum += G - product;
                square += (G - product) * (G - product);
                loss += f * (G - product) * (G - product);
                targets += f * G * G;
                w += f, wg += f * G, wx += f * product;
                wgg += f * G * G, wxx += f * product * product, wgx += f * G * product;
            }
        well(p->ctx, psdvec_residuals(p->ctx, m, p->counts, NULL, PSDVEC_RESIDUAL_LOSS, 0, 0, NULL,
                                      NULL, &report));
        double mean = sum / (double)pairs;
        assert_int_equal(report.pairs, pairs);
        assert_close(report.mean, mean, 1e-6);
        assert_close(report.deviation, sqrt(square / (double)pairs - mean * mean), 1e-6);
        assert_close(report.weighted_square, loss, 1e-6 * loss);
        assert_close(report.explained, 1 - loss / targets, 1e-6);
        assert_close(report.correlation,
                     (wgx * w - wg * wx) / sqrt((wgg * w - wg * wg) * (wxx * w - wx * wx)), 1e-6);
        dense_link_free(&link);
        psdvec_model_close(m);
        problem_free(p);
    }
}

static void the_file_has_the_matrix_and_its_provenance(void **state)
{
    (void)state;
    for (int pmi = 0; pmi < 2; pmi++) {
        problem *p = problem_of_text(11, 60, 3000, false, 2);
        psdvec_train_options o = pmi ? factored_options(5, 4) : paper_options(5, 4);
        psdvec_model *m = trained(p, &o);
        char *path = scratch_path(p->folder, "residuals");
        pv_residual_matrix *r;
        pv_st_file *file;
        const pv_tensor *begin, *focus, *value, *words;
        well(p->ctx, psdvec_residuals(p->ctx, m, p->counts, path, PSDVEC_RESIDUAL_LOSS, 0, 0, NULL,
                                      NULL, NULL));
        well(p->ctx, pv_residual_matrix_make(p->ctx, m, p->counts, PV_RESIDUAL_DIFFERENCE, &r));
        well(p->ctx, pv_st_open(p->ctx, path, &file));
        well(p->ctx, pv_st_verify(p->ctx, file));
        int64_t n = (int64_t)r->rows.rows, pairs = (int64_t)r->rows.begin[r->rows.rows];
        well(p->ctx,
             pv_st_require(p->ctx, file, "indptr", PV_DTYPE_U64, 1, (int64_t[]){n + 1}, &begin));
        well(p->ctx,
             pv_st_require(p->ctx, file, "indices", PV_DTYPE_U32, 1, (int64_t[]){pairs}, &focus));
        well(p->ctx,
             pv_st_require(p->ctx, file, "values", PV_DTYPE_F32, 1, (int64_t[]){pairs}, &value));
        well(p->ctx, pv_st_require(p->ctx, file, "words", PV_DTYPE_U8, 1, (int64_t[]){-1}, &words));
        assert_memory_equal(begin->data, r->rows.begin, begin->bytes);
        assert_memory_equal(focus->data, r->rows.column, focus->bytes);
        assert_memory_equal(value->data, r->rows.value, value->bytes);
        assert_string_equal(pv_st_meta(file, "format"), "psdvec.residuals");
        assert_string_equal(pv_st_meta(file, "target"), pmi ? "pmi" : "smoothed");
        assert_non_null(pv_st_meta(file, "model"));
        assert_non_null(pv_st_meta(file, "counts"));
        if (pmi)
            assert_null(pv_st_meta(file, "unseen"));
        else
            assert_close(strtod(pv_st_meta(file, "unseen"), NULL), log(o.kappa), 1e-15);
        pv_st_close(file);
        pv_residual_matrix_free(r);
        free(path);
        psdvec_model_close(m);
        problem_free(p);
    }
}

static void damaged_vectors_have_no_residuals(void **state)
{
    (void)state;
    problem *p = problem_of_text(5, 40, 4000, false, 1);
    psdvec_train_options o = factored_options(5, 2);
    psdvec_model *m = trained(p, &o);
    const float *sound = m->vectors.data;
    float *damaged = malloc(sizeof *damaged * m->info.words * m->info.dim);
    memcpy(damaged, sound, sizeof *damaged * m->info.words * m->info.dim);
    damaged[5] = NAN;
    m->vectors.data = damaged;
    psdvec_residual top[3];
    size_t found;
    psdvec_residual_report r;
    psdvec_status status =
        psdvec_residuals(p->ctx, m, p->counts, NULL, PSDVEC_RESIDUAL_LOSS, 0, 3, top, &found, &r);
    m->vectors.data = sound;
    assert_int_equal(status, PSDVEC_ERR_CORRUPT);
    assert_int_equal(found, 0);
    assert_contains(psdvec_error_message(p->ctx), "is not finite (word 2, ");
    free(damaged);
    psdvec_model_close(m);
    problem_free(p);
}

static void other_counts_give_a_warning_and_inputs_are_not_overwritten(void **state)
{
    (void)state;
    problem *p = problem_of_text(5, 40, 4000, false, 1);
    problem *other = problem_of_text(6, 60, 900, false, 1);
    psdvec_train_options o = factored_options(5, 2);
    psdvec_model *m = trained(p, &o);
    psdvec_residual_report report;
    p->messages[0] = 0;
    well(p->ctx, psdvec_residuals(p->ctx, m, p->counts, NULL, PSDVEC_RESIDUAL_LOSS, 0, 0, NULL,
                                  NULL, &report));
    assert_null(strstr(p->messages, "not the counts"));
    well(p->ctx, psdvec_residuals(p->ctx, m, other->counts, NULL, PSDVEC_RESIDUAL_LOSS, 0, 0, NULL,
                                  NULL, &report));
    assert_non_null(strstr(p->messages, "not the counts that the model was trained on"));
    assert_int_equal(psdvec_residuals(p->ctx, m, p->counts, p->path, PSDVEC_RESIDUAL_LOSS, 0, 0,
                                      NULL, NULL, NULL),
                     PSDVEC_ERR_SAME_FILE);
    psdvec_model_close(m);
    problem_free(other);
    problem_free(p);
}

/* ---- psdvec_residuals_each ------------------------------------------------------------------- */

enum { SMALL_BUDGET = 2 << 20 };

/* A context with little memory left, or with the default budget. A small budget would allow one
 * thread only, so most of a larger one is in use. */
static psdvec_context *budget_of(int threads, bool small, const char *tempdir)
{
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_context_options_default(&options);
    options.threads = threads;
    options.memory = small ? 256 << 20 : 0;
    options.tempdir = tempdir;
    assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
    assert_int_equal(psdvec_threads(ctx), threads);
    if (small)
        well(ctx,
             pv_memory_claim(ctx, options.memory - (uint64_t)threads * SMALL_BUDGET, "a test"));
    return ctx;
}

typedef struct listener {
    psdvec_residual *all;
    size_t count, room;
    const psdvec_residual_report *report;
    const char *output; /* a file that exists before the first call; or NULL */
    size_t stop;        /* after this many */
} listener;

static void listen(void *user, const psdvec_residual *residual)
{
    listener *l = user;
    assert_true(l->count < l->room);
    if (l->count == 0 && l->report)
        assert_true(l->report->pairs > 0 && l->report->deviation > 0);
    if (l->count == 0 && l->output) {
        size_t length;
        char *bytes = scratch_read(l->output, &length);
        assert_true(bytes && length > 0);
        free(bytes);
    }
    l->all[l->count++] = *residual;
}

static void the_list_has_the_same_bits_for_any_budget_and_threads(void **state)
{
    (void)state;
    static const uint64_t wanted[] = {0, 1, 5000, 20000, UINT64_MAX};
    for (int pmi = 0; pmi < 2; pmi++) {
        problem *p = problem_of_text(3, 800, 200000, false, 1);
        psdvec_train_options o = pmi ? factored_options(4, 2) : paper_options(4, 2);
        psdvec_model *m = trained(p, &o);
        size_t room = (size_t)psdvec_counts_get_info(p->counts)->bigrams, count;
        psdvec_residual *all = calloc(room, sizeof *all), *list = calloc(room, sizeof *list);
        char *output = scratch_path(p->folder, "residuals");
        psdvec_residual_report figures, report;
        for (psdvec_residual_order order = PSDVEC_RESIDUAL_LOSS; order <= PSDVEC_RESIDUAL_LESS;
             order++) {
            well(p->ctx, psdvec_residuals(p->ctx, m, p->counts, NULL, order, 1, room, all, &count,
                                          &figures));
            assert_true(count > 30000);
            for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
                for (int threads = 1; threads <= 3; threads++) {
                    psdvec_context *ctx = budget_of(threads, true, NULL);
                    bool write = k == 3 && order == 0;
                    listener l = {.all = list,
                                  .room = room,
                                  .report = &report,
                                  .output = write ? output : NULL};
                    well(ctx, psdvec_residuals_each(ctx, m, p->counts, l.output, order, 1,
                                                    wanted[k], listen, &l, &report));
                    assert_int_equal(l.count, wanted[k] < count ? wanted[k] : count);
                    if (l.count > 0)
                        assert_memory_equal(list, all, l.count * sizeof *list);
                    assert_int_equal(report.pairs, figures.pairs);
                    assert_memory_equal(&report.mean, &figures.mean, 5 * sizeof report.mean);
                    psdvec_context_free(ctx);
                }
        }
        free(output);
        free(list);
        free(all);
        psdvec_model_close(m);
        problem_free(p);
    }
}

static void a_list_larger_than_the_budget_needs_a_file_and_leaves_none(void **state)
{
    (void)state;
    problem *p = problem_of_text(3, 800, 200000, false, 1);
    psdvec_train_options o = factored_options(4, 2);
    psdvec_model *m = trained(p, &o);
    size_t room = (size_t)psdvec_counts_get_info(p->counts)->bigrams;
    psdvec_residual *list = calloc(room, sizeof *list);
    char *missing = scratch_path(p->folder, "missing");
    size_t entries = scratch_entries(p->folder);
    static const struct {
        bool small;
        uint64_t most;
        psdvec_status status;
    } cases[] = {{false, UINT64_MAX, PSDVEC_OK},
                 {true, 100, PSDVEC_OK},
                 {true, UINT64_MAX, PSDVEC_ERR_WRITE},
                 {true, 30000, PSDVEC_ERR_WRITE}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        psdvec_context *ctx = budget_of(2, cases[c].small, missing);
        listener l = {.all = list, .room = room};
        assert_int_equal(psdvec_residuals_each(ctx, m, p->counts, NULL, PSDVEC_RESIDUAL_LOSS, 1,
                                               cases[c].most, listen, &l, NULL),
                         cases[c].status);
        if (cases[c].status == PSDVEC_ERR_WRITE) {
            assert_int_equal(l.count, 0);
            assert_contains(psdvec_error_message(ctx), "missing: cannot create a temporary file");
        }
        psdvec_context_free(ctx);
    }
    /* The temporary file is removed afterwards. */
    psdvec_context *ctx = budget_of(2, true, NULL);
    listener l = {.all = list, .room = room};
    well(ctx, psdvec_residuals_each(ctx, m, p->counts, NULL, PSDVEC_RESIDUAL_LOSS, 1, UINT64_MAX,
                                    listen, &l, NULL));
    assert_true(l.count * sizeof *list > SMALL_BUDGET);
    assert_int_equal(scratch_entries(p->folder), entries);
    psdvec_context_free(ctx);
    free(missing);
    free(list);
    psdvec_model_close(m);
    problem_free(p);
}

static bool enough(void *user)
{
    const listener *l = user;
    return l->count >= l->stop;
}

static void the_list_ends_when_the_callback_stops_it(void **state)
{
    (void)state;
    problem *p = problem_of_text(3, 800, 200000, false, 1);
    psdvec_train_options o = factored_options(4, 2);
    psdvec_model *m = trained(p, &o);
    size_t room = (size_t)psdvec_counts_get_info(p->counts)->bigrams;
    for (int small = 0; small < 2; small++) {
        listener l = {.all = calloc(room, sizeof *l.all), .room = room, .stop = 1000};
        psdvec_context_options options;
        psdvec_context *ctx;
        psdvec_context_options_default(&options);
        options.threads = 2;
        options.memory = small ? SMALL_BUDGET : 0;
        options.should_cancel = enough;
        options.user = &l;
        assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
        assert_int_equal(psdvec_residuals_each(ctx, m, p->counts, NULL, PSDVEC_RESIDUAL_LOSS, 1,
                                               UINT64_MAX, listen, &l, NULL),
                         PSDVEC_ERR_CANCELLED);
        assert_in_range(l.count, 1000, 2000);
        assert_contains(psdvec_error_message(ctx), "the list of pairs is incomplete");
        psdvec_context_free(ctx);
        free(l.all);
    }
    psdvec_model_close(m);
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
        cmocka_unit_test(the_pairs_that_cost_most_come_first),
        cmocka_unit_test(by_sign_the_extremes_come_first),
        cmocka_unit_test(the_figures_are_those_of_all_pairs),
        cmocka_unit_test(the_file_has_the_matrix_and_its_provenance),
        cmocka_unit_test(damaged_vectors_have_no_residuals),
        cmocka_unit_test(other_counts_give_a_warning_and_inputs_are_not_overwritten),
        cmocka_unit_test(the_list_has_the_same_bits_for_any_budget_and_threads),
        cmocka_unit_test(a_list_larger_than_the_budget_needs_a_file_and_leaves_none),
        cmocka_unit_test(the_list_ends_when_the_callback_stops_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
