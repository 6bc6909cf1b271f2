/* Rows of the count matrix on their way from where they are added up to where
 * they are stored, and the gate that lets groups of rows through in order.
 */
#ifndef PV_COUNT_ROWS_H
#define PV_COUNT_ROWS_H

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
    pv_buffer packed; /* for the sink, made outside the gate */
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
 * after the other, ascending. */
typedef struct pv_row_sink {
    psdvec_status (*prepare)(void *self, pv_rows *rows);
    psdvec_status (*take)(void *self, size_t group, const pv_rows *rows);
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

/* Workers pass the gate in order of their groups. */
typedef struct pv_gate {
    psdvec_context *ctx;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t next;
    bool closed; /* somebody failed: nobody passes any more */
} pv_gate;

void pv_gate_init(pv_gate *gate, psdvec_context *ctx);
void pv_gate_free(pv_gate *gate);
/* Prepares the rows, waits for the turn of `group`, hands them to the sink,
 * opens for the next. With `status` not OK it only closes the gate. */
psdvec_status pv_gate_pass(pv_gate *gate, size_t group, psdvec_status status,
                           const pv_row_sink *sink, pv_rows *rows);

#endif
