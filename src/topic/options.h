/* Option table of topics. */
#ifndef PV_TOPIC_OPTIONS_H
#define PV_TOPIC_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_topic_base_choices[], pv_topic_vocabulary_choices[],
    pv_topic_start_choices[], pv_topic_steps_choices[], pv_topic_preset_choices[],
    pv_topic_by_choices[], pv_topic_fit_alpha_choices[];
extern const pv_options_table pv_topic_table;

#endif
