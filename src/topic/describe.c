/* psdvec_topics_describe: all that the page of topics shows, as JSON.
 *
 *     {"documents": 11314, "empty": 3, "words": 18248, ..., "settings": {...}, "history": [...],
 *      "topics": [{"share": 0.05, "main": 612, "place": [0.1, -0.2],
 *                  "words": [{"word": "space", "probability": 0.03, "lift": 41}, ...],
 *                  "nearest": [{"word": "nasa", "similarity": 0.8}, ...],
 *                  "documents": [{"document": 17, "share": 0.97, "source": "...", ...}, ...],
 *                  "similar": [{"topic": 12, "distance": 0.4}, ...]}, ...],
 *      "merges": [[3, 7, 0.01], ...], "order": [0, 4, ...],
 *      "times": {"unit": "year", "periods": ["1790", ...], "shares": [[0.1, ...], ...], ...},
 *      "labels": {"names": ["space", ...], "shares": [[0.9, ...], ...], ...},
 *      "index": [["space", 0, 0.9, 3, 0.05], ...]}
 *
 * Topics and documents are numbered from 0. The size is bounded: it does not depend on the number of
 * documents, the index has at most INDEX_WORDS words, and beyond RELATED_TOPICS topics there are no
 * relations between topics, whose computation takes topics^2 x words steps.
 */
#include "base/arguments.h"
#include "base/json.h"
#include "topic/relations.h"
#include "topic/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    INDEX_WORDS = 10000,
    INDEX_TOPICS = 4, /* of a word */
    SIMILAR_TOPICS = 6,
    RELATED_TOPICS = 1000,
    BEGINNING_BYTES = 400,
    SOURCE_BYTES = 300
};
/* Topics in the index have at least this probability given the word. */
#define INDEX_SHARE 0.03

typedef struct description {
    psdvec_context *ctx;
    pv_scope memory;
    const psdvec_topics *topics;
    uint32_t count; /* topics */
    bool related;
    size_t most_words, most_documents;
    psdvec_topic_word *words;        /* most_words: of one topic */
    psdvec_topic_neighbour *nearest; /* topics x most_words; NULL without a model */
    size_t *nearest_found;           /* topics */
    uint64_t *documents;             /* topics x most_documents */
    size_t *documents_found;         /* topics */
    uint64_t *main;                  /* topics: documents of which it has the largest share */
    float *distances;                /* topics x topics */
    double *places;                  /* topics x 2 */
    psdvec_topic_merge *merges;      /* topics - 1 */
    pv_json_writer json;
} description;

/* ---- Preparing ------------------------------------------------------------------------------- */

/* Counts documents by their main topics. */
static uint64_t count_documents(description *d)
{
    const psdvec_topics *t = d->topics;
    uint64_t empty = 0;
    for (uint64_t i = 0; i < t->info.documents; i++) {
        const float *mixture = t->mixtures + i * d->count;
        uint32_t largest = 0;
        for (uint32_t k = 1; k < d->count; k++)
            largest = mixture[k] > mixture[largest] ? k : largest;
        if (t->lengths[i] > 0)
            d->main[largest]++;
        else
            empty++;
    }
    return empty;
}

static psdvec_status prepare(description *d, const psdvec_model *model)
{
    size_t count = d->count;
    PV_TAKE(&d->memory, d->words, d->most_words);
    PV_TAKE(&d->memory, d->documents, count * d->most_documents);
    PV_TAKE(&d->memory, d->documents_found, count);
    PV_TAKE_ZERO(&d->memory, d->main, count);
    if (d->related) {
        PV_TAKE(&d->memory, d->distances, count * count);
        PV_TAKE(&d->memory, d->places, 2 * count);
        PV_TAKE(&d->memory, d->merges, count - 1);
    }
    if (model) {
        PV_TAKE(&d->memory, d->nearest, count * d->most_words);
        PV_TAKE(&d->memory, d->nearest_found, count);
    }
    PV_TRY(pv_scope_status(&d->memory));
    PV_TRY(pv_topics_all_documents(d->ctx, d->topics, d->most_documents, d->documents,
                                   d->documents_found));
    if (d->related) {
        PV_TRY(pv_topics_distances(d->ctx, d->topics, d->distances));
        PV_TRY(pv_topics_map(d->ctx, d->count, d->distances, d->places));
        PV_TRY(pv_topics_tree(d->ctx, d->topics, d->merges));
    }
    return model ? pv_topics_nearest(d->ctx, d->topics, model, d->most_words, d->nearest,
                                     d->nearest_found)
                 : PSDVEC_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Text that another program may have written. */
static void put_json(description *d, const char *name, const char *json, pv_json_type type)
{
    if (json && pv_json_is(json, type))
        pv_json_put_raw(&d->json, name, json, strlen(json));
    else
        pv_json_put_null(&d->json, name);
}

static void put_word(description *d, const char *key, uint32_t word)
{
    const uint64_t *at = &d->topics->offsets[word];
    pv_json_put_string_n(&d->json, key, d->topics->bytes + at[0], (size_t)(at[1] - at[0]));
}

static void put_text(description *d, const char *key, const char *text, size_t most)
{
    if (text)
        pv_json_put_string_n(&d->json, key, text, pv_text_fit(text, most));
    else
        pv_json_put_null(&d->json, key);
}

static void put_nearest(description *d, uint32_t topic)
{
    if (!d->nearest) {
        pv_json_put_null(&d->json, "nearest");
        return;
    }
    pv_json_open_array(&d->json, "nearest");
    for (size_t i = 0; i < d->nearest_found[topic]; i++) {
        const psdvec_topic_neighbour *n = &d->nearest[topic * d->most_words + i];
        pv_json_open_object(&d->json, NULL);
        put_word(d, "word", n->word);
        pv_json_put_digits(&d->json, "similarity", n->similarity, 3);
        pv_json_close(&d->json);
    }
    pv_json_close(&d->json);
}

static void put_documents(description *d, uint32_t topic)
{
    const psdvec_topics *t = d->topics;
    pv_json_open_array(&d->json, "documents");
    for (size_t i = 0; i < d->documents_found[topic]; i++) {
        uint64_t document = d->documents[topic * d->most_documents + i];
        pv_json_open_object(&d->json, NULL);
        pv_json_put_u64(&d->json, "document", document);
        pv_json_put_digits(&d->json, "share", (double)t->mixtures[document * d->count + topic], 4);
        put_text(d, "source", psdvec_topics_source(t, document), SOURCE_BYTES);
        put_text(d, "label", psdvec_topics_label(t, document), SOURCE_BYTES);
        put_text(d, "date", psdvec_topics_date(t, document), SOURCE_BYTES);
        put_text(d, "name", psdvec_topics_name(t, document), SOURCE_BYTES);
        put_text(d, "beginning", psdvec_topics_beginning(t, document), BEGINNING_BYTES);
        pv_json_close(&d->json);
    }
    pv_json_close(&d->json);
}

/* The topics at the smallest distances. */
static void put_similar(description *d, uint32_t topic)
{
    const float *row = d->distances + (size_t)topic * d->count;
    uint32_t list[SIMILAR_TOPICS];
    size_t found = 0;
    for (uint32_t k = 0; k < d->count; k++) {
        size_t at = found;
        if (k == topic || (found == SIMILAR_TOPICS && !(row[k] < row[list[found - 1]])))
            continue;
        if (found < SIMILAR_TOPICS)
            found++;
        else
            at--;
        for (; at > 0 && row[k] < row[list[at - 1]]; at--)
            list[at] = list[at - 1];
        list[at] = k;
    }
    pv_json_open_array(&d->json, "similar");
    for (size_t i = 0; i < found; i++) {
        pv_json_open_object(&d->json, NULL);
        pv_json_put_u64(&d->json, "topic", list[i]);
        pv_json_put_digits(&d->json, "distance", (double)row[list[i]], 3);
        pv_json_close(&d->json);
    }
    pv_json_close(&d->json);
}

static psdvec_status put_topic(description *d, uint32_t topic)
{
    pv_json_writer *json = &d->json;
    size_t found;
    PV_TRY(pv_topics_words(d->ctx, d->topics, topic, d->most_words, d->words, &found));
    pv_json_open_object(json, NULL);
    pv_json_put_digits(json, "share", d->topics->shares[topic], 4);
    pv_json_put_u64(json, "main", d->main[topic]);
    pv_json_open_array(json, "words");
    for (size_t i = 0; i < found; i++) {
        pv_json_open_object(json, NULL);
        put_word(d, "word", d->words[i].word);
        pv_json_put_digits(json, "probability", d->words[i].probability, 4);
        pv_json_put_digits(json, "lift", d->words[i].lift, 4);
        pv_json_close(json);
    }
    pv_json_close(json);
    put_nearest(d, topic);
    put_documents(d, topic);
    if (d->related) {
        put_similar(d, topic);
        pv_json_open_array(json, "place");
        pv_json_put_digits(json, NULL, d->places[2 * topic], 4);
        pv_json_put_digits(json, NULL, d->places[2 * topic + 1], 4);
        pv_json_close(json);
    }
    pv_json_close(json);
    return PSDVEC_OK;
}

/* The topics below a cluster, those of its first part first. */
static void put_leaves(description *d, uint32_t cluster, uint32_t *stack)
{
    size_t depth = 0;
    stack[depth++] = cluster;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        if (at < d->count) {
            pv_json_put_u64(&d->json, NULL, at);
            continue;
        }
        const psdvec_topic_merge *merge = &d->merges[at - d->count];
        stack[depth++] = merge->second;
        stack[depth++] = merge->first;
    }
}

static psdvec_status put_tree(description *d)
{
    uint32_t *stack;
    if (!d->related)
        return PSDVEC_OK;
    PV_TAKE(&d->memory, stack, 2 * (size_t)d->count);
    PV_TRY(pv_scope_status(&d->memory));
    pv_json_open_array(&d->json, "merges");
    for (uint32_t k = 0; k + 1 < d->count; k++) {
        pv_json_open_array(&d->json, NULL);
        pv_json_put_u64(&d->json, NULL, d->merges[k].first);
        pv_json_put_u64(&d->json, NULL, d->merges[k].second);
        pv_json_put_digits(&d->json, NULL, d->merges[k].height, 4);
        pv_json_close(&d->json);
    }
    pv_json_close(&d->json);
    pv_json_open_array(&d->json, "order");
    put_leaves(d, 2 * d->count - 2, stack);
    pv_json_close(&d->json);
    return PSDVEC_OK;
}

static int descending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a > b ? -1 : a < b;
}

/* The smallest frequency of words in the index. */
static psdvec_status index_limit(description *d, double *limit)
{
    size_t words = d->topics->info.words;
    double *sorted;
    *limit = 0;
    if (words <= INDEX_WORDS)
        return PSDVEC_OK;
    PV_TAKE(&d->memory, sorted, words);
    PV_TRY(pv_scope_status(&d->memory));
    memcpy(sorted, d->topics->base, words * sizeof *sorted);
    qsort(sorted, words, sizeof *sorted, descending);
    *limit = sorted[INDEX_WORDS - 1];
    return PSDVEC_OK;
}

/* P(topic | word) of the topics with the largest. */
static void put_topics_of_word(description *d, uint32_t word, double *joint)
{
    const psdvec_topics *t = d->topics;
    double sum = 0;
    for (uint32_t k = 0; k < d->count; k++)
        sum += joint[k] = t->shares[k] * (double)t->probabilities[(size_t)k * t->info.words + word];
    pv_json_open_array(&d->json, NULL);
    put_word(d, NULL, word);
    for (int i = 0; i < INDEX_TOPICS; i++) {
        uint32_t largest = 0;
        for (uint32_t k = 1; k < d->count; k++)
            largest = joint[k] > joint[largest] ? k : largest;
        if (!(joint[largest] > INDEX_SHARE * sum))
            break;
        pv_json_put_u64(&d->json, NULL, largest);
        pv_json_put_digits(&d->json, NULL, joint[largest] / sum, 2);
        joint[largest] = 0;
    }
    pv_json_close(&d->json);
}

static psdvec_status put_index(description *d)
{
    double limit, *joint;
    size_t written = 0;
    PV_TRY(index_limit(d, &limit));
    PV_TAKE(&d->memory, joint, d->count);
    PV_TRY(pv_scope_status(&d->memory));
    pv_json_open_array(&d->json, "index");
    for (uint32_t w = 0; w < d->topics->info.words && written < INDEX_WORDS; w++)
        if (d->topics->base[w] >= limit) {
            put_topics_of_word(d, w, joint);
            written++;
        }
    pv_json_close(&d->json);
    return PSDVEC_OK;
}

static psdvec_status describe(description *d, const psdvec_model *model)
{
    const psdvec_topics *t = d->topics;
    PV_TRY(prepare(d, model));
    pv_json_open_object(&d->json, NULL);
    const char *slash = strrchr(t->path, '/');
    pv_json_put_string(&d->json, "file", slash ? slash + 1 : t->path);
    pv_json_put_u64(&d->json, "documents", t->info.documents);
    pv_json_put_u64(&d->json, "empty", count_documents(d));
    pv_json_put_u64(&d->json, "words", t->info.words);
    pv_json_put_u64(&d->json, "known_tokens", t->info.known_tokens);
    pv_json_put_u64(&d->json, "dim", t->info.dim);
    pv_json_put_u64(&d->json, "iterations", t->info.iterations);
    pv_json_put_double(&d->json, "bound", t->info.bound);
    pv_json_put_bool(&d->json, "null_topic", t->info.null_topic);
    put_json(d, "settings", t->info.settings_json, PV_JSON_OBJECT);
    put_json(d, "model", t->info.model_json, PV_JSON_OBJECT);
    put_json(d, "trials", t->info.trials_json, PV_JSON_ARRAY);
    put_json(d, "history", pv_st_meta(t->file, "history"), PV_JSON_ARRAY);
    pv_json_open_array(&d->json, "topics");
    for (uint32_t k = 0; k < d->count; k++)
        PV_TRY(put_topic(d, k));
    pv_json_close(&d->json);
    PV_TRY(put_tree(d));
    PV_TRY(pv_topics_put_times(d->ctx, t, psdvec_topics_date, &d->json));
    PV_TRY(pv_topics_put_labels(d->ctx, t, psdvec_topics_label, &d->json));
    PV_TRY(put_index(d));
    pv_json_close(&d->json);
    return pv_json_writer_status(&d->json);
}

psdvec_status psdvec_topics_describe(psdvec_context *ctx, const psdvec_topics *topics,
                                     const psdvec_model *model, uint32_t words, uint32_t documents,
                                     psdvec_topics_json_fn *on_json, void *user)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED(ctx, on_json);
    pv_buffer text = {.ctx = ctx};
    description d = {.ctx = ctx,
                     .memory = {.ctx = ctx, .what = "the description of the topics"},
                     .topics = topics,
                     .count = topics->info.topics,
                     .related = topics->info.topics <= RELATED_TOPICS,
                     .most_words = words,
                     .most_documents = documents};
    if (words > 1000 || documents > 1000)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "`words` is %u and `documents` is %u; give at most 1000", (unsigned)words,
                       (unsigned)documents);
    pv_json_writer_init(&d.json, &text);
    psdvec_status status = describe(&d, model);
    if (status == PSDVEC_OK)
        on_json(user, text.data, text.length);
    pv_buffer_free(&text);
    pv_scope_free(&d.memory);
    return status;
}
