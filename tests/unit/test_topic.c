/* Topics: the kernels against each other, the M-step against its optimality conditions, the bound
 * against a dense computation, and topics recovered from text that was drawn from known ones. */
#include "base/random.h"
#include "support/topic_text.h"
#include "topic/alpha.h"
#include "topic/topic_file.h"
#include "topic/topic_fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 300, DIM = 6, TOPICS = 4, DOCUMENTS = 500, LENGTH = 120 };

typedef struct bench {
    topic_files files;
    float vectors[WORDS][DIM];
    double base[WORDS];
    double topics[TOPICS][DIM]; /* the vectors from which text is drawn */
    uint32_t counts[DOCUMENTS][WORDS];
} bench;

static double unit(uint64_t purpose, uint64_t index)
{
    return pv_random_unit(11, purpose, index);
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    topic_files_make(&b->files, NULL);
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint32_t d = 0; d < DIM; d++)
            b->vectors[w][d] = (float)(0.7 * pv_random_normal(1, 1, (uint64_t)w * DIM + d));
    zipf(b->base, WORDS, 20);
    write_topic_model(b->files.ctx, b->files.model, WORDS, DIM, &b->vectors[0][0], b->base);
    for (uint32_t k = 0; k < TOPICS; k++)
        for (uint32_t d = 0; d < DIM; d++)
            b->topics[k][d] = 1.2 * pv_random_normal(2, 2, (uint64_t)k * DIM + d);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    int status = topic_files_remove(&b->files);
    free(b);
    return status;
}

/* Each document has one main topic, and words of the others. */
static void write_documents(bench *b)
{
    double p[TOPICS][WORDS];
    for (uint32_t k = 0; k < TOPICS; k++)
        topic_distribution(WORDS, DIM, &b->vectors[0][0], b->base, b->topics[k], p[k]);
    FILE *file = fopen(b->files.text, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < DOCUMENTS; i++) {
        for (uint32_t j = 0; j < LENGTH; j++) {
            uint64_t at = (uint64_t)i * LENGTH + j;
            uint32_t k = unit(3, at) < 0.8 ? i % TOPICS : (uint32_t)(TOPICS * unit(4, at));
            uint32_t w = draw_from(p[k], WORDS, unit(5, at));
            char word[5];
            topic_word(w, word);
            b->counts[i][w]++;
            fprintf(file, "%s%s", word, j + 1 < LENGTH ? " " : "\n");
        }
    }
    fclose(file);
}

static psdvec_topics *learn(bench *b, const psdvec_topic_options *options,
                            psdvec_topics_report *report)
{
    return learn_from(&b->files, b->files.ctx, options, report);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static void test_digamma(void **state)
{
    (void)state;
    close_to(pv_digamma(1), -0.57721566490153286, 1e-12);
    close_to(pv_digamma(0.5), -1.9635100260214235, 1e-12);
    close_to(pv_digamma(0.01), -100.56088545786867, 1e-11);
    for (double x = 0.02; x < 1e6; x *= 3.7) /* the recurrence */
        close_to(pv_digamma(x + 1) - pv_digamma(x), 1 / x, 1e-11 / x + 1e-12);
}

static void test_trigamma_and_inverse(void **state)
{
    (void)state;
    close_to(pv_trigamma(1), 1.6449340668482264, 1e-12);
    close_to(pv_trigamma(0.5), 4.9348022005446793, 1e-12);
    for (double x = 0.02; x < 1e6; x *= 3.7) {
        close_to(pv_trigamma(x) - pv_trigamma(x + 1), 1 / (x * x), 1e-10 / (x * x) + 1e-12);
        close_to(pv_digamma_inverse(pv_digamma(x)), x, 1e-9 * x);
    }
}

/* The terms of the bound that depend on alpha. */
static double alpha_terms(const double *alpha, const double *sums, double documents)
{
    double total = 0, terms = 0;
    for (int k = 0; k < TOPICS; k++) {
        total += alpha[k];
        terms += alpha[k] * sums[k] - documents * lgamma(alpha[k]);
    }
    return terms + documents * lgamma(total);
}

/* The fitted alpha is a maximum, and that of the distribution from which the expectations are. */
static void test_alpha_is_fitted(void **state)
{
    (void)state;
    const double truth[TOPICS] = {0.05, 0.4, 1.5, 0.2};
    double sums[TOPICS], total = 0;
    for (int k = 0; k < TOPICS; k++)
        total += truth[k];
    for (int k = 0; k < TOPICS; k++)
        sums[k] = 100 * (pv_digamma(truth[k]) - pv_digamma(total));
    for (psdvec_topic_fit_alpha how = PSDVEC_TOPIC_FIT_ALPHA_COMMON;
         how <= PSDVEC_TOPIC_FIT_ALPHA_EACH; how++) {
        double alpha[TOPICS] = {0.1, 0.1, 0.1, 0.1}, before = alpha_terms(alpha, sums, 100);
        for (int round = 0; round < 20; round++) {
            pv_alpha_fit(how, sums, 100, 0, TOPICS, alpha);
            double now = alpha_terms(alpha, sums, 100);
            assert_true(now >= before - 1e-9 * fabs(before));
            before = now;
        }
        for (int k = 0; k < TOPICS; k++)
            if (how == PSDVEC_TOPIC_FIT_ALPHA_EACH)
                close_to(alpha[k], truth[k], 1e-3 * truth[k]);
        for (double factor = 0.98; factor < 1.03; factor += 0.04) {
            double other[TOPICS];
            for (int k = 0; k < TOPICS; k++)
                other[k] = factor * alpha[0];
            if (how == PSDVEC_TOPIC_FIT_ALPHA_COMMON)
                assert_true(alpha_terms(other, sums, 100) < before);
        }
    }
    /* The first one may be fixed, and values stay within limits. */
    double alpha[TOPICS] = {5, 0.1, 0.1, 0.1};
    sums[3] = -1e9;
    pv_alpha_fit(PSDVEC_TOPIC_FIT_ALPHA_EACH, sums, 100, 1, TOPICS, alpha);
    assert_true(alpha[0] == 5);
    assert_true(alpha[3] == 1e-3);
    double same[TOPICS] = {1, 2, 3, 4};
    pv_alpha_fit(PSDVEC_TOPIC_FIT_ALPHA_NO, sums, 100, 0, TOPICS, same);
    assert_true(same[0] == 1 && same[3] == 4);
}

static void test_kernels(void **state)
{
    (void)state;
    enum { STRIDE = 48, ROWS = 40 };
    float beta[ROWS * STRIDE], weights[STRIDE], sums[2][STRIDE], times[ROWS];
    uint32_t index[ROWS];
    for (size_t i = 0; i < ROWS * STRIDE; i++)
        beta[i] = (float)unit(6, i);
    for (size_t k = 0; k < STRIDE; k++)
        weights[k] = (float)unit(7, k);
    for (uint32_t r = 0; r < ROWS; r++) {
        index[r] = (r * 7) % ROWS;
        times[r] = (float)(1 + r % 5);
    }
    pv_topic_sweep_reference(beta, STRIDE, index, times, ROWS, weights, sums[0]);
    pv_topic_sweep_best()(beta, STRIDE, index, times, ROWS, weights, sums[1]);
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
    /* The sum over the topics of w_k sums_k is the number of words. */
    double total = 0, words = 0;
    for (size_t k = 0; k < STRIDE; k++)
        total += (double)weights[k] * (double)sums[0][k];
    for (size_t r = 0; r < ROWS; r++)
        words += (double)times[r];
    close_to(total, words, 1e-4 * words);
    memset(sums, 0, sizeof sums);
    double one = pv_topic_gather_reference(weights, STRIDE, index, times, ROWS, beta, sums[0]);
    double other = pv_topic_gather_best()(weights, STRIDE, index, times, ROWS, beta, sums[1]);
    assert_true(one == other);
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
}

static void test_space_has_variance_one(void **state)
{
    bench *b = *state;
    pv_topic_space s;
    assert_int_equal(pv_topic_space_init(&s, b->files.ctx, WORDS, DIM, b->base), PSDVEC_OK);
    memcpy(s.features, b->vectors, sizeof b->vectors);
    assert_int_equal(pv_topic_space_prepare(&s, b->base), PSDVEC_OK);
    for (uint32_t i = 0; i < DIM; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double product = 0, mean = 0;
            for (uint32_t w = 0; w < WORDS; w++) {
                product += b->base[w] * (double)s.features[w * DIM + i] *
                           (double)s.features[w * DIM + j];
                mean += b->base[w] * (double)s.features[w * DIM + i];
            }
            close_to(product, i == j, 1e-5);
            close_to(mean, 0, 1e-5);
        }
    pv_topic_space_free(&s);
}

/* A fit to random counts after many steps. */
static void fit_counts(bench *b, const psdvec_topic_options *options, pv_topic_space *s,
                       pv_topic_fit *f)
{
    assert_int_equal(pv_topic_space_init(s, b->files.ctx, WORDS, DIM, b->base), PSDVEC_OK);
    memcpy(s->features, b->vectors, sizeof b->vectors);
    assert_int_equal(pv_topic_space_prepare(s, b->base), PSDVEC_OK);
    assert_int_equal(pv_topic_fit_init(f, s, options), PSDVEC_OK);
    assert_int_equal(pv_topic_fit_start(f), PSDVEC_OK);
    for (uint32_t w = 0; w < WORDS; w++)
        for (uint32_t k = 0; k < TOPICS; k++)
            f->counts[w * f->stride + k] =
                (float)floor(20 * unit(8, w * TOPICS + k) * unit(9, w * TOPICS + k));
    assert_int_equal(pv_topic_fit_improve(f, 200), PSDVEC_OK);
}

/* The gradient of the log-likelihood of topic k with respect to its vector, computed from the vectors
 * and residuals alone. rest (words): n - m P(word | k). Returns m. */
static double find_gradient(const bench *b, const pv_topic_fit *f, uint32_t k, double *gradient,
                            double *rest)
{
    const pv_topic_space *s = f->space;
    double p[WORDS], z = 0, mass = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        double x = log(b->base[w]) + (f->residuals ? (double)f->residuals[w * f->stride + k] : 0);
        for (uint32_t d = 0; d < DIM; d++)
            x += (double)s->features[w * DIM + d] * (double)f->vectors[d * f->stride + k];
        z += p[w] = exp(x);
        mass += (double)f->counts[w * f->stride + k];
    }
    for (uint32_t d = 0; d < DIM; d++)
        gradient[d] = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        rest[w] = (double)f->counts[w * f->stride + k] - mass * p[w] / z;
        close_to((double)f->beta[w * f->stride + k], p[w] / z, 1e-4 * p[w] / z);
        for (uint32_t d = 0; d < DIM; d++)
            gradient[d] += rest[w] * (double)s->features[w * DIM + d];
    }
    return mass;
}

/* At the maximum, the gradient is 0 with respect to all vectors and residuals. */
static void check_optimum(bench *b, double tau)
{
    pv_topic_space s;
    pv_topic_fit f;
    psdvec_topic_options options;
    psdvec_topic_options_default(&options);
    options.topics = TOPICS;
    options.residual_precision = tau;
    options.vector_precision = 5;
    fit_counts(b, &options, &s, &f);
    for (uint32_t k = 0; k < TOPICS; k++) {
        double gradient[DIM], rest[WORDS], mass = find_gradient(b, &f, k, gradient, rest);
        for (uint32_t w = 0; f.residuals && w < WORDS; w++)
            close_to(rest[w] - tau * (double)f.residuals[w * f.stride + k], 0,
                     2e-4 * mass / WORDS + 5e-3);
        for (uint32_t d = 0; d < DIM; d++)
            close_to(gradient[d] - options.vector_precision / (s.scale[d] * s.scale[d]) *
                                       (double)f.vectors[d * f.stride + k],
                     0, 2e-4 * mass);
    }
    pv_topic_fit_free(&f);
    pv_topic_space_free(&s);
}

/* On the sphere of the radius, the gradient in the space of the word vectors is a multiple of the
 * vector. */
static void test_fit_finds_the_maximum_in_a_ball(void **state)
{
    bench *b = *state;
    pv_topic_space s;
    pv_topic_fit f;
    psdvec_topic_options options;
    psdvec_topic_options_default(&options);
    options.topics = TOPICS;
    options.residual_precision = INFINITY;
    options.vector_precision = 0;
    options.radius = 0.1;
    fit_counts(b, &options, &s, &f);
    for (uint32_t k = 0; k < TOPICS; k++) {
        double gradient[DIM], rest[WORDS], mass = find_gradient(b, &f, k, gradient, rest);
        double product = 0, outwards = 0;
        close_to(pv_topic_length(&f, f.vectors, k), options.radius, 1e-4 * options.radius);
        for (uint32_t d = 0; d < DIM; d++) {
            double along = (double)f.vectors[d * f.stride + k] / (s.scale[d] * s.scale[d]);
            product += gradient[d] * along;
            outwards += along * along;
        }
        assert_true(product > 0);
        for (uint32_t d = 0; d < DIM; d++)
            close_to(gradient[d],
                     product / outwards * (double)f.vectors[d * f.stride + k] /
                         (s.scale[d] * s.scale[d]),
                     1e-3 * mass);
    }
    pv_topic_fit_free(&f);
    pv_topic_space_free(&s);
}

static void test_fit_finds_the_maximum(void **state)
{
    check_optimum(*state, INFINITY);
    check_optimum(*state, 3);
}

/* ---- Learning -------------------------------------------------------------------------------- */

/* The bound of the file, computed densely from its other content. */
static double dense_bound(const bench *b, const psdvec_topics *t, double lambda)
{
    uint32_t topics = t->info.topics, words = t->info.words;
    double bound = 0, prior = 0;
    for (uint32_t k = 0; k < topics; k++) {
        prior += t->alpha[k];
        for (uint32_t d = 0; d < t->info.dim; d++) {
            double x = (double)psdvec_topics_vector(t, k)[d];
            bound -= lambda / 2 * x * x;
        }
    }
    for (uint64_t i = 0; i < t->info.documents; i++) {
        double total = prior + (double)t->lengths[i], weights[TOPICS];
        bound += lgamma(prior) - lgamma(total);
        for (uint32_t k = 0; k < topics; k++) {
            double gamma = (double)psdvec_topics_mixture(t, i)[k] * total;
            double expected = pv_digamma(gamma) - pv_digamma(total);
            bound += lgamma(gamma) - lgamma(t->alpha[k]) + (t->alpha[k] - gamma) * expected;
            weights[k] = exp(expected);
        }
        for (uint32_t w = 0; w < words; w++) {
            size_t length;
            const char *text = psdvec_topics_word(t, w, &length);
            uint32_t original = 0;
            double p = 0;
            for (size_t c = length; c > 0; c--)
                original = original * 26 + (uint32_t)(text[c - 1] - 'a');
            for (uint32_t k = 0; k < topics; k++)
                p += weights[k] * psdvec_topics_probability(t, k, w);
            bound += b->counts[i][original] * log(p);
        }
    }
    return bound;
}

static double best_cosine(const bench *b, const psdvec_topics *t, uint32_t truth)
{
    double best = -1;
    for (uint32_t k = 0; k < TOPICS; k++)
        best = fmax(best, cosine_of(psdvec_topics_vector(t, k), b->topics[truth], DIM));
    return best;
}

static void test_recovers_topics(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    psdvec_topics_report report;
    write_documents(b);
    psdvec_topic_options_default(&options);
    options.topics = TOPICS;
    options.min_documents = 1;
    options.base = PSDVEC_TOPIC_BASE_MODEL;
    options.residual_precision = INFINITY;
    options.tolerance = 1e-6;
    psdvec_topics *t = learn(b, &options, &report);
    assert_int_equal(report.documents, DOCUMENTS);
    assert_int_equal(report.known_tokens, DOCUMENTS * LENGTH);
    for (uint32_t k = 0; k < TOPICS; k++)
        if (!(best_cosine(b, t, k) > 0.95))
            fail_msg("topic %u: cosine %.3f", k, best_cosine(b, t, k));
    close_to(dense_bound(b, t, options.vector_precision), report.bound, 1e-5 * fabs(report.bound));
    /* The main topic of a document has most of it. */
    for (uint64_t i = 0; i < DOCUMENTS; i += 50) {
        uint32_t main = 0;
        for (uint32_t k = 1; k < TOPICS; k++)
            if (cosine_of(psdvec_topics_vector(t, k), b->topics[i % TOPICS], DIM) >
                cosine_of(psdvec_topics_vector(t, main), b->topics[i % TOPICS], DIM))
                main = k;
        assert_true((double)psdvec_topics_mixture(t, i)[main] > 0.5);
    }
    psdvec_topics_close(t);
    options.residual_precision = 3;
    t = learn(b, &options, NULL);
    for (uint32_t k = 0; k < TOPICS; k++)
        if (!(best_cosine(b, t, k) > 0.9))
            fail_msg("with residuals, topic %u: cosine %.3f", k, best_cosine(b, t, k));
    psdvec_topics_close(t);
}

static void test_bound_rises(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    double last = -INFINITY;
    write_documents(b);
    psdvec_topic_options_default(&options);
    options.topics = TOPICS;
    options.tolerance = 0;
    for (options.iterations = 1; options.iterations <= 9; options.iterations += 2) {
        psdvec_topics_report report;
        psdvec_topics_close(learn(b, &options, &report));
        assert_true(report.bound > last);
        last = report.bound;
    }
}

static void test_null_topic_and_radius(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    write_documents(b);
    psdvec_topic_options_default(&options);
    options.topics = TOPICS + 1;
    options.null_topic = true;
    options.radius = 0.5;
    options.residual_precision = INFINITY;
    psdvec_topics *t = learn(b, &options, NULL);
    assert_true(psdvec_topics_get_info(t)->null_topic);
    for (uint32_t w = 0; w < t->info.words; w++)
        close_to(psdvec_topics_probability(t, 0, w), t->base[w], 1e-5 * t->base[w]);
    for (uint32_t k = 0; k < t->info.topics; k++) {
        double square = 0;
        for (uint32_t d = 0; d < DIM; d++)
            square += pow((double)psdvec_topics_vector(t, k)[d], 2);
        assert_true(k == 0 ? square == 0 : sqrt(square) < 0.5 * 1.0001);
    }
    psdvec_topics_close(t);
}

typedef struct seen {
    uint64_t documents;
    float first[TOPICS];
    double sum, bound;
} seen;

static void see(void *user, const psdvec_topic_mixture *m)
{
    seen *s = user;
    assert_int_equal(m->number, ++s->documents);
    for (uint32_t k = 0; k < TOPICS; k++) {
        s->sum += (double)m->shares[k];
        if (m->number == 1)
            s->first[k] = m->shares[k];
    }
    s->bound += m->bound;
}

/* Applied to the documents from which they were learnt, topics give the mixtures of learning. */
static void test_apply(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    const char *input = b->files.text;
    seen s = {0};
    write_documents(b);
    psdvec_topic_options_default(&options);
    options.topics = TOPICS;
    psdvec_topics *t = learn(b, &options, NULL);
    assert_int_equal(psdvec_topics_apply(b->files.ctx, t, NULL, &input, 1, see, &s), PSDVEC_OK);
    assert_int_equal(s.documents, DOCUMENTS);
    close_to(s.sum, DOCUMENTS, 1e-3);
    for (uint32_t k = 0; k < TOPICS; k++)
        close_to((double)s.first[k], (double)psdvec_topics_mixture(t, 0)[k], 0.02);
    psdvec_topics_close(t);
}

/* A text in memory is one document, with the mixture that it has in a file. */
static void test_apply_text(void **state)
{
    bench *b = *state;
    psdvec_topic_options options;
    seen s = {0}, one = {0}, none = {0};
    write_documents(b);
    psdvec_topic_options_default(&options);
    options.topics = TOPICS;
    psdvec_topics *t = learn(b, &options, NULL);
    const char *input = b->files.text;
    assert_int_equal(psdvec_topics_apply(b->files.ctx, t, NULL, &input, 1, see, &s), PSDVEC_OK);
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(b->files.text, "r");
    assert_non_null(file);
    ssize_t length = getline(&line, &size, file);
    assert_true(length > 0);
    fclose(file);
    assert_int_equal(psdvec_topics_apply_text(b->files.ctx, t, line, (size_t)length, see, &one),
                     PSDVEC_OK);
    assert_int_equal(one.documents, 1);
    assert_memory_equal(one.first, s.first, sizeof s.first);
    free(line);
    assert_int_equal(psdvec_topics_apply_text(b->files.ctx, t, " \n ", 3, see, &none), PSDVEC_OK);
    assert_int_equal(none.documents, 1);
    close_to(none.sum, 1, 1e-5);
    psdvec_topics_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digamma),
        cmocka_unit_test(test_trigamma_and_inverse),
        cmocka_unit_test(test_alpha_is_fitted),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test_setup_teardown(test_space_has_variance_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fit_finds_the_maximum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fit_finds_the_maximum_in_a_ball, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_recovers_topics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bound_rises, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_null_topic_and_radius, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_apply, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_apply_text, set_up, tear_down),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
