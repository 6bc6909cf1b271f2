/* psdvec_model_explain_pair: what the counts ask of two words, by the model's own settings, and
 * what the model answers.
 *
 * docs/model.md has the formulas: f and G of each direction, then S and T of both together. As
 * the constants of the link function stand in the model, nothing is selected anew: the cost is
 * the margins of all words, and with subsampling one pass over the counts for them.
 */
#include "train/train.h"

#include "base/json_read.h"
#include "model/model_read.h"
#include "train/settings.h"

#include <math.h>
#include <string.h>

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
                   "%s: has no word '%s'; give the counts that the model was trained on",
                   pv_st_path(counts->file), pv_word_shown(word, length).text);
}

/* The model keeps the checksum of its counts. */
static psdvec_status compare_counts(psdvec_context *ctx, const psdvec_model *m,
                                    const psdvec_counts *counts, bool *same)
{
    const char *digest = pv_st_meta(counts->file, "xxh3.metadata");
    *same = false;
    if (!digest || !m->info.counts_json)
        return PSDVEC_OK;
    pv_json j;
    pv_buffer text;
    pv_buffer_init(&text, ctx);
    pv_json_init(&j, m->info.counts_json, strlen(m->info.counts_json), 0);
    pv_json_enter_object(&j);
    while (text.length = 0, pv_json_next_key(&j, &text)) {
        bool found = pv_json_text_is(&text, "xxh3");
        text.length = 0;
        if (found && pv_json_read_string(&j, &text))
            *same = pv_json_text_is(&text, digest);
        else if (!found && !pv_json_skip(&j, NULL, NULL))
            break;
    }
    pv_buffer_free(&text);
    return PSDVEC_OK;
}

/* i and j: words of the counts. */
static void tell(const pv_link *link, uint32_t i, uint32_t j, psdvec_pair_story *story)
{
    const psdvec_counts *counts = link->counts;
    double xij = pv_link_count(link, i, j, psdvec_counts_get(counts, i, j));
    double xji = pv_link_count(link, j, i, psdvec_counts_get(counts, j, i)), sum = xij + xji;
    bool weighs = i != j && (sum > 0 || link->background_only_unseen);
    bool has_target = sum > 0 || link->options.target == PSDVEC_TARGET_SMOOTHED;
    story->count_ij = xij;
    story->count_ji = xji;
    story->target_ij = has_target ? link->target(link, i, j, xij, sum) : NAN;
    story->target_ji = has_target ? link->target(link, j, i, xji, sum) : NAN;
    story->weight_ij = weighs ? link->weight(link, i, j, xij, sum) : 0;
    story->weight_ji = weighs ? link->weight(link, j, i, xji, sum) : 0;
    story->weight = 0.5 * (story->weight_ij + story->weight_ji);
    story->target =
        story->weight > 0
            ? 0.5 * (story->weight_ij * story->target_ij + story->weight_ji * story->target_ji) /
                  story->weight
            : NAN;
    if (i != j && !link->background_only_unseen) {
        story->background = pv_link_background(link, i, j);
        story->background_target = link->background_target;
    }
    story->residual = story->target - story->product;
}

psdvec_status psdvec_model_explain_pair(psdvec_context *ctx, const psdvec_model *model,
                                        const psdvec_counts *counts, uint32_t i, uint32_t j,
                                        psdvec_pair_story *story)
{
    psdvec_status status;
    psdvec_train_options options;
    pv_link_past past = {0};
    pv_link *link = NULL;
    pv_buffer lists;
    uint32_t at_i, at_j;
    *story = (psdvec_pair_story){0};
    pv_begin(ctx);
    if (!model->info.settings_json)
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: does not say how it was trained, so what counts ask of it is not "
                       "known; only models made by train do",
                       model->path);
    pv_buffer_init(&lists, ctx);
    PV_TRY_DONE(find_word(ctx, model, counts, i, &at_i));
    PV_TRY_DONE(find_word(ctx, model, counts, j, &at_j));
    PV_TRY_DONE(pv_settings_read(ctx, model->path, model->info.settings_json, &options, &lists));
    PV_TRY_DONE(pv_model_constants(ctx, model->path, model->info.settings_json, &past.constants));
    if (counts->keep) /* then the rows are read */
        PV_TRY_DONE(pv_counts_verify_rows(ctx, counts));
    PV_TRY_DONE(pv_link_open(ctx, counts, &options, &past, &link));
    story->product = psdvec_model_product(model, i, j);
    tell(link, at_i, at_j, story);
    status = compare_counts(ctx, model, counts, &story->same_counts);
done:
    pv_link_close(link);
    pv_buffer_free(&lists);
    return status;
}
