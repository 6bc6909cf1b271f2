/* Options of the baselines: which of them a model file stores, and the methods. */
#include "baseline/options.h"

#include "base/arguments.h"

#include <math.h>
#include <string.h>

const psdvec_choice pv_method_choices[] = {
    [PSDVEC_METHOD_PSD] = {.name = "psd", .help = "the model of psdvec"},
    [PSDVEC_METHOD_PPMI] = {.name = "ppmi", .help = "positive PMI, as sparse vectors"},
    [PSDVEC_METHOD_SVD] = {.name = "svd", .help = "singular vectors of positive PMI"},
    [PSDVEC_METHOD_SGNS] = {.name = "sgns", .help = "word2vec: skip-gram with negative sampling"},
    [PSDVEC_METHOD_CBOW] = {.name = "cbow", .help = "word2vec: continuous bag of words"},
    [PSDVEC_METHOD_GLOVE] = {.name = "glove", .help = "GloVe: weighted regression of log counts"},
    [PSDVEC_METHOD_CCA] = {.name = "cca",
                           .help = "canonical correlations of square roots of counts"},
    [PSDVEC_METHOD_SPARSE] = {.name = "sparse", .help = "sparse codes of other vectors"},
    {0}};

const char *psdvec_method_name(psdvec_method method)
{
    return (unsigned)method < PSDVEC_METHODS ? pv_method_choices[method].name : "unknown";
}

bool psdvec_method_find(const char *name, psdvec_method *method)
{
    for (unsigned k = 0; name && method && k < PSDVEC_METHODS; k++)
        if (strcmp(pv_method_choices[k].name, name) == 0) {
            *method = (psdvec_method)k;
            return true;
        }
    return false;
}

#define PV_OPTIONS_STRUCT psdvec_baseline_options
static const psdvec_option rows[] = {
#include <psdvec/options/baseline.def>
    {0}};

const pv_options_table pv_baseline_table = {
    .name = "baseline", .rows = rows, .size = sizeof(psdvec_baseline_options), .used_only = true};

psdvec_status pv_baseline_adopt(psdvec_context *ctx, const psdvec_baseline_options *options,
                                psdvec_baseline_options *own)
{
    PV_TRY(pv_options_adopt(ctx, &pv_baseline_table, options, own));
    if (own->method == PSDVEC_METHOD_PSD)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "psd is not a baseline; use psdvec_train");
    return PSDVEC_OK;
}

psdvec_status psdvec_baseline_options_check(psdvec_context *ctx,
                                            const psdvec_baseline_options *options)
{
    psdvec_baseline_options own;
    PV_BEGIN(ctx);
    return pv_baseline_adopt(ctx, options, &own);
}

psdvec_status pv_baseline_settings(psdvec_context *ctx, const psdvec_baseline_options *options,
                                   pv_buffer *json)
{
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    pv_options_put_json(&w, &pv_baseline_table, options);
    if (options->method != PSDVEC_METHOD_PSD && options->method != PSDVEC_METHOD_PPMI)
        pv_json_put_u64(&w, "seed", ctx->options.seed);
    pv_json_close(&w);
    return pv_json_writer_status(&w);
}
