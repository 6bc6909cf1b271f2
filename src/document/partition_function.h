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

enum { PV_SAMPLE_GROUPS = 16 };

/* Of one context, with the scores s less its constant. */
typedef struct pv_partition {
    double log_z;
    double mean, square;              /* of s and s^2 under the distribution; exact sums only */
    double without[PV_SAMPLE_GROUPS]; /* log Z without each group; sampled only */
} pv_partition;

typedef struct pv_partition_function pv_partition_function;

/* `sampled`: 0 for exact sums, else about how many words stand for all. */
psdvec_status pv_partition_function_open(const pv_conditional *conditional, uint32_t sampled,
                                         pv_partition_function **out);
void pv_partition_function_close(pv_partition_function *normaliser);
/* Whether a sample smaller than the vocabulary is used. */
bool pv_partition_function_sampled(const pv_partition_function *normaliser);

/* partitions[k] of each row of the contexts. */
psdvec_status pv_partition_function_sum(pv_partition_function *normaliser,
                                        const pv_contexts *contexts, double temperature,
                                        pv_partition *partitions);

#endif
