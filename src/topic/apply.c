/* psdvec_topics_apply and psdvec_topics_apply_text: the mixtures of documents with known topics. Documents are processed in
 * batches, and reported in order. */
#include "base/arguments.h"
#include "base/options.h"
#include "base/thread.h"
#include "corpus/options.h"
#include "topic/topic_file.h"

#include <stdio.h>
#include <string.h>

enum { TASK_DOCUMENTS = 16 };

typedef struct applying {
    psdvec_context *ctx;
    pv_scope memory;
    const psdvec_topics *topics;
    pv_topic_words words;
    pv_documents documents;
    pv_batches batches;
    const pv_batch *batch;
    float *gamma;    /* documents of a batch x topics; then the shares */
    float *counts;   /* documents of a batch x topics */
    float *evidence; /* documents of a batch x stride */
    float *equal;    /* stride: 1, the weight of every topic */
    float *weights;  /* workers x stride, twice */
    double *bounds;  /* documents of a batch */
} applying;

static uint32_t find_in_topics(const void *topics, const char *word, size_t length)
{
    uint32_t i;
    return pv_word_index_find(&((const psdvec_topics *)topics)->index, word, length, &i)
               ? i
               : PSDVEC_UNKNOWN_WORD;
}

psdvec_status pv_topics_beta(const psdvec_topics *t, pv_scope *memory, pv_topic_words *words)
{
    size_t stride = pv_topic_stride(t->info.topics);
    float *beta;
    PV_TAKE_ZERO(memory, beta, (size_t)t->info.words * stride);
    PV_TRY(pv_scope_status(memory));
    for (uint32_t k = 0; k < t->info.topics; k++)
        for (uint32_t w = 0; w < t->info.words; w++)
            beta[w * stride + k] = t->probabilities[(size_t)k * t->info.words + w];
    *words = (pv_topic_words){
        .topics = t->info.topics, .stride = stride, .beta = beta, .alpha = t->alpha};
    return PSDVEC_OK;
}

static psdvec_status read_text(const psdvec_topics *t, psdvec_context *ctx, const char *text,
                               size_t length, pv_documents *documents)
{
    PV_TRY(pv_documents_init(documents, ctx, P_tmpdir, t->info.words, find_in_topics, t));
    return pv_documents_read_text(documents, &t->text, t->phrases.count ? &t->phrases : NULL, text,
                                  length);
}

psdvec_status pv_topics_read(const psdvec_topics *t, psdvec_context *ctx,
                             const psdvec_text_options *text, const char *const *inputs,
                             size_t input_count, pv_documents *documents)
{
    PV_TRY(pv_documents_init(documents, ctx, P_tmpdir, t->info.words, find_in_topics, t));
    return pv_documents_read(documents, text, t->phrases.count ? &t->phrases : NULL, inputs,
                             input_count);
}

static psdvec_status find_mixtures(void *arg, size_t task, int worker)
{
    applying *a = arg;
    const pv_batch *batch = a->batch;
    size_t end = (task + 1) * TASK_DOCUMENTS, stride = a->words.stride;
    for (size_t k = task * TASK_DOCUMENTS; k < end && k < batch->count; k++) {
        uint64_t from = batch->begin[k];
        float *gamma = a->gamma + k * a->words.topics;
        a->bounds[k] = pv_mixture_infer(&a->words, batch->word + from, batch->frequency + from,
                                        (size_t)(batch->begin[k + 1] - from), gamma,
                                        a->weights + (size_t)worker * 2 * stride);
        pv_topic_sweep_best()(a->words.beta, stride, batch->word + from, batch->frequency + from,
                              (size_t)(batch->begin[k + 1] - from), a->equal,
                              a->evidence + k * stride);
        double sum = 0;
        for (uint32_t t = 0; t < a->words.topics; t++)
            sum += (double)gamma[t];
        for (uint32_t t = 0; t < a->words.topics; t++) {
            a->counts[k * a->words.topics + t] = (float)((double)gamma[t] - a->words.alpha[t]);
            gamma[t] = (float)((double)gamma[t] / sum);
        }
    }
    return PSDVEC_OK;
}

static psdvec_status report_batches(applying *a, psdvec_topic_mixture_fn *on_document, void *user)
{
    for (size_t b = 0; b < a->batches.count; b++) {
        PV_TRY(pv_batches_get(&a->batches, b, &a->batch));
        size_t count = a->batch->count;
        PV_TRY(pv_parallel_tasks(a->ctx, (count + TASK_DOCUMENTS - 1) / TASK_DOCUMENTS,
                                 find_mixtures, a));
        for (size_t k = 0; k < count; k++) {
            size_t d = a->batch->first + k;
            psdvec_topic_mixture mixture = {
                .number = d + 1,
                .source = pv_documents_source(&a->documents, d),
                .beginning = pv_documents_beginning(&a->documents, d),
                .words = a->documents.all[d],
                .known = a->documents.known[d],
                .shares = a->gamma + k * a->words.topics,
                .bound = a->bounds[k],
                .label = pv_documents_detail(&a->documents, d, PV_COLUMN_LABEL),
                .date = pv_documents_detail(&a->documents, d, PV_COLUMN_DATE),
                .name = pv_documents_detail(&a->documents, d, PV_COLUMN_NAME),
                .counts = a->counts + k * a->words.topics,
                .evidence = a->evidence + k * a->words.stride};
            on_document(user, &mixture);
        }
    }
    return PSDVEC_OK;
}

/* The documents have been read. */
static psdvec_status apply(applying *a, psdvec_topic_mixture_fn *on_document, void *user)
{
    const psdvec_topics *t = a->topics;
    PV_TRY(pv_topics_beta(t, &a->memory, &a->words));
    PV_TRY(pv_batches_init(&a->batches, &a->documents, NULL, t->info.words));
    PV_TAKE(&a->memory, a->gamma, a->batches.most * t->info.topics);
    PV_TAKE(&a->memory, a->counts, a->batches.most * t->info.topics);
    PV_TAKE(&a->memory, a->weights, (size_t)psdvec_threads(a->ctx) * 2 * a->words.stride);
    PV_TAKE(&a->memory, a->bounds, a->batches.most);
    PV_TAKE(&a->memory, a->evidence, a->batches.most * a->words.stride);
    PV_TAKE(&a->memory, a->equal, a->words.stride);
    PV_TRY(pv_scope_status(&a->memory));
    for (size_t k = 0; k < a->words.stride; k++)
        a->equal[k] = 1;
    return report_batches(a, on_document, user);
}

static void applying_free(applying *a)
{
    pv_batches_free(&a->batches);
    pv_documents_free(&a->documents);
    pv_scope_free(&a->memory);
}

static applying applying_start(psdvec_context *ctx, const psdvec_topics *topics)
{
    return (applying){.ctx = ctx,
                      .memory = {.ctx = ctx, .what = "the mixtures of the documents"},
                      .topics = topics};
}

psdvec_status psdvec_topics_apply(psdvec_context *ctx, const psdvec_topics *topics,
                                  const psdvec_text_options *text, const char *const *inputs,
                                  size_t input_count, psdvec_topic_mixture_fn *on_document,
                                  void *user)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, on_document);
    psdvec_status status;
    psdvec_text_options own;
    applying a = applying_start(ctx, topics);
    PV_TRY_DONE(pv_options_adopt(ctx, &pv_text_table, text ? text : &topics->text, &own));
    own.min_document_words = 1;
    PV_TRY_DONE(pv_topics_read(topics, ctx, &own, inputs, input_count, &a.documents));
    status = apply(&a, on_document, user);
done:
    applying_free(&a);
    return status;
}

psdvec_status psdvec_topics_apply_text(psdvec_context *ctx, const psdvec_topics *topics,
                                       const char *text, size_t length,
                                       psdvec_topic_mixture_fn *on_document, void *user)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED_ARRAY(ctx, text, length);
    PV_NEED(ctx, on_document);
    applying a = applying_start(ctx, topics);
    psdvec_status status = read_text(topics, ctx, text, length, &a.documents);
    if (status == PSDVEC_OK)
        status = apply(&a, on_document, user);
    applying_free(&a);
    return status;
}
