/* External merge sort: sorted runs of items of a fixed size, in a temporary file or in the caller's
 * memory, and their merge.
 *
 *     pv_sorted_runs_init    the order must be total: then the result does not depend on which run
 *                            has which item
 *     pv_sorted_runs_append  writes a sorted run to the temporary file; from any thread
 *     pv_sorted_runs_keep    adds a sorted run that stays in the memory of the caller
 *     pv_sorted_runs_reduce  merges runs until one merge can read all that are left
 *     pv_sorted_runs_merge   passes the items to a callback, in order
 *     pv_sorted_runs_free    the temporary file has no name and vanishes with it
 *
 * Without runs in the file there is no file.
 */
#ifndef PV_BASE_SORTED_RUNS_H
#define PV_BASE_SORTED_RUNS_H

#include "base/memory.h"
#include "base/spool.h"

typedef struct pv_sorted_run {
    const char *items; /* NULL: in the file, from `begin` on */
    uint64_t begin;
    uint64_t count; /* items */
} pv_sorted_run;

typedef struct pv_sorted_runs {
    psdvec_context *ctx;
    const char *folder; /* of the temporary file, if the context names none */
    const char *what;   /* as pv_alloc has it */
    size_t size;        /* of an item */
    int (*compare)(const void *, const void *, void *);
    void *arg;

    pthread_mutex_t lock; /* guards the rest while runs are appended */
    pv_scope memory;
    pv_spool *spool; /* NULL while there is no file */
    pv_sorted_run *list;
    size_t count, capacity;
    size_t fan_in; /* runs that a merge reads; 0: as many as half of the memory left allows */
} pv_sorted_runs;

typedef psdvec_status pv_sorted_item_fn(void *arg, const void *item);

/* Sets up `runs`, of which the caller has set the members above `lock`. */
void pv_sorted_runs_init(pv_sorted_runs *runs);
void pv_sorted_runs_free(pv_sorted_runs *runs);

psdvec_status pv_sorted_runs_append(pv_sorted_runs *runs, const void *items, uint64_t count);
psdvec_status pv_sorted_runs_keep(pv_sorted_runs *runs, const void *items, uint64_t count);

/* `most`: the number of first items that are read. `stage` and
 * `unit`: for progress. */
psdvec_status pv_sorted_runs_reduce(pv_sorted_runs *runs, uint64_t most, const char *stage,
                                    const char *unit);
/* After pv_sorted_runs_reduce. Ends early if the callback fails. */
psdvec_status pv_sorted_runs_merge(pv_sorted_runs *runs, uint64_t most, pv_sorted_item_fn *on_item,
                                   void *arg);

#endif
