/* Options of descriptions of models. */
#include "report/options.h"

#define PV_OPTIONS_STRUCT psdvec_describe_options
static const psdvec_option rows[] = {
#include <psdvec/options/describe.def>
    {0}};

const pv_options_table pv_describe_table = {
    .name = "describe", .rows = rows, .size = sizeof(psdvec_describe_options)};
