/* Productive pairs of endings, learnt from the words of a vocabulary alone.
 *
 * The method is independent of the language. A pair of endings (x, y), one of which may be empty,
 * is productive if many words differ only in it:
 *
 *     c(x, y)   stems p for which p x and p y are both words
 *     n(x)      words that end with x
 *     productive: c >= max(5, 0.7 % of the words) and c >= 12 % of the smaller of n(x) and n(y)
 *
 * English words give (-, s), (ed, ing), (-, 's), (e, ing), (ies, y) and a dozen others; endings
 * that derive a word of another meaning, such as -dom and -ism, are too rare for it. Stems have at
 * least three characters, endings at most four. Only the first 30,000 words are used; they are to
 * be the most frequent ones.
 *
 * Time: some 30 ms.
 */
#ifndef PV_SPELLING_ENDINGS_H
#define PV_SPELLING_ENDINGS_H

#include "base/memory.h"
#include "spelling/spelling.h"

enum {
    PV_ENDING_STEM = 3, /* characters, at least */
    PV_ENDING_MOST = 4, /* characters, at most */
    PV_NO_ENDING = UINT16_MAX
};

typedef struct pv_ending {
    const char *text; /* points into a word */
    uint32_t length;  /* bytes */
    uint32_t count;   /* of words that end with it */
} pv_ending;

typedef struct pv_endings {
    pv_scope scope;
    pv_ending *list; /* count, in the order of their bytes; the empty one, if any, is the first */
    uint32_t count;
    uint8_t *productive; /* count x count, symmetric */
} pv_endings;

/* `e->scope` is the owner of the result, and is freed by the caller, also after a failure. */
psdvec_status pv_endings_learn(psdvec_context *ctx, const pv_spelling_words *words, pv_endings *e);
/* Upper bound of the memory that learning from so many words needs. */
uint64_t pv_endings_bytes(uint64_t words);
/* The number of an ending, or PV_NO_ENDING. */
uint16_t pv_endings_find(const pv_endings *e, const char *text, size_t length);

/* Number of characters of UTF-8. */
uint32_t pv_characters(const char *text, size_t length);
/* Number of bytes of the last `count` characters; the word has more characters. */
size_t pv_tail_bytes(const char *text, size_t length, uint32_t count);
/* The order of the bytes of two texts: negative, 0 or positive. */
int pv_compare_texts(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
