/* Options tables of conversion and of queries. */
#ifndef PV_MODEL_OPTIONS_H
#define PV_MODEL_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_vectors_format_choices[], pv_precision_choices[];
extern const pv_options_table pv_convert_table, pv_query_table;

#endif
