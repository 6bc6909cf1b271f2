/* Neighbours of many vectors in one pass over the rows of a model that is not sparse. */
#ifndef PV_MODEL_SEARCH_MANY_H
#define PV_MODEL_SEARCH_MANY_H

#include "model/query.h"

/* How many of the queries are best put at a time, by their number and the memory that is left; 0:
 * single queries are faster, or the only way. */
size_t pv_search_many_batch(psdvec_context *ctx, const psdvec_model *model, const pv_query *query,
                            size_t most);

/* vectors: query->count x dim, all finite; neighbours: query->count x most, most > 0; found:
 * query->count. Every query gets the words and the bits of a single one. */
psdvec_status pv_search_many(psdvec_context *ctx, const psdvec_model *model, const pv_query *query,
                             const float *vectors, size_t batch, size_t most,
                             psdvec_neighbour *neighbours, size_t *found);

#endif
