/* The other systems, as the files of this room share them: each is one function that gets a run and
 * writes a model. */
#ifndef PV_BASELINE_BASELINE_H
#define PV_BASELINE_BASELINE_H

#include "base/memory.h"
#include "base/partial.h"
#include "count/counts_read.h"
#include "model/model_read.h"

typedef struct pv_baseline_run {
    psdvec_context *ctx;
    const psdvec_baseline_options *options; /* checked */
    const char *output;
    pv_partial *partial;            /* for states after each epoch */
    psdvec_baseline_report *report; /* never NULL; `seconds` is not the method's business */
    /* Text, for SGNS and CBOW; else NULL */
    const psdvec_count_options *count;
    const char *const *inputs;
    size_t input_count;
    psdvec_count_report *count_report; /* may be NULL; theirs to fill in */
} pv_baseline_run;

typedef psdvec_status pv_counts_method_fn(pv_baseline_run *run, const psdvec_counts *counts);
pv_counts_method_fn pv_baseline_ppmi, pv_baseline_svd, pv_baseline_cca, pv_baseline_glove;
/* SGNS and CBOW */
psdvec_status pv_baseline_word2vec(pv_baseline_run *run);
psdvec_status pv_baseline_sparse(pv_baseline_run *run, const psdvec_model *dense);

/* The words that vectors are of. */
typedef struct pv_baseline_words {
    uint32_t words;
    const char *bytes;
    const uint64_t *offsets;   /* words + 1 */
    const uint64_t *frequency; /* words, or NULL */
    const char *counts_json;   /* how the text was read: an object, or NULL */
} pv_baseline_words;

/* Those of a counts file; `provenance` receives the JSON and must outlive them. */
psdvec_status pv_baseline_words_of(psdvec_context *ctx, const psdvec_counts *counts,
                                   pv_buffer *provenance, pv_baseline_words *words);

/* vectors: words x dim. */
psdvec_status pv_baseline_write(pv_baseline_run *run, const pv_baseline_words *words, uint32_t dim,
                                const float *vectors);
/* rows: words x dim; without values all are 1. */
psdvec_status pv_baseline_write_sparse(pv_baseline_run *run, const pv_baseline_words *words,
                                       pv_csr rows);

#endif
