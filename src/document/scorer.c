/* Opening a scorer, feeding it text, and reporting words with their influences, documents and the
 * total to the caller. */
#include "document/scorer.h"

#include "base/arguments.h"
#include "corpus/options.h"
#include "document/options.h"
#include "model/model_read.h"
#include "util/utf8.h"

#include <math.h>

enum { BEGINNING_BYTES = 72 };

/* ---- Opening --------------------------------------------------------------------------------- */

static psdvec_status open_model(psdvec_scorer *s, const psdvec_scored_model *from,
                                pv_scored_model *to)
{
    PV_TRY(pv_conditional_open(s->ctx, from->model, from->counts, &s->options, &to->conditional));
    PV_TRY(pv_trail_init(&to->trail, to->conditional));
    PV_TRY(pv_contexts_init(&to->contexts, s->ctx, to->conditional->dim, PV_SCORER_ROWS));
    PV_TAKE(&s->memory, to->partitions, PV_SCORER_ROWS);
    return pv_scope_status(&s->memory);
}

/* The number of words that are in any of the models. */
static uint64_t count_union(const psdvec_scorer *s)
{
    uint64_t words = s->models[0].conditional->words;
    for (size_t m = 1; m < s->model_count; m++) {
        const psdvec_model *model = s->models[m].conditional->model;
        for (uint32_t i = 0; i < model->info.words; i++) {
            size_t length, before = 0;
            uint32_t other;
            const char *word = psdvec_model_word(model, i, &length);
            while (before < m &&
                   !psdvec_model_find(s->models[before].conditional->model, word, length, &other))
                before++;
            words += before == m;
        }
    }
    return words;
}

/* Text is tokenised as for the first model. With other rules, words of another model may never
 * occur. */
static void warn_of_other_tokens(const psdvec_scorer *s, size_t m)
{
    const psdvec_text_options *a = &s->models[0].conditional->counting.text;
    const psdvec_text_options *b = &s->models[m].conditional->counting.text;
    if (a->tokenizer != b->tokenizer || a->letter_case != b->letter_case ||
        a->accents != b->accents || a->digits != b->digits || a->apostrophes != b->apostrophes ||
        a->hyphens != b->hyphens ||
        !pv_phrase_lists_same(pv_model_phrases(s->models[0].conditional->model),
                              pv_model_phrases(s->models[m].conditional->model)))
        pv_warn(s->ctx,
                "%s: its text was tokenised in another way than that of %s, whose tokenizer is "
                "used; their probabilities may not be comparable",
                s->models[m].conditional->model->path, s->models[0].conditional->model->path);
}

psdvec_status psdvec_scorer_open(psdvec_context *ctx, const psdvec_scorer_options *options,
                                 const psdvec_scored_model *models, size_t model_count,
                                 psdvec_scorer **scorer)
{
    PV_CLEAR(scorer);
    PV_BEGIN(ctx);
    PV_NEED(ctx, scorer);
    PV_NEED_ARRAY(ctx, models, model_count);
    for (size_t m = 0; m < model_count; m++)
        if (!models[m].model)
            return pv_fail(ctx, PSDVEC_ERR_OPTION, "NULL was given for `models[%zu].model`", m);
    psdvec_status status;
    psdvec_scorer_options own;
    psdvec_scorer *s = NULL;
    PV_TRY(pv_options_adopt(ctx, &pv_scorer_table, options, &own));
    if (model_count == 0)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "there is no model to score with");
    if (!(s = pv_alloc_zero(ctx, 1, sizeof *s, "a scorer")))
        return pv_failure(ctx);
    s->ctx = pv_context_hold(ctx);
    s->options = own;
    s->document.number = 1;
    pv_buffer_init(&s->texts, ctx);
    pv_buffer_init(&s->beginning, ctx);
    s->memory = (pv_scope){.ctx = ctx, .what = "a scorer"};
    PV_TAKE_ZERO(&s->memory, s->models, model_count);
    PV_TAKE(&s->memory, s->events, PV_SCORER_EVENTS);
    PV_TAKE(&s->memory, s->row, PV_SCORER_ROWS * model_count);
    PV_TAKE_ZERO(&s->memory, s->without, model_count * PV_SAMPLE_GROUPS);
    PV_TAKE_ZERO(&s->memory, s->without_all, model_count * PV_SAMPLE_GROUPS);
    PV_TAKE_ZERO(&s->memory, s->document.fits, model_count);
    PV_TAKE_ZERO(&s->memory, s->document.variance, model_count);
    PV_TAKE_ZERO(&s->memory, s->total.fits, model_count);
    PV_TAKE_ZERO(&s->memory, s->total.variance, model_count);
    PV_TRY_DONE(pv_scope_status(&s->memory));
    s->model_count = model_count;
    for (size_t m = 0; m < model_count; m++)
        PV_TRY_DONE(open_model(s, &models[m], &s->models[m]));
    for (size_t m = 1; m < model_count; m++)
        warn_of_other_tokens(s, m);
    uint64_t words = model_count > 1 ? count_union(s) : 0;
    for (size_t m = 0; m < model_count; m++) {
        if (words)
            pv_conditional_share(s->models[m].conditional, words, own.smoothing);
        PV_TRY_DONE(pv_partition_function_open(s->models[m].conditional, own.sampled,
                                               &s->models[m].normaliser));
    }
done:
    if (status != PSDVEC_OK) {
        psdvec_scorer_close(s);
        return status;
    }
    *scorer = s;
    return PSDVEC_OK;
}

void psdvec_scorer_close(psdvec_scorer *scorer)
{
    if (!scorer)
        return;
    psdvec_context *ctx = scorer->ctx;
    for (size_t m = 0; m < scorer->model_count; m++) {
        pv_scored_model *model = &scorer->models[m];
        pv_partition_function_close(model->normaliser);
        pv_bigrams_close(model->bigrams);
        pv_trail_free(&model->trail);
        pv_contexts_free(&model->contexts);
        pv_conditional_close(model->conditional);
    }
    pv_buffer_free(&scorer->texts);
    pv_buffer_free(&scorer->beginning);
    pv_scope_free(&scorer->memory);
    pv_free(ctx, scorer);
    pv_context_release(ctx);
}

psdvec_status psdvec_scorer_bigrams(psdvec_scorer *scorer, size_t m, const psdvec_counts *bigrams)
{
    PV_BEGIN_OF(scorer);
    psdvec_context *ctx = scorer->ctx;
    pv_bigrams *opened;
    PV_NEED(ctx, bigrams);
    PV_NEED_INDEX(ctx, m, scorer->model_count);
    if (scorer->place > 0 || scorer->documents > 0)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "bigrams were added to a scorer that has scored text; add them first");
    const psdvec_model *model = scorer->models[m].conditional->model;
    const double fitted[PV_DISCOUNTS] = {model->info.discount_once, model->info.discount_twice,
                                         model->info.discount_more};
    psdvec_status status = pv_bigrams_open(ctx, model, bigrams, fitted, &opened);
    if (status != PSDVEC_OK) {
        pv_bigrams_close(opened);
        return status;
    }
    pv_bigrams_close(scorer->models[m].bigrams);
    scorer->models[m].bigrams = opened;
    return PSDVEC_OK;
}

static bool has_model(const psdvec_scorer *scorer, size_t m)
{
    return scorer && m < scorer->model_count;
}

double psdvec_scorer_temperature(const psdvec_scorer *scorer, size_t m)
{
    return has_model(scorer, m) ? scorer->models[m].conditional->temperature : (double)NAN;
}

double psdvec_scorer_self(const psdvec_scorer *scorer, size_t m)
{
    return has_model(scorer, m) ? scorer->models[m].conditional->self : (double)NAN;
}

double psdvec_scorer_interpolation(const psdvec_scorer *scorer, size_t m)
{
    return has_model(scorer, m) ? scorer->models[m].conditional->interpolation : (double)NAN;
}

double psdvec_scorer_discount(const psdvec_scorer *scorer, size_t m, uint32_t times)
{
    bool has = has_model(scorer, m) && scorer->models[m].bigrams && times > 0;
    return has ? scorer->models[m].bigrams->discounts[pv_discount_of(times)] : (double)NAN;
}

const psdvec_text_options *psdvec_scorer_text_options(const psdvec_scorer *scorer)
{
    return scorer ? &scorer->models[0].conditional->counting.text : NULL;
}

/* ---- Reporting words ------------------------------------------------------------------------- */

/* The contribution of each context word to the score of a row's word, by the first model. */
static psdvec_status find_influences(psdvec_scorer *s, uint32_t row, uint32_t word,
                                     psdvec_word_score *out)
{
    const pv_scored_model *m = &s->models[0];
    const pv_conditional *c = m->conditional;
    const pv_contexts *x = &m->contexts;
    size_t count = x->begin[row + 1] - x->begin[row];
    if (count > s->influence_capacity) {
        pv_scope_drop(&s->memory, s->influences);
        s->influence_capacity = 0;
        PV_TAKE(&s->memory, s->influences, count * 2);
        PV_TRY(pv_scope_status(&s->memory));
        s->influence_capacity = count * 2;
    }
    for (size_t k = 0; k < count; k++) {
        const pv_context_link *link = &x->links[x->begin[row] + k];
        psdvec_influence *i = &s->influences[k];
        double product = psdvec_model_product(c->model, link->word, word);
        double residual = pv_conditional_residual(c, link->word, word);
        double shift = c->shift ? (double)c->shift[link->word] + (double)c->shift[word] : 0;
        if (c->own && link->word == word) {
            product = c->self;
            shift = 0;
        }
        *i = (psdvec_influence){.place = out->place - link->back,
                                .word = link->word,
                                .weight = link->weight,
                                .product = product,
                                .residual = c->replaced ? residual - product : residual,
                                .shift = shift};
        i->added = c->temperature * i->weight * (i->product + i->residual + i->shift);
    }
    out->influences = s->influences;
    out->influence_count = count;
    return PSDVEC_OK;
}

static psdvec_status report_word(psdvec_scorer *s, const pv_event *event, uint32_t row,
                                 const psdvec_document_fit *first)
{
    psdvec_word_score word = {.document = s->document.number,
                              .place = s->reported_place,
                              .text = s->texts.data + event->text,
                              .length = event->length,
                              .word = PSDVEC_UNKNOWN_WORD};
    if (event->kind == PV_EVENT_WORD) {
        const pv_scored_model *m = &s->models[0];
        word.word = s->row[(size_t)row * s->model_count].word;
        word.known = word.word != PSDVEC_UNKNOWN_WORD;
        word.unigram = first->unigram;
        word.paper = first->paper;
        word.conditional = first->conditional;
        word.normaliser = m->partitions[row].log_z +
                          m->conditional->temperature * m->contexts.constant[row];
        if (s->options.influences && word.known)
            PV_TRY(find_influences(s, row, word.word, &word));
    }
    s->options.on_word(s->options.user, &word);
    return PSDVEC_OK;
}

/* The scores of a row's word by one model. `vectors` receives the conditional without bigrams. */
static psdvec_document_fit score_word(const psdvec_scorer *s, size_t model, uint32_t row,
                                      double *vectors)
{
    const pv_scored_model *m = &s->models[model];
    const pv_conditional *c = m->conditional;
    const pv_scored_word *w = &s->row[(size_t)row * s->model_count + model];
    double log_p = w->word == PSDVEC_UNKNOWN_WORD ? c->log_absent : c->log_unigram[w->word];
    double paper, score = pv_contexts_score(&m->contexts, c, row, w->word, &paper);
    *vectors = log_p + c->temperature * (score - m->contexts.constant[row]) -
               m->partitions[row].log_z;
    return (psdvec_document_fit){.unigram = log_p,
                                 .paper = log_p + paper,
                                 .conditional = m->bigrams ? pv_bigrams_mix(&w->parts, *vectors)
                                                           : *vectors,
                                 .bigram = w->bigram,
                                 .bigram_fitted = w->bigram_fitted};
}

static void add_fit(psdvec_document_fit *to, const psdvec_document_fit *more)
{
    to->paper += more->paper;
    to->conditional += more->conditional;
    to->unigram += more->unigram;
    to->bigram += more->bigram;
    to->bigram_fitted += more->bigram_fitted;
}

/* Minus the conditional of a row's word without one group of the sample, up to a constant of the
 * word. */
static double cost_without(const psdvec_scorer *s, size_t model, uint32_t row, size_t group,
                           double vectors)
{
    const pv_scored_model *m = &s->models[model];
    const pv_partition *p = &m->partitions[row];
    if (!m->bigrams)
        return p->without[group];
    return -pv_bigrams_mix(&s->row[(size_t)row * s->model_count + model].parts,
                           vectors + p->log_z - p->without[group]);
}

static psdvec_status take_word(psdvec_scorer *s, const pv_event *event, uint32_t row)
{
    psdvec_document_fit fit, first = {0};
    pv_tally *d = &s->document;
    for (size_t m = 0; event->kind == PV_EVENT_WORD && m < s->model_count; m++) {
        double vectors;
        fit = score_word(s, m, row, &vectors);
        add_fit(&d->fits[m], &fit);
        if (pv_partition_function_sampled(s->models[m].normaliser))
            for (size_t g = 0; g < PV_SAMPLE_GROUPS; g++) {
                double without = cost_without(s, m, row, g, vectors);
                s->without[m * PV_SAMPLE_GROUPS + g] += without;
                s->without_all[m * PV_SAMPLE_GROUPS + g] += without;
            }
        if (m == 0)
            first = fit;
    }
    d->words++;
    d->known += event->kind == PV_EVENT_WORD;
    if (s->beginning.length < BEGINNING_BYTES) {
        if (s->beginning.length)
            PV_TRY(pv_buffer_byte(&s->beginning, ' '));
        PV_TRY(pv_buffer_append(&s->beginning, s->texts.data + event->text, event->length));
    }
    if (s->options.on_word)
        PV_TRY(report_word(s, event, row, &first));
    s->reported_place++;
    return PSDVEC_OK;
}

/* ---- Reporting documents --------------------------------------------------------------------- */

/* Samples of different batches are independent, so their variances add. Within a batch all words
 * share one sample and their errors are correlated, within a document and over all documents. */
static void add_variance(const psdvec_scorer *s, double *sums, pv_tally *to)
{
    for (size_t m = 0; m < s->model_count; m++) {
        double *without = sums + m * PV_SAMPLE_GROUPS, mean = 0, square = 0;
        if (!pv_partition_function_sampled(s->models[m].normaliser))
            continue;
        for (int g = 0; g < PV_SAMPLE_GROUPS; g++)
            mean += without[g] / PV_SAMPLE_GROUPS;
        for (int g = 0; g < PV_SAMPLE_GROUPS; g++)
            square += (without[g] - mean) * (without[g] - mean);
        to->variance[m] += square * (PV_SAMPLE_GROUPS - 1) / PV_SAMPLE_GROUPS;
        memset(without, 0, PV_SAMPLE_GROUPS * sizeof *without);
    }
}

static void fill_score(psdvec_scorer *s, pv_tally *tally, const char *source, const char *beginning)
{
    psdvec_document_fit *fits = tally->fits;
    double largest = -INFINITY, sum = 0;
    for (size_t m = 0; m < s->model_count; m++) {
        fits[m].error = sqrt(tally->variance[m]);
        largest = fmax(largest, fits[m].conditional);
    }
    for (size_t m = 0; m < s->model_count; m++)
        sum += fits[m].posterior = exp(fits[m].conditional - largest);
    for (size_t m = 0; m < s->model_count; m++)
        fits[m].posterior /= sum;
    s->score = (psdvec_document_score){.number = tally->number,
                                       .source = source,
                                       .beginning = beginning,
                                       .words = tally->words,
                                       .known = tally->known,
                                       .fits = tally->fits,
                                       .fit_count = s->model_count};
}

/* Cuts the text after as many complete words as fit on a line; cuts a longer word after a complete
 * character. */
static psdvec_status cut_beginning(psdvec_scorer *s)
{
    const char *text = s->beginning.data;
    size_t length = s->beginning.length;
    if (length > BEGINNING_BYTES) {
        length = BEGINNING_BYTES;
        while (length > 0 && text[length] != ' ')
            length--;
        if (length == 0)
            length = pv_utf8_cut(text, BEGINNING_BYTES);
        s->beginning.length = length;
    }
    return pv_buffer_byte(&s->beginning, 0);
}

static psdvec_status end_document(psdvec_scorer *s, const char *source)
{
    pv_tally *d = &s->document, *all = &s->total;
    add_variance(s, s->without, d);
    PV_TRY(cut_beginning(s));
    fill_score(s, d, source, s->beginning.data);
    if (s->options.on_document)
        s->options.on_document(s->options.user, &s->score);
    for (size_t m = 0; m < s->model_count; m++) {
        add_fit(&all->fits[m], &d->fits[m]);
        d->fits[m] = (psdvec_document_fit){0};
        d->variance[m] = 0;
    }
    all->number++;
    all->words += d->words;
    all->known += d->known;
    d->number++;
    d->words = d->known = 0;
    s->reported_place = 0;
    s->beginning.length = 0;
    return PSDVEC_OK;
}

const psdvec_document_score *psdvec_scorer_total(psdvec_scorer *scorer)
{
    if (!scorer)
        return NULL;
    fill_score(scorer, &scorer->total, NULL, "");
    return &scorer->score;
}

/* Discards pending events. */
static void drop(psdvec_scorer *s)
{
    for (size_t m = 0; m < s->model_count; m++)
        pv_contexts_clear(&s->models[m].contexts);
    s->rows = 0;
    s->event_count = 0;
    s->texts.length = 0;
}

/* Scores the pending words and reports them to the caller. */
static psdvec_status flush(psdvec_scorer *s)
{
    uint32_t row = 0;
    for (size_t m = 0; m < s->model_count; m++) {
        pv_scored_model *model = &s->models[m];
        PV_TRY(pv_partition_function_sum(model->normaliser, &model->contexts,
                                         model->conditional->temperature, model->partitions));
    }
    for (size_t k = 0; k < s->event_count; k++) {
        const pv_event *event = &s->events[k];
        if (event->kind == PV_EVENT_END)
            PV_TRY(end_document(s, event->length ? s->texts.data + event->text : NULL));
        else
            PV_TRY(take_word(s, event, row));
        row += event->kind == PV_EVENT_WORD;
    }
    add_variance(s, s->without, &s->document);
    add_variance(s, s->without_all, &s->total);
    drop(s);
    return pv_check_cancel(s->ctx);
}

/* ---- Feeding --------------------------------------------------------------------------------- */

static psdvec_status add_event(psdvec_scorer *s, pv_event_kind kind, const char *text,
                               size_t length)
{
    s->events[s->event_count++] =
        (pv_event){.kind = kind, .length = (uint32_t)length, .text = s->texts.length};
    return pv_buffer_append(&s->texts, text, length);
}

static psdvec_status flush_if_full(psdvec_scorer *s)
{
    return s->rows == PV_SCORER_ROWS || s->event_count == PV_SCORER_EVENTS ? flush(s) : PSDVEC_OK;
}

/* Called at once, because the bigram scores need the preceding word, and the trail does not keep
 * it. */
static void score_bigrams(const pv_scored_model *m, pv_scored_word *w)
{
    const pv_conditional *c = m->conditional;
    uint32_t before = pv_trail_last(&m->trail);
    w->bigram = w->bigram_fitted = NAN;
    if (!c->counts)
        return;
    w->bigram = pv_conditional_bigram(c, before, w->word, c->kappa);
    if (!isnan(c->interpolation))
        w->bigram_fitted = pv_conditional_bigram(c, before, w->word, c->interpolation);
}

static psdvec_status feed_word(psdvec_scorer *s, const char *word, size_t length)
{
    pv_scored_word *row = s->row + (size_t)s->rows * s->model_count;
    bool known = false;
    if (length > UINT32_MAX)
        return pv_fail(s->ctx, PSDVEC_ERR_OVERFLOW, "a word has more than 4 GiB");
    for (size_t m = 0; m < s->model_count; m++) {
        row[m].word = PSDVEC_UNKNOWN_WORD;
        known |= psdvec_model_find(s->models[m].conditional->model, word, length, &row[m].word);
    }
    for (size_t m = 0; m < s->model_count; m++) {
        pv_scored_model *model = &s->models[m];
        if (known) {
            score_bigrams(model, &row[m]);
            if (model->bigrams)
                row[m].parts = pv_bigrams_parts(
                    model->bigrams, pv_bigrams_before(model->bigrams, &model->trail), row[m].word);
            PV_TRY(pv_contexts_add(&model->contexts, model->conditional, &model->trail, s->place));
        }
        pv_trail_add(&model->trail, model->conditional, row[m].word, s->place);
    }
    s->rows += known;
    s->place++;
    PV_TRY(add_event(s, known ? PV_EVENT_WORD : PV_EVENT_UNKNOWN, word, length));
    return flush_if_full(s);
}

static psdvec_status feed_pause(psdvec_scorer *s)
{
    for (size_t m = 0; m < s->model_count; m++)
        pv_trail_clear(&s->models[m].trail);
    return PSDVEC_OK;
}

static psdvec_status feed_end(psdvec_scorer *s, const char *source)
{
    PV_TRY(feed_pause(s));
    s->place = 0;
    s->documents++;
    PV_TRY(add_event(s, PV_EVENT_END, source ? source : "", source ? strlen(source) + 1 : 0));
    return flush_if_full(s);
}

/* Ends a document that was begun. */
static psdvec_status finish(psdvec_scorer *s)
{
    if (s->place > 0)
        PV_TRY(feed_end(s, NULL));
    return flush(s);
}

/* After a failure the pending events are inconsistent and the current document cannot be reported.
 * Discards both, so that the caller can continue with another document. */
static psdvec_status reset_if_failed(psdvec_scorer *s, psdvec_status status)
{
    if (status == PSDVEC_OK)
        return status;
    drop(s);
    feed_pause(s);
    size_t sums = s->model_count * PV_SAMPLE_GROUPS;
    memset(s->without, 0, sums * sizeof *s->without);
    memset(s->without_all, 0, sums * sizeof *s->without_all);
    for (size_t m = 0; m < s->model_count; m++) {
        s->document.fits[m] = (psdvec_document_fit){0};
        s->document.variance[m] = 0;
    }
    s->document.words = s->document.known = 0;
    s->beginning.length = 0;
    s->place = s->reported_place = 0;
    return status;
}

psdvec_status psdvec_scorer_word(psdvec_scorer *scorer, const char *word, size_t length)
{
    PV_BEGIN_OF(scorer);
    PV_NEED(scorer->ctx, word);
    return reset_if_failed(scorer, feed_word(scorer, word, length));
}

psdvec_status psdvec_scorer_pause(psdvec_scorer *scorer)
{
    PV_BEGIN_OF(scorer);
    return feed_pause(scorer);
}

psdvec_status psdvec_scorer_end(psdvec_scorer *scorer)
{
    PV_BEGIN_OF(scorer);
    return reset_if_failed(scorer, feed_end(scorer, NULL));
}

psdvec_status psdvec_scorer_finish(psdvec_scorer *scorer)
{
    PV_BEGIN_OF(scorer);
    return reset_if_failed(scorer, finish(scorer));
}

/* ---- Complete texts -------------------------------------------------------------------------- */

static psdvec_status feed_tokens(void *arg, const pv_token *tokens, size_t count)
{
    for (const pv_token *t = tokens; t < tokens + count; t++)
        PV_TRY(t->kind == PV_TOKEN_DOCUMENT_END   ? feed_end(arg, t->text)
               : t->kind == PV_TOKEN_SENTENCE_END ? feed_pause(arg)
                                                  : feed_word(arg, t->text, t->length));
    return PSDVEC_OK;
}

static psdvec_status feed_text(psdvec_scorer *s, const char *text, size_t length)
{
    psdvec_text_options options = *psdvec_scorer_text_options(s);
    pv_token_sink sink = {.take = feed_tokens, .user = s, .stage = "scoring"};
    options.document = PSDVEC_DOCUMENT_NONE;
    pv_text_options_plain(&options);
    uint64_t before = s->documents;
    PV_TRY(pv_tokens_of_text(s->ctx, &options, s->models[0].conditional->model->phrases, text,
                             length, &sink));
    if (s->place == 0 && s->documents == before) /* no word in it, but still a document */
        PV_TRY(feed_end(s, NULL));
    return finish(s);
}

psdvec_status psdvec_scorer_text(psdvec_scorer *scorer, const char *text, size_t length)
{
    PV_BEGIN_OF(scorer);
    PV_NEED_ARRAY(scorer->ctx, text, length);
    return reset_if_failed(scorer, feed_text(scorer, text, length));
}

static psdvec_status feed_inputs(psdvec_scorer *s, const psdvec_text_options *text,
                                 const char *const *inputs, size_t input_count)
{
    psdvec_text_options options;
    const pv_conditional *conditional = s->models[0].conditional;
    const psdvec_model *first = conditional->model;
    PV_TRY(pv_options_adopt(s->ctx, &pv_text_table, text ? text : &conditional->counting.text,
                            &options));
    pv_token_sink sink = {.take = feed_tokens, .user = s, .stage = "scoring"};
    options.min_document_words = 1;
    PV_TRY(pv_model_own_phrases(s->ctx, first, &options));
    PV_TRY(pv_tokens_of_inputs(s->ctx, &options, first->phrases, inputs, input_count, &sink));
    return finish(s);
}

psdvec_status psdvec_scorer_inputs(psdvec_scorer *scorer, const psdvec_text_options *text,
                                   const char *const *inputs, size_t input_count)
{
    PV_BEGIN_OF(scorer);
    PV_NEED_EACH(scorer->ctx, inputs, input_count);
    return reset_if_failed(scorer, feed_inputs(scorer, text, inputs, input_count));
}
