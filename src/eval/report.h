/* From answers to figures: scores with their intervals, and differences of models. */
#ifndef PV_EVAL_REPORT_H
#define PV_EVAL_REPORT_H

#include "eval/outcome.h"

struct psdvec_report {
    psdvec_context *ctx;
    pv_buffer scores, differences; /* psdvec_score, psdvec_difference */
};

/* What all models made of test number t: `asked` says which questions were put. */
psdvec_status pv_report_test(psdvec_report *report, psdvec_context *ctx,
                             const psdvec_eval_options *options, const psdvec_test *test,
                             uint32_t t, const bool *asked, const pv_outcome *outcomes,
                             size_t models);

#endif
