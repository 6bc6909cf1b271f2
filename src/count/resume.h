/* Counting that can be killed and goes on where it was. */
#ifndef PV_COUNT_RESUME_H
#define PV_COUNT_RESUME_H

#include "base/context.h"

psdvec_status pv_count_resumable(psdvec_context *ctx, const psdvec_count_options *options,
                                 const char *const *inputs, size_t input_count, const char *output,
                                 psdvec_count_report *report);

#endif
