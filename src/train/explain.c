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
static void tell(const pv_link *link, uint32_t i, uint32_t j, psdvec_pair_explanation *explanation)
{
    const psdvec_counts *counts = link->counts;
    double xij = pv_link_count(link, i, j, psdvec_counts_get(counts, i, j));
    double xji = pv_link_count(link, j, i, psdvec_counts_get(counts, j, i)), sum = xij + xji;
    bool weighs = i != j && (sum > 0 || link->background_only_unseen);
    bool has_target = sum > 0 || link->directed;
    explanation->count_ij = xij;
    explanation->count_ji = xji;
    explanation->target_ij = has_target ? link->target(link, i, j, xij, sum) : NAN;
    explanation->target_ji = has_target ? link->target(link, j, i, xji, sum) : NAN;
    explanation->weight_ij = weighs ? link->weight(link, i, j, xij, sum) : 0;
    explanation->weight_ji = weighs ? link->weight(link, j, i, xji, sum) : 0;
    explanation->weight = 0.5 * (explanation->weight_ij + explanation->weight_ji);
    explanation->target = explanation->weight > 0
                              ? 0.5 *
                                    (explanation->weight_ij * explanation->target_ij +
                                     explanation->weight_ji * explanation->target_ji) /
                                    explanation->weight
                              : NAN;
    if (i != j && !link->background_only_unseen) {
        explanation->background = pv_link_background(link, i, j);
        explanation->background_target = link->background_target;
    }
    explanation->residual = explanation->target - explanation->product;
}

psdvec_status psdvec_model_explain_pair(psdvec_context *ctx, const psdvec_model *model,
                                        const psdvec_counts *counts, uint32_t i, uint32_t j,
                                        psdvec_pair_explanation *explanation)
{
    psdvec_status status;
    pv_model_link opened = {0};
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
    tell(opened.link, at_i, at_j, explanation);
done:
    pv_model_link_close(&opened);
    return status;
}
