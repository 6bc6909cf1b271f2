/* Writing a model file (docs/reference/model-file.md). */
#ifndef PV_MODEL_MODEL_WRITE_H
#define PV_MODEL_MODEL_WRITE_H

#include "base/json.h"
#include "base/safetensors_read.h"
#include "base/safetensors_write.h"
#include "corpus/phrases.h"
#include "model/vector_set.h"
#include "spelling/spelling.h"

#define PV_MODEL_FORMAT "psdvec.model"
/* Format versions: of files in the compact layout (compact.h), which is the highest, and of
 * others. */
#define PV_MODEL_VERSION_COMPACT 2
#define PV_MODEL_VERSION 1

/* What goes into the file. Pointers marked "or NULL" leave their tensor out. */
typedef struct pv_model_data {
    uint32_t words, dim;
    uint32_t core_words;                /* the first ones; 0: unknown */
    const char *bytes;                  /* all words, UTF-8, one after the other; none empty */
    const uint64_t *offsets;            /* words + 1 */
    const char *forms;                  /* all forms (psdvec_model_form), one after the other */
    const uint64_t *form_offsets;       /* words + 1; an empty form is the word; or NULL */
    const float *vectors;               /* words x dim, row-major */
    const uint64_t *counts;             /* words: frequency in the text, or NULL */
    const double *unigram;              /* words: P(s_i), or NULL */
    const float *spread;                /* words: posterior spread, 0 where unknown, or NULL */
    const float *eigenvalues;           /* dim: by magnitude, descending, with signs, or NULL */
    const psdvec_iteration *iterations; /* the history of Algorithm 1, or NULL */
    size_t iteration_count;
    const char *method;                /* "psd", "svd", ..., or NULL */
    const char *settings_json;         /* an object, or NULL */
    const char *counts_json;           /* an object, or NULL */
    const char *extensions_json;       /* an array, or NULL */
    const char *fit_json;              /* an object, or NULL */
    const char *joint_json;            /* an object, or NULL */
    const float *readout;              /* words x dim, or NULL: the vectors themselves */
    const float *readout_mean;         /* dim, with `readout`; or NULL: zeros */
    const float *readout_map;          /* dim x dim, with `readout`; or NULL: the identity */
    const pv_spelling_table *spelling; /* or NULL */
    pv_phrase_list phrases;            /* that were joined in the text */
    bool only_readout, no_spelling;    /* left out by convert: metadata `without` */
    psdvec_precision precision;        /* to which the vectors are rounded in the file */
} pv_model_data;

/* The names of all metadata and tensors that a model file may have, for pv_st_warn_unknown(). */
extern const char *const pv_model_names[];

/* The data of an open model that is not sparse. */
psdvec_status pv_model_data_of(psdvec_context *ctx, const psdvec_model *model, pv_model_data *data);

/* The inverse: a model that is not in a file, with its generative vectors and the data needed for
 * scoring. The data must outlive it. `path`: its name in messages. */
psdvec_status pv_model_of_data(psdvec_context *ctx, const pv_model_data *data, const char *path,
                               psdvec_model **model);

/* Writes a file that the caller commits. If a vector has a component that is not finite, fails with
 * PSDVEC_ERR_NUMERIC and names the word. */
psdvec_status pv_model_prepare(psdvec_context *ctx, const pv_model_data *data, const char *path,
                               pv_output **prepared);
/* Writes and commits it. */
psdvec_status pv_model_write(psdvec_context *ctx, const pv_model_data *data, const char *path);

/* Members of an iteration in the history of a model file. */
extern const pv_json_field pv_iteration_fields[];

/* Fails with PSDVEC_ERR_NUMERIC and "SUBJECT: the vector of 'word' ..." if one of the first `dim`
 * components of the first `words` vectors is not finite. `stride`: elements from one vector to the
 * next. Runs in parallel; names the first such word. */
psdvec_status pv_model_check_finite(psdvec_context *ctx, const char *subject, const float *vectors,
                                    uint32_t words, uint32_t dim, uint32_t stride,
                                    const char *bytes, const uint64_t *offsets);
/* The same for all rows of sparse vectors. */
psdvec_status pv_sparse_check_finite(psdvec_context *ctx, const char *subject,
                                     const pv_csr *vectors, const char *bytes,
                                     const uint64_t *offsets);
/* The first such word, or the number of words if there is none: for readers. */
psdvec_status pv_vector_set_find_bad(psdvec_context *ctx, const pv_vector_set *set, uint32_t words,
                                     uint32_t dim, uint32_t *first);
psdvec_status pv_sparse_find_bad(psdvec_context *ctx, const pv_csr *vectors, uint32_t *first);

#endif
