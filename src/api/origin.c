/* What a file records about how it was made: its JSON as typed values and as options. */
#include "api/settings.h"
#include "base/arguments.h"
#include "baseline/options.h"
#include "count/counts_read.h"
#include "count/options.h"
#include "count/provenance.h"
#include "document/scorer.h"
#include "model/model_read.h"
#include "train/joint.h"
#include "train/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const pv_json_field text_fields[] = {
    PV_JSON_FIELD(psdvec_origin, tokens), PV_JSON_FIELD(psdvec_origin, documents), {0}};

/* Without JSON nothing is read. */
static psdvec_status read_object(psdvec_context *ctx, const char *json, const pv_json_field *fields,
                                 void *record)
{
    if (!json)
        return PSDVEC_OK;
    pv_json j;
    pv_json_init(&j, json, strlen(json), 0);
    pv_json_read_record(&j, fields, record);
    return pv_json_finish(&j) ? PSDVEC_OK
                              : pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                                        "the provenance in the file cannot be read: %s", j.cause);
}

/* ---- Parts --------------------------------------------------------------------------- */

/* Names follow the array, in one block. */
static psdvec_status read_inputs(psdvec_context *ctx, const char *json, psdvec_origin *origin)
{
    psdvec_status status;
    pv_provenance inputs;
    pv_provenance_init(&inputs, ctx);
    PV_TRY_DONE(pv_provenance_add_inputs_json(&inputs, "the file", json));
    size_t bytes = inputs.input_count * sizeof(psdvec_input_info);
    for (size_t k = 0; k < inputs.input_count; k++)
        bytes += strlen(inputs.inputs[k].name) + 1;
    psdvec_input_info *list = calloc(1, bytes ? bytes : 1);
    if (!list)
        PV_TRY_DONE(
            pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while reading the names of inputs"));
    char *names = (char *)(list + inputs.input_count);
    for (size_t k = 0; k < inputs.input_count; k++) {
        const pv_input_note *note = &inputs.inputs[k];
        size_t length = strlen(note->name) + 1;
        memcpy(names, note->name, length);
        list[k] = (psdvec_input_info){.name = names,
                                      .files = note->files,
                                      .bytes = note->bytes,
                                      .documents = note->documents,
                                      .tokens = note->tokens};
        names += length;
    }
    origin->inputs = list;
    origin->input_count = inputs.input_count;
done:
    pv_provenance_free(&inputs);
    return status;
}

static psdvec_status read_extensions(psdvec_context *ctx, const char *json, psdvec_origin *origin)
{
    psdvec_extension_info *list = NULL;
    size_t *count = &origin->extension_count;
    pv_json j;
    pv_json_init(&j, json, strlen(json), 0);
    pv_json_enter_array(&j);
    while (pv_json_next_element(&j)) {
        list = realloc(list, (*count + 1) * sizeof *list);
        if (!list)
            return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while reading extensions");
        origin->extensions = list;
        list[*count] = (psdvec_extension_info){.mu = (double)NAN};
        pv_json_read_record(&j, pv_extension_fields, &list[(*count)++]);
    }
    if (pv_json_finish(&j))
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "the list of extensions cannot be read: %s", j.cause);
}

static psdvec_status is_imported(psdvec_context *ctx, const char *settings, psdvec_origin *origin)
{
    pv_buffer value = {.ctx = ctx};
    psdvec_status status = pv_json_member(settings, "imported", &value);
    origin->imported = value.length > 0;
    pv_buffer_free(&value);
    return status;
}

/* ---- Files ---------------------------------------------------------------------------- */

static psdvec_status read_counts(psdvec_context *ctx, const void *file, psdvec_origin *o)
{
    const psdvec_counts_info *info = &((const psdvec_counts *)file)->info;
    o->tokens = info->tokens;
    o->documents = info->documents;
    if (info->inputs_json)
        PV_TRY(read_inputs(ctx, info->inputs_json, o));
    return info->settings_json ? is_imported(ctx, info->settings_json, o) : PSDVEC_OK;
}

/* Reads what a model records about its counts. */
static psdvec_status read_counts_of_model(psdvec_context *ctx, const char *json, psdvec_origin *o)
{
    psdvec_status status;
    pv_buffer inputs = {.ctx = ctx}, settings = {.ctx = ctx};
    PV_TRY_DONE(read_object(ctx, json, text_fields, o));
    PV_TRY_DONE(pv_json_member(json, "inputs", &inputs));
    if (inputs.length)
        PV_TRY_DONE(read_inputs(ctx, inputs.data, o));
    PV_TRY_DONE(pv_json_member(json, "settings", &settings));
    if (settings.length)
        status = is_imported(ctx, settings.data, o);
done:
    pv_buffer_free(&inputs);
    pv_buffer_free(&settings);
    return status;
}

static psdvec_status read_model(psdvec_context *ctx, const void *file, psdvec_origin *o)
{
    const psdvec_model_info *info = &((const psdvec_model *)file)->info;
    const double no = (double)NAN;
    o->fit =
        (psdvec_fit_report){no, no, no, no, no, no, 0, 0, no, no, no, no, no, no, no, no, 0, no};
    o->has_joint = info->joint_json != NULL;
    o->has_fit = info->fit_json != NULL;
    if (info->counts_json)
        PV_TRY(read_counts_of_model(ctx, info->counts_json, o));
    if (info->extensions_json)
        PV_TRY(read_extensions(ctx, info->extensions_json, o));
    PV_TRY(read_object(ctx, info->joint_json, pv_joint_fields, &o->joint));
    return read_object(ctx, info->fit_json, pv_fit_fields, &o->fit);
}

static psdvec_status make(psdvec_context *ctx, const void *file,
                          psdvec_status (*read)(psdvec_context *, const void *, psdvec_origin *),
                          psdvec_origin **origin)
{
    *origin = calloc(1, sizeof **origin);
    if (!*origin)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory");
    psdvec_status status = read(ctx, file, *origin);
    if (status != PSDVEC_OK) {
        psdvec_origin_free(*origin);
        *origin = NULL;
    }
    return status;
}

psdvec_status psdvec_counts_origin(psdvec_context *ctx, const psdvec_counts *counts,
                                   psdvec_origin **origin)
{
    PV_CLEAR(origin);
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    PV_NEED(ctx, origin);
    return make(ctx, counts, read_counts, origin);
}

psdvec_status psdvec_model_origin(psdvec_context *ctx, const psdvec_model *model,
                                  psdvec_origin **origin)
{
    PV_CLEAR(origin);
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, origin);
    return make(ctx, model, read_model, origin);
}

void psdvec_origin_free(psdvec_origin *origin)
{
    if (!origin)
        return;
    free((void *)origin->inputs);
    free((void *)origin->extensions);
    free(origin);
}

/* ---- Options ---------------------------------------------------------------------------- */

/* Copies the values of a struct via their text form, which preserves every bit. Options without
 * effect keep their defaults: psdvec_settings_finish would reject them as set. */
static psdvec_status take_all(psdvec_context *ctx, const char *path, const pv_options_table *table,
                              const void *options, psdvec_settings *settings)
{
    for (const psdvec_option *row = table->rows; row->name; row++) {
        if (!pv_options_hold(table, options, row->needs))
            continue;
        errno = 0;
        char *text = pv_option_text(row, options);
        if (!text && errno == ENOMEM)
            return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while reading options");
        psdvec_status status = text ? psdvec_settings_set(settings, row->name, text) : PSDVEC_OK;
        free(text);
        if (status == PSDVEC_ERR_OPTION) /* about a number that was read without its limits */
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "%s: the settings in the file are invalid: %s",
                           path, psdvec_settings_message(settings));
        if (status != PSDVEC_OK)
            return pv_fail(ctx, status, "%s", psdvec_settings_message(settings));
    }
    return PSDVEC_OK;
}

static psdvec_status hand_over(psdvec_context *ctx, const char *path, psdvec_options_kind kind,
                               const void *options, psdvec_settings **out)
{
    psdvec_settings *settings = psdvec_settings_new(kind, NULL);
    if (!settings)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while reading options");
    psdvec_status status = take_all(ctx, path, pv_options_of(kind), options, settings);
    if (status == PSDVEC_OK)
        *out = settings;
    else
        psdvec_settings_free(settings);
    return status;
}

static psdvec_status counting(psdvec_context *ctx, const char *path, const char *settings,
                              const char *vocabulary, psdvec_settings **out)
{
    psdvec_count_options options;
    pv_buffer strings = {.ctx = ctx};
    psdvec_status status;
    PV_TRY_DONE(pv_provenance_read_settings(ctx, path, settings, &options, &strings));
    if (vocabulary) { /* how the words were chosen, which counts files store separately */
        static const pv_json_field fields[] = {PV_JSON_FIELD(psdvec_count_options, min_count),
                                               PV_JSON_FIELD(psdvec_count_options, max_vocab),
                                               {0}};
        pv_json j;
        pv_json_init(&j, vocabulary, strlen(vocabulary), 0);
        pv_json_read_record(&j, fields, &options);
    }
    status = hand_over(ctx, path, PSDVEC_OPTIONS_COUNT, &options, out);
done:
    pv_buffer_free(&strings);
    return status;
}

psdvec_status psdvec_counts_settings(psdvec_context *ctx, const psdvec_counts *counts,
                                     psdvec_settings **settings)
{
    PV_CLEAR(settings);
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    PV_NEED(ctx, settings);
    const psdvec_counts_info *info = psdvec_counts_get_info(counts);
    return counting(ctx, pv_st_path(counts->file), info->settings_json, info->vocabulary_json,
                    settings);
}

static psdvec_status unknown(psdvec_context *ctx, const psdvec_model *model)
{
    return pv_fail(ctx, PSDVEC_ERR_MISMATCH, "%s: has no provenance", model->path);
}

static psdvec_status counting_of_model(psdvec_context *ctx, const psdvec_model *model,
                                       psdvec_settings **out)
{
    pv_buffer settings = {.ctx = ctx}, vocabulary = {.ctx = ctx};
    psdvec_status status;
    if (!model->info.counts_json)
        return unknown(ctx, model);
    PV_TRY_DONE(pv_json_member(model->info.counts_json, "settings", &settings));
    PV_TRY_DONE(pv_json_member(model->info.counts_json, "vocabulary", &vocabulary));
    status = settings.length ? counting(ctx, model->path, settings.data,
                                        vocabulary.length ? vocabulary.data : NULL, out)
                             : unknown(ctx, model);
done:
    pv_buffer_free(&settings);
    pv_buffer_free(&vocabulary);
    return status;
}

psdvec_status psdvec_model_settings(psdvec_context *ctx, const psdvec_model *model,
                                    psdvec_options_kind kind, psdvec_settings **settings)
{
    PV_CLEAR(settings);
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, settings);
    psdvec_train_options train;
    psdvec_baseline_options baseline;
    psdvec_status status;
    if (kind == PSDVEC_OPTIONS_COUNT)
        return counting_of_model(ctx, model, settings);
    const psdvec_model_info *info = &model->info;
    bool psd = !info->method || !strcmp(info->method, psdvec_method_name(PSDVEC_METHOD_PSD));
    if (!info->settings_json || (kind == PSDVEC_OPTIONS_TRAIN) != psd ||
        (kind != PSDVEC_OPTIONS_TRAIN && kind != PSDVEC_OPTIONS_BASELINE))
        return unknown(ctx, model);
    pv_buffer memory = {.ctx = ctx};
    if (psd) {
        PV_TRY_DONE(pv_settings_read(ctx, model->path, info->settings_json, &train, &memory));
        status = hand_over(ctx, model->path, kind, &train, settings);
    } else {
        static const char *const also[] = {"seed", NULL};
        PV_TRY_DONE(pv_options_read_json(ctx, &pv_baseline_table, model->path, "training",
                                         info->settings_json, also, &baseline, &memory));
        status = hand_over(ctx, model->path, kind, &baseline, settings);
    }
done:
    pv_buffer_free(&memory);
    return status;
}
