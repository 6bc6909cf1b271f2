/* The options of training: presets, and what goes together. */
#ifndef PV_TRAIN_OPTIONS_H
#define PV_TRAIN_OPTIONS_H

#include "base/context.h"

#define PV_MOST_DIM 10000
#define PV_MOST_ITERATIONS 10000
#define PV_MOST_RANK_EXTRA 1000

/* As psdvec_train_options_check, within a public call. */
psdvec_status pv_train_options_check(psdvec_context *ctx, const psdvec_train_options *options);

/* True if they can be used. Otherwise one sentence in `why`, cut off at `room`. */
bool pv_train_options_fit(const psdvec_train_options *options, char *why, size_t room);

#endif
