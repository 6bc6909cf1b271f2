/* The words of a test as a model knows them, and how it fared on the test, question by question. */
#ifndef PV_EVAL_OUTCOME_H
#define PV_EVAL_OUTCOME_H

#include "base/progress.h"
#include "eval/sparse_block.h"
#include "eval/test_set.h"
#include "model/model_read.h"

#define PV_UNKNOWN PSDVEC_UNKNOWN_WORD

/* A model as evaluation sees it. */
typedef struct pv_seen_model {
    const psdvec_model *model;
    const pv_vector_set *rows; /* the read-out; NULL if sparse */
    const pv_csr *sparse;      /* else */
    uint32_t words, dim;
    bool explicit;              /* 3CosMul takes cosines as they are (model/model_read.h) */
    float *mean;                /* dim, of length 1; NULL if no rule asks for it */
    pv_sparse_unit sparse_mean; /* the same of sparse vectors, where it is not 0 */
} pv_seen_model;

psdvec_status pv_seen_model_open(pv_seen_model *seen, pv_scope *scope, const psdvec_model *model,
                                 const psdvec_eval_options *options);

/* For each word of a test its number in the model, or PV_UNKNOWN. */
psdvec_status pv_known_rows(psdvec_context *ctx, const pv_seen_model *seen, const psdvec_test *test,
                            const psdvec_eval_options *options, uint32_t *rows);

/* True if `rows` has all that the question needs: every word, and of the answers that an
 * analogy accepts at least one. */
bool pv_question_known(const psdvec_test *test, const pv_question *question, const uint32_t *rows);

typedef struct pv_outcome {
    bool *known;       /* questions: the model knows the words, or, by the rule, spells them */
    bool *counts;      /* questions: it is part of the figure */
    double *cosine;    /* similarity */
    bool *right[2];    /* analogy: by 3CosAdd and 3CosMul; choice: [0] */
    uint32_t *cluster; /* categories, or PV_NO_CLUSTER */
} pv_outcome;

/* asked: which questions are put. rows: of the test's words in the model. */
psdvec_status pv_outcome_make(pv_outcome *outcome, pv_scope *scope, const pv_seen_model *seen,
                              const psdvec_test *test, const psdvec_eval_options *options,
                              const bool *asked, const uint32_t *rows, pv_progress *progress);

#endif
