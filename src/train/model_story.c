/* What a model file says about how it was made. */
#include "train/train.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "train/settings.h"

#include <string.h>

psdvec_status pv_model_settings(psdvec_context *ctx, const psdvec_train_options *options,
                                const pv_link_constants *constants, pv_buffer *json)
{
    PV_TRY(pv_settings_write(ctx, options, json));
    json->length--; /* its closing brace */
    pv_buffer inner;
    pv_buffer_init(&inner, ctx);
    pv_json_writer w;
    pv_json_writer_init(&w, &inner);
    pv_json_open_object(&w);
    pv_json_key(&w, "cut");
    pv_json_put_double(&w, constants->cut);
    pv_json_key(&w, "factor_mean");
    pv_json_put_double(&w, constants->factor_mean);
    pv_json_close(&w);
    psdvec_status status = pv_json_writer_status(&w);
    if (status == PSDVEC_OK)
        status = pv_buffer_printf(json, ",\"constants\":%.*s}", (int)inner.length, inner.data);
    pv_buffer_free(&inner);
    return status == PSDVEC_OK ? pv_buffer_byte(json, 0) : status;
}

psdvec_status pv_model_constants(psdvec_context *ctx, const char *path, const char *json,
                                 pv_link_constants *constants)
{
    pv_json j;
    pv_buffer key;
    bool found = false;
    pv_buffer_init(&key, ctx);
    pv_json_init(&j, json, strlen(json), 0);
    pv_json_enter_object(&j);
    while (key.length = 0, pv_json_next_key(&j, &key)) {
        if (!pv_json_text_is(&key, "constants"))
            continue;
        pv_json_enter_object(&j);
        while (key.length = 0, pv_json_next_key(&j, &key))
            if (pv_json_text_is(&key, "cut"))
                found = pv_json_read_double(&j, &constants->cut);
            else if (pv_json_text_is(&key, "factor_mean"))
                pv_json_read_double(&j, &constants->factor_mean);
    }
    bool fine = pv_json_finish(&j) && found;
    pv_buffer_free(&key);
    return fine ? PSDVEC_OK
                : pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                          "%s: its settings have no constants of the link function; train it again",
                          path);
}

psdvec_status pv_counts_story(psdvec_context *ctx, const psdvec_counts *counts, pv_buffer *json)
{
    (void)ctx;
    const psdvec_counts_info *info = &counts->info;
    const char *parts[][2] = {{"settings", info->settings_json},
                              {"vocabulary", info->vocabulary_json},
                              {"inputs", info->inputs_json}};
    pv_json_writer w;
    pv_json_writer_init(&w, json);
    pv_json_open_object(&w);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k][1]) {
            pv_json_key(&w, parts[k][0]);
            pv_json_put_raw(&w, parts[k][1], strlen(parts[k][1]));
        }
    pv_json_key(&w, "words");
    pv_json_put_u64(&w, info->words);
    pv_json_key(&w, "bigrams");
    pv_json_put_u64(&w, info->bigrams);
    pv_json_key(&w, "tokens");
    pv_json_put_u64(&w, info->tokens);
    pv_json_key(&w, "documents");
    pv_json_put_u64(&w, info->documents);
    const char *digest = pv_st_meta(counts->file, "xxh3.metadata");
    if (digest) {
        pv_json_key(&w, "xxh3");
        pv_json_put_string(&w, digest);
    }
    pv_json_close(&w);
    PV_TRY(pv_json_writer_status(&w));
    return pv_buffer_byte(json, 0);
}
