/* What the files of training share. */
#ifndef PV_TRAIN_TRAIN_H
#define PV_TRAIN_TRAIN_H

#include "base/memory.h"
#include "count/count.h"
#include "link/link.h"
#include "model/model_write.h"

/* Fits parameters of the finished model to the text that the counts hold out; nothing in `json`, or
 * a JSON object for the metadata `fit`. */
typedef psdvec_status pv_fit_fn(psdvec_context *ctx, const pv_model_data *model, const char *path,
                                const psdvec_counts *counts, pv_buffer *json);

/* All of training. The inputs are text if they are to be counted (`counting`), else one counts file.
 * `fit` is above this module (src/document). */
psdvec_status pv_train_run(psdvec_context *ctx, const psdvec_train_options *options,
                           const psdvec_count_options *counting, const char *const *inputs,
                           size_t input_count, const char *output, pv_fit_fn *fit,
                           psdvec_count_report *count_report, psdvec_train_report *report);

/* How the counts were made, from what: a JSON object. `kept`: the file, if any, that stands for
 * standard input and is called "-" there. */
psdvec_status pv_counts_provenance(psdvec_context *ctx, const psdvec_counts *counts,
                                   const char *kept, pv_buffer *json);

/* The same of a text that was read and not counted. */
psdvec_status pv_text_provenance(pv_reading *text, pv_buffer *json);

/* How the model's text was read. False in *told, and the defaults, if the model does not say. Texts of
 * the options live in `strings`. */
psdvec_status pv_model_counting(psdvec_context *ctx, const psdvec_model *model,
                                psdvec_count_options *options, pv_buffer *strings, bool *told);

/* mu of the noncore word of this rank (from 0) and frequency. */
double pv_noncore_mu(const psdvec_train_options *options, uint32_t core, uint32_t words,
                     uint32_t rank, double frequency, double last_core_frequency);

/* ---- What a run needs, known before it begins (plan.c) -------------------------------------- */

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
