/* Sparse vectors on their way to another file: cut and brought to length 1 they stay sparse in a model
 * file of ours; other programs get all their numbers, most of which are 0. */
#ifndef PV_MODEL_SPARSE_CONVERT_H
#define PV_MODEL_SPARSE_CONVERT_H

#include "model/foreign_write.h"

/* `rows` of a sparse model. `words_path`: of NPY. */
psdvec_status pv_sparse_convert(psdvec_context *ctx, const pv_rows_out *rows, const char *output,
                                const char *words_path);

#endif
