/* How often words stand together, whichever comes first: x + x' of a counts file, with the factors
 * of subsampling, as a symmetric sparse matrix in rows. The matrix that all systems but ours begin
 * with.
 *
 * 8 bytes an entry, in memory or in mapped temporary files; an entry stands in both of its rows,
 * those of the diagonal once (with 2 x_ii, as a word beside itself is in its own window twice). */
#ifndef PV_BASELINE_COOCCURRENCE_H
#define PV_BASELINE_COOCCURRENCE_H

#include "base/large.h"
#include "count/counts_read.h"

typedef struct pv_cooccurrence {
    psdvec_context *ctx;
    uint32_t n;
    uint64_t entries;
    uint64_t *begin;  /* n + 1 */
    uint32_t *column; /* ascending in each row */
    float *value;
    double *margin; /* n: sums of the rows, from the counts in double precision */
    double total;   /* of the margins */
    pv_large columns_room, values_room;
} pv_cooccurrence;

/* The large arrays go to temporary files beside `output` if the budget has no room for them beside
 * `besides` bytes of the caller's. PSDVEC_ERR_EMPTY if there is no pair. */
psdvec_status pv_cooccurrence_make(psdvec_context *ctx, const psdvec_counts *counts,
                                   const char *output, uint64_t besides, pv_cooccurrence *out);
void pv_cooccurrence_free(pv_cooccurrence *c);

#endif
