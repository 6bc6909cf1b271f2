/* The table inside: with an index of its n-grams. */
#ifndef PV_SPELLING_TABLE_H
#define PV_SPELLING_TABLE_H

#include "base/memory.h"
#include "spelling/spelling.h"

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
