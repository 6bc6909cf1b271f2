/* The temperature that makes a text likeliest, and the same of the bigrams' one parameter.
 *
 * In T the conditional is an exponential family: with s the score of a word,
 *
 *     d/dT log P = s - E s        d^2/dT^2 log P = - Var s
 *
 * so the likelihood is concave, and Newton's method finds its maximum in a few passes over the text,
 * a step being halved as long as it makes matters worse. One pass gives the likelihood and both
 * derivatives.
 */
#include "base/json_write.h"
#include "base/progress.h"
#include "corpus/tokenize.h"
#include "document/scorer.h"
#include "model/model_read.h"
#include "model/model_write.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* Ends of windows among the words. */
#define PAUSE (UINT32_MAX - 1)

enum { MOST_ROUNDS = 30 };

/* The text as words of the model. */
typedef struct text_to_fit {
    psdvec_context *ctx;
    const psdvec_model *model;
    pv_buffer words; /* uint32_t: words, PSDVEC_UNKNOWN_WORD, PAUSE */
    uint64_t count, known, most;
} text_to_fit;

static psdvec_status keep(text_to_fit *t, uint32_t word)
{
    return pv_buffer_append(&t->words, &word, sizeof word);
}

static psdvec_status take_word(void *arg, const char *word, size_t length)
{
    text_to_fit *t = arg;
    uint32_t i = PSDVEC_UNKNOWN_WORD;
    if (t->most && t->known == t->most)
        return PSDVEC_OK;
    t->known += psdvec_model_find(t->model, word, length, &i);
    t->count++;
    return keep(t, i);
}

static psdvec_status take_pause(void *arg)
{
    text_to_fit *t = arg;
    return t->most && t->known == t->most ? PSDVEC_OK : keep(t, PAUSE);
}

static psdvec_status take_end(void *arg, const char *source)
{
    (void)source;
    return take_pause(arg);
}

/* ---- One pass ------------------------------------------------------------------------------------ */

typedef struct fitting {
    psdvec_context *ctx;
    pv_conditional *c;
    pv_normaliser *normaliser;
    pv_trail trail;
    pv_contexts contexts;
    pv_partition *partitions;
    uint32_t *waiting; /* words of the rows */
    text_to_fit text;
    pv_progress progress;
    psdvec_fit_report *report;
} fitting;

typedef struct slope {
    double likelihood, first, second;
} slope;

static psdvec_status finish_rows(fitting *f, double temperature, slope *at)
{
    PV_TRY(pv_check_cancel(f->ctx));
    PV_TRY(pv_normalise(f->normaliser, &f->contexts, temperature, f->partitions));
    for (uint32_t row = 0; row < f->contexts.count; row++) {
        uint32_t word = f->waiting[row];
        const pv_partition *p = &f->partitions[row];
        double score = pv_contexts_score(&f->contexts, f->c, row, word) - f->contexts.constant[row];
        at->likelihood += f->c->log_unigram[word] + temperature * score - p->log_z;
        at->first += score - p->mean;
        at->second -= fmax(0, p->square - p->mean * p->mean);
    }
    pv_progress_add(&f->progress, f->contexts.count);
    pv_contexts_clear(&f->contexts);
    return PSDVEC_OK;
}

static psdvec_status pass(fitting *f, double temperature, slope *at)
{
    const uint32_t *words = (const uint32_t *)(const void *)f->text.words.data;
    size_t count = f->text.words.length / sizeof *words;
    uint64_t place = 0;
    *at = (slope){0};
    pv_trail_clear(&f->trail);
    pv_progress_begin(&f->progress, f->ctx, "fitting", "words", f->text.known);
    for (size_t k = 0; k < count; k++) {
        if (words[k] == PAUSE) {
            pv_trail_clear(&f->trail);
            continue;
        }
        if (words[k] != PSDVEC_UNKNOWN_WORD) {
            f->waiting[f->contexts.count] = words[k];
            PV_TRY(pv_contexts_add(&f->contexts, f->c, &f->trail, place));
            if (f->contexts.count == PV_SCORER_ROWS)
                PV_TRY(finish_rows(f, temperature, at));
        }
        pv_trail_add(&f->trail, f->c, words[k], place++);
    }
    PV_TRY(finish_rows(f, temperature, at));
    pv_progress_end(&f->progress);
    f->report->rounds++;
    return PSDVEC_OK;
}

static psdvec_status fit(fitting *f)
{
    slope here, there;
    double t = 1, known = (double)f->text.known;
    PV_TRY(pass(f, t, &here));
    f->report->perplexity_before = exp(-here.likelihood / known);
    while (f->report->rounds < MOST_ROUNDS && here.second < 0) {
        double next = t - here.first / here.second;
        next = next < 0 ? (t > 1e-3 ? t / 4 : 0) : fmin(next, 4 * t + 1);
        if (fabs(next - t) < 1e-4 * fmax(t, 0.01))
            break;
        PV_TRY(pass(f, next, &there));
        for (double step = next - t; there.likelihood < here.likelihood &&
                                     fabs(step) > 1e-4 * fmax(t, 0.01) &&
                                     f->report->rounds < MOST_ROUNDS;) {
            step *= 0.5;
            next = t + step;
            PV_TRY(pass(f, next, &there));
        }
        if (there.likelihood <= here.likelihood)
            break;
        t = next;
        here = there;
    }
    f->report->temperature = t;
    f->report->perplexity_after = exp(-here.likelihood / known);
    return PSDVEC_OK;
}

/* ---- The baselines ---------------------------------------------------------------------------------- */

/* sum log((1 - w) share + w p) over the words with a word before, and its derivatives. */
typedef struct bigram_pair {
    double share, p; /* share negative: no word before */
} bigram_pair;

static double bigram_likelihood(const bigram_pair *pairs, uint64_t count, double weight,
                                double *first)
{
    double sum = 0;
    *first = 0;
    for (uint64_t k = 0; k < count; k++) {
        const bigram_pair *b = &pairs[k];
        double mixed = b->share < 0 ? b->p : (1 - weight) * b->share + weight * b->p;
        sum += log(mixed);
        *first += b->share < 0 ? 0 : (b->p - b->share) / mixed;
    }
    return sum;
}

static psdvec_status fit_baselines(fitting *f)
{
    const uint32_t *words = (const uint32_t *)(const void *)f->text.words.data;
    size_t count = f->text.words.length / sizeof *words;
    uint64_t known = 0;
    double unigram = 0, first, low = 1e-9, high = 1;
    bool bigrams = f->c->counts != NULL;
    bigram_pair *pairs = bigrams ? pv_alloc(f->ctx, f->text.known, sizeof *pairs, "pairs of words")
                                 : NULL;
    if (bigrams && !pairs)
        return pv_failure(f->ctx);
    pv_trail_clear(&f->trail);
    for (size_t k = 0; k < count; k++) {
        if (words[k] == PAUSE) {
            pv_trail_clear(&f->trail);
            continue;
        }
        if (words[k] != PSDVEC_UNKNOWN_WORD) {
            double log_p = f->c->log_unigram[words[k]];
            unigram += log_p;
            if (bigrams)
                pairs[known] = (bigram_pair){
                    pv_conditional_bigram_share(f->c, pv_trail_last(&f->trail), words[k]),
                    exp(log_p)};
            known++;
        }
        pv_trail_add(&f->trail, f->c, words[k], k);
    }
    psdvec_fit_report *r = f->report;
    r->perplexity_unigram = exp(-unigram / (double)known);
    r->interpolation = r->perplexity_bigram = r->perplexity_bigram_fitted = (double)NAN;
    if (bigrams) {
        r->perplexity_bigram =
            exp(-bigram_likelihood(pairs, known, r->kappa, &first) / (double)known);
        for (int step = 0; step < 60; step++) { /* concave: the slope falls */
            double middle = 0.5 * (low + high);
            bigram_likelihood(pairs, known, middle, &first);
            *(first > 0 ? &low : &high) = middle;
        }
        r->interpolation = 0.5 * (low + high);
        r->perplexity_bigram_fitted =
            exp(-bigram_likelihood(pairs, known, r->interpolation, &first) / (double)known);
    }
    pv_free(f->ctx, pairs);
    return PSDVEC_OK;
}

/* ---- The calls ---------------------------------------------------------------------------------------- */

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static psdvec_status read_text(fitting *f, const psdvec_text_options *text,
                               const char *const *inputs, size_t input_count)
{
    pv_token_sink sink = {take_word, take_pause, take_end, &f->text};
    psdvec_text_options options = text ? *text : f->c->counting.text;
    options.min_document_words = 1;
    PV_TRY(pv_tokenize_inputs(f->ctx, &options, inputs, input_count, &sink));
    if (f->text.known > 0)
        return PSDVEC_OK;
    return pv_fail(f->ctx, PSDVEC_ERR_EMPTY, "%s: the text has no word that the model knows",
                   input_count ? inputs[0] : "the input");
}

psdvec_status psdvec_fit_temperature(psdvec_context *ctx, const psdvec_model *model,
                                     const psdvec_counts *counts, const psdvec_text_options *text,
                                     const char *const *inputs, size_t input_count,
                                     uint64_t most_words, psdvec_fit_report *report)
{
    psdvec_status status;
    struct timespec start;
    fitting f = {.ctx = ctx, .report = report};
    pv_begin(ctx);
    clock_gettime(CLOCK_MONOTONIC, &start);
    *report = (psdvec_fit_report){0};
    f.text = (text_to_fit){.ctx = ctx, .model = model, .most = most_words};
    pv_buffer_init(&f.text.words, ctx);
    PV_TRY_DONE(pv_conditional_open(ctx, model, counts, 0, 0, &f.c));
    PV_TRY_DONE(read_text(&f, text, inputs, input_count));
    report->kappa = f.c->kappa;
    report->words = f.text.count;
    report->known = f.text.known;
    PV_TRY_DONE(pv_normaliser_open(f.c, 0, &f.normaliser));
    PV_TRY_DONE(pv_trail_init(&f.trail, f.c));
    PV_TRY_DONE(pv_contexts_init(&f.contexts, ctx, f.c->dim, PV_SCORER_ROWS));
    f.partitions = pv_alloc(ctx, PV_SCORER_ROWS, sizeof *f.partitions, "scores");
    f.waiting = pv_alloc(ctx, PV_SCORER_ROWS, sizeof *f.waiting, "scores");
    if (!f.partitions || !f.waiting) {
        status = pv_failure(ctx);
        goto done;
    }
    PV_TRY_DONE(fit_baselines(&f));
    PV_TRY_DONE(fit(&f));
    report->seconds = seconds_since(&start);
done:
    pv_normaliser_close(f.normaliser);
    pv_trail_free(&f.trail);
    pv_contexts_free(&f.contexts);
    pv_free(ctx, f.partitions);
    pv_free(ctx, f.waiting);
    pv_buffer_free(&f.text.words);
    pv_conditional_close(f.c);
    return status;
}

static void put_number(pv_json_writer *w, const char *key, double value)
{
    if (!isfinite(value))
        return;
    pv_json_key(w, key);
    pv_json_put_double(w, value);
}

psdvec_status psdvec_model_keep_fit(psdvec_context *ctx, const psdvec_model *model,
                                    const psdvec_fit_report *r, const char *output)
{
    pv_buffer json;
    pv_json_writer w;
    pv_begin(ctx);
    if (!model->info.native)
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: is not a model file, and cannot keep what was fitted", model->path);
    pv_buffer_init(&json, ctx);
    pv_json_writer_init(&w, &json);
    pv_json_open_object(&w);
    put_number(&w, "temperature", r->temperature);
    put_number(&w, "interpolation", r->interpolation);
    put_number(&w, "words", (double)r->words);
    put_number(&w, "known", (double)r->known);
    put_number(&w, "perplexity_before", r->perplexity_before);
    put_number(&w, "perplexity", r->perplexity_after);
    put_number(&w, "perplexity_unigram", r->perplexity_unigram);
    put_number(&w, "perplexity_bigram", r->perplexity_bigram);
    put_number(&w, "perplexity_bigram_fitted", r->perplexity_bigram_fitted);
    pv_json_close(&w);
    psdvec_status status = pv_json_writer_status(&w);
    if (status == PSDVEC_OK)
        status = pv_buffer_byte(&json, 0);
    if (status == PSDVEC_OK) {
        pv_model_data data = pv_model_data_of(model);
        data.fit_json = json.data;
        status = pv_model_write(ctx, &data, output);
    }
    pv_buffer_free(&json);
    return status;
}
