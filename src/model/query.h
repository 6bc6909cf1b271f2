/* The options of queries, checked: which words may be answers. */
#ifndef PV_MODEL_QUERY_H
#define PV_MODEL_QUERY_H

#include "model/model_read.h"

typedef struct pv_query {
    psdvec_query_options options;
    uint32_t words; /* only words below this are answers */
    size_t count;   /* queries */
} pv_query;

/* `options` NULL: the defaults. `count`: queries, for which options->except_begin has lists. */
psdvec_status pv_query_take(psdvec_context *ctx, const psdvec_model *model,
                            const psdvec_query_options *options, size_t count, pv_query *query);

/* The words that are no answers to query q. */
const uint32_t *pv_query_except(const pv_query *query, size_t q, size_t *count);

/* PSDVEC_ERR_NUMERIC if one of the `dim` numbers of vector q is not finite. */
psdvec_status pv_query_check_vector(psdvec_context *ctx, const float *vector, uint32_t dim,
                                    size_t q);

#endif
