/* Reading the options of queries. */
#include "model/query.h"

#include "model/options.h"

#include <math.h>

static psdvec_status check_except(psdvec_context *ctx, const psdvec_model *m, const pv_query *query)
{
    const psdvec_query_options *o = &query->options;
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
    PV_TRY(pv_options_adopt(ctx, &pv_query_table, options, o));
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
