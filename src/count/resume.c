#include "count/resume.h"
psdvec_status pv_count_resumable(psdvec_context *ctx, const psdvec_count_options *options, const char *const *inputs, size_t input_count, const char *output, psdvec_count_report *report) { (void)options,(void)inputs,(void)input_count,(void)output,(void)report; return pv_fail(ctx, PSDVEC_ERR_OPTION, "stub"); }
