/* From the settings of a model to its link function, and the explanation of a pair by it. */
#include "train/model_link.h"

#include "base/arguments.h"
#include "base/json.h"
#include "model/model_read.h"
#include "train/options.h"

#include <math.h>
#include <string.h>

/* The model stores the checksum of its counts. */
static bool are_same_counts(psdvec_context *ctx, const psdvec_model *m, const psdvec_counts *counts)
{
    const char *digest = pv_st_meta(counts->file, "xxh3.metadata");
    if (!digest || !m->info.counts_json)
        return false;
    pv_buffer kept = {.ctx = ctx}; /* in quotes and zero-terminated */
    bool same = pv_json_member(m->info.counts_json, "xxh3", &kept) == PSDVEC_OK &&
                kept.length == strlen(digest) + 3 &&
                memcmp(kept.data + 1, digest, strlen(digest)) == 0;
    pv_buffer_free(&kept);
    return same;
}

static psdvec_status number_words(psdvec_context *ctx, const psdvec_model *model,
                                  const psdvec_counts *counts, pv_model_link *out)
{
    uint32_t words = counts->info.words;
    uint32_t *word = out->word = pv_alloc(ctx, words, sizeof *word, "the words");
    if (!word)
        return pv_failure(ctx);
    for (uint32_t c = 0; c < words; c++)
        word[c] = PV_NO_WORD;
    for (uint32_t i = 0; i < model->info.words; i++) {
        size_t length, here = 0;
        const char *text = psdvec_model_word(model, i, &length);
        const char *same = i < words ? psdvec_counts_word(counts, i, &here) : NULL;
        uint32_t at = i; /* the usual position */
        if (!(same && here == length && memcmp(same, text, length) == 0) &&
            !psdvec_counts_find(counts, text, length, &at))
            continue;
        out->common += word[at] == PV_NO_WORD;
        word[at] = i;
    }
    return pv_check_cancel(ctx);
}

psdvec_status pv_model_link_open(psdvec_context *ctx, const psdvec_model *model,
                                 const psdvec_counts *counts, bool pairs, pv_model_link *out)
{
    *out = (pv_model_link){.lists = {.ctx = ctx}};
    const char *settings = model->info.settings_json;
    if (pairs) {
        PV_TRY(pv_model_check_vectors(ctx, model));
        PV_TRY(pv_counts_verify_rows(ctx, counts));
    }
    PV_TRY(pv_model_require_psd(ctx, model, "only models made by psdvec train have targets"));
    if (!settings)
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: does not record how it was trained, so the targets are unknown; only "
                       "models made by psdvec train have them",
                       model->path);
    psdvec_train_options options;
    pv_link_past past = {0};
    PV_TRY(pv_settings_read(ctx, model->path, settings, &options, &out->lists));
    PV_TRY(pv_settings_constants(ctx, model->path, settings, &options, &past.constants));
    PV_TRY(pv_link_open(ctx, counts, &options, &past, &out->link));
    out->same_counts = are_same_counts(ctx, model, counts);
    return pairs ? number_words(ctx, model, counts, out) : PSDVEC_OK;
}

void pv_model_link_close(pv_model_link *opened)
{
    pv_link_close(opened->link);
    pv_free(opened->lists.ctx, opened->word);
    pv_buffer_free(&opened->lists);
    *opened = (pv_model_link){0};
}

psdvec_status pv_model_counts_check(psdvec_context *ctx, const psdvec_counts *counts,
                                    bool same_counts, uint32_t common)
{
    if (common == 0)
        return pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                       "%s: has none of the words of the model; give the counts that the model "
                       "was trained on",
                       pv_st_path(counts->file));
    if (!same_counts)
        pv_warn(ctx, "%s: these are not the counts that the model was trained on",
                pv_st_path(counts->file));
    return PSDVEC_OK;
}

/* ---- psdvec_model_explain_pair: the target of two words, and the model's value ----
 * docs/explanation/model.md has the formulas: f and G of each direction, then S and T of both
 * together. */
static psdvec_status find_word(psdvec_context *ctx, const psdvec_model *m,
                               const psdvec_counts *counts, uint32_t i, uint32_t *at)
{
    if (i >= m->info.words)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s: there is no word number %u", m->path, i);
    size_t length;
    const char *word = psdvec_model_word(m, i, &length);
    if (psdvec_counts_find(counts, word, length, at))
        return PSDVEC_OK;
    return pv_fail(ctx, PSDVEC_ERR_MISMATCH,
                   "%s: does not have the word '%s'; give the counts that the model was trained on",
                   pv_st_path(counts->file), pv_word_shown(word, length).text);
}

/* i and j: words of the counts. */
static void explain_counts(const pv_link *link, uint32_t i, uint32_t j, psdvec_pair_explanation *e)
{
    const psdvec_counts *counts = link->counts;
    double xij = pv_link_count(link, i, j, psdvec_counts_get(counts, i, j));
    double xji = pv_link_count(link, j, i, psdvec_counts_get(counts, j, i)), sum = xij + xji;
    bool weighs = i != j && (sum > 0 || link->background_only_unseen);
    bool has_target = sum > 0 || link->directed;
    e->count_ij = xij;
    e->count_ji = xji;
    e->target_ij = has_target ? link->target(link, i, j, xij, sum) : NAN;
    e->target_ji = has_target ? link->target(link, j, i, xji, sum) : NAN;
    e->weight_ij = weighs ? link->weight(link, i, j, xij, sum) : 0;
    e->weight_ji = weighs ? link->weight(link, j, i, xji, sum) : 0;
    e->weight = 0.5 * (e->weight_ij + e->weight_ji);
    double pull = 0.5 * (e->weight_ij * e->target_ij + e->weight_ji * e->target_ji);
    e->target = e->weight > 0 ? pull / e->weight : NAN;
    if (i != j && !link->background_only_unseen) {
        e->background = pv_link_background(link, i, j);
        e->background_target = link->background_target;
    }
    e->residual = e->target - e->product;
}

psdvec_status psdvec_model_explain_pair(psdvec_context *ctx, const psdvec_model *model,
                                        const psdvec_counts *counts, uint32_t i, uint32_t j,
                                        psdvec_pair_explanation *explanation)
{
    psdvec_status status;
    pv_model_link opened;
    uint32_t at_i, at_j;
    PV_BEGIN(ctx);
    PV_NEED(ctx, explanation);
    *explanation = (psdvec_pair_explanation){0};
    PV_NEED(ctx, model);
    PV_NEED(ctx, counts);
    PV_TRY_DONE(pv_model_link_open(ctx, model, counts, false, &opened));
    PV_TRY_DONE(find_word(ctx, model, counts, i, &at_i));
    PV_TRY_DONE(find_word(ctx, model, counts, j, &at_j));
    explanation->product = psdvec_model_product(model, i, j);
    explanation->same_counts = opened.same_counts;
    explain_counts(opened.link, at_i, at_j, explanation);
done:
    pv_model_link_close(&opened);
    return status;
}
