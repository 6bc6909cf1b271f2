/* What the host hears of a text: words with what moved them, documents, the total. */
#include "document/scorer.h"
#include "model/dot.h"
#include "model/model_read.h"
#include "util/utf8.h"

#include <math.h>
#include <string.h>

enum { BEGINNING_BYTES = 72 };

/* ---- Words ----------------------------------------------------------------------------------- */

/* What each context word adds to the word of a row, by the first model. */
static psdvec_status find_influences(psdvec_scorer *s, uint32_t row, uint32_t word,
                                     psdvec_word_score *out)
{
    const pv_scored_model *m = &s->models[0];
    const pv_conditional *c = m->conditional;
    const pv_contexts *x = &m->contexts;
    size_t count = x->begin[row + 1] - x->begin[row];
    if (count > s->influence_capacity) {
        pv_free(s->ctx, s->influences);
        s->influence_capacity = 0;
        s->influences = pv_alloc(s->ctx, count * 2, sizeof *s->influences, "influences");
        if (!s->influences)
            return pv_failure(s->ctx);
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

static psdvec_status tell_word(psdvec_scorer *s, const pv_event *event, uint32_t row,
                               const psdvec_document_fit *first)
{
    psdvec_word_score word = {.document = s->document.number,
                              .place = s->told_place,
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

/* The scores of a row's word by one model. */
static psdvec_document_fit score_word(const psdvec_scorer *s, size_t model, uint32_t row)
{
    const pv_scored_model *m = &s->models[model];
    const pv_conditional *c = m->conditional;
    const pv_scored_word *w = &s->row[(size_t)row * s->model_count + model];
    double log_p = w->word == PSDVEC_UNKNOWN_WORD ? c->log_absent : c->log_unigram[w->word];
    double paper, score = pv_contexts_score(&m->contexts, c, row, w->word, &paper);
    return (psdvec_document_fit){
        .unigram = log_p,
        .paper = log_p + paper,
        .conditional = log_p + c->temperature * (score - m->contexts.constant[row]) -
                       m->partitions[row].log_z,
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

static psdvec_status take_word(psdvec_scorer *s, const pv_event *event, uint32_t row)
{
    psdvec_document_fit fit, first = {0};
    pv_tally *d = &s->document;
    for (size_t m = 0; event->kind == PV_EVENT_WORD && m < s->model_count; m++) {
        fit = score_word(s, m, row);
        add_fit(&d->fits[m], &fit);
        if (pv_partition_function_sampled(s->models[m].normaliser))
            for (size_t g = 0; g < PV_SAMPLE_GROUPS; g++) {
                double without = s->models[m].partitions[row].without[g];
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
        PV_TRY(tell_word(s, event, row, &first));
    s->told_place++;
    return PSDVEC_OK;
}

/* ---- Documents ------------------------------------------------------------------------------ */

/* Samples of different batches are independent, so their variances add up. Within a batch all words
 * share one sample, and err together: those of a document, and those of all documents. */
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

static void add_posteriors(psdvec_document_fit *fits, size_t count)
{
    double largest = -INFINITY, sum = 0;
    for (size_t m = 0; m < count; m++)
        largest = fmax(largest, fits[m].conditional);
    for (size_t m = 0; m < count; m++)
        sum += fits[m].posterior = exp(fits[m].conditional - largest);
    for (size_t m = 0; m < count; m++)
        fits[m].posterior /= sum;
}

static void fill_score(psdvec_scorer *s, pv_tally *tally, const char *source, const char *beginning)
{
    for (size_t m = 0; m < s->model_count; m++)
        tally->fits[m].error = sqrt(tally->variance[m]);
    add_posteriors(tally->fits, s->model_count);
    s->score = (psdvec_document_score){.number = tally->number,
                                       .source = source,
                                       .beginning = beginning,
                                       .words = tally->words,
                                       .known = tally->known,
                                       .fits = tally->fits,
                                       .fit_count = s->model_count};
}

/* Some whole words, not more than fit a line; of a longer word as many whole characters. */
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
    s->told_place = 0;
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

void pv_scorer_drop(psdvec_scorer *s)
{
    for (size_t m = 0; m < s->model_count; m++)
        pv_contexts_clear(&s->models[m].contexts);
    s->rows = 0;
    s->event_count = 0;
    s->texts.length = 0;
}

psdvec_status pv_scorer_flush(psdvec_scorer *s)
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
    pv_scorer_drop(s);
    return pv_check_cancel(s->ctx);
}
