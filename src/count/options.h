/* Options tables of counting and of importing counts. */
#ifndef PV_COUNT_OPTIONS_H
#define PV_COUNT_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_distance_choices[], pv_oov_choices[], pv_counts_format_choices[],
    pv_phrase_score_choices[];
extern const pv_options_table pv_count_table, pv_phrases_table, pv_import_table;

#endif
