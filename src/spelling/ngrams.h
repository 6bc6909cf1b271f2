/* Words as characters: a word between its marks, and all n-grams of a vocabulary.
 *
 *     cat  ->  B c a t E  ->  "Bca" "cat" "atE" "Bcat" "catE" "BcatE"     (3 to 5 characters)
 *
 * Characters are code points. The marks B and E are the control characters 2 and 3, which
 * no tokeniser for people's text leaves in a word, and count as characters. Of very long
 * words only the beginning is looked at.
 */
#ifndef PV_SPELLING_NGRAMS_H
#define PV_SPELLING_NGRAMS_H

#include "base/memory.h"
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

/* One n-gram of a vocabulary. */
typedef struct pv_ngram {
    uint64_t hash; /* of its bytes */
    size_t at;     /* its bytes: text.data + at */
    uint32_t length;
    uint32_t words; /* in which it stands */
    uint32_t last;  /* of them, + 1 */
} pv_ngram;

/* Every n-gram once, in order of arrival, and for each word which it has, each once. */
typedef struct pv_ngrams {
    pv_scope scope;
    pv_ngram *ngrams;
    size_t count, capacity;
    pv_buffer text;
    uint64_t *row_begin; /* words + 1 */
    uint32_t *row;       /* word i has row[row_begin[i]] to row[row_begin[i + 1] - 1] */
    uint64_t *slots;     /* hash table: [tag | number + 1], open addressing */
    size_t mask;
} pv_ngrams;

psdvec_status pv_ngrams_collect(psdvec_context *ctx, const pv_spelling_words *words,
                                uint32_t shortest, uint32_t longest, pv_ngrams *ngrams);
void pv_ngrams_free(pv_ngrams *ngrams);

#endif
