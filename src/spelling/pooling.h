/* Pooling the vectors of inflected forms: walks, walked and walking tell about each other.
 *
 * Two words without an apostrophe are linked if they differ in a productive pair of endings
 * (spelling/endings.h), the cosine of their vectors is above 0.2, and a third word is linked to
 * both. The last condition leaves out most names and nouns, which have one ending at most, and
 * chance pairs. A word w with at least three links becomes
 *
 *     r_w  <-  unit(m_w + |d_w| unit((1 - share) d_w + share e_w))
 *     m_w   =  mean of r_w and of the linked words, weighted by frequency^(1/4)
 *     d_w   =  r_w - m_w
 *     e_w   =  mean of the predicted differences of w from the linked words and from itself (0),
 *              with the same weights
 *
 * Means are shorter than what they are the mean of; d_w keeps its length, or all forms of a word
 * would move together, and would be the nearest neighbours of each other in place of words that are
 * derived from it (manage, management).
 *
 * The word o, which has the ending x where w has y, predicts the difference that the other linked
 * pairs (o', w') with these endings have, weighted by their similarity to o:
 *
 *     sum of c (r_w' - r_o') / sum of c,     c = max(0, cosine of o and o')^4
 *
 * So the plural of a verb's form is not predicted from the plurals of nouns, although both add -s.
 *
 * Only the 256 most frequent pairs with the same endings are used. So the cost is a search of all
 * words and at most 1,024 dim flops per link: 0.2 s of processor time for 70,000 words with 500
 * dimensions.
 */
#ifndef PV_SPELLING_POOLING_H
#define PV_SPELLING_POOLING_H

#include "spelling/spelling.h"

/* r: words->words x dim, row-major, rows of length 1 or 0; frequency: words. */
psdvec_status pv_pool_forms(psdvec_context *ctx, double share, const pv_spelling_words *words,
                            const uint64_t *frequency, uint32_t dim, float *r);
/* Upper bound of the memory that it needs besides r. */
uint64_t pv_pool_forms_bytes(uint64_t words, uint64_t dim, int threads);

#endif
