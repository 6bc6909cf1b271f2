/* Rows of the count matrix, from summation to storage: workers fill groups of rows in parallel, and
 * the groups are stored in order, regardless of which finishes first.
 *
 * A row is summed in an accumulator per column, with a list of the columns touched. Taking the row
 * out gives ascending columns without comparisons: they are marked in a bitmap, which is then
 * scanned.
 *
 *     sum      [0 0 7 0 0 2 ...]     columns + 1; the last cell takes entries
 *                                    to be discarded (unknown words)
 *     touched  [5 2]
 *     bits     0b100100              one bit per column
 *     groups   0b1                   one bit for every 64 columns in use
 */
#ifndef PV_COUNT_ROWS_H
#define PV_COUNT_ROWS_H

#include "base/memory.h"

typedef struct pv_row_sum {
    pv_scope memory;
    uint32_t columns;
    uint64_t *sum;
    uint32_t *touched;
    size_t touched_count;
    uint64_t *bits, *groups;
    size_t group_words;
} pv_row_sum;

psdvec_status pv_row_sum_init(pv_row_sum *row, psdvec_context *ctx, uint32_t columns);
void pv_row_sum_free(pv_row_sum *row);
/* Bytes of an accumulator of `columns` columns. */
uint64_t pv_row_sum_bytes(uint32_t columns);

/* column <= columns; value > 0. */
static inline void pv_row_sum_add(pv_row_sum *row, uint32_t column, uint64_t value)
{
    uint64_t before = row->sum[column];
    row->touched[row->touched_count] = column;
    row->touched_count += before == 0;
    row->sum[column] = before + value;
}

/* Writes the touched columns, ascending, and their sums into arrays of at
 * least touched_count. Returns their number and starts a new row. */
size_t pv_row_sum_take(pv_row_sum *row, uint32_t *columns, uint64_t *values);

/* Discards the row and starts a new one. */
static inline void pv_row_sum_clear(pv_row_sum *row)
{
    while (row->touched_count > 0)
        row->sum[row->touched[--row->touched_count]] = 0;
}

/* The rows [first, first + count), consecutively. */
typedef struct pv_rows {
    pv_scope memory;
    uint32_t first, count;
    uint32_t *lengths; /* per row */
    uint32_t *columns; /* ascending within a row */
    uint64_t *values;
    size_t used, capacity; /* of columns and values */
    size_t length_capacity;
    pv_buffer packed; /* for the sink, prepared before its turn */
    uint64_t place;   /* for the sink: their position, known at its turn */
} pv_rows;

void pv_rows_init(pv_rows *rows, psdvec_context *ctx);
void pv_rows_free(pv_rows *rows);
/* Upper bound on the bytes for `entries` entries, including packing and growth. */
uint64_t pv_rows_bytes(uint64_t entries);
/* Starts over with up to `count` rows from `first`. */
psdvec_status pv_rows_begin(pv_rows *rows, uint32_t first, uint32_t count);
/* Capacity for `extra` more entries. */
psdvec_status pv_rows_reserve(pv_rows *rows, size_t extra);

/* Appends the row in the accumulator and clears the accumulator. Rows are added in order; rows that
 * are never added stay empty. */
psdvec_status pv_rows_add(pv_rows *rows, uint32_t row, pv_row_sum *sum);

/* Receives finished rows. `prepare` works on rows->packed, in any order and in parallel; then
 * `take` is called for the groups in ascending order, one at a time; then `finish`, if not NULL,
 * again in parallel. */
typedef struct pv_row_sink {
    psdvec_status (*prepare)(void *self, pv_rows *rows);
    psdvec_status (*take)(void *self, size_t group, pv_rows *rows);
    psdvec_status (*finish)(void *self, const pv_rows *rows);
    void *self;
} pv_row_sink;

/* Groups of consecutive rows with about the same amount of work: group g is [start[g], start[g +
 * 1]). There are about `wanted` groups, up to a limit. */
typedef struct pv_row_groups {
    uint32_t *start;
    size_t count;
} pv_row_groups;

psdvec_status pv_row_groups_init(pv_row_groups *groups, psdvec_context *ctx, const uint64_t *work,
                                 uint32_t rows, uint64_t wanted);
void pv_row_groups_free(pv_row_groups *groups, psdvec_context *ctx);

/* Fills the rows of one group: each with pv_row_sum_add and pv_rows_add, or directly. `sum` is
 * empty and must be left empty. */
typedef psdvec_status pv_fill_rows(void *arg, size_t group, int worker, pv_row_sum *sum,
                                   pv_rows *rows);

/* Fills all groups with all workers and passes them to the sink in order. `stage`, if not NULL,
 * names the stage for progress reports, in groups. */
psdvec_status pv_rows_make(psdvec_context *ctx, uint32_t columns, const pv_row_groups *groups,
                           pv_fill_rows *fill, void *arg, const pv_row_sink *sink,
                           const char *stage);

#endif
