/* Selects the first few of many items by a total order, so that the result does not depend on the
 * order in which items are offered. Up to twice as many items as requested are collected before
 * they are sorted and the rest is discarded; from then on most items are rejected by one
 * comparison. */
#ifndef PV_DOCUMENT_TOP_H
#define PV_DOCUMENT_TOP_H

#include "base/platform.h"

#include <string.h>

typedef struct pv_top {
    char *items; /* 2 x most */
    size_t size, count, most;
    int (*compare)(const void *, const void *, void *); /* negative: the first argument comes
                                                         * first */
    void *arg;
    bool full; /* `most` items are collected and sorted */
} pv_top;

/* Sorts the first items. */
static inline void pv_top_sort(pv_top *top)
{
    pv_sort_small(top->items, top->count, top->size, top->compare, top->arg);
    top->full = top->count >= top->most;
    top->count = top->full ? top->most : top->count;
}

static inline void pv_top_offer(pv_top *top, const void *item)
{
    if (top->most == 0 ||
        (top->full && top->compare(item, top->items + (top->most - 1) * top->size, top->arg) >= 0))
        return;
    memcpy(top->items + top->count++ * top->size, item, top->size);
    if (top->count == 2 * top->most)
        pv_top_sort(top);
}

#endif
