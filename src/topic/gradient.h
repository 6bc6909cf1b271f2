/* Learning as in TopicVec: random start and gradient steps (docs/explanation/topics.md).
 *
 * Step l = 1, 2, ... moves each vector along the gradient g_k of the bound
 *
 *     t_k += eta g_k      eta = rate/(l+1) min(1, L0/L)      |eta g_k| <= 0.2 |t_k|
 *
 * and then shortens it to the radius. L is the number of words of all documents. The bound may
 * fall, because the length of the steps does not depend on it.
 */
#ifndef PV_TOPIC_GRADIENT_H
#define PV_TOPIC_GRADIENT_H

#include "topic/topic_fit.h"

/* Sets all vectors but that of the null topic to random vectors of length 1. */
void pv_topic_start_at_random(pv_topic_fit *f, uint64_t seed);

/* Takes `step_count` steps for the counts and computes beta. `taken`: steps before; `words`: L.
 * `change`: the length of the last change of all vectors together. */
psdvec_status pv_gradient_steps(pv_topic_fit *f, const psdvec_topic_options *options,
                                uint64_t taken, double words, double *change);

/* Warns if the bound fell in an iteration, and says why it may have. */
void pv_warn_of_falls(psdvec_context *ctx, const psdvec_topic_options *options,
                      const double *history, uint32_t iterations, double words);

#endif
