/* States of systems that learn epoch by epoch. */
#include "baseline/epochs.h"

#include <string.h>

static const char *const names[2] = {"words", "contexts"};
enum { FIGURES = 3 }; /* epochs done, pairs and mean loss of the last */
#define STATE "epoch"

psdvec_status pv_epochs_save(const pv_baseline_run *run, const pv_learnt_rows *learnt)
{
    const psdvec_baseline_report *report = run->report;
    const double figures[FIGURES] = {report->epochs, (double)report->pairs, report->loss};
    pv_tensor tensors[3] = {
        {.name = "figures", .dtype = PV_DTYPE_F64, .rank = 1, .shape = {FIGURES}, .data = figures}};
    for (int k = 0; k < 2; k++)
        tensors[1 + k] = (pv_tensor){.name = (char *)names[k],
                                     .dtype = PV_DTYPE_F32,
                                     .rank = 2,
                                     .shape = {learnt->words, learnt->stride},
                                     .data = learnt->rows[k]};
    return pv_partial_save(run->partial, STATE, tensors, sizeof tensors / sizeof *tensors, NULL, 0);
}

psdvec_status pv_epochs_load(pv_baseline_run *run, const pv_learnt_rows *learnt)
{
    psdvec_context *ctx = run->ctx;
    pv_st_file *file = NULL;
    PV_TRY(pv_partial_load(run->partial, STATE, &file));
    if (!file)
        return PSDVEC_OK;
    const pv_tensor *figures, *rows[2];
    const int64_t shape[] = {(int64_t)learnt->words, (int64_t)learnt->stride};
    psdvec_status status;
    PV_TRY_DONE(
        pv_st_require(ctx, file, "figures", PV_DTYPE_F64, 1, (int64_t[]){FIGURES}, &figures));
    for (int k = 0; k < 2; k++)
        PV_TRY_DONE(pv_st_require(ctx, file, names[k], PV_DTYPE_F32, 2, shape, &rows[k]));
    const double *figure = figures->data;
    if (!(figure[0] >= 1 && figure[0] <= run->options->epochs && figure[1] >= 0 &&
          figure[1] < 1e19))
        goto done;
    run->report->epochs = (uint32_t)figure[0];
    run->report->pairs = (uint64_t)figure[1];
    run->report->loss = figure[2];
    for (int k = 0; k < 2; k++)
        memcpy(learnt->rows[k], rows[k]->data, rows[k]->bytes);
    pv_step(ctx, "going on after epoch %u of an interrupted run", run->report->epochs);
done:
    pv_st_close(file);
    return status;
}
