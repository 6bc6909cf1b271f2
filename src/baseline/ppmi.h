/* Positive pointwise mutual information of words and contexts (Levy and Goldberg, "Linguistic
 * regularities in sparse and explicit word representations", CoNLL 2014), with the shift and the
 * smoothing of contexts of Levy, Goldberg and Dagan ("Improving distributional similarity with
 * lessons learned from word embeddings", TACL 2015):
 *
 *     M_ij = max(0, log( x_ij D' / (r_i c_j^power) ) - log shift),    D' = sum over j of c_j^power
 *
 * x: how often word i stands with context j; r, c: sums of rows and columns, which are the same
 * numbers. The row of a word is its vector; a power below 1 lowers the entries of rare contexts. Both
 * `ppmi`, whose vectors the rows are, and `svd` begin with this matrix.
 */
#ifndef PV_BASELINE_PPMI_H
#define PV_BASELINE_PPMI_H

#include "baseline/cooccurrence.h"

/* Turns the counts in `c` into M, in place: what is not positive goes, and the rows are closed up. Row i is word i, column j context j; with a power other than 1 the matrix
 * is not symmetric. margin and total stay those of the counts. PSDVEC_ERR_EMPTY if nothing is left.
 *
 * One pass over the entries by all workers, a logarithm each, and one that moves them; no memory
 * but 16 bytes a word. */
psdvec_status pv_ppmi_make(pv_cooccurrence *c, double context_power, double shift);

#endif
