/* The link function of a trained model, opened again on counts: G and f of any pair as in training.
 * The settings and the constants are stored in the model, so nothing is selected again; the cost is
 * computing the margins of all words, with subsampling by one pass over the counts. */
#ifndef PV_TRAIN_MODEL_LINK_H
#define PV_TRAIN_MODEL_LINK_H

#include "base/memory.h"
#include "link/link.h"

#define PV_NO_WORD UINT32_MAX

typedef struct pv_model_link {
    pv_link *link;    /* its words are those of the counts */
    pv_buffer lists;  /* what link->options points to */
    bool same_counts; /* whether the model was trained on these counts */
    uint32_t *word;   /* words of the counts: number in the model, or PV_NO_WORD */
    uint32_t common;  /* number of words that both have */
} pv_model_link;

/* `pairs`: for iterating over pairs; the rows of the counts are verified, and words are matched by
 * spelling. Otherwise the rows are verified only if they are read, for subsampling factors, and
 * `word` is NULL. */
psdvec_status pv_model_link_open(psdvec_context *ctx, const psdvec_model *model,
                                 const psdvec_counts *counts, bool pairs, pv_model_link *out);
void pv_model_link_close(pv_model_link *opened);

/* Returns PSDVEC_ERR_MISMATCH if they have no word in common; warns if the model was trained on
 * other counts. */
psdvec_status pv_model_counts_check(psdvec_context *ctx, const psdvec_counts *counts,
                                    bool same_counts, uint32_t common);

#endif
