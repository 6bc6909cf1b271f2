/* The options that a file was made with. */
#include "api/registry.h"
#include "base/arguments.h"
#include "baseline/options.h"
#include "count/counts_read.h"
#include "count/options.h"
#include "count/provenance.h"
#include "model/model_read.h"
#include "train/options.h"

#include <stdlib.h>
#include <string.h>

/* Takes over the values of a struct, by way of text, which keeps every bit. Options without effect
 * keep their defaults: psdvec_settings_finish would refuse them as set. */
static psdvec_status take_all(psdvec_context *ctx, const char *path, const pv_options_table *table,
                              const void *options, psdvec_settings *settings)
{
    for (const psdvec_option *row = table->rows; row->name; row++) {
        if (!pv_options_hold(table, options, row->needs))
            continue;
        char *text = pv_option_text(row, options);
        psdvec_status status = text ? psdvec_settings_set(settings, row->name, text) : PSDVEC_OK;
        free(text);
        if (status == PSDVEC_ERR_OPTION) /* of a number that is read without its limits */
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "%s: its settings cannot be used: %s", path,
                           psdvec_settings_message(settings));
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
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory for options");
    psdvec_status status = take_all(ctx, path, pv_options_of(kind), options, settings);
    if (status == PSDVEC_OK)
        *out = settings;
    else
        psdvec_settings_free(settings);
    return status;
}

/* How the words were chosen, which counts files keep apart from the rest. */
static void read_vocabulary(const char *json, psdvec_count_options *options)
{
    static const pv_json_field fields[] = {PV_JSON_FIELD(psdvec_count_options, min_count),
                                           PV_JSON_FIELD(psdvec_count_options, max_vocab),
                                           {0}};
    pv_json j;
    pv_json_init(&j, json, strlen(json), 0);
    pv_json_read_record(&j, fields, options);
}

static psdvec_status counting(psdvec_context *ctx, const char *path, const char *settings,
                              const char *vocabulary, psdvec_settings **out)
{
    psdvec_count_options options;
    pv_buffer strings;
    pv_buffer_init(&strings, ctx);
    psdvec_status status;
    PV_TRY_DONE(pv_provenance_read_settings(ctx, path, settings, &options, &strings));
    if (vocabulary)
        read_vocabulary(vocabulary, &options);
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
    return pv_fail(ctx, PSDVEC_ERR_MISMATCH, "%s: does not say how it was made", model->path);
}

static psdvec_status counting_of_model(psdvec_context *ctx, const psdvec_model *model,
                                       psdvec_settings **out)
{
    pv_buffer settings, vocabulary;
    psdvec_status status;
    if (!model->info.counts_json)
        return unknown(ctx, model);
    pv_buffer_init(&settings, ctx);
    pv_buffer_init(&vocabulary, ctx);
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
    pv_buffer memory;
    pv_buffer_init(&memory, ctx);
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
