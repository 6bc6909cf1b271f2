/* Words as characters: a word between its marks.
 *
 *     cat  ->  B c a t E  ->  "Bca" "cat" "atE" "Bcat" "catE" "BcatE"     (3 to 5 characters)
 *
 * Characters are code points. The marks B and E are the control characters 2 and 3, which
 * no tokeniser for people's text leaves in a word, and count as characters. Of very long
 * words only the beginning is looked at.
 */
#ifndef PV_SPELLING_NGRAMS_H
#define PV_SPELLING_NGRAMS_H

#include "spelling/spelling.h"

enum {
    PV_MARK_BEGIN = 2,
    PV_MARK_END = 3,
    PV_MARKED_MOST = 256, /* characters of a word, marks included */
    PV_NGRAM_LONGEST = 16 /* characters of an n-gram that options and tables may have */
};

/* Characters c to d - 1 are the bytes starts[c] to starts[d] - 1. */
typedef struct pv_marked_word {
    uint32_t characters;
    uint16_t starts[PV_MARKED_MOST + 1];
    char text[4 * PV_MARKED_MOST];
} pv_marked_word;

void pv_mark_word(const char *word, size_t length, pv_marked_word *marked);

/* Code points. Bytes that are no UTF-8 are divided somehow, always in the same way. */
size_t pv_count_characters(const char *text, size_t length);

/* N-grams of all words, those that stand in several of them as often. */
uint64_t pv_count_occurrences(const pv_spelling_words *words, uint32_t shortest, uint32_t longest);

#endif
