/* The two models of word2vec, skip-gram and continuous bag of words, both with negative sampling:
 * shared declarations. */
#ifndef PV_BASELINE_WORD2VEC_H
#define PV_BASELINE_WORD2VEC_H

#include "base/progress.h"
#include "baseline/sgns_kernels.h"
#include "count/sequence.h"

/* Text as skip-gram and CBOW process it: in chunks, subsampled, with a window for each word.
 *
 *     text positions       | the cat sat on the mat | the dog ...      | : a document ends
 *     segments             [2048 positions][2048 positions][...
 *     chunk                some segments, drawn together
 *     kept words           | cat sat mat | dog ...                      frequent words are dropped
 *     reach                  2   5   1     3                            window size on either side
 *
 * Which words are dropped and the window of each are drawn again in every epoch. The draws for a
 * segment depend only on the seed, the epoch and the segment. As in word2vec, a sentence is a
 * document, or 1000 kept words of it; here it also ends with its segment.
 */
enum {
    PV_W2V_SEGMENT = 2048,
    PV_W2V_SENTENCE = 1000,
    /* a segment and the borders before, in and after it */
    PV_W2V_CAPACITY = PV_W2V_SEGMENT + PV_W2V_SEGMENT / PV_W2V_SENTENCE + 2
};

typedef struct pv_w2v_text {
    pv_scope memory;
    const uint32_t *ids; /* length: words and borders */
    size_t length;
    uint32_t window;
    uint32_t *retention; /* words: the probability of being kept, times 2^32 */
    size_t segments, chunk_segments, chunks;
    /* The chunk drawn last. Its segment k has kept + k * PV_W2V_CAPACITY, from border to border. */
    uint32_t *kept;
    uint16_t *reach;      /* as kept; undefined for borders */
    uint32_t *kept_count; /* chunk_segments: including borders */
} pv_w2v_text;

/* `subsample` is t of retention = min(1, sqrt(t/f) + t/f); 0: all words are kept. `epochs` limits
 * the size of chunks, so that there are enough of them. */
psdvec_status pv_w2v_text_open(pv_w2v_text *text, psdvec_context *ctx, const uint32_t *ids,
                               size_t length, const uint64_t *frequency, uint32_t words,
                               uint32_t window, double subsample, uint32_t epochs);
void pv_w2v_text_close(pv_w2v_text *text);

/* Segments of a chunk; the last chunk may have fewer than the others. */
size_t pv_w2v_chunk_size(const pv_w2v_text *text, size_t chunk);
/* Words of a chunk before subsampling. */
uint64_t pv_w2v_chunk_words(const pv_w2v_text *text, size_t chunk);
/* Draws segment k of a chunk. */
void pv_w2v_draw(pv_w2v_text *text, uint32_t epoch, size_t chunk, size_t k);

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
    pv_sgns_space space; /* input and output vectors: words x stride */
    double *weight;      /* words: noise weights */
    const pv_sgns_kernels *kernels;
    pv_skipgram *skipgram; /* one of the two is not NULL */
    pv_cbow *cbow;
    pv_progress *progress; /* in words of the text; may be NULL */
    uint64_t pairs;        /* of the epoch: pairs of words for skip-gram, centres for CBOW */
    double loss;           /* of the sampled pairs of the epoch ... */
    uint64_t loss_pairs;   /* ... and how many these are */
} pv_word2vec;

/* ids: `length` words and borders, frequency: `words`; both must outlive it. Initialises the
 * vectors. */
psdvec_status pv_word2vec_open(pv_word2vec *w, psdvec_context *ctx,
                               const pv_word2vec_settings *settings, const uint32_t *ids,
                               size_t length, const uint64_t *frequency, uint32_t words);
void pv_word2vec_close(pv_word2vec *w);

/* Epochs are counted from 0 and must be run in order. Sets pairs and loss. */
psdvec_status pv_word2vec_epoch(pv_word2vec *w, uint32_t epoch);

/* The data of a model other than the vectors. */
psdvec_status pv_skipgram_new(pv_word2vec *w);
void pv_skipgram_free(pv_word2vec *w);
psdvec_status pv_cbow_new(pv_word2vec *w);
void pv_cbow_free(pv_word2vec *w);
/* Learns from one chunk. `step` counts chunks over all epochs. */
psdvec_status pv_skipgram_chunk(pv_word2vec *w, uint32_t epoch, size_t chunk, uint64_t step);
psdvec_status pv_cbow_chunk(pv_word2vec *w, uint32_t epoch, size_t chunk, uint64_t step);

/* The learning rate when `part` of chunk `step` is done: decreases to 1e-4 of its initial value. */
float pv_word2vec_rate(const pv_word2vec *w, uint64_t step, double part);

#endif
