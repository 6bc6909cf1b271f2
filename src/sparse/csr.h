/* Sparse matrices by rows (CSR, compressed sparse rows).
 *
 *     row i:  column[begin[i]] < column[begin[i] + 1] < ... < columns
 *             value [begin[i]],  value [begin[i] + 1], ...
 *
 * pv_csr is a view of arrays that belong to somebody else, often to a mapped file.
 */
#ifndef PV_SPARSE_CSR_H
#define PV_SPARSE_CSR_H

#include "base/context.h"

typedef struct pv_csr {
    uint32_t rows, columns;
    const uint64_t *begin; /* rows: where each row begins in `column` and the values ... */
    const uint64_t *end;   /* ... and ends; begin + 1 if no entry is left out */
    const uint32_t *column;
    /* One of these; all NULL: only the positions are known. */
    const float *value;
    const float *ones; /* all values are 1: as many as the longest row has entries */
    const uint32_t *value32;
    const uint64_t *value64;
} pv_csr;

/* A matrix without gaps between its rows, rows + 1 offsets in `begin`. */
static inline pv_csr pv_csr_of(uint32_t rows, uint32_t columns, const uint64_t *begin,
                               const uint32_t *column, const float *value)
{
    return (pv_csr){.rows = rows,
                    .columns = columns,
                    .begin = begin,
                    .end = begin + 1,
                    .column = column,
                    .value = value};
}

/* How many of `count` ascending numbers are below `least`. */
static inline uint64_t pv_lower_bound(const uint32_t *numbers, uint64_t count, uint32_t least)
{
    uint64_t from = 0;
    while (count > 0) {
        uint64_t half = count / 2;
        if (numbers[from + half] < least) {
            from += half + 1;
            count -= half + 1;
        } else
            count = half;
    }
    return from;
}

/* Whether count + 1 offsets ascend from 0 to `last`. */
bool pv_offsets_ascend(const uint64_t *offsets, uint64_t count, uint64_t last);

/* Divides rows among tasks of about the same work: their entries, and `row_cost` entries more for
 * each row. Task t gets rows edges[t] .. edges[t + 1] - 1. `begin`: rows + 1, from 0 on. */
void pv_divide_rows(const uint64_t *begin, uint32_t rows, uint32_t row_cost, uint32_t tasks,
                    uint32_t *edges);

#endif
