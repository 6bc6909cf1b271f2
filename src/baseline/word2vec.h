/* word2vec's two models, as their files share them: skip-gram and the continuous bag of words, both
 * with negative sampling. */
#ifndef PV_BASELINE_WORD2VEC_H
#define PV_BASELINE_WORD2VEC_H

#include "base/progress.h"
#include "baseline/sgns_kernels.h"
#include "baseline/word2vec_text.h"

typedef struct pv_word2vec_settings {
    bool cbow;
    uint32_t dim, window, negative, epochs;
    double rate, noise_power, subsample;
} pv_word2vec_settings;

typedef struct pv_skipgram pv_skipgram;
typedef struct pv_cbow pv_cbow;

typedef struct pv_word2vec {
    psdvec_context *ctx;
    pv_scope memory;
    pv_word2vec_settings settings;
    uint32_t words;
    pv_w2v_text text;
    pv_sgns_space space; /* vectors of words as input and as output: words x stride */
    double *weight;      /* words: of noise */
    const pv_sgns_kernels *kernels;
    pv_skipgram *skipgram; /* one of the two is not NULL */
    pv_cbow *cbow;
    pv_progress *progress; /* in words of the text; may be NULL */
    uint64_t pairs;        /* of the epoch: of words for skip-gram, centres for CBOW */
    double loss;           /* of those of its pairs that were looked at ... */
    uint64_t loss_pairs;   /* ... and how many these are */
} pv_word2vec;

/* ids: `length` words and borders, frequency: `words`; both must outlive it. The vectors are
 * initialised. */
psdvec_status pv_word2vec_open(pv_word2vec *w, psdvec_context *ctx,
                               const pv_word2vec_settings *settings, const uint32_t *ids,
                               size_t length, const uint64_t *frequency, uint32_t words);
void pv_word2vec_close(pv_word2vec *w);

/* Epochs are counted from 0 and must come in order. Fills in pairs and loss. */
psdvec_status pv_word2vec_epoch(pv_word2vec *w, uint32_t epoch);

/* What a model holds besides the vectors. */
psdvec_status pv_skipgram_new(pv_word2vec *w);
void pv_skipgram_free(pv_word2vec *w);
psdvec_status pv_cbow_new(pv_word2vec *w);
void pv_cbow_free(pv_word2vec *w);
/* Learns from one chunk. `step` counts chunks over all epochs. */
psdvec_status pv_skipgram_chunk(pv_word2vec *w, uint32_t epoch, size_t chunk, uint64_t step);
psdvec_status pv_cbow_chunk(pv_word2vec *w, uint32_t epoch, size_t chunk, uint64_t step);

/* The rate of learning when `part` of chunk `step` is done: down to 1e-4 of the start. */
float pv_word2vec_rate(const pv_word2vec *w, uint64_t step, double part);

#endif
