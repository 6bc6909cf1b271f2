/* Cells of a table: text cut and padded to a number of terminal columns. */
#ifndef CLI_CELL_H
#define CLI_CELL_H

#include "memory.h"

#include <stdbool.h>

/* Adds `text` in exactly `columns` columns: cut with an ellipsis if too wide,
 * padded on the right, or on the left if `right` aligned. Control characters,
 * which might steer the terminal, become a replacement sign. */
void cell_add(struct buffer *to, const char *text, size_t length, size_t columns, bool right);

/* Adds the text safely, with neither cut nor padding. */
void cell_text(struct buffer *to, const char *text, size_t length);

/* A bar of exactly `columns` columns filled to share (0..1). */
void cell_bar(struct buffer *to, double share, size_t columns, bool unicode);

/* Adds a name in at most `columns` columns: cut in the middle, as names differ at their ends. */
void shorten(struct buffer *to, const char *name, size_t columns);

#endif
