/* Rows of large matrices in tiles, and their division among the members of a group of processes
 * (base/group.h).
 *
 * How many rows a tile has depends on the number of rows only. A member has consecutive tiles, and
 * of a divided matrix it holds the rows of these tiles only: row `first` of the matrix is the first
 * that is stored. What is computed for a tile does not depend on which member computes it.
 */
#ifndef PV_SPARSE_DIVISION_H
#define PV_SPARSE_DIVISION_H

#include "base/memory.h"

/* Rows of a tile of a matrix with n rows, a multiple of PV_TILE_UNIT, and the number of tiles. */
enum { PV_TILE_UNIT = 512 };
size_t pv_tile_rows(size_t n);
size_t pv_tile_count(size_t n);

/* Consecutive tiles, and their rows. */
typedef struct pv_tiles {
    size_t first_tile, end_tile;
    size_t first, end; /* rows */
} pv_tiles;

typedef struct pv_division {
    psdvec_context *ctx;
    size_t n;
    uint32_t rank, members;
    pv_tiles *share; /* one per member */
} pv_division;

/* Divides n rows so that the largest cost of a member is as small as possible, and that of the
 * members after it likewise. cost: one per row, at least 1; the same in all members. */
psdvec_status pv_division_make(psdvec_context *ctx, size_t n, const uint64_t *cost,
                               pv_division **division);
/* Accepts NULL. */
void pv_division_free(pv_division *division);

/* The tiles of this process: its share, or without a division (NULL) all of n rows. */
pv_tiles pv_tiles_own(const pv_division *division, size_t n);
/* Number of rows of that, and the largest number of any member. */
static inline size_t pv_rows_own(const pv_division *division, size_t n)
{
    pv_tiles own = pv_tiles_own(division, n);
    return own.end - own.first;
}
/* The rows of one tile. */
static inline size_t pv_tile_end(size_t n, size_t tile)
{
    size_t end = (tile + 1) * pv_tile_rows(n);
    return end < n ? end : n;
}

/* `array` has n elements of `size` bytes, of which this member has computed those of its rows; gets
 * the others. Does nothing without a division. */
psdvec_status pv_division_complete(const pv_division *division, void *array, size_t size);

/* The leader gets all rows, of `size` bytes each, in `all`; own: those of this member. */
psdvec_status pv_division_collect(const pv_division *division, const void *own, void *all,
                                  size_t size);
/* From rows divided in one way, of which this member has `from`, to another division of as many
 * rows. `to`: those of this member; all rows in the leader, whose share are the first. */
psdvec_status pv_division_change(const pv_division *division, const void *from,
                                 const pv_division *other, void *to, size_t size);

/* Adds all rows to `sum` in their order: add(arg, sum) adds those of this member. The members do so
 * one after the other, and the last tells the others the sum, which has `count` elements. */
typedef void pv_add_fn(const void *arg, double *sum);
psdvec_status pv_division_sum(const pv_division *division, pv_add_fn *add, const void *arg,
                              double *sum, size_t count);

#endif
