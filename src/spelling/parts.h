/* What the files of this module share: words as characters, columns of the regression, sums of rows,
 * and the table. */
#ifndef PV_SPELLING_PARTS_H
#define PV_SPELLING_PARTS_H

#include "base/memory.h"
#include "spelling/spelling.h"

/* ---- Words as characters: a word between its marks.
 *
 *     cat  ->  B c a t E  ->  "Bca" "cat" "atE" "Bcat" "catE" "BcatE"     (3 to 5 characters)
 *
 * Characters are code points. The marks B and E are the control characters 2 and 3, which
 * no tokeniser for people's text leaves in a word, and count as characters. Of very long
 * words only the beginning is looked at. */
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

/* ---- The regression's columns: which n-grams get a row in the table, and which words have them.
 *
 * N-grams in too few words are left out. Those that stand in exactly the same words cannot
 * be told apart by any regression: they are one column with as many `members`, of which the
 * shortest, then the first by bytes, is stored. If the table would be too large, columns in
 * the fewest words go first. All of this before anything is learnt, so that what is solved
 * is what is stored. */

/* A matrix of zeros and ones, words x columns, by rows and by columns. Columns ascend by the
 * bytes of their n-grams, words within a column ascend. */
typedef struct pv_features {
    pv_scope scope;
    uint32_t words, columns;
    uint64_t *row_begin;    /* words + 1 */
    uint32_t *row;          /* entries */
    uint64_t *column_begin; /* columns + 1 */
    uint32_t *column;       /* entries */
    uint32_t *members;      /* columns */
    float *freedom;         /* columns: how far its row may go, the sum over its members */
    uint64_t *total;        /* words: members of all columns of the word */
    char *bytes;            /* of the n-grams */
    uint32_t *offsets;      /* columns + 1 */
} pv_features;

/* `dim`: of the rows, for options->most_bytes. `table` owns bytes, offsets and members, the features'
 * own scope the rest. */
psdvec_status pv_features_make(psdvec_context *ctx, const pv_spelling_options *options,
                               const pv_spelling_words *words, uint32_t dim, pv_scope *table,
                               pv_features *features);

/* ---- The inner loops: sums of rows that lie here and there.
 *
 * Each has a plain form and one for AVX2, chosen at run time. Every number of a row is added
 * for itself, in the order of the list, so both give the same bits; a test compares them. */

/* Dimensions that are solved at a time: rows of two cache lines. */
enum { PV_ROW_BLOCK = 32, PV_LIST_PAD = 8 };

typedef struct pv_row_sums {
    const char *name;
    /* out (PV_ROW_BLOCK numbers) = sum over t of X[list[t]]; X has rows of PV_ROW_BLOCK. The
     * list is followed by PV_LIST_PAD entries, of which only the memory is asked for early. */
    void (*floats)(const uint32_t *list, size_t count, const float *X, float *out);
    /* out (dim numbers) = sum over t of scale[list[t]] * rows[list[t]]; rows of dim. */
    void (*bytes)(const uint32_t *list, size_t count, const int8_t *rows, const float *scale,
                  size_t dim, float *out);
} pv_row_sums;

extern const pv_row_sums pv_row_sums_plain;
/* The fastest of this machine. */
const pv_row_sums *pv_row_sums_best(void);

/* ---- The table inside: with an index of its n-grams. */

/* With scales up to this no sum of a word's rows leaves the range of numbers. */
#define PV_LARGEST_SCALE 1e30F

struct pv_spelling {
    pv_scope scope; /* of the slots, and of the table's arrays if it was learnt here */
    pv_spelling_table table;
    uint64_t *slots; /* [tag | number + 1], open addressing */
    size_t mask;
};

/* Bytes of a table of `ngrams` n-grams with `text` bytes altogether. */
static inline uint64_t pv_table_size(uint64_t ngrams, uint64_t dim, uint64_t text)
{
    return ngrams * (dim + sizeof(float) + 2 * sizeof(uint32_t)) + sizeof(uint32_t) + text;
}

/* One without a table. */
psdvec_status pv_spelling_new(psdvec_context *ctx, pv_spelling **spelling);
/* Builds the index of spelling->table, whose n-grams differ from each other. */
psdvec_status pv_table_index(pv_spelling *spelling);

#endif
