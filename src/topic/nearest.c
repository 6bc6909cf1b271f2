/* psdvec_topics_nearest: the words whose vectors are nearest to those of the topics.
 *
 * The vectors are those of the model, so it is checked that the model is the one from which the
 * topics were learnt. Time: topics x words x dim.
 */
#include "base/arguments.h"
#include "base/json.h"
#include "base/thread.h"
#include "model/model_read.h"
#include "topic/rank.h"
#include "topic/relations.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const psdvec_topics *topics;
    const float *vectors;   /* of the model: words x dim */
    const uint32_t *places; /* words of the topics: index in the model */
    const double *lengths;  /* the same: length of the vector */
    size_t most;
    pv_ranked *best; /* topics x most */
    size_t *found;   /* topics */
} search;

/* The checksum of the model that the topics file names; empty if there is none. */
static psdvec_status stored_checksum(const psdvec_topics *topics, pv_buffer *checksum)
{
    pv_buffer raw = {.ctx = checksum->ctx};
    pv_json json;
    psdvec_status status;
    PV_TRY_DONE(pv_json_member(topics->info.model_json, "xxh3", &raw));
    if (raw.length > 0) {
        pv_json_init(&json, raw.data, raw.length - 1, 0);
        if (pv_json_peek(&json) == PV_JSON_STRING)
            pv_json_read_string(&json, checksum);
    }
    status = pv_buffer_byte(checksum, '\0');
done:
    pv_buffer_free(&raw);
    return status;
}

static psdvec_status other_model(psdvec_context *ctx, const psdvec_topics *topics,
                                 const psdvec_model *model, const char *how)
{
    return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                   "%s: is not the model from which the topics of %s were learnt%s; give that "
                   "model (psdvec topics show --format json names it), or learn the topics again",
                   model->path, topics->path, how);
}

static psdvec_status check_model(psdvec_context *ctx, const psdvec_topics *topics,
                                 const psdvec_model *model)
{
    pv_buffer stored = {.ctx = ctx};
    const pv_st_file *file = pv_model_words(model)->file;
    const char *own = file ? pv_st_meta(file, "xxh3.metadata") : NULL;
    psdvec_status status;
    PV_TRY_DONE(stored_checksum(topics, &stored));
    if (stored.data[0] && (!own || strcmp(own, stored.data) != 0))
        status = other_model(ctx, topics, model, ": its checksum differs");
    else if (model->info.sparse || model->info.dim != topics->info.dim)
        status = other_model(ctx, topics, model, ": its number of dimensions differs");
    else
        status = PSDVEC_OK;
done:
    pv_buffer_free(&stored);
    return status;
}

static psdvec_status search_topic(void *arg, size_t task, int worker)
{
    search *s = arg;
    const psdvec_topics_info *info = &s->topics->info;
    const float *topic = s->topics->vectors + task * info->dim;
    double length = 0;
    (void)worker;
    for (uint32_t d = 0; d < info->dim; d++)
        length += (double)topic[d] * (double)topic[d];
    length = sqrt(length);
    s->found[task] = 0;
    for (uint32_t w = 0; length > 0 && w < info->words; w++) {
        const float *vector = s->vectors + (size_t)s->places[w] * info->dim;
        double product = 0;
        for (uint32_t d = 0; d < info->dim; d++)
            product += (double)topic[d] * (double)vector[d];
        double cosine = product / (length * s->lengths[w]);
        if (cosine > 0) /* not NaN either */
            pv_rank(s->best + task * s->most, s->most, &s->found[task], cosine, w);
    }
    return PSDVEC_OK;
}

/* The words of the topics in the model. */
static psdvec_status find_words(psdvec_context *ctx, const psdvec_topics *topics,
                                const psdvec_model *model, const float *vectors, uint32_t *places,
                                double *lengths)
{
    for (uint32_t w = 0; w < topics->info.words; w++) {
        const uint64_t *at = &topics->offsets[w];
        if (!psdvec_model_find(model, topics->bytes + at[0], (size_t)(at[1] - at[0]), &places[w]))
            return other_model(ctx, topics, model, ": it lacks words of them");
        double square = 0;
        for (uint32_t d = 0; d < topics->info.dim; d++) {
            double x = (double)vectors[(size_t)places[w] * topics->info.dim + d];
            square += x * x;
        }
        lengths[w] = sqrt(square);
    }
    return PSDVEC_OK;
}

psdvec_status pv_topics_nearest(psdvec_context *ctx, const psdvec_topics *topics,
                                const psdvec_model *model, size_t most,
                                psdvec_topic_neighbour *neighbours, size_t *found)
{
    pv_scope scope = {.ctx = ctx, .what = "the words nearest to topics"};
    psdvec_status status;
    size_t count = topics->info.topics, words = topics->info.words;
    uint32_t *places;
    double *lengths;
    search s = {.topics = topics, .most = most < words ? most : words, .found = found};
    memset(found, 0, count * sizeof *found);
    PV_TRY(check_model(ctx, topics, model));
    PV_TRY(pv_model_floats(ctx, model, &model->vectors, &s.vectors));
    PV_TAKE(&scope, places, words);
    PV_TAKE(&scope, lengths, words);
    PV_TAKE(&scope, s.best, count * s.most);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(find_words(ctx, topics, model, s.vectors, places, lengths));
    s.places = places;
    s.lengths = lengths;
    PV_TRY_DONE(pv_parallel_tasks(ctx, count, search_topic, &s));
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < found[k]; i++)
            neighbours[k * most + i] = (psdvec_topic_neighbour){
                (uint32_t)s.best[k * s.most + i].index, s.best[k * s.most + i].score};
    status = PSDVEC_OK;
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status psdvec_topics_nearest(psdvec_context *ctx, const psdvec_topics *topics,
                                    const psdvec_model *model, size_t most,
                                    psdvec_topic_neighbour *neighbours, size_t *found)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, topics);
    PV_NEED(ctx, model);
    PV_NEED_ARRAY(ctx, neighbours, most);
    PV_NEED(ctx, found);
    return pv_topics_nearest(ctx, topics, model, most, neighbours, found);
}
