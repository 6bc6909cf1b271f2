/* What the counts say of pairs, as a sparse matrix over the model's words: targets G, or the
 * residuals A = G - v' J v of eq. 4.
 *
 * A row is a context word, its columns the focus words of which the counts say something: for
 * smoothed targets those seen after it, for PMI, which has no direction, those seen on either
 * side. The diagonal is like any other entry. Words are matched by spelling; a word of the model
 * that the counts lack has an empty row, and one of the counts that the model lacks is left out.
 */
#ifndef PV_DOCUMENT_RESIDUALS_H
#define PV_DOCUMENT_RESIDUALS_H

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

/* ---- As a file (docs/explanation/residuals.md) ------------------------------------------------------- */

#define PV_RESIDUALS_FORMAT "psdvec.residuals"
#define PV_RESIDUALS_VERSION 1

typedef struct pv_residual_data {
    pv_csr rows;                /* words x words: a_ij */
    const char *bytes;          /* all words, one after the other */
    const uint64_t *offsets;    /* words + 1 */
    const char *target;         /* "smoothed" or "pmi": how G was made */
    double unseen;              /* G of the pairs that are not listed, whose residual is unseen less
                                v' J v; NAN: it is 0 */
    const char *model, *counts; /* checksums of the files it comes from; NULL: none */
} pv_residual_data;

/* Writes the file whole or not at all. */
psdvec_status pv_residual_file_write(psdvec_context *ctx, const pv_residual_data *data,
                                     const char *path);

#endif
