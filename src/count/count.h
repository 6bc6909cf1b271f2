/* Counting, as the other files of this room use it. */
#ifndef PV_COUNT_COUNT_H
#define PV_COUNT_COUNT_H

#include "base/context.h"

psdvec_status pv_count_options_check(psdvec_context *ctx, const psdvec_count_options *options);

/* psdvec_count without --resume. With `may_be_empty`, inputs without a single
 * known word give a file without bigrams instead of an error. */
psdvec_status pv_count_run(psdvec_context *ctx, const psdvec_count_options *options,
                           const char *const *inputs, size_t input_count, const char *output,
                           bool may_be_empty, psdvec_count_report *report);

/* PSDVEC_ERR_SAME_FILE if the output is one of the inputs. */
psdvec_status pv_refuse_same_file(psdvec_context *ctx, const char *const *inputs, size_t count,
                                  const char *output);

#endif
