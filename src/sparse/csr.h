/* Sparse matrices by rows (CSR, compressed sparse rows).
 *
 *     row i:  column[begin[i]] < column[begin[i] + 1] < ... < columns
 *             value [begin[i]],  value [begin[i] + 1], ...
 *
 * pv_csr is a non-owning view of arrays, often in a mapped file; pv_csr_store owns its arrays.
 */
#ifndef PV_SPARSE_CSR_H
#define PV_SPARSE_CSR_H

#include "base/file.h"

typedef struct pv_csr {
    uint32_t rows, columns;
    const uint64_t *begin; /* rows: where each row begins in `column` and the values ... */
    const uint64_t *end;   /* ... and ends; begin + 1 if no entry is left out */
    const uint32_t *column;
    /* At most one is not NULL; all NULL: only the positions are known. */
    const float *value;
    const float *ones; /* all values are 1: length of the longest row */
    const uint32_t *value32;
    const uint64_t *value64;
    const struct pv_transposed *transposed; /* its columns in a file (transposed.h); NULL: none */
} pv_csr;

/* A matrix without gaps between its rows, rows + 1 offsets in `begin`; NULL: of an empty store. */
static inline pv_csr pv_csr_of(uint32_t rows, uint32_t columns, const uint64_t *begin,
                               const uint32_t *column, const float *value)
{
    return (pv_csr){.rows = rows,
                    .columns = columns,
                    .begin = begin,
                    .end = begin ? begin + 1 : NULL,
                    .column = column,
                    .value = value};
}

/* Number of elements below `least` among `count` ascending numbers. */
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

/* A row of a matrix with float values. */
typedef struct pv_csr_row {
    const uint32_t *column; /* ascending */
    const float *value;
    size_t count;
} pv_csr_row;

static inline pv_csr_row pv_csr_row_of(const pv_csr *matrix, uint32_t i)
{
    PV_HOLDS(matrix->begin && matrix->end); /* only a matrix without rows has none */
    PV_HOLDS(matrix->value || matrix->ones);
    uint64_t at = matrix->begin[i];
    return (pv_csr_row){.column = matrix->column + at,
                        .value = matrix->value ? matrix->value + at : matrix->ones,
                        .count = (size_t)(matrix->end[i] - at)};
}

/* A row of a matrix with counts, or with positions only. */
static inline psdvec_row pv_counts_row_of(const pv_csr *matrix, uint32_t i)
{
    uint64_t begin = matrix->begin[i];
    return (psdvec_row){.length = (size_t)(matrix->end[i] - begin),
                        .focus = matrix->column + begin,
                        .values32 = matrix->value32 ? matrix->value32 + begin : NULL,
                        .values64 = matrix->value64 ? matrix->value64 + begin : NULL};
}

/* Whether count + 1 offsets ascend from 0 to `last`, by at least `step` each. */
bool pv_offsets_ascend(const uint64_t *offsets, uint64_t count, uint64_t last, unsigned step);

/* *fine: the columns of every row ascend and are below `columns`. Runs in parallel. `begin` and
 * `end` must be valid. */
psdvec_status pv_csr_check_columns(psdvec_context *ctx, const pv_csr *matrix, bool *fine);

/* Divides rows into tasks of about equal work: the number of entries plus `row_cost` per row. Task
 * t gets rows edges[t] .. edges[t + 1] - 1. `begin`: rows + 1, from 0 on. */
void pv_divide_rows(const uint64_t *begin, uint32_t rows, uint32_t row_cost, uint32_t tasks,
                    uint32_t *edges);

/* ---- Matrices that own their arrays ---------------------------------------------------------
 * Built in two passes: pv_csr_store_open(), write the number of entries of each row i to begin[i +
 * 1], pv_csr_store_reserve(), then write the entries. */
typedef struct pv_csr_store {
    psdvec_context *ctx;
    const char *what; /* for messages */
    uint32_t rows, columns;
    uint64_t *begin; /* rows + 1 */
    uint32_t *column;
    float *value;
    pv_large column_memory, value_memory;
} pv_csr_store;

psdvec_status pv_csr_store_open(psdvec_context *ctx, uint32_t rows, uint32_t columns,
                                const char *what, pv_csr_store *store);
/* Turns the counts in `begin` into offsets and allocates that many entries: in memory if they fit
 * the budget beside `besides` bytes, else in temporary files in the folder of `output`. NULL:
 * memory only. */
psdvec_status pv_csr_store_reserve(pv_csr_store *store, const char *output, uint64_t besides);
/* Allocates the entries of a store whose `begin` already has offsets; `spill`: in files in
 * `folder`. */
psdvec_status pv_csr_store_allocate(pv_csr_store *store, const char *folder, bool spill);
void pv_csr_store_free(pv_csr_store *store);
/* A copy of rows first .. first + count - 1 of a matrix with float values, in memory. */
psdvec_status pv_csr_copy_rows(psdvec_context *ctx, const pv_csr *from, uint32_t first,
                               uint32_t count, const char *what, pv_csr_store *to);
/* Bytes of that many entries. */
uint64_t pv_csr_bytes(uint64_t entries);

static inline pv_csr pv_csr_view(const pv_csr_store *store)
{
    return pv_csr_of(store->rows, store->columns, store->begin, store->column, store->value);
}

#endif
