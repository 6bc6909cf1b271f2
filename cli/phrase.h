/* Short strings that last (memory.h), so that a message, a line or a cell can be formatted in one
 * expression: phrase("%s in %s", phrase_counted(words, "word"), phrase_seconds(seconds)). */
#ifndef CLI_PHRASE_H
#define CLI_PHRASE_H

#include "memory.h"

#include <stdint.h>

const char *phrase(const char *format, ...) CLI_PRINTF(1, 2);
/* Takes over the content of a buffer, and empties it. */
const char *phrase_of(struct buffer *text);
const char *phrase_count(uint64_t number);                      /* 1,234,567 */
const char *phrase_counted(uint64_t number, const char *thing); /* 1 word; 1,234 words */
const char *phrase_short(double number);                        /* 1.23M */
const char *phrase_bytes(double bytes);                         /* 1.23 GiB */
const char *phrase_seconds(double seconds);                     /* 1.2 s, 3 min 05 s */
/* With control characters, which could control the terminal, replaced. */
const char *phrase_safe(const char *text, size_t length);

/* Quoted for a shell if necessary. */
const char *phrase_quoted(const char *text);
/* A file name that cannot be mistaken for an option: ./-x for -x. */
const char *path_operand(const char *path);

/* The same for any thread: the string lives until the end of the full expression, as in
 * buffer_format(&line, "%s words", human_count(words).text). */
struct human {
    char text[48];
};

struct human human_count(uint64_t number);            /* 1,234,567 */
struct human human_short(double number);              /* 1.23M */
struct human human_bytes(double bytes);               /* 1.23 GiB */
struct human human_clock(double seconds);             /* 0:42, 1:02:03 */
struct human human_ratio(uint64_t v, uint64_t scale); /* as decimal_ratio() */

/* v / scale, without a terminating zero byte; returns the number of characters, fewer than
 * DECIMAL_MOST. This is the shortest decimal that is nearer to it than to any other multiple of
 * 1/scale, so that multiplying by scale and rounding gives v again. Integers have no fraction.
 * scale > 0. */
#define DECIMAL_MOST 48
size_t decimal_ratio(char *to, uint64_t v, uint64_t scale);

#endif
