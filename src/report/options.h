/* The option table of descriptions. */
#ifndef PV_REPORT_OPTIONS_H
#define PV_REPORT_OPTIONS_H

#include "base/options.h"

extern const pv_options_table pv_describe_table;

#endif
