/* Merging topics that are nearly equal: those whose distributions over words have a Jensen-Shannon
 * divergence (in nats, 0 to log 2) below a limit. The nearest pair is merged first, and the merged
 * topic is compared again.
 *
 * Time: topics^2 x words. */
#ifndef PV_TOPIC_MERGE_H
#define PV_TOPIC_MERGE_H

#include "topic/topic_fit.h"

/* Merges topics of a fit, with the mixtures (gamma, `documents` rows of f->topics elements, which
 * become shorter) and the priors of the mixtures. f->counts must be those of the current topics.
 * The topics and residuals of the result are means, weighted by the topics' shares, and beta is
 * computed from them. *merged: how many topics there are fewer. */
psdvec_status pv_topic_merge(pv_topic_fit *f, double limit, double *alpha, float *gamma,
                             size_t documents, uint32_t *merged);

#endif
