/* A file of residuals (docs/residuals.md): a sparse matrix in rows, a row for each context word,
 * with the words.
 */
#ifndef PV_DOCUMENT_RESIDUAL_FILE_H
#define PV_DOCUMENT_RESIDUAL_FILE_H

#include "sparse/csr.h"

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
