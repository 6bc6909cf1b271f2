/* Text in the columns of a terminal: widths, cells, bars, paragraphs. */
#ifndef CLI_CELL_H
#define CLI_CELL_H

#include "memory.h"
#include "terminal.h"
#include "util/utf8.h"

/* Columns on a terminal. Needs an LC_CTYPE that is UTF-8 (terminal_start). */
size_t utf8_columns(const char *text, size_t length);

/* Returns the number of bytes of the longest prefix of `text` that fits `columns`, and in *used its
 * width. Never splits a character, nor a letter from its combining marks. */
size_t utf8_fit(const char *text, size_t length, size_t columns, size_t *used);

/* Adds `text` in exactly `columns` columns: truncated with an ellipsis if too wide, padded on the
 * right, or on the left if `right` aligned. Control characters, which could control the terminal,
 * are replaced. */
void cell_add(struct buffer *to, const char *text, size_t length, size_t columns, bool right);

/* Adds the text with control characters replaced, without truncation or padding. */
void cell_text(struct buffer *to, const char *text, size_t length);

/* Adds text that goes to a terminal: as cell_text(), but the characters of `kept` and the escape
 * sequences of the palette remain. Returns the number of bytes that were handled: unless `whole`, a
 * character or sequence that is incomplete at the end is left for the next call. */
size_t printed_text(struct buffer *to, const char *text, size_t length, const char *kept,
                    const struct palette *palette, bool whole);

/* A bar of exactly `columns` columns, filled to `share` (0..1). */
void cell_bar(struct buffer *to, double share, size_t columns, bool unicode);

/* Adds a name in at most `columns` columns: shortened in the middle, because names differ at their
 * ends. */
void shorten(struct buffer *to, const char *name, size_t columns);

/* Adds `text` broken at spaces so that no line is wider than `width`; lines after the first are
 * indented by `indent` columns, and the first starts at the current column `at`. Ends with a
 * newline. */
void wrap(struct buffer *to, const char *text, size_t at, size_t indent, size_t width);
/* Adds a command line, broken with backslashes where it is too wide, so that it can still be copied
 * into a shell. Each line is indented. */
void wrap_command(struct buffer *to, const char *line, size_t indent, size_t width);
void add_spaces(struct buffer *to, size_t count);
/* Drops the spaces at the end. */
void drop_spaces(struct buffer *from);

/* ---- Names of files ------------------------------------------------------------------------- */

/* The name of a file without its folder and without a file name extension of vectors. */
const char *name_of_file(const char *path);

/* Makes `count` names distinct: duplicates are replaced by the path (NULL: there is none) and, if
 * that is not enough, get a number. */
void names_differ(const char **names, const char *const *paths, size_t count);

/* Distinct names of at most `columns` columns: unchanged, shortened in the middle or, where that is
 * not enough, replaced by letters. The array is on the heap. *same: nothing was changed. */
const char **names_short(const char *const *names, size_t count, size_t columns, bool *same);

#endif
