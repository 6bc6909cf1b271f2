/* Symmetric co-occurrence counts: x + x' of a counts file, with the subsampling factors, as a
 * sparse matrix in rows. All baselines that are trained on counts start from this matrix.
 *
 * 8 bytes per entry, in memory or in mapped temporary files; an entry is stored in both of its
 * rows, one on the diagonal once (as 2 x_ii, because a word next to itself is in its own window
 * twice). */
#ifndef PV_BASELINE_COOCCURRENCE_H
#define PV_BASELINE_COOCCURRENCE_H

#include "count/counts_read.h"
#include "sparse/division.h"

typedef struct pv_cooccurrence {
    const pv_division *division; /* of the rows among the members of a group; NULL: all are here */
    uint32_t first;              /* the row of `matrix` with number 0 */
    pv_csr_store matrix;         /* words, or the rows that are here, x words */
    uint64_t pairs;              /* entries of all rows, before any are removed */
    double *margin;              /* words: sums of the rows, from the counts in double precision */
    double total;                /* of the margins */
} pv_cooccurrence;

/* Which rows are made. */
typedef struct pv_cooccurrence_part {
    const pv_division *division; /* those of this member; NULL: all */
    /* Unless NULL: called with the number of entries of each row, before any are made; the rows
     * whose number it sets to 0 are not made, and have no margin. */
    psdvec_status (*choose)(void *self, uint64_t *entries, uint32_t rows);
    void *self;
} pv_cooccurrence_part;

/* The large arrays go to temporary files next to `output` if they do not fit the budget together
 * with `besides` bytes of the caller. part: NULL for all rows. Returns PSDVEC_ERR_EMPTY if there are
 * no pairs. */
psdvec_status pv_cooccurrence_make(psdvec_context *ctx, const psdvec_counts *counts,
                                   const pv_cooccurrence_part *part, const char *output,
                                   uint64_t besides, pv_cooccurrence *out);
void pv_cooccurrence_free(pv_cooccurrence *c);

/* Positive pointwise mutual information of words and contexts (Levy and Goldberg, "Linguistic
 * regularities in sparse and explicit word representations", CoNLL 2014), with the shift and the
 * smoothing of contexts of Levy, Goldberg and Dagan ("Improving distributional similarity with
 * lessons learned from word embeddings", TACL 2015):
 *
 *     M_ij = max(0, log( x_ij D' / (r_i c_j^power) ) - log shift),    D' = sum over j of c_j^power
 *
 * x: how often word i and context j co-occur; r, c: sums of rows and columns, which are the same
 * numbers. The row of a word is its vector; a power below 1 lowers the entries of rare contexts.
 * Both `ppmi`, whose vectors are these rows, and `svd` start from this matrix. Converts the counts
 * in `c` into M, in place: entries that are not positive are removed, and the rows are compacted.
 * Row i is word i, column j context j; with a power other than 1 the matrix is not symmetric.
 * margin and total remain those of the counts. Returns PSDVEC_ERR_EMPTY if no entries are left.
 *
 * The cost is one pass over the entries by all workers, with a logarithm each, and one that moves
 * them; the only additional memory is 16 bytes per word. */
psdvec_status pv_ppmi_make(pv_cooccurrence *c, double context_power, double shift);

/* The same for M and its transpose, the rows of which a member cannot compute from its rows of M:
 * both from its rows of the counts. */
psdvec_status pv_ppmi_make_both(pv_cooccurrence *c, double context_power, double shift,
                                const char *output, uint64_t besides, pv_csr_store *transpose);

#endif
