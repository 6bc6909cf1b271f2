/* Iterates over all seen pairs of a model's words, with the counts in both directions and the
 * product of the vectors: row by row, without storing the pairs.
 *
 * Rows are delivered in blocks by any worker; the callback must not depend on the order of the
 * rows. The rows and all bits in them are the same for any number of threads, and of members of a
 * group that share them.
 *
 * Cost: one pass over the counts, a second one by columns if both directions are requested, and the
 * products: by BLAS where a tile of words is dense, else one dot product each.
 */
#ifndef PV_TRAIN_SEEN_PAIRS_H
#define PV_TRAIN_SEEN_PAIRS_H

#include "link/link.h"

typedef struct pv_seen_pair {
    uint32_t word;    /* of the model: j */
    uint32_t counted; /* number of the same word in the counts */
    double xij, xji;  /* how often j follows i, and i follows j */
    float product;    /* v_i' J v_j; 0 if not requested */
} pv_seen_pair;

typedef struct pv_seen_row {
    uint32_t word, counted; /* i */
    size_t count;
    const pv_seen_pair *pairs; /* by word, ascending */
} pv_seen_row;

typedef psdvec_status pv_seen_fn(void *arg, const pv_seen_row *row, int worker);

typedef struct pv_seen_walk {
    const pv_link *link;  /* on counts whose rows are verified */
    const uint32_t *word; /* words of the counts: number in the model, or PV_NO_WORD */
    uint32_t words;       /* of the model */
    size_t dim;
    const float *vectors;     /* words x dim, row-major; NULL: no products */
    const float *eigenvalues; /* dim: J has their signs; NULL: all + */
    /* Include pairs seen only in the other direction; otherwise x_ji is not known, and 0. */
    bool either;
    bool above; /* only pairs with j >= i */
    /* Only pairs with a word that is not among the first `beyond` words of the model. */
    uint32_t beyond;
    const char *stage; /* for progress */
    /* NULL, or PV_SEEN_BLOCKS + 1 numbers, output: the members of a group share the rows. Words
     * edges[b] .. edges[b + 1] - 1 of the counts are delivered in member b % members. */
    uint32_t *edges;
} pv_seen_walk;

enum { PV_SEEN_BLOCKS = 64 };

/* PV_SEEN_BLOCKS + 1 numbers: `edges` of a walk over these counts. */
psdvec_status pv_seen_edges(psdvec_context *ctx, const psdvec_counts *counts, uint32_t *edges);
/* Calls `on_row` for every word of the model that the counts have, including those without
 * pairs. */
psdvec_status pv_seen_pairs(const pv_seen_walk *walk, pv_seen_fn *on_row, void *arg);
/* Upper bound of the bytes that it allocates; `dim` 0: without products. */
uint64_t pv_seen_pairs_bytes(uint64_t words, uint64_t bigrams, uint64_t dim, int threads);

#endif
