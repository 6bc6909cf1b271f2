/* All options tables by their public number. */
#ifndef PV_API_SETTINGS_H
#define PV_API_SETTINGS_H

#include "base/options.h"

/* Returns NULL if there is no table with this number. */
const pv_options_table *pv_options_of(psdvec_options_kind kind);

#endif
