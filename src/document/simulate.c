/* Drawing a model and a text from it: psdvec_simulate. */
#include "document/simulate.h"

#include "base/file.h"
#include "base/progress.h"
#include "count/window.h"

#include <math.h>

void psdvec_simulate_options_default(psdvec_simulate_options *options)
{
    *options = (psdvec_simulate_options){.vocab = 2000,
                                         .dim = 20,
                                         .tokens = 1000000,
                                         .window = 1,
                                         .document_words = 200,
                                         .zipf = 1,
                                         .strength = 0.5,
                                         .residual = 0.1,
                                         .form = PSDVEC_FORM_SYMMETRIC};
}

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return pv_fail(ctx, PSDVEC_ERR_OPTION, __VA_ARGS__);                                   \
    } while (0)

static psdvec_status check(psdvec_context *ctx, const psdvec_simulate_options *o)
{
    bool symmetric = o->form == PSDVEC_FORM_SYMMETRIC;
    CHECK(o->vocab >= 2 && o->vocab <= 1000000, "--vocab is %u; it must be from 2 to 1000000",
          (unsigned)o->vocab);
    CHECK(symmetric || o->form == PSDVEC_FORM_PSD, "--form is neither symmetric nor psd");
    CHECK(o->dim >= (symmetric ? 3U : 1U),
          "--dim is %u; the %s form needs at least %u: it keeps two for the frequencies of words",
          (unsigned)o->dim, symmetric ? "symmetric" : "psd", symmetric ? 3U : 1U);
    CHECK(o->dim <= o->vocab && o->dim <= 10000,
          "--dim is %u; it must be at most 10000, and not more than --vocab, %u", (unsigned)o->dim,
          (unsigned)o->vocab);
    CHECK(o->tokens >= 1 && o->tokens <= UINT64_C(1000000000000),
          "--tokens is %llu; it must be from 1 to 10^12", (unsigned long long)o->tokens);
    CHECK(o->window >= 1 && o->window <= PV_MAX_WINDOW, "--window is %u; it must be from 1 to %d",
          (unsigned)o->window, PV_MAX_WINDOW);
    CHECK(o->document_words >= 1, "--document-words is 0; it must be at least 1");
    CHECK(o->zipf >= 0 && o->zipf <= 4, "--zipf is %g; it must be from 0 to 4", o->zipf);
    CHECK(o->strength > 0 && o->strength <= 10, "--strength is %g; it must be above 0, at most 10",
          o->strength);
    CHECK(o->residual >= 0 && o->residual <= 10, "--residual is %g; it must be from 0 to 10",
          o->residual);
    return PSDVEC_OK;
}

psdvec_status psdvec_simulate_options_check(psdvec_context *ctx,
                                            const psdvec_simulate_options *options)
{
    pv_begin(ctx);
    return check(ctx, options);
}

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
                              const char *path, psdvec_simulate_report *report)
{
    pv_begin(ctx);
    double began = pv_now();
    psdvec_status status;
    pv_truth truth = {0};
    pv_simulation_folder folder = {0};
    pv_drawn drawn = {0};
    PV_TRY(check(ctx, options));
    PV_TRY_DONE(pv_simulation_folder_open(ctx, path, &folder));
    drawn.counts = pv_alloc(ctx, options->vocab, sizeof *drawn.counts, "frequencies");
    if (!drawn.counts) {
        status = pv_failure(ctx);
        goto done;
    }
    PV_TRY_DONE(pv_truth_make(ctx, options, &truth));
    PV_TRY_DONE(simulate(&truth, &folder, &drawn));
    if (report)
        *report = (psdvec_simulate_report){.tokens = options->tokens,
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
    pv_simulation_folder_close(&folder, status == PSDVEC_OK);
    return status;
}
