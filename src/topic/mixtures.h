/* Mixtures of documents: the E-step of variational inference (docs/explanation/topics.md).
 *
 * The posterior of a document's mixture is approximated by a Dirichlet distribution with the
 * parameters gamma. With weights w_k = exp(E log theta_k), a sweep over the words is
 *
 *     gamma_k = alpha_k + w_k sum_j c_j beta_jk / (w' beta_j)
 *
 * Rows of beta, one per word, have `stride` elements, a multiple of PV_TOPIC_LANES, of which those
 * beyond the number of topics are 0. The AVX2 version gives the bits of the plain one.
 */
#ifndef PV_TOPIC_MIXTURES_H
#define PV_TOPIC_MIXTURES_H

#include "topic/documents.h"

enum { PV_TOPIC_LANES = 16 };

static inline size_t pv_topic_stride(uint32_t topics)
{
    return ((size_t)topics + PV_TOPIC_LANES - 1) / PV_TOPIC_LANES * PV_TOPIC_LANES;
}

typedef struct pv_topic_words {
    uint32_t topics;
    size_t stride;
    const float *beta;   /* words x stride: P(word | topic) */
    const double *alpha; /* topics */
} pv_topic_words;

/* The derivative of log Gamma(x), for x > 0. */
double pv_digamma(double x);

/* Sums over the words of one document: sums[k] = sum_j c_j beta_jk / (weights' beta_j). */
typedef void pv_topic_sweep_fn(const float *beta, size_t stride, const uint32_t *words,
                               const float *frequency, size_t count, const float *weights,
                               float *sums);
pv_topic_sweep_fn pv_topic_sweep_reference;
pv_topic_sweep_fn *pv_topic_sweep_best(void);

/* Sums over the documents of one word: sums[k] += c_d w_dk / (w_d' beta), where w_d is row
 * documents[d] of `weights`. Returns the sum of c_d log(w_d' beta). */
typedef double pv_topic_gather_fn(const float *beta, size_t stride, const uint32_t *documents,
                                  const float *times, size_t count, const float *weights,
                                  float *sums);
pv_topic_gather_fn pv_topic_gather_reference;
pv_topic_gather_fn *pv_topic_gather_best(void);

/* w (stride) from gamma (topics). */
void pv_mixture_weights(const pv_topic_words *t, const float *gamma, float *weights);
/* The terms of the bound that depend only on gamma. */
double pv_mixture_bound(const pv_topic_words *t, const float *gamma);

/* Repeats sweeps until gamma (topics), which must have a valid start, changes by less than
 * `tolerance` per word, at most `sweeps` times. `weights` and `sums`: stride each; `weights` are
 * those of the final gamma. */
void pv_mixture_find(const pv_topic_words *t, pv_topic_sweep_fn *sweep, const uint32_t *words,
                     const float *frequency, size_t count, unsigned sweeps, double tolerance,
                     float *gamma, float *weights, float *sums);
/* Limits for documents whose topics are known. */
enum { PV_MOST_SWEEPS = 100 };
#define PV_SWEEP_TOLERANCE 1e-4
/* Finds gamma (topics) for a document whose topics are known, from the start. Returns the lower bound
 * of the log-likelihood of its words. work: 2 x stride. */
double pv_mixture_infer(const pv_topic_words *t, const uint32_t *words, const float *frequency,
                        size_t count, float *gamma, float *work);
/* The start for a document of `known` words. */
void pv_mixture_start(const pv_topic_words *t, double known, float *gamma);

#endif
