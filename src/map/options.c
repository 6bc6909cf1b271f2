/* Options of maps and their pictures. */
#include "map/options.h"

const psdvec_choice pv_map_format_choices[] = {
    [PSDVEC_MAP_AUTO] = {.name = "auto", .help = "by the suffix of the output"},
    [PSDVEC_MAP_SVG] = {.name = "svg", .help = "a vector graphic"},
    [PSDVEC_MAP_PNG] = {.name = "png", .help = "an image"},
    [PSDVEC_MAP_TSV] = {.name = "tsv", .help = "a table: word, x, y, cluster, frequency"},
    {0}};

const psdvec_choice pv_map_colour_choices[] = {
    [PSDVEC_COLOUR_CLUSTER] = {.name = "cluster", .help = "by cluster"},
    [PSDVEC_COLOUR_FREQUENCY] = {.name = "frequency", .help = "by frequency rank"},
    [PSDVEC_COLOUR_NONE] = {.name = "none", .help = "the same for all"},
    {0}};

#define PV_OPTIONS_STRUCT psdvec_map_options
static const psdvec_option map_rows[] = {
#include <psdvec/options/map.def>
    {0}};
#undef PV_OPTIONS_STRUCT

#define PV_OPTIONS_STRUCT psdvec_drawing_options
static const psdvec_option drawing_rows[] = {
#include <psdvec/options/drawing.def>
    {0}};

const pv_options_table pv_map_table = {
    .name = "map", .rows = map_rows, .size = sizeof(psdvec_map_options)};
const pv_options_table pv_drawing_table = {
    .name = "drawing", .rows = drawing_rows, .size = sizeof(psdvec_drawing_options)};
