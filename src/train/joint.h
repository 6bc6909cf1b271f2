/* The joint probability of text, vectors and residuals, eq. 9 and eq. 10 of the paper
 * (docs/model.md), in two parts: what seen pairs give, and what words and unseen pairs give.
 *
 * Every sum is in double precision, over a row and then over the rows in their order.
 */
#ifndef PV_TRAIN_JOINT_H
#define PV_TRAIN_JOINT_H

#include "base/json.h"
#include "solve/core.h"

/* What it is the probability of. */
typedef struct pv_joint_of {
    const pv_link *link;  /* on counts whose rows are sound */
    const uint32_t *word; /* of the counts: its number in the model, or PV_NO_WORD */
    uint32_t words;       /* of the model */
    size_t dim;
    const float *vectors;     /* words x dim, row-major */
    const float *eigenvalues; /* dim: J has their signs; NULL: all + */
} pv_joint_of;

/* Adds the terms that are sums over seen pairs; only pairs of which a word is not among the first
 * `beyond` of the model. */
psdvec_status pv_joint_pairs(const pv_joint_of *of, uint32_t beyond, psdvec_joint *joint);

/* The same of all pairs of core words, from what Algorithm 1 leaves in the core: cheaper, where it
 * serves. The model's words are numbered as the counts'. */
psdvec_status pv_joint_core(const pv_joint_of *of, const pv_core *core, psdvec_joint *joint);
bool pv_joint_core_serves(const pv_core *core, size_t dim);

/* Adds the terms that are sums over words, or have a closed form over all pairs. */
psdvec_status pv_joint_words(const pv_joint_of *of, psdvec_joint *joint);

/* Of a psdvec_joint, in the model file. */
extern const pv_json_field pv_joint_fields[];

/* Memory that these take besides the vectors. */
uint64_t pv_joint_pairs_bytes(uint64_t words, uint64_t bigrams, uint64_t dim, int threads);
uint64_t pv_joint_core_bytes(uint64_t words);
uint64_t pv_joint_words_bytes(uint64_t words, uint64_t dim);

/* As a JSON object, and a zero byte. */
psdvec_status pv_joint_write(const psdvec_joint *joint, pv_buffer *json);

#endif
