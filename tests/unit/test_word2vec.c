/* Complete runs of skip-gram and CBOW: results, reproducibility, and resuming after an
 * interruption. */
#include "base/context.h"
#include "baseline/word2vec.h"
#include "support/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static const pv_word2vec_settings small = {.dim = 20,
                                           .window = 3,
                                           .negative = 5,
                                           .epochs = 3,
                                           .rate = 0.05,
                                           .noise_power = 0.75,
                                           .subsample = 1e-2};

typedef struct text {
    uint32_t *ids, words;
    size_t length;
    uint64_t *frequency;
} text;

/* Documents of one of four topics; word i belongs to topic i % 4, and the first words are frequent.
 * One word in ten is of any topic. */
static text themes(uint64_t seed, uint32_t words, size_t tokens)
{
    dice d = {seed};
    text t = {.words = words};
    t.ids = malloc((tokens + tokens / 20 + 3) * sizeof *t.ids);
    t.frequency = calloc(words, sizeof *t.frequency);
    t.ids[t.length++] = PV_BORDER;
    for (size_t k = 0, theme = 0; k < tokens; k++) {
        if (k % 40 == 0) {
            theme = dice_below(&d, 4);
            t.ids[t.length++] = PV_BORDER;
        }
        uint32_t id = (uint32_t)(words * pow(dice_unit(&d), 2));
        if (!dice_percent(&d, 10))
            id = id / 4 * 4 + (uint32_t)theme;
        id = id < words ? id : words - 1;
        t.frequency[id]++;
        t.ids[t.length++] = id;
    }
    t.ids[t.length++] = PV_BORDER;
    return t;
}

static void text_free(text *t)
{
    free(t->ids);
    free(t->frequency);
}

/* The vectors after all epochs, words x dim; the caller frees them. */
static float *vectors_of(const text *t, const pv_word2vec_settings *settings, int threads,
                         double *losses)
{
    psdvec_context *ctx = context_of(threads);
    pv_word2vec w;
    well(ctx, pv_word2vec_open(&w, ctx, settings, t->ids, t->length, t->frequency, t->words));
    for (uint32_t epoch = 0; epoch < settings->epochs; epoch++) {
        well(ctx, pv_word2vec_epoch(&w, epoch));
        if (losses)
            losses[epoch] = w.loss / (double)w.loss_pairs;
    }
    float *vectors = malloc((size_t)t->words * settings->dim * sizeof *vectors);
    for (size_t i = 0; i < t->words; i++)
        memcpy(vectors + i * settings->dim, w.space.in + i * w.space.stride,
               settings->dim * sizeof *vectors);
    pv_word2vec_close(&w);
    assert_int_equal(atomic_load(&ctx->memory_used), 0);
    psdvec_context_free(ctx);
    return vectors;
}

static double cosine(const float *a, const float *b, size_t n)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t k = 0; k < n; k++) {
        ab += (double)a[k] * b[k];
        aa += (double)a[k] * a[k];
        bb += (double)b[k] * b[k];
    }
    return ab / sqrt(aa * bb);
}

static void words_of_a_topic_become_similar(void **state)
{
    (void)state;
    text t = themes(1, 200, 60000);
    for (int cbow = 0; cbow < 2; cbow++) {
        pv_word2vec_settings s = small;
        double losses[3], same = 0, other = 0;
        s.cbow = cbow != 0;
        float *v = vectors_of(&t, &s, 2, losses);
        for (uint32_t i = 0; i < 100; i++)
            for (uint32_t j = 0; j < i; j++) {
                double c = cosine(v + i * s.dim, v + j * s.dim, s.dim);
                *(i % 4 == j % 4 ? &same : &other) += c / (i % 4 == j % 4 ? 1200 : 3750);
            }
        assert_below(other + 0.4, same);
        assert_below(losses[2], losses[0]);
        assert_below(losses[2], 6 * log(2)); /* the loss of an untrained model */
        free(v);
    }
    text_free(&t);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    text t = themes(2, 2500, 150000); /* 16 blocks */
    for (int cbow = 0; cbow < 2; cbow++) {
        pv_word2vec_settings s = small;
        s.cbow = cbow != 0;
        s.epochs = 2;
        float *one = vectors_of(&t, &s, 1, NULL);
        for (int threads = 2; threads <= 7; threads += threads == 3 ? 4 : 1) {
            float *many = vectors_of(&t, &s, threads, NULL);
            assert_memory_equal(one, many, (size_t)t.words * s.dim * sizeof *one);
            free(many);
        }
        free(one);
    }
    text_free(&t);
}

static void another_seed_gives_other_vectors(void **state)
{
    (void)state;
    text t = themes(3, 50, 2000);
    float *first = vectors_of(&t, &small, 1, NULL);
    psdvec_context_options o;
    psdvec_context *ctx;
    psdvec_context_options_default(&o);
    o.seed = 1;
    ok(psdvec_context_new(&o, &ctx));
    pv_word2vec w;
    well(ctx, pv_word2vec_open(&w, ctx, &small, t.ids, t.length, t.frequency, t.words));
    assert_memory_not_equal(first, w.space.in, small.dim * sizeof *first);
    pv_word2vec_close(&w);
    psdvec_context_free(ctx);
    free(first);
    text_free(&t);
}

static void vectors_start_as_in_word2vec(void **state)
{
    (void)state;
    text t = themes(4, 500, 2000);
    psdvec_context *ctx = context_of(2);
    pv_word2vec w;
    well(ctx, pv_word2vec_open(&w, ctx, &small, t.ids, t.length, t.frequency, t.words));
    double sum = 0, square = 0, n = (double)t.words * small.dim;
    for (size_t i = 0; i < t.words; i++)
        for (size_t k = 0; k < w.space.stride; k++) {
            double x = w.space.in[i * w.space.stride + k] * small.dim;
            assert_true(k < small.dim ? fabs(x) <= 0.5 : x == 0);
            assert_true(w.space.out[i * w.space.stride + k] == 0);
            sum += x;
            square += x * x;
        }
    assert_close(sum / n, 0, 0.015);
    assert_close(square / n, 1.0 / 12, 0.005);
    assert_close(pv_word2vec_rate(&w, 0, 0), small.rate, 1e-9);
    assert_close(pv_word2vec_rate(&w, w.text.chunks * small.epochs / 2, 0), small.rate / 2,
                 small.rate / (double)w.text.chunks);
    assert_close(pv_word2vec_rate(&w, w.text.chunks * small.epochs, 0), 1e-4 * small.rate, 1e-9);
    pv_word2vec_close(&w);
    psdvec_context_free(ctx);
    text_free(&t);
}

static void tiny_vocabularies_work(void **state)
{
    (void)state;
    for (uint32_t words = 1; words <= 5; words += words == 1 ? 1 : 3)
        for (int cbow = 0; cbow < 2; cbow++)
            for (size_t tokens = 1; tokens <= 4000; tokens = tokens * 7 + 1) {
                text t = themes(tokens, words, tokens);
                pv_word2vec_settings s = small;
                s.cbow = cbow != 0;
                s.negative = tokens % 2 ? 1 : 17;
                float *v = vectors_of(&t, &s, 3, NULL);
                for (size_t k = 0; k < (size_t)words * s.dim; k++)
                    assert_true(isfinite(v[k]));
                free(v);
                text_free(&t);
            }
}

static void words_that_never_occur_keep_their_vectors(void **state)
{
    (void)state;
    text t = themes(6, 40, 3000);
    for (int cbow = 0; cbow < 2; cbow++) {
        pv_word2vec_settings s = small;
        s.cbow = cbow != 0;
        text more = t;
        more.words = 300; /* a word list with additional words: two blocks */
        more.frequency = calloc(more.words, sizeof *more.frequency);
        memcpy(more.frequency, t.frequency, t.words * sizeof *t.frequency);
        float *v = vectors_of(&more, &s, 2, NULL);
        for (size_t k = (size_t)t.words * s.dim; k < (size_t)more.words * s.dim; k++)
            assert_true(fabs((double)v[k]) <= 0.5 / s.dim);
        free(v);
        free(more.frequency);
    }
    text_free(&t);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

typedef struct host {
    psdvec_context *ctx;
    char *folder, *text, *whole, *other;
    char messages[4096];
    atomic_int epochs, stop_after; /* 0: never */
} host;

static void on_message(void *user, psdvec_message_level level, const char *sentence)
{
    host *h = user;
    size_t length = strlen(h->messages);
    (void)level;
    snprintf(h->messages + length, sizeof h->messages - length, "%s\n", sentence);
    if (!strncmp(sentence, "epoch ", 6))
        atomic_fetch_add(&h->epochs, 1);
}

static bool should_cancel(void *user)
{
    host *h = user;
    return atomic_load(&h->stop_after) && atomic_load(&h->epochs) >= atomic_load(&h->stop_after);
}

static void host_open(host *h, int threads, uint64_t memory)
{
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.threads = threads;
    o.memory = memory;
    o.on_message = on_message;
    o.should_cancel = should_cancel;
    o.user = h;
    ok(psdvec_context_new(&o, &h->ctx));
    h->messages[0] = 0;
    h->epochs = h->stop_after = 0;
}

static void host_again(host *h, int threads, uint64_t memory)
{
    assert_int_equal(atomic_load(&h->ctx->memory_used), 0);
    psdvec_context_free(h->ctx);
    host_open(h, threads, memory);
}

static int set_up(void **state)
{
    host *h = calloc(1, sizeof *h);
    h->folder = scratch_new();
    h->text = scratch_path(h->folder, "text.txt");
    h->whole = scratch_path(h->folder, "whole.safetensors");
    h->other = scratch_path(h->folder, "other.safetensors");
    char *words = random_text(5, 400, 60000);
    scratch_write(h->text, words, strlen(words));
    free(words);
    host_open(h, 2, UINT64_C(1) << 30);
    *state = h;
    return 0;
}

static int tear_down(void **state)
{
    host *h = *state;
    psdvec_context_free(h->ctx);
    scratch_free(h->folder);
    free(h->text);
    free(h->whole);
    free(h->other);
    free(h);
    return 0;
}

static psdvec_status run(host *h, bool cbow, const char *output, psdvec_baseline_report *report)
{
    psdvec_baseline_options o;
    psdvec_count_options count;
    psdvec_count_options_default(&count);
    psdvec_baseline_options_default(&o, cbow ? PSDVEC_METHOD_CBOW : PSDVEC_METHOD_SGNS, &count);
    count.text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    o.dim = 24;
    o.epochs = 4;
    const char *input = h->text;
    return psdvec_baseline_text(h->ctx, &o, &count, &input, 1, output, NULL, report);
}

static void assert_same_file(const char *a, const char *b)
{
    size_t m = 0, n = 0;
    char *first = scratch_read(a, &m), *second = scratch_read(b, &n);
    assert_non_null(first);
    assert_non_null(second);
    assert_int_equal(m, n);
    assert_memory_equal(first, second, m);
    free(first);
    free(second);
}

static void a_cancelled_run_resumes_to_the_same_bits(void **state)
{
    host *h = *state;
    for (int cbow = 0; cbow < 2; cbow++) {
        psdvec_baseline_report whole, other;
        host_again(h, 1, UINT64_C(1) << 30);
        well(h->ctx, run(h, cbow, h->whole, &whole));
        host_again(h, 3, UINT64_C(1) << 30);
        h->stop_after = 2;
        assert_int_equal(run(h, cbow, h->other, NULL), PSDVEC_ERR_CANCELLED);
        host_again(h, 2, UINT64_C(1) << 30);
        well(h->ctx, run(h, cbow, h->other, &other));
        assert_contains(h->messages, "resuming after epoch 2");
        assert_int_equal(h->epochs, 2);
        assert_same_file(h->whole, h->other);
        assert_int_equal(other.epochs, 4);
        assert_int_equal(other.pairs, whole.pairs);
        assert_true(other.loss == whole.loss);
        assert_int_equal(scratch_entries(h->folder), 3); /* no other files are left */
    }
}

static void the_report_is_complete(void **state)
{
    host *h = *state;
    psdvec_baseline_report report;
    well(h->ctx, run(h, false, h->whole, &report));
    psdvec_model *model;
    well(h->ctx, psdvec_model_open(h->ctx, h->whole, &model));
    const psdvec_model_info *info = psdvec_model_get_info(model);
    assert_int_equal(report.dim, 24);
    assert_int_equal(info->dim, 24);
    assert_int_equal(report.words, info->words);
    assert_int_equal(report.epochs, 4);
    assert_true(report.pairs > 60000 && report.loss > 0);
    assert_contains(info->settings_json, "\"method\":\"sgns\"");
    assert_contains(info->counts_json, "\"subsample\":0.001");
    assert_contains(info->counts_json, "text.txt");
    psdvec_model_close(model);
}

static void too_little_memory_fails_with_a_message(void **state)
{
    host *h = *state;
    psdvec_baseline_options o;
    psdvec_count_options count;
    psdvec_count_options_default(&count);
    psdvec_baseline_options_default(&o, PSDVEC_METHOD_SGNS, &count);
    count.text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    o.dim = 10000;
    const char *input = h->text;
    host_again(h, 1, UINT64_C(12) << 20);
    assert_int_equal(psdvec_baseline_text(h->ctx, &o, &count, &input, 1, h->whole, NULL, NULL),
                     PSDVEC_ERR_BUDGET);
    assert_contains(psdvec_error_message(h->ctx), "vectors");
    host_again(h, 1, 0);
}

static void text_in_a_temporary_file_gives_the_same_bits(void **state)
{
    host *h = *state;
    enum { TOKENS = 5 << 20 }; /* 20 MB of word numbers */
    char *words = random_text(9, 100, TOKENS);
    scratch_write(h->text, words, strlen(words));
    free(words);
    psdvec_baseline_options o;
    psdvec_count_options count;
    psdvec_count_options_default(&count);
    psdvec_baseline_options_default(&o, PSDVEC_METHOD_SGNS, &count);
    count.text.tokenizer = PSDVEC_TOKENIZER_WHITESPACE;
    count.window = 1;
    o.dim = o.negative = o.epochs = 1;
    const char *input = h->text;
    host_again(h, 1, UINT64_C(1) << 30);
    well(h->ctx, psdvec_baseline_text(h->ctx, &o, &count, &input, 1, h->whole, NULL, NULL));
    assert_true(atomic_load(&h->ctx->memory_peak) > (20 << 20));
    host_again(h, 1, UINT64_C(20) << 20);
    well(h->ctx, psdvec_baseline_text(h->ctx, &o, &count, &input, 1, h->other, NULL, NULL));
    assert_same_file(h->whole, h->other);
}

static void text_without_words_is_refused(void **state)
{
    host *h = *state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {{"", "the input is empty"},
                 {" \n \n\n", "no words in 5 bytes"},
                 {"once upon a time", "lower `min_count`"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scratch_write(h->text, cases[k].text, strlen(cases[k].text));
        assert_int_equal(run(h, k % 2 == 0, h->whole, NULL), PSDVEC_ERR_EMPTY);
        assert_contains(psdvec_error_message(h->ctx), cases[k].sentence);
        assert_int_equal(scratch_entries(h->folder), 1);
    }
}

static void words_that_never_co_occur_are_refused(void **state)
{
    host *h = *state;
    scratch_write(h->text, "a\na\na\na\na\na\na\n", 14);
    for (int cbow = 0; cbow < 2; cbow++) {
        assert_int_equal(run(h, cbow, h->whole, NULL), PSDVEC_ERR_EMPTY);
        assert_contains(psdvec_error_message(h->ctx), "no two words co-occur");
        assert_int_equal(scratch_entries(h->folder), 1);
    }
}

int main(void)
{
#define RUN(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_topic_become_similar),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(another_seed_gives_other_vectors),
        cmocka_unit_test(vectors_start_as_in_word2vec),
        cmocka_unit_test(tiny_vocabularies_work),
        cmocka_unit_test(words_that_never_occur_keep_their_vectors),
        RUN(a_cancelled_run_resumes_to_the_same_bits),
        RUN(the_report_is_complete),
        RUN(too_little_memory_fails_with_a_message),
        RUN(text_in_a_temporary_file_gives_the_same_bits),
        RUN(text_without_words_is_refused),
        RUN(words_that_never_co_occur_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
