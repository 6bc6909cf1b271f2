/* Options of scoring documents, generating text, and simulation. */
#include "document/options.h"

#include "base/arguments.h"
#include "train/options.h"

#include <math.h>
#include <stdio.h>

#define PV_OPTIONS_STRUCT psdvec_scorer_options
static const psdvec_option scorer_rows[] = {
#include <psdvec/options/scorer.def>
    {0}};

static bool scorer_rule(const void *options, char *why, size_t capacity)
{
    const psdvec_scorer_options *o = options;
    if (o->sampled == 0 || o->sampled >= 64)
        return true;
    snprintf(why, capacity,
             "`sampled` is %u; fewer than 64 words cannot represent a vocabulary; use more, or 0 "
             "for exact sums",
             (unsigned)o->sampled);
    return false;
}

const pv_options_table pv_scorer_table = {.name = "scorer",
                                          .rows = scorer_rows,
                                          .size = sizeof(psdvec_scorer_options),
                                          .rule = scorer_rule};

#undef PV_OPTIONS_STRUCT
#define PV_OPTIONS_STRUCT psdvec_generate_options
static const psdvec_option generate_rows[] = {
#include <psdvec/options/generate.def>
    {0}};

const pv_options_table pv_generate_table = {
    .name = "generate", .rows = generate_rows, .size = sizeof(psdvec_generate_options)};

static bool simulate_rule(const void *options, char *why, size_t capacity)
{
    const psdvec_simulate_options *o = options;
    if (o->form == PSDVEC_FORM_SYMMETRIC && o->dim < 3) {
        snprintf(why, capacity,
                 "`dim` is %u; `form=symmetric` needs at least 3, because it uses two for the "
                 "word frequencies",
                 (unsigned)o->dim);
        return false;
    }
    if (o->dim > o->vocab) {
        snprintf(why, capacity, "`dim` is %u; it must not be more than `vocab`, %u",
                 (unsigned)o->dim, (unsigned)o->vocab);
        return false;
    }
    return true;
}

#undef PV_OPTIONS_STRUCT
#define PV_OPTIONS_STRUCT psdvec_simulate_options
static const psdvec_option simulate_rows[] = {
#include <psdvec/options/simulate.def>
    {0}};

const pv_options_table pv_simulate_table = {.name = "simulate",
                                            .rows = simulate_rows,
                                            .size = sizeof(psdvec_simulate_options),
                                            .rule = simulate_rule};

psdvec_status psdvec_simulate_options_check(psdvec_context *ctx,
                                            const psdvec_simulate_options *options)
{
    psdvec_simulate_options own;
    PV_BEGIN(ctx);
    return pv_options_adopt(ctx, &pv_simulate_table, options, &own);
}
