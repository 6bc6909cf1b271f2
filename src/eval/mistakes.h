/* The questions of a test that a model fails most. */
#ifndef PV_EVAL_MISTAKES_H
#define PV_EVAL_MISTAKES_H

#include "eval/outcome.h"

typedef struct pv_mistakes {
    pv_buffer list;   /* psdvec_mistake; their texts are set by pv_mistakes_finish */
    pv_buffer texts;  /* zero-terminated */
    pv_buffer places; /* uint64_t, three per mistake: where its texts are */
} pv_mistakes;

void pv_mistakes_init(pv_mistakes *mistakes, psdvec_context *ctx);
void pv_mistakes_free(pv_mistakes *mistakes);

/* Adds those of one model on one test, the worst first, at most `most`. */
psdvec_status pv_mistakes_add(pv_mistakes *mistakes, uint32_t test_number, const psdvec_test *test,
                              uint32_t model_number, const psdvec_model *model,
                              const pv_outcome *outcome, uint32_t most);

/* Nothing is added afterwards. */
void pv_mistakes_finish(pv_mistakes *mistakes);

#endif
