/* Manual pages, from the declarations of the commands. */
#ifndef CLI_MAN_H
#define CLI_MAN_H

#include "command.h"
#include "memory.h"

/* psdvec(1) */
void man_main(struct buffer *to);
/* psdvec-counts-info(1) and the like */
void man_command(struct buffer *to, const struct command *command);

#endif
