/* The preset `topicvec`: every step against a dense implementation of the published updates, the
 * gradient against differences, the bound, and topics recovered from text that was drawn from known
 * ones. */
#include "base/random.h"
#include "support/dense_topicvec.h"
#include "support/topic_text.h"
#include "topic/gradient.h"
#include "topic/topic_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 700, DIM = 5, TOPICS = 5, MOST_DOCUMENTS = 1600, LENGTH = 60, SMALL = 30 };

typedef struct bench {
    topic_files files;
    float vectors[WORDS][DIM];
    double base[WORDS];
    double topics[TOPICS][DIM]; /* from which text is drawn; the first is the null topic */
    double alpha[TOPICS];
    uint32_t *tokens;
    size_t begin[MOST_DOCUMENTS + 1];
    char warning[400];
} bench;

static void on_message(void *user, psdvec_message_level level, const char *message)
{
    bench *b = user;
    if (level == PSDVEC_WARNING)
        snprintf(b->warning, sizeof b->warning, "%s", message);
}

static psdvec_context *new_context(bench *b, int threads, uint64_t memory)
{
    psdvec_context *ctx;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = threads;
    options.seed = 5;
    if (memory)
        options.memory = memory;
    options.on_message = on_message;
    options.user = b;
    assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
    return ctx;
}

static void write_model(bench *b)
{
    write_topic_model(b->files.ctx, b->files.model, WORDS, DIM, &b->vectors[0][0], b->base);
}

/* Text that the model generates: in each document, two topics, one of which may be the null topic,
 * have shares of 0.7 and 0.3. */
static void draw_text(bench *b)
{
    static double p[TOPICS][WORDS];
    for (uint32_t k = 0; k < TOPICS; k++)
        topic_distribution(WORDS, DIM, &b->vectors[0][0], b->base, b->topics[k], p[k]);
    for (uint32_t i = 0; i < MOST_DOCUMENTS; i++) {
        uint32_t first = i % TOPICS, second = i / TOPICS % TOPICS;
        for (uint32_t j = 0; j < LENGTH; j++) {
            uint64_t at = (uint64_t)i * LENGTH + j;
            uint32_t k = pv_random_unit(1, 4, at) < 0.7 ? first : second;
            b->tokens[at] = draw_from(p[k], WORDS, pv_random_unit(1, 5, at));
        }
        b->begin[i + 1] = (size_t)(i + 1) * LENGTH;
    }
}

static void write_text(bench *b, uint32_t documents)
{
    FILE *file = fopen(b->files.text, "w");
    assert_non_null(file);
    for (size_t at = 0; at < (size_t)documents * LENGTH; at++) {
        char word[5];
        topic_word(b->tokens[at], word);
        fprintf(file, "%s%s", word, (at + 1) % LENGTH ? " " : "\n");
    }
    fclose(file);
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    topic_files_make(&b->files, new_context(b, 2, 0));
    b->tokens = calloc((size_t)MOST_DOCUMENTS * LENGTH, sizeof *b->tokens);
    assert_non_null(b->tokens);
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint32_t d = 0; d < DIM; d++)
            b->vectors[w][d] = (float)(0.2 + 0.6 * pv_random_normal(1, 1, (uint64_t)w * DIM + d));
    zipf(b->base, WORDS, 20);
    for (uint32_t k = 1; k < TOPICS; k++)
        for (uint32_t d = 0; d < DIM; d++)
            b->topics[k][d] = (d == k ? 2.2 : 0) +
                              0.4 * pv_random_normal(1, 2, (uint64_t)k * DIM + d);
    write_model(b);
    draw_text(b);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    int status = topic_files_remove(&b->files);
    free(b->tokens);
    free(b);
    return status;
}

static psdvec_topics *learn(bench *b, psdvec_context *ctx, const psdvec_topic_options *options,
                            psdvec_topics_report *report)
{
    b->warning[0] = '\0';
    return learn_from(&b->files, ctx, options, report);
}

static void preset(psdvec_topic_options *options)
{
    psdvec_topic_options_preset(options, PSDVEC_TOPIC_PRESET_TOPICVEC);
    options->topics = TOPICS;
    options->tolerance = 0;
}

/* ---- The published updates ------------------------------------------------------------------- */

/* The topics of the dense model in the order of a topics file: by descending share. */
static void order_topics(const dense_topicvec *d, size_t order[TOPICS])
{
    for (size_t k = 0; k < TOPICS; k++) {
        size_t at = k;
        for (; at > 1 && d->m[k] > d->m[order[at - 1]]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

/* The dense model starts from the vectors of the first iteration, and must agree after each of
 * `iterations`. Returns the number of iterations in which the bound fell. */
static unsigned compare(bench *b, psdvec_topic_options *options, uint32_t iterations)
{
    psdvec_topics_report report;
    double t[TOPICS * DIM], last = -INFINITY, change = 0;
    unsigned falls = 0;
    size_t order[TOPICS];
    dense_topicvec dense = {.words = WORDS,
                            .dim = DIM,
                            .topics = TOPICS,
                            .documents = SMALL,
                            .v = &b->vectors[0][0],
                            .u = b->base,
                            .alpha = b->alpha,
                            .tokens = b->tokens,
                            .begin = b->begin,
                            .gamma = options->radius,
                            .rate = options->rate,
                            .rate_words = (double)options->rate_words,
                            .t = t};
    for (size_t k = 0; k < TOPICS; k++)
        b->alpha[k] = k == 0 && options->null_alpha > 0 ? options->null_alpha : options->alpha;
    write_text(b, SMALL);
    for (uint32_t n = 1; n <= iterations; n++) {
        options->iterations = n;
        psdvec_topics *topics = learn(b, b->files.ctx, options, &report);
        assert_int_equal(report.iterations, n);
        assert_int_equal(report.words, WORDS);
        if (n == 1) {
            for (size_t k = 0; k < TOPICS; k++)
                for (size_t d = 0; d < DIM; d++)
                    t[k * DIM + d] = (double)psdvec_topics_vector(topics, (uint32_t)k)[d];
            dense_topicvec_start(&dense);
        }
        for (uint32_t step = 0; n > 1 && step < options->step_count; step++)
            change = dense_topicvec_step(&dense);
        for (uint32_t sweep = 0; sweep < options->sweeps; sweep++)
            dense_topicvec_expect(&dense);
        order_topics(&dense, order);
        double bound = dense_topicvec_bound(&dense);
        close_to(report.bound, bound, 1e-6 * fabs(bound));
        falls += bound < last;
        last = bound;
        for (uint32_t k = 0; k < TOPICS; k++) {
            for (size_t d = 0; d < DIM; d++)
                close_to((double)psdvec_topics_vector(topics, k)[d], t[order[k] * DIM + d], 1e-5);
            for (size_t i = 0; i < SMALL; i++) {
                const double *theta = dense.theta + i * TOPICS;
                double total = 0;
                for (size_t j = 0; j < TOPICS; j++)
                    total += theta[j];
                close_to((double)psdvec_topics_mixture(topics, i)[k], theta[order[k]] / total,
                         1e-5);
            }
            close_to(psdvec_topics_share(topics, k), dense.m[order[k]] / (SMALL * LENGTH), 1e-5);
        }
        psdvec_topics_close(topics);
    }
    /* The run stops when the vectors change by less than the tolerance. */
    if (change > 0) {
        options->iterations = iterations + 1;
        options->tolerance = 1.01 * change;
        psdvec_topics_close(learn(b, b->files.ctx, options, &report));
        assert_true(report.iterations <= iterations);
        options->tolerance = 0;
    }
    dense_topicvec_free(&dense);
    return falls;
}

static void test_preset_is_published(void **state)
{
    psdvec_topic_options options;
    preset(&options);
    assert_true(options.radius == 7 && options.alpha == 0.1 && options.rate == 0.1 &&
                options.null_topic && isinf(options.residual_precision) &&
                options.vector_precision == 0 && options.sweeps == 1 && options.step_count == 1);
    compare(*state, &options, 12);
}

static void test_limits_and_rates(void **state)
{
    psdvec_topic_options options;
    preset(&options);
    options.radius = 1.1; /* reached */
    options.null_alpha = 2;
    compare(*state, &options, 6);
    preset(&options);
    options.rate_words = 100; /* fewer than there are */
    options.step_count = 3;
    options.sweeps = 2;
    compare(*state, &options, 5);
}

/* Long steps are limited to a fifth of the vector, and the bound may fall, which the run says. */
static void test_says_when_the_bound_falls(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    preset(&options);
    options.rate = 50;
    options.rate_words = 0;
    compare(b, &options, 4);
    options.iterations = 40;
    write_text(b, 200);
    psdvec_topics_close(learn(b, b->files.ctx, &options, NULL));
    if (!strstr(b->warning, "the bound fell in") || !strstr(b->warning, "`rate`"))
        fail_msg("warning: %s", b->warning);
    preset(&options);
    options.rate_words = 1000;
    options.rate = 0.05;
    assert_int_equal(compare(b, &options, 9), 0);
    assert_string_equal(b->warning, "");
}

/* ---- The gradient ---------------------------------------------------------------------------- */

/* sum_w n_w v_w' t - m log Z */
static double function(const bench *b, const float *counts, size_t stride, const double *t)
{
    double sum = 0, mass = 0, z = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        double x = 0;
        for (uint32_t d = 0; d < DIM; d++)
            x += (double)b->vectors[w][d] * t[d];
        sum += (double)counts[w * stride] * x;
        mass += (double)counts[w * stride];
        z += b->base[w] * exp(x);
    }
    return sum - mass * log(z);
}

static void test_gradient_is_that_of_differences(void **state)
{
    bench *b = *state;
    pv_topic_space s;
    pv_topic_fit f;
    psdvec_topic_options options;
    preset(&options);
    assert_int_equal(pv_topic_space_init(&s, b->files.ctx, WORDS, DIM, b->base), PSDVEC_OK);
    memcpy(s.features, b->vectors, sizeof b->vectors);
    assert_int_equal(pv_topic_space_prepare(&s, b->base), PSDVEC_OK);
    assert_int_equal(pv_topic_fit_init(&f, &s, &options), PSDVEC_OK);
    pv_topic_start_at_random(&f, 3);
    assert_int_equal(pv_topic_fit_start(&f), PSDVEC_OK);
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint32_t k = 0; k < TOPICS; k++)
            f.counts[w * f.stride + k] = (float)(30 * pv_random_unit(1, 6, w * TOPICS + k));
    assert_int_equal(pv_topic_fit_gradient(&f), PSDVEC_OK);
    for (uint32_t k = 0; k < TOPICS; k++) {
        float vector[DIM];
        pv_topic_fit_vector(&f, k, vector);
        for (uint32_t d = 0; d < DIM; d++) {
            double t[2][DIM], found = 0;
            for (uint32_t i = 0; i < DIM; i++) {
                t[0][i] = (double)vector[i] - (i == d) * 1e-4;
                t[1][i] = (double)vector[i] + (i == d) * 1e-4;
                found += s.axes[i * DIM + d] * s.scale[i] * (double)f.towards[i * f.stride + k];
            }
            double slope = (function(b, f.counts + k, f.stride, t[1]) -
                            function(b, f.counts + k, f.stride, t[0])) /
                           2e-4;
            close_to(found, k == 0 ? 0 : slope, 1e-5 * (double)f.mass[k]);
        }
    }
    pv_topic_fit_free(&f);
    pv_topic_space_free(&s);
}

/* The gradient of the dense model, likewise, from its bound. */
static void test_dense_gradient(void **state)
{
    bench *b = *state;
    double t[TOPICS * DIM] = {0}, gradient[DIM];
    for (size_t i = DIM; i < TOPICS * DIM; i++)
        t[i] = pv_random_normal(1, 7, i);
    for (size_t k = 0; k < TOPICS; k++)
        b->alpha[k] = 0.1;
    dense_topicvec dense = {WORDS,   DIM,      TOPICS,    SMALL,    &b->vectors[0][0],
                            b->base, b->alpha, b->tokens, b->begin, 7,
                            0.1,     0,        .t = t};
    dense_topicvec_start(&dense);
    dense_topicvec_expect(&dense);
    for (size_t k = 1; k < TOPICS; k++) {
        dense_topicvec_gradient(&dense, k, gradient);
        for (size_t d = 0; d < DIM; d++) {
            double bounds[2], old = t[k * DIM + d], step = 1e-4;
            for (int side = 0; side < 2; side++) {
                dense_topicvec moved = dense;
                t[k * DIM + d] = old + (side ? step : -step);
                dense_topicvec_start(&moved); /* r of the moved vector */
                free(moved.theta);
                free(moved.pi);
                moved.theta = dense.theta;
                moved.pi = dense.pi;
                bounds[side] = dense_topicvec_bound(&moved);
                free(moved.r);
                free(moved.m);
            }
            t[k * DIM + d] = old;
            close_to(gradient[d], (bounds[1] - bounds[0]) / (2 * step), 1e-4);
        }
    }
    dense_topicvec_free(&dense);
}

/* ---- Learning -------------------------------------------------------------------------------- */

static void test_exact_steps_raise_the_bound(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    double last = -INFINITY;
    write_text(b, 200);
    preset(&options);
    options.steps = PSDVEC_TOPIC_STEPS_NEWTON;
    for (options.iterations = 1; options.iterations <= 20; options.iterations++) {
        psdvec_topics_report report;
        psdvec_topics_close(learn(b, b->files.ctx, &options, &report));
        assert_true(report.bound > last);
        last = report.bound;
        assert_string_equal(b->warning, "");
    }
}

/* The mean error 1 - cosine after matching the known topics one by one, and the largest one. */
static double match(const bench *b, const psdvec_topics *topics, double *worst)
{
    bool taken[TOPICS] = {true};
    double mean = 0;
    *worst = 0;
    for (uint32_t k = 1; k < TOPICS; k++) {
        uint32_t best = 0;
        for (uint32_t j = 1; j < TOPICS; j++)
            if (!taken[j] &&
                (best == 0 || cosine_of(psdvec_topics_vector(topics, j), b->topics[k], DIM) >
                                  cosine_of(psdvec_topics_vector(topics, best), b->topics[k], DIM)))
                best = j;
        taken[best] = true;
        double error = 1 - cosine_of(psdvec_topics_vector(topics, best), b->topics[k], DIM);
        mean += error / (TOPICS - 1);
        *worst = fmax(*worst, error);
    }
    return mean;
}

/* Of several starts, the topics with the best bound. */
static psdvec_topics *learn_best(bench *b, const psdvec_topic_options *options, uint64_t seeds)
{
    double best = -INFINITY;
    psdvec_topics *topics = NULL;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        psdvec_topics_report report;
        b->files.ctx->options.seed = seed;
        psdvec_topics *one = learn(b, b->files.ctx, options, &report);
        bool better = report.bound > best;
        psdvec_topics_close(better ? topics : one);
        topics = better ? one : topics;
        best = fmax(best, report.bound);
    }
    return topics;
}

static void check_recovery(bench *b, psdvec_topic_options *options, uint64_t seeds)
{
    const uint32_t documents[] = {25, 200, 1600};
    double last = INFINITY, worst = 0;
    for (size_t n = 0; n < 3; n++) {
        write_text(b, documents[n]);
        psdvec_topics *topics = learn_best(b, options, seeds);
        double error = match(b, topics, &worst);
        if (!(error < last))
            fail_msg("%u documents: error %.4f, before %.4f", documents[n], error, last);
        last = error;
        psdvec_topics_close(topics);
    }
    if (!(worst < 0.05))
        fail_msg("cosine %.3f", 1 - worst);
}

static void test_recovers_topics(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    preset(&options);
    options.start = PSDVEC_TOPIC_START_CLUSTERS;
    options.steps = PSDVEC_TOPIC_STEPS_NEWTON;
    check_recovery(b, &options, 1);
    preset(&options); /* a random start may end in a local maximum */
    options.iterations = 200;
    check_recovery(b, &options, 6);
}

static char *bytes_of(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void test_same_bits(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    char *first = NULL;
    size_t size = 0;
    write_text(b, MOST_DOCUMENTS);
    preset(&options);
    options.iterations = 5;
    for (int way = 0; way < 4; way++) {
        size_t other_size;
        psdvec_context *ctx = new_context(b, way + 1, way == 3 ? 6 << 20 : 0);
        psdvec_topics_close(learn(b, ctx, &options, NULL));
        char *other = bytes_of(b->files.topics, &other_size);
        if (first) {
            assert_int_equal(size, other_size);
            assert_memory_equal(first, other, size);
            free(other);
        } else {
            first = other;
            size = other_size;
        }
        psdvec_context_free(ctx);
    }
    free(first);
}

/* A vector that is added to all word vectors changes no probability: the program of TopicVec
 * subtracts their mean. Other starts give other topics. */
static void test_shift_and_seed(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    psdvec_topics_report one, other;
    write_text(b, SMALL);
    preset(&options);
    options.iterations = 10;
    psdvec_topics_close(learn(b, b->files.ctx, &options, &one));
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint32_t d = 0; d < DIM; d++)
            b->vectors[w][d] += 0.5f * (float)d - 1;
    write_model(b);
    psdvec_topics_close(learn(b, b->files.ctx, &options, &other));
    close_to(one.bound, other.bound, 1e-6 * fabs(one.bound));
    b->files.ctx->options.seed++;
    psdvec_topics_close(learn(b, b->files.ctx, &options, &other));
    assert_true(fabs(one.bound - other.bound) > 1e-4 * fabs(one.bound));
}

static void test_one_document_and_unknown_words(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    psdvec_topics_report report;
    write_text(b, 1);
    preset(&options);
    psdvec_topics *topics = learn(b, b->files.ctx, &options, &report);
    assert_int_equal(report.documents, 1);
    const float *row = psdvec_topics_probabilities(topics, 1);
    double sum = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        assert_true((double)row[w] == psdvec_topics_probability(topics, 1, w));
        sum += (double)row[w];
    }
    close_to(sum, 1, 1e-5);
    assert_null(psdvec_topics_probabilities(topics, TOPICS));
    psdvec_topics_close(topics);
    FILE *file = fopen(b->files.text, "w");
    assert_non_null(file);
    fputs("unknown words\n", file);
    fclose(file);
    psdvec_model *model;
    const char *input = b->files.text;
    assert_int_equal(psdvec_model_open(b->files.ctx, b->files.model, &model), PSDVEC_OK);
    assert_int_equal(
        psdvec_topics_learn(b->files.ctx, &options, model, NULL, &input, 1, b->files.topics, NULL),
        PSDVEC_ERR_EMPTY);
    psdvec_model_close(model);
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BENCH(test_preset_is_published),
        WITH_BENCH(test_limits_and_rates),
        WITH_BENCH(test_says_when_the_bound_falls),
        WITH_BENCH(test_gradient_is_that_of_differences),
        WITH_BENCH(test_dense_gradient),
        WITH_BENCH(test_exact_steps_raise_the_bound),
        WITH_BENCH(test_recovers_topics),
        WITH_BENCH(test_same_bits),
        WITH_BENCH(test_shift_and_seed),
        WITH_BENCH(test_one_document_and_unknown_words),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
