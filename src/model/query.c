/* Reading the options of queries. */
#include "model/query.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The struct as it was first published: no host has a shorter one. */
#define FIRST_SIZE                                                                                 \
    (offsetof(psdvec_query_options, except_begin) + sizeof((psdvec_query_options *)0)->except_begin)

void psdvec_query_options_init(psdvec_query_options *options, size_t size)
{
    const psdvec_query_options defaults = {.size = size, .min_score = -INFINITY};
    if (!options)
        return;
    memset(options, 0, size); /* a newer host has fields that are not known here */
    memcpy(options, &defaults, size < sizeof defaults ? size : sizeof defaults);
}

static psdvec_status check_except(psdvec_context *ctx, const psdvec_model *m, const pv_query *query)
{
    const psdvec_query_options *o = &query->options;
    if (o->except_count > 0 && !o->except)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "`except` is NULL, but `except_count` is %zu; give the list, or 0",
                       o->except_count);
    for (size_t k = 0; k < o->except_count; k++)
        if (o->except[k] >= m->info.words)
            return pv_fail(ctx, PSDVEC_ERR_OPTION,
                           "`except[%zu]` is %u, but the model has %u words", k, o->except[k],
                           m->info.words);
    if (!o->except_begin)
        return PSDVEC_OK;
    for (size_t q = 0; q < query->count; q++)
        if (o->except_begin[q] > o->except_begin[q + 1] || o->except_begin[q + 1] > o->except_count)
            return pv_fail(ctx, PSDVEC_ERR_OPTION,
                           "`except_begin[%zu]` is %zu and the next is %zu; they must not fall, "
                           "nor exceed `except_count`, which is %zu",
                           q, o->except_begin[q], o->except_begin[q + 1], o->except_count);
    return PSDVEC_OK;
}

psdvec_status pv_query_take(psdvec_context *ctx, const psdvec_model *m,
                            const psdvec_query_options *options, size_t count, pv_query *query)
{
    *query = (pv_query){.count = count};
    psdvec_query_options *o = &query->options;
    psdvec_query_options_default(o);
    if (options) {
        if (options->size < FIRST_SIZE)
            return pv_fail(ctx, PSDVEC_ERR_OPTION,
                           "the `size` of the query options is %zu; fill them in with "
                           "psdvec_query_options_default first",
                           options->size);
        memcpy(o, options, options->size < sizeof *o ? options->size : sizeof *o);
    }
    if (isnan(o->min_score))
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "`min_score` is not a number; -INFINITY leaves out no word");
    uint32_t words = m->info.words;
    query->words = o->restrict_words > 0 && o->restrict_words < words ? o->restrict_words : words;
    return check_except(ctx, m, query);
}

const uint32_t *pv_query_except(const pv_query *query, size_t q, size_t *count)
{
    const psdvec_query_options *o = &query->options;
    size_t begin = o->except_begin ? o->except_begin[q] : 0;
    *count = o->except_begin ? o->except_begin[q + 1] - begin : o->except_count;
    return *count ? o->except + begin : NULL;
}

psdvec_status pv_query_check_vector(psdvec_context *ctx, const float *vector, uint32_t dim,
                                    size_t q)
{
    for (uint32_t k = 0; k < dim; k++)
        if (!isfinite(vector[k]))
            return pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                           "number %u of vector %zu of the question is not finite", k + 1, q + 1);
    return PSDVEC_OK;
}
