/* One table says what each system uses, its range and its published default: from it come the
 * defaults, the checks and the settings that a model file keeps. */
#include "baseline/options.h"

#include "base/json_fields.h"
#include "train/options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const names[PSDVEC_METHODS] = {
    [PSDVEC_METHOD_PSD] = "psd",   [PSDVEC_METHOD_PPMI] = "ppmi",
    [PSDVEC_METHOD_SVD] = "svd",   [PSDVEC_METHOD_SGNS] = "sgns",
    [PSDVEC_METHOD_CBOW] = "cbow", [PSDVEC_METHOD_GLOVE] = "glove",
    [PSDVEC_METHOD_CCA] = "cca",   [PSDVEC_METHOD_SPARSE] = "sparse",
};

const char *psdvec_method_name(psdvec_method method)
{
    return (unsigned)method < PSDVEC_METHODS ? names[method] : "unknown";
}

bool psdvec_method_find(const char *name, psdvec_method *method)
{
    for (unsigned k = 0; k < PSDVEC_METHODS; k++)
        if (strcmp(names[k], name) == 0) {
            *method = (psdvec_method)k;
            return true;
        }
    return false;
}

enum {
    PPMI = 1 << PSDVEC_METHOD_PPMI,
    SVD = 1 << PSDVEC_METHOD_SVD,
    SGNS = 1 << PSDVEC_METHOD_SGNS,
    CBOW = 1 << PSDVEC_METHOD_CBOW,
    GLOVE = 1 << PSDVEC_METHOD_GLOVE,
    CCA = 1 << PSDVEC_METHOD_CCA,
    SPARSE = 1 << PSDVEC_METHOD_SPARSE,
    BY_CHANCE = SVD | CCA | SGNS | CBOW | GLOVE | SPARSE,
};

typedef struct option_use {
    pv_json_field field;
    int methods;
    const char *shown; /* as the command line spells it */
    bool above;        /* the least value itself is not allowed */
} option_use;

#define USE(name, kind, methods, shown, least, most)                                               \
    {                                                                                              \
        {#name, kind, offsetof(psdvec_baseline_options, name), NULL, least, most}, methods, shown, \
            false                                                                                  \
    }
#define ABOVE(name, methods, shown, least, most)                                                   \
    {                                                                                              \
        {#name, PV_FIELD_DOUBLE, offsetof(psdvec_baseline_options, name), NULL, least, most},      \
            methods, shown, true                                                                   \
    }

static const option_use uses[] = {
    USE(dim, PV_FIELD_U32, SVD | SGNS | CBOW | GLOVE | CCA, "dim", 1, PV_MOST_DIM),
    ABOVE(context_power, PPMI | SVD | CCA, "context-power", 0, 1),
    ABOVE(shift, PPMI | SVD, "shift", 0, 1e6),
    ABOVE(count_power, CCA, "count-power", 0, 1),
    USE(eigenvalue_power, PV_FIELD_DOUBLE, SVD | CCA, "eigenvalue-power", 0, 1),
    ABOVE(eigen_tolerance, SVD | CCA, "eigen-tolerance", 0, 1),
    USE(add_contexts, PV_FIELD_BOOL, SVD | GLOVE, "add-contexts", 0, 0),
    USE(epochs, PV_FIELD_U32, SGNS | CBOW | GLOVE | SPARSE, "epochs", 1, PV_MOST_EPOCHS),
    ABOVE(rate, SGNS | CBOW | GLOVE, "rate", 0, 10),
    USE(negative, PV_FIELD_U32, SGNS | CBOW, "negative", 1, 1000),
    USE(noise_power, PV_FIELD_DOUBLE, SGNS | CBOW, "noise-power", 0, 1),
    ABOVE(glove_max, GLOVE, "x-max", 0, 1e9),
    ABOVE(glove_power, GLOVE, "alpha", 0, 10),
    ABOVE(factor, SPARSE, "factor", 0, 1000),
    ABOVE(l1, SPARSE, "l1", 0, 1e6),
    ABOVE(l2, SPARSE, "l2", 0, 1e6),
    USE(ridge, PV_FIELD_DOUBLE, SPARSE, "ridge", 0, 1e6),
    USE(nonnegative, PV_FIELD_BOOL, SPARSE, "nonnegative", 0, 0),
    USE(binary, PV_FIELD_BOOL, SPARSE, "binary", 0, 0),
};
enum { USES = sizeof uses / sizeof *uses };

void psdvec_baseline_options_default(psdvec_baseline_options *options, psdvec_method method,
                                     psdvec_count_options *count)
{
    *options = (psdvec_baseline_options){.method = method,
                                         .dim = 300,
                                         .context_power = 0.75,
                                         .shift = 1,
                                         .count_power = 0.5,
                                         .eigenvalue_power = 0.5,
                                         .eigen_tolerance = 0.01,
                                         .epochs = 5,
                                         .rate = 0.025,
                                         .negative = 5,
                                         .noise_power = 0.75,
                                         .glove_max = 100,
                                         .glove_power = 0.75,
                                         .factor = 10,
                                         .l1 = 0.5,
                                         .l2 = 1e-5,
                                         .ridge = 0.3};
    if (count) {
        psdvec_text_options text = count->text;
        psdvec_count_options_default(count);
        count->text = text;
        count->window = 5;
    }
    switch (method) {
    case PSDVEC_METHOD_CBOW:
        options->rate = 0.05;
        break;
    case PSDVEC_METHOD_GLOVE:
        options->add_contexts = true;
        options->epochs = 25;
        options->rate = 0.05;
        break;
    case PSDVEC_METHOD_CCA:
        options->eigenvalue_power = 0;
        break;
    case PSDVEC_METHOD_SPARSE:
        options->epochs = 5;
        break;
    default:
        break;
    }
    if (!count)
        return;
    if (method == PSDVEC_METHOD_SGNS || method == PSDVEC_METHOD_CBOW) {
        count->subsample = 1e-3;
        count->oov = PSDVEC_OOV_DROP;
    } else if (method == PSDVEC_METHOD_GLOVE) {
        count->window = 15;
        count->distance = PSDVEC_DISTANCE_HARMONIC;
        count->oov = PSDVEC_OOV_DROP;
    }
}

static double number_of(const option_use *use, const psdvec_baseline_options *options)
{
    const char *at = (const char *)options + use->field.offset;
    uint32_t whole;
    double real;
    if (use->field.kind == PV_FIELD_U32) {
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
    memcpy(&real, at, sizeof real);
    return real;
}

psdvec_status pv_baseline_options_check(psdvec_context *ctx, const psdvec_baseline_options *options)
{
    if ((unsigned)options->method >= PSDVEC_METHODS)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "there is no method %u", (unsigned)options->method);
    if (options->method == PSDVEC_METHOD_PSD)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "psd is no baseline; psdvec_train makes its vectors");
    for (size_t k = 0; k < USES; k++) {
        const option_use *use = &uses[k];
        if (!(use->methods & 1 << options->method) || use->field.kind == PV_FIELD_BOOL)
            continue;
        double value = number_of(use, options);
        /* written so that not-a-number fails */
        bool fits = use->above ? value > use->field.least : value >= use->field.least;
        if (!fits || !(value <= use->field.most))
            return pv_fail(ctx, PSDVEC_ERR_OPTION, "--%s %g: it must be %s %g and at most %g",
                           use->shown, value, use->above ? "above" : "at least", use->field.least,
                           use->field.most);
    }
    return PSDVEC_OK;
}

psdvec_status psdvec_baseline_options_check(psdvec_context *ctx,
                                            const psdvec_baseline_options *options)
{
    pv_begin(ctx);
    return pv_baseline_options_check(ctx, options);
}

psdvec_status pv_baseline_settings(psdvec_context *ctx, const psdvec_baseline_options *options,
                                   pv_buffer *json)
{
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w);
    pv_json_key(&w, "method");
    pv_json_put_string(&w, psdvec_method_name(options->method));
    for (size_t k = 0; k < USES; k++)
        if (uses[k].methods & 1 << options->method)
            pv_json_put_fields(&w, &uses[k].field, 1, options);
    if (BY_CHANCE & 1 << options->method) {
        pv_json_key(&w, "seed");
        pv_json_put_u64(&w, ctx->options.seed);
    }
    pv_json_close(&w);
    return pv_json_writer_status(&w);
}
