/* log Z of many contexts: sums of exponentials over the vocabulary.
 *
 * The scores are the product of two matrices, contexts and vectors. It is never stored as a whole:
 * BLAS computes one tile, which stays in the cache while it is summed. Tiles depend only on the
 * vocabulary, and the sums of a row are added in the order of the vocabulary.
 *
 * With sampling, the sum is estimated from part of the vocabulary: word w is included with
 * probability pi_w, which is 1 for the most frequent words, and has the weight 1 / pi_w. Each batch
 * of contexts has a separate sample. Randomly included words are divided into groups, and the
 * values of log Z without each group give its standard error (jackknife).
 */
#ifndef PV_DOCUMENT_PARTITION_FUNCTION_H
#define PV_DOCUMENT_PARTITION_FUNCTION_H

#include "document/conditional.h"

/* ---- The inner loop -----------------------------------------------------------------------------
 *
 * Sums of exponentials over a range of the vocabulary.
 *
 * For every word, z = log p + T s. The results are the largest z, the sum of exp(z - largest) and,
 * for fitting T, the sums of the same times s and s^2, which add little cost. The sums are float32,
 * in 16 lanes that are added in a fixed order, so that the AVX2 implementation gives the same bits
 * as plain C. */
enum { PV_EXP_LANES = 16 };

typedef struct pv_exp_sums {
    float largest;               /* -INFINITY: no word */
    double sum, scored, squared; /* of exp(z - largest) times 1, s and s^2 */
} pv_exp_sums;

/* Adds slope * shift[k] to s[k] first, if `shift` is not NULL. `n` is at most 4096, so that single
 * precision is sufficient for a sum. */
typedef void pv_exp_sums_fn(float *s, const float *log_p, const float *shift, float slope,
                            float temperature, size_t n, pv_exp_sums *out);
pv_exp_sums_fn pv_exp_sums_reference;
/* The fastest implementation for this CPU. */
pv_exp_sums_fn *pv_exp_sums_best(void);

/* Adds `more` to `sums`. */
void pv_exp_sums_add(pv_exp_sums *sums, const pv_exp_sums *more);

/* ---- log Z ----------------------------------------------------------------------------------- */

enum { PV_SAMPLE_GROUPS = 16 };

/* The result for one context; scores s exclude its constant. */
typedef struct pv_partition {
    double log_z;
    double mean, variance;            /* of s under the distribution: derivatives of log Z with
                                       * respect to T */
    double without[PV_SAMPLE_GROUPS]; /* log Z without each group; with sampling only */
} pv_partition;

typedef struct pv_partition_function pv_partition_function;

/* `sampled`: 0 for exact sums, else the approximate size of the sample. */
psdvec_status pv_partition_function_open(const pv_conditional *conditional, uint32_t sampled,
                                         pv_partition_function **out);
void pv_partition_function_close(pv_partition_function *normaliser);
/* Whether a sample smaller than the vocabulary is used. */
bool pv_partition_function_sampled(const pv_partition_function *normaliser);

/* The next batch uses the sample of the first one again, so that the same contexts give the same
 * function of T. */
void pv_partition_function_rewind(pv_partition_function *normaliser);

/* Computes partitions[k] for each row of the contexts. */
psdvec_status pv_partition_function_sum(pv_partition_function *normaliser,
                                        const pv_contexts *contexts, double temperature,
                                        pv_partition *partitions);

#endif
