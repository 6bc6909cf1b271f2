/* The options of training and of adding words: their tables, and how files keep them. */
#ifndef PV_TRAIN_OPTIONS_H
#define PV_TRAIN_OPTIONS_H

#include "base/options.h"
#include "link/link.h"

extern const psdvec_choice pv_preset_choices[], pv_form_choices[];
extern const pv_options_table pv_train_table, pv_extend_table;

/* Options for a run of training. A file may have been trained with what is refused here: an older
 * version had priors of core words in the symmetric form too. */
psdvec_status pv_train_options_adopt(psdvec_context *ctx, const psdvec_train_options *given,
                                     psdvec_train_options *own);

/* ---- As JSON: what the model file keeps, and what tells one interrupted run from another ------ */

/* Appends one JSON object with every option but `restart`, which says nothing about the result, and
 * the link's constants if they are given. Same options, same bytes. No zero byte is added. */
psdvec_status pv_settings_write(psdvec_context *ctx, const psdvec_train_options *options,
                                const pv_link_constants *constants, pv_buffer *json);

/* The options back, all bits of all numbers, and checked. `path` is for messages.
 * The lists (mu, bands) live in `lists`, which the caller has initialised and frees when
 * the options are no longer used. */
psdvec_status pv_settings_read(psdvec_context *ctx, const char *path, const char *json,
                               psdvec_train_options *options, pv_buffer *lists);

/* The constants back. One that is missing is 0, and refused only if the weights of `options` need
 * it. */
psdvec_status pv_settings_constants(psdvec_context *ctx, const char *path, const char *json,
                                    const psdvec_train_options *options,
                                    pv_link_constants *constants);

/* Of a psdvec_extension_info: what the model file keeps of each extension. */
extern const pv_json_field pv_extension_fields[];

#endif
