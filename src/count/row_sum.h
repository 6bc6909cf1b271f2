/* One row of the count matrix being added up: a number for every column, and
 * the list of columns touched. Taking the row out gives its columns ascending
 * without comparing any: they are marked in a bit map and read off.
 *
 *     sum      [0 0 7 0 0 2 ...]     columns + 1; the last cell takes what is
 *                                    to be forgotten (unknown words)
 *     touched  [5 2]
 *     bits     0b100100              one bit a column
 *     groups   0b1                   one bit for every 64 columns in use
 */
#ifndef PV_COUNT_ROW_SUM_H
#define PV_COUNT_ROW_SUM_H

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
/* Bytes for one of `columns` columns. */
uint64_t pv_row_sum_bytes(uint32_t columns);

/* column <= columns; value > 0. */
static inline void pv_row_sum_add(pv_row_sum *row, uint32_t column, uint64_t value)
{
    uint64_t before = row->sum[column];
    row->touched[row->touched_count] = column;
    row->touched_count += before == 0;
    row->sum[column] = before + value;
}

/* Writes the touched columns, ascending, and their sums; there must be room
 * for touched_count. Returns their number and starts a new row. */
size_t pv_row_sum_take(pv_row_sum *row, uint32_t *columns, uint64_t *values);

/* Starts a new row without looking at the old one. */
static inline void pv_row_sum_forget(pv_row_sum *row)
{
    while (row->touched_count > 0)
        row->sum[row->touched[--row->touched_count]] = 0;
}

#endif
