/* Targets G, or residuals A = G - v' J v of eq. 4, as a sparse matrix over the words of the model.
 *
 * A row is a context word. Its columns are the focus words with an entry in the counts: for
 * smoothed targets, the words seen after it; for PMI, which has no direction, the words seen on
 * either side. The diagonal is treated like any other entry. Words are matched by spelling; a word
 * of the model that is not in the counts has an empty row, and words that are only in the counts
 * are skipped.
 */
#ifndef PV_DOCUMENT_RESIDUALS_H
#define PV_DOCUMENT_RESIDUALS_H

#include "sparse/csr.h"

typedef enum pv_residual_kind { PV_RESIDUAL_TARGET, PV_RESIDUAL_DIFFERENCE } pv_residual_kind;

typedef struct pv_residual_matrix {
    pv_csr_store rows; /* words x words of the model */
    double unseen;     /* G of all other pairs: log kappa; NAN for PMI, where other pairs have no
                        * residual */
    bool same_counts;  /* the model was trained on these counts */
    uint32_t common;   /* number of words in both */
} pv_residual_matrix;

/* The result has the same bits for any number of threads. Rows of the counts are checked before
 * use. */
psdvec_status pv_residual_matrix_make(psdvec_context *ctx, const psdvec_model *model,
                                      const psdvec_counts *counts, pv_residual_kind kind,
                                      pv_residual_matrix **out);
void pv_residual_matrix_free(pv_residual_matrix *matrix);

/* ---- The file format (docs/explanation/residuals.md) ----------------------------------------- */

#define PV_RESIDUALS_FORMAT "psdvec.residuals"
#define PV_RESIDUALS_VERSION 1

typedef struct pv_residual_data {
    pv_csr rows;                /* words x words: a_ij */
    const char *bytes;          /* all words, concatenated */
    const uint64_t *offsets;    /* words + 1 */
    const char *target;         /* "smoothed" or "pmi": the kind of G */
    double unseen;              /* G of the pairs that are not listed, whose residual is unseen - v'
                                 * J v; NAN: it is 0 */
    const char *model, *counts; /* checksums of the source files; NULL: none */
} pv_residual_data;

/* Writes a file that the caller commits. */
psdvec_status pv_residual_file_prepare(psdvec_context *ctx, const pv_residual_data *data,
                                       const char *path, pv_output **prepared);

#endif
