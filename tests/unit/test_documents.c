/* The probability of documents, against the formula of docs/documents.md written out plainly: every
 * word of the vocabulary, every context word, in double precision.
 */
#include "document/exp_sums.h"
#include "support/problem.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 60, TOKENS = 20000, DIM = 8 };

/* ---- A model of a small text ------------------------------------------------------------------- */

typedef struct trained {
    psdvec_context *ctx;
    char *folder, *text, *counts_path, *model_path;
    psdvec_count_options counting;
    psdvec_train_options training;
    psdvec_counts *counts;
    psdvec_model *model;
} trained;

static void train(trained *t, psdvec_preset preset, int threads)
{
    *t = (trained){.ctx = context_of(threads), .folder = scratch_new()};
    char *words = random_text(7, WORDS, TOKENS);
    t->text = scratch_path(t->folder, "text");
    t->counts_path = scratch_path(t->folder, "counts");
    t->model_path = scratch_path(t->folder, "model");
    scratch_write(t->text, words, strlen(words));
    free(words);
    psdvec_train_options_preset(&t->training, preset, &t->counting);
    t->training.dim = DIM;
    t->training.core = 0;
    t->counting.min_count = 20;
    t->counting.text.digits = PSDVEC_DIGITS_KEEP;
    if (preset == PSDVEC_PRESET_DEFAULT)
        t->counting.subsample = 0.02; /* so that much is subsampled in so small a vocabulary */
}

static void finish_training(trained *t)
{
    const char *inputs[] = {t->text};
    well(t->ctx, psdvec_count(t->ctx, &t->counting, inputs, 1, t->counts_path, NULL));
    well(t->ctx, psdvec_train(t->ctx, &t->training, t->counts_path, t->model_path, NULL));
    well(t->ctx, psdvec_counts_open(t->ctx, t->counts_path, &t->counts));
    well(t->ctx, psdvec_model_open(t->ctx, t->model_path, &t->model));
}

static void untrain(trained *t)
{
    psdvec_model_close(t->model);
    psdvec_counts_close(t->counts);
    psdvec_context_free(t->ctx);
    scratch_free(t->folder);
    free(t->text);
    free(t->counts_path);
    free(t->model_path);
}

static trained *trained_new(psdvec_preset preset, int threads)
{
    trained *t = malloc(sizeof *t);
    train(t, preset, threads);
    finish_training(t);
    return t;
}

static void trained_free(trained *t)
{
    untrain(t);
    free(t);
}

/* ---- What the host hears ------------------------------------------------------------------------ */

typedef struct heard_word {
    uint64_t document, place;
    char text[160];
    bool known;
    uint32_t word;
    double unigram, paper, conditional, normaliser, added;
    size_t influences;
} heard_word;

typedef struct heard {
    heard_word words[4000];
    size_t count;
    struct {
        uint64_t words, known;
        char beginning[100];
        psdvec_document_fit fits[2];
    } documents[400];
    size_t document_count, models;
} heard;

static void hear_word(void *user, const psdvec_word_score *w)
{
    heard *h = user;
    heard_word *to = &h->words[h->count++];
    assert_true(h->count < 4000 && w->length < sizeof to->text);
    *to = (heard_word){.document = w->document,
                       .place = w->place,
                       .known = w->known,
                       .word = w->word,
                       .unigram = w->unigram,
                       .paper = w->paper,
                       .conditional = w->conditional,
                       .normaliser = w->normaliser,
                       .influences = w->influence_count};
    memcpy(to->text, w->text, w->length);
    for (size_t k = 0; k < w->influence_count; k++)
        to->added += w->influences[k].added;
}

static void hear_document(void *user, const psdvec_document_score *d)
{
    heard *h = user;
    assert_int_equal(d->number, h->document_count + 1);
    assert_true(h->document_count < 400 && d->fit_count <= 2);
    h->documents[h->document_count].words = d->words;
    h->documents[h->document_count].known = d->known;
    snprintf(h->documents[h->document_count].beginning, 100, "%s", d->beginning);
    for (size_t m = 0; m < d->fit_count; m++)
        h->documents[h->document_count].fits[m] = d->fits[m];
    h->models = d->fit_count;
    h->document_count++;
}

static psdvec_scorer_options listening(heard *h)
{
    psdvec_scorer_options o;
    psdvec_scorer_options_default(&o);
    memset(h, 0, sizeof *h);
    o.on_document = hear_document;
    o.on_word = hear_word;
    o.influences = true;
    o.user = h;
    return o;
}

static psdvec_scorer *scorer_of(const trained *t, bool counts, const psdvec_scorer_options *o)
{
    psdvec_scorer *s;
    psdvec_scored_model m = {t->model, counts ? t->counts : NULL};
    well(t->ctx, psdvec_scorer_open(t->ctx, o, &m, 1, &s));
    return s;
}

/* ---- The formula, plainly ------------------------------------------------------------------------- */

typedef struct plain {
    const trained *t;
    size_t words, dim;
    double *p, *shift, *keep;
    double *score; /* of all words, for one context */
    double *known; /* words x words: pair_score of pairs asked for before; NAN: not yet */
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
        psdvec_pair_story story;
        well(t->ctx, psdvec_model_explain_pair(t->ctx, t->model, t->counts, k, w, &story));
        *known = t->training.target == PSDVEC_TARGET_SMOOTHED ? story.target_ij
                 : isnan(story.target_ij)                     ? product + shifts
                                                              : story.target_ij + shifts;
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
        /* the parts are the whole */
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

static void vectors_alone_obey_the_formula(void **state)
{
    (void)state;
    compare_with_formula(PSDVEC_PRESET_PAPER, false, 1, (double)NAN);
    compare_with_formula(PSDVEC_PRESET_PAPER, false, 0.4, 0.3);
    compare_with_formula(PSDVEC_PRESET_DEFAULT, false, 1, (double)NAN);
    compare_with_formula(PSDVEC_PRESET_DEFAULT, false, 0.7, -0.5);
}

static void residuals_obey_the_formula(void **state)
{
    (void)state;
    compare_with_formula(PSDVEC_PRESET_PAPER, true, 1, (double)NAN);
    compare_with_formula(PSDVEC_PRESET_DEFAULT, true, 0.8, (double)NAN);
}

/* With a window of 1 and residuals, the paper's conditional is the smoothed bigram itself. */
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
    assert_close(fit->conditional, fit->bigram, 1e-3); /* and it sums to one already */
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
            assert_close(p[0].probability, p[0].unigram, 1e-5); /* no context: p itself */
            assert_int_equal(psdvec_scorer_next(s, &words, 1, 3, p, &found), PSDVEC_ERR_OPTION);
            free(p);
            psdvec_scorer_close(s);
            trained_free(t);
        }
}

/* ---- Streams ---------------------------------------------------------------------------------------- */

static char *documents_text(void)
{
    dice d = {11};
    char *text = calloc(1, 40000), *at = text;
    for (int line = 0; line < 120; line++) {
        size_t length = line == 60 ? 2500 : dice_below(&d, 12);
        for (size_t k = 0; k < length; k++)
            at += sprintf(at, "w%zu ", dice_below(&d, WORDS + 5));
        *at++ = '\n';
    }
    return text;
}

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
    /* Nor do the numbers depend on a document's neighbours, but for rounding: BLAS adds up in
     * another order for another row. */
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
    /* A pause ends the window: what comes after it knows nothing of what was before. */
    well(t->ctx, psdvec_scorer_word(s, "w5", 2));
    well(t->ctx, psdvec_scorer_pause(s));
    well(t->ctx, psdvec_scorer_word(s, "w2", 2));
    well(t->ctx, psdvec_scorer_finish(s));
    assert_int_equal(fed.document_count, 3);
    const heard_word *last = &fed.words[fed.count - 1];
    assert_int_equal(last->influences, 0);
    assert_close(last->conditional, last->unigram, 1e-5);
    /* A document begins with whole words, or with whole characters of a long one. */
    static const char umlauts[] = "ä"
                                  "ääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää w5";
    well(t->ctx, psdvec_scorer_text(s, umlauts, strlen(umlauts)));
    assert_int_equal(strlen(fed.documents[3].beginning), 72);
    assert_memory_equal(fed.documents[3].beginning, umlauts, 72);
    psdvec_scorer_close(s);
    trained_free(t);
}

/* ---- Several models ----------------------------------------------------------------------------------- */

static void models_share_one_space_of_words(void **state)
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
    /* After any context, the probabilities of all words that either knows sum to one. */
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
    /* A text of either is given to it. */
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

/* ---- Sampling --------------------------------------------------------------------------------------------- */

static psdvec_context *seeded_context(uint64_t seed)
{
    psdvec_context *ctx;
    psdvec_context_options o;
    psdvec_context_options_default(&o);
    o.seed = seed;
    o.threads = 2;
    ok(psdvec_context_new(&o, &ctx));
    return ctx;
}

/* The stated error is of the size of the errors. */
static void a_sample_knows_how_far_it_is_off(void **state)
{
    (void)state;
    trained t;
    train(&t, PSDVEC_PRESET_DEFAULT, 2);
    char *words = random_text(3, 1000, 30000);
    scratch_write(t.text, words, strlen(words));
    free(words);
    t.counting.subsample = 0;
    t.counting.min_count = 1;
    finish_training(&t);
    char *text = documents_text();
    for (int counts = 0; counts < 2; counts++) {
        double square = 0, bias = 0, stated = 0, exact;
        enum { SEEDS = 16 };
        psdvec_scorer_options o;
        psdvec_scorer_options_default(&o);
        psdvec_scorer *s = scorer_of(&t, counts, &o);
        well(t.ctx, psdvec_scorer_text(s, text, strlen(text)));
        exact = psdvec_scorer_total(s)->fits[0].conditional;
        psdvec_scorer_close(s);
        o.sampled = 200;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            psdvec_context *ctx = seeded_context(seed);
            psdvec_model *model;
            psdvec_counts *file;
            well(ctx, psdvec_model_open(ctx, t.model_path, &model));
            well(ctx, psdvec_counts_open(ctx, t.counts_path, &file));
            psdvec_scored_model m = {model, counts ? file : NULL};
            well(ctx, psdvec_scorer_open(ctx, &o, &m, 1, &s));
            well(ctx, psdvec_scorer_text(s, text, strlen(text)));
            psdvec_document_fit fit = psdvec_scorer_total(s)->fits[0];
            square += (fit.conditional - exact) * (fit.conditional - exact) / SEEDS;
            bias += (fit.conditional - exact) / SEEDS;
            stated += fit.error * fit.error / SEEDS;
            psdvec_scorer_close(s);
            psdvec_counts_close(file);
            psdvec_model_close(model);
            psdvec_context_free(ctx);
        }
        assert_true(stated > 0);
        /* Teeth of a comb are better spread than groups of them, so it errs on the safe side. */
        if (!(square < 1.5 * stated && square > stated / 9))
            fail_msg("errors of %g, stated as %g", sqrt(square), sqrt(stated));
        assert_below(fabs(bias), 4 * sqrt(stated / SEEDS));
        assert_below(sqrt(stated), 0.02 * fabs(exact)); /* and worth something */
    }
    free(text);
    untrain(&t);
}

/* Words of a batch share a sample and err together, whatever documents they stand in. */
static void the_error_of_the_total_does_not_depend_on_where_documents_end(void **state)
{
    (void)state;
    trained t;
    train(&t, PSDVEC_PRESET_PAPER, 2);
    char *words = random_text(3, 1000, 30000);
    scratch_write(t.text, words, strlen(words));
    free(words);
    t.counting.min_count = 1;
    finish_training(&t);
    double likelihood[2], error[2];
    for (int ends = 0; ends < 2; ends++) {
        psdvec_scorer_options o;
        psdvec_scorer_options_default(&o);
        o.sampled = 64;
        psdvec_scorer *s = scorer_of(&t, false, &o);
        for (uint32_t k = 0; k < 3000; k++) {
            size_t length;
            const char *word = psdvec_model_word(t.model, k * 7 % 50, &length);
            well(t.ctx, psdvec_scorer_word(s, word, length));
            if (k % 5 == 4)
                well(t.ctx, ends ? psdvec_scorer_end(s) : psdvec_scorer_pause(s));
        }
        well(t.ctx, psdvec_scorer_finish(s));
        likelihood[ends] = psdvec_scorer_total(s)->fits[0].conditional;
        error[ends] = psdvec_scorer_total(s)->fits[0].error;
        psdvec_scorer_close(s);
    }
    assert_true(error[0] > 0);
    assert_close(likelihood[0], likelihood[1], 1e-9);
    assert_close(error[0], error[1], 1e-9);
    untrain(&t);
}

/* ---- Drawing -------------------------------------------------------------------------------------------------- */

static void drawn_words_follow_the_probabilities(void **state)
{
    (void)state;
    trained *t = trained_new(PSDVEC_PRESET_DEFAULT, 2);
    uint32_t words = psdvec_model_get_info(t->model)->words, before[] = {3, 1}, drawn;
    psdvec_scorer *s = scorer_of(t, false, NULL);
    psdvec_prediction *p = calloc(words, sizeof *p);
    unsigned *hits = calloc(words, sizeof *hits);
    size_t found;
    psdvec_generate_options g;
    psdvec_generate_options_default(&g);
    well(t->ctx, psdvec_scorer_next(s, before, 2, words, p, &found));
    enum { DRAWS = 4000 };
    g.length = 1;
    for (g.seed = 0; g.seed < DRAWS; g.seed++) {
        well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, &drawn, NULL, NULL));
        hits[drawn]++;
    }
    double square = 0;
    for (size_t k = 0; k < found; k++) {
        double expected = DRAWS * p[k].probability;
        square += (hits[p[k].word] - expected) * (hits[p[k].word] - expected) / expected;
    }
    /* chi squared, whose standard deviation is sqrt(2 (words - 1)) */
    assert_below(fabs(square - (words - 1)), 5 * sqrt(2.0 * words));
    /* Only the two likeliest. */
    g.top = 2;
    for (g.seed = 0; g.seed < 50; g.seed++) {
        well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, &drawn, NULL, NULL));
        assert_true(drawn == p[0].word || drawn == p[1].word);
    }
    /* Word after word: the same for the same seed, and each after those before it. */
    uint32_t first[20], again[20];
    g = (psdvec_generate_options){.length = 20, .seed = 5};
    well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, first, NULL, NULL));
    well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, again, NULL, NULL));
    assert_memory_equal(first, again, sizeof first);
    g.seed = 6;
    well(t->ctx, psdvec_scorer_generate(s, &g, before, 2, again, NULL, NULL));
    assert_memory_not_equal(first, again, sizeof first);
    free(hits);
    free(p);
    psdvec_scorer_close(s);
    trained_free(t);
}

/* ---- The temperature --------------------------------------------------------------------------------------------- */

static double perplexity_at(trained *t, const char *path, bool counts, double temperature,
                            double self)
{
    psdvec_scorer_options o;
    psdvec_scorer_options_default(&o);
    o.temperature = temperature;
    o.self = self;
    psdvec_scorer *s = scorer_of(t, counts, &o);
    well(t->ctx, psdvec_scorer_inputs(s, NULL, &path, 1));
    const psdvec_document_score *d = psdvec_scorer_total(s);
    double perplexity = exp(-d->fits[0].conditional / (double)d->known);
    psdvec_scorer_close(s);
    return perplexity;
}

static void the_fitted_parameters_are_the_likeliest(void **state)
{
    (void)state;
    int repeats_fitted = 0;
    for (int preset = 0; preset < 2; preset++) {
        trained *t = trained_new((psdvec_preset)preset, 2);
        char *path = scratch_path(t->folder, "held-out"), *held = random_text(99, WORDS, 3000);
        const char *inputs[] = {path};
        psdvec_fit_report r;
        scratch_write(path, held, strlen(held));
        well(t->ctx, psdvec_fit_temperature(t->ctx, t->model, t->counts, NULL, inputs, 1, 0, &r));
        assert_true(r.known > 2000 && r.temperature > 0 && r.rounds < 30);
        double best = perplexity_at(t, path, false, r.temperature, r.self);
        assert_close(best, r.after, 1e-3);
        assert_close(perplexity_at(t, path, false, 1, (double)INFINITY), r.before, 1e-3);
        double alone = perplexity_at(t, path, false, r.temperature_alone, (double)INFINITY);
        assert_close(alone, r.alone, 1e-3);
        assert_true(best <= alone && alone <= r.before);
        for (int sign = -1; sign <= 1; sign += 2) {
            double off = 1 + 0.05 * sign, self = r.self + 0.2 * sign;
            assert_below(best, perplexity_at(t, path, false, r.temperature * off, r.self));
            if (!isnan(r.self))
                assert_below(best, perplexity_at(t, path, false, r.temperature, self));
            assert_below(
                alone, perplexity_at(t, path, false, r.temperature_alone * off, (double)INFINITY));
            assert_below(r.counts_after,
                         perplexity_at(t, path, true, r.temperature_counts * off, (double)NAN));
        }
        assert_true(r.bigram_after <= r.bigram && r.interpolation > 0 && r.interpolation <= 1);
        /* Kept in the model, it is what scoring begins with. */
        char *kept = scratch_path(t->folder, "kept");
        psdvec_model *with;
        well(t->ctx, psdvec_model_keep_fit(t->ctx, t->model, &r, kept));
        well(t->ctx, psdvec_model_open(t->ctx, kept, &with));
        well(t->ctx, psdvec_model_verify(t->ctx, with));
        const psdvec_model_info *info = psdvec_model_get_info(with);
        assert_true(info->temperature == r.temperature);
        assert_true(isnan(r.self) ? isnan(info->self) : info->self == r.self);
        repeats_fitted += !isnan(r.self);
        assert_true(info->temperature_counts == r.temperature_counts);
        psdvec_model *without = t->model;
        t->model = with;
        assert_close(perplexity_at(t, path, false, 0, (double)NAN), r.after, 1e-3);
        assert_close(perplexity_at(t, path, true, 0, (double)NAN), r.counts_after, 1e-3);
        t->model = without;
        psdvec_model_close(with);
        free(kept);
        free(path);
        free(held);
        trained_free(t);
    }
    assert_true(repeats_fitted > 0); /* it was put to the test */
}

/* Vectors so short that no temperature is high enough, and words that never repeat. */
static void what_was_fitted_can_be_read_again_however_odd_the_text(void **state)
{
    (void)state;
    trained t;
    train(&t, PSDVEC_PRESET_PAPER, 1);
    char text[20 * 200 + 1];
    for (int k = 0; k < 200; k++)
        snprintf(text + 20L * k, 21, "fst%c%c snd%c%c another\n", 'a' + k % 10, 'a', 'a' + k % 10,
                 'a');
    scratch_write(t.text, text, strlen(text));
    t.counting.min_count = 1;
    t.counting.window = 1;
    t.counting.text.min_document_words = 1;
    t.training.dim = 5;
    t.training.kappa = 0.99999;
    finish_training(&t);
    const char *inputs[] = {t.text};
    psdvec_fit_report r;
    psdvec_model *with;
    char *kept = scratch_path(t.folder, "kept");
    well(t.ctx, psdvec_fit_temperature(t.ctx, t.model, t.counts, NULL, inputs, 1, 0, &r));
    assert_true(r.temperature_alone == 100); /* it was put to the test */
    assert_true(r.alone < r.before);
    well(t.ctx, psdvec_model_keep_fit(t.ctx, t.model, &r, kept));
    well(t.ctx, psdvec_model_open(t.ctx, kept, &with));
    psdvec_model_close(with);
    /* What no fit can have found is refused. */
    r.interpolation = 2;
    well(t.ctx, psdvec_model_keep_fit(t.ctx, t.model, &r, kept));
    assert_int_equal(psdvec_model_open(t.ctx, kept, &with), PSDVEC_ERR_CORRUPT);
    r.interpolation = 0.5;
    r.temperature_counts = -1;
    well(t.ctx, psdvec_model_keep_fit(t.ctx, t.model, &r, kept));
    assert_int_equal(psdvec_model_open(t.ctx, kept, &with), PSDVEC_ERR_CORRUPT);
    free(kept);
    untrain(&t);
}

/* ---- Refusals ------------------------------------------------------------------------------------------------------ */

static void what_cannot_be_scored_is_refused_with_a_reason(void **state)
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
    /* Another program's vectors have no probabilities. */
    char *path = scratch_path(t->folder, "vectors.txt");
    psdvec_model *foreign;
    scratch_write(path, "2 2\na 1 2\nb 3 4\n", 16);
    well(t->ctx, psdvec_model_open(t->ctx, path, &foreign));
    m.model = foreign;
    o.sampled = 0;
    assert_int_equal(psdvec_scorer_open(t->ctx, &o, &m, 1, &s), PSDVEC_ERR_FORMAT);
    assert_contains(psdvec_error_message(t->ctx), "only models made by train");
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

/* What was fed before the failure is gone; what comes after it is scored as ever. */
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

/* ---- The inner loop ------------------------------------------------------------------------------------------------- */

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
    /* Far apart, and beyond what exp can hold. */
    float far[] = {-3000, 2000, 2000, -2000}, none[] = {0, 0, 0, 0};
    pv_exp_sums e;
    pv_exp_sums_best()(far, none, NULL, 0, 1, 4, &e);
    assert_true(e.largest == 2000 && e.sum == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kernels_give_the_same_bits_and_the_right_sums),
        cmocka_unit_test(vectors_alone_obey_the_formula),
        cmocka_unit_test(residuals_obey_the_formula),
        cmocka_unit_test(a_window_of_one_is_the_bigram_model),
        cmocka_unit_test(next_words_have_the_same_probabilities),
        cmocka_unit_test(every_line_is_a_document_and_bits_do_not_depend_on_threads),
        cmocka_unit_test(words_may_be_fed_one_by_one),
        cmocka_unit_test(models_share_one_space_of_words),
        cmocka_unit_test(a_sample_knows_how_far_it_is_off),
        cmocka_unit_test(the_error_of_the_total_does_not_depend_on_where_documents_end),
        cmocka_unit_test(drawn_words_follow_the_probabilities),
        cmocka_unit_test(the_fitted_parameters_are_the_likeliest),
        cmocka_unit_test(what_was_fitted_can_be_read_again_however_odd_the_text),
        cmocka_unit_test(what_cannot_be_scored_is_refused_with_a_reason),
        cmocka_unit_test(a_scorer_can_be_used_after_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
