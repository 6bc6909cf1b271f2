/* The joint probability of text, vectors and residuals, eq. 9 and eq. 10 of the paper
 * (docs/explanation/model.md), in two parts: what seen pairs give, and what words and unseen pairs give.
 *
 * Every sum is in double precision, over a row and then over the rows in their order.
 */
#ifndef PV_TRAIN_JOINT_H
#define PV_TRAIN_JOINT_H

#include "base/json.h"
#include "solve/core.h"
#include "train/seen_pairs.h"

/* Adds the terms that are sums over seen pairs. `of`: what it is the probability of; link, words,
 * vectors and `beyond` count. With a core it is the pairs of core words, from what Algorithm 1 leaves
 * in the core: cheaper, where it serves. The model's words are then numbered as the counts'. */
psdvec_status pv_joint_pairs(const pv_seen_walk *of, const pv_core *core, psdvec_joint *joint);
bool pv_joint_core_serves(const pv_core *core, size_t dim);

/* Adds the terms that are sums over words, or have a closed form over all pairs. */
psdvec_status pv_joint_words(const pv_seen_walk *of, psdvec_joint *joint);

/* Of a psdvec_joint, in the model file. */
extern const pv_json_field pv_joint_fields[];

/* Memory that these take besides the vectors. */
uint64_t pv_joint_pairs_bytes(uint64_t words, uint64_t bigrams, uint64_t dim, int threads);
uint64_t pv_joint_core_bytes(uint64_t words);
uint64_t pv_joint_words_bytes(uint64_t words, uint64_t dim);

/* As a JSON object, and a zero byte. */
psdvec_status pv_joint_write(const psdvec_joint *joint, pv_buffer *json);

#endif
