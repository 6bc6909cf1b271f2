/* Writing a sparse model file (docs/model-format.md). */
#ifndef PV_MODEL_SPARSE_WRITE_H
#define PV_MODEL_SPARSE_WRITE_H

#include "sparse/csr.h"

#define PV_SPARSE_FORMAT "psdvec.sparse"
#define PV_SPARSE_VERSION 1

/* What goes into the file. */
typedef struct pv_sparse_model_data {
    pv_csr rows;               /* words x dim; finite values, or none if all are 1 */
    const char *bytes;         /* all words, UTF-8, one after the other; none empty */
    const uint64_t *offsets;   /* words + 1 */
    const uint64_t *counts;    /* words: frequency in the text, or NULL */
    bool directions_are_words; /* direction k is word k, as of PPMI */
    const char *method;        /* "ppmi", or NULL */
    const char *settings_json; /* an object, or NULL */
    const char *counts_json;   /* an object, or NULL */
} pv_sparse_model_data;

/* The names of all metadata and tensors that such a file may have, for pv_st_warn_unknown(). */
extern const char *const pv_sparse_names[];

/* Writes the file whole or not at all. A number that is not finite is PSDVEC_ERR_NUMERIC and names
 * the word. */
psdvec_status pv_sparse_model_write(psdvec_context *ctx, const pv_sparse_model_data *data,
                                    const char *path);

#endif
