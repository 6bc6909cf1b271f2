/* Options of a context. */
#include "base/options.h"

#undef PSDVEC_OPTION
#define PSDVEC_OPTION(KIND, type, member, key, ...)                                                \
    PV_OPTION_ROW(KIND, psdvec_context_options, member, key, __VA_ARGS__)
static const psdvec_option rows[] = {
#include <psdvec/options/context.def>
    {0}};

const pv_options_table pv_context_table = {
    .name = "context", .rows = rows, .size = sizeof(psdvec_context_options)};
