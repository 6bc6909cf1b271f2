/* Collects triples (row, column, value) in any order into ordered rows.
 *
 * Files of other programs list their entries in any order, possibly with duplicate pairs. Triples
 * are collected in blocks as large as memory allows; a full block is sorted by row (by counting
 * sort, unless already sorted), its rows are summed, and it becomes a spill. At the end the spills
 * are merged; if one block holds everything, no spill is written.
 *
 *     segments  [16 bytes per triple ...] [...] [...]   allocated one by one
 *     order     [3 0 2 1 ...]                           by row; not if sorted
 *
 * Sums are of integers, so the result depends neither on the order of the triples nor on where
 * blocks end. Cost: 20 bytes of memory per triple, limited by the budget; about 20 ns per triple in
 * memory.
 */
#ifndef PV_COUNT_TRIPLES_H
#define PV_COUNT_TRIPLES_H

#include "count/spills.h"

enum { PV_TRIPLE_SEGMENT = 1 << 18 }; /* triples per segment */

typedef struct pv_triple {
    uint32_t row, column;
    uint64_t value;
} pv_triple;

typedef struct pv_triples {
    pv_scope memory;
    const char *folder; /* for spills */
    uint32_t words;     /* rows and columns */
    pv_triple **segments;
    size_t segment_count, segment_limit;
    pv_triple *next, *end; /* free part of the last segment */
    uint64_t total;        /* sum of all values */
    uint64_t expected;     /* estimated number of triples; 0: unknown */
    const uint64_t *work;  /* words: estimated work per row; NULL: unknown */
    pv_row_groups groups;
    pv_spills spills;
    bool grouped;
} pv_triples;

/* `reserve`: bytes of memory to leave for other uses. `work` must be valid until
 * pv_triples_finish. */
psdvec_status pv_triples_init(pv_triples *t, psdvec_context *ctx, const char *folder,
                              uint32_t words, uint64_t expected, const uint64_t *work,
                              uint64_t reserve);
void pv_triples_free(pv_triples *t);

psdvec_status pv_triples_grow(pv_triples *t);
psdvec_status pv_triples_overflow(pv_triples *t);

/* row, column < words; value > 0. */
static inline psdvec_status pv_triples_add(pv_triples *t, uint32_t row, uint32_t column,
                                           uint64_t value)
{
    if (PV_UNLIKELY(__builtin_add_overflow(t->total, value, &t->total)))
        return pv_triples_overflow(t);
    if (PV_UNLIKELY(t->next == t->end))
        PV_TRY(pv_triples_grow(t));
    *t->next++ = (pv_triple){.row = row, .column = column, .value = value};
    return PSDVEC_OK;
}

/* Passes all rows to the sink, in order. Call once. */
psdvec_status pv_triples_finish(pv_triples *t, const pv_row_sink *sink);

#endif
