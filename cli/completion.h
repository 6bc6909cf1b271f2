/* Completion scripts for shells, from the declarations of the commands. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "memory.h"

void completion_bash(struct buffer *to);
void completion_zsh(struct buffer *to);
void completion_fish(struct buffer *to);

#endif
