/* psdvec_model_explain_pair: what the counts ask of two words, by the model's own settings, and
 * what the model answers.
 *
 * docs/model.md has the formulas: f and G of each direction, then S and T of both together.
 */
#include "base/arguments.h"
#include "model/model_read.h"
#include "train/model_link.h"

#include <math.h>

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

/* i and j: words of the counts. */
static void tell(const pv_link *link, uint32_t i, uint32_t j, psdvec_pair_story *story)
{
    const psdvec_counts *counts = link->counts;
    double xij = pv_link_count(link, i, j, psdvec_counts_get(counts, i, j));
    double xji = pv_link_count(link, j, i, psdvec_counts_get(counts, j, i)), sum = xij + xji;
    bool weighs = i != j && (sum > 0 || link->background_only_unseen);
    bool has_target = sum > 0 || link->directed;
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
    pv_model_link opened = {0};
    uint32_t at_i, at_j;
    PV_BEGIN(ctx);
    PV_NEED(ctx, story);
    *story = (psdvec_pair_story){0};
    PV_NEED(ctx, model);
    PV_NEED(ctx, counts);
    PV_TRY_DONE(pv_model_link_open(ctx, model, counts, false, &opened));
    PV_TRY_DONE(find_word(ctx, model, counts, i, &at_i));
    PV_TRY_DONE(find_word(ctx, model, counts, j, &at_j));
    story->product = psdvec_model_product(model, i, j);
    story->same_counts = opened.same_counts;
    tell(opened.link, at_i, at_j, story);
done:
    pv_model_link_close(&opened);
    return status;
}
