/* Fits the temperature T and the self-product e that maximise the likelihood of a text, and the
 * parameter of the bigram baseline.
 *
 * Let s be the score of a word without self-products, and n the total weight of the positions of
 * the context that hold the word itself. The conditional probability is p exp(T s + T e n) / Z, an
 * exponential family in T and u = T e. With x = (s, n), the gradient is x - E x and the Hessian is
 * minus the covariance of x: the log likelihood is concave, and Newton's method finds the maximum
 * in a few passes over the text; a step that decreases the likelihood is halved. One pass computes
 * the likelihood, gradient and Hessian. n is 0 for all words outside the context.
 *
 * The error of T is about 1/sqrt(words), and the resulting loss of likelihood decreases with
 * 1/words: 10,000 words lose 0.0001 nats per word. So in a long text only evenly spaced words are
 * scored, each with its full context, and sums over the vocabulary are estimated from a sample. All
 * passes use the same sample, so the likelihood remains a smooth function of T and u.
 */
#include "document/fit.h"
#include "base/arguments.h"
#include "base/json.h"
#include "base/progress.h"
#include "corpus/options.h"
#include "corpus/tokens.h"
#include "count/counts_read.h"
#include "count/held_out.h"
#include "document/scorer.h"
#include "model/model_read.h"
#include "model/model_write.h"

#include <math.h>
#include <stdio.h>

/* Marks ends of windows in the word list, as in counts files (held_out.h). */
#define PAUSE PV_HELD_END
_Static_assert(PSDVEC_UNKNOWN_WORD == PV_HELD_UNKNOWN, "held-out words are taken as they are");

#define LEAST_TEMPERATURE 1e-6
enum {
    MOST_PASSES = 10,         /* per maximum */
    SAMPLED_VOCABULARY = 4096 /* words sampled from the vocabulary */
};

/* ---- One pass -------------------------------------------------------------------------------- */

typedef struct fitting {
    psdvec_context *ctx;
    pv_scope memory;
    pv_conditional *c;
    pv_partition_function *normaliser;
    pv_trail trail;
    pv_contexts contexts;
    pv_partition *partitions;
    uint32_t *row_words; /* the word of each row */
    const psdvec_model *model;
    pv_buffer words;       /* uint32_t, of the text: words, PSDVEC_UNKNOWN_WORD, PAUSE */
    uint64_t count, known; /* words of the text, and those in the model */
    uint64_t scored;       /* known words that are scored */
    uint64_t most;         /* maximum number of words to score; 0: all, with exact sums */
    bool prior;            /* regularise, so that few words do not give extreme values */
    pv_token_sink sink;
    pv_progress progress;
    char stage[48];
    unsigned passes, planned; /* passes done, and at most planned */
    psdvec_fit_report *report;
} fitting;

static psdvec_status take_tokens(void *arg, const pv_token *tokens, size_t count)
{
    fitting *f = arg;
    for (size_t k = 0; k < count; k++) {
        uint32_t i = PAUSE;
        if (tokens[k].kind == PV_TOKEN_READY) {
            i = PSDVEC_UNKNOWN_WORD;
            f->known += psdvec_model_find(f->model, tokens[k].text, tokens[k].length, &i);
            f->count++;
        }
        PV_TRY(pv_buffer_append(&f->words, &i, sizeof i));
    }
    return PSDVEC_OK;
}

/* The log likelihood and its derivatives at one T and u. */
typedef struct slope {
    double t, u, likelihood;
    double text;                  /* the likelihood without the prior */
    double dt, du, dtt, dtu, duu; /* derivatives */
} slope;

/* Adds the term of a row's word. If self-products are not replaced, only T is fitted. */
static void add_row(const fitting *f, uint32_t row, slope *at)
{
    const pv_conditional *c = f->c;
    const pv_contexts *x = &f->contexts;
    const pv_partition *p = &f->partitions[row];
    uint32_t word = f->row_words[row];
    double constant = x->constant[row], e = c->own ? c->self : 0;
    double score = pv_contexts_score(x, c, row, word, NULL) - constant, repeats = 0;
    double n = 0, nn = 0, sn = 0; /* expectations; here s includes e n */
    for (size_t k = x->begin[row]; c->own && k < x->begin[row + 1]; k++) {
        uint32_t other = x->links[k].word;
        bool first = true;
        for (size_t before = x->begin[row]; before < k && first; before++)
            first = x->links[before].word != other;
        if (!first)
            continue;
        double weight = pv_contexts_repeats(x, row, other);
        double s = pv_contexts_score(x, c, row, other, NULL) - constant;
        double share = exp(c->log_unigram[other] + at->t * s - p->log_z);
        n += share * weight;
        nn += share * weight * weight;
        sn += share * weight * s;
        repeats = other == word ? weight : repeats;
    }
    double mean = p->mean - e * n;
    double square = p->variance + p->mean * p->mean - 2 * e * sn + e * e * nn;
    at->likelihood += c->log_unigram[word] + at->t * score - p->log_z;
    at->dt += score - e * repeats - mean;
    at->du += repeats - n;
    at->dtt -= fmax(0, square - mean * mean);
    at->dtu -= sn - e * nn - mean * n;
    at->duu -= nn - n * n;
}

static psdvec_status finish_rows(fitting *f, slope *at)
{
    PV_TRY(pv_check_cancel(f->ctx));
    PV_TRY(pv_partition_function_sum(f->normaliser, &f->contexts, at->t, f->partitions));
    for (uint32_t row = 0; row < f->contexts.count; row++)
        add_row(f, row, at);
    pv_progress_add(&f->progress, f->contexts.count);
    pv_contexts_clear(&f->contexts);
    return PSDVEC_OK;
}

/* Calls `take` for every word to be scored, with the preceding words in the trail. */
typedef psdvec_status known_word_fn(fitting *f, void *arg, uint32_t word, uint64_t place);
static psdvec_status walk(fitting *f, known_word_fn *take, void *arg)
{
    const uint32_t *words = (const uint32_t *)(const void *)f->words.data;
    size_t count = f->words.length / sizeof *words;
    uint64_t share = 0; /* the next word is scored when this reaches `known` */
    pv_trail_clear(&f->trail);
    for (size_t k = 0; k < count; k++) {
        if (words[k] == PAUSE) {
            pv_trail_clear(&f->trail);
            continue;
        }
        share += words[k] != PSDVEC_UNKNOWN_WORD ? f->scored : 0;
        if (share >= f->known) {
            share -= f->known;
            PV_TRY(take(f, arg, words[k], k));
        }
        pv_trail_add(&f->trail, f->c, words[k], k);
    }
    return PSDVEC_OK;
}

static psdvec_status add_context(fitting *f, void *arg, uint32_t word, uint64_t place)
{
    f->row_words[f->contexts.count] = word;
    PV_TRY(pv_contexts_add(&f->contexts, f->c, &f->trail, place));
    return f->contexts.count == PV_SCORER_ROWS ? finish_rows(f, arg) : PSDVEC_OK;
}

/* ---- The maximum ----------------------------------------------------------------------------- */

/* `maxima`: number of maximisations to plan for. */
static void begin_passes(fitting *f, unsigned maxima)
{
    f->planned = maxima * MOST_PASSES;
    pv_progress_begin(&f->progress, f->ctx, f->stage, "words", f->scored * f->planned);
}

/* Removes planned passes that a maximisation did not need. */
static void drop_passes(fitting *f, unsigned maxima_left)
{
    f->planned = f->passes + maxima_left * MOST_PASSES;
    f->progress.total = f->scored * f->planned;
}

/* Typical fitted values for models of 0.1 to 16 million words of text; a few hundred words outweigh
 * this prior. Without it, e is unbounded if no word repeats. */
static const double usual_t = 0.75, spread_t = 0.5, usual_u = 0.7, spread_u = 2;

static void add_prior(slope *at)
{
    double t = (at->t - usual_t) / spread_t, u = (at->u - usual_u) / spread_u;
    at->likelihood -= 0.5 * (t * t + u * u);
    at->dt -= t / spread_t;
    at->du -= u / spread_u;
    at->dtt -= 1 / (spread_t * spread_t);
    at->duu -= 1 / (spread_u * spread_u);
}

static void name_stage(fitting *f)
{
    snprintf(f->stage, sizeof f->stage, "fitting, pass %u of at most %u", f->passes, f->planned);
}

/* `u` is NAN if self-products are not replaced. */
static psdvec_status pass(fitting *f, double t, double u, slope *at)
{
    *at = (slope){.t = t, .u = u};
    f->passes++;
    name_stage(f);
    PV_TRY(pv_conditional_set_self(f->c, u / t));
    pv_partition_function_rewind(f->normaliser);
    PV_TRY(walk(f, add_context, at));
    PV_TRY(finish_rows(f, at));
    at->text = at->likelihood;
    if (f->prior)
        add_prior(at);
    f->report->rounds++;
    return PSDVEC_OK;
}

/* A Newton step; T stays positive and at most PV_MOST_TEMPERATURE. */
static void find_step(const slope *at, double *t, double *u)
{
    if (isnan(at->u)) {
        *t = at->dtt < 0 ? -at->dt / at->dtt : 0;
        *u = 0;
    } else {
        double determinant = at->dtt * at->duu - at->dtu * at->dtu;
        bool whole = determinant > 1e-12 * at->dtt * at->duu; /* else no word repeats */
        *t = whole ? (at->dtu * at->du - at->duu * at->dt) / determinant
                   : (at->dtt < 0 ? -at->dt / at->dtt : 0);
        *u = whole ? (at->dtu * at->dt - at->dtt * at->du) / determinant : 0;
    }
    double most = at->t + *t < at->t / 4 ? 0.75 * at->t / -*t : 1;
    most = *t > 3 * at->t ? 3 * at->t / *t : most;
    if (at->t + most * *t > PV_MOST_TEMPERATURE)
        most = (PV_MOST_TEMPERATURE - at->t) / *t;
    *t *= most;
    *u *= most;
}

/* Maximises, starting from `at`, at which the derivatives are known. */
static psdvec_status maximise(fitting *f, slope *at)
{
    unsigned last = f->passes + MOST_PASSES - 1;
    while (at->t > LEAST_TEMPERATURE) {
        double t, u;
        slope next;
        find_step(at, &t, &u);
        double small = 1e-3 * fmax(at->t, 0.01);
        if (fabs(t) < small && fabs(u) < small)
            break;
        for (;;) {
            if (f->passes == last)
                return PSDVEC_OK;
            PV_TRY(pass(f, at->t + t, at->u + u, &next));
            if (next.likelihood >= at->likelihood || fabs(t) + fabs(u) < small)
                break;
            t *= 0.5;
            u *= 0.5;
        }
        if (!(next.likelihood >= at->likelihood))
            break;
        *at = next;
    }
    return PSDVEC_OK;
}

static double perplexity(const fitting *f, double likelihood)
{
    return exp(-likelihood / (double)f->scored);
}

/* Fits T alone, and computes the perplexities at T = 1 and at the best T. */
static psdvec_status fit_t(fitting *f, slope *at, double *temperature, double *before,
                           double *after)
{
    PV_TRY(pass(f, 1, (double)NAN, at));
    *before = perplexity(f, at->text);
    PV_TRY(maximise(f, at));
    *temperature = at->t;
    *after = perplexity(f, at->text);
    return PSDVEC_OK;
}

/* Without residuals: fits T, then T and e. */
static psdvec_status fit_vectors(fitting *f)
{
    psdvec_fit_report *r = f->report;
    slope at;
    PV_TRY(fit_t(f, &at, &r->temperature_alone, &r->before, &r->alone));
    drop_passes(f, 1);
    PV_TRY(pass(f, at.t, at.t, &at));
    PV_TRY(maximise(f, &at));
    if (fabs(at.u) > PV_MOST_SELF * at.t) /* words never repeat, so e has no finite optimum */
        PV_TRY(pass(f, at.t, copysign(PV_MOST_SELF, at.u) * at.t, &at));
    r->temperature = at.t;
    r->self = fmax(-PV_MOST_SELF, fmin(PV_MOST_SELF, at.u / at.t));
    r->after = perplexity(f, at.text);
    if (r->after > r->alone) { /* one number for all words is worse than their self-products */
        r->temperature = r->temperature_alone;
        r->self = (double)NAN;
        r->after = r->alone;
    }
    return PSDVEC_OK;
}

/* ---- The bigram baseline --------------------------------------------------------------------- */

/* The sum of log((1 - w) share + w p) over the words with a preceding word, and its derivatives. */
typedef struct bigram_pair {
    double share, p; /* share is negative if there is no preceding word */
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

typedef struct baselines {
    bigram_pair *pairs; /* scored words; NULL without counts */
    uint64_t known;
    double unigram;
} baselines;

static psdvec_status add_baselines(fitting *f, void *arg, uint32_t word, uint64_t place)
{
    baselines *b = arg;
    double log_p = f->c->log_unigram[word];
    (void)place;
    b->unigram += log_p;
    if (b->pairs)
        b->pairs[b->known] = (bigram_pair){
            pv_conditional_bigram_share(f->c, pv_trail_last(&f->trail), word), exp(log_p)};
    b->known++;
    return PSDVEC_OK;
}

static psdvec_status fit_baselines(fitting *f)
{
    double first, low = 1e-9, high = 1;
    bool bigrams = f->c->counts != NULL;
    baselines b = {0};
    if (bigrams)
        PV_TAKE(&f->memory, b.pairs, f->scored);
    PV_TRY(pv_scope_status(&f->memory));
    PV_TRY(walk(f, add_baselines, &b));
    uint64_t known = b.known;
    bigram_pair *pairs = b.pairs;
    psdvec_fit_report *r = f->report;
    r->unigram = exp(-b.unigram / (double)known);
    r->interpolation = r->bigram = r->bigram_after = (double)NAN;
    r->temperature_counts = r->counts_before = r->counts_after = (double)NAN;
    if (bigrams) {
        r->bigram = exp(-bigram_likelihood(pairs, known, f->c->kappa, &first) / (double)known);
        for (int step = 0; step < 60; step++) { /* concave: the derivative decreases */
            double middle = 0.5 * (low + high);
            bigram_likelihood(pairs, known, middle, &first);
            *(first > 0 ? &low : &high) = middle;
        }
        r->interpolation = 0.5 * (low + high);
        r->bigram_after =
            exp(-bigram_likelihood(pairs, known, r->interpolation, &first) / (double)known);
    }
    pv_scope_drop(&f->memory, pairs);
    return PSDVEC_OK;
}

/* ---- Bigrams of adjacent words --------------------------------------------------------------- */
/* With X_c, the numbers of kinds n_k and P_model of each scored word, the probability of a word that
 * was seen x times after c is
 *
 *     ( x - D(x) + (sum_k D_k n_k) P_model ) / X_c
 *
 * which is linear in the discounts, so the log likelihood is concave. Each discount is maximised in
 * turn by bisection of the derivative, until none changes. */

typedef struct mixed_word {
    double model; /* P_model */
    double count; /* x */
    double total; /* X_c; 0: no word before, P = P_model */
    int kind;     /* of the discount; -1: x is 0 */
    uint32_t kinds[PV_DISCOUNTS];
} mixed_word;

typedef struct mixing {
    pv_bigrams *bigrams;
    mixed_word *words; /* scored words */
    uint64_t count, finished;
} mixing;

static double mixed(const mixed_word *w, const double *discounts)
{
    double rest = 0;
    if (w->total == 0)
        return w->model;
    for (int k = 0; k < PV_DISCOUNTS; k++)
        rest += discounts[k] * w->kinds[k];
    double seen = w->kind < 0 ? 0 : w->count - discounts[w->kind];
    return (seen + rest * w->model) / w->total;
}

static double mixed_perplexity(const mixing *m, const double *discounts)
{
    double sum = 0;
    for (uint64_t k = 0; k < m->count; k++)
        sum += log(mixed(&m->words[k], discounts));
    return exp(-sum / (double)m->count);
}

/* The derivative of the log likelihood with respect to one discount. */
static double discount_slope(const mixing *m, const double *discounts, int which)
{
    double sum = 0;
    for (uint64_t k = 0; k < m->count; k++) {
        const mixed_word *w = &m->words[k];
        if (w->total > 0)
            sum += (w->kinds[which] * w->model - (w->kind == which)) /
                   (w->total * mixed(w, discounts));
    }
    return sum;
}

static psdvec_status maximise_discounts(const fitting *f, const mixing *m, double *discounts)
{
    double change = 1;
    for (int round = 0; round < 50 && change > 1e-6; round++) {
        change = 0;
        for (int which = 0; which < PV_DISCOUNTS; which++) {
            double low = 1e-3, high = which + 1 - 1e-3, before = discounts[which];
            for (int step = 0; step < 30; step++) {
                discounts[which] = 0.5 * (low + high);
                *(discount_slope(m, discounts, which) > 0 ? &low : &high) = discounts[which];
            }
            change = fmax(change, fabs(discounts[which] - before));
        }
        PV_TRY(pv_check_cancel(f->ctx));
    }
    return PSDVEC_OK;
}

/* Computes P_model of the words whose contexts were added. */
static psdvec_status finish_mixed(fitting *f, mixing *m)
{
    const pv_conditional *c = f->c;
    PV_TRY(pv_check_cancel(f->ctx));
    PV_TRY(pv_partition_function_sum(f->normaliser, &f->contexts, c->temperature, f->partitions));
    for (uint32_t row = 0; row < f->contexts.count; row++) {
        uint32_t word = f->row_words[row];
        double score = pv_contexts_score(&f->contexts, c, row, word, NULL);
        m->words[m->finished++].model = exp(c->log_unigram[word] +
                                            c->temperature * (score - f->contexts.constant[row]) -
                                            f->partitions[row].log_z);
    }
    pv_progress_add(&f->progress, f->contexts.count);
    pv_contexts_clear(&f->contexts);
    return PSDVEC_OK;
}

static psdvec_status add_mixed(fitting *f, void *arg, uint32_t word, uint64_t place)
{
    mixing *m = arg;
    const pv_bigrams *b = m->bigrams;
    mixed_word *w = &m->words[m->count++];
    uint32_t before = pv_bigrams_before(b, &f->trail);
    uint64_t x = pv_bigrams_count(b, before, word);
    *w = (mixed_word){.count = (double)x, .kind = x ? pv_discount_of(x) : -1};
    if (before != PSDVEC_UNKNOWN_WORD) {
        w->total = (double)b->total[before];
        memcpy(w->kinds, b->kinds + (size_t)before * PV_DISCOUNTS, sizeof w->kinds);
    }
    f->row_words[f->contexts.count] = word;
    PV_TRY(pv_contexts_add(&f->contexts, f->c, &f->trail, place));
    return f->contexts.count == PV_SCORER_ROWS ? finish_mixed(f, m) : PSDVEC_OK;
}

static psdvec_status fit_discounts(fitting *f, mixing *m, psdvec_bigram_fit *report)
{
    double discounts[PV_DISCOUNTS], sum = 0;
    memcpy(discounts, m->bigrams->discounts, sizeof discounts);
    PV_TAKE(&f->memory, m->words, f->scored);
    PV_TRY(pv_scope_status(&f->memory));
    pv_progress_begin(&f->progress, f->ctx, "fitting discounts", "words", f->scored);
    PV_TRY(walk(f, add_mixed, m));
    PV_TRY(finish_mixed(f, m));
    pv_progress_end(&f->progress);
    for (uint64_t k = 0; k < m->count; k++)
        sum += log(m->words[k].model);
    report->alone = exp(-sum / (double)m->count);
    report->estimated_once = discounts[0];
    report->estimated_twice = discounts[1];
    report->estimated_more = discounts[2];
    report->before = mixed_perplexity(m, discounts);
    PV_TRY(maximise_discounts(f, m, discounts));
    report->discount_once = discounts[0];
    report->discount_twice = discounts[1];
    report->discount_more = discounts[2];
    report->after = mixed_perplexity(m, discounts);
    return PSDVEC_OK;
}

/* ---- Public functions ------------------------------------------------------------------------ */

static psdvec_status read_text(fitting *f, const psdvec_text_options *text,
                               const char *const *inputs, size_t input_count)
{
    f->sink = (pv_token_sink){.take = take_tokens, .user = f};
    psdvec_text_options options;
    PV_TRY(pv_options_adopt(f->ctx, &pv_text_table, text ? text : &f->c->counting.text, &options));
    options.min_document_words = 1;
    PV_TRY(pv_model_own_phrases(f->ctx, f->model, &options));
    PV_TRY(pv_tokens_of_inputs(f->ctx, &options, f->model->phrases, inputs, input_count, &f->sink));
    f->scored = f->most && f->most < f->known ? f->most : f->known;
    if (f->known > 0)
        return PSDVEC_OK;
    return pv_fail(f->ctx, PSDVEC_ERR_EMPTY,
                   "%s: none of the words of the text is in the model; "
                   "check that both have the same language and tokenizer",
                   input_count ? inputs[0] : "the input");
}

static void close_model(fitting *f)
{
    pv_partition_function_close(f->normaliser);
    pv_trail_free(&f->trail);
    pv_conditional_close(f->c);
    f->normaliser = NULL;
    f->c = NULL;
}

static psdvec_status open_model_with(fitting *f, const psdvec_model *model,
                                     const psdvec_counts *counts,
                                     const psdvec_scorer_options *options)
{
    PV_TRY(pv_conditional_open(f->ctx, model, counts, options, &f->c));
    PV_TRY(pv_partition_function_open(f->c, f->most ? SAMPLED_VOCABULARY : 0, &f->normaliser));
    return pv_trail_init(&f->trail, f->c);
}

static psdvec_status open_model(fitting *f, const psdvec_model *model, const psdvec_counts *counts)
{
    psdvec_scorer_options options;
    psdvec_scorer_options_default(&options);
    options.self = (double)INFINITY;
    return open_model_with(f, model, counts, &options);
}

static psdvec_status open_rows(fitting *f)
{
    PV_TRY(pv_contexts_init(&f->contexts, f->ctx, f->model->info.dim, PV_SCORER_ROWS));
    PV_TAKE(&f->memory, f->partitions, PV_SCORER_ROWS);
    PV_TAKE(&f->memory, f->row_words, PV_SCORER_ROWS);
    return pv_scope_status(&f->memory);
}

static void close_all(fitting *f)
{
    close_model(f);
    pv_contexts_free(&f->contexts);
    pv_scope_free(&f->memory);
    pv_buffer_free(&f->words);
}

psdvec_status psdvec_fit_temperature(psdvec_context *ctx, const psdvec_model *model,
                                     const psdvec_counts *counts, const psdvec_text_options *text,
                                     const char *const *inputs, size_t input_count,
                                     uint64_t most_words, psdvec_fit_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, report);
    *report = (psdvec_fit_report){0};
    PV_NEED(ctx, model);
    PV_NEED_EACH(ctx, inputs, input_count);
    psdvec_status status;
    double began = pv_now();
    fitting f = {.ctx = ctx,
                 .memory = {.ctx = ctx, .what = "scores"},
                 .model = model,
                 .words = {.ctx = ctx},
                 .most = most_words,
                 .report = report};
    PV_TRY_DONE(pv_model_require_psd(ctx, model,
                                     "only models made by psdvec train have "
                                     "probabilities"));
    PV_TRY_DONE(open_rows(&f));
    if (counts) {
        PV_TRY_DONE(open_model(&f, model, counts));
        PV_TRY_DONE(read_text(&f, text, inputs, input_count));
        PV_TRY_DONE(fit_baselines(&f));
        slope at;
        begin_passes(&f, 3);
        PV_TRY_DONE(fit_t(&f, &at, &report->temperature_counts, &report->counts_before,
                          &report->counts_after));
        close_model(&f);
    }
    PV_TRY_DONE(open_model(&f, model, NULL));
    if (!counts) {
        PV_TRY_DONE(read_text(&f, text, inputs, input_count));
        PV_TRY_DONE(fit_baselines(&f));
        begin_passes(&f, 2);
    } else {
        drop_passes(&f, 2);
    }
    PV_TRY_DONE(fit_vectors(&f));
    drop_passes(&f, 0);
    name_stage(&f);
    pv_progress_end(&f.progress);
    report->kappa = f.c->kappa;
    report->words = f.count;
    report->known = f.known;
    report->seconds = pv_now() - began;
done:
    close_all(&f);
    return status;
}

psdvec_status psdvec_fit_bigrams(psdvec_context *ctx, const psdvec_model *model,
                                 const psdvec_counts *counts, const psdvec_counts *bigrams,
                                 const psdvec_text_options *text, const char *const *inputs,
                                 size_t input_count, uint64_t most_words,
                                 const psdvec_fit_report *fit, psdvec_bigram_fit *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, report);
    *report = (psdvec_bigram_fit){0};
    PV_NEED(ctx, model);
    PV_NEED(ctx, bigrams);
    PV_NEED_EACH(ctx, inputs, input_count);
    psdvec_status status;
    double began = pv_now();
    mixing m = {0};
    fitting f = {.ctx = ctx,
                 .memory = {.ctx = ctx, .what = "scores"},
                 .model = model,
                 .words = {.ctx = ctx},
                 .most = most_words};
    psdvec_scorer_options options;
    psdvec_scorer_options_default(&options);
    if (fit) {
        options.temperature = counts ? fit->temperature_counts : fit->temperature;
        options.self = isnan(fit->self) ? (double)INFINITY : fit->self;
    }
    PV_TRY_DONE(pv_model_require_psd(ctx, model,
                                     "only models made by psdvec train have "
                                     "probabilities"));
    PV_TRY_DONE(pv_bigrams_open(ctx, model, bigrams, NULL, &m.bigrams));
    PV_TRY_DONE(open_rows(&f));
    PV_TRY_DONE(open_model_with(&f, model, counts, &options));
    PV_TRY_DONE(read_text(&f, text, inputs, input_count));
    PV_TRY_DONE(fit_discounts(&f, &m, report));
    report->words = f.count;
    report->known = f.known;
    report->seconds = pv_now() - began;
done:
    pv_bigrams_close(m.bigrams);
    close_all(&f);
    return status;
}

#define FIELD(name, member) PV_JSON_NAMED(name, psdvec_fit_report, member)
const pv_json_field pv_fit_fields[] = {FIELD("temperature", temperature),
                                       FIELD("self", self),
                                       FIELD("temperature_counts", temperature_counts),
                                       FIELD("interpolation", interpolation),
                                       FIELD("words", words),
                                       FIELD("known", known),
                                       FIELD("perplexity_before", before),
                                       FIELD("perplexity", after),
                                       FIELD("perplexity_unigram", unigram),
                                       FIELD("perplexity_counts_before", counts_before),
                                       FIELD("perplexity_counts", counts_after),
                                       FIELD("perplexity_bigram_before", bigram),
                                       FIELD("perplexity_bigram", bigram_after),
                                       {0}};

#define BIGRAM_FIELD(name, member) PV_JSON_NAMED(name, psdvec_bigram_fit, member)
static const pv_json_field bigram_fields[] = {BIGRAM_FIELD("discount_once", discount_once),
                                              BIGRAM_FIELD("discount_twice", discount_twice),
                                              BIGRAM_FIELD("discount_more", discount_more),
                                              BIGRAM_FIELD("perplexity_mixed", after),
                                              {0}};

/* The value of the metadata key `fit`, terminated by a zero byte. `bigrams` may be NULL. */
static psdvec_status write_report(const psdvec_fit_report *report, const psdvec_bigram_fit *bigrams,
                                  pv_buffer *json)
{
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    pv_json_put_fields(&w, pv_fit_fields, report, true);
    if (bigrams)
        pv_json_put_fields(&w, bigram_fields, bigrams, true);
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, 0);
}

static psdvec_status write_fits(psdvec_context *ctx, const psdvec_model *model,
                                const psdvec_fit_report *report, const psdvec_bigram_fit *bigrams,
                                const char *output)
{
    pv_buffer json = {.ctx = ctx};
    PV_TRY(pv_model_require_psd(ctx, model, "only models made by psdvec train have probabilities"));
    if (!model->info.native)
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: is not a psdvec model, so the fitted values cannot be stored in it",
                       model->path);
    /* Verified first, so that the checksums of the new file do not cover damaged data. */
    PV_TRY(pv_st_verify_if_any(ctx, model->file));
    PV_TRY(pv_st_warn_unknown(ctx, model->file, pv_model_names));
    psdvec_status status;
    pv_model_data data;
    PV_TRY_DONE(write_report(report, bigrams, &json));
    PV_TRY_DONE(pv_model_data_of(ctx, model, &data));
    data.fit_json = json.data;
    status = pv_model_write(ctx, &data, output);
done:
    pv_buffer_free(&json);
    return status;
}

psdvec_status psdvec_model_write_fit(psdvec_context *ctx, const psdvec_model *model,
                                     const psdvec_fit_report *report, const char *output)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, report);
    PV_NEED(ctx, output);
    return write_fits(ctx, model, report, NULL, output);
}

psdvec_status psdvec_model_write_fits(psdvec_context *ctx, const psdvec_model *model,
                                      const psdvec_fit_report *fit,
                                      const psdvec_bigram_fit *bigrams, const char *output)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, fit);
    PV_NEED(ctx, output);
    return write_fits(ctx, model, fit, bigrams, output);
}

/* ---- After training -------------------------------------------------------------------------- */

/* Fits T and e starting from typical values, without the other figures of fit-temperature. */
static psdvec_status fit_new(fitting *f)
{
    psdvec_fit_report *r = f->report;
    slope at;
    r->before = (double)NAN;
    begin_passes(f, 1);
    PV_TRY(pass(f, usual_t, usual_u, &at));
    PV_TRY(maximise(f, &at));
    drop_passes(f, 0);
    name_stage(f);
    pv_progress_end(&f->progress);
    r->temperature = at.t;
    r->self = fmax(-PV_MOST_SELF, fmin(PV_MOST_SELF, at.u / at.t));
    r->after = perplexity(f, at.text);
    return PSDVEC_OK;
}

psdvec_status pv_fit_held_out(psdvec_context *ctx, const pv_model_data *data, const char *path,
                              const psdvec_counts *counts, pv_buffer *json)
{
    psdvec_fit_report report = {0};
    psdvec_model *model = NULL;
    psdvec_status status;
    fitting f = {.ctx = ctx,
                 .memory = {.ctx = ctx, .what = "scores"},
                 .words = {.ctx = ctx},
                 .prior = true,
                 .report = &report};
    for (size_t k = 0; k < counts->held_count; k++) {
        f.count += counts->held_out[k] != PV_HELD_END;
        f.known += counts->held_out[k] < data->words;
    }
    if (f.known == 0)
        return PSDVEC_OK;
    f.scored = f.most = f.known;
    PV_TRY_DONE(pv_buffer_append(&f.words, counts->held_out,
                                 counts->held_count * sizeof *counts->held_out));
    PV_TRY_DONE(pv_model_of_data(ctx, data, path, &model));
    f.model = model;
    PV_TRY_DONE(open_rows(&f));
    PV_TRY_DONE(open_model(&f, model, NULL));
    PV_TRY_DONE(fit_baselines(&f));
    PV_TRY_DONE(fit_new(&f));
    report.words = f.count;
    report.known = f.known;
    status = write_report(&report, NULL, json);
done:
    close_all(&f);
    psdvec_model_close(model);
    return status;
}
