/* Nearest neighbours by cosine: the search with one vector. */
#include "model/search.h"

#include "base/arguments.h"

static double cosine_itself(const double *cosines)
{
    return cosines[0];
}

psdvec_status psdvec_model_similar(psdvec_context *ctx, const psdvec_model *model,
                                   const float *vector, const uint32_t *except, size_t except_count,
                                   size_t most, psdvec_neighbour *neighbours, size_t *found)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, found);
    *found = 0;
    PV_NEED(ctx, model);
    PV_NEED(ctx, vector);
    PV_NEED_ARRAY(ctx, except, except_count);
    PV_NEED_ARRAY(ctx, neighbours, most);
    const pv_search search = {.vectors = {vector},
                              .vector_count = 1,
                              .score = cosine_itself,
                              .except = except,
                              .except_count = except_count,
                              .most = most};
    return pv_model_search(ctx, model, &search, neighbours, found);
}
