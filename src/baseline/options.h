/* The options of the other systems: published defaults, ranges, and what of them a model file
 * keeps. */
#ifndef PV_BASELINE_OPTIONS_H
#define PV_BASELINE_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_method_choices[];
extern const pv_options_table pv_baseline_table;

/* A host's options, checked, for the beginning of a public call. */
psdvec_status pv_baseline_adopt(psdvec_context *ctx, const psdvec_baseline_options *options,
                                psdvec_baseline_options *own);

/* Appends one JSON object with the method, what it uses of the options, and, where chance enters,
 * the seed. Same options, same bytes. No zero byte is added. */
psdvec_status pv_baseline_settings(psdvec_context *ctx, const psdvec_baseline_options *options,
                                   pv_buffer *json);

#endif
