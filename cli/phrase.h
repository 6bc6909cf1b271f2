/* Short texts that last (lasting.h), so that a sentence, a line or a cell is written in one call:
 * phrase("%s in %s", phrase_counted(words, "word"), phrase_seconds(seconds)). */
#ifndef CLI_PHRASE_H
#define CLI_PHRASE_H

#include "lasting.h"
#include "memory.h"

#include <stdint.h>

const char *phrase(const char *format, ...) CLI_PRINTF(1, 2);
/* Takes over what a buffer has, and empties it. */
const char *phrase_of(struct buffer *text);
const char *phrase_count(uint64_t number);                      /* 1,234,567 */
const char *phrase_counted(uint64_t number, const char *thing); /* 1 word; 1,234 words */
const char *phrase_short(double number);                        /* 1.23M */
const char *phrase_bytes(double bytes);                         /* 1.23 GiB */
const char *phrase_seconds(double seconds);                     /* 1.2 s, 3 min 05 s */
const char *phrase_json(const char *text);                      /* as a string, with its quotes */
/* Without control characters, which might steer the terminal. */
const char *phrase_safe(const char *text, size_t length);

#endif
