/* Declarations shared by the baselines: each method is one function that gets a run and writes a
 * model. */
#ifndef PV_BASELINE_BASELINE_H
#define PV_BASELINE_BASELINE_H

#include "base/memory.h"
#include "base/partial.h"
#include "count/counts_read.h"
#include "model/model_read.h"
#include "sparse/division.h"

/* The words of a model's vectors. */
typedef struct pv_baseline_words {
    uint32_t words;
    const char *bytes;
    const uint64_t *offsets;   /* words + 1 */
    const uint64_t *frequency; /* words, or NULL */
    const char *counts_json;   /* how the text was read: a JSON object, or NULL */
    pv_phrase_list phrases;    /* phrases that were joined in the text */
} pv_baseline_words;

typedef struct pv_baseline_run {
    psdvec_context *ctx;
    const psdvec_baseline_options *options; /* checked */
    const char *output;
    pv_partial *partial;            /* for saving the state after each epoch */
    psdvec_baseline_report *report; /* never NULL; `seconds` is set by the caller */
    pv_baseline_words words;        /* for SGNS and CBOW, after they have read the text */
    const pv_division *division;    /* of the words, for PPMI, SVD and CCA; NULL: one process */
    const char *const *inputs;
    size_t input_count;
    /* With text input, otherwise NULL */
    const psdvec_count_options *count;
    psdvec_count_report *count_report; /* may be NULL; SGNS and CBOW fill it in themselves */
} pv_baseline_run;

psdvec_status pv_baseline_ppmi(pv_baseline_run *run, const psdvec_counts *counts);
/* SVD and CCA */
psdvec_status pv_baseline_svd(pv_baseline_run *run, const psdvec_counts *counts);
psdvec_status pv_baseline_glove(pv_baseline_run *run, const psdvec_counts *counts);
/* SGNS and CBOW */
psdvec_status pv_baseline_word2vec(pv_baseline_run *run);
psdvec_status pv_baseline_sparse(pv_baseline_run *run, const psdvec_model *dense);

/* vectors: words x dim; or, if NULL, rows: words x dim, whose values are all 1 if there are
 * none. In a group of processes the leader writes the model; of the others, the vectors and the
 * entries of the rows are not used. */
psdvec_status pv_baseline_write(pv_baseline_run *run, uint32_t dim, const float *vectors,
                                const pv_csr *rows);

/* The state of methods that learn two matrices with one row per word each, saved after every epoch,
 * from which an interrupted run is resumed. */
typedef struct pv_learnt_rows {
    uint32_t words;
    size_t stride;
    float *rows[2]; /* words x stride each: as words, and as contexts or outputs */
} pv_learnt_rows;

/* Loads the state of an interrupted run, if there is one: the rows, and the epochs, pairs and loss
 * of the report. */
psdvec_status pv_epochs_load(pv_baseline_run *run, const pv_learnt_rows *learnt);
/* Saves them. */
psdvec_status pv_epochs_save(const pv_baseline_run *run, const pv_learnt_rows *learnt);

#endif
