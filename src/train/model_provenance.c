/* What a model file records about the counts or the text that it was made from. */
#include "train/train.h"

#include "base/json.h"
#include "base/platform.h"
#include "model/model_read.h"

#include <string.h>

/* Replaces the copy of an input in the list of inputs by the name of the input. */
static psdvec_status rename_input(psdvec_context *ctx, const pv_kept_input *kept, pv_buffer *list)
{
    pv_buffer copy = {.ctx = ctx}, renamed = {.ctx = ctx};
    psdvec_status status;
    PV_TRY_DONE(pv_json_append_string(&copy, kept->copy, strlen(kept->copy)));
    const char *at = pv_find_bytes(list->data, list->length, copy.data, copy.length);
    if (!at)
        goto done;
    const char *rest = at + copy.length;
    PV_TRY_DONE(pv_buffer_append(&renamed, list->data, (size_t)(at - list->data)));
    const char *name = pv_provenance_name(list->ctx, kept->input);
    PV_TRY_DONE(pv_json_append_string(&renamed, name, strlen(name)));
    PV_TRY_DONE(pv_buffer_append(&renamed, rest, (size_t)(list->data + list->length - rest)));
    list->length = 0;
    status = pv_buffer_append(list, renamed.data, renamed.length);
done:
    pv_buffer_free(&copy);
    pv_buffer_free(&renamed);
    return status;
}

/* The provenance of a text or of counts. */
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
                                   const pv_kept_input *kept, size_t kept_count, pv_buffer *json)
{
    const psdvec_counts_info *info = &counts->info;
    pv_buffer inputs = {.ctx = ctx};
    psdvec_status status = PSDVEC_OK;
    if (info->inputs_json)
        PV_TRY_DONE(pv_buffer_append(&inputs, info->inputs_json, strlen(info->inputs_json) + 1));
    for (size_t k = 0; k < kept_count && info->inputs_json; k++)
        PV_TRY_DONE(rename_input(ctx, &kept[k], &inputs));
    status = write_provenance(&(provenance){.settings = info->settings_json,
                                            .vocabulary = info->vocabulary_json,
                                            .inputs = inputs.data,
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
    pv_buffer inputs = {.ctx = text->ctx};
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

psdvec_status pv_model_counting(psdvec_context *ctx, const psdvec_model *model,
                                psdvec_count_options *options, pv_buffer *strings, bool *recorded)
{
    pv_buffer settings = {.ctx = ctx};
    psdvec_count_options_default(options);
    psdvec_status status = pv_json_member(model->info.counts_json, "settings", &settings);
    *recorded = settings.length > 0;
    if (status == PSDVEC_OK && *recorded)
        status = pv_provenance_read_settings(ctx, model->path, settings.data, options, strings);
    pv_buffer_free(&settings);
    return status;
}
