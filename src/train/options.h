/* The options of training and of adding words: their tables, and their representation in files. */
#ifndef PV_TRAIN_OPTIONS_H
#define PV_TRAIN_OPTIONS_H

#include "base/options.h"
#include "link/link.h"

extern const psdvec_choice pv_preset_choices[], pv_form_choices[];
extern const pv_options_table pv_train_table, pv_extend_table;

/* Checks the options for a training run. A file may have been trained with options that are
 * rejected here: an older version allowed priors of core words in the symmetric form too. */
psdvec_status pv_train_options_adopt(psdvec_context *ctx, const psdvec_train_options *given,
                                     psdvec_train_options *own);

/* ---- As JSON: stored in the model file, and used to identify an interrupted run ------------- */

/* Appends a JSON object with every option except `restart`, which does not affect the result, and
 * with the constants of the link if they are given. The same options give the same bytes. No zero
 * byte is added. */
psdvec_status pv_settings_write(psdvec_context *ctx, const psdvec_train_options *options,
                                const pv_link_constants *constants, pv_buffer *json);

/* Reads the options back, bit for bit, and checks them. `path` is for messages. The lists (mu,
 * bands) live in `lists`, which the caller initialises, and frees when the options are no longer
 * used. */
psdvec_status pv_settings_read(psdvec_context *ctx, const char *path, const char *json,
                               psdvec_train_options *options, pv_buffer *lists);

/* Reads the constants back. A missing one is 0 and is an error only if the weights of `options`
 * need it. */
psdvec_status pv_settings_constants(psdvec_context *ctx, const char *path, const char *json,
                                    const psdvec_train_options *options,
                                    pv_link_constants *constants);

/* The fields of a psdvec_extension_info: what the model file stores for each extension. */
extern const pv_json_field pv_extension_fields[];

#endif
