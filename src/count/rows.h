/* Rows of the count matrix on their way from where they are added up to where
 * they are stored: groups of rows are filled by workers at once and stored in
 * order, whoever is finished first.
 */
#ifndef PV_COUNT_ROWS_H
#define PV_COUNT_ROWS_H

#include "base/progress.h"
#include "count/row_sum.h"

/* The rows [first, first + count), one after the other. */
typedef struct pv_rows {
    psdvec_context *ctx;
    uint32_t first, count;
    uint32_t *lengths; /* per row */
    uint32_t *columns; /* ascending within a row */
    uint64_t *values;
    size_t used, capacity; /* of columns and values */
    size_t length_capacity;
    pv_buffer packed; /* for the sink, made before its turn */
    uint64_t place;   /* for the sink: where they go, known at its turn */
} pv_rows;

void pv_rows_init(pv_rows *rows, psdvec_context *ctx);
void pv_rows_free(pv_rows *rows);
/* Bytes that `entries` of them need at most, packed and while growing. */
uint64_t pv_rows_bytes(uint64_t entries);
/* Starts over with up to `count` rows from `first`. */
psdvec_status pv_rows_begin(pv_rows *rows, uint32_t first, uint32_t count);
/* Room for `extra` more entries. */
psdvec_status pv_rows_reserve(pv_rows *rows, size_t extra);

/* Takes the row out of its accumulator and puts it at the end. Rows that are
 * never added stay empty; they are added in order. */
psdvec_status pv_rows_add(pv_rows *rows, uint32_t row, pv_row_sum *sum);

/* Where finished rows go. `prepare` does what it can to rows->packed, in any
 * order and at once for several groups; then `take` is called for one group
 * after the other, ascending; then `finish`, if there is one, again at once. */
typedef struct pv_row_sink {
    psdvec_status (*prepare)(void *self, pv_rows *rows);
    psdvec_status (*take)(void *self, size_t group, pv_rows *rows);
    psdvec_status (*finish)(void *self, const pv_rows *rows);
    void *self;
} pv_row_sink;

/* Groups of consecutive rows with about the same amount of work: group g is
 * [start[g], start[g + 1]). */
typedef struct pv_row_groups {
    uint32_t *start;
    size_t count;
} pv_row_groups;

psdvec_status pv_row_groups_init(pv_row_groups *groups, psdvec_context *ctx, const uint64_t *work,
                                 uint32_t rows, size_t wanted);
void pv_row_groups_free(pv_row_groups *groups, psdvec_context *ctx);

/* Fills the rows of one group: each with pv_row_sum_add and pv_rows_add, or
 * directly. `sum` is empty and must be left so. */
typedef psdvec_status pv_fill_rows(void *arg, size_t group, int worker, pv_row_sum *sum,
                                   pv_rows *rows);

/* Has all groups filled, by all workers, and handed to the sink in order.
 * `progress`, if not NULL, counts the groups. */
psdvec_status pv_rows_make(psdvec_context *ctx, uint32_t columns, const pv_row_groups *groups,
                           pv_fill_rows *fill, void *arg, const pv_row_sink *sink,
                           pv_progress *progress);

#endif
