/* The words of a test in a model, and the model's results on the test, by question. */
#ifndef PV_EVAL_OUTCOME_H
#define PV_EVAL_OUTCOME_H

#include "base/progress.h"
#include "eval/sparse_block.h"
#include "eval/test_set.h"
#include "model/model_read.h"

#define PV_UNKNOWN PSDVEC_UNKNOWN_WORD

/* The part of a model that evaluation uses. */
typedef struct pv_seen_model {
    const psdvec_model *model;
    const pv_vector_set *rows; /* the read-out; NULL if sparse */
    const pv_csr *sparse;      /* otherwise */
    uint32_t words, dim;
    bool explicit;              /* 3CosMul uses cosines as they are (model/model_read.h) */
    float *mean;                /* dim, of length 1; NULL if no rule needs it */
    pv_sparse_unit sparse_mean; /* the same for sparse vectors: its nonzero components */
} pv_seen_model;

psdvec_status pv_seen_model_open(pv_seen_model *seen, pv_scope *scope, const psdvec_model *model,
                                 const psdvec_eval_options *options);

/* For each word of a test its number in the model, or PV_UNKNOWN. */
psdvec_status pv_known_rows(psdvec_context *ctx, const pv_seen_model *seen, const psdvec_test *test,
                            const psdvec_eval_options *options, uint32_t *rows);

/* True if `rows` has everything that the question needs: every word, and at least one accepted
 * answer of an analogy. */
bool pv_question_known(const psdvec_test *test, const pv_question *question, const uint32_t *rows);

typedef struct pv_outcome {
    bool *known;       /* questions: the words are known or, by the rule, have spelling vectors */
    bool *counts;      /* questions: included in the score */
    double *cosine;    /* similarity */
    bool *right[2];    /* analogy: by 3CosAdd and 3CosMul; choice: [0] */
    uint32_t *cluster; /* categories, or PV_NO_CLUSTER */
    /* Analogy and choice, if mistakes are wanted; else NULL: */
    uint32_t *answer; /* questions: the word of the model, or the word of the test; or PV_UNKNOWN */
    double *loss;     /* questions: by how much it is better than the right one; negative: right */
} pv_outcome;

/* asked: which questions are asked. rows: of the test's words in the model. */
psdvec_status pv_outcome_make(pv_outcome *outcome, pv_scope *scope, const pv_seen_model *seen,
                              const psdvec_test *test, const psdvec_eval_options *options,
                              const bool *asked, const uint32_t *rows, pv_progress *progress);

#endif
