/* Vectors derived from the spelling of words: an addition to the model of the paper.
 *
 * The Gaussian prior of a vector (section 3.1.1 of the paper) gets a mean: s_i = sum over the
 * n-grams g of word i of t_g / sqrt(number of them). The t_g are learnt from the vectors u_i of all
 * words by ridge regression
 *
 *     min  sum_i w_i |u_i - s_i|^2 + lambda sum_g |t_g|^2 / b_g,
 *
 *     w_i = (f_i / median f)^power, from 1/5 to 20;  b_g = 2.25 at the beginning of a word, else 1
 *
 * that is, frequent words have more weight, and so do beginnings of words, where the stem is.
 * N-grams are consecutive characters of the word between a mark for its beginning and one for its
 * end. Those that occur in exactly the same words share one row, their sum, and the shortest of
 * them represents all. docs/explanation/spelling.md has the formulas and the cost.
 */
#ifndef PV_SPELLING_SPELLING_H
#define PV_SPELLING_SPELLING_H

#include "base/context.h"

typedef struct pv_spelling_options {
    uint32_t shortest, longest; /* characters of an n-gram, marks included: 4, 6 */
    uint32_t least_words;       /* minimum number of words in which an n-gram must occur: 2 */
    double lambda;              /* 3 */
    double weight_power;        /* 0.25 */
    /* Factor of the prior variance of the t_g of n-grams at the beginning of words, where the stem
     * is: 2.25. */
    double begin_freedom;
    double tolerance;    /* of conjugate gradients: residual relative to that of zeros, 0.01 */
    uint32_t steps;      /* at most: 1,000 */
    uint64_t most_bytes; /* of the table, as pv_spelling_bytes counts; 0: no limit */
} pv_spelling_options;

void pv_spelling_options_default(pv_spelling_options *options);

/* Concatenated words, as in a model. */
typedef struct pv_spelling_words {
    uint32_t words;
    const char *bytes;
    const uint64_t *offsets; /* words + 1 */
} pv_spelling_words;

/* The learnt table. A row is row_scale[g] * rows[g * dim + k], and
 *
 *     s = sum of the rows of the word's n-grams / sqrt(sum of their members) */
typedef struct pv_spelling_table {
    uint32_t ngrams, dim;
    uint32_t shortest, longest;
    uint64_t text;           /* bytes of all n-grams */
    const char *bytes;       /* all n-grams, with their marks, ascending by bytes, UTF-8 */
    const uint32_t *offsets; /* ngrams + 1 */
    const uint32_t *members; /* ngrams: number of n-grams that share the row, itself included */
    const int8_t *rows;      /* ngrams x dim, row-major */
    const float *row_scale;  /* ngrams */
} pv_spelling_table;

typedef struct pv_spelling pv_spelling; /* a table with an index; owns what it was learnt with */

/* u: words x dim, row-major; counts: words, or NULL for equal weights. A vocabulary without
 * n-grams in enough words yields a table without rows. In a group of processes (base/group.h), all
 * members call it; only the leader needs u, and only it gets a table. */
psdvec_status pv_spelling_learn(psdvec_context *ctx, const pv_spelling_options *options,
                                const pv_spelling_words *words, const float *u, uint32_t dim,
                                const uint64_t *counts, pv_spelling **spelling);
/* Upper bound of the memory that learning from these words needs in a member of a group, with the
 * default lengths of n-grams and a table of at most 2 * words * dim bytes. */
uint64_t pv_spelling_learn_bytes(const pv_spelling_words *all, uint64_t dim, uint32_t rank,
                                 uint32_t members, int threads);
/* Opens the arrays of a file, which must outlive it, and checks everything. `subject`: for
 * messages. */
psdvec_status pv_spelling_open(psdvec_context *ctx, const pv_spelling_table *table,
                               const char *subject, pv_spelling **spelling);
void pv_spelling_free(pv_spelling *spelling);
const pv_spelling_table *pv_spelling_get(const pv_spelling *spelling);
uint64_t pv_spelling_bytes(const pv_spelling_table *table);

/* Computes s of any word: dim elements. Returns how many n-grams were known; 0: s is all zeros. */
uint32_t pv_spelling_vector(const pv_spelling *spelling, const char *word, size_t length, float *s);
/* to[i] += factor * s_i, for all words. */
psdvec_status pv_spelling_add(psdvec_context *ctx, const pv_spelling *spelling,
                              const pv_spelling_words *words, float factor, float *to);

#endif
