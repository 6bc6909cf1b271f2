/* Keeping the resident pages of mapped files within the memory budget.
 *
 * A pass over a mapped file leaves its pages in the process, and although the system can take them
 * back at any time, they count as its resident memory. Loops that read a file once and in order call
 * pv_trim. If registered files and allocated memory could exceed the budget together, it compares
 * the resident pages with what the budget leaves, at most every two milliseconds, and releases those
 * of the registered files if they are more. Pages that are needed again are mapped again, usually
 * from the file cache of the system. Where resident pages cannot be counted, nothing is released.
 *
 * Loops that gather columns (sparse/columns.h) do not call it: each block of columns reads the whole
 * file, and mapping it again for every block took longer than the work.
 */
#ifndef PV_BASE_TRIM_H
#define PV_BASE_TRIM_H

#include "base/file.h"

/* A registered file. */
typedef struct pv_trimmed {
    struct pv_trimmed *next;
    const pv_map *map;
} pv_trimmed;

/* `map` stays where it is until pv_trim_end, which does nothing if `node` is all zero. */
void pv_trim_begin(psdvec_context *ctx, pv_trimmed *node, const pv_map *map);
void pv_trim_end(psdvec_context *ctx, pv_trimmed *node);

/* Releases pages if there are too many. Safe from any thread. */
void pv_trim(psdvec_context *ctx);
/* The same, and pv_check_cancel. */
static inline psdvec_status pv_trim_and_check(psdvec_context *ctx)
{
    pv_trim(ctx);
    return pv_check_cancel(ctx);
}

#endif
