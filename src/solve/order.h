/* Order vectors, which describe the words that precede and follow a word: an addition to the model
 * of the paper.
 *
 * Targets and weights are the same in both directions, so the vectors carry no information about
 * word order. The counts do. Let
 *
 *     K_ij = f(x_ij) - f(x_ji),   f(x) = log(1 + x / (e_ij + 1)),   e_ij = m_i m_j / T
 *
 * where e is the count expected by chance and m_i the mean of the margins of i as first and as
 * second word; the 1 keeps the value of a single co-occurrence of two rare words small. The order
 * vector of a word is its row of K, projected on the directions of the vectors:
 *
 *     a_i = sum over j of K_ij q_j,   q = the columns of V scaled to length 1.
 *
 * Words that have the same neighbours on the same side (verbs of one form, adjectives) have similar
 * order vectors.
 *
 * Cost: one sparse product with all seen pairs in both directions.
 */
#ifndef PV_SOLVE_ORDER_H
#define PV_SOLVE_ORDER_H

#include "link/link.h"
#include "sparse/division.h"

/* V: link->words x dim, row-major, of which the first `directions` columns are used; A: words x
 * directions, with row stride `stride`. With a division of the words, A and V have the rows of this
 * member, and all members call the function. */
psdvec_status pv_order_vectors(const pv_link *link, const float *V, size_t dim, size_t directions,
                               const pv_division *division, float *A, size_t stride);
/* Bytes allocated besides A. */
uint64_t pv_order_bytes(uint64_t words, uint64_t directions, const pv_division *division,
                        uint64_t bigrams, int threads);

#endif
