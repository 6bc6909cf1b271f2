/* psdvec_interactions: the first-order assumption of the model, looked at in text.
 *
 * The paper's Appendix B: PMI(c; a, b) = PMI(c; a) + PMI(c; b) + PInt(a, b, c), and the model
 * takes PInt to be 0. Here it is measured: triple_text.h has what is counted, triple_count.h how,
 * interaction_figures.h what is made of it.
 */
#include "base/arguments.h"
#include "document/interaction_figures.h"
#include "model/model_read.h"

#include <math.h>
#include <stdio.h>

static psdvec_status measure_asked(const pv_triple_text *text, const uint32_t (*asked)[3],
                                   size_t count, psdvec_interaction *out)
{
    pv_triple *triples = pv_alloc(text->ctx, count, sizeof *triples, "the triples asked for");
    if (!triples)
        return pv_failure(text->ctx);
    for (size_t k = 0; k < count; k++)
        triples[k] = (pv_triple){.words = {asked[k][0], asked[k][1], asked[k][2]}};
    psdvec_status status = pv_triple_measure(text, triples, count);
    for (size_t k = 0; k < count && status == PSDVEC_OK; k++)
        pv_interaction_of(text, &triples[k], &out[k]);
    pv_free(text->ctx, triples);
    return status;
}

static psdvec_status measure_all(const pv_triple_text *text, size_t most, uint64_t least,
                                 const char *folder, psdvec_interaction *out, size_t *found,
                                 psdvec_interaction_report *report)
{
    pv_interaction_sums sums;
    psdvec_status status;
    PV_TRY_DONE(pv_interaction_sums_init(&sums, text, most, folder));
    PV_TRY_DONE(pv_triple_count(text, least, pv_interaction_sums_add, &sums));
    PV_TRY_DONE(pv_interaction_sums_finish(&sums, report));
    for (size_t k = 0; k < sums.top_count; k++)
        pv_interaction_of(text, &sums.top[k], &out[k]);
    *found = sums.top_count;
done:
    pv_interaction_sums_free(&sums);
    return status;
}

static psdvec_status check_asked(psdvec_context *ctx, const psdvec_model *model,
                                 const uint32_t (*asked)[3], size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (int i = 0; i < 3; i++)
            if (asked[k][i] >= model->info.words)
                return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s: there is no word number %u",
                               model->path, asked[k][i]);
    return PSDVEC_OK;
}

psdvec_status psdvec_interactions(psdvec_context *ctx, const psdvec_model *model,
                                  const char *const *inputs, size_t input_count, uint32_t window,
                                  const uint32_t (*asked)[3], size_t asked_count, size_t most,
                                  uint64_t least_count, psdvec_interaction *out, size_t *found,
                                  psdvec_interaction_report *report)
{
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED_EACH(ctx, inputs, input_count);
    PV_NEED_ARRAY(ctx, asked, asked_count);
    PV_NEED_ARRAY(ctx, out, asked_count ? asked_count : most);
    const char *folder = P_tmpdir; /* there is no output beside which temporary files could go */
    double began = pv_now();
    pv_triple_text text = {0};
    psdvec_status status;
    size_t count = asked_count;
    psdvec_interaction_report told = {.mean = NAN,
                                      .mean_absolute = NAN,
                                      .quantiles = {NAN, NAN, NAN, NAN, NAN},
                                      .within_half = NAN,
                                      .sum_absolute = NAN,
                                      .slope = NAN};
    PV_TRY(check_asked(ctx, model, asked, asked_count));
    PV_TRY_DONE(pv_triple_text_open(&text, ctx, model, inputs, input_count, window, folder));
    told.window = text.window;
    told.tokens = text.tokens;
    told.known = text.known;
    told.places = text.places;
    if (asked_count)
        status = measure_asked(&text, asked, asked_count, out);
    else
        status =
            measure_all(&text, most, least_count ? least_count : 1, folder, out, &count, &told);
    told.seconds = pv_now() - began;
    if (status == PSDVEC_OK && found)
        *found = count;
    if (status == PSDVEC_OK && report)
        *report = told;
done:
    pv_triple_text_free(&text);
    return status;
}
