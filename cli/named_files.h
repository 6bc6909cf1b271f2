/* The files that a command line names: none that is written may also be read or written by another
 * option. */
#ifndef CLI_NAMED_FILES_H
#define CLI_NAMED_FILES_H

#include "arguments.h"

/* NULL; or an error message about a file that would be overwritten. */
const char *named_files_error(const struct arguments *arguments);

#endif
