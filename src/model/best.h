/* The best answers so far, as a heap with the worst of them at the top.
 *
 * Answers are ordered by score, and equal scores by rank, so any two differ: which answers are
 * kept, and in which order, does not depend on the order in which they arrive.
 */
#ifndef PV_MODEL_BEST_H
#define PV_MODEL_BEST_H

#include "base/context.h"

typedef struct pv_best {
    psdvec_neighbour *heap; /* most */
    size_t count, most;
} pv_best;

/* True if a comes after b: a smaller score, or the same and a later word. */
static inline bool pv_best_is_worse(const psdvec_neighbour *a, const psdvec_neighbour *b)
{
    return a->cosine != b->cosine ? a->cosine < b->cosine : a->word > b->word;
}

/* True if the answer would be kept. `most` is not 0. */
static inline bool pv_best_wants(const pv_best *best, psdvec_neighbour answer)
{
    return best->count < best->most || pv_best_is_worse(&best->heap[0], &answer);
}

/* Keeps an answer that is wanted, instead of the worst if there are enough. */
void pv_best_keep(pv_best *best, psdvec_neighbour answer);

/* The heap becomes a list, best first. */
void pv_best_sort(pv_best *best);

#endif
