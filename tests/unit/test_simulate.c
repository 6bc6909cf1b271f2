/* Drawing from the model: the true model has the required margins, the text has its entropy,
 * scoring agrees with drawing, and a model that differs from the true one scores worse by the
 * divergence of the two distributions. */
#include "base/random.h"
#include "base/safetensors_read.h"
#include "document/simulate.h"
#include "support/problem.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static void assert_fails(workshop *w, psdvec_status got, psdvec_status wanted, const char *sentence)
{
    const char *message = psdvec_error_message(w->ctx);
    if (got != wanted || !strstr(message, sentence))
        fail_msg("wanted %s with \"%s\", got %s: %s", psdvec_status_name(wanted), sentence,
                 psdvec_status_name(got), message);
}

static psdvec_simulate_options small_options(void)
{
    psdvec_simulate_options o;
    psdvec_simulate_options_default(&o);
    o.vocab = 150;
    o.dim = 8;
    o.tokens = 50000;
    o.residual = 0;
    o.seed = 7;
    return o;
}

/* ---- The kernel ------------------------------------------------------------------------------ */

enum { TILES = 3, WORDS = 150, ROOM = TILES * PV_SAMPLE_TILE, ROWS = 4 };

typedef struct weights {
    float p[ROOM], table[ROWS][ROOM];
    const float *rows[ROWS];
    double plain[ROOM], all; /* products and their sum, computed directly */
} weights;

static void weights_make(weights *s, size_t rows, double spread)
{
    dice d = {5};
    memset(s, 0, sizeof *s);
    for (size_t j = 0; j < WORDS; j++) {
        s->p[j] = (float)dice_unit(&d);
        s->plain[j] = (double)s->p[j];
        for (size_t k = 0; k < rows; k++) {
            s->table[k][j] = (float)exp(spread * dice_normal(&d));
            s->plain[j] *= (double)s->table[k][j];
        }
        s->all += s->plain[j];
    }
    for (size_t k = 0; k < ROWS; k++)
        s->rows[k] = s->table[k];
}

static void words_are_found_as_by_a_direct_sum(void **state)
{
    (void)state;
    weights s;
    double ends[TILES], scratch[ROOM];
    for (size_t rows = 0; rows <= ROWS; rows++) {
        weights_make(&s, rows, 1);
        pv_sample_ends(s.p, s.rows, rows, TILES, ends);
        assert_close(ends[TILES - 1] / s.all, 1, 1e-6);
        assert_true(pv_sample_holds(ends, TILES));
        for (size_t k = 0; k < 1000; k++) {
            double unit = (k + 0.5) / 1000, sum = 0, probability, careful;
            size_t word = pv_sample_find(s.p, s.rows, rows, TILES, ends, unit, &probability);
            for (size_t j = 0; j < word; j++)
                sum += s.plain[j];
            assert_below(sum / s.all, unit + 1e-6);
            assert_below(unit - 1e-6, (sum + s.plain[word]) / s.all);
            assert_close(probability / (s.plain[word] / s.all), 1, 1e-5);
            size_t again = pv_sample_careful(s.p, s.rows, rows, TILES, unit, scratch, &careful);
            if (again == word)
                assert_close(probability / careful, 1, 1e-5);
            else /* at the boundary between two words */
                assert_true(again == word + 1 || word == again + 1);
        }
    }
}

static void weights_beyond_single_precision_are_handled(void **state)
{
    (void)state;
    weights s;
    double ends[TILES], scratch[ROOM], probability;
    for (int sign = -1; sign <= 1; sign += 2) {
        weights_make(&s, ROWS, 0);
        for (size_t k = 0; k < ROWS; k++)
            for (size_t j = 0; j < WORDS; j++)
                s.table[k][j] = (float)exp(sign * 30.0);
        pv_sample_ends(s.p, s.rows, ROWS, TILES, ends);
        assert_false(pv_sample_holds(ends, TILES));
        /* All rows are constant, so the distribution is p. */
        double sum = 0;
        for (size_t j = 0; j < WORDS; j++)
            sum += (double)s.p[j];
        size_t word = pv_sample_careful(s.p, s.rows, ROWS, TILES, 0.5, scratch, &probability);
        assert_close(probability, (double)s.p[word] / sum, 1e-9);
    }
}

static void a_number_next_to_one_finds_the_last_possible_word(void **state)
{
    (void)state;
    weights s;
    double ends[TILES], probability;
    weights_make(&s, 2, 1);
    pv_sample_ends(s.p, s.rows, 2, TILES, ends);
    assert_int_equal(pv_sample_find(s.p, s.rows, 2, TILES, ends, 1 - 0x1p-53, &probability),
                     WORDS - 1);
    assert_int_equal(pv_sample_find(s.p, s.rows, 2, TILES, ends, 0, &probability), 0);
}

/* ---- The truth ------------------------------------------------------------------------------- */

/* G of the truth in double precision, from the contents of the files. n x n. */
static double *products_of(const pv_truth *t)
{
    size_t n = t->words;
    double *G = calloc(n * n, sizeof *G);
    float *residual = calloc(n, sizeof *residual);
    assert_true(G && residual);
    for (size_t i = 0; i < n; i++) {
        if (t->residuals)
            pv_truth_residuals(t, (uint32_t)i, residual);
        for (size_t j = 0; j < n; j++) {
            G[i * n + j] = (double)residual[j];
            for (size_t k = 0; k < t->dim; k++)
                G[i * n + j] += copysign(1, (double)t->eigenvalues[k]) *
                                (double)t->vectors[i * t->dim + k] *
                                (double)t->vectors[j * t->dim + k];
        }
    }
    free(residual);
    return G;
}

static void assert_margins(const pv_truth *t, const double *G)
{
    size_t n = t->words;
    for (size_t i = 0; i < n; i++) {
        double after = 0, before = 0;
        for (size_t j = 0; j < n; j++) {
            after += t->unigram[j] * exp(G[i * n + j]);
            before += t->unigram[j] * exp(G[j * n + i]);
        }
        assert_close(after, 1, 2e-6);
        assert_close(before, 1, 2e-6);
    }
}

static void pairs_have_the_margins_of_the_words_in_every_form(void **state)
{
    workshop *w = *state;
    for (int form = 0; form < 2; form++)
        for (int residual = 0; residual < 2; residual++) {
            psdvec_simulate_options o = small_options();
            pv_truth t;
            o.form = form ? PSDVEC_FORM_PSD : PSDVEC_FORM_SYMMETRIC;
            o.residual = residual ? 0.3 : 0;
            well(w->ctx, pv_truth_make(w->ctx, &o, &t));
            assert_int_equal(t.residuals, form || residual);
            double *G = products_of(&t);
            assert_margins(&t, G);
            free(G);
            pv_truth_free(&t);
        }
}

static void the_table_agrees_with_the_files(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    pv_truth t;
    o.residual = 0.3;
    well(w->ctx, pv_truth_make(w->ctx, &o, &t));
    double *G = products_of(&t);
    for (size_t i = 0; i < t.words; i++)
        for (size_t j = 0; j < t.words; j++)
            assert_close((double)t.table[i * t.stride + j] / exp(G[i * t.words + j]), 1, 5e-6);
    free(G);
    pv_truth_free(&t);
}

/* Of the off-diagonal elements. */
static double deviation_of(const double *x, size_t n)
{
    double sum = 0, squares = 0, count = (double)(n * (n - 1));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j) {
                sum += x[i * n + j];
                squares += x[i * n + j] * x[i * n + j];
            }
    return sqrt(squares / count - sum / count * (sum / count));
}

static void products_and_residuals_have_the_requested_strength(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    pv_truth t;
    o.vocab = 400;
    o.dim = 20;
    o.strength = 0.4;
    well(w->ctx, pv_truth_make(w->ctx, &o, &t));
    assert_close(t.mu, sqrt(18) / (2 * 0.4), 1e-12); /* 18 dimensions are drawn */
    double *G = products_of(&t);
    assert_close(deviation_of(G, t.words) / 0.4, 1, 0.05);
    uint32_t positive = 0;
    for (uint32_t k = 0; k < t.dim; k++) {
        positive += t.eigenvalues[k] > 0;
        assert_true(k == 0 || fabsf(t.eigenvalues[k]) <= fabsf(t.eigenvalues[k - 1]));
    }
    assert_int_equal(positive, 10);
    free(G);
    pv_truth_free(&t);

    o.residual = 0.2;
    well(w->ctx, pv_truth_make(w->ctx, &o, &t));
    double *A = calloc((size_t)t.words * t.words, sizeof *A);
    float *row = calloc(t.words, sizeof *row);
    assert_true(A && row);
    for (uint32_t i = 0; i < t.words; i++) {
        pv_truth_residuals(&t, i, row);
        for (uint32_t j = 0; j < t.words; j++)
            A[(size_t)i * t.words + j] = (double)row[j];
    }
    assert_close(deviation_of(A, t.words) / 0.2, 1, 0.03);
    free(A);
    free(row);
    pv_truth_free(&t);
}

/* f of the paper, and the number of pairs at which it reaches 1. */
static void residuals_have_the_variance_of_the_weighting_function(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    pv_truth t;
    o.vocab = 400;
    o.residual = 0.05;
    o.residual_cut = 0.01;
    well(w->ctx, pv_truth_make(w->ctx, &o, &t));
    enum { BINS = 8 };
    double squares[BINS] = {0}, expected[BINS] = {0}, count[BINS] = {0}, full = 0;
    double rarest = t.unigram[399] * t.unigram[399];
    float *row = calloc(t.words, sizeof *row);
    assert_non_null(row);
    for (uint32_t i = 0; i < t.words; i++) {
        pv_truth_residuals(&t, i, row);
        for (uint32_t j = 0; j < t.words; j++) {
            double h = t.unigram[i] * t.unigram[j], f = fmin(1, sqrt(h / t.cut));
            double a = (double)row[j] - t.before[i] - t.after[j];
            size_t bin =
                h >= t.cut ? 0
                           : 1 + (size_t)(log(t.cut / h) / log(t.cut / rarest) * (BINS - 1 - 1e-9));
            full += h >= t.cut;
            squares[bin] += a * a;
            expected[bin] += 0.05 * 0.05 / f;
            count[bin]++;
        }
    }
    assert_close(full / (400.0 * 400), 0.01, 2e-5); /* pairs are symmetric */
    for (size_t b = 0; b < BINS; b++) {
        assert_true(count[b] > 100);
        assert_close(squares[b] / expected[b], 1, 6 * sqrt(2 / count[b]));
        assert_true(b == 0 || expected[b] / count[b] > expected[b - 1] / count[b - 1]);
    }
    assert_close(expected[0] / count[0], 0.05 * 0.05, 1e-12);
    double *G = products_of(&t);
    assert_margins(&t, G);
    free(G);
    free(row);
    pv_truth_free(&t);
}

/* In the psd form the vectors are only rotated, so their lengths are as drawn. */
static void vectors_have_the_variance_of_their_prior(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    pv_truth t;
    o.vocab = 400;
    o.dim = 20;
    o.form = PSDVEC_FORM_PSD;
    o.mu_power = 0.3;
    well(w->ctx, pv_truth_make(w->ctx, &o, &t));
    assert_close(t.mu, sqrt(20) / (2 * o.strength), 1e-12);
    enum { BAND = 50 };
    for (uint32_t first = 0; first < t.words; first += BAND) {
        double squares = 0, expected = 0;
        for (uint32_t i = first; i < first + BAND; i++) {
            double mu = t.mu * pow(t.unigram[0] / t.unigram[i], 0.3);
            assert_close(pv_truth_mu(&t, i) / mu, 1, 1e-12);
            expected += t.dim / (2 * mu);
            for (uint32_t k = 0; k < t.dim; k++)
                squares += pow((double)t.vectors[i * t.dim + k], 2);
        }
        /* in the first band words differ by a factor of two, so there is slightly more noise */
        assert_close(squares / expected, 1, 6 * sqrt(2.0 / (BAND * 20)));
    }
    assert_true(pv_truth_mu(&t, 399) > 3 * t.mu);
    pv_truth_free(&t);
}

static void columns_of_the_vectors_are_orthogonal_and_as_long_as_their_eigenvalues(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    pv_truth t;
    well(w->ctx, pv_truth_make(w->ctx, &o, &t));
    for (size_t a = 0; a < t.dim; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t i = 0; i < t.words; i++)
                sum += (double)t.vectors[i * t.dim + a] * (double)t.vectors[i * t.dim + b];
            assert_close(sum, a == b ? fabs((double)t.eigenvalues[a]) : 0, 1e-4);
        }
    pv_truth_free(&t);
}

/* ---- The text -------------------------------------------------------------------------------- */

static void simulate(workshop *w, const psdvec_simulate_options *o, psdvec_simulate_report *report)
{
    well(w->ctx, psdvec_simulate(w->ctx, o, w->out, report));
}

static psdvec_model *open_truth(workshop *w)
{
    char *path = scratch_path(w->out, "truth.safetensors");
    psdvec_model *model = open_model(w, path);
    free(path);
    return model;
}

static void words_have_the_expected_frequencies(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    psdvec_simulate_report report;
    o.tokens = 200100;
    simulate(w, &o, &report);
    assert_int_equal(report.documents, 1001);
    psdvec_model *truth = open_truth(w);
    double chi = 0;
    uint64_t all = 0;
    for (uint32_t i = 0; i < o.vocab; i++) {
        double expected = (double)o.tokens * psdvec_model_unigram(truth, i);
        double d = (double)psdvec_model_frequency(truth, i) - expected;
        chi += d * d / expected;
        all += psdvec_model_frequency(truth, i);
    }
    assert_true(all == o.tokens);
    /* 149 degrees of freedom, slightly more noise for words that follow themselves */
    assert_below(chi, 149 + 6 * sqrt(2 * 149.0));
    assert_below(149 - 6 * sqrt(2 * 149.0), chi);
    psdvec_model_close(truth);
}

static void counting_finds_the_words_the_documents_and_the_frequencies(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    psdvec_count_options count;
    psdvec_counts *counts;
    char *text = scratch_path(w->out, "text.txt");
    simulate(w, &o, NULL);
    psdvec_count_options_default(&count);
    count.min_count = 1;
    well(w->ctx, psdvec_count(w->ctx, &count, (const char *const[]){text}, 1, w->other, NULL));
    well(w->ctx, psdvec_counts_open(w->ctx, w->other, &counts));
    const psdvec_counts_info *info = psdvec_counts_get_info(counts);
    psdvec_model *truth = open_truth(w);
    assert_true(info->tokens == o.tokens && info->documents == o.tokens / o.document_words);
    assert_int_equal(info->words, o.vocab);
    for (uint32_t i = 0; i < o.vocab; i++) {
        size_t length;
        uint32_t found;
        const char *word = psdvec_model_word(truth, i, &length);
        assert_true(psdvec_counts_find(counts, word, length, &found));
        assert_true(psdvec_counts_frequency(counts, found) == psdvec_model_frequency(truth, i));
    }
    psdvec_model_close(truth);
    psdvec_counts_close(counts);
    free(text);
}

static void the_text_has_the_entropy_of_the_truth(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    psdvec_simulate_report r;
    o.tokens = 400000;
    simulate(w, &o, &r);
    double first = (double)r.documents, others = (double)(r.tokens - r.documents);
    double expected = -first * r.entropy - others * r.entropy_rate;
    /* log P of a word has a standard deviation of about 1. */
    assert_close(r.log_likelihood, expected, 5 * sqrt((double)r.tokens));
    assert_close(r.log_unigram, -(double)r.tokens * r.entropy, 5 * sqrt((double)r.tokens));
    assert_below(r.entropy_rate, r.entropy);
    o.window = 2;
    simulate(w, &o, &r);
    assert_true(isnan(r.entropy_rate));
}

static void the_same_files_for_any_number_of_threads(void **state)
{
    workshop *w = *state;
    static const char *const names[] = {"text.txt", "truth.safetensors",
                                        "truth-residuals.safetensors", "truth.json"};
    psdvec_simulate_options o = small_options();
    o.residual = 0.1;
    o.window = 2;
    workshop_context(w, 0, 1);
    well(w->ctx, psdvec_simulate(w->ctx, &o, w->out, NULL));
    workshop_context(w, 0, 4);
    well(w->ctx, psdvec_simulate(w->ctx, &o, w->other, NULL));
    for (size_t k = 0; k < 4; k++) {
        size_t one_length, many_length;
        char *a = scratch_path(w->out, names[k]), *b = scratch_path(w->other, names[k]);
        char *one = scratch_read(a, &one_length), *many = scratch_read(b, &many_length);
        assert_non_null(one);
        assert_int_equal(one_length, many_length);
        assert_memory_equal(one, many, one_length);
        free(a);
        free(b);
        free(one);
        free(many);
    }
}

static void a_shorter_text_is_a_prefix_of_a_longer_one(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    char *short_path = scratch_path(w->out, "text.txt");
    char *long_path = scratch_path(w->other, "text.txt");
    size_t short_length, long_length;
    o.tokens = 1234;
    o.window = 3;
    well(w->ctx, psdvec_simulate(w->ctx, &o, w->out, NULL));
    o.tokens = 3000;
    well(w->ctx, psdvec_simulate(w->ctx, &o, w->other, NULL));
    char *less = scratch_read(short_path, &short_length);
    char *more = scratch_read(long_path, &long_length);
    assert_int_equal(short_length, 1234 * 5);
    assert_memory_equal(less, more, short_length - 1);
    free(less);
    free(more);
    free(short_path);
    free(long_path);
}

/* ---- Scoring --------------------------------------------------------------------------------- */

/* Log-likelihood of the simulated text under one model. */
static double score(workshop *w, const psdvec_model *model, double *unigram)
{
    psdvec_scorer_options options;
    psdvec_scorer *scorer;
    psdvec_scored_model scored = {model, NULL};
    char *text = scratch_path(w->out, "text.txt");
    psdvec_scorer_options_default(&options);
    options.temperature = 1;
    well(w->ctx, psdvec_scorer_open(w->ctx, &options, &scored, 1, &scorer));
    well(w->ctx, psdvec_scorer_inputs(scorer, NULL, (const char *const[]){text}, 1));
    psdvec_document_fit fit = psdvec_scorer_total(scorer)->fits[0];
    psdvec_scorer_close(scorer);
    free(text);
    if (unigram)
        *unigram = fit.unigram;
    return fit.conditional;
}

static void scoring_by_the_truth_gives_the_likelihood_of_drawing(void **state)
{
    workshop *w = *state;
    for (uint32_t window = 1; window <= 3; window += 2) {
        psdvec_simulate_options o = small_options();
        psdvec_simulate_report r;
        double unigram;
        o.window = window;
        simulate(w, &o, &r);
        psdvec_model *truth = open_truth(w);
        double conditional = score(w, truth, &unigram);
        assert_close(conditional / r.log_likelihood, 1, 1e-6);
        assert_close(unigram / r.log_unigram, 1, 1e-6);
        psdvec_model_close(truth);
    }
}

/* The truth with normal noise of this standard deviation on every component. */
static psdvec_model *perturbed(workshop *w, const psdvec_model *truth, double noise)
{
    const psdvec_model_info *info = psdvec_model_get_info(truth);
    uint32_t n = info->words, dim = info->dim;
    sample s;
    sample_make(&s, n, dim, 1);
    pv_buffer bytes;
    pv_buffer_init(&bytes, w->ctx);
    for (uint32_t i = 0; i < n; i++) {
        size_t length;
        const char *word = psdvec_model_word(truth, i, &length);
        s.offsets[i] = bytes.length;
        assert_int_equal(pv_buffer_append(&bytes, word, length), PSDVEC_OK);
        s.unigram[i] = psdvec_model_unigram(truth, i);
        s.counts[i] = psdvec_model_frequency(truth, i);
        for (uint32_t k = 0; k < dim; k++)
            s.vectors[(size_t)i * dim + k] =
                psdvec_model_vector(truth, i)[k] +
                (float)(noise * pv_random_normal(11, 22, (uint64_t)i * dim + k));
    }
    s.offsets[n] = bytes.length;
    s.data.bytes = bytes.data;
    s.data.core_words = n;
    memcpy(s.eigenvalues, info->eigenvalues, dim * sizeof *s.eigenvalues);
    s.data.settings_json = info->settings_json;
    s.data.counts_json = info->counts_json;
    s.data.extensions_json = NULL;
    assert_int_equal(pv_model_write(w->ctx, &s.data, w->other), PSDVEC_OK);
    pv_buffer_free(&bytes);
    sample_free(&s);
    return open_model(w, w->other);
}

/* The expected loss per word of using Q for P: their Kullback-Leibler divergence. */
static double divergence(const psdvec_model *truth, const psdvec_model *other)
{
    uint32_t n = psdvec_model_get_info(truth)->words;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        double z_p = 0, z_q = 0, mean = 0;
        for (uint32_t j = 0; j < n; j++) {
            double p = psdvec_model_unigram(truth, j);
            double g = psdvec_model_product(truth, i, j), h = psdvec_model_product(other, i, j);
            z_p += p * exp(g);
            z_q += p * exp(h);
            mean += p * exp(g) * (g - h);
        }
        sum += psdvec_model_unigram(truth, i) * (mean / z_p - log(z_p) + log(z_q));
    }
    return sum;
}

static void other_models_score_worse_by_their_divergence(void **state)
{
    workshop *w = *state;
    static const double noises[] = {0.02, 0.05, 0.1, 0.2, 0.4};
    psdvec_simulate_options o = small_options();
    psdvec_simulate_report r;
    double unigram, last = INFINITY;
    o.tokens = 200000;
    simulate(w, &o, &r);
    psdvec_model *truth = open_truth(w);
    double best = score(w, truth, &unigram), words = (double)(r.tokens - r.documents);
    assert_close((best - unigram) / words, r.entropy - r.entropy_rate,
                 5 * sqrt(2 * (r.entropy - r.entropy_rate) / words));
    last = best;
    for (size_t k = 0; k < sizeof noises / sizeof *noises; k++) {
        psdvec_model *model = perturbed(w, truth, noises[k]);
        double got = score(w, model, NULL), loss = divergence(truth, model);
        print_message("    noise %.2f: %.5f nats a word worse, expected %.5f\n", noises[k],
                      (best - got) / words, loss);
        assert_below(got, last);
        /* The variance of the loss of one word is about 2 loss. */
        assert_close((best - got) / words, loss, 5 * sqrt(2 * loss / words));
        last = got;
        psdvec_model_close(model);
    }
    psdvec_model_close(truth);
}

typedef struct ranking {
    uint64_t right, all;
} ranking;

static void rank(void *user, const psdvec_document_score *document)
{
    ranking *r = user;
    r->right += document->fits[0].posterior > document->fits[1].posterior;
    r->all++;
}

static void most_documents_are_likelier_under_the_truth(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    ranking r = {0};
    psdvec_scorer_options options;
    psdvec_scorer *scorer;
    simulate(w, &o, NULL);
    psdvec_model *truth = open_truth(w), *other = perturbed(w, truth, 0.1);
    double loss = (double)o.document_words * divergence(truth, other);
    psdvec_scored_model scored[] = {{truth, NULL}, {other, NULL}};
    char *text = scratch_path(w->out, "text.txt");
    psdvec_scorer_options_default(&options);
    options.temperature = 1;
    options.on_document = rank;
    options.user = &r;
    well(w->ctx, psdvec_scorer_open(w->ctx, &options, scored, 2, &scorer));
    well(w->ctx, psdvec_scorer_inputs(scorer, NULL, (const char *const[]){text}, 1));
    psdvec_scorer_close(scorer);
    /* Differences of documents are approximately normal with mean `loss` and variance 2 loss. */
    double share = (double)r.right / (double)r.all, expected = 0.5 * erfc(-sqrt(loss) / 2);
    print_message("    %.3f of the documents, expected %.3f\n", share, expected);
    assert_int_equal(r.all, o.tokens / o.document_words);
    assert_close(share, expected, 5 * sqrt(expected * (1 - expected) / (double)r.all) + 0.02);
    psdvec_model_close(truth);
    psdvec_model_close(other);
    free(text);
}

static void the_temperature_of_the_truth_is_one(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    psdvec_fit_report fit;
    char *text = scratch_path(w->out, "text.txt");
    o.tokens = 200000;
    simulate(w, &o, NULL);
    psdvec_model *truth = open_truth(w);
    well(w->ctx, psdvec_fit_temperature(w->ctx, truth, NULL, NULL, (const char *const[]){text}, 1,
                                        0, &fit));
    /* The curvature of the likelihood is the variance of G per word, about strength^2: the standard
     * error of T is 0.005. */
    assert_close(fit.temperature_alone, 1, 0.025);
    psdvec_model_close(truth);
    free(text);
}

/* ---- The folder ------------------------------------------------------------------------------ */

static void other_files_are_not_replaced(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    size_t length;
    assert_int_equal(mkdir(w->out, 0777), 0);
    char *text = scratch_path(w->out, "text.txt"), *other = scratch_path(w->out, "mine.txt");
    scratch_write(text, "mine", 4);
    assert_fails(w, psdvec_simulate(w->ctx, &o, w->out, NULL), PSDVEC_ERR_WRITE,
                 "text.txt: already exists");
    char *kept = scratch_read(text, &length);
    assert_string_equal(kept, "mine");
    assert_int_equal(scratch_entries(w->out), 1);
    free(kept);
    /* A file with another name is no obstacle, and a simulation may replace an earlier one. */
    assert_int_equal(rename(text, other), 0);
    simulate(w, &o, NULL);
    assert_int_equal(scratch_entries(w->out), 5);
    simulate(w, &o, NULL);
    assert_int_equal(scratch_entries(w->out), 5);
    free(text);
    free(other);
}

static void a_file_in_place_of_the_folder_is_refused(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    scratch_write(w->out, "x", 1);
    assert_fails(w, psdvec_simulate(w->ctx, &o, w->out, NULL), PSDVEC_ERR_WRITE, "is not a folder");
    char *deep = scratch_path(w->other, "deep");
    assert_fails(w, psdvec_simulate(w->ctx, &o, deep, NULL), PSDVEC_ERR_WRITE,
                 "cannot create the folder");
    free(deep);
}

static void cancelled_at_any_time_it_leaves_no_files(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    bool stopped = true;
    o.residual = 0.1;
    for (int polls = 0; stopped; polls += 7) {
        struct stat there;
        assert_true(polls < 100000);
        atomic_store(&w->polls_left, polls);
        psdvec_status status = psdvec_simulate(w->ctx, &o, w->out, NULL);
        stopped = status == PSDVEC_ERR_CANCELLED;
        if (!stopped)
            assert_int_equal(status, PSDVEC_OK);
        else
            assert_int_equal(stat(w->out, &there), -1);
    }
    atomic_store(&w->polls_left, -1);
    assert_int_equal(scratch_entries(w->out), 4);
}

static void too_little_memory_fails_with_a_message(void **state)
{
    workshop *w = *state;
    psdvec_simulate_options o = small_options();
    o.vocab = 20000;
    workshop_context(w, UINT64_C(64) << 20, 2);
    assert_fails(w, psdvec_simulate(w->ctx, &o, w->out, NULL), PSDVEC_ERR_BUDGET,
                 "the table of all pairs of words");
    assert_int_equal(scratch_entries(w->folder), 0);
}

static void options_out_of_range_are_refused(void **state)
{
    workshop *w = *state;
    const psdvec_simulate_options fine = small_options();
    psdvec_simulate_options bad = fine;
#define REFUSED(field, value, sentence)                                                            \
    do {                                                                                           \
        bad = fine;                                                                                \
        bad.field = (value);                                                                       \
        assert_fails(w, psdvec_simulate_options_check(w->ctx, &bad), PSDVEC_ERR_OPTION, sentence); \
    } while (0)
    assert_int_equal(psdvec_simulate_options_check(w->ctx, &fine), PSDVEC_OK);
    REFUSED(vocab, 1, "`vocab` is 1");
    REFUSED(dim, 2, "`dim` is 2; `form=symmetric` needs at least 3");
    REFUSED(dim, 151, "not be more than `vocab`, 150");
    REFUSED(tokens, 0, "`tokens` is 0");
    REFUSED(window, 0, "`window` is 0");
    REFUSED(window, 1001, "`window` is 1001");
    REFUSED(document_words, 0, "`document_words` is 0");
    REFUSED(zipf, NAN, "`zipf`");
    REFUSED(strength, 0, "`strength` is 0");
    REFUSED(residual, -1, "`residual` is -1");
    REFUSED(form, (psdvec_form)99, "`form`");
    /* The size of products is known only after drawing. */
    bad = fine;
    bad.strength = 10;
    bad.form = PSDVEC_FORM_PSD;
    bad.dim = 150;
    assert_fails(w, psdvec_simulate(w->ctx, &bad, w->out, NULL), PSDVEC_ERR_OPTION,
                 "lower `strength`");
    assert_int_equal(scratch_entries(w->folder), 0);
}

static void names_are_distinct_and_all_of_one_length(void **state)
{
    (void)state;
    char last[8] = "", name[8] = "";
    assert_int_equal(pv_name_length(2), 4);
    assert_int_equal(pv_name_length(6400), 4);
    assert_int_equal(pv_name_length(6401), 6);
    assert_int_equal(pv_name_length(1000000), 8);
    for (uint32_t i = 0; i < 6400; i++) {
        pv_name_write(i, 4, name);
        assert_true(strcmp(last, name) < 0); /* ascending, so distinct */
        memcpy(last, name, sizeof last);
    }
}

#define DRAWN(test) cmocka_unit_test_setup_teardown(test, workshop_open, workshop_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found_as_by_a_direct_sum),
        cmocka_unit_test(weights_beyond_single_precision_are_handled),
        cmocka_unit_test(a_number_next_to_one_finds_the_last_possible_word),
        DRAWN(pairs_have_the_margins_of_the_words_in_every_form),
        DRAWN(the_table_agrees_with_the_files),
        DRAWN(products_and_residuals_have_the_requested_strength),
        DRAWN(residuals_have_the_variance_of_the_weighting_function),
        DRAWN(vectors_have_the_variance_of_their_prior),
        DRAWN(columns_of_the_vectors_are_orthogonal_and_as_long_as_their_eigenvalues),
        DRAWN(words_have_the_expected_frequencies),
        DRAWN(counting_finds_the_words_the_documents_and_the_frequencies),
        DRAWN(the_text_has_the_entropy_of_the_truth),
        DRAWN(the_same_files_for_any_number_of_threads),
        DRAWN(a_shorter_text_is_a_prefix_of_a_longer_one),
        DRAWN(scoring_by_the_truth_gives_the_likelihood_of_drawing),
        DRAWN(other_models_score_worse_by_their_divergence),
        DRAWN(most_documents_are_likelier_under_the_truth),
        DRAWN(the_temperature_of_the_truth_is_one),
        DRAWN(other_files_are_not_replaced),
        DRAWN(a_file_in_place_of_the_folder_is_refused),
        DRAWN(cancelled_at_any_time_it_leaves_no_files),
        DRAWN(too_little_memory_fails_with_a_message),
        DRAWN(options_out_of_range_are_refused),
        cmocka_unit_test(names_are_distinct_and_all_of_one_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
