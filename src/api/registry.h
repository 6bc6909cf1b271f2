/* All options tables by their public number. */
#ifndef PV_API_REGISTRY_H
#define PV_API_REGISTRY_H

#include "base/options.h"

/* NULL if there is none of this number. */
const pv_options_table *pv_options_of(psdvec_options_kind kind);

/* A value of an option of any table that selects a preset: "paper", "svd". */
bool pv_options_preset_exists(const char *preset);

#endif
