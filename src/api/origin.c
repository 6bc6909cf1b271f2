/* How a file was made: its JSON as typed values. */
#include "base/arguments.h"
#include "base/json.h"
#include "count/counts_read.h"
#include "count/provenance.h"
#include "document/scorer.h"
#include "model/model_read.h"
#include "train/joint.h"
#include "train/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const pv_json_field text_fields[] = {
    PV_JSON_FIELD(psdvec_origin, tokens), PV_JSON_FIELD(psdvec_origin, documents), {0}};

static psdvec_status read_object(psdvec_context *ctx, const char *json, const pv_json_field *fields,
                                 void *record)
{
    pv_json j;
    pv_json_init(&j, json, strlen(json), 0);
    pv_json_read_record(&j, fields, record);
    return pv_json_finish(&j)
               ? PSDVEC_OK
               : pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                         "what the file says of how it was made cannot be read: %s", j.cause);
}

/* ---- Parts --------------------------------------------------------------------------- */

/* Names lie behind the array, in one block. */
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
    if (!list) {
        status = pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory for names of inputs");
        goto done;
    }
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
    psdvec_status status = PSDVEC_OK;
    pv_json j;
    pv_json_init(&j, json, strlen(json), 0);
    pv_json_enter_array(&j);
    while (status == PSDVEC_OK && pv_json_next_element(&j)) {
        psdvec_extension_info *longer =
            realloc(list, (origin->extension_count + 1) * sizeof *longer);
        if (!longer) {
            status = pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory for extensions");
            break;
        }
        list = longer;
        origin->extensions = list;
        list[origin->extension_count] = (psdvec_extension_info){.mu = (double)NAN};
        pv_json_read_record(&j, pv_extension_fields, &list[origin->extension_count++]);
    }
    if (status == PSDVEC_OK && !pv_json_finish(&j))
        status =
            pv_fail(ctx, PSDVEC_ERR_CORRUPT, "the list of extensions cannot be read: %s", j.cause);
    return status;
}

static psdvec_origin *new_origin(psdvec_context *ctx)
{
    psdvec_origin *origin = calloc(1, sizeof *origin);
    if (!origin)
        pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory");
    return origin;
}

static psdvec_status is_imported(psdvec_context *ctx, const char *settings, psdvec_origin *origin)
{
    pv_buffer value;
    pv_buffer_init(&value, ctx);
    psdvec_status status = pv_json_member(settings, "imported", &value);
    origin->imported = value.length > 0;
    pv_buffer_free(&value);
    return status;
}

/* ---- Files ---------------------------------------------------------------------------- */

psdvec_status psdvec_counts_origin(psdvec_context *ctx, const psdvec_counts *counts,
                                   psdvec_origin **origin)
{
    PV_CLEAR(origin);
    PV_BEGIN(ctx);
    PV_NEED(ctx, counts);
    PV_NEED(ctx, origin);
    psdvec_status status = PSDVEC_OK;
    const psdvec_counts_info *info = &counts->info;
    psdvec_origin *o = new_origin(ctx);
    if (!o)
        return pv_failure(ctx);
    o->tokens = info->tokens;
    o->documents = info->documents;
    if (info->inputs_json)
        PV_TRY_DONE(read_inputs(ctx, info->inputs_json, o));
    if (info->settings_json)
        PV_TRY_DONE(is_imported(ctx, info->settings_json, o));
done:
    if (status == PSDVEC_OK)
        *origin = o;
    else
        psdvec_origin_free(o);
    return status;
}

/* What a model says of the counts that it was made from. */
static psdvec_status read_counts(psdvec_context *ctx, const char *json, psdvec_origin *o)
{
    pv_buffer part;
    pv_buffer_init(&part, ctx);
    psdvec_status status = read_object(ctx, json, text_fields, o);
    if (status == PSDVEC_OK)
        status = pv_json_member(json, "inputs", &part);
    if (status == PSDVEC_OK && part.length)
        status = read_inputs(ctx, part.data, o);
    part.length = 0;
    if (status == PSDVEC_OK)
        status = pv_json_member(json, "settings", &part);
    if (status == PSDVEC_OK && part.length)
        status = is_imported(ctx, part.data, o);
    pv_buffer_free(&part);
    return status;
}

psdvec_status psdvec_model_origin(psdvec_context *ctx, const psdvec_model *model,
                                  psdvec_origin **origin)
{
    PV_CLEAR(origin);
    PV_BEGIN(ctx);
    PV_NEED(ctx, model);
    PV_NEED(ctx, origin);
    psdvec_status status = PSDVEC_OK;
    const psdvec_model_info *info = &model->info;
    psdvec_origin *o = new_origin(ctx);
    if (!o)
        return pv_failure(ctx);
    if (info->counts_json)
        PV_TRY_DONE(read_counts(ctx, info->counts_json, o));
    if (info->extensions_json)
        PV_TRY_DONE(read_extensions(ctx, info->extensions_json, o));
    if (info->joint_json) {
        o->has_joint = true;
        PV_TRY_DONE(read_object(ctx, info->joint_json, pv_joint_fields, &o->joint));
    }
    const double no = (double)NAN;
    o->fit =
        (psdvec_fit_report){no, no, no, no, no, no, 0, 0, no, no, no, no, no, no, no, no, 0, no};
    if (info->fit_json) {
        o->has_fit = true;
        PV_TRY_DONE(read_object(ctx, info->fit_json, pv_fit_fields, &o->fit));
    }
done:
    if (status == PSDVEC_OK)
        *origin = o;
    else
        psdvec_origin_free(o);
    return status;
}

void psdvec_origin_free(psdvec_origin *origin)
{
    if (!origin)
        return;
    free((void *)origin->inputs);
    free((void *)origin->extensions);
    free(origin);
}
