/* Option tables of maps and their pictures. */
#ifndef PV_MAP_OPTIONS_H
#define PV_MAP_OPTIONS_H

#include "base/options.h"

extern const psdvec_choice pv_map_format_choices[], pv_map_colour_choices[];
extern const pv_options_table pv_map_table, pv_drawing_table;

#endif
