/* The joint probability of text, vectors and residuals, eq. 9 and eq. 10 of the paper
 * (docs/explanation/model.md), in two parts: seen pairs, and words and unseen pairs.
 *
 * Every sum is in double precision, first within a row and then over the rows in order.
 */
#ifndef PV_TRAIN_JOINT_H
#define PV_TRAIN_JOINT_H

#include "base/json.h"
#include "solve/core.h"
#include "sparse/division.h"
#include "train/seen_pairs.h"

/* Adds the terms that are sums over seen pairs. Of `of`, the members link, words, vectors and
 * `beyond` are used. With a core, only the pairs of core words are added, from the state that
 * Algorithm 1 leaves in the core, which is cheaper where possible. The words of the model must then
 * have the same numbers as in the counts, and if the pairs are divided, the vectors are those of the
 * member's rows. In a group, all members call the function; without a core they share the rows, all
 * have all vectors, and only the leader gets the sums. */
psdvec_status pv_joint_pairs(const pv_seen_walk *of, const pv_core *core, psdvec_joint *joint);
bool pv_joint_core_serves(const pv_core *core, size_t dim);

/* Adds the terms that are sums over words or have a closed form over all pairs. With a division of
 * the words, whose numbers are those of the counts, all members call it, and only the leader gets the
 * terms; it has all vectors, and the others have those of their words. */
psdvec_status pv_joint_words(const pv_seen_walk *of, const pv_division *division,
                             psdvec_joint *joint);

/* The fields of a psdvec_joint in the model file. */
extern const pv_json_field pv_joint_fields[];

/* Bytes that these allocate besides the vectors. */
uint64_t pv_joint_pairs_bytes(uint64_t words, uint64_t bigrams, uint64_t dim, bool divided,
                              int threads);
uint64_t pv_joint_core_bytes(uint64_t words);
uint64_t pv_joint_words_bytes(uint64_t words, const pv_division *division, uint64_t dim);

/* Writes a JSON object and a terminating zero byte. */
psdvec_status pv_joint_write(const psdvec_joint *joint, pv_buffer *json);

#endif
