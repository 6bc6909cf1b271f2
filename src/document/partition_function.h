/* log Z of many contexts: sums of exponentials over the vocabulary.
 *
 * Scores are a product of two matrices, contexts times vectors. It is never stored: a tile of it is
 * made by BLAS, lies in the cache, and is summed up. Tiles depend on the vocabulary alone, and the
 * sums of a row are added up in the order of the vocabulary.
 *
 * Sampled, a part of the vocabulary stands for all of it: word w is in it with probability pi_w,
 * which is 1 for the most frequent ones, and counts 1 / pi_w times. Every batch of contexts has a
 * sample of its own. The words that are there by chance make groups, and what log Z would be
 * without each says how far it may be off (a jackknife).
 */
#ifndef PV_DOCUMENT_PARTITION_FUNCTION_H
#define PV_DOCUMENT_PARTITION_FUNCTION_H

#include "document/conditional.h"

/* ---- The inner loop --------------------------------------------------------------------------
 * Sums of exponentials over a range of the vocabulary: the inner loop of log Z.
 *
 * For every word, z = log p + T s. Wanted are the largest z and the sum of exp(z - largest), and,
 * to fit T, the sums of the same times s and s^2, which cost next to nothing. In float32, in 16 partial sums that are added up in
 * a fixed order, so that the twin for AVX2 gives the same bits as that in plain C.
 */
enum { PV_EXP_LANES = 16 };

typedef struct pv_exp_sums {
    float largest;               /* -INFINITY: there was no word */
    double sum, scored, squared; /* of exp(z - largest): times 1, s and s^2 */
} pv_exp_sums;

/* s[k] += slope * shift[k] first, if `shift` is not NULL. `n` at most 4096, so that
 * single precision does for a sum. */
typedef void pv_exp_sums_fn(float *s, const float *log_p, const float *shift, float slope,
                            float temperature, size_t n, pv_exp_sums *out);
pv_exp_sums_fn pv_exp_sums_reference;
/* The fastest of this machine. */
pv_exp_sums_fn *pv_exp_sums_best(void);

/* `more` added to `sums`. */
void pv_exp_sums_add(pv_exp_sums *sums, const pv_exp_sums *more);

/* ---- log Z ---------------------------------------------------------------------------------- */

enum { PV_SAMPLE_GROUPS = 16 };

/* Of one context, with the scores s less its constant. */
typedef struct pv_partition {
    double log_z;
    double mean, variance;            /* of s under the distribution: derivatives of log Z in T */
    double without[PV_SAMPLE_GROUPS]; /* log Z without each group; sampled only */
} pv_partition;

typedef struct pv_partition_function pv_partition_function;

/* `sampled`: 0 for exact sums, else about how many words stand for all. */
psdvec_status pv_partition_function_open(const pv_conditional *conditional, uint32_t sampled,
                                         pv_partition_function **out);
void pv_partition_function_close(pv_partition_function *normaliser);
/* Whether a sample smaller than the vocabulary is used. */
bool pv_partition_function_sampled(const pv_partition_function *normaliser);

/* The next batch has the sample of the first one again, so that the same contexts give the same
 * function of T. */
void pv_partition_function_rewind(pv_partition_function *normaliser);

/* partitions[k] of each row of the contexts. */
psdvec_status pv_partition_function_sum(pv_partition_function *normaliser,
                                        const pv_contexts *contexts, double temperature,
                                        pv_partition *partitions);

#endif
