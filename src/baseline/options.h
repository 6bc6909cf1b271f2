/* The options of the baselines: published defaults, ranges, and which of them a model file
 * stores. */
#ifndef PV_BASELINE_OPTIONS_H
#define PV_BASELINE_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_method_choices[];
extern const pv_options_table pv_baseline_table;

/* Checks a caller's options at the beginning of a public call. */
psdvec_status pv_baseline_adopt(psdvec_context *ctx, const psdvec_baseline_options *options,
                                psdvec_baseline_options *own);

/* Appends a JSON object with the method, the options that it uses, and the seed if the method is
 * randomised. The same options give the same bytes. No zero byte is added. */
psdvec_status pv_baseline_settings(psdvec_context *ctx, const psdvec_baseline_options *options,
                                   pv_buffer *json);

#endif
