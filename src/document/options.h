/* Option tables of scoring documents, generating text, and simulation. */
#ifndef PV_DOCUMENT_OPTIONS_H
#define PV_DOCUMENT_OPTIONS_H

#include "base/options.h"

extern const pv_options_table pv_scorer_table, pv_generate_table, pv_simulate_table;

#endif
