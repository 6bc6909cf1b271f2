/* Checks output file names for extensions of other formats than the command writes. */
#ifndef CLI_OUTPUT_NAME_H
#define CLI_OUTPUT_NAME_H

#include "command.h"

/* NULL; or what is wrong with the name given by -o and what to use instead. */
const char *output_name_error(const struct command *command, const char *path);

#endif
