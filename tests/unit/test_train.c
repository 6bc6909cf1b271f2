/* Training through the public interface: the contents of the model file, interrupted runs, text and
 * counts, little memory, and errors reported before the work starts. */
#include "base/context.h"
#include "base/safetensors_write.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Tools ----------------------------------------------------------------------------------- */

/* A context that records its messages, and cancels when a message or a file appears. */
typedef struct host {
    psdvec_context *ctx;
    char messages[16384];
    size_t warnings;
    bool worked;            /* there was progress in pairing or solving */
    uint64_t regressed;     /* words, according to the progress */
    uint64_t to_regress;    /* the most words that were to be regressed */
    uint64_t walked;        /* pairs, for the joint probability */
    uint64_t paired;        /* pairs, for the pairs of the core */
    const char *stop_at;    /* cancels after a message that contains this */
    const char *stop_after; /* cancels when this file exists */
    atomic_bool stop;
} host;

static void on_message(void *user, psdvec_message_level level, const char *text)
{
    host *h = user;
    size_t length = strlen(h->messages);
    h->warnings += level == PSDVEC_WARNING;
    snprintf(h->messages + length, sizeof h->messages - length, "%s\n", text);
    if (h->stop_at && strstr(text, h->stop_at))
        atomic_store(&h->stop, true);
}

static void on_progress(void *user, const psdvec_progress *progress)
{
    host *h = user;
    h->worked |= !strcmp(progress->stage, "pairing") || !strcmp(progress->stage, "solving");
    if (!strcmp(progress->stage, "regressing")) {
        assert_true(progress->done >= h->regressed && progress->done <= progress->total);
        h->regressed = progress->done;
        if (progress->total > h->to_regress)
            h->to_regress = progress->total;
    }
    if (!strcmp(progress->stage, "joint probability") && progress->done <= progress->total)
        h->walked = progress->done;
    if (!strcmp(progress->stage, "pairing")) {
        assert_true(progress->done <= progress->total);
        h->paired = progress->done;
    }
}

static bool should_cancel(void *user)
{
    host *h = user;
    if (h->stop_after && access(h->stop_after, F_OK) == 0)
        atomic_store(&h->stop, true);
    return atomic_load(&h->stop);
}

static void host_open(host *h, int threads, uint64_t memory)
{
    memset(h, 0, sizeof *h);
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = threads;
    o.memory = memory ? memory : UINT64_C(1) << 30;
    o.on_message = on_message;
    o.on_progress = on_progress;
    o.should_cancel = should_cancel;
    o.user = h;
    ok(psdvec_context_new(&o, &h->ctx));
}

static void host_close(host *h)
{
    assert_int_equal(atomic_load(&h->ctx->memory_used), 0);
    psdvec_context_free(h->ctx);
}

static bool same_file(const char *a, const char *b)
{
    size_t m = 0, n = 0;
    char *first = scratch_read(a, &m), *second = scratch_read(b, &n);
    bool same = first && second && m == n && !memcmp(first, second, m);
    free(first);
    free(second);
    return same;
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

typedef struct paths {
    char *whole, *other, *partial; /* two outputs, and the folder of the second when interrupted */
} paths;

static paths paths_of(const problem *p)
{
    return (paths){scratch_path(p->folder, "whole"), scratch_path(p->folder, "other"),
                   scratch_path(p->folder, "other.partial")};
}

static void paths_free(paths *p)
{
    free(p->whole);
    free(p->other);
    free(p->partial);
}

static psdvec_train_options small_options(void)
{
    psdvec_train_options o = paper_options(6, 4);
    o.core = 60;
    o.rank_extra = 1;
    return o;
}

static psdvec_train_options default_options(uint32_t dim)
{
    psdvec_train_options o;
    psdvec_train_options_default(&o);
    o.dim = dim;
    return o;
}

/* ---- The model file -------------------------------------------------------------------------- */

static void compare_model(problem *p, const psdvec_train_options *o)
{
    paths at = paths_of(p);
    psdvec_train_report report;
    well(p->ctx, psdvec_train(p->ctx, o, p->path, at.whole, &report));
    dense_link l = dense_link_make(&p->dense, o);
    dense_model m = dense_train(&l, o);
    psdvec_model *model;
    well(p->ctx, psdvec_model_open(p->ctx, at.whole, &model));
    well(p->ctx, psdvec_model_verify(p->ctx, model));
    const psdvec_model_info *info = psdvec_model_get_info(model);
    size_t words = l.words, dim = o->dim < l.core ? o->dim : l.core;
    assert_int_equal(info->words, words);
    assert_int_equal(info->core_words, l.core);
    assert_int_equal(info->dim, dim);
    assert_true(info->native && info->has_counts);
    assert_true(info->has_spread == (l.core < words));
    assert_int_equal(info->iteration_count, m.iteration_count);
    for (size_t t = 0; t < m.iteration_count; t++) {
        assert_int_equal(info->iterations[t].rank, m.iterations[t].rank);
        assert_int_equal(info->iterations[t].positive, m.iterations[t].positive);
        assert_close(info->iterations[t].objective / m.iterations[t].objective, 1, 1e-4);
        assert_true(info->iterations[t].residual < 1e-3);
    }
    double *V = calloc(words * dim, sizeof *V), *sign = calloc(dim, sizeof *sign);
    assert_true(V && sign);
    for (size_t k = 0; k < dim; k++) {
        assert_close(info->eigenvalues[k], k < m.rank ? m.eigenvalue[k] : 0, 1e-3);
        assert_true(k == 0 || fabsf(info->eigenvalues[k]) <= fabsf(info->eigenvalues[k - 1]));
        sign[k] = info->eigenvalues[k] < 0 ? -1 : 1;
    }
    for (uint32_t i = 0; i < words; i++) {
        const float *v = psdvec_model_vector(model, i);
        for (size_t k = 0; k < dim; k++) {
            V[i * dim + k] = v[k];
            assert_true(k < m.rank || v[k] == 0);
        }
        size_t a, b;
        const char *word = psdvec_model_word(model, i, &a);
        const char *theirs = psdvec_counts_word(p->counts, i, &b);
        assert_true(a == b && !memcmp(word, theirs, a));
        assert_true(psdvec_model_frequency(model, i) == psdvec_counts_frequency(p->counts, i));
        assert_close(psdvec_model_unigram(model, i), l.u[i], 1e-12);
        if (i >= l.core && m.rank == dim) /* the reference does not count empty dimensions */
            assert_close(psdvec_model_spread(model, i) / m.spread[i], 1, 1e-3);
        else
            assert_true(i >= l.core ? psdvec_model_spread(model, i) > 0
                                    : psdvec_model_spread(model, i) == 0);
    }
    assert_below(product_difference(words, dim, V, sign, m.rank, m.V, m.sign), 1e-2);
    double *X = dense_products(3, m.rank, m.V, m.sign);
    assert_close(psdvec_model_product(model, 1, 2), X[1 * 3 + 2], 1e-2);
    free(X);
    assert_int_equal(report.words, words);
    assert_int_equal(report.core_words, l.core);
    assert_int_equal(report.dim, dim);
    assert_int_equal(report.iterations, m.iteration_count);
    assert_int_equal(report.positive, m.iterations[m.iteration_count - 1].positive);
    assert_close(report.objective / m.iterations[m.iteration_count - 1].objective, 1, 1e-4);
    assert_true(report.pairs > 0 && report.spilled_bytes == 0);
    assert_contains(info->settings_json, "\"constants\"");
    assert_contains(info->counts_json, "\"inputs\"");
    assert_int_equal(scratch_entries(p->folder), 2); /* the counts and the model */
    free(V);
    free(sign);
    psdvec_model_close(model);
    dense_model_free(&m);
    dense_link_free(&l);
    remove(at.whole);
    paths_free(&at);
}

static void the_model_is_that_of_the_reference(void **state)
{
    (void)state;
    problem *p = problem_of_text(1, 160, 9000, true, 2);
    psdvec_train_options o = small_options();
    compare_model(p, &o);
    o.weights = PSDVEC_WEIGHTS_SMOOTHED;
    o.form = PSDVEC_FORM_SYMMETRIC;
    compare_model(p, &o);
    o = factored_options(7, 3);
    compare_model(p, &o);
    o.core = 90;
    o.relaxation = 1.7;
    compare_model(p, &o);
    problem_free(p);
}

static void columns_without_an_eigenvalue_stay_empty(void **state)
{
    (void)state;
    problem *p = problem_of_text(2, 40, 3000, false, 1);
    psdvec_train_options o = paper_options(60, 3); /* more than words */
    o.core = 25;
    compare_model(p, &o);
    o.core = 0;
    compare_model(p, &o);
    problem_free(p);
}

/* ---- Interrupted runs ------------------------------------------------------------------------ */

static void a_run_stopped_after_any_iteration_ends_with_the_same_bytes(void **state)
{
    (void)state;
    problem *p = problem_of_text(3, 200, 9000, true, 2);
    paths at = paths_of(p);
    for (int kind = 0; kind < 2; kind++) {
        psdvec_train_options o = kind ? default_options(8) : small_options();
        well(p->ctx, psdvec_train(p->ctx, &o, p->path, at.whole, NULL));
        for (uint32_t k = 1; k <= o.iterations; k++) {
            char message[40], going_on[60];
            host h;
            host_open(&h, 2, 0);
            snprintf(message, sizeof message, "iteration %u of", k);
            snprintf(going_on, sizeof going_on, "resuming after iteration %u of", k);
            h.stop_at = message;
            psdvec_status status = psdvec_train(h.ctx, &o, p->path, at.other, NULL);
            if (status != PSDVEC_OK || k < o.iterations) {
                assert_int_equal(status, PSDVEC_ERR_CANCELLED);
                assert_false(exists(at.other));
                assert_true(exists(at.partial));
                host_close(&h);
                host_open(&h, k % 2 ? 1 : 4, 0); /* with a different number of threads */
                psdvec_train_report report;
                well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, &report));
                assert_contains(h.messages, going_on);
                assert_int_equal(report.iterations, o.iterations);
            }
            assert_true(same_file(at.whole, at.other));
            assert_false(exists(at.partial));
            remove(at.other);
            host_close(&h);
        }
    }
    paths_free(&at);
    problem_free(p);
}

/* A counts file with more noncore words than one block of the regression. */
static problem *large_problem(void)
{
    enum { WORDS = 21000 };
    problem *p = problem_of_text(4, 50, 500, false, 2);
    char *text = random_text(4, WORDS, 120000), *input = scratch_path(p->folder, "text.txt");
    char *more = malloc(strlen(text) + WORDS * 16);
    assert_non_null(more);
    size_t length = (size_t)sprintf(more, "%s\n", text);
    for (int i = 0; i < WORDS; i++)
        length += (size_t)sprintf(more + length, "w%d%c", i, i % 9 ? ' ' : '\n');
    scratch_write(input, more, length);
    psdvec_count_options o;
    psdvec_count_options_default(&o);
    o.text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    o.window = 3;
    o.min_count = 1;
    char *path = scratch_path(p->folder, "large");
    well(p->ctx, psdvec_count(p->ctx, &o, (const char *[]){input}, 1, path, NULL));
    remove(input);
    remove(p->path);
    assert_int_equal(rename(path, p->path), 0);
    free(path);
    free(input);
    free(text);
    free(more);
    return p;
}

static void a_run_stopped_after_a_block_ends_with_the_same_bytes(void **state)
{
    (void)state;
    problem *p = large_problem();
    paths at = paths_of(p);
    psdvec_train_options o = small_options();
    o.core = 100;
    well(p->ctx, psdvec_train(p->ctx, &o, p->path, at.whole, NULL));
    char *block = scratch_path(at.partial, "block-000001.safetensors");
    host h;
    host_open(&h, 2, 0);
    h.stop_after = block;
    assert_int_equal(psdvec_train(h.ctx, &o, p->path, at.other, NULL), PSDVEC_ERR_CANCELLED);
    assert_true(exists(block));
    host_close(&h);
    host_open(&h, 1, 0);
    well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, NULL));
    assert_contains(h.messages, "resuming after iteration 4");
    assert_true(same_file(at.whole, at.other));
    assert_false(exists(at.partial));
    /* The progress is that of all blocks, including those of the first run. */
    assert_true(h.to_regress > 20000);
    assert_int_equal(h.regressed, h.to_regress);
    psdvec_counts *counts;
    well(h.ctx, psdvec_counts_open(h.ctx, p->path, &counts));
    assert_int_equal(h.walked, psdvec_counts_get_info(counts)->bigrams);
    uint64_t entries = 0; /* of the rows of core words, which are visited twice */
    for (uint32_t i = 0; i < o.core; i++) {
        psdvec_row row;
        psdvec_counts_row(counts, i, &row);
        entries += row.length;
    }
    assert_int_equal(h.paired, 2 * entries);
    psdvec_counts_close(counts);
    host_close(&h);
    free(block);
    paths_free(&at);
    problem_free(p);
}

static void interrupt(problem *p, const psdvec_train_options *o, const char *output)
{
    host h;
    host_open(&h, 2, 0);
    h.stop_at = "iteration 2 of";
    assert_int_equal(psdvec_train(h.ctx, o, p->path, output, NULL), PSDVEC_ERR_CANCELLED);
    host_close(&h);
}

/* Rewrites a state with another number in one of its tensors; its checksums are right. */
static void forge(psdvec_context *ctx, const char *path, const char *name, size_t at, double value)
{
    pv_st_file *file;
    pv_st_writer *writer;
    pv_output *output;
    well(ctx, pv_st_open_how(ctx, path, true, &file));
    well(ctx, pv_output_open(ctx, path, &output));
    well(ctx, pv_st_writer_begin(ctx, pv_st_output_sink(output), pv_st_count(file), NULL, 0, 0,
                                 &writer));
    for (size_t i = 0; i < pv_st_count(file); i++) {
        const pv_tensor *t = pv_st_at(file, i);
        char *copy = malloc(t->bytes + 1);
        assert_non_null(copy);
        memcpy(copy, t->data, t->bytes);
        if (!strcmp(t->name, name)) {
            float single = (float)value;
            size_t size = pv_dtype_size(t->dtype);
            assert_true(at < t->count);
            memcpy(copy + at * size, size == sizeof single ? (void *)&single : (void *)&value,
                   size);
        }
        well(ctx, pv_st_writer_tensor(writer, t->name, t->dtype, t->rank, t->shape, copy));
        free(copy);
    }
    well(ctx, pv_st_writer_end(writer, NULL));
    pv_st_writer_free(writer);
    pv_st_close(file);
    well(ctx, pv_output_commit(output));
}

static void a_forged_state_is_ignored(void **state)
{
    (void)state;
    problem *p = problem_of_text(3, 200, 9000, true, 2);
    paths at = paths_of(p);
    psdvec_train_options o = small_options();
    char *core = scratch_path(at.partial, "core.safetensors");
    well(p->ctx, psdvec_train(p->ctx, &o, p->path, at.whole, NULL));
    static const struct {
        const char *tensor;
        size_t at;
        double value;
    } forged[] = {{"history", 8, NAN},  {"history", 8, INFINITY}, {"history", 8, 1e300},
                  {"history", 8, -1},   {"history", 8, 2.5},      {"history", 8, 1000},
                  {"history", 0, -1e9}, {"history", 2, 4e9},      {"history", 9, 1e20},
                  {"history", 3, NAN},  {"sign", 1, 3},           {"sign", 0, NAN}};
    for (size_t k = 0; k < sizeof forged / sizeof *forged; k++) {
        interrupt(p, &o, at.other);
        forge(p->ctx, core, forged[k].tensor, forged[k].at, forged[k].value);
        host h;
        host_open(&h, 2, 0);
        well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, NULL));
        assert_contains(h.messages, "core.safetensors: not used");
        assert_null(strstr(h.messages, "resuming after"));
        assert_true(same_file(at.whole, at.other));
        host_close(&h);
        remove(at.other);
    }
    /* Rewriting alone does no harm. */
    interrupt(p, &o, at.other);
    forge(p->ctx, core, "history", 0, 1);
    host h;
    host_open(&h, 2, 0);
    well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, NULL));
    assert_contains(h.messages, "resuming after iteration 2");
    assert_true(same_file(at.whole, at.other));
    host_close(&h);
    free(core);
    paths_free(&at);
    problem_free(p);
}

static void a_state_is_not_used_for_another_run(void **state)
{
    (void)state;
    problem *p = problem_of_text(5, 150, 6000, false, 2);
    paths at = paths_of(p);
    psdvec_train_options o = small_options();
    interrupt(p, &o, at.other);
    o.kappa = 0.03; /* another option */
    well(p->ctx, psdvec_train(p->ctx, &o, p->path, at.whole, NULL));
    host h;
    host_open(&h, 2, 0);
    well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, NULL));
    assert_true(h.warnings > 0 && !strstr(h.messages, "resuming after"));
    assert_true(same_file(at.whole, at.other));
    host_close(&h);

    interrupt(p, &o, at.other);
    o.restart = true;
    host_open(&h, 2, 0);
    well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, NULL));
    assert_false(strstr(h.messages, "resuming after"));
    assert_true(same_file(at.whole, at.other));
    host_close(&h);
    o.restart = false;

    interrupt(p, &o, at.other); /* other counts */
    problem *q = problem_of_text(6, 150, 6000, false, 2);
    host_open(&h, 2, 0);
    well(h.ctx, psdvec_train(h.ctx, &o, q->path, at.whole, NULL));
    well(h.ctx, psdvec_train(h.ctx, &o, q->path, at.other, NULL));
    assert_false(strstr(h.messages, "resuming after"));
    assert_true(same_file(at.whole, at.other));
    host_close(&h);
    problem_free(q);
    paths_free(&at);
    problem_free(p);
}

static void a_state_is_not_used_with_another_seed(void **state)
{
    (void)state;
    problem *p = problem_of_text(7, 700, 30000, false, 2);
    paths at = paths_of(p);
    psdvec_train_options o = default_options(8);
    assert_true(p->dense.words > 520); /* above this the eigensolver starts from random vectors */
    psdvec_context_options c;
    psdvec_context_options_default(&c);
    c.seed = 17;
    psdvec_context *ctx;
    ok(psdvec_context_new(&c, &ctx));
    well(ctx, psdvec_train(ctx, &o, p->path, at.whole, NULL));
    interrupt(p, &o, at.other); /* with seed 0 */
    well(ctx, psdvec_train(ctx, &o, p->path, at.other, NULL));
    assert_true(same_file(at.whole, at.other));
    psdvec_context_free(ctx);
    paths_free(&at);
    problem_free(p);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void text_and_its_counts_give_the_same_model(void **state)
{
    (void)state;
    problem *p = problem_of_text(8, 30, 600, false, 2);
    paths at = paths_of(p);
    char *text = random_text(9, 200, 9000), *input = scratch_path(p->folder, "text.txt");
    scratch_write(input, text, strlen(text));
    const char *inputs[] = {input};
    psdvec_count_options count;
    psdvec_train_options o;
    psdvec_train_options_preset(&o, PSDVEC_PRESET_DEFAULT, &count);
    count.text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    count.min_count = 2;
    o.dim = 8;
    o.core = 120;
    well(p->ctx, psdvec_count(p->ctx, &count, inputs, 1, p->path, NULL));
    well(p->ctx, psdvec_train(p->ctx, &o, p->path, at.whole, NULL));
    psdvec_count_report counted;
    psdvec_train_report report;
    well(p->ctx, psdvec_train_text(p->ctx, &o, &count, inputs, 1, at.other, &counted, &report));
    assert_true(same_file(at.whole, at.other));
    assert_int_equal(counted.tokens, 9000);
    assert_int_equal(report.words, counted.words);
    assert_false(exists(at.partial));
    remove(at.other);

    host h; /* when resumed, it does not count again */
    host_open(&h, 2, 0);
    h.stop_at = "iteration 2 of";
    assert_int_equal(psdvec_train_text(h.ctx, &o, &count, inputs, 1, at.other, NULL, NULL),
                     PSDVEC_ERR_CANCELLED);
    host_close(&h);
    host_open(&h, 2, 0);
    well(h.ctx, psdvec_train_text(h.ctx, &o, &count, inputs, 1, at.other, &counted, NULL));
    assert_contains(h.messages, "using the counts");
    assert_contains(h.messages, "resuming after iteration 2");
    assert_int_equal(counted.tokens, 0);
    assert_true(same_file(at.whole, at.other));
    assert_false(exists(at.partial));
    host_close(&h);
    free(input);
    free(text);
    paths_free(&at);
    problem_free(p);
}

/* ---- Threads and memory ---------------------------------------------------------------------- */

/* Bytes of the temporary file of columns. */
static uint64_t bytes_of_columns(const problem *p)
{
    return 8 * psdvec_counts_get_info(p->counts)->bigrams;
}

static void threads_and_memory_change_no_byte(void **state)
{
    (void)state;
    dice d = {10};
    problem *p = problem_new(random_counts(&d, 1280, 800000), 1, 2);
    paths at = paths_of(p);
    for (int kind = 0; kind < 2; kind++) {
        psdvec_train_options o = kind ? default_options(12) : paper_options(12, 2);
        o.core = 1200;
        o.eigen_tolerance = 1e-3;
        well(p->ctx, psdvec_train(p->ctx, &o, p->path, at.whole, NULL));
        for (int threads = 1; threads <= 4; threads *= 2) {
            host h;
            host_open(&h, threads, 0);
            psdvec_train_plan plan;
            psdvec_train_report report;
            well(h.ctx, psdvec_train_plan_make(h.ctx, &o, p->path, &plan));
            assert_false(plan.streamed);
            well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, &report));
            assert_true(same_file(at.whole, at.other));
            assert_true(report.spilled_bytes == 0 && plan.pairs == report.pairs);
            assert_true(psdvec_peak_memory(h.ctx) <= plan.memory);
            host_close(&h);

            /* The smallest memory of the plan: the pairs go to a file, unless so many threads need
             * more for the regression than the pairs take. */
            host_open(&h, threads, plan.memory_least + 4096);
            well(h.ctx, psdvec_train_plan_make(h.ctx, &o, p->path, &plan));
            assert_true(plan.streamed || threads > 1);
            well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, &report));
            assert_true(same_file(at.whole, at.other));
            uint64_t columns = bytes_of_columns(p);
            assert_true(report.spilled_bytes >= columns && plan.temporary_bytes >= columns);
            assert_true((report.spilled_bytes > columns) == plan.streamed);
            assert_contains(h.messages, "their columns are in a temporary file");
            assert_true((strstr(h.messages, "kept in a temporary file") != NULL) == plan.streamed);
            assert_true(psdvec_peak_memory(h.ctx) <= plan.memory_budget);
            host_close(&h);
        }
    }
    assert_int_equal(scratch_entries(p->folder), 3);
    paths_free(&at);
    problem_free(p);
}

/* The number in the remedy `core=N` of a message; 0 if there is none. */
static uint32_t core_in(const char *message)
{
    const char *at = strstr(message, "`core=");
    return at ? (uint32_t)strtoul(at + strlen("`core="), NULL, 10) : 0;
}

static void the_suggested_core_keeps_the_pairs_in_memory(void **state)
{
    (void)state;
    dice d = {12};
    problem *p = problem_new(random_counts(&d, 1280, 800000), 1, 2);
    paths at = paths_of(p);
    psdvec_train_options o = default_options(12);
    psdvec_train_plan plan;
    psdvec_train_report report;
    well(p->ctx, psdvec_train_plan_make(p->ctx, &o, p->path, &plan));
    assert_int_equal(plan.core_in_memory, 0);
    host h;
    host_open(&h, 1, (plan.memory + plan.memory_least) / 2);
    well(h.ctx, psdvec_train_plan_make(h.ctx, &o, p->path, &plan));
    assert_true(plan.streamed && plan.core_in_memory > 200 && plan.core_in_memory < 1280);
    well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, &report));
    assert_true(report.spilled_bytes > bytes_of_columns(p));
    assert_int_equal(core_in(h.messages), plan.core_in_memory);
    o.core = plan.core_in_memory;
    well(h.ctx, psdvec_train(h.ctx, &o, p->path, at.other, &report));
    assert_int_equal(report.spilled_bytes, bytes_of_columns(p)); /* of the counts, not of pairs */
    o.core += o.core / 2;                                        /* a much larger one does not */
    well(h.ctx, psdvec_train_plan_make(h.ctx, &o, p->path, &plan));
    assert_true(plan.streamed);
    host_close(&h);
    paths_free(&at);
    problem_free(p);
}

static void too_small_a_budget_is_refused_with_a_remedy(void **state)
{
    (void)state;
    dice d = {11};
    problem *p = problem_new(random_counts(&d, 640, 100000), 1, 2);
    paths at = paths_of(p);
    psdvec_train_options o = default_options(50);
    o.inflections = 0; /* so that the core needs the most */
    psdvec_train_plan plan;
    well(p->ctx, psdvec_train_plan_make(p->ctx, &o, p->path, &plan));
    host h;
    host_open(&h, 1, plan.memory_least * 9 / 10);
    assert_int_equal(psdvec_train(h.ctx, &o, p->path, at.other, NULL), PSDVEC_ERR_BUDGET);
    assert_contains(psdvec_error_message(h.ctx), "`memory=");
    uint32_t smaller = core_in(psdvec_error_message(h.ctx));
    assert_true(smaller > 0 && smaller < 640);
    o.core = smaller;
    well(h.ctx, psdvec_train_plan_make(h.ctx, &o, p->path, &plan));
    assert_true(plan.memory_least <= plan.memory_budget);
    o.core = 0;
    host_close(&h);
    host_open(&h, 1, plan.memory_least / 2);
    assert_int_equal(psdvec_train(h.ctx, &o, p->path, at.other, NULL), PSDVEC_ERR_BUDGET);
    assert_contains(psdvec_error_message(h.ctx), "`core`"); /* no core is small enough */
    assert_false(h.worked);
    assert_int_equal(scratch_entries(p->folder), 1);
    host_close(&h);
    paths_free(&at);
    problem_free(p);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Fails with this status and message before any work, and leaves no files. */
static void refused(problem *p, const psdvec_train_options *o, const char *counts,
                    const char *output, psdvec_status expected, const char *words)
{
    host h;
    host_open(&h, 2, 0);
    size_t entries = scratch_entries(p->folder);
    psdvec_status status = psdvec_train(h.ctx, o, counts, output, NULL);
    if (status != expected)
        fail_msg("%s: status %d, not %d: %s", output, (int)status, (int)expected,
                 psdvec_error_message(h.ctx));
    assert_contains(psdvec_error_message(h.ctx), words);
    assert_false(h.worked);
    assert_null(strstr(h.messages, "iteration"));
    assert_int_equal(scratch_entries(p->folder), entries);
    host_close(&h);
}

static void invalid_runs_are_refused_before_the_work(void **state)
{
    (void)state;
    problem *p = problem_of_text(12, 100, 3000, false, 2);
    paths at = paths_of(p);
    psdvec_train_options o = small_options();
    char *nowhere = scratch_path(p->folder, "no/such/folder/model");
    refused(p, &o, p->path, nowhere, PSDVEC_ERR_WRITE, "no/such/folder");
    refused(p, &o, p->path, p->path, PSDVEC_ERR_SAME_FILE, "counts.safetensors");
    refused(p, &o, at.whole, at.other, PSDVEC_ERR_NOT_FOUND, "whole");
    assert_int_equal(mkdir(at.whole, 0700), 0); /* the output name is a folder */
    refused(p, &o, p->path, at.whole, PSDVEC_ERR_WRITE, "whole");
    if (geteuid() != 0) { /* root may do anything */
        char *inside = scratch_path(at.whole, "model");
        assert_int_equal(chmod(at.whole, 0500), 0);
        refused(p, &o, p->path, inside, PSDVEC_ERR_WRITE, "whole");
        free(inside);
    }
    assert_int_equal(rmdir(at.whole), 0);
    scratch_write(at.whole, "no counts", 9);
    refused(p, &o, at.whole, at.other, PSDVEC_ERR_FORMAT, "whole");
    o.dim = 0;
    refused(p, &o, p->path, at.other, PSDVEC_ERR_OPTION, "`dim`");
    free(nowhere);
    paths_free(&at);
    problem_free(p);
}

static void an_old_model_stays_until_the_new_one_is_complete(void **state)
{
    (void)state;
    problem *p = problem_of_text(13, 100, 3000, false, 2);
    paths at = paths_of(p);
    psdvec_train_options o = small_options();
    scratch_write(at.other, "old", 3);
    interrupt(p, &o, at.other);
    size_t length;
    char *bytes = scratch_read(at.other, &length);
    assert_true(length == 3 && !memcmp(bytes, "old", 3));
    free(bytes);
    well(p->ctx, psdvec_train(p->ctx, &o, p->path, at.whole, NULL));
    well(p->ctx, psdvec_train(p->ctx, &o, p->path, at.other, NULL));
    assert_true(same_file(at.whole, at.other));
    paths_free(&at);
    problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_that_of_the_reference),
        cmocka_unit_test(columns_without_an_eigenvalue_stay_empty),
        cmocka_unit_test(a_run_stopped_after_any_iteration_ends_with_the_same_bytes),
        cmocka_unit_test(a_run_stopped_after_a_block_ends_with_the_same_bytes),
        cmocka_unit_test(a_forged_state_is_ignored),
        cmocka_unit_test(a_state_is_not_used_for_another_run),
        cmocka_unit_test(a_state_is_not_used_with_another_seed),
        cmocka_unit_test(text_and_its_counts_give_the_same_model),
        cmocka_unit_test(threads_and_memory_change_no_byte),
        cmocka_unit_test(the_suggested_core_keeps_the_pairs_in_memory),
        cmocka_unit_test(too_small_a_budget_is_refused_with_a_remedy),
        cmocka_unit_test(invalid_runs_are_refused_before_the_work),
        cmocka_unit_test(an_old_model_stays_until_the_new_one_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
