/* psdvec_train and psdvec_train_text: train (src/train), then fit T and e to the held-out text of
 * the counts.
 */
#include "train/train.h"

#include "base/arguments.h"
#include "base/group.h"
#include "count/options.h"
#include "document/fit.h"
#include "train/options.h"

psdvec_status psdvec_train(psdvec_context *ctx, const psdvec_train_options *options,
                           const char *counts, const char *output, psdvec_train_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    PV_NEED(ctx, output);
    psdvec_train_options own;
    pv_group_begin(ctx);
    psdvec_status status = pv_train_options_adopt(ctx, options, &own);
    if (status == PSDVEC_OK)
        status = pv_train_run(ctx, &own, NULL, &counts, 1, output, pv_fit_held_out, NULL, report);
    return pv_group_end(ctx, status);
}

static psdvec_status train_text(psdvec_context *ctx, const psdvec_train_options *options,
                                const psdvec_count_options *count, const char *const *inputs,
                                size_t input_count, const char *output,
                                psdvec_count_report *count_report, psdvec_train_report *report)
{
    psdvec_train_options own;
    psdvec_count_options counting, preset;
    PV_TRY(pv_train_options_adopt(ctx, options, &own));
    if (!count) {
        pv_options_fill(&pv_count_table, &preset, pv_preset_choices[own.preset].name);
        count = &preset;
    }
    PV_TRY(pv_options_adopt(ctx, &pv_count_table, count, &counting));
    return pv_train_run(ctx, &own, &counting, inputs, input_count, output, pv_fit_held_out,
                        count_report, report);
}

psdvec_status psdvec_train_text(psdvec_context *ctx, const psdvec_train_options *options,
                                const psdvec_count_options *count, const char *const *inputs,
                                size_t input_count, const char *output,
                                psdvec_count_report *count_report, psdvec_train_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED(ctx, output);
    if (count_report)
        *count_report = (psdvec_count_report){0};
    pv_group_begin(ctx);
    return pv_group_end(
        ctx, train_text(ctx, options, count, inputs, input_count, output, count_report, report));
}
