/* Text in the columns of a terminal: widths, cells, bars, paragraphs. */
#ifndef CLI_CELL_H
#define CLI_CELL_H

#include "memory.h"
#include "util/utf8.h"

/* Columns on a terminal. Needs an LC_CTYPE that is UTF-8 (terminal_start). */
size_t utf8_columns(const char *text, size_t length);

/* The number of bytes of the longest start of `text` that fits `columns`, and
 * in *used the columns it takes. Never cuts a character, nor a letter from
 * its combining marks. */
size_t utf8_fit(const char *text, size_t length, size_t columns, size_t *used);

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

/* ---- Names of files ------------------------------------------------------------------------- */

/* The name of a file without its folder and an ending that vectors have. */
const char *name_of_file(const char *path);

/* Makes `count` names differ: those that stand twice become the path (NULL: there is
 * none), and if that does not do, a number follows. */
void names_differ(const char **names, const char *const *paths, size_t count);

/* Names of at most `columns` columns that differ: as they are, cut in the middle or, where
 * that is not enough, letters. The array is on the heap. *same: nothing was cut. */
const char **names_short(const char *const *names, size_t count, size_t columns, bool *same);

#endif
