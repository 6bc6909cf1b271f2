/* Every pair of a model's words that the counts have seen, with its counts in both directions
 * and the product of its vectors: row by row, without the pairs ever being stored.
 *
 * Rows come by blocks, from any worker; what is done with a row must not depend on which rows
 * came before. The rows themselves and all bits in them are the same for any number of threads.
 *
 * Cost: one pass over the counts, a second time in columns if both directions are asked for, and
 * the products: by BLAS where a tile of words is dense, else one dot product each.
 */
#ifndef PV_TRAIN_SEEN_PAIRS_H
#define PV_TRAIN_SEEN_PAIRS_H

#include "link/link.h"

typedef struct pv_seen_pair {
    uint32_t word;    /* of the model: j */
    uint32_t counted; /* the same word in the counts */
    double xij, xji;  /* how often j stands after i, and i after j */
    float product;    /* v_i' J v_j; 0 if not asked for */
} pv_seen_pair;

typedef struct pv_seen_row {
    uint32_t word, counted; /* i */
    size_t count;
    const pv_seen_pair *pairs; /* by word, ascending */
} pv_seen_row;

typedef psdvec_status pv_seen_fn(void *arg, const pv_seen_row *row, int worker);

typedef struct pv_seen_walk {
    const pv_link *link;  /* on counts whose rows are sound */
    const uint32_t *word; /* of the counts: its number in the model, or PV_NO_WORD */
    uint32_t words;       /* of the model */
    size_t dim;
    const float *vectors;     /* words x dim, row-major; NULL: no products */
    const float *eigenvalues; /* dim: J has their signs; NULL: all + */
    bool either;       /* also pairs seen only in the other direction. Without it x_ji is not known,
                    and 0 */
    bool above;        /* only pairs with j >= i */
    uint32_t beyond;   /* only pairs of which a word is not among the model's first so many */
    const char *stage; /* for progress */
} pv_seen_walk;

/* Calls `on_row` for every word of the model that the counts have, also for one without pairs. */
psdvec_status pv_seen_pairs(const pv_seen_walk *walk, pv_seen_fn *on_row, void *arg);
/* Memory that it takes, at most; `dim` 0: without products. */
uint64_t pv_seen_pairs_bytes(uint64_t words, uint64_t bigrams, uint64_t dim, int threads);

#endif
