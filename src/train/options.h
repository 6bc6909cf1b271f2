/* The tables of training and of adding words. */
#ifndef PV_TRAIN_OPTIONS_H
#define PV_TRAIN_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_preset_choices[], pv_form_choices[];
extern const pv_options_table pv_train_table, pv_extend_table;

#endif
