/* What the counts say of pairs, as a sparse matrix over the model's words: targets G, or the
 * residuals G - v' J v, equation (4) of the paper.
 *
 * A row is a context word, its columns the focus words of which the counts say something: for
 * smoothed targets those seen after it, for PMI, which has no direction, those seen on either
 * side. The diagonal is like any other entry. Words are matched by spelling; a word of the model
 * that the counts lack has an empty row, and one of the counts that the model lacks is left out.
 */
#ifndef PV_DOCUMENT_RESIDUAL_MATRIX_H
#define PV_DOCUMENT_RESIDUAL_MATRIX_H

#include "sparse/csr.h"

typedef enum pv_residual_kind { PV_RESIDUAL_TARGET, PV_RESIDUAL_DIFFERENCE } pv_residual_kind;

typedef struct pv_residual_matrix {
    pv_csr_store rows; /* words x words of the model */
    double unseen;     /* G of all other pairs: log kappa; NAN for PMI, whose other pairs have no
                          residual */
    bool same_counts;  /* the model was trained on these */
    uint32_t common;   /* words of both */
} pv_residual_matrix;

/* The same bits for any number of threads. The counts' rows are checked before they are used. */
psdvec_status pv_residual_matrix_make(psdvec_context *ctx, const psdvec_model *model,
                                      const psdvec_counts *counts, pv_residual_kind kind,
                                      pv_residual_matrix **out);
void pv_residual_matrix_free(pv_residual_matrix *matrix);

#endif
