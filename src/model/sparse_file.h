/* Sparse model files (docs/reference/model-file.md): writing, opening and conversion. */
#ifndef PV_MODEL_SPARSE_FILE_H
#define PV_MODEL_SPARSE_FILE_H

#include "corpus/phrases.h"
#include "model/foreign_write.h"
#include "sparse/csr.h"

#define PV_SPARSE_FORMAT "psdvec.sparse"
#define PV_SPARSE_VERSION 1

/* What goes into the file. */
typedef struct pv_sparse_model_data {
    pv_csr rows;               /* words x dim; finite values, or none if all are 1 */
    const char *bytes;         /* all words, UTF-8, one after the other; none empty */
    const uint64_t *offsets;   /* words + 1 */
    const uint64_t *counts;    /* words: frequency in the text, or NULL */
    bool directions_are_words; /* dimension k is word k, as in PPMI */
    const char *method;        /* "ppmi", or NULL */
    const char *settings_json; /* an object, or NULL */
    const char *counts_json;   /* an object, or NULL */
    pv_phrase_list phrases;    /* that were joined in the text */
} pv_sparse_model_data;

/* The names of all metadata and tensors that such a file may have, for pv_st_warn_unknown(). */
extern const char *const pv_sparse_names[];

/* Writes the file atomically. A value that is not finite gives PSDVEC_ERR_NUMERIC and a message
 * with the word. */
psdvec_status pv_sparse_model_write(psdvec_context *ctx, const pv_sparse_model_data *data,
                                    const char *path);

/* Converts sparse vectors, optionally truncated and normalised to length 1. They stay sparse in a
 * model file; other programs get dense vectors, most of whose components are 0. `rows` belongs to a
 * sparse model. `words_path`: for NPY. */
psdvec_status pv_sparse_convert(psdvec_context *ctx, const pv_rows_out *rows, const char *output,
                                const char *words_path);

#endif
