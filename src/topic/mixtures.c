/* The kernels of the E-step. */
#include "topic/mixtures.h"

#include "base/platform.h"
#include "model/dot.h"

#include <math.h>
#include <string.h>

/* The recurrence up to 8, and then an asymptotic series. */
enum { SERIES_FROM = 8 };

double pv_digamma(double x)
{
    double shift = 0;
    /* NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter) ; steps by exactly one */
    for (; x < SERIES_FROM; x++)
        shift += 1 / x;
    double r = 1 / (x * x);
    return log(x) - 0.5 / x -
           r * (1. / 12 - r * (1. / 120 - r * (1. / 252 - r * (1. / 240 - r / 132)))) - shift;
}

/* A word that all topics of a document make less probable than this has no influence: its frequency
 * divided by the probability could overflow. */
#define LEAST_PROBABILITY 1e-30f

/* ---- Kernels --------------------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

INLINE float product(const float *a, const float *b, size_t stride)
{
    float sums[PV_TOPIC_LANES] = {0};
    for (size_t k = 0; k < stride; k += PV_TOPIC_LANES)
        for (size_t lane = 0; lane < PV_TOPIC_LANES; lane++)
            sums[lane] += a[k + lane] * b[k + lane];
    return pv_dot_fold(sums);
}

INLINE void add_times(float *sums, const float *row, float times, size_t stride)
{
    for (size_t k = 0; k < stride; k += PV_TOPIC_LANES)
        for (size_t lane = 0; lane < PV_TOPIC_LANES; lane++)
            sums[k + lane] += times * row[k + lane];
}

INLINE void sweep(const float *beta, size_t stride, const uint32_t *words, const float *frequency,
                  size_t count, const float *weights, float *sums)
{
    memset(sums, 0, stride * sizeof *sums);
    for (size_t j = 0; j < count; j++) {
        const float *row = beta + (size_t)words[j] * stride;
        float p = product(row, weights, stride);
        if (p > LEAST_PROBABILITY)
            add_times(sums, row, frequency[j] / p, stride);
    }
}

INLINE double gather(const float *beta, size_t stride, const uint32_t *documents,
                     const float *times, size_t count, const float *weights, float *sums)
{
    double log_sum = 0;
    for (size_t d = 0; d < count; d++) {
        const float *row = weights + (size_t)documents[d] * stride;
        float p = product(row, beta, stride);
        if (p > LEAST_PROBABILITY)
            add_times(sums, row, times[d] / p, stride);
        log_sum += (double)times[d] * log(p > 0 ? (double)p : 1e-38);
    }
    return log_sum;
}

void pv_topic_sweep_reference(const float *beta, size_t stride, const uint32_t *words,
                              const float *frequency, size_t count, const float *weights,
                              float *sums)
{
    sweep(beta, stride, words, frequency, count, weights, sums);
}

double pv_topic_gather_reference(const float *beta, size_t stride, const uint32_t *documents,
                                 const float *times, size_t count, const float *weights,
                                 float *sums)
{
    return gather(beta, stride, documents, times, count, weights, sums);
}

#if PV_AVX2
/* The same code, compiled for AVX2. */
#define AVX2 __attribute__((target("avx2")))

AVX2 static void sweep_avx2(const float *beta, size_t stride, const uint32_t *words,
                            const float *frequency, size_t count, const float *weights, float *sums)
{
    sweep(beta, stride, words, frequency, count, weights, sums);
}

AVX2 static double gather_avx2(const float *beta, size_t stride, const uint32_t *documents,
                               const float *times, size_t count, const float *weights, float *sums)
{
    return gather(beta, stride, documents, times, count, weights, sums);
}
#endif

pv_topic_sweep_fn *pv_topic_sweep_best(void)
{
#if PV_AVX2
    if (__builtin_cpu_supports("avx2"))
        return sweep_avx2;
#endif
    return pv_topic_sweep_reference;
}

pv_topic_gather_fn *pv_topic_gather_best(void)
{
#if PV_AVX2
    if (__builtin_cpu_supports("avx2"))
        return gather_avx2;
#endif
    return pv_topic_gather_reference;
}

/* ---- Mixtures -------------------------------------------------------------------------------- */

void pv_mixture_weights(const pv_topic_words *t, const float *gamma, float *weights)
{
    double total = 0;
    for (uint32_t k = 0; k < t->topics; k++)
        total += (double)gamma[k];
    double base = pv_digamma(total);
    memset(weights, 0, t->stride * sizeof *weights);
    for (uint32_t k = 0; k < t->topics; k++)
        weights[k] = (float)exp(pv_digamma((double)gamma[k]) - base);
}

double pv_mixture_bound(const pv_topic_words *t, const float *gamma)
{
    double total = 0, prior = 0, bound = 0;
    for (uint32_t k = 0; k < t->topics; k++) {
        total += (double)gamma[k];
        prior += t->alpha[k];
    }
    double base = pv_digamma(total);
    for (uint32_t k = 0; k < t->topics; k++) {
        double g = (double)gamma[k];
        bound += (t->alpha[k] - g) * (pv_digamma(g) - base) + pv_log_gamma(g) -
                 pv_log_gamma(t->alpha[k]);
    }
    return bound + pv_log_gamma(prior) - pv_log_gamma(total);
}

void pv_mixture_start(const pv_topic_words *t, double known, float *gamma)
{
    for (uint32_t k = 0; k < t->topics; k++)
        gamma[k] = (float)(t->alpha[k] + known / t->topics);
}

void pv_mixture_find(const pv_topic_words *t, pv_topic_sweep_fn *sweep_words, const uint32_t *words,
                     const float *frequency, size_t count, unsigned sweeps, double tolerance,
                     float *gamma, float *weights, float *sums)
{
    double known = 0;
    for (size_t j = 0; j < count; j++)
        known += (double)frequency[j];
    pv_mixture_weights(t, gamma, weights);
    for (unsigned s = 0; s < sweeps; s++) {
        double change = 0;
        sweep_words(t->beta, t->stride, words, frequency, count, weights, sums);
        for (uint32_t k = 0; k < t->topics; k++) {
            float now = (float)(t->alpha[k] + (double)weights[k] * (double)sums[k]);
            change += fabs((double)now - (double)gamma[k]);
            gamma[k] = now;
        }
        pv_mixture_weights(t, gamma, weights);
        if (change <= tolerance * known)
            break;
    }
}

/* With responsibilities pi_jk = w_k beta_jk / (w' beta_j) of the old weights w, whose logarithms are
 * E', the bound of a document is
 *
 *     sum_jk c_j pi_jk (E_k + log beta_jk - log pi_jk) + (terms of gamma)
 *         = sum_j c_j log(w' beta_j) + sum_k (gamma_k - alpha_k) (E_k - E'_k) + (terms of gamma)
 *
 * and the terms of gamma have (alpha_k - gamma_k) E_k, so that E cancels. */
double pv_mixture_sweep(const pv_topic_words *t, pv_topic_sweep_fn *sweep_words,
                        const uint32_t *words, const float *frequency, size_t count,
                        unsigned sweeps, float *gamma, float *weights, float *sums)
{
    double before = 0, after = 0, prior = 0, bound = 0;
    if (sweeps > 1)
        pv_mixture_find(t, sweep_words, words, frequency, count, sweeps - 1, 0, gamma, weights,
                        sums);
    pv_mixture_weights(t, gamma, weights);
    sweep_words(t->beta, t->stride, words, frequency, count, weights, sums);
    for (uint32_t k = 0; k < t->topics; k++)
        before += (double)gamma[k];
    double base = pv_digamma(before);
    for (uint32_t k = 0; k < t->topics; k++) {
        double expected = pv_digamma((double)gamma[k]) - base;
        gamma[k] = (float)(t->alpha[k] + (double)weights[k] * (double)sums[k]);
        after += (double)gamma[k];
        prior += t->alpha[k];
        bound += (t->alpha[k] - (double)gamma[k]) * expected + pv_log_gamma((double)gamma[k]) -
                 pv_log_gamma(t->alpha[k]);
    }
    return bound + pv_log_gamma(prior) - pv_log_gamma(after);
}

double pv_mixture_infer(const pv_topic_words *t, const uint32_t *words, const float *frequency,
                        size_t count, float *gamma, float *work)
{
    double known = 0;
    for (size_t j = 0; j < count; j++)
        known += (double)frequency[j];
    pv_mixture_start(t, known, gamma);
    pv_mixture_find(t, pv_topic_sweep_best(), words, frequency, count, PV_MOST_SWEEPS,
                    PV_SWEEP_TOLERANCE, gamma, work, work + t->stride);
    /* The roles of words and documents are exchanged: only the sum of logarithms is used. */
    return pv_mixture_bound(t, gamma) + pv_topic_gather_best()(work, t->stride, words, frequency,
                                                               count, t->beta, work + t->stride);
}
