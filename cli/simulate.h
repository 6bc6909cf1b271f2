/* The options of psdvec simulate, which check-defaults reads, too. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "run.h"

void simulate_options_read(const struct arguments *arguments, psdvec_simulate_options *to);

#endif
