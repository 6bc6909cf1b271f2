/* The words of a test as a model knows them, and what stands in for those it does not. */
#ifndef PV_EVAL_KNOWN_H
#define PV_EVAL_KNOWN_H

#include "eval/sparse_block.h"
#include "eval/test_set.h"
#include "model/vector_set.h"

#define PV_UNKNOWN PSDVEC_UNKNOWN_WORD

/* A model as evaluation sees it. */
typedef struct pv_seen_model {
    const psdvec_model *model;
    const pv_vector_set *rows; /* the read-out; NULL if sparse */
    const pv_csr *sparse;      /* else */
    uint32_t words, dim;
    bool explicit; /* 3CosMul takes cosines as they are (model/model_read.h) */
    float *mean;   /* dim, of length 1; NULL if no rule asks for it */
    /* The same of sparse vectors, where it is not 0 */
    uint32_t *mean_columns;
    pv_sparse_unit sparse_mean;
} pv_seen_model;

psdvec_status pv_seen_model_open(pv_seen_model *seen, psdvec_context *ctx,
                                 const psdvec_model *model, const psdvec_eval_options *options);
void pv_seen_model_close(pv_seen_model *seen, psdvec_context *ctx);

/* For each word of a test its number in the model, or PV_UNKNOWN. */
psdvec_status pv_known_rows(psdvec_context *ctx, const pv_seen_model *seen, const psdvec_test *test,
                            const psdvec_eval_options *options, uint32_t *rows);

/* True if `rows` has all that the question needs: every word, and of the answers that an
 * analogy accepts at least one. */
bool pv_question_known(const psdvec_test *test, const pv_question *question, const uint32_t *rows);

/* Vectors of length 1 for the words of a test: the model's, or what the rule puts in their
 * place. A vector that has no direction, or that is not finite, is zeros. */
typedef struct pv_test_vectors {
    float *units;           /* words x dim, or ... */
    pv_sparse_unit *sparse; /* words */
    bool *there;            /* words: known, or a stand-in was found */
} pv_test_vectors;

psdvec_status pv_test_vectors_make(pv_test_vectors *v, psdvec_context *ctx,
                                   const pv_seen_model *seen, const psdvec_test *test,
                                   const psdvec_eval_options *options, const uint32_t *rows);
void pv_test_vectors_free(pv_test_vectors *v, psdvec_context *ctx);

#endif
