/* Nearest neighbours by cosine: the search with one vector. */
#include "model/search.h"

#include "base/arguments.h"

static double cosine_itself(const double *cosines)
{
    return cosines[0];
}

psdvec_status psdvec_model_similar(psdvec_context *ctx, const psdvec_model *model,
                                   const float *vector, const psdvec_query_options *options,
                                   size_t most, psdvec_neighbour *neighbours, size_t *found)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, found);
    *found = 0;
    PV_NEED(ctx, model);
    PV_NEED(ctx, vector);
    PV_NEED_ARRAY(ctx, neighbours, most);
    const pv_search search = {
        .vectors = {vector}, .vector_count = 1, .score = cosine_itself, .most = most};
    pv_query query;
    PV_TRY(pv_query_take(ctx, model, options, 1, &query));
    return pv_model_search(ctx, model, &search, &query, 0, neighbours, found);
}
