/* The compact layout of words, forms and frequencies in small model files, version 2 of the format
 * (docs/reference/model-file.md). */
#ifndef PV_MODEL_COMPACT_H
#define PV_MODEL_COMPACT_H

#include "base/safetensors_write.h"
#include "model/model_read.h"
#include "model/model_write.h"

/* Whether a model is written in this layout: it is for search only, in int8, and no word or form is
 * too long. */
bool pv_compact_applies(const pv_model_data *data);

/* Writes the tensors words, words.lengths, forms, forms.lengths and counts.deltas. */
psdvec_status pv_compact_put(psdvec_context *ctx, pv_st_writer *writer, const pv_model_data *data);

/* For pv_model_open: reads them into arrays of the model, in the form of version 1. Time: linear in
 * the bytes of the words. */
psdvec_status pv_compact_take(psdvec_model *model);

#endif
