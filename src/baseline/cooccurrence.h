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

/* The large arrays go to temporary files beside `output` if the budget has no memory for them beside
 * `besides` bytes of the caller's. PSDVEC_ERR_EMPTY if there is no pair. */
psdvec_status pv_cooccurrence_make(psdvec_context *ctx, const psdvec_counts *counts,
                                   const char *output, uint64_t besides, pv_cooccurrence *out);
void pv_cooccurrence_free(pv_cooccurrence *c);

/* Positive pointwise mutual information of words and contexts (Levy and Goldberg, "Linguistic
 * regularities in sparse and explicit word representations", CoNLL 2014), with the shift and the
 * smoothing of contexts of Levy, Goldberg and Dagan ("Improving distributional similarity with
 * lessons learned from word embeddings", TACL 2015):
 *
 *     M_ij = max(0, log( x_ij D' / (r_i c_j^power) ) - log shift),    D' = sum over j of c_j^power
 *
 * x: how often word i stands with context j; r, c: sums of rows and columns, which are the same
 * numbers. The row of a word is its vector; a power below 1 lowers the entries of rare contexts. Both
 * `ppmi`, whose vectors the rows are, and `svd` begin with this matrix. Turns
 * the counts in `c` into M, in place: what is not positive goes, and the rows are closed up. Row i is word
 * i, column j context j; with a power other than 1 the matrix is not symmetric. margin and total stay those
 * of the counts. PSDVEC_ERR_EMPTY if nothing is left.
 *
 * One pass over the entries by all workers, a logarithm each, and one that moves them; no memory
 * but 16 bytes a word. */
psdvec_status pv_ppmi_make(pv_cooccurrence *c, double context_power, double shift);

#endif
