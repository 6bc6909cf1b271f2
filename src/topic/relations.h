/* How topics relate to each other and to words, without pv_begin: the functions of the same names in
 * psdvec/topic.h. */
#ifndef PV_TOPIC_RELATIONS_H
#define PV_TOPIC_RELATIONS_H

#include "topic/topic_file.h"

psdvec_status pv_topics_distances(psdvec_context *ctx, const psdvec_topics *topics,
                                  float *distances);
/* `distances`: topics x topics. */
psdvec_status pv_topics_map(psdvec_context *ctx, uint32_t topics, const float *distances,
                            double *places);
psdvec_status pv_topics_tree(psdvec_context *ctx, const psdvec_topics *topics,
                             psdvec_topic_merge *merges);
psdvec_status pv_topics_nearest(psdvec_context *ctx, const psdvec_topics *topics,
                                const psdvec_model *model, size_t most,
                                psdvec_topic_neighbour *neighbours, size_t *found);

/* The sum of (a_i + b_i) log2(a_i + b_i) over n elements, none of which is negative; n is a multiple
 * of PV_TOPIC_LANES. About seven digits. */
double pv_entropy_sum(const float *a, const float *b, size_t n);

#endif
