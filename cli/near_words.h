/* Words of a vocabulary that are spelt nearly like one that is not in it. */
#ifndef CLI_NEAR_WORDS_H
#define CLI_NEAR_WORDS_H

#include "memory.h"

#include <stdint.h>

/* Word i of a vocabulary: its bytes and their number. */
typedef const char *word_getter(const void *of, uint32_t i, size_t *length);

/* Adds "; did you mean 'a', 'b' or 'c'?" with up to three words, or nothing. Among
 * words equally near, those that come first: the more frequent ones. Time: one pass
 * over the vocabulary. */
void near_words_ask(struct buffer *to, const char *word, uint32_t words, word_getter *get,
                    const void *of);

#endif
