/* Paragraphs in a column. */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include "memory.h"

/* Adds `text` broken at spaces so that no line is wider than `width`; lines
 * after the first are indented by `indent` columns, and the first starts at
 * column `at`, where it is already. Ends with a newline. */
void wrap(struct buffer *to, const char *text, size_t at, size_t indent, size_t width);
/* A command line, broken where it is too wide with a backslash, so that it can
 * still be copied into a shell. Each line is indented. */
void wrap_command(struct buffer *to, const char *line, size_t indent, size_t width);
void add_spaces(struct buffer *to, size_t count);
/* Drops the spaces at the end. */
void drop_spaces(struct buffer *from);

#endif
