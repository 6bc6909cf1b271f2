/* The course of training as JSON, the way a model file keeps it: an array with an
 * object for each iteration, its members named as in psdvec_iteration. A number
 * that is not known (NAN) is null.
 */
#ifndef PV_MODEL_HISTORY_H
#define PV_MODEL_HISTORY_H

#include "base/memory.h"

/* Appends the array and a zero byte. */
psdvec_status pv_history_write(pv_buffer *json, const psdvec_iteration *iterations, size_t count);

/* *iterations is the caller's to free with pv_free; NULL if there are none.
 * PSDVEC_ERR_CORRUPT names `path`. */
psdvec_status pv_history_read(psdvec_context *ctx, const char *path, const char *json,
                              psdvec_iteration **iterations, size_t *count);

#endif
