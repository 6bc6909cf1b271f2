/* The bootstrap: how far a figure would be off on other questions of the same sort.
 *
 * A resample draws as many questions as there are, with replacement. Which are drawn
 * depends on the seed, the number of the resample and the number of questions alone, so two
 * models are held against each other on the same draws, and threads change nothing.
 */
#ifndef PV_EVAL_BOOTSTRAP_H
#define PV_EVAL_BOOTSTRAP_H

#include "base/context.h"

/* The figure when question q counts times[q] times. `room` is the worker's own. */
typedef double pv_statistic_fn(const void *arg, const uint32_t *times, void *room);

/* values: `resamples` figures, in the order of the resamples; NAN where there is none. */
psdvec_status pv_bootstrap(psdvec_context *ctx, size_t questions, uint32_t resamples,
                           pv_statistic_fn *statistic, const void *arg, size_t room_bytes,
                           double *values);

/* The middle `confidence` of the values, which are sorted; NAN if fewer than half are there. */
void pv_interval(double *values, size_t count, double confidence, double *low, double *high);

/* Two-sided: twice the smaller share of resampled differences on either side of 0, where the
 * difference that was seen counts as one more on both. */
double pv_paired_p(const double *differences, size_t count);

#endif
