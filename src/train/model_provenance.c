/* What a model file says about how it was made. */
#include "base/platform.h"
#include "train/train.h"

#include "base/json.h"
#include "link/weights.h"
#include "train/options.h"

#include <string.h>

static const pv_json_field constant_fields[] = {PV_JSON_FIELD(pv_link_constants, cut),
                                                PV_JSON_FIELD(pv_link_constants, factor_mean),
                                                PV_JSON_FIELD(pv_link_constants, total),
                                                {0}};

psdvec_status pv_model_settings(psdvec_context *ctx, const psdvec_train_options *options,
                                const pv_link_constants *constants, pv_buffer *json)
{
    PV_TRY(pv_settings_write(ctx, options, json));
    json->length--; /* its closing brace */
    pv_buffer inner;
    pv_buffer_init(&inner, ctx);
    pv_json_writer w;
    pv_json_writer_init(&w, &inner);
    pv_json_open_object(&w, NULL);
    pv_json_put_fields(&w, constant_fields, constants, false);
    pv_json_close(&w);
    psdvec_status status = pv_json_writer_status(&w);
    if (status == PSDVEC_OK)
        status = pv_buffer_printf(json, ",\"constants\":%.*s}", (int)inner.length, inner.data);
    pv_buffer_free(&inner);
    return status == PSDVEC_OK ? pv_buffer_byte(json, 0) : status;
}

psdvec_status pv_model_constants(psdvec_context *ctx, const char *path, const char *json,
                                 const psdvec_train_options *options, pv_link_constants *constants)
{
    const pv_weight_rule *rule = &pv_weight_rules[options->weights];
    pv_buffer object;
    pv_json j;
    pv_buffer_init(&object, ctx);
    *constants = (pv_link_constants){0};
    psdvec_status status = pv_json_member(json, "constants", &object);
    if (status == PSDVEC_OK && object.length) {
        pv_json_init(&j, object.data, object.length - 1, 0);
        pv_json_read_record(&j, constant_fields, constants);
    }
    pv_buffer_free(&object);
    const char *missing = rule->measure && !(constants->cut > 0)            ? "cut"
                          : rule->factored && !(constants->factor_mean > 0) ? "factor_mean"
                                                                            : NULL;
    if (status == PSDVEC_OK && missing)
        status = pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                         "%s: its settings do not have the constant \"%s\", which its weights "
                         "need; train it again",
                         path, missing);
    return status;
}

/* The list of inputs with "-" instead of `kept`. */
static psdvec_status rename_input(psdvec_context *ctx, const char *inputs, const char *kept,
                                  pv_buffer *out)
{
    pv_buffer name;
    pv_buffer_init(&name, ctx);
    psdvec_status status = pv_json_append_string(&name, kept, strlen(kept));
    const char *at =
        status == PSDVEC_OK ? pv_find_bytes(inputs, strlen(inputs), name.data, name.length) : NULL;
    if (at) {
        status = pv_buffer_append(out, inputs, (size_t)(at - inputs));
        if (status == PSDVEC_OK)
            status = pv_buffer_text(out, "\"-\"");
        inputs = at + name.length;
    }
    if (status == PSDVEC_OK)
        status = pv_buffer_append(out, inputs, strlen(inputs) + 1);
    pv_buffer_free(&name);
    return status;
}

/* What is told of a text, or of counts. */
typedef struct provenance {
    const char *settings, *vocabulary, *inputs; /* JSON, or NULL */
    uint64_t words, tokens, documents;
    const psdvec_counts *counts; /* NULL: it was not counted */
} provenance;

static psdvec_status write_provenance(const provenance *s, pv_buffer *json)
{
    const char *parts[][2] = {
        {"settings", s->settings}, {"vocabulary", s->vocabulary}, {"inputs", s->inputs}};
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w, NULL);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k][1])
            pv_json_put_raw(&w, parts[k][0], parts[k][1], strlen(parts[k][1]));
    pv_json_put_u64(&w, "words", s->words);
    if (s->counts)
        pv_json_put_u64(&w, "bigrams", s->counts->info.bigrams);
    pv_json_put_u64(&w, "tokens", s->tokens);
    pv_json_put_u64(&w, "documents", s->documents);
    const char *digest = s->counts ? pv_st_meta(s->counts->file, "xxh3.metadata") : NULL;
    if (digest)
        pv_json_put_string(&w, "xxh3", digest);
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, 0);
}

psdvec_status pv_counts_provenance(psdvec_context *ctx, const psdvec_counts *counts,
                                   const char *kept, pv_buffer *json)
{
    const psdvec_counts_info *info = &counts->info;
    pv_buffer inputs;
    pv_buffer_init(&inputs, ctx);
    psdvec_status status = PSDVEC_OK;
    if (kept && info->inputs_json)
        PV_TRY_DONE(rename_input(ctx, info->inputs_json, kept, &inputs));
    status =
        write_provenance(&(provenance){.settings = info->settings_json,
                                       .vocabulary = info->vocabulary_json,
                                       .inputs = inputs.length ? inputs.data : info->inputs_json,
                                       .words = info->words,
                                       .tokens = info->tokens,
                                       .documents = info->documents,
                                       .counts = counts},
                         json);
done:
    pv_buffer_free(&inputs);
    return status;
}

psdvec_status pv_text_provenance(pv_reading *text, pv_buffer *json)
{
    pv_provenance *p = &text->provenance;
    pv_buffer inputs;
    pv_buffer_init(&inputs, text->ctx);
    psdvec_status status;
    PV_TRY_DONE(pv_provenance_inputs_json(p, &inputs));
    PV_TRY_DONE(pv_buffer_byte(&inputs, 0));
    status = write_provenance(&(provenance){.settings = p->settings,
                                            .vocabulary = p->vocabulary,
                                            .inputs = inputs.data,
                                            .words = text->vocabulary.count,
                                            .tokens = p->tokens,
                                            .documents = p->documents},
                              json);
done:
    pv_buffer_free(&inputs);
    return status;
}
