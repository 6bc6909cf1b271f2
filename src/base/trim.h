/* Keeping the resident pages of mapped files within the memory budget.
 *
 * A pass over a mapped file leaves its pages in the process, and although the system can take them
 * back at any time, they count as its resident memory. Loops that read a file in order call pv_trim.
 * If registered files and allocated memory could exceed the budget together, it compares the resident
 * pages with what the budget leaves, at most every half millisecond, and releases those of the
 * registered files if they are more. Pages that are needed again are mapped again, usually from the
 * file cache of the system. Where resident pages cannot be counted, nothing is released.
 *
 * The pages of the program and its libraries cannot be released. If the budget does not leave enough
 * for them, the registered files still get 4 MiB, so that they are not released again and again.
 *
 * Loops that gather columns from rows (sparse/columns.h) do not call it: each block of columns reads
 * the whole file, and mapping it again for every block took longer than the work. Training therefore
 * writes the columns to a file if the counts do not fit (sparse/transposed.h).
 */
#ifndef PV_BASE_TRIM_H
#define PV_BASE_TRIM_H

#include "base/file.h"

/* A registered file. */
typedef struct pv_trimmed {
    struct pv_trimmed *next;
    void *mapping;
    size_t size;
} pv_trimmed;

/* Registers the file until pv_trim_end, which does nothing if `node` is all zero. pv_large arrays in
 * files are always registered. */
void pv_trim_begin(psdvec_context *ctx, pv_trimmed *node, const pv_map *map);
void pv_trim_begin_pages(psdvec_context *ctx, pv_trimmed *node, void *mapping, size_t size);
void pv_trim_end(psdvec_context *ctx, pv_trimmed *node);

/* Releases pages if there are too many. Safe from any thread. */
void pv_trim(psdvec_context *ctx);
/* While there are more calls with `on` than without, no loop gathers columns from rows, so the budget
 * is kept more strictly. pv_trim_again is pv_trim for loops that read a file a few times.
 * pv_trim_for_block releases pages for a large block that is being allocated: memory that is touched
 * before the next pv_trim would come on top of them. pv_trim_probed is for loops that look up a few
 * places in each row: each maps several pages, so rows are passed much faster than when they are
 * read. Otherwise they do nothing. */
void pv_trim_strictly(psdvec_context *ctx, bool on);
void pv_trim_again(psdvec_context *ctx);
void pv_trim_for_block(psdvec_context *ctx);
static inline void pv_trim_probed(psdvec_context *ctx, uint32_t row)
{
    if (row % 4 == 3)
        pv_trim_for_block(ctx);
}
/* pv_trim and pv_check_cancel. */
static inline psdvec_status pv_trim_and_check(psdvec_context *ctx)
{
    pv_trim(ctx);
    return pv_check_cancel(ctx);
}

#endif
