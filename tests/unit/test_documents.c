/* The probability of documents, against the formula of docs/explanation/documents.md in its direct
 * form: every word of the vocabulary, every context word, in double precision. Also texts as
 * streams, several models, and text that cannot be scored. */
#include "document/partition_function.h"
#include "support/documents.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- The inner loop -------------------------------------------------------------------------- */

static void both_kernels_give_the_same_bits_and_the_right_sums(void **state)
{
    static float s[4096], also[4096], log_p[4096], shift[4096];
    dice d = {5};
    (void)state;
    for (size_t n = 0; n <= 4096; n += n < 40 ? 1 : 507) {
        pv_exp_sums a, b;
        for (size_t k = 0; k < n; k++) {
            s[k] = also[k] = (float)(40 * dice_unit(&d) - 20);
            log_p[k] = (float)(-15 * dice_unit(&d));
            shift[k] = (float)dice_unit(&d);
        }
        pv_exp_sums_reference(s, log_p, shift, 0.3f, 0.7f, n, &a);
        pv_exp_sums_best()(also, log_p, shift, 0.3f, 0.7f, n, &b);
        assert_memory_equal(&a, &b, sizeof a);
        if (n == 0) {
            assert_true(a.largest == -INFINITY);
            continue;
        }
        double sum = 0, scored = 0, squared = 0;
        for (size_t k = 0; k < n; k++) {
            double e = exp((double)log_p[k] + 0.7f * (double)s[k]);
            sum += e;
            scored += e * (double)s[k];
            squared += e * (double)s[k] * (double)s[k];
        }
        assert_close((double)a.largest + log(a.sum), log(sum), 3e-6);
        assert_close(a.scored / a.sum, scored / sum, 1e-4);
        assert_close(a.squared / a.sum, squared / sum, 2e-3);
    }
    /* Far apart, and beyond the range of exp. */
    float far[] = {-3000, 2000, 2000, -2000}, none[] = {0, 0, 0, 0};
    pv_exp_sums e;
    pv_exp_sums_best()(far, none, NULL, 0, 1, 4, &e);
    assert_true(e.largest == 2000 && e.sum == 2);
}

/* ---- The formula in its direct form ---------------------------------------------------------- */

typedef struct plain {
    const trained *t;
    size_t words, dim;
    double *p, *shift, *keep;
    double *score; /* of all words, for one context */
    double *known; /* words x words: pair_score of pairs computed so far; NAN: not computed */
    bool counts;
    double temperature, self;
} plain;

static plain plain_new(const trained *t, bool counts, double temperature, double self)
{
    const psdvec_model_info *info = psdvec_model_get_info(t->model);
    plain f = {.t = t,
               .words = info->words,
               .dim = info->dim,
               .counts = counts,
               .temperature = temperature,
               .self = self};
    f.p = calloc(f.words, sizeof *f.p);
    f.shift = calloc(f.words, sizeof *f.shift);
    f.keep = calloc(f.words, sizeof *f.keep);
    f.score = calloc(f.words, sizeof *f.score);
    f.known = calloc(f.words * f.words, sizeof *f.known);
    for (size_t k = 0; k < f.words * f.words; k++)
        f.known[k] = (double)NAN;
    bool subsampled = t->counting.subsample > 0;
    double tokens = 0, power = t->training.context_power, sum = 0;
    for (uint32_t i = 0; i < f.words; i++) {
        tokens += (double)psdvec_model_frequency(t->model, i);
        sum += pow(psdvec_model_unigram(t->model, i), power);
    }
    for (uint32_t i = 0; i < f.words; i++) {
        double frequency = (double)psdvec_model_frequency(t->model, i), u;
        u = psdvec_model_unigram(t->model, i);
        f.p[i] = subsampled ? frequency / tokens : u;
        f.keep[i] = 1;
        if (subsampled) {
            double ratio = t->counting.subsample * tokens / frequency;
            f.keep[i] = fmin(1, sqrt(ratio) + ratio);
        }
        if (t->training.target == PSDVEC_TARGET_PMI)
            f.shift[i] = 0.5 * log(pow(u, power) / sum / u);
    }
    return f;
}

static void plain_free(plain *f)
{
    free(f->p);
    free(f->shift);
    free(f->keep);
    free(f->score);
    free(f->known);
}

/* v' J w + a + t + t of a pair. */
static double pair_score(const plain *f, uint32_t k, uint32_t w, bool paper)
{
    const trained *t = f->t;
    double product = psdvec_model_product(t->model, k, w), shifts = f->shift[k] + f->shift[w];
    if (k == w && !paper && !isnan(f->self))
        return f->self;
    if (!f->counts)
        return product + shifts;
    double *known = &f->known[k * f->words + w];
    if (isnan(*known)) {
        psdvec_pair_explanation explanation;
        well(t->ctx, psdvec_model_explain_pair(t->ctx, t->model, t->counts, k, w, &explanation));
        *known = t->training.target == PSDVEC_TARGET_SMOOTHED ? explanation.target_ij
                 : isnan(explanation.target_ij)               ? product + shifts
                                                              : explanation.target_ij + shifts;
    }
    return *known;
}

/* Fills the scores of all words after `before` (nearest last; UINT32_MAX: unknown). */
static void plain_scores(plain *f, const uint32_t *before, size_t count, bool paper)
{
    const psdvec_count_options *o = &f->t->counting;
    for (uint32_t w = 0; w < f->words; w++)
        f->score[w] = 0;
    double distance = 1;
    for (size_t k = count; k-- > 0;) {
        bool known = before[k] != UINT32_MAX;
        if (!known && o->oov == PSDVEC_OOV_DROP)
            continue;
        if (distance >= o->window + 1)
            break;
        double b = o->distance == PSDVEC_DISTANCE_HARMONIC ? 1 / distance : 1;
        for (uint32_t w = 0; known && w < f->words; w++)
            f->score[w] += b * f->keep[before[k]] * pair_score(f, before[k], w, paper);
        /* counting rounds keep to 1/256 for this */
        distance += known ? floor(f->keep[before[k]] * 256 + 0.5) / 256 : 1;
    }
}

static double plain_conditional(plain *f, const uint32_t *before, size_t count, uint32_t word,
                                double *paper)
{
    double z = 0;
    plain_scores(f, before, count, true);
    *paper = log(f->p[word]) + f->score[word];
    plain_scores(f, before, count, false);
    for (uint32_t w = 0; w < f->words; w++)
        z += f->p[w] * exp(f->temperature * f->score[w]);
    return log(f->p[word]) + f->temperature * f->score[word] - log(z);
}

static const char sample_text[] =
    "w1 w5 nonsense w2 w2 w9 w0 w33 w1 w1 w7 w12 w5 w0 w0 w0 w3 w8 w41 "
    "w2 unheard w1 w17 w9 w5 w5 w20 w21 w22 w4";

static void compare_with_formula(psdvec_preset preset, bool counts, double temperature, double self)
{
    static heard h;
    trained *t = trained_new(preset, 2);
    plain f = plain_new(t, counts, temperature, counts ? (double)NAN : self);
    psdvec_scorer_options o = listening(&h);
    o.temperature = temperature;
    o.self = self;
    psdvec_scorer *s = scorer_of(t, counts, &o);
    well(t->ctx, psdvec_scorer_text(s, sample_text, strlen(sample_text)));
    assert_int_equal(h.count, 30);
    assert_int_equal(h.document_count, 1);
    uint32_t before[64];
    size_t known = 0;
    double sum = 0, papers = 0, unigrams = 0;
    for (size_t k = 0; k < h.count; k++) {
        const heard_word *w = &h.words[k];
        double paper;
        before[k] = w->known ? w->word : UINT32_MAX;
        assert_int_equal(w->place, k);
        if (!w->known)
            continue;
        known++;
        double wanted = plain_conditional(&f, before, k, w->word, &paper);
        assert_close(w->conditional, wanted, 2e-4);
        assert_close(w->paper, paper, 2e-4);
        assert_close(w->unigram, log(f.p[w->word]), 1e-9);
        /* the parts add up */
        assert_close(w->unigram + w->added - w->normaliser, w->conditional, 1e-4);
        sum += w->conditional;
        papers += w->paper;
        unigrams += w->unigram;
    }
    assert_int_equal(known, 28);
    assert_int_equal(h.documents[0].known, 28);
    assert_int_equal(h.documents[0].words, 30);
    assert_close(h.documents[0].fits[0].conditional, sum, 1e-9);
    assert_close(h.documents[0].fits[0].paper, papers, 1e-9);
    assert_close(h.documents[0].fits[0].unigram, unigrams, 1e-9);
    assert_true(h.documents[0].fits[0].posterior == 1);
    assert_true(h.documents[0].fits[0].error == 0);
    psdvec_scorer_close(s);
    plain_free(&f);
    trained_free(t);
}

static void probabilities_without_counts_follow_the_formula(void **state)
{
    (void)state;
    compare_with_formula(PSDVEC_PRESET_PAPER, false, 1, (double)NAN);
    compare_with_formula(PSDVEC_PRESET_PAPER, false, 0.4, 0.3);
    compare_with_formula(PSDVEC_PRESET_DEFAULT, false, 1, (double)NAN);
    compare_with_formula(PSDVEC_PRESET_DEFAULT, false, 0.7, -0.5);
}

static void probabilities_with_residuals_follow_the_formula(void **state)
{
    (void)state;
    compare_with_formula(PSDVEC_PRESET_PAPER, true, 1, (double)NAN);
    compare_with_formula(PSDVEC_PRESET_DEFAULT, true, 0.8, (double)NAN);
}

/* With a window of 1 and residuals, the conditional of the paper is the smoothed bigram
 * probability. */
static void a_window_of_one_is_the_bigram_model(void **state)
{
    static heard h;
    trained t;
    (void)state;
    train(&t, PSDVEC_PRESET_PAPER, 1);
    t.counting.window = 1;
    finish_training(&t);
    psdvec_scorer_options o = listening(&h);
    psdvec_scorer *s = scorer_of(&t, true, &o);
    well(t.ctx, psdvec_scorer_text(s, sample_text, strlen(sample_text)));
    const psdvec_document_fit *fit = &h.documents[0].fits[0];
    assert_close(fit->paper, fit->bigram, 1e-4);
    assert_close(fit->conditional, fit->bigram, 1e-3); /* it is already normalised */
    assert_true(isnan(fit->bigram_fitted));
    psdvec_scorer_close(s);
    untrain(&t);
}

static void next_words_have_the_same_probabilities(void **state)
{
    (void)state;
    for (int preset = 0; preset < 2; preset++)
        for (int counts = 0; counts < 2; counts++) {
            static heard h;
            trained *t = trained_new((psdvec_preset)preset, 2);
            uint32_t words = psdvec_model_get_info(t->model)->words;
            psdvec_scorer_options o = listening(&h);
            o.temperature = 0.6;
            o.self = counts ? (double)NAN : 0.2;
            psdvec_scorer *s = scorer_of(t, counts, &o);
            well(t->ctx, psdvec_scorer_text(s, sample_text, strlen(sample_text)));
            uint32_t before[64];
            for (size_t k = 0; k < h.count; k++)
                before[k] = h.words[k].word;
            psdvec_prediction *p = calloc(words, sizeof *p);
            size_t found;
            double sum = 0;
            well(t->ctx, psdvec_scorer_next(s, before, h.count - 1, words, p, &found));
            assert_int_equal(found, words);
            for (size_t k = 0; k < found; k++) {
                sum += p[k].probability;
                assert_true(k == 0 || p[k].probability <= p[k - 1].probability);
                if (p[k].word == h.words[h.count - 1].word)
                    assert_close(log(p[k].probability), h.words[h.count - 1].conditional, 1e-4);
            }
            assert_close(sum, 1, 1e-5);
            well(t->ctx, psdvec_scorer_next(s, before, 0, 3, p, &found));
            assert_int_equal(found, 3);
            assert_close(p[0].probability, p[0].unigram, 1e-5); /* no context: p */
            assert_int_equal(psdvec_scorer_next(s, &words, 1, 3, p, &found), PSDVEC_ERR_OPTION);
            free(p);
            psdvec_scorer_close(s);
            trained_free(t);
        }
}

/* ---- Streams --------------------------------------------------------------------------------- */

static void score_lines(trained *t, const char *text, psdvec_scorer_options *o, heard *h)
{
    char *path = scratch_path(t->folder, "documents");
    const char *inputs[] = {path};
    *o = listening(h);
    o->temperature = 0.8;
    scratch_write(path, text, strlen(text));
    psdvec_scorer *s = scorer_of(t, false, o);
    well(t->ctx, psdvec_scorer_inputs(s, NULL, inputs, 1));
    const psdvec_document_score *total = psdvec_scorer_total(s);
    double sum = 0;
    uint64_t known = 0;
    for (size_t k = 0; k < h->document_count; k++) {
        sum += h->documents[k].fits[0].conditional;
        known += h->documents[k].known;
    }
    assert_int_equal(total->number, h->document_count);
    assert_int_equal(total->known, known);
    assert_close(total->fits[0].conditional, sum, 1e-8);
    psdvec_scorer_close(s);
    free(path);
}

static void every_line_is_a_document_and_bits_do_not_depend_on_threads(void **state)
{
    static heard one, two;
    (void)state;
    char *text = documents_text();
    psdvec_scorer_options o;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 1);
    score_lines(t, text, &o, &one);
    assert_int_equal(one.document_count, 120);
    for (int threads = 2; threads <= 5; threads += 3) {
        psdvec_context *old = t->ctx;
        psdvec_model_close(t->model);
        psdvec_counts_close(t->counts);
        psdvec_context_free(old);
        t->ctx = context_of(threads);
        well(t->ctx, psdvec_counts_open(t->ctx, t->counts_path, &t->counts));
        well(t->ctx, psdvec_model_open(t->ctx, t->model_path, &t->model));
        score_lines(t, text, &o, &two);
        assert_int_equal(two.count, one.count);
        assert_memory_equal(one.words, two.words, sizeof one.words);
        assert_memory_equal(one.documents, two.documents, sizeof one.documents);
    }
    /* Nor does a score depend on neighbouring documents, except for rounding: BLAS sums other rows
     * in another order. */
    char *second = strchr(text, '\n') + 1;
    for (int line = 1; line < 70; line++) {
        char *end = strchr(second, '\n');
        static heard alone;
        psdvec_scorer_options lone = listening(&alone);
        lone.temperature = 0.8;
        psdvec_scorer *s = scorer_of(t, false, &lone);
        well(t->ctx, psdvec_scorer_text(s, second, (size_t)(end - second)));
        assert_int_equal(alone.document_count, 1);
        assert_int_equal(alone.documents[0].known, one.documents[line].known);
        assert_string_equal(alone.documents[0].beginning, one.documents[line].beginning);
        assert_close(alone.documents[0].fits[0].conditional,
                     one.documents[line].fits[0].conditional,
                     1e-6 * (1 + (double)one.documents[line].known));
        psdvec_scorer_close(s);
        second = end + 1;
    }
    free(text);
    trained_free(t);
}

static void words_may_be_fed_one_by_one(void **state)
{
    static heard whole, fed;
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 2);
    psdvec_scorer_options o = listening(&whole);
    psdvec_scorer *s = scorer_of(t, false, &o);
    well(t->ctx, psdvec_scorer_text(s, sample_text, strlen(sample_text)));
    well(t->ctx, psdvec_scorer_text(s, "", 0));
    psdvec_scorer_close(s);
    assert_int_equal(whole.document_count, 2);
    assert_int_equal(whole.documents[1].words, 0);
    assert_true(whole.documents[1].fits[0].conditional == 0);
    o = listening(&fed);
    s = scorer_of(t, false, &o);
    for (size_t k = 0; k < whole.count; k++)
        well(t->ctx, psdvec_scorer_word(s, whole.words[k].text, strlen(whole.words[k].text)));
    well(t->ctx, psdvec_scorer_end(s));
    well(t->ctx, psdvec_scorer_end(s));
    well(t->ctx, psdvec_scorer_finish(s));
    assert_memory_equal(fed.words, whole.words, sizeof fed.words);
    assert_memory_equal(fed.documents, whole.documents, sizeof fed.documents);
    /* A pause ends the window: words after it do not depend on words before it. */
    well(t->ctx, psdvec_scorer_word(s, "w5", 2));
    well(t->ctx, psdvec_scorer_pause(s));
    well(t->ctx, psdvec_scorer_word(s, "w2", 2));
    well(t->ctx, psdvec_scorer_finish(s));
    assert_int_equal(fed.document_count, 3);
    const heard_word *last = &fed.words[fed.count - 1];
    assert_int_equal(last->influences, 0);
    assert_close(last->conditional, last->unigram, 1e-5);
    /* The beginning of a document is shown as complete words, or complete characters of a long
     * word. */
    static const char umlauts[] = "ä"
                                  "ääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää w5";
    well(t->ctx, psdvec_scorer_text(s, umlauts, strlen(umlauts)));
    assert_int_equal(strlen(fed.documents[3].beginning), 72);
    assert_memory_equal(fed.documents[3].beginning, umlauts, 72);
    psdvec_scorer_close(s);
    trained_free(t);
}

/* ---- Several models -------------------------------------------------------------------------- */

static void models_share_one_vocabulary(void **state)
{
    static heard h;
    (void)state;
    trained *a = trained_new(PSDVEC_PRESET_DEFAULT, 2), b;
    train(&b, PSDVEC_PRESET_PAPER, 2);
    char *other = random_text(8, 40, 9000);
    for (char *at = other; (at = strchr(at, 'w')); at++)
        at[0] = at[1] == '1' ? 'w' : 'x'; /* some words are the same */
    scratch_write(b.text, other, strlen(other));
    free(other);
    finish_training(&b);
    psdvec_model *second;
    well(a->ctx, psdvec_model_open(a->ctx, b.model_path, &second));
    psdvec_scored_model models[] = {{a->model, NULL}, {second, NULL}};
    psdvec_scorer_options o = listening(&h);
    psdvec_scorer *s;
    o.smoothing = 0;
    assert_int_equal(psdvec_scorer_open(a->ctx, &o, models, 2, &s), PSDVEC_ERR_OPTION);
    o.smoothing = 0.3;
    well(a->ctx, psdvec_scorer_open(a->ctx, &o, models, 2, &s));
    /* After any context, the probabilities of all words of either model sum to one. */
    uint32_t all = 0;
    for (int m = 0; m < 2; m++)
        for (uint32_t i = 0; i < psdvec_model_get_info(models[m].model)->words; i++) {
            size_t length;
            uint32_t also;
            const char *word = psdvec_model_word(models[m].model, i, &length);
            if (m == 1 && psdvec_model_find(models[0].model, word, length, &also))
                continue;
            well(a->ctx, psdvec_scorer_word(s, "w1", 2));
            well(a->ctx, psdvec_scorer_word(s, "x2", 2));
            well(a->ctx, psdvec_scorer_word(s, word, length));
            well(a->ctx, psdvec_scorer_end(s));
            all++;
        }
    well(a->ctx, psdvec_scorer_word(s, "w1", 2));
    well(a->ctx, psdvec_scorer_word(s, "x2", 2));
    well(a->ctx, psdvec_scorer_finish(s));
    assert_int_equal(h.document_count, all + 1);
    for (int m = 0; m < 2; m++) {
        double sum = 0, prefix = h.documents[all].fits[m].conditional;
        for (uint32_t k = 0; k < all; k++) {
            assert_int_equal(h.documents[k].known, 3);
            sum += exp(h.documents[k].fits[m].conditional - prefix);
        }
        assert_close(sum, 1, 1e-4);
    }
    /* A text is assigned to the model that it fits. */
    static const char ours[] = "w2 w3 w4 w5 w6 w7", theirs[] = "x2 x3 x4 x5 x6 x7";
    well(a->ctx, psdvec_scorer_text(s, ours, strlen(ours)));
    well(a->ctx, psdvec_scorer_text(s, theirs, strlen(theirs)));
    const psdvec_document_fit *first = h.documents[all + 1].fits;
    const psdvec_document_fit *next = h.documents[all + 2].fits;
    assert_true(first[0].posterior > 0.99 && next[1].posterior > 0.99);
    assert_close(first[0].posterior + first[1].posterior, 1, 1e-12);
    assert_close(first[0].posterior / first[1].posterior,
                 exp(first[0].conditional - first[1].conditional),
                 1e-6 * first[0].posterior / first[1].posterior);
    psdvec_scorer_close(s);
    psdvec_model_close(second);
    untrain(&b);
    trained_free(a);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static void invalid_input_is_refused_with_a_reason(void **state)
{
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 1);
    psdvec_scorer *s;
    psdvec_scored_model m = {t->model, NULL};
    psdvec_scorer_options o;
    psdvec_scorer_options_default(&o);
    assert_int_equal(psdvec_scorer_open(t->ctx, &o, &m, 0, &s), PSDVEC_ERR_OPTION);
    o.temperature = -1;
    assert_int_equal(psdvec_scorer_open(t->ctx, &o, &m, 1, &s), PSDVEC_ERR_OPTION);
    o.temperature = 0;
    o.sampled = 5;
    assert_int_equal(psdvec_scorer_open(t->ctx, &o, &m, 1, &s), PSDVEC_ERR_OPTION);
    /* Third-party vectors have no probabilities. */
    char *path = scratch_path(t->folder, "vectors.txt");
    psdvec_model *foreign;
    scratch_write(path, "2 2\na 1 2\nb 3 4\n", 16);
    well(t->ctx, psdvec_model_open(t->ctx, path, &foreign));
    m.model = foreign;
    o.sampled = 0;
    assert_int_equal(psdvec_scorer_open(t->ctx, &o, &m, 1, &s), PSDVEC_ERR_FORMAT);
    assert_contains(psdvec_error_message(t->ctx), "only models made by psdvec train");
    psdvec_model_close(foreign);
    /* Nothing to fit to. */
    psdvec_fit_report r;
    const char *inputs[] = {path};
    scratch_write(path, "only unheard-of words\n", 22);
    assert_int_equal(psdvec_fit_temperature(t->ctx, t->model, NULL, NULL, inputs, 1, 0, &r),
                     PSDVEC_ERR_EMPTY);
    free(path);
    trained_free(t);
}

static bool wants_to_stop(void *user)
{
    return *(bool *)user;
}

/* Words fed before the failure are discarded; later ones are scored as usual. */
static void a_scorer_can_be_used_after_a_failure(void **state)
{
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 1);
    bool stop = false;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.should_cancel = wants_to_stop;
    options.user = &stop;
    psdvec_context *ctx;
    ok(psdvec_context_new(&options, &ctx));
    psdvec_model *model;
    psdvec_scorer *s;
    well(ctx, psdvec_model_open(ctx, t->model_path, &model));
    psdvec_scored_model m = {model, NULL};
    well(ctx, psdvec_scorer_open(ctx, NULL, &m, 1, &s));
    size_t length;
    const char *word = psdvec_model_word(model, 3, &length);
    uint32_t failures = 0;
    stop = true;
    for (int k = 0; k < 5000; k++)
        failures += psdvec_scorer_word(s, word, length) == PSDVEC_ERR_CANCELLED;
    assert_true(failures > 0);
    assert_int_equal(psdvec_scorer_finish(s), PSDVEC_ERR_CANCELLED);
    stop = false;
    for (int k = 0; k < 2000; k++)
        well(ctx, psdvec_scorer_word(s, word, length));
    well(ctx, psdvec_scorer_finish(s));
    assert_int_equal(psdvec_scorer_total(s)->number, 1);
    assert_int_equal(psdvec_scorer_total(s)->words, 2000);
    psdvec_scorer_close(s);
    psdvec_model_close(model);
    psdvec_context_free(ctx);
    trained_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kernels_give_the_same_bits_and_the_right_sums),
        cmocka_unit_test(probabilities_without_counts_follow_the_formula),
        cmocka_unit_test(probabilities_with_residuals_follow_the_formula),
        cmocka_unit_test(a_window_of_one_is_the_bigram_model),
        cmocka_unit_test(next_words_have_the_same_probabilities),
        cmocka_unit_test(every_line_is_a_document_and_bits_do_not_depend_on_threads),
        cmocka_unit_test(words_may_be_fed_one_by_one),
        cmocka_unit_test(models_share_one_vocabulary),
        cmocka_unit_test(invalid_input_is_refused_with_a_reason),
        cmocka_unit_test(a_scorer_can_be_used_after_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
