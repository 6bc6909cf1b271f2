/* How one model fared on one test, question by question. */
#ifndef PV_EVAL_OUTCOME_H
#define PV_EVAL_OUTCOME_H

#include "base/progress.h"
#include "eval/known.h"

typedef struct pv_outcome {
    bool *known;       /* questions: the model knows the words, or, by the rule, spells them */
    bool *counts;      /* questions: it is part of the figure */
    double *cosine;    /* similarity */
    bool *right[2];    /* analogy: by 3CosAdd and 3CosMul; choice: [0] */
    uint32_t *cluster; /* categories, or PV_NO_CLUSTER */
} pv_outcome;

/* asked: which questions are put. rows: of the test's words in the model. */
psdvec_status pv_outcome_make(pv_outcome *outcome, psdvec_context *ctx, const pv_seen_model *seen,
                              const psdvec_test *test, const psdvec_eval_options *options,
                              const bool *asked, const uint32_t *rows, pv_progress *progress);
void pv_outcome_free(pv_outcome *outcome, psdvec_context *ctx);

#endif
