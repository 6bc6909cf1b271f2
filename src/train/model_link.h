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
} pv_model_link;

/* The counts' rows must be sound if they have factors of subsampling; if `sound` is false they
 * are looked through then. To be closed after a failure, too. */
psdvec_status pv_model_link_open(psdvec_context *ctx, const psdvec_model *model,
                                 const psdvec_counts *counts, bool sound, pv_model_link *out);
void pv_model_link_close(pv_model_link *opened);

/* *out: for each word of the counts its number in the model, or PV_NO_WORD; by spelling. The caller
 * frees it. `common`: how many there are in both. */
psdvec_status pv_model_words(psdvec_context *ctx, const psdvec_model *model,
                             const psdvec_counts *counts, uint32_t **out, uint32_t *common);

/* PSDVEC_ERR_MISMATCH if they have no word in common; a warning if the model was trained on other
 * counts. */
psdvec_status pv_model_counts_check(psdvec_context *ctx, const psdvec_counts *counts,
                                    bool same_counts, uint32_t common);

#endif
