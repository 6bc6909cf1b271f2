/* The link function of a trained model, opened again on counts: G and f of any pair as training
 * had them. The settings and the constants stand in the model, so nothing is selected anew; the
 * cost is the margins of all words, and with subsampling one pass over the counts for them.
 */
#ifndef PV_TRAIN_MODEL_LINK_H
#define PV_TRAIN_MODEL_LINK_H

#include "base/memory.h"
#include "link/link.h"

#define PV_NO_WORD UINT32_MAX

typedef struct pv_model_link {
    pv_link *link;    /* its words are those of the counts */
    pv_buffer lists;  /* what link->options points to */
    bool same_counts; /* these are the counts that the model was trained on */
    uint32_t *word;   /* for each word of the counts its number in the model, or PV_NO_WORD */
    uint32_t common;  /* words of both */
} pv_model_link;

/* `pairs`: for walking over pairs; the counts' rows are verified, and words numbered by spelling. Else
 * the rows are verified only if they are read, for factors of subsampling, and `word` is NULL. */
psdvec_status pv_model_link_open(psdvec_context *ctx, const psdvec_model *model,
                                 const psdvec_counts *counts, bool pairs, pv_model_link *out);
void pv_model_link_close(pv_model_link *opened);

/* PSDVEC_ERR_MISMATCH if they have no word in common; a warning if the model was trained on other
 * counts. */
psdvec_status pv_model_counts_check(psdvec_context *ctx, const psdvec_counts *counts,
                                    bool same_counts, uint32_t common);

#endif
