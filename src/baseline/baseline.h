/* The other systems, as the files of this module share them: each is one function that gets a run and
 * writes a model. */
#ifndef PV_BASELINE_BASELINE_H
#define PV_BASELINE_BASELINE_H

#include "base/memory.h"
#include "base/partial.h"
#include "count/counts_read.h"
#include "model/model_read.h"

/* The words that vectors are of. */
typedef struct pv_baseline_words {
    uint32_t words;
    const char *bytes;
    const uint64_t *offsets;   /* words + 1 */
    const uint64_t *frequency; /* words, or NULL */
    const char *counts_json;   /* how the text was read: an object, or NULL */
    pv_phrase_list phrases;    /* that were joined in the text */
} pv_baseline_words;

typedef struct pv_baseline_run {
    psdvec_context *ctx;
    const psdvec_baseline_options *options; /* checked */
    const char *output;
    pv_partial *partial;            /* for states after each epoch */
    psdvec_baseline_report *report; /* never NULL; `seconds` is not the method's business */
    pv_baseline_words words;        /* of SGNS and CBOW, once they have read the text */
    const char *const *inputs;
    size_t input_count;
    /* With text, else NULL */
    const psdvec_count_options *count;
    psdvec_count_report *count_report; /* may be NULL; of SGNS and CBOW theirs to fill in */
} pv_baseline_run;

psdvec_status pv_baseline_ppmi(pv_baseline_run *run, const psdvec_counts *counts);
/* SVD and CCA */
psdvec_status pv_baseline_svd(pv_baseline_run *run, const psdvec_counts *counts);
psdvec_status pv_baseline_glove(pv_baseline_run *run, const psdvec_counts *counts);
/* SGNS and CBOW */
psdvec_status pv_baseline_word2vec(pv_baseline_run *run);
psdvec_status pv_baseline_sparse(pv_baseline_run *run, const psdvec_model *dense);

/* vectors: words x dim; or, if NULL, rows: words x dim, without values all are 1. */
psdvec_status pv_baseline_write(pv_baseline_run *run, uint32_t dim, const float *vectors,
                                const pv_csr *rows);

/* Systems that learn two matrices, a row for each word in either, epoch by epoch: their state after
 * each, from which an interrupted run goes on. */
typedef struct pv_learnt_rows {
    uint32_t words;
    size_t stride;
    float *rows[2]; /* words x stride each: as words, and as contexts or outputs */
} pv_learnt_rows;

/* Takes up the state of an interrupted run, if there is one: the rows, and epochs, pairs and loss of
 * the report. */
psdvec_status pv_epochs_load(pv_baseline_run *run, const pv_learnt_rows *learnt);
/* Keeps them. */
psdvec_status pv_epochs_save(const pv_baseline_run *run, const pv_learnt_rows *learnt);

#endif
