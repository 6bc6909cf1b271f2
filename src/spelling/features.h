/* The regression's columns: which n-grams get a row in the table, and which words have them.
 *
 * N-grams in too few words are left out. Those that stand in exactly the same words cannot
 * be told apart by any regression: they are one column with as many `members`, of which the
 * shortest, then the first by bytes, is stored. If the table would be too large, columns in
 * the fewest words go first. All of this before anything is learnt, so that what is solved
 * is what is stored.
 */
#ifndef PV_SPELLING_FEATURES_H
#define PV_SPELLING_FEATURES_H

#include "base/memory.h"
#include "spelling/spelling.h"

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

#endif
