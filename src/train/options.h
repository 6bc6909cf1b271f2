/* The tables of training and of adding words. */
#ifndef PV_TRAIN_OPTIONS_H
#define PV_TRAIN_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_preset_choices[], pv_form_choices[];
extern const pv_options_table pv_train_table, pv_extend_table;

/* Options for a run of training. A file may have been trained with what is refused here: an older
 * version had priors of core words in the symmetric form too. */
psdvec_status pv_train_options_adopt(psdvec_context *ctx, const psdvec_train_options *given,
                                     psdvec_train_options *own);

#endif
