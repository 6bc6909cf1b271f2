/* Reading and writing topics files, and the calls that only look at them. */
#include "topic/topic_file.h"

#include "base/arguments.h"
#include "base/json.h"
#include "base/options.h"
#include "corpus/options.h"
#include "sparse/csr.h"
#include "topic/classes.h"
#include "topic/rank.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weight of the probability in the score of a describing word; the rest is for the lift. Sievert and
 * Shirley (2014) call it relevance. */
#define RELEVANCE 0.25
/* For this score, words count as if they occurred more often in the documents: by this number, but
 * at most by this relative frequency. The lift of rare words is uncertain. */
#define RARE_COUNT 40
#define RARE_FREQUENCY 1e-4
/* Words that are rarer in a topic than elsewhere do not describe it. In the null topic all words have
 * a lift of 1, but for rounding. */
#define LEAST_LIFT 0.999

/* ---- Writing --------------------------------------------------------------------------------- */

static psdvec_status write_history(pv_buffer *json, const pv_topics_data *data)
{
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_array(&w, NULL);
    for (uint32_t k = 0; k < data->info.iterations; k++)
        pv_json_put_double(&w, NULL, data->history[k]);
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, '\0');
}

/* The members of psdvec_topics_info that are stored as text. */
typedef struct results {
    uint64_t known_tokens;
    uint32_t iterations, null_topic;
    double bound;
} results;

static const pv_json_field result_fields[] = {PV_JSON_FIELD(results, known_tokens),
                                              PV_JSON_FIELD(results, iterations),
                                              PV_JSON_FIELD(results, bound),
                                              PV_JSON_FIELD(results, null_topic),
                                              {0}};

static psdvec_status write_results(pv_buffer *json, const psdvec_topics_info *info)
{
    pv_json_writer w;
    results r = {info->known_tokens, info->iterations, info->null_topic, info->bound};
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    pv_json_put_fields(&w, result_fields, &r, false);
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, '\0');
}

psdvec_status pv_topics_write(psdvec_context *ctx, const char *path, const pv_topics_data *data)
{
    const psdvec_topics_info *info = &data->info;
    pv_buffer history = {.ctx = ctx}, found = {.ctx = ctx};
    psdvec_status status;
    char version[16];
    snprintf(version, sizeof version, "%d", PV_TOPICS_VERSION);
    PV_TRY_DONE(write_history(&history, data));
    PV_TRY_DONE(write_results(&found, info));
    const pv_st_pair meta[] = {{"format", PV_TOPICS_FORMAT},
                               {"version", version},
                               {"written_by", "psdvec " PSDVEC_VERSION},
                               {"settings", info->settings_json},
                               {"model", info->model_json},
                               {"history", history.data},
                               {"results", found.data},
                               {"trials", info->trials_json}};
    uint64_t topics = info->topics, words = info->words, documents = info->documents;
    const pv_tensor tensors[] = {
        pv_tensor_of("words", PV_DTYPE_U8, data->offsets[words], 0, data->bytes),
        pv_tensor_of("offsets", PV_DTYPE_U64, words + 1, 0, data->offsets),
        pv_tensor_of("base", PV_DTYPE_F64, words, 0, data->base),
        pv_tensor_of("vectors", PV_DTYPE_F32, topics, info->dim, data->vectors),
        pv_tensor_of("probabilities", PV_DTYPE_F32, topics, words, data->probabilities),
        pv_tensor_of("shares", PV_DTYPE_F64, topics, 0, data->shares),
        pv_tensor_of("alpha", PV_DTYPE_F64, topics, 0, data->alpha),
        pv_tensor_of("mixtures", PV_DTYPE_F32, documents, topics, data->mixtures),
        pv_tensor_of("names", PV_DTYPE_U8, data->name_offsets[2 * documents], 0, data->names),
        pv_tensor_of("names.offsets", PV_DTYPE_U64, 2 * documents + 1, 0, data->name_offsets),
        pv_tensor_of("lengths", PV_DTYPE_U64, documents, 0, data->lengths),
        pv_tensor_of(data->phrases.length ? PV_PHRASES_TENSOR : NULL, PV_DTYPE_U8,
                     data->phrases.length, 0, data->phrases.lines),
        pv_tensor_of(data->details ? "details" : NULL, PV_DTYPE_U8,
                     data->details ? data->marks[PV_DETAILS * documents] : 0, 0, data->details),
        pv_tensor_of(data->details ? "details.offsets" : NULL, PV_DTYPE_U64,
                     PV_DETAILS * documents + 1, 0, data->marks),
        pv_tensor_of(data->classes ? "classes" : NULL, PV_DTYPE_U8,
                     data->classes ? data->class_offsets[info->classes] : 0, 0, data->classes),
        pv_tensor_of(data->classes ? "classes.offsets" : NULL, PV_DTYPE_U64,
                     (uint64_t)info->classes + 1, 0, data->class_offsets),
        pv_tensor_of(data->classes ? "topics.classes" : NULL, PV_DTYPE_U32, topics, 0,
                     data->topic_classes)};
    status = pv_st_file_write(ctx, path, tensors, sizeof tensors / sizeof *tensors, meta,
                              sizeof meta / sizeof *meta - (info->trials_json ? 0 : 1), true);
done:
    pv_buffer_free(&history);
    pv_buffer_free(&found);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static psdvec_status damaged(const psdvec_topics *t, const char *cause)
{
    return pv_fail(t->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the topics file is damaged: %s; create the file again", t->path, cause);
}

static psdvec_status check_format(const psdvec_topics *t)
{
    const char *format = pv_st_meta(t->file, "format"), *text = pv_st_meta(t->file, "version");
    if (!format || strcmp(format, PV_TOPICS_FORMAT) != 0)
        return pv_fail(t->ctx, PSDVEC_ERR_FORMAT,
                       "%s: is not a topics file%s%s%s; psdvec topics learn makes one", t->path,
                       format ? " (its format is \"" : "", format ? pv_st_show(format).text : "",
                       format ? "\")" : "");
    uint64_t version = text ? strtoull(text, NULL, 10) : 0;
    if (version < 1)
        return damaged(t, "its version is not a number");
    if (version > PV_TOPICS_VERSION)
        return pv_fail(t->ctx, PSDVEC_ERR_VERSION,
                       "%s: was written in version %" PRIu64
                       " of the topics format, but this program supports version %d; use a newer "
                       "psdvec",
                       t->path, version, PV_TOPICS_VERSION);
    return PSDVEC_OK;
}

static psdvec_status read_results(psdvec_topics *t)
{
    const char *text = pv_st_meta(t->file, "results");
    results r = {0};
    pv_json json;
    if (!text)
        return damaged(t, "it has no results");
    pv_json_init(&json, text, strlen(text), 0);
    if (!pv_json_read_record(&json, result_fields, &r) || !pv_json_finish(&json))
        return damaged(t, "its results are not valid JSON");
    t->info.known_tokens = r.known_tokens;
    t->info.iterations = r.iterations;
    t->info.bound = r.bound;
    t->info.null_topic = r.null_topic;
    return PSDVEC_OK;
}

/* True if each of the strings ends with a zero byte. */
static bool strings_end(const char *bytes, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++)
        if (offsets[k + 1] == offsets[k] || bytes[offsets[k + 1] - 1] != '\0')
            return false;
    return true;
}

static psdvec_status read_tensors(psdvec_topics *t)
{
    psdvec_context *ctx = t->ctx;
    psdvec_topics_info *info = &t->info;
    const pv_tensor *x;
    PV_TRY(pv_st_require(ctx, t->file, "probabilities", PV_DTYPE_F32, 2, (int64_t[]){-1, -1}, &x));
    if (x->shape[0] < 1 || x->shape[1] < 1 || x->shape[0] > 10000 ||
        x->shape[1] >= PSDVEC_UNKNOWN_WORD)
        return damaged(t, "its numbers of topics and words are impossible");
    info->topics = (uint32_t)x->shape[0];
    info->words = (uint32_t)x->shape[1];
    t->probabilities = x->data;
    int64_t topics = info->topics, words = info->words;
    PV_TRY(pv_st_require(ctx, t->file, "vectors", PV_DTYPE_F32, 2, (int64_t[]){topics, -1}, &x));
    info->dim = (uint32_t)x->shape[1];
    t->vectors = x->data;
    PV_TRY(pv_st_require(ctx, t->file, "mixtures", PV_DTYPE_F32, 2, (int64_t[]){-1, topics}, &x));
    info->documents = x->shape[0];
    t->mixtures = x->data;
    if (info->documents > INT64_MAX / 4)
        return damaged(t, "its number of documents is impossible");
    int64_t documents = (int64_t)info->documents;
    const struct {
        const char *name;
        pv_dtype dtype;
        int64_t length;
        const void **to;
    } rows[] = {{"offsets", PV_DTYPE_U64, words + 1, (const void **)&t->offsets},
                {"base", PV_DTYPE_F64, words, (const void **)&t->base},
                {"shares", PV_DTYPE_F64, topics, (const void **)&t->shares},
                {"alpha", PV_DTYPE_F64, topics, (const void **)&t->alpha},
                {"names.offsets", PV_DTYPE_U64, 2 * documents + 1, (const void **)&t->name_offsets},
                {"lengths", PV_DTYPE_U64, documents, (const void **)&t->lengths}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        PV_TRY(pv_st_require(ctx, t->file, rows[k].name, rows[k].dtype, 1, &rows[k].length, &x));
        *rows[k].to = x->data;
    }
    PV_TRY(pv_st_require(ctx, t->file, "words", PV_DTYPE_U8, 1, (int64_t[]){-1}, &x));
    t->bytes = x->data;
    if (!pv_offsets_ascend(t->offsets, info->words, x->bytes, 0))
        return damaged(t, "the offsets of the words are not in ascending order");
    PV_TRY(pv_st_require(ctx, t->file, "names", PV_DTYPE_U8, 1, (int64_t[]){-1}, &x));
    t->names = x->data;
    if (!pv_offsets_ascend(t->name_offsets, 2 * info->documents, x->bytes, 0))
        return damaged(t, "the offsets of the names are not in ascending order");
    return strings_end(t->names, t->name_offsets, 2 * info->documents)
               ? PSDVEC_OK
               : damaged(t, "the name of a document has no end");
}

/* Labels, dates and names of the documents. */
static psdvec_status read_details(psdvec_topics *t)
{
    psdvec_topics_info *info = &t->info;
    uint64_t count = PV_DETAILS * info->documents,
             *sums[] = {&info->labelled, &info->dated, &info->named};
    const pv_tensor *x;
    if (!pv_st_tensor(t->file, "details"))
        return PSDVEC_OK;
    PV_TRY(pv_st_require(t->ctx, t->file, "details.offsets", PV_DTYPE_U64, 1,
                         (int64_t[]){(int64_t)count + 1}, &x));
    t->marks = x->data;
    PV_TRY(pv_st_require(t->ctx, t->file, "details", PV_DTYPE_U8, 1, (int64_t[]){-1}, &x));
    if (!pv_offsets_ascend(t->marks, count, x->bytes, 0))
        return damaged(t, "the offsets of the labels are not in ascending order");
    if (!strings_end(x->data, t->marks, count))
        return damaged(t, "the label of a document has no end");
    t->details = x->data;
    for (uint64_t k = 0; k < count; k++)
        *sums[k % PV_DETAILS] += t->details[t->marks[k]] != '\0';
    return PSDVEC_OK;
}

/* Classes of documents for which topics were learnt. */
static psdvec_status read_classes(psdvec_topics *t)
{
    const pv_tensor *x;
    if (!pv_st_tensor(t->file, "classes"))
        return PSDVEC_OK;
    PV_TRY(pv_st_require(t->ctx, t->file, "classes.offsets", PV_DTYPE_U64, 1, (int64_t[]){-1}, &x));
    if (x->shape[0] < 2 || x->shape[0] >= PV_NO_CLASS)
        return damaged(t, "its number of classes is impossible");
    t->class_offsets = x->data;
    uint32_t count = (uint32_t)(x->shape[0] - 1);
    PV_TRY(pv_st_require(t->ctx, t->file, "topics.classes", PV_DTYPE_U32, 1,
                         (int64_t[]){t->info.topics}, &x));
    t->topic_classes = x->data;
    PV_TRY(pv_st_require(t->ctx, t->file, "classes", PV_DTYPE_U8, 1, (int64_t[]){-1}, &x));
    if (!pv_offsets_ascend(t->class_offsets, count, x->bytes, 0) ||
        !strings_end(x->data, t->class_offsets, count))
        return damaged(t, "the label of a class has no end");
    for (uint32_t k = 0; k < t->info.topics; k++)
        if (t->topic_classes[k] >= count && t->topic_classes[k] != PV_NO_CLASS)
            return damaged(t, "the class of a topic does not exist");
    t->classes = x->data;
    t->info.classes = count;
    return PSDVEC_OK;
}

/* How the documents were tokenised. */
static psdvec_status read_text(psdvec_topics *t)
{
    psdvec_status status;
    uint64_t count = 0;
    pv_buffer json = {.ctx = t->ctx};
    const pv_tensor *x = pv_st_tensor(t->file, PV_PHRASES_TENSOR);
    pv_buffer_init(&t->strings, t->ctx);
    PV_TRY_DONE(pv_json_member(t->info.settings_json, "text", &json));
    if (json.length == 0) {
        status = damaged(t, "it does not tell how the documents were tokenised");
        goto done;
    }
    PV_TRY_DONE(pv_options_read_json(t->ctx, &pv_text_table, t->path, "the text", json.data, NULL,
                                     &t->text, &t->strings));
    if (x && (x->dtype != PV_DTYPE_U8 ||
              !pv_phrase_list_check((pv_phrase_list){x->data, x->bytes}, &count)))
        status = damaged(t, "the list of phrases is not as it was written");
    else if (count > 0)
        status = pv_phrases_make(&t->phrases, t->ctx, x->data, x->bytes);
done:
    pv_buffer_free(&json);
    return status;
}

/* Numbers that inference relies on. */
static psdvec_status check_numbers(const psdvec_topics *t)
{
    size_t all = (size_t)t->info.topics * t->info.words;
    for (uint32_t k = 0; k < t->info.topics; k++)
        if (!(t->alpha[k] >= 1e-6 && t->alpha[k] <= 1e6))
            return damaged(t, "a prior of the mixtures is not a number from 1e-6 to 1e6");
    for (uint32_t w = 0; w < t->info.words; w++)
        if (!(t->base[w] > 0 && t->base[w] <= 1))
            return damaged(t, "the frequency of a word is not a number from 0 to 1");
    for (size_t i = 0; i < all; i++)
        if (!(t->probabilities[i] >= 0 && t->probabilities[i] <= 1.001f))
            return damaged(t, "a probability is not a number from 0 to 1");
    return PSDVEC_OK;
}

static psdvec_status open_file(psdvec_topics *t, const char *path)
{
    psdvec_topics_info *info = &t->info;
    t->path = strdup(path);
    if (!t->path)
        return pv_fail(t->ctx, PSDVEC_ERR_MEMORY, "no memory for the name of %s", path);
    PV_TRY(pv_st_open(t->ctx, path, &t->file));
    PV_TRY(check_format(t));
    PV_TRY(read_tensors(t));
    PV_TRY(read_details(t));
    PV_TRY(read_classes(t));
    PV_TRY(read_results(t));
    PV_TRY(check_numbers(t));
    info->file_bytes = pv_st_bytes(t->file);
    info->settings_json = pv_st_meta(t->file, "settings");
    info->model_json = pv_st_meta(t->file, "model");
    info->trials_json = pv_st_meta(t->file, "trials");
    PV_TRY(read_text(t));
    PV_TRY(pv_word_index_init(&t->index, t->ctx, info->words, t->bytes, t->offsets,
                              "the words of the topics"));
    return pv_word_index_fill(&t->index, t->ctx, info->words, path, "the topics file is");
}

psdvec_status psdvec_topics_open(psdvec_context *ctx, const char *path, psdvec_topics **topics)
{
    PV_CLEAR(topics);
    PV_BEGIN(ctx);
    PV_NEED(ctx, path);
    PV_NEED(ctx, topics);
    psdvec_topics *t = pv_alloc_zero(ctx, 1, sizeof *t, "a topics file");
    if (!t)
        return pv_failure(ctx);
    t->ctx = pv_context_hold(ctx);
    psdvec_status status = open_file(t, path);
    if (status == PSDVEC_OK)
        *topics = t;
    else
        psdvec_topics_close(t);
    return status;
}

void psdvec_topics_close(psdvec_topics *topics)
{
    if (!topics)
        return;
    psdvec_context *ctx = topics->ctx;
    pv_word_index_free(&topics->index);
    pv_phrases_free(&topics->phrases);
    pv_buffer_free(&topics->strings);
    pv_st_close(topics->file);
    free(topics->path);
    pv_free(ctx, topics);
    pv_context_release(ctx);
}

psdvec_status psdvec_topics_verify(psdvec_context *ctx, const psdvec_topics *topics)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    return pv_st_verify(ctx, topics->file);
}

/* ---- Getters --------------------------------------------------------------------------------- */

const psdvec_topics_info *psdvec_topics_get_info(const psdvec_topics *topics)
{
    return topics ? &topics->info : NULL;
}

const char *psdvec_topics_word(const psdvec_topics *topics, uint32_t i, size_t *length)
{
    bool there = topics && i < topics->info.words;
    if (length)
        *length = there ? (size_t)(topics->offsets[i + 1] - topics->offsets[i]) : 0;
    return there ? topics->bytes + topics->offsets[i] : NULL;
}

const psdvec_text_options *psdvec_topics_text_options(const psdvec_topics *topics)
{
    return topics ? &topics->text : NULL;
}

static bool has_topic(const psdvec_topics *topics, uint32_t topic)
{
    return topics && topic < topics->info.topics;
}

const float *psdvec_topics_vector(const psdvec_topics *topics, uint32_t topic)
{
    return has_topic(topics, topic) ? topics->vectors + (size_t)topic * topics->info.dim : NULL;
}

double psdvec_topics_share(const psdvec_topics *topics, uint32_t topic)
{
    return has_topic(topics, topic) ? topics->shares[topic] : NAN;
}

const char *psdvec_topics_class(const psdvec_topics *topics, uint32_t topic)
{
    bool there = has_topic(topics, topic) && topics->classes &&
                 topics->topic_classes[topic] != PV_NO_CLASS;
    return there ? topics->classes + topics->class_offsets[topics->topic_classes[topic]] : NULL;
}

double psdvec_topics_probability(const psdvec_topics *topics, uint32_t topic, uint32_t word)
{
    return has_topic(topics, topic) && word < topics->info.words
               ? (double)topics->probabilities[(size_t)topic * topics->info.words + word]
               : NAN;
}

const float *psdvec_topics_probabilities(const psdvec_topics *topics, uint32_t topic)
{
    return has_topic(topics, topic) ? topics->probabilities + (size_t)topic * topics->info.words
                                    : NULL;
}

const float *psdvec_topics_mixture(const psdvec_topics *topics, uint64_t document)
{
    return topics && document < topics->info.documents
               ? topics->mixtures + document * topics->info.topics
               : NULL;
}

static const char *name_of(const psdvec_topics *topics, uint64_t document, uint64_t which)
{
    return topics && document < topics->info.documents
               ? topics->names + topics->name_offsets[2 * document + which]
               : NULL;
}

const char *psdvec_topics_source(const psdvec_topics *topics, uint64_t document)
{
    return name_of(topics, document, 0);
}

const char *psdvec_topics_beginning(const psdvec_topics *topics, uint64_t document)
{
    return name_of(topics, document, 1);
}

static const char *detail_of(const psdvec_topics *topics, uint64_t document, pv_column which)
{
    if (!topics || !topics->details || document >= topics->info.documents)
        return NULL;
    const char *text = topics->details + topics->marks[PV_DETAILS * document + which];
    return *text ? text : NULL;
}

const char *psdvec_topics_label(const psdvec_topics *topics, uint64_t document)
{
    return detail_of(topics, document, PV_COLUMN_LABEL);
}

const char *psdvec_topics_date(const psdvec_topics *topics, uint64_t document)
{
    return detail_of(topics, document, PV_COLUMN_DATE);
}

const char *psdvec_topics_name(const psdvec_topics *topics, uint64_t document)
{
    return detail_of(topics, document, PV_COLUMN_NAME);
}

/* ---- The best words and documents ------------------------------------------------------------ */

psdvec_status pv_topics_best_words(psdvec_context *ctx, const psdvec_topics *topics, const float *p,
                                   size_t most, psdvec_topic_word *words, size_t *found)
{
    most = most < topics->info.words ? most : topics->info.words;
    pv_ranked *best = pv_alloc(ctx, most, sizeof *best, "the words of a topic");
    double rare = fmin(RARE_COUNT / (double)topics->info.known_tokens, RARE_FREQUENCY);
    *found = 0;
    if (!best)
        return pv_failure(ctx);
    for (uint32_t w = 0; w < topics->info.words; w++)
        if ((double)p[w] > LEAST_LIFT * topics->base[w])
            pv_rank(best, most, found,
                    log((double)p[w]) - (1 - RELEVANCE) * log(topics->base[w] + rare), w);
    for (size_t k = 0; k < *found; k++) {
        uint32_t w = (uint32_t)best[k].index;
        words[k] = (psdvec_topic_word){w, (double)p[w], (double)p[w] / topics->base[w]};
    }
    pv_free(ctx, best);
    return PSDVEC_OK;
}

psdvec_status pv_topics_words(psdvec_context *ctx, const psdvec_topics *topics, uint32_t topic,
                              size_t most, psdvec_topic_word *words, size_t *found)
{
    return pv_topics_best_words(ctx, topics,
                                topics->probabilities + (size_t)topic * topics->info.words, most,
                                words, found);
}

psdvec_status psdvec_topics_words(psdvec_context *ctx, const psdvec_topics *topics, uint32_t topic,
                                  size_t most, psdvec_topic_word *words, size_t *found)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED_INDEX(ctx, topic, topics->info.topics);
    PV_NEED_ARRAY(ctx, words, most);
    PV_NEED(ctx, found);
    return pv_topics_words(ctx, topics, topic, most, words, found);
}

psdvec_status pv_topics_all_documents(psdvec_context *ctx, const psdvec_topics *topics, size_t most,
                                      uint64_t *documents, size_t *found)
{
    uint32_t count = topics->info.topics;
    pv_scope scope = {.ctx = ctx, .what = "the documents of the topics"};
    psdvec_status status;
    pv_ranked *best;
    PV_TAKE(&scope, best, count * most);
    PV_TRY_DONE(pv_scope_status(&scope));
    memset(found, 0, count * sizeof *found);
    for (uint64_t d = 0; d < topics->info.documents; d++)
        for (uint32_t k = 0; topics->lengths[d] > 0 && k < count; k++)
            pv_rank(best + k * most, most, &found[k], (double)topics->mixtures[d * count + k], d);
    for (uint32_t k = 0; k < count; k++)
        for (size_t i = 0; i < found[k]; i++)
            documents[k * most + i] = best[k * most + i].index;
    status = PSDVEC_OK;
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status psdvec_topics_documents(psdvec_context *ctx, const psdvec_topics *topics,
                                      uint32_t topic, size_t most, uint64_t *documents,
                                      size_t *found)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED_INDEX(ctx, topic, topics->info.topics);
    PV_NEED_ARRAY(ctx, documents, most);
    PV_NEED(ctx, found);
    most = most < topics->info.documents ? most : (size_t)topics->info.documents;
    pv_ranked *best = pv_alloc(ctx, most, sizeof *best, "the documents of a topic");
    *found = 0;
    if (!best)
        return pv_failure(ctx);
    for (uint64_t d = 0; d < topics->info.documents; d++)
        if (topics->lengths[d] > 0)
            pv_rank(best, most, found, (double)topics->mixtures[d * topics->info.topics + topic],
                    d);
    for (size_t k = 0; k < *found; k++)
        documents[k] = best[k].index;
    pv_free(ctx, best);
    return PSDVEC_OK;
}
