/* A hash index from words to their numbers. It refers to the words where they are stored, in a
 * mapped file or in memory, and copies none.
 *
 *     slots   [tag|i+1] [  0  ] [tag|i+1] ...     8 bytes each, open addressing
 */
#ifndef PV_BASE_WORD_INDEX_H
#define PV_BASE_WORD_INDEX_H

#include "base/memory.h"

typedef struct pv_word_index {
    psdvec_context *ctx;
    const char *bytes;       /* the words */
    const uint64_t *offsets; /* word i is bytes offsets[i] to offsets[i + 1] */
    uint64_t *slots;
    size_t mask;
} pv_word_index;

/* For at most `words` words. `what` is named in messages if memory is exhausted; NULL: a failure is
 * not recorded. */
psdvec_status pv_word_index_init(pv_word_index *index, psdvec_context *ctx, uint32_t words,
                                 const char *bytes, const uint64_t *offsets, const char *what);
void pv_word_index_free(pv_word_index *index);

/* Adds word i. If an equal word exists, returns false and sets *other. */
bool pv_word_index_add(pv_word_index *index, uint32_t i, uint32_t *other);
/* Adds the words from `first` to `end` - 1, up to the first one that equals a word of the index.
 * Returns its number and sets *other; returns `end` if there is none. */
uint32_t pv_word_index_add_from(pv_word_index *index, uint32_t first, uint32_t end,
                                uint32_t *other);
/* Adds the first `words` words; of equal ones, the first. */
void pv_word_index_add_all(pv_word_index *index, uint32_t words);
/* Adds the first `words` words, all of which must be distinct and not empty: otherwise
 * PSDVEC_ERR_CORRUPT with "PATH: THING damaged: ...", where `thing` is "the model is". */
psdvec_status pv_word_index_fill(pv_word_index *index, psdvec_context *ctx, uint32_t words,
                                 const char *path, const char *thing);
bool pv_word_index_find(const pv_word_index *index, const char *word, size_t length, uint32_t *i);

#endif
