/* Names of output files that promise another format than the command writes. */
#ifndef CLI_OUTPUT_NAME_H
#define CLI_OUTPUT_NAME_H

#include "command.h"

/* NULL; or what is wrong with the name of -o and what to write instead. */
const char *output_name_error(const struct command *command, const char *path);

#endif
