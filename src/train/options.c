/* Options of training and of adding words: their choices, and which may be combined. */
#include "train/options.h"

#include "base/arguments.h"
#include "corpus/options.h"
#include "link/weights.h"
#include "util/c_locale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const psdvec_choice pv_preset_choices[] = {
    [PSDVEC_PRESET_DEFAULT] = {.name = "default", .help = "the values that give the best vectors"},
    [PSDVEC_PRESET_PAPER] = {.name = "paper", .help = "the values of Li, Zhu and Miao 2015"},
    {0}};
const psdvec_choice pv_form_choices[] = {
    [PSDVEC_FORM_SYMMETRIC] = {.name = "symmetric",
                               .help = "eigenvalues of largest magnitude, with their signs"},
    [PSDVEC_FORM_PSD] = {.name = "psd",
                         .help = "the largest positive eigenvalues, as in the paper"},
    {0}};

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            pv_snprintf(why, capacity, __VA_ARGS__);                                               \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

static const double default_mu[] = {2}, paper_mu[] = {2, 4, 8};
static const uint32_t paper_bands[] = {80000, 130000};
static const pv_option_list default_lists[] = {
    {"2", default_mu, sizeof default_mu / sizeof *default_mu},
    {"2,4,8", paper_mu, sizeof paper_mu / sizeof *paper_mu},
    {"80000,130000", paper_bands, sizeof paper_bands / sizeof *paper_bands},
    {0}};

static bool bands_fit(const psdvec_train_options *o, char *why, size_t capacity)
{
    CHECK(o->mu && o->mu_count >= 1, "`mu` is empty; it must have at least one number");
    if (!o->bands || o->bands == paper_bands) /* fit_default_bands */
        return true;
    CHECK(o->bands_count + 1 == o->mu_count,
          "`bands` divides the words into %zu bands, but `mu` has %zu value%s; each band needs one",
          o->bands_count + 1, o->mu_count, o->mu_count == 1 ? "" : "s");
    for (size_t i = 0; i < o->bands_count; i++) {
        CHECK(i == 0 || o->bands[i] > o->bands[i - 1],
              "`bands` has %" PRIu32 " after %" PRIu32 "; the ranks must be in ascending order",
              o->bands[i], o->bands[i - 1]);
        CHECK(o->bands[i] > o->core,
              "`bands` has %" PRIu32 ", which is within the core of %" PRIu32 " words; bands "
              "divide the noncore words",
              o->bands[i], o->core);
    }
    return true;
}

static bool train_rule(const void *options, char *why, size_t capacity)
{
    const psdvec_train_options *o = options;
    bool directed = pv_target_rules[o->target].directed;
    bool factored = o->weights == PSDVEC_WEIGHTS_FACTORED;
    CHECK(o->unseen_weight == 0 || (o->rho == 0 && !pv_weight_rules[o->weights].weighs_unseen),
          "`unseen_weight` requires weights that are 0 for unseen pairs: not `weights=smoothed`, "
          "and `weights=factored` only if `rho` is 0");
    CHECK(directed || !pv_weight_rules[o->weights].weighs_unseen,
          "`weights=smoothed` gives a weight to pairs that never occur, but only "
          "`target=smoothed` has a target for them; use both or neither");
    CHECK(directed || o->start <= 0,
          "`start` is %g, which needs targets of all pairs, but `target=pmi` has none for pairs "
          "that never occur; use `start=0` or `target=smoothed`",
          o->start);
    CHECK(factored || o->rho == 0,
          "`rho` is %g, which requires `weights=factored`; use `rho=0` or these weights", o->rho);
    CHECK(!factored || o->relaxation * (1 + o->rho) < 2,
          "`relaxation` is %g and `rho` is %g, which gives steps of length %g; steps of 2 or more "
          "do not converge, so lower one of the two",
          o->relaxation, o->rho, o->relaxation * (1 + o->rho));
    return bands_fit(o, why, capacity);
}

#undef CHECK

/* The bands of the preset, which the caller did not choose, adapt to `mu` and `core`: they do not
 * apply unless there are three values, and bands within the core contain no words. */
static void fit_default_bands(psdvec_train_options *o)
{
    if (o->bands != paper_bands)
        return;
    if (o->mu_count != o->bands_count + 1)
        o->bands_count = 0;
    for (; o->bands_count && o->bands[0] <= o->core; o->bands++, o->bands_count--) {
        o->mu++;
        o->mu_count--;
    }
    if (o->bands_count == 0)
        o->bands = NULL;
}

#define PV_OPTIONS_STRUCT psdvec_train_options
static const psdvec_option train_rows[] = {
#include <psdvec/options/train.def>
    {0}};

const pv_options_table pv_train_table = {.name = "train",
                                         .rows = train_rows,
                                         .size = sizeof(psdvec_train_options),
                                         .rule = train_rule,
                                         .lists = default_lists};

#undef PV_OPTIONS_STRUCT
#define PV_OPTIONS_STRUCT psdvec_extend_options
static const psdvec_option extend_rows[] = {
#include <psdvec/options/extend.def>
    {0}};

const pv_options_table pv_extend_table = {
    .name = "extend", .rows = extend_rows, .size = sizeof(psdvec_extend_options)};

psdvec_status pv_train_options_adopt(psdvec_context *ctx, const psdvec_train_options *given,
                                     psdvec_train_options *own)
{
    PV_TRY(pv_options_adopt(ctx, &pv_train_table, given, own));
    fit_default_bands(own);
    if (own->core_mu > 0 && own->form != PSDVEC_FORM_PSD)
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "`core_mu` is %g, but only `form=psd` has a prior of core words; use this "
                       "form or `core_mu=0`",
                       own->core_mu);
    return PSDVEC_OK;
}

psdvec_status psdvec_train_options_check(psdvec_context *ctx, const psdvec_train_options *options)
{
    psdvec_train_options own;
    PV_BEGIN(ctx);
    return pv_train_options_adopt(ctx, options, &own);
}

/* ---- As JSON ----------------------------------------------------------------------------- */
static const pv_json_field constant_fields[] = {PV_JSON_FIELD(pv_link_constants, cut),
                                                PV_JSON_FIELD(pv_link_constants, factor_mean),
                                                PV_JSON_FIELD(pv_link_constants, total),
                                                {0}};

psdvec_status pv_settings_write(psdvec_context *ctx, const psdvec_train_options *options,
                                const pv_link_constants *constants, pv_buffer *json)
{
    /* A number that is not finite would be written as null and could not be read. */
    PV_TRY(pv_options_check(ctx, &pv_train_table, options));
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    pv_options_put_json(&w, &pv_train_table, options);
    if (constants) {
        pv_json_open_object(&w, "constants");
        pv_json_put_fields(&w, constant_fields, constants, false);
        pv_json_close(&w);
    }
    pv_json_close(&w);
    return pv_json_writer_status(&w);
}

psdvec_status pv_settings_read(psdvec_context *ctx, const char *path, const char *json,
                               psdvec_train_options *options, pv_buffer *lists)
{
    static const char *const also[] = {"constants", NULL};
    PV_TRY(
        pv_options_read_json(ctx, &pv_train_table, path, "training", json, also, options, lists));
    fit_default_bands(options);
    return PSDVEC_OK;
}

psdvec_status pv_settings_constants(psdvec_context *ctx, const char *path, const char *json,
                                    const psdvec_train_options *options,
                                    pv_link_constants *constants)
{
    const pv_weight_rule *rule = &pv_weight_rules[options->weights];
    pv_buffer object = {.ctx = ctx};
    pv_json j;
    *constants = (pv_link_constants){0};
    psdvec_status status;
    PV_TRY_DONE(pv_json_member(json, "constants", &object));
    if (object.length) {
        pv_json_init(&j, object.data, object.length - 1, 0);
        pv_json_read_record(&j, constant_fields, constants);
    }
    const char *missing = rule->measure && !(constants->cut > 0)            ? "cut"
                          : rule->factored && !(constants->factor_mean > 0) ? "factor_mean"
                                                                            : NULL;
    if (missing)
        status = pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                         "%s: its settings lack the constant \"%s\", which its weights need; "
                         "train the model again",
                         path, missing);
done:
    pv_buffer_free(&object);
    return status;
}
