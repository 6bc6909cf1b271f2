/* Nearest neighbours by cosine, of one vector or of many. */
#include "model/search.h"

#include "base/arguments.h"
#include "model/search_many.h"

static double cosine_itself(const double *cosines)
{
    return cosines[0];
}

static psdvec_status search_one(psdvec_context *ctx, const psdvec_model *model, const float *vector,
                                const pv_query *query, size_t q, size_t most,
                                psdvec_neighbour *neighbours, size_t *found)
{
    const pv_search search = {
        .vectors = {vector}, .vector_count = 1, .score = cosine_itself, .most = most};
    return pv_model_search(ctx, model, &search, query, q, neighbours, found);
}

psdvec_status psdvec_model_similar(psdvec_context *ctx, const psdvec_model *model,
                                   const float *vector, const psdvec_query_options *options,
                                   size_t most, psdvec_neighbour *neighbours, size_t *found)
{
    pv_query query;
    PV_BEGIN(ctx);
    PV_NEED(ctx, found);
    *found = 0;
    PV_NEED(ctx, model);
    PV_NEED(ctx, vector);
    PV_NEED_ARRAY(ctx, neighbours, most);
    PV_TRY(pv_query_take(ctx, model, options, 1, &query));
    PV_TRY(pv_query_check_vector(ctx, vector, model->info.dim, 0));
    return search_one(ctx, model, vector, &query, 0, most, neighbours, found);
}

psdvec_status psdvec_model_similar_many(psdvec_context *ctx, const psdvec_model *model,
                                        const float *vectors, size_t count,
                                        const psdvec_query_options *options, size_t most,
                                        psdvec_neighbour *neighbours, size_t *found)
{
    pv_query query;
    size_t cells;
    PV_BEGIN(ctx);
    PV_NEED_ARRAY(ctx, found, count);
    for (size_t q = 0; q < count; q++)
        found[q] = 0;
    PV_NEED(ctx, model);
    PV_NEED_ARRAY(ctx, vectors, count);
    if (!pv_mul(count, most, &cells))
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW,
                       "%zu neighbours of %zu vectors are more than memory can hold", most, count);
    PV_NEED_ARRAY(ctx, neighbours, cells);
    PV_TRY(pv_query_take(ctx, model, options, count, &query));
    size_t dim = model->info.dim;
    for (size_t q = 0; q < count; q++)
        PV_TRY(pv_query_check_vector(ctx, vectors + q * dim, model->info.dim, q));
    if (cells == 0)
        return PSDVEC_OK;
    size_t batch = pv_search_many_batch(ctx, model, &query, most);
    if (batch > 0)
        return pv_search_many(ctx, model, &query, vectors, batch, most, neighbours, found);
    for (size_t q = 0; q < count; q++)
        PV_TRY(search_one(ctx, model, vectors + q * dim, &query, q, most, neighbours + q * most,
                          &found[q]));
    return PSDVEC_OK;
}
