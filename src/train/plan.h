/* What a run needs, known before it begins. */
#ifndef PV_TRAIN_PLAN_H
#define PV_TRAIN_PLAN_H

#include "link/link.h"

/* Fills everything but `seconds`. `pairs`: of core words. */
void pv_plan_fill(psdvec_context *ctx, const psdvec_train_options *options,
                  const psdvec_counts *counts, uint64_t pairs, psdvec_train_plan *plan);

/* Bytes that the budget leaves for those arrays of pairs that may go to a file instead. */
uint64_t pv_plan_pairs_bytes(psdvec_context *ctx, const psdvec_train_options *options,
                             const psdvec_counts *counts);

/* PSDVEC_ERR_BUDGET if not even the least fits, with the options that would help. */
psdvec_status pv_plan_check(psdvec_context *ctx, const psdvec_train_options *options,
                            const psdvec_counts *counts, const psdvec_train_plan *plan);

#endif
