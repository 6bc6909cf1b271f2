/* Options of training to JSON and back, from one table. */
#include "train/settings.h"

#include "base/json_fields.h"
#include "train/options.h"

#include <stddef.h>
#include <string.h>

static const char *const presets[] = {
    [PSDVEC_PRESET_DEFAULT] = "default", [PSDVEC_PRESET_PAPER] = "paper", NULL};
static const char *const forms[] = {
    [PSDVEC_FORM_SYMMETRIC] = "symmetric", [PSDVEC_FORM_PSD] = "psd", NULL};
static const char *const targets[] = {
    [PSDVEC_TARGET_PMI] = "pmi", [PSDVEC_TARGET_SMOOTHED] = "smoothed", NULL};
static const char *const weights[] = {[PSDVEC_WEIGHTS_FACTORED] = "factored",
                                      [PSDVEC_WEIGHTS_RAW] = "raw",
                                      [PSDVEC_WEIGHTS_SMOOTHED] = "smoothed",
                                      [PSDVEC_WEIGHTS_GLOVE] = "glove",
                                      NULL};

#define U32(name)                                                                                  \
    {                                                                                              \
#name, PV_FIELD_U32, offsetof(psdvec_train_options, name), NULL, 0, 0                      \
    }
#define REAL(name)                                                                                 \
    {                                                                                              \
#name, PV_FIELD_DOUBLE, offsetof(psdvec_train_options, name), NULL, 0, 0                   \
    }
#define BOOL(name)                                                                                 \
    {                                                                                              \
#name, PV_FIELD_BOOL, offsetof(psdvec_train_options, name), NULL, 0, 0                     \
    }
#define CHOICE(name, names)                                                                        \
    {                                                                                              \
#name, PV_FIELD_CHOICE, offsetof(psdvec_train_options, name), names, 0, 0                  \
    }

/* All but the lists and `restart`. Ranges are pv_train_options_fit()'s matter. */
static const pv_json_field fields[] = {CHOICE(preset, presets),
                                       U32(dim),
                                       CHOICE(form, forms),
                                       U32(core),
                                       CHOICE(target, targets),
                                       REAL(kappa),
                                       REAL(context_power),
                                       CHOICE(weights, weights),
                                       REAL(cut),
                                       REAL(factor_power),
                                       REAL(glove_max),
                                       REAL(glove_power),
                                       REAL(rho),
                                       REAL(rho_target),
                                       REAL(unseen_weight),
                                       U32(iterations),
                                       REAL(tolerance),
                                       REAL(relaxation),
                                       REAL(start),
                                       U32(rank_extra),
                                       REAL(eigen_tolerance),
                                       REAL(core_mu),
                                       REAL(mu_power),
                                       BOOL(centre),
                                       REAL(order),
                                       REAL(spelling)};
enum { FIELDS = sizeof fields / sizeof *fields };

psdvec_status pv_settings_write(psdvec_context *ctx, const psdvec_train_options *options,
                                pv_buffer *json)
{
    /* A number that is not finite would be written as null and could not be read. */
    PV_TRY(pv_train_options_check(ctx, options));
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w);
    pv_json_put_fields(&w, fields, FIELDS, options);
    pv_json_key(&w, "mu");
    pv_json_open_array(&w);
    for (size_t i = 0; i < options->mu_count; i++)
        pv_json_put_double(&w, options->mu[i]);
    pv_json_close(&w);
    pv_json_key(&w, "bands");
    if (options->mu_edges) {
        pv_json_open_array(&w);
        for (size_t i = 0; i + 1 < options->mu_count; i++)
            pv_json_put_u64(&w, options->mu_edges[i]);
        pv_json_close(&w);
    } else {
        pv_json_put_null(&w);
    }
    pv_json_close(&w);
    return pv_json_writer_status(&w);
}

typedef struct reading {
    psdvec_train_options options;
    pv_buffer mu, edges; /* doubles; uint32_t */
    uint64_t seen;
    bool mu_seen, bands_seen, banded;
} reading;

/* The sentence about memory is recorded already, and the first one stays. */
static bool keep(pv_json *j, psdvec_status status)
{
    return status == PSDVEC_OK || pv_json_reject(j, "memory is short");
}

static bool read_mu(pv_json *j, reading *r)
{
    double value;
    r->mu_seen = true;
    if (!pv_json_enter_array(j))
        return false;
    while (pv_json_next_element(j))
        if (!pv_json_read_double(j, &value) ||
            !keep(j, pv_buffer_append(&r->mu, &value, sizeof value)))
            return false;
    return j->cause == NULL;
}

static bool read_bands(pv_json *j, reading *r)
{
    uint64_t value;
    r->bands_seen = true;
    if (pv_json_peek(j) == PV_JSON_NULL)
        return pv_json_read_null(j);
    r->banded = true;
    if (!pv_json_enter_array(j))
        return false;
    while (pv_json_next_element(j)) {
        if (!pv_json_read_u64(j, &value))
            return false;
        if (value > UINT32_MAX)
            return pv_json_reject(j, "a rank is out of range");
        uint32_t edge = (uint32_t)value;
        if (!keep(j, pv_buffer_append(&r->edges, &edge, sizeof edge)))
            return false;
    }
    return j->cause == NULL;
}

static bool read_members(pv_json *j, reading *r, pv_buffer *key)
{
    if (!pv_json_enter_object(j))
        return false;
    for (key->length = 0; pv_json_next_key(j, key); key->length = 0) {
        bool ok;
        if (pv_json_text_is(key, "mu") && !r->mu_seen)
            ok = read_mu(j, r);
        else if (pv_json_text_is(key, "bands") && !r->bands_seen)
            ok = read_bands(j, r);
        else
            ok = pv_json_read_field(j, fields, FIELDS, key, &r->options, &r->seen) ||
                 pv_json_skip(j, NULL, NULL);
        if (!ok)
            return false;
    }
    return pv_json_finish(j);
}

static psdvec_status fail(psdvec_context *ctx, const char *path, const char *why)
{
    return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "%s: its settings of training cannot be used: %s", path,
                   why);
}

/* The lists into one block that the caller frees: doubles first, for their alignment. */
static psdvec_status hand_over(reading *r, psdvec_train_options *options, pv_buffer *lists)
{
    size_t mu_bytes = r->mu.length;
    lists->length = 0;
    PV_TRY(pv_buffer_append(lists, r->mu.data, mu_bytes));
    PV_TRY(pv_buffer_append(lists, r->edges.data, r->edges.length));
    *options = r->options;
    options->mu = (const double *)(const void *)lists->data;
    options->mu_count = mu_bytes / sizeof(double);
    options->mu_edges = r->banded ? (const uint32_t *)(const void *)(lists->data + mu_bytes) : NULL;
    return PSDVEC_OK;
}

psdvec_status pv_settings_read(psdvec_context *ctx, const char *path, const char *json,
                               psdvec_train_options *options, pv_buffer *lists)
{
    psdvec_status status = PSDVEC_OK;
    pv_json j;
    pv_buffer key;
    reading r = {0};
    char why[400];
    pv_buffer_init(&key, ctx);
    pv_buffer_init(&r.mu, ctx);
    pv_buffer_init(&r.edges, ctx);
    pv_json_init(&j, json, strlen(json), 0);
    const char *missing = NULL;
    if (read_members(&j, &r, &key)) {
        missing = pv_json_missing_field(fields, FIELDS, r.seen);
        if (!missing && (!r.mu_seen || !r.bands_seen))
            missing = r.mu_seen ? "bands" : "mu";
    }
    if (j.cause) {
        status = fail(ctx, path, j.cause);
    } else if (missing) {
        status = pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                         "%s: its settings of training lack \"%s\"; train it again", path, missing);
    } else if (r.banded && r.edges.length / sizeof(uint32_t) + 1 != r.mu.length / sizeof(double)) {
        status = fail(ctx, path, "the bands do not fit the list of mu");
    } else {
        PV_TRY_DONE(hand_over(&r, options, lists));
        if (!pv_train_options_fit(options, why, sizeof why))
            status = fail(ctx, path, why);
    }
done:
    pv_buffer_free(&key);
    pv_buffer_free(&r.mu);
    pv_buffer_free(&r.edges);
    return status;
}
