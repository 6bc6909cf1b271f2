/* How often words stand together, whichever comes first: x + x' of a counts file, with the factors
 * of subsampling, as a symmetric sparse matrix in rows. The matrix that all systems but ours begin
 * with.
 *
 * 8 bytes an entry, in memory or in mapped temporary files; an entry stands in both of its rows,
 * those of the diagonal once (with 2 x_ii, as a word beside itself is in its own window twice). */
#ifndef PV_BASELINE_COOCCURRENCE_H
#define PV_BASELINE_COOCCURRENCE_H

#include "count/counts_read.h"

typedef struct pv_cooccurrence {
    pv_csr_store matrix; /* words x words */
    double *margin;      /* words: sums of the rows, from the counts in double precision */
    double total;        /* of the margins */
} pv_cooccurrence;

/* The large arrays go to temporary files beside `output` if the budget has no room for them beside
 * `besides` bytes of the caller's. PSDVEC_ERR_EMPTY if there is no pair. */
psdvec_status pv_cooccurrence_make(psdvec_context *ctx, const psdvec_counts *counts,
                                   const char *output, uint64_t besides, pv_cooccurrence *out);
void pv_cooccurrence_free(pv_cooccurrence *c);

#endif
