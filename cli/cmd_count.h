/* The options of counting, for psdvec count and for the check of defaults. */
#ifndef CLI_CMD_COUNT_H
#define CLI_CMD_COUNT_H

#include "arguments.h"

#include <psdvec/psdvec.h>

/* As text_options_read(); the list of --keep is the caller's. */
void count_options_read(const struct arguments *arguments, bool defaults, psdvec_count_options *to);

#endif
