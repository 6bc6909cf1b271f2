/* Internal declarations of the module: words as characters, columns of the regression, sums of
 * rows, and the table. */
#ifndef PV_SPELLING_PARTS_H
#define PV_SPELLING_PARTS_H

#include "base/memory.h"
#include "spelling/spelling.h"

#include <pthread.h>

/* ---- Words as characters: a word between its marks.
 *
 *     cat  ->  B c a t E  ->  "Bca" "cat" "atE" "Bcat" "catE" "BcatE"     (3 to 5 characters)
 *
 * Characters are code points. The marks B and E are the control characters 2 and 3, which no
 * tokeniser for natural text leaves in a word, and count as characters. Only the beginning of very
 * long words is used. */
enum {
    PV_MARK_BEGIN = 2,
    PV_MARK_END = 3,
    PV_MARKED_MOST = 256, /* maximum number of characters of a word, marks included */
    PV_NGRAM_LONGEST = 16 /* maximum length of an n-gram, in options and tables */
};

/* Characters c to d - 1 are the bytes starts[c] to starts[d] - 1. */
typedef struct pv_marked_word {
    uint32_t characters;
    uint16_t starts[PV_MARKED_MOST + 1];
    char text[4 * PV_MARKED_MOST];
} pv_marked_word;

void pv_mark_word(const char *word, size_t length, pv_marked_word *marked);

/* Number of code points. Invalid UTF-8 is divided in an arbitrary but deterministic way. */
size_t pv_count_characters(const char *text, size_t length);

/* Number of n-grams of all words; one that occurs in several words counts once for each. */
uint64_t pv_count_occurrences(const pv_spelling_words *words, uint32_t shortest, uint32_t longest);

/* ---- The regression's columns: which n-grams get a row in the table, and which words have them.
 *
 * N-grams in too few words are dropped. Those that occur in exactly the same words cannot be
 * distinguished by any regression: they share one column with as many `members`, of which the
 * shortest, then the first by bytes, is stored. If the table would be too large, columns in the
 * fewest words are dropped first. All of this is decided before learning, so that exactly the
 * stored columns are solved for. */

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
    float *freedom;         /* columns: prior variance of its row, the sum over its members */
    uint64_t *total;        /* words: number of members of all columns of the word */
    char *bytes;            /* of the n-grams */
    uint32_t *offsets;      /* columns + 1 */
} pv_features;

/* `dim`: of the rows, for options->most_bytes. `table` owns bytes, offsets and members, the scope
 * of the features all other arrays. */
psdvec_status pv_features_make(psdvec_context *ctx, const pv_spelling_options *options,
                               const pv_spelling_words *words, uint32_t dim, pv_scope *table,
                               pv_features *features);

/* ---- The inner loops: sums of scattered rows.
 *
 * Each has a portable version and one for AVX2, selected at run time. Every element of a row is
 * summed separately, in the order of the list, so both give the same bits; a test compares them. */

/* Dimensions that are solved at a time: rows of two cache lines. */
enum { PV_ROW_BLOCK = 32, PV_LIST_PAD = 8 };

typedef struct pv_row_sums {
    const char *name;
    /* out (PV_ROW_BLOCK elements) = sum over t of X[list[t]]; X has rows of PV_ROW_BLOCK. The list
     * is followed by PV_LIST_PAD valid entries, whose rows are only prefetched. */
    void (*floats)(const uint32_t *list, size_t count, const float *X, float *out);
    /* out (dim elements) = sum over t of scale[list[t]] * rows[list[t]]; rows of dim. */
    void (*bytes)(const uint32_t *list, size_t count, const int8_t *rows, const float *scale,
                  size_t dim, float *out);
} pv_row_sums;

extern const pv_row_sums pv_row_sums_plain;
/* Returns the fastest kernels that this CPU supports. */
const pv_row_sums *pv_row_sums_best(void);

/* ---- The internal table, with an index of its n-grams. */

/* With scales up to this value, no sum of a word's rows overflows. */
#define PV_LARGEST_SCALE 1e30F

struct pv_spelling {
    pv_scope scope; /* of the table's arrays if it was learnt here */
    pv_spelling_table table;
    pthread_mutex_t lock; /* of the slots */
    uint64_t *slots;      /* [tag | number + 1], open addressing; made at the first search */
    size_t mask;
};

/* Bytes of a table of `ngrams` n-grams with `text` bytes of text. */
static inline uint64_t pv_table_size(uint64_t ngrams, uint64_t dim, uint64_t text)
{
    return ngrams * (dim + sizeof(float) + 2 * sizeof(uint32_t)) + sizeof(uint32_t) + text;
}

/* Creates one without a table. */
psdvec_status pv_spelling_new(psdvec_context *ctx, pv_spelling **spelling);

#endif
