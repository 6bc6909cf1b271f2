/* How a model was trained, as JSON: what the model file keeps, and what tells one
 * interrupted run from another. */
#ifndef PV_TRAIN_SETTINGS_H
#define PV_TRAIN_SETTINGS_H

#include "base/memory.h"

/* Appends one JSON object with every option but `restart`, which says nothing
 * about the result. Same options, same bytes. No zero byte is added. */
psdvec_status pv_settings_write(psdvec_context *ctx, const psdvec_train_options *options,
                                pv_buffer *json);

/* The options back, all bits of all numbers, and checked. `path` is for messages.
 * The lists (mu, bands) live in `lists`, which the caller has initialised and frees when
 * the options are no longer used. */
psdvec_status pv_settings_read(psdvec_context *ctx, const char *path, const char *json,
                               psdvec_train_options *options, pv_buffer *lists);

#endif
