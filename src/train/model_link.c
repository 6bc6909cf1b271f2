/* From a model's settings to its link function. */
#include "train/model_link.h"

#include "base/json.h"
#include "model/model_read.h"
#include "train/options.h"
#include "train/train.h"

#include <string.h>

/* The model keeps the checksum of its counts. */
static bool are_same_counts(psdvec_context *ctx, const psdvec_model *m, const psdvec_counts *counts)
{
    const char *digest = pv_st_meta(counts->file, "xxh3.metadata");
    if (!digest || !m->info.counts_json)
        return false;
    pv_buffer kept; /* in quotes, and with a zero byte */
    pv_buffer_init(&kept, ctx);
    bool same = pv_json_member(m->info.counts_json, "xxh3", &kept) == PSDVEC_OK &&
                kept.length == strlen(digest) + 3 &&
                memcmp(kept.data + 1, digest, strlen(digest)) == 0;
    pv_buffer_free(&kept);
    return same;
}

psdvec_status pv_model_link_open(psdvec_context *ctx, const psdvec_model *model,
                                 const psdvec_counts *counts, bool sound, pv_model_link *out)
{
    *out = (pv_model_link){0};
    pv_buffer_init(&out->lists, ctx);
    const char *settings = model->info.settings_json;
    PV_TRY(
        pv_model_require_psd(ctx, model, "only models made by train say what counts ask of words"));
    if (!settings)
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: does not say how it was trained, so what counts ask of it is not "
                       "known; only models made by train do",
                       model->path);
    psdvec_train_options options;
    pv_link_past past = {0};
    PV_TRY(pv_settings_read(ctx, model->path, settings, &options, &out->lists));
    PV_TRY(pv_model_constants(ctx, model->path, settings, &options, &past.constants));
    if (counts->retention && !sound) /* then the rows are read */
        PV_TRY(pv_counts_verify_rows(ctx, counts));
    PV_TRY(pv_link_open(ctx, counts, &options, &past, &out->link));
    out->same_counts = are_same_counts(ctx, model, counts);
    return PSDVEC_OK;
}

void pv_model_link_close(pv_model_link *opened)
{
    pv_link_close(opened->link);
    pv_buffer_free(&opened->lists);
    *opened = (pv_model_link){0};
}

psdvec_status pv_model_words(psdvec_context *ctx, const psdvec_model *model,
                             const psdvec_counts *counts, uint32_t **out, uint32_t *common)
{
    uint32_t words = counts->info.words, *word = pv_alloc(ctx, words, sizeof *word, "the words");
    *out = word;
    *common = 0;
    if (!word)
        return pv_failure(ctx);
    for (uint32_t c = 0; c < words; c++)
        word[c] = PV_NO_WORD;
    for (uint32_t i = 0; i < model->info.words; i++) {
        size_t length, here = 0;
        const char *text = psdvec_model_word(model, i, &length);
        const char *same = i < words ? psdvec_counts_word(counts, i, &here) : NULL;
        uint32_t at = i; /* where it usually is */
        if (!(same && here == length && memcmp(same, text, length) == 0) &&
            !psdvec_counts_find(counts, text, length, &at))
            continue;
        *common += word[at] == PV_NO_WORD;
        word[at] = i;
    }
    return pv_check_cancel(ctx);
}

psdvec_status pv_model_counts_check(psdvec_context *ctx, const psdvec_counts *counts,
                                    bool same_counts, uint32_t common)
{
    if (common == 0)
        return pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                       "%s: has no word of the model; give the counts that it was trained on",
                       pv_st_path(counts->file));
    if (!same_counts)
        pv_warn(ctx, "%s: these are not the counts that the model was trained on",
                pv_st_path(counts->file));
    return PSDVEC_OK;
}
