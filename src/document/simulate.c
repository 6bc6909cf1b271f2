/* Drawing a model and a text from it: psdvec_simulate. */
#include "document/simulate.h"

#include "base/arguments.h"
#include "base/file.h"
#include "base/progress.h"
#include "document/options.h"

#include <math.h>

/* Nothing appears before everything is drawn; truth.json, which vouches for the rest, comes
 * last. */
static psdvec_status simulate(pv_truth *truth, const pv_simulation_folder *folder, pv_drawn *drawn)
{
    psdvec_status status;
    pv_output *text = NULL;
    PV_TRY(pv_output_open(truth->ctx, folder->text, &text));
    PV_TRY_DONE(pv_draw_text(truth, text, drawn));
    pv_truth_drop_table(truth);
    PV_TRY_DONE(pv_write_truth_residuals(truth, folder->residuals));
    PV_TRY_DONE(pv_write_truth_model(truth, drawn, folder->model));
    status = pv_output_commit(text);
    text = NULL;
    if (status == PSDVEC_OK)
        status = pv_write_truth_story(truth, drawn, folder->story);
done:
    pv_output_discard(text);
    return status;
}

psdvec_status psdvec_simulate(psdvec_context *ctx, const psdvec_simulate_options *options,
                              const char *folder, psdvec_simulate_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, folder);
    double began = pv_now();
    psdvec_status status;
    pv_truth truth = {0};
    pv_simulation_folder files = {0};
    pv_drawn drawn = {0};
    psdvec_simulate_options own;
    PV_TRY(pv_options_adopt(ctx, &pv_simulate_table, options, &own));
    PV_TRY_DONE(pv_simulation_folder_open(ctx, folder, &files));
    drawn.counts = pv_alloc(ctx, own.vocab, sizeof *drawn.counts, "frequencies");
    if (!drawn.counts) {
        status = pv_failure(ctx);
        goto done;
    }
    PV_TRY_DONE(pv_truth_make(ctx, &own, &truth));
    PV_TRY_DONE(simulate(&truth, &files, &drawn));
    if (report)
        *report = (psdvec_simulate_report){.tokens = own.tokens,
                                           .documents = drawn.documents,
                                           .bytes = drawn.bytes,
                                           .mu = truth.mu,
                                           .log_likelihood = drawn.log_likelihood,
                                           .log_unigram = drawn.log_unigram,
                                           .entropy = truth.entropy,
                                           .entropy_rate = truth.entropy_rate,
                                           .rounds = truth.rounds,
                                           .seconds = pv_now() - began};
done:
    pv_truth_free(&truth);
    pv_free(ctx, drawn.counts);
    pv_simulation_folder_close(&files, status == PSDVEC_OK);
    return status;
}
