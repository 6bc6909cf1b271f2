/* The options of the other systems: published defaults, ranges, and what of them a model file
 * keeps. */
#ifndef PV_BASELINE_OPTIONS_H
#define PV_BASELINE_OPTIONS_H

#include "base/memory.h"

#define PV_MOST_EPOCHS 10000

/* As psdvec_baseline_options_check, within a public call. */
psdvec_status pv_baseline_options_check(psdvec_context *ctx,
                                        const psdvec_baseline_options *options);

/* Appends one JSON object with the method, what it uses of the options, and, where chance enters,
 * the seed. Same options, same bytes. No zero byte is added. */
psdvec_status pv_baseline_settings(psdvec_context *ctx, const psdvec_baseline_options *options,
                                   pv_buffer *json);

#endif
