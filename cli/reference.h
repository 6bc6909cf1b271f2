/* docs/reference/options.md: every option of the library, from the options tables. */
#ifndef CLI_REFERENCE_H
#define CLI_REFERENCE_H

#include "memory.h"

/* Adds the whole page, as Markdown. */
void reference_options(struct buffer *to);

#endif
