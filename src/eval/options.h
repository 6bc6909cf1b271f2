/* The options table of evaluation. */
#ifndef PV_EVAL_OPTIONS_H
#define PV_EVAL_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_unknown_choices[], pv_half_choices[];
extern const pv_options_table pv_eval_table;

#endif
