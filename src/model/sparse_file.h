/* The file of a sparse model (docs/reference/model-file.md): written, opened, and converted. */
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
    bool directions_are_words; /* direction k is word k, as of PPMI */
    const char *method;        /* "ppmi", or NULL */
    const char *settings_json; /* an object, or NULL */
    const char *counts_json;   /* an object, or NULL */
    pv_phrase_list phrases;    /* that were joined in the text */
} pv_sparse_model_data;

/* The names of all metadata and tensors that such a file may have, for pv_st_warn_unknown(). */
extern const char *const pv_sparse_names[];

/* Writes the file whole or not at all. A number that is not finite is PSDVEC_ERR_NUMERIC and names
 * the word. */
psdvec_status pv_sparse_model_write(psdvec_context *ctx, const pv_sparse_model_data *data,
                                    const char *path);

/* Sparse vectors on their way to another file: cut and brought to length 1 they stay sparse in a model
 * file of ours; other programs get all their numbers, most of which are 0. `rows` of a sparse model.
 * `words_path`: of NPY. */
psdvec_status pv_sparse_convert(psdvec_context *ctx, const pv_rows_out *rows, const char *output,
                                const char *words_path);

#endif
