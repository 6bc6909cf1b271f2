/* Who stands before a word and who behind it: an addition to the paper's model.
 *
 * Targets and weights are the same in both directions, so the vectors do not know the
 * order of words. The counts do. Let
 *
 *     K_ij = f(x_ij) - f(x_ji),   f(x) = log(1 + x / (e_ij + 1)),   e_ij = m_i m_j / T
 *
 * with e the count that chance would give, m_i the mean of how often i stands first and
 * second; the 1 keeps a single meeting of two rare words small. The order vector of a word
 * is its row of K, seen from the directions of the vectors:
 *
 *     a_i = sum over j of K_ij q_j,   q = the columns of V brought to length 1.
 *
 * Words that take the same neighbours on the same side (verbs of one form, adjectives)
 * have like order vectors.
 *
 * Cost: one sparse product with all seen pairs in both directions.
 */
#ifndef PV_SOLVE_ORDER_H
#define PV_SOLVE_ORDER_H

#include "link/link.h"

/* V: link->words x dim, row-major, of which the first `directions` columns are used; A: words x
 * directions, with `stride` numbers from one row to the next. */
psdvec_status pv_order_vectors(const pv_link *link, const float *V, size_t dim, size_t directions,
                               float *A, size_t stride);
/* Memory besides A. */
uint64_t pv_order_bytes(uint64_t words, uint64_t directions, uint64_t bigrams, int threads);

#endif
