/* The best of many, in one pass. */
#ifndef PV_TOPIC_RANK_H
#define PV_TOPIC_RANK_H

#include <stddef.h>
#include <stdint.h>

typedef struct pv_ranked {
    double score;
    uint64_t index;
} pv_ranked;

/* Inserts into a list of at most `most` elements, the largest score first, then the lowest index;
 * elements come with ascending indices. */
static inline void pv_rank(pv_ranked *best, size_t most, size_t *count, double score,
                           uint64_t index)
{
    size_t at = *count;
    if (at == most) {
        if (most == 0 || !(score > best[most - 1].score))
            return;
        at--;
    } else {
        ++*count;
    }
    for (; at > 0 && score > best[at - 1].score; at--)
        best[at] = best[at - 1];
    best[at] = (pv_ranked){score, index};
}

#endif
