/* psdvec_topics_learn: reads documents, chooses the words and the number of topics, learns the
 * topics (em.h) and writes them to a file. An interrupted run is resumed: the documents are read
 * again, and the rest continues where it was. */
#include "base/arguments.h"
#include "base/file.h"
#include "corpus/options.h"
#include "model/model_read.h"
#include "topic/by_class.h"
#include "topic/options.h"
#include "topic/topic_file.h"
#include "train/train.h"
#include "util/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct learning {
    psdvec_context *ctx;
    pv_scope memory;
    psdvec_topic_options options; /* as requested */
    const psdvec_model *model;
    char *folder; /* of the output, for temporary files */
    psdvec_text_options text;
    pv_buffer strings; /* of `text` */
    pv_documents documents;
    pv_topic_space space;
    uint32_t *vocabulary; /* model's words: number in the vocabulary */
    uint32_t *chosen;     /* the inverse */
    double *base;         /* p */
    pv_partial *partial;  /* states for resuming */
    pv_topic_choice choice;
    pv_topic_em em;
    pv_topics_by_class by;
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
    bool every = l->options.base == PSDVEC_TOPIC_BASE_MODEL &&
                 l->options.vocabulary == PSDVEC_TOPIC_VOCABULARY_MODEL;
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
        if (l->options.base == PSDVEC_TOPIC_BASE_MODEL && !(l->model->unigram[i] > 0))
            continue;
        if (!every && (spread[i] < least || spread[i] == 0))
            continue;
        total += occurrences[i];
        l->base[words] = l->options.base == PSDVEC_TOPIC_BASE_MODEL ? l->model->unigram[i]
                                                                    : (double)occurrences[i];
        l->chosen[words] = i;
        l->vocabulary[i] = words++;
    }
    if (words < 2 || total == 0) {
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

/* ---- The result ------------------------------------------------------------------------------ */

/* The order of the topics: the null topic, then by descending share. */
static psdvec_status order_topics(const learning *l, pv_scope *scope, uint32_t **order,
                                  double **shares)
{
    const pv_topic_fit *fit = &l->em.fit;
    uint32_t topics = fit->topics, fixed = l->options.null_topic;
    double *mass, total = 0;
    PV_TAKE(scope, *order, topics);
    PV_TAKE(scope, *shares, topics);
    PV_TAKE_ZERO(scope, mass, topics);
    PV_TRY(pv_scope_status(scope));
    for (uint32_t w = 0; w < l->space.words; w++)
        for (uint32_t k = 0; k < topics; k++)
            mass[k] += (double)fit->counts[w * fit->stride + k];
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
    pv_options_put_json(&w, &pv_topic_table, &l->options);
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

/* The numbers of topics that were tried. */
static psdvec_status describe_trials(const pv_topic_choice *choice, pv_buffer *json)
{
    pv_json_writer w;
    if (choice->count == 0)
        return PSDVEC_OK;
    pv_json_writer_init(&w, json);
    pv_json_open_array(&w, NULL);
    for (size_t k = 0; k < choice->count; k++) {
        pv_json_open_object(&w, NULL);
        pv_json_put_u64(&w, "topics", choice->trials[k].topics);
        pv_json_put_double(&w, "bound", choice->trials[k].bound);
        pv_json_put_double(&w, "error", choice->trials[k].error);
        pv_json_close(&w);
    }
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, '\0');
}

/* Mixtures instead of gamma, with the topics in their final order. */
static void finish_mixtures(const learning *l, const uint32_t *order, float *row)
{
    uint32_t topics = l->em.fit.topics;
    for (size_t d = 0; d < l->documents.count; d++) {
        float *gamma = (float *)l->em.mixtures.data + d * topics;
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
    pv_buffer settings = {.ctx = l->ctx}, model = {.ctx = l->ctx}, trials = {.ctx = l->ctx};
    psdvec_status status;
    const pv_topic_em *em = &l->em;
    uint32_t topics = em->fit.topics, words = l->space.words, dim = l->space.dim, *order;
    uint64_t *offsets;
    char *bytes;
    uint32_t *classes;
    double *shares, *alpha;
    float *vectors, *probabilities, *row;
    size_t length = 0;
    bool sound = true;
    for (uint32_t w = 0; w < words; w++)
        length += l->model->offsets[l->chosen[w] + 1] - l->model->offsets[l->chosen[w]];
    PV_TRY_DONE(order_topics(l, &scope, &order, &shares));
    PV_TRY_DONE(describe(l, &settings, &model));
    PV_TRY_DONE(describe_trials(&l->choice, &trials));
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
        alpha[k] = em->alpha[order[k]];
        classes[k] = l->by.topic_class ? l->by.topic_class[order[k]] : PV_NO_CLASS;
        pv_topic_fit_vector(&em->fit, order[k], vectors + (size_t)k * dim);
        for (uint32_t w = 0; w < words; w++) {
            float p = em->fit.beta[w * em->fit.stride + order[k]];
            sound = sound && p >= 0 && p <= 1.001f;
            probabilities[(size_t)k * words + w] = p;
        }
    }
    if (!sound) {
        status = pv_fail(l->ctx, PSDVEC_ERR_NUMERIC,
                         "%s: not written, because a probability of a topic is not a number from 0 "
                         "to 1; if the run was resumed, start over with `restart`",
                         output);
        goto done;
    }
    finish_mixtures(l, order, row);
    pv_topics_data data = {.info = {.topics = topics,
                                    .words = words,
                                    .dim = dim,
                                    .documents = l->documents.count,
                                    .known_tokens = em->known,
                                    .iterations = em->iterations,
                                    .bound = em->history[em->iterations - 1],
                                    .null_topic = l->options.null_topic,
                                    .classes = l->by.classes.count,
                                    .settings_json = settings.data,
                                    .model_json = model.data,
                                    .trials_json = trials.data},
                           .bytes = bytes,
                           .offsets = offsets,
                           .base = l->base,
                           .vectors = vectors,
                           .probabilities = probabilities,
                           .shares = shares,
                           .alpha = alpha,
                           .mixtures = em->mixtures.data,
                           .names = l->documents.text.data,
                           .name_offsets = l->documents.names,
                           .lengths = em->lengths,
                           .details = l->documents.described ? l->documents.details.data : NULL,
                           .marks = l->documents.marks,
                           .classes = l->by.classes.count ? l->by.classes.labels.data : NULL,
                           .class_offsets = l->by.classes.offsets,
                           .topic_classes = classes,
                           .history = em->history,
                           .phrases = pv_model_phrases(l->model)};
    status = pv_topics_write(l->ctx, output, &data);
done:
    pv_scope_free(&scope);
    pv_buffer_free(&settings);
    pv_buffer_free(&model);
    pv_buffer_free(&trials);
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

/* The checksum of the documents' words and names. */
static psdvec_status hash_documents(const learning *l, uint64_t *hash)
{
    enum { PIECE = 1 << 16 };
    const pv_documents *d = &l->documents;
    char *piece = pv_alloc(l->ctx, PIECE, 1, "the checksum of the documents");
    uint64_t length = pv_spool_length(d->entries);
    psdvec_status status = piece ? PSDVEC_OK : pv_failure(l->ctx);
    *hash = XXH3_64bits(d->begin, (d->count + 1) * sizeof *d->begin);
    *hash = XXH3_64bits_withSeed(d->text.data, d->text.length, *hash);
    *hash = XXH3_64bits_withSeed(d->details.data, d->details.length, *hash);
    for (uint64_t at = 0; status == PSDVEC_OK && at < length; at += PIECE) {
        size_t some = length - at < PIECE ? (size_t)(length - at) : PIECE;
        status = pv_spool_read(d->entries, at, piece, some);
        *hash = XXH3_64bits_withSeed(piece, some, *hash);
    }
    pv_free(l->ctx, piece);
    return status;
}

/* A run is resumed if its options, documents and model are the same. */
static psdvec_status open_partial(learning *l, const char *output)
{
    pv_buffer key = {.ctx = l->ctx}, model = {.ctx = l->ctx};
    uint64_t documents;
    psdvec_status status;
    PV_TRY_DONE(describe(l, &key, &model));
    key.length--; /* without the final zero */
    PV_TRY_DONE(hash_documents(l, &documents));
    /* The vectors, because files of other programs have no checksum. */
    uint64_t vectors = XXH3_64bits(l->space.features, (size_t)l->space.words * l->space.dim *
                                                          sizeof *l->space.features);
    PV_TRY_DONE(pv_buffer_printf(
        &key, "\nseed %" PRIu64 "\nmodel %s\nvectors %016" PRIx64 "\ndocuments %016" PRIx64,
        l->ctx->options.seed, model.data, vectors, documents));
    status = pv_partial_open(l->ctx, output, key.data, l->options.restart, &l->partial);
done:
    pv_buffer_free(&key);
    pv_buffer_free(&model);
    return status;
}

static void release(learning *l)
{
    pv_topic_em_free(&l->em);
    pv_classes_free(&l->by.classes);
    pv_topic_space_free(&l->space);
    pv_documents_free(&l->documents);
    pv_buffer_free(&l->strings);
    free(l->folder);
    pv_scope_free(&l->memory);
}

static psdvec_status learn(learning *l, const psdvec_text_options *text, const char *const *inputs,
                           size_t input_count, const char *output)
{
    psdvec_topic_options options = l->options;
    PV_TRY(check_model(l));
    PV_TRY(pv_output_try(l->ctx, output));
    l->folder = pv_folder_of(output);
    if (!l->folder)
        return pv_fail(l->ctx, PSDVEC_ERR_MEMORY, "no memory for the name of a folder");
    PV_TRY(read_documents(l, text, inputs, input_count));
    PV_TRY(prepare_words(l));
    PV_TRY(open_partial(l, output));
    if (options.by == PSDVEC_TOPIC_BY_LABEL) {
        PV_TRY(pv_topics_learn_by_class(&l->by, &l->em, &options, &l->space, &l->documents,
                                        l->vocabulary, l->folder, l->partial));
        return write_topics(l, output);
    }
    if (options.topics == 0) {
        PV_TRY(pv_topics_choose(&l->choice, &options, &l->space, &l->documents, l->vocabulary,
                                l->folder, l->partial));
        options.topics = l->choice.topics;
    }
    PV_TRY(pv_topic_em_init(&l->em, &options, &l->space, &l->documents, l->vocabulary, l->folder,
                            l->partial));
    PV_TRY(pv_topic_em_run(&l->em, "learning topics"));
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
                                         .known_tokens = l.em.known,
                                         .words = l.space.words,
                                         .topics = l.em.fit.topics,
                                         .iterations = l.em.iterations,
                                         .bound = l.em.history[l.em.iterations - 1],
                                         .seconds = pv_now() - began,
                                         .merged = l.em.merged,
                                         .trials = (uint32_t)l.choice.count};
        for (size_t k = 0; k < l.documents.count; k++)
            report->empty += l.em.lengths[k] == 0;
    }
    pv_partial_close(l.partial, pv_is_settled(status));
    release(&l);
    return status;
}
