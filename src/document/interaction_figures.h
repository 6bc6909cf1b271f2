/* From counts of triples to figures: the pointwise interaction information of one triple, and what
 * all of them together say.
 *
 * With N places, of which N(a, b, c) have the triple, N(a, b) its first two words, and so on,
 *
 *     PInt = log [N(a,b,c) N(a) N(b) N(c)] / [N(a,b) N(a,c) N(b,c) N]
 *
 * Its standard error is that of the delta method for N independent draws from the eight cells of
 * "is a or not, is b or not, is c or not":
 *
 *     variance = sum over cells of n_cell u_cell^2 - 1 / N
 *
 * where u_cell adds up, over the counts above that the cell is part of, 1 / count with the sign
 * that the count has in PInt.
 *
 * Quantiles are exact: the values go to a spool, and are selected by counting their leading
 * 16 bits, then the next, in four passes.
 */
#ifndef PV_DOCUMENT_INTERACTION_FIGURES_H
#define PV_DOCUMENT_INTERACTION_FIGURES_H

#include "base/spool.h"
#include "document/triple_count.h"

/* All figures of one triple. */
void pv_interaction_of(const pv_triple_text *x, const pv_triple *t, psdvec_interaction *out);

typedef struct pv_interaction_value {
    uint64_t key; /* orders as the information does */
    uint64_t weight;
} pv_interaction_value;

enum { PV_INTERACTION_BLOCK = 1 << 12 };

typedef struct pv_interaction_sums {
    psdvec_context *ctx;
    const pv_triple_text *text;
    uint64_t triples, occurrences, within_half;
    double information, absolute, sum_absolute; /* sums, each times how often */
    double cross, square;                       /* of sum times joint, and of sum^2 */
    pv_spool *values;
    pv_interaction_value *block;
    size_t block_count;
    pv_triple *top; /* a heap: the first is the last of them in order */
    size_t top_count, most;
} pv_interaction_sums;

/* Free it in any case. */
psdvec_status pv_interaction_sums_init(pv_interaction_sums *sums, const pv_triple_text *text,
                                       size_t most, const char *folder);
void pv_interaction_sums_free(pv_interaction_sums *sums);
/* A pv_triple_sink; `opaque`: the sums. */
psdvec_status pv_interaction_sums_add(void *opaque, const pv_triple *triples, size_t count);
/* Fills in the report, and puts the most frequent triples in order. */
psdvec_status pv_interaction_sums_finish(pv_interaction_sums *sums,
                                         psdvec_interaction_report *report);

#endif
