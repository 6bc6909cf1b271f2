/* psdvec_topics_learn: variational EM (docs/explanation/topics.md).
 *
 *     documents ──► counts of words ──► start: clusters of document vectors
 *                                            │
 *            ┌───────────────────────────────┘
 *            ▼
 *     mixtures of all documents (E-step, mixtures.h) ──► expected counts of words and topics
 *            ▲                                                    │
 *            └──── P(word | topic) ◄── vectors, residuals (M-step, topic_fit.h)
 *
 * Time per iteration: entries x topics x sweeps, and words x topics x dim.
 */
#include "base/arguments.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/thread.h"
#include "corpus/options.h"
#include "eval/kmeans.h"
#include "model/model_read.h"
#include "topic/classes.h"
#include "topic/options.h"
#include "topic/topic_file.h"
#include "topic/topic_fit.h"
#include "train/train.h"
#include "util/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TASK_DOCUMENTS = 16,
    TASK_WORDS = 64,
    FIRST_SWEEPS = 20, /* of a document in the first iteration */
    SWEEPS = 3,        /* in later ones */
    FIT_STEPS = 2,     /* of an M-step */
    LEAST_ITERATIONS = 5,
    START_DOCUMENTS = 2000, /* that are clustered */
    START_DIM = 64          /* axes of largest variance that are used for it */
};
#define SWEEP_TOLERANCE 1e-3
/* Words of the base distribution that are added to a document, and to a cluster, at the start. */
#define START_PRIOR 20.0
#define START_LENGTH 0.5f

typedef struct learning {
    psdvec_context *ctx;
    pv_scope memory;
    psdvec_topic_options options;
    const psdvec_model *model;
    char *folder; /* of the output, for temporary files */
    psdvec_text_options text;
    pv_buffer strings; /* of `text` */
    pv_documents documents;
    pv_batches batches;
    pv_topic_space space;
    pv_topic_fit fit;
    pv_topic_words words;
    uint32_t *vocabulary; /* model's words: number in the vocabulary */
    uint32_t *chosen;     /* the inverse */
    double *base;         /* p */
    double *alpha;
    uint64_t *lengths; /* documents: words that are in the vocabulary */
    uint64_t known;    /* their sum */
    pv_large mixtures; /* documents x topics: gamma, and at the end the mixtures */
    /* Of the current batch: */
    const pv_batch *batch;
    float *weights;      /* documents of a batch x stride */
    float *sums;         /* workers x stride */
    double *bounds;      /* documents of a batch */
    double *word_bounds; /* words */
    unsigned sweeps;
    pv_progress progress;
    double *history;
    uint32_t iterations;
    /* With `by`: */
    uint32_t asked; /* topics of each class */
    pv_classes classes;
    uint32_t *topic_class; /* topics */
} learning;

/* ---- Words ----------------------------------------------------------------------------------- */

static uint32_t find_in_model(const void *model, const char *word, size_t length)
{
    uint32_t i;
    return psdvec_model_find(model, word, length, &i) ? i : PSDVEC_UNKNOWN_WORD;
}

/* Chooses the words that occur in enough documents, and computes p. */
static psdvec_status choose_words(learning *l)
{
    const pv_documents *d = &l->documents;
    uint32_t all = l->model->info.words, words = 0;
    uint64_t least = l->options.min_documents;
    uint64_t *occurrences, *spread;
    pv_scope scope = {.ctx = l->ctx, .what = "the vocabulary of the topics"};
    pv_document_entry *entries;
    psdvec_status status;
    uint64_t most = 0, total = 0;
    for (size_t k = 0; k < d->count; k++)
        most = pv_larger(most, pv_documents_entries(d, k, 1));
    if (!least)
        least = d->count / 100 < 1 ? 1 : d->count / 100 > 5 ? 5 : d->count / 100;
    PV_TAKE_ZERO(&scope, occurrences, all);
    PV_TAKE_ZERO(&scope, spread, all);
    PV_TAKE(&scope, entries, most);
    PV_TAKE(&l->memory, l->vocabulary, all);
    PV_TAKE(&l->memory, l->chosen, all);
    PV_TAKE(&l->memory, l->base, all);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_scope_status(&l->memory));
    for (size_t k = 0; k < d->count; k++) {
        uint64_t count = pv_documents_entries(d, k, 1);
        PV_TRY_DONE(pv_spool_read(d->entries, d->begin[k] * sizeof *entries, entries,
                                  count * sizeof *entries));
        for (uint64_t e = 0; e < count; e++) {
            occurrences[entries[e].word] += entries[e].count;
            spread[entries[e].word]++;
        }
    }
    for (uint32_t i = 0; i < all; i++) {
        l->vocabulary[i] = PSDVEC_UNKNOWN_WORD;
        if (spread[i] < least || spread[i] == 0)
            continue;
        l->base[words] = l->options.base == PSDVEC_TOPIC_BASE_MODEL ? l->model->unigram[i]
                                                                    : (double)occurrences[i];
        l->chosen[words] = i;
        total += occurrences[i];
        l->vocabulary[i] = words++;
    }
    l->known = total;
    if (words < 2) {
        status = pv_fail(l->ctx, PSDVEC_ERR_EMPTY,
                         "%zu documents, %" PRIu64
                         " words: fewer than 2 of the model's words occur "
                         "in at least %" PRIu64 " documents; give more text, or lower "
                         "`min_documents`",
                         d->count, d->tokens, least);
        goto done;
    }
    double sum = 0;
    for (uint32_t w = 0; w < words; w++)
        sum += l->base[w];
    for (uint32_t w = 0; w < words; w++)
        l->base[w] /= sum;
    l->space.words = words;
    status = PSDVEC_OK;
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- The start ------------------------------------------------------------------------------- */

/* The sum of the features of a document's words, weighted by their frequency. */
static double add_features(const learning *l, const pv_batch *batch, size_t document, float *sum)
{
    const pv_topic_space *s = &l->space;
    double known = 0;
    for (uint64_t e = batch->begin[document]; e < batch->begin[document + 1]; e++) {
        const float *row = s->features + (size_t)batch->word[e] * s->dim;
        for (uint32_t d = 0; d < s->dim; d++)
            sum[d] += batch->frequency[e] * row[d];
        known += (double)batch->frequency[e];
    }
    return known;
}

/* Sums of features of documents at equal distances, with their lengths. */
static psdvec_status sample_documents(learning *l, size_t filled, size_t samples, float *sums,
                                      double *lengths)
{
    size_t seen = 0, taken = 0, batch_first = 0;
    for (size_t b = 0; b < l->batches.count; b++) {
        const pv_batch *batch;
        PV_TRY(pv_batches_get(&l->batches, b, &batch));
        for (size_t k = 0; k < batch->count; k++) {
            if (l->lengths[batch_first + k] == 0)
                continue;
            if (taken < samples && seen * samples / filled == taken) {
                lengths[taken] = add_features(l, batch, k, sums + taken * l->space.dim);
                taken++;
            }
            seen++;
        }
        batch_first += batch->count;
    }
    return PSDVEC_OK;
}

/* Topics begin at the centres of clusters of documents. */
static psdvec_status start(learning *l)
{
    const pv_topic_space *s = &l->space;
    uint32_t fixed = l->options.null_topic, clusters = l->options.topics - fixed;
    size_t filled = 0, dim = s->dim, some = dim < START_DIM ? dim : START_DIM;
    psdvec_status status = PSDVEC_OK;
    pv_scope scope = {.ctx = l->ctx, .what = "the start of the topics"};
    float *sums, *points;
    double *lengths, *centres;
    uint32_t *cluster;
    for (size_t k = 0; k < l->documents.count; k++)
        filled += l->lengths[k] > 0;
    size_t samples = filled < START_DOCUMENTS ? filled : START_DOCUMENTS;
    if (samples < clusters)
        samples = filled < clusters ? filled : clusters;
    if (filled < clusters)
        return pv_fail(l->ctx, PSDVEC_ERR_OPTION,
                       "`topics` is %u, but only %zu documents have known words; learn fewer "
                       "topics, or check what a document is (`document`)",
                       (unsigned)l->options.topics, filled);
    if (clusters == 0)
        return pv_topic_fit_start(&l->fit);
    PV_TAKE_ZERO(&scope, sums, samples * dim);
    PV_TAKE(&scope, points, samples * some);
    PV_TAKE(&scope, lengths, samples);
    PV_TAKE(&scope, cluster, samples);
    PV_TAKE_ZERO(&scope, centres, (size_t)clusters * (dim + 1));
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(sample_documents(l, filled, samples, sums, lengths));
    for (size_t k = 0; k < samples; k++)
        for (size_t d = 0; d < some; d++)
            points[k * some + d] =
                (float)((double)sums[k * dim + dim - some + d] / (lengths[k] + START_PRIOR));
    PV_TRY_DONE(pv_kmeans(l->ctx, points, NULL, samples, (uint32_t)some, clusters, cluster));
    for (size_t k = 0; k < samples; k++) {
        double *centre = centres + cluster[k] * (dim + 1);
        for (size_t d = 0; d < dim; d++)
            centre[d] += (double)sums[k * dim + d];
        centre[dim] += lengths[k];
    }
    for (uint32_t k = 0; k < clusters; k++)
        for (size_t d = 0; d < dim; d++)
            l->fit.vectors[d * l->fit.stride + fixed + k] =
                START_LENGTH *
                (float)(centres[k * (dim + 1) + d] / (centres[k * (dim + 1) + dim] + START_PRIOR));
    status = pv_topic_fit_start(&l->fit);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- The E-step ------------------------------------------------------------------------------ */

static psdvec_status find_mixtures(void *arg, size_t task, int worker)
{
    learning *l = arg;
    const pv_batch *batch = l->batch;
    pv_topic_sweep_fn *sweep = pv_topic_sweep_best();
    size_t end = (task + 1) * TASK_DOCUMENTS;
    float *all = l->mixtures.data, *sums = l->sums + (size_t)worker * l->words.stride;
    for (size_t k = task * TASK_DOCUMENTS; k < end && k < batch->count; k++) {
        uint64_t from = batch->begin[k];
        float *gamma = all + (batch->first + k) * l->words.topics;
        pv_mixture_find(&l->words, sweep, batch->word + from, batch->frequency + from,
                        (size_t)(batch->begin[k + 1] - from), l->sweeps, SWEEP_TOLERANCE, gamma,
                        l->weights + k * l->words.stride, sums);
        l->bounds[k] = pv_mixture_bound(&l->words, gamma);
    }
    pv_progress_add(&l->progress,
                    (end < batch->count ? end : batch->count) - task * TASK_DOCUMENTS);
    return PSDVEC_OK;
}

static psdvec_status count_words(void *arg, size_t task, int worker)
{
    learning *l = arg;
    const pv_batch *batch = l->batch;
    pv_topic_gather_fn *gather = pv_topic_gather_best();
    size_t stride = l->words.stride;
    float *sums = l->sums + (size_t)worker * stride;
    for (size_t w = task * TASK_WORDS; w < (task + 1) * TASK_WORDS && w < l->space.words; w++) {
        uint64_t from = batch->turned[w], count = batch->turned[w + 1] - from;
        const float *beta = l->words.beta + w * stride;
        float *counts = l->fit.counts + w * stride;
        memset(sums, 0, stride * sizeof *sums);
        l->word_bounds[w] += gather(beta, stride, batch->document + from, batch->times + from,
                                    (size_t)count, l->weights, sums);
        for (size_t k = 0; k < stride; k++)
            counts[k] += beta[k] * sums[k];
    }
    return PSDVEC_OK;
}

/* All mixtures and expected counts, and the bound. */
static psdvec_status expect(learning *l, double *bound)
{
    double sum = pv_topic_fit_prior(&l->fit);
    size_t word_tasks = (l->space.words + TASK_WORDS - 1) / TASK_WORDS;
    memset(l->fit.counts, 0, (size_t)l->space.words * l->words.stride * sizeof *l->fit.counts);
    memset(l->word_bounds, 0, l->space.words * sizeof *l->word_bounds);
    for (size_t b = 0; b < l->batches.count; b++) {
        PV_TRY(pv_batches_get(&l->batches, b, &l->batch));
        size_t tasks = (l->batch->count + TASK_DOCUMENTS - 1) / TASK_DOCUMENTS;
        PV_TRY(pv_parallel_tasks(l->ctx, tasks, find_mixtures, l));
        PV_TRY(pv_parallel_tasks(l->ctx, word_tasks, count_words, l));
        for (size_t k = 0; k < l->batch->count; k++)
            sum += l->bounds[k];
    }
    for (uint32_t w = 0; w < l->space.words; w++)
        sum += l->word_bounds[w];
    *bound = sum;
    return isfinite(sum)
               ? PSDVEC_OK
               : pv_fail(l->ctx, PSDVEC_ERR_NUMERIC,
                         "the bound of the topics is not a finite number; check the model "
                         "with psdvec info --verify");
}

static psdvec_status iterate(learning *l)
{
    uint32_t most = l->options.iterations;
    pv_progress_begin(&l->progress, l->ctx, "learning topics", "documents",
                      (uint64_t)l->documents.count * most);
    for (uint32_t t = 0; t < most; t++) {
        l->sweeps = t == 0 ? FIRST_SWEEPS : SWEEPS;
        PV_TRY(expect(l, &l->history[t]));
        l->progress.objective = l->history[t];
        l->iterations = t + 1;
        double gain = t ? (l->history[t] - l->history[t - 1]) / (double)l->known : 0;
        pv_note(l->ctx, "iteration %u: bound %.6f per word", (unsigned)t + 1,
                l->history[t] / (double)l->known);
        if (t + 1 == most || (t + 1 >= LEAST_ITERATIONS && gain < l->options.tolerance))
            break;
        PV_TRY(pv_topic_fit_improve(&l->fit, FIT_STEPS));
    }
    pv_progress_end(&l->progress);
    return PSDVEC_OK;
}

/* ---- The result ------------------------------------------------------------------------------ */

/* The order of the topics: the null topic, then by descending share. */
static psdvec_status order_topics(const learning *l, pv_scope *scope, uint32_t **order,
                                  double **shares)
{
    uint32_t topics = l->options.topics, fixed = l->options.null_topic;
    double *mass, total = 0;
    PV_TAKE(scope, *order, topics);
    PV_TAKE(scope, *shares, topics);
    PV_TAKE_ZERO(scope, mass, topics);
    PV_TRY(pv_scope_status(scope));
    for (uint32_t w = 0; w < l->space.words; w++)
        for (uint32_t k = 0; k < topics; k++)
            mass[k] += (double)l->fit.counts[w * l->fit.stride + k];
    for (uint32_t k = 0; k < topics; k++) {
        uint32_t at = k;
        total += mass[k];
        for (; at > fixed && mass[k] > mass[(*order)[at - 1]]; at--)
            (*order)[at] = (*order)[at - 1];
        (*order)[at] = k;
    }
    for (uint32_t k = 0; k < topics; k++)
        (*shares)[k] = total > 0 ? mass[(*order)[k]] / total : 0;
    return PSDVEC_OK;
}

static psdvec_status describe(const learning *l, pv_buffer *settings, pv_buffer *model)
{
    pv_json_writer w;
    pv_json_writer_init(&w, settings);
    pv_json_open_object(&w, NULL);
    pv_json_open_object(&w, "topics");
    psdvec_topic_options options = l->options;
    options.topics = l->asked;
    pv_options_put_json(&w, &pv_topic_table, &options);
    pv_json_close(&w);
    pv_json_open_object(&w, "text");
    pv_options_put_json(&w, &pv_text_table, &l->text);
    pv_json_close(&w);
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    PV_TRY(pv_buffer_byte(settings, '\0'));
    pv_json_writer_init(&w, model);
    pv_json_open_object(&w, NULL);
    const char *slash = strrchr(l->model->path, '/');
    pv_json_put_string(&w, "name", slash ? slash + 1 : l->model->path);
    if (l->model->file)
        pv_json_put_string(&w, "xxh3", pv_st_meta(l->model->file, "xxh3.metadata"));
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(model, '\0');
}

/* Mixtures instead of gamma, with the topics in their final order. */
static void finish_mixtures(const learning *l, const uint32_t *order, float *row)
{
    uint32_t topics = l->options.topics;
    for (size_t d = 0; d < l->documents.count; d++) {
        float *gamma = (float *)l->mixtures.data + d * topics;
        double sum = 0;
        for (uint32_t k = 0; k < topics; k++)
            sum += (double)gamma[k];
        for (uint32_t k = 0; k < topics; k++)
            row[k] = (float)((double)gamma[order[k]] / sum);
        memcpy(gamma, row, topics * sizeof *row);
    }
}

static psdvec_status write_topics(learning *l, const char *output)
{
    pv_scope scope = {.ctx = l->ctx, .what = "the topics file"};
    pv_buffer settings = {.ctx = l->ctx}, model = {.ctx = l->ctx};
    psdvec_status status;
    uint32_t topics = l->options.topics, words = l->space.words, dim = l->space.dim, *order;
    uint64_t *offsets;
    char *bytes;
    uint32_t *classes;
    double *shares, *alpha;
    float *vectors, *probabilities, *row;
    size_t length = 0;
    for (uint32_t w = 0; w < words; w++)
        length += l->model->offsets[l->chosen[w] + 1] - l->model->offsets[l->chosen[w]];
    PV_TRY_DONE(order_topics(l, &scope, &order, &shares));
    PV_TRY_DONE(describe(l, &settings, &model));
    PV_TAKE(&scope, offsets, (size_t)words + 1);
    PV_TAKE(&scope, bytes, length);
    PV_TAKE(&scope, alpha, topics);
    PV_TAKE(&scope, row, topics);
    PV_TAKE(&scope, classes, topics);
    PV_TAKE(&scope, vectors, (size_t)topics * dim);
    PV_TAKE(&scope, probabilities, (size_t)topics * words);
    PV_TRY_DONE(pv_scope_status(&scope));
    offsets[0] = 0;
    for (uint32_t w = 0; w < words; w++) {
        const uint64_t *at = &l->model->offsets[l->chosen[w]];
        memcpy(bytes + offsets[w], l->model->bytes + at[0], at[1] - at[0]);
        offsets[w + 1] = offsets[w] + at[1] - at[0];
    }
    for (uint32_t k = 0; k < topics; k++) {
        alpha[k] = l->alpha[order[k]];
        classes[k] = l->topic_class ? l->topic_class[order[k]] : PV_NO_CLASS;
        pv_topic_fit_vector(&l->fit, order[k], vectors + (size_t)k * dim);
        for (uint32_t w = 0; w < words; w++)
            probabilities[(size_t)k * words + w] = l->fit.beta[w * l->fit.stride + order[k]];
    }
    finish_mixtures(l, order, row);
    pv_topics_data data = {.info = {.topics = topics,
                                    .words = words,
                                    .dim = dim,
                                    .documents = l->documents.count,
                                    .known_tokens = l->known,
                                    .iterations = l->iterations,
                                    .bound = l->history[l->iterations - 1],
                                    .null_topic = l->options.null_topic,
                                    .classes = l->classes.count,
                                    .settings_json = settings.data,
                                    .model_json = model.data},
                           .bytes = bytes,
                           .offsets = offsets,
                           .base = l->base,
                           .vectors = vectors,
                           .probabilities = probabilities,
                           .shares = shares,
                           .alpha = alpha,
                           .mixtures = l->mixtures.data,
                           .names = l->documents.text.data,
                           .name_offsets = l->documents.names,
                           .lengths = l->lengths,
                           .details = l->documents.described ? l->documents.details.data : NULL,
                           .marks = l->documents.marks,
                           .classes = l->classes.count ? l->classes.labels.data : NULL,
                           .class_offsets = l->classes.offsets,
                           .topic_classes = classes,
                           .history = l->history,
                           .phrases = pv_model_phrases(l->model)};
    status = pv_topics_write(l->ctx, output, &data);
done:
    pv_scope_free(&scope);
    pv_buffer_free(&settings);
    pv_buffer_free(&model);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static psdvec_status check_model(const learning *l)
{
    const psdvec_model *m = l->model;
    if (m->info.sparse)
        return pv_fail(l->ctx, PSDVEC_ERR_FORMAT, "%s: has sparse vectors; topics need dense ones",
                       m->path);
    if (l->options.base == PSDVEC_TOPIC_BASE_MODEL && !m->unigram)
        return pv_fail(l->ctx, PSDVEC_ERR_FORMAT,
                       "%s: has no word frequencies, which `base=model` needs", m->path);
    return pv_model_check_vectors(l->ctx, m);
}

static psdvec_status read_documents(learning *l, const psdvec_text_options *text,
                                    const char *const *inputs, size_t input_count)
{
    psdvec_count_options counting;
    bool recorded;
    PV_TRY(pv_model_counting(l->ctx, l->model, &counting, &l->strings, &recorded));
    PV_TRY(pv_options_adopt(l->ctx, &pv_text_table, text ? text : &counting.text, &l->text));
    l->text.min_document_words = 1;
    PV_TRY(pv_model_own_phrases(l->ctx, l->model, &l->text));
    PV_TRY(pv_documents_init(&l->documents, l->ctx, l->folder, l->model->info.words, find_in_model,
                             l->model));
    return pv_documents_read(&l->documents, &l->text, l->model->phrases, inputs, input_count);
}

static psdvec_status prepare_words(learning *l)
{
    PV_TRY(choose_words(l));
    uint32_t words = l->space.words, dim = l->model->info.dim;
    PV_TRY(pv_topic_space_init(&l->space, l->ctx, words, dim, l->base));
    for (uint32_t w = 0; w < words; w++)
        pv_vector_set_copy(&l->model->vectors, l->chosen[w], 1,
                           l->space.features + (size_t)w * dim);
    return pv_topic_space_prepare(&l->space, l->base);
}

/* Everything but the start of the topics. */
static psdvec_status prepare(learning *l)
{
    psdvec_context *ctx = l->ctx;
    uint32_t topics = l->options.topics, words = l->space.words;
    PV_TRY(pv_topic_fit_init(&l->fit, &l->space, &l->options));
    PV_TRY(pv_batches_init(&l->batches, &l->documents, l->vocabulary, words));
    size_t stride = l->fit.stride, most = l->batches.most, documents = l->documents.count;
    PV_TAKE(&l->memory, l->alpha, topics);
    PV_TAKE_ZERO(&l->memory, l->lengths, documents);
    PV_TAKE(&l->memory, l->weights, most * stride);
    PV_TAKE(&l->memory, l->sums, (size_t)psdvec_threads(ctx) * stride);
    PV_TAKE(&l->memory, l->bounds, most);
    PV_TAKE(&l->memory, l->word_bounds, words);
    PV_TAKE(&l->memory, l->history, (size_t)l->options.iterations + 1);
    PV_TRY(pv_scope_status(&l->memory));
    for (uint32_t k = 0; k < topics; k++)
        l->alpha[k] = l->options.alpha;
    l->words = (pv_topic_words){
        .topics = topics, .stride = stride, .beta = l->fit.beta, .alpha = l->alpha};
    uint64_t bytes = (uint64_t)documents * topics * sizeof(float);
    PV_TRY(pv_large_alloc(ctx, (uint64_t)documents * topics, sizeof(float), l->folder,
                          pv_large_spills(ctx, bytes, 0), "the mixtures of the documents",
                          &l->mixtures));
    for (size_t b = 0; b < l->batches.count; b++) {
        const pv_batch *batch;
        PV_TRY(pv_batches_get(&l->batches, b, &batch));
        for (size_t k = 0; k < batch->count; k++) {
            uint64_t *length = &l->lengths[batch->first + k];
            for (uint64_t e = batch->begin[k]; e < batch->begin[k + 1]; e++)
                *length += (uint64_t)batch->frequency[e];
            pv_mixture_start(&l->words, (double)*length,
                             (float *)l->mixtures.data + (batch->first + k) * topics);
        }
    }
    return PSDVEC_OK;
}

/* Frees what prepare and the documents take. */
static void release_fit(learning *l)
{
    pv_topic_fit_free(&l->fit);
    pv_batches_free(&l->batches);
    pv_documents_free(&l->documents);
    pv_large_free(l->ctx, &l->mixtures);
}

static void release(learning *l)
{
    release_fit(l);
    pv_topic_space_free(&l->space);
    pv_classes_free(&l->classes);
    pv_buffer_free(&l->strings);
    free(l->folder);
    pv_scope_free(&l->memory);
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* Copies columns of a matrix with `rows` rows. */
static void copy_topics(float *to, size_t to_stride, const float *from, size_t from_stride,
                        size_t rows, size_t count)
{
    for (size_t r = 0; r < rows; r++)
        memcpy(to + r * to_stride, from + r * from_stride, count * sizeof *to);
}

/* Learns the topics of a class, and puts them at `first`. The null topic comes from the first class
 * alone. */
static psdvec_status learn_class(learning *l, uint32_t class, uint32_t topics, uint32_t first)
{
    uint32_t fixed = l->options.null_topic, skipped = first ? fixed : 0;
    learning part = {.ctx = l->ctx,
                     .memory = {.ctx = l->ctx, .what = "learning topics"},
                     .options = l->options,
                     .model = l->model,
                     .folder = l->folder,
                     .vocabulary = l->vocabulary,
                     .chosen = l->chosen,
                     .base = l->base,
                     .space = l->space};
    psdvec_status status;
    part.options.topics = topics;
    PV_TRY_DONE(pv_classes_select(&l->classes, &l->documents, class, l->folder, &part.documents));
    for (size_t k = 0; k < l->documents.count; k++)
        part.known += l->classes.of[k] == class ? l->classes.lengths[k] : 0;
    pv_note(l->ctx, "%s: %zu documents, %u topics", pv_classes_label(&l->classes, class),
            part.documents.count, (unsigned)topics);
    PV_TRY_DONE(prepare(&part));
    PV_TRY_DONE(start(&part));
    PV_TRY_DONE(iterate(&part));
    size_t count = topics - skipped, stride = l->fit.stride, from = part.fit.stride;
    copy_topics(l->fit.beta + first, stride, part.fit.beta + skipped, from, l->space.words, count);
    copy_topics(l->fit.vectors + first, stride, part.fit.vectors + skipped, from, l->space.dim,
                count);
    if (l->fit.residuals)
        copy_topics(l->fit.residuals + first, stride, part.fit.residuals + skipped, from,
                    l->space.words, count);
    for (uint32_t k = skipped; k < topics; k++)
        l->topic_class[first + k - skipped] = k < fixed ? PV_NO_CLASS : class;
    /* The bound of all classes after each iteration; a class that is finished keeps its last one. */
    for (uint32_t t = 0; t < l->options.iterations; t++)
        l->history[t] += part.history[t < part.iterations ? t : part.iterations - 1];
    l->iterations = part.iterations > l->iterations ? part.iterations : l->iterations;
    status = PSDVEC_OK;
done:
    release_fit(&part);
    pv_scope_free(&part.memory);
    return status;
}

/* The mixture of each document with all topics. */
static psdvec_status converge(void *arg, size_t task, int worker)
{
    learning *l = arg;
    const pv_batch *batch = l->batch;
    float *sums = l->sums + (size_t)worker * l->words.stride;
    size_t end = (task + 1) * TASK_DOCUMENTS;
    for (size_t k = task * TASK_DOCUMENTS; k < end && k < batch->count; k++) {
        uint64_t from = batch->begin[k];
        float *gamma = (float *)l->mixtures.data + (batch->first + k) * l->words.topics;
        pv_mixture_start(&l->words, (double)l->lengths[batch->first + k], gamma);
        pv_mixture_find(&l->words, pv_topic_sweep_best(), batch->word + from,
                        batch->frequency + from, (size_t)(batch->begin[k + 1] - from),
                        PV_MOST_SWEEPS, PV_SWEEP_TOLERANCE, gamma, l->weights + k * l->words.stride,
                        sums);
    }
    return PSDVEC_OK;
}

/* Topics of each class. A class cannot have more topics than documents, as without classes. */
static psdvec_status learn_classes(learning *l)
{
    pv_classes *c = &l->classes;
    uint32_t fixed = l->options.null_topic, most = l->asked - fixed, poor = 0, first = 0;
    uint64_t total = fixed;
    if (most == 0)
        return pv_fail(l->ctx, PSDVEC_ERR_OPTION,
                       "`topics` is 1, which is the null topic; give at least 2 for `by=label`");
    PV_TRY(pv_classes_make(c, &l->documents));
    PV_TRY(prepare_words(l));
    PV_TRY(pv_classes_count(c, &l->documents, l->vocabulary));
    for (uint32_t i = 0; i < c->count; i++) {
        total += c->filled[i] < most ? c->filled[i] : most;
        poor += c->filled[i] < most;
    }
    if (total > 10000)
        return pv_fail(l->ctx, PSDVEC_ERR_OPTION,
                       "%u labels with %u topics each are %" PRIu64
                       " topics, but 10000 is the maximum; learn fewer topics for each label",
                       (unsigned)c->count, (unsigned)l->asked, total);
    if (total == fixed)
        return pv_fail(
            l->ctx, PSDVEC_ERR_EMPTY,
            "no document with a label has words that the topics know; give more text, or "
            "lower `min_documents`");
    if (poor)
        pv_warn(l->ctx,
                "%u of %u labels have fewer documents with known words than topics (`topics` is "
                "%u); they get one topic per document",
                (unsigned)poor, (unsigned)c->count, (unsigned)l->asked);
    l->options.topics = (uint32_t)total;
    PV_TRY(prepare(l));
    PV_TAKE(&l->memory, l->topic_class, total);
    PV_TRY(pv_scope_status(&l->memory));
    memset(l->history, 0, l->options.iterations * sizeof *l->history);
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t topics = (uint32_t)(c->filled[i] < most ? c->filled[i] : most);
        if (topics == 0)
            continue;
        PV_TRY(learn_class(l, i, topics + fixed, first));
        first += topics + (first ? 0 : fixed);
    }
    pv_progress_begin(&l->progress, l->ctx, "finding mixtures", "documents", l->documents.count);
    for (size_t b = 0; b < l->batches.count; b++) {
        PV_TRY(pv_batches_get(&l->batches, b, &l->batch));
        PV_TRY(pv_parallel_tasks(l->ctx, (l->batch->count + TASK_DOCUMENTS - 1) / TASK_DOCUMENTS,
                                 converge, l));
    }
    l->sweeps = 1;
    PV_TRY(expect(l, &l->history[l->iterations++]));
    pv_progress_end(&l->progress);
    return PSDVEC_OK;
}

static psdvec_status learn(learning *l, const psdvec_text_options *text, const char *const *inputs,
                           size_t input_count, const char *output)
{
    PV_TRY(check_model(l));
    PV_TRY(pv_output_try(l->ctx, output));
    l->folder = pv_folder_of(output);
    if (!l->folder)
        return pv_fail(l->ctx, PSDVEC_ERR_MEMORY, "no memory for the name of a folder");
    PV_TRY(read_documents(l, text, inputs, input_count));
    l->asked = l->options.topics;
    if (l->options.by == PSDVEC_TOPIC_BY_LABEL) {
        PV_TRY(learn_classes(l));
        return write_topics(l, output);
    }
    PV_TRY(prepare_words(l));
    PV_TRY(prepare(l));
    PV_TRY(start(l));
    PV_TRY(iterate(l));
    return write_topics(l, output);
}

psdvec_status psdvec_topics_learn(psdvec_context *ctx, const psdvec_topic_options *options,
                                  const psdvec_model *model, const psdvec_text_options *text,
                                  const char *const *inputs, size_t input_count, const char *output,
                                  psdvec_topics_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, output);
    double began = pv_now();
    learning l = {.ctx = ctx,
                  .memory = {.ctx = ctx, .what = "learning topics"},
                  .model = model,
                  .strings = {.ctx = ctx}};
    if (report)
        *report = (psdvec_topics_report){0};
    PV_TRY(pv_options_adopt(ctx, &pv_topic_table, options, &l.options));
    psdvec_status status = learn(&l, text, inputs, input_count, output);
    if (status == PSDVEC_OK && report) {
        *report = (psdvec_topics_report){.documents = l.documents.count,
                                         .tokens = l.documents.tokens,
                                         .known_tokens = l.known,
                                         .words = l.space.words,
                                         .topics = l.options.topics,
                                         .iterations = l.iterations,
                                         .bound = l.history[l.iterations - 1],
                                         .seconds = pv_now() - began};
        for (size_t k = 0; k < l.documents.count; k++)
            report->empty += l.lengths[k] == 0;
    }
    release(&l);
    return status;
}
