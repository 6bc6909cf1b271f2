/* Every model on every test. */
#include "base/memory.h"
#include "eval/test_set.h"

#include <math.h>

struct psdvec_report {
    psdvec_context *ctx;
    pv_buffer scores, differences;
};

void psdvec_eval_options_default(psdvec_eval_options *options)
{
    *options = (psdvec_eval_options){.resamples = 10000, .confidence = 0.95};
}

psdvec_status psdvec_eval(psdvec_context *ctx, const psdvec_eval_options *options,
                          const psdvec_model *const *models, size_t model_count,
                          const psdvec_test *const *tests, size_t test_count,
                          psdvec_report **report)
{
    (void)options;
    (void)models;
    *report = NULL;
    pv_begin(ctx);
    psdvec_report *r = pv_alloc_zero(ctx, 1, sizeof *r, "a report");
    if (!r)
        return pv_failure(ctx);
    r->ctx = ctx;
    pv_buffer_init(&r->scores, ctx);
    pv_buffer_init(&r->differences, ctx);
    for (uint32_t t = 0; t < test_count; t++)
        for (uint32_t m = 0; m < model_count; m++) {
            psdvec_score score = {.test = t,
                                  .model = m,
                                  .section = -1,
                                  .value = NAN,
                                  .low = NAN,
                                  .high = NAN,
                                  .total = tests[t]->info.questions};
            psdvec_status status = pv_buffer_append(&r->scores, &score, sizeof score);
            if (status != PSDVEC_OK) {
                psdvec_report_free(r);
                return status;
            }
        }
    *report = r;
    return PSDVEC_OK;
}

void psdvec_report_free(psdvec_report *report)
{
    if (!report)
        return;
    pv_buffer_free(&report->scores);
    pv_buffer_free(&report->differences);
    pv_free(report->ctx, report);
}

const psdvec_score *psdvec_report_scores(const psdvec_report *report, size_t *count)
{
    *count = report->scores.length / sizeof(psdvec_score);
    return (const psdvec_score *)(const void *)report->scores.data;
}

const psdvec_difference *psdvec_report_differences(const psdvec_report *report, size_t *count)
{
    *count = report->differences.length / sizeof(psdvec_difference);
    return (const psdvec_difference *)(const void *)report->differences.data;
}
