/* How many columns of a terminal a text takes. */
#ifndef CLI_UTF8_H
#define CLI_UTF8_H

#include "util/utf8.h"

/* Columns on a terminal. Needs an LC_CTYPE that is UTF-8 (terminal_start). */
size_t utf8_columns(const char *text, size_t length);

/* The number of bytes of the longest start of `text` that fits `columns`, and
 * in *used the columns it takes. Never cuts a character, nor a letter from
 * its combining marks. */
size_t utf8_fit(const char *text, size_t length, size_t columns, size_t *used);

#endif
