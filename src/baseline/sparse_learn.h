/* Learning a dictionary and sparse codes: of all dictionaries D whose atoms have one length g, and
 * all codes a_i, those that make the mean over the words of
 *
 *     |x_i - D a_i|^2 + l1 |a_i|_1 + l2 |D|^2 + ridge sum_j |a_ij d_j|^2
 *
 * small (Faruqui, Tsvetkov, Yogatama, Dyer and Smith, "Sparse overcomplete word vector
 * representations", ACL 2015; as in their program, l2 counts once for each word). Two things are
 * not in the paper.
 *
 * One length: a longer atom with smaller codes is the same word, so each atom would settle where
 * l1 |a_j| = 2 l2 |d_j|^2 n, and what it then costs grows with the 2/3rd power of its use. That
 * favours few atoms that everybody uses: on the way to the minimum four of five atoms die, and
 * what is left is not sparse. With one length for all, none dies. Atoms are kept at length 1,
 * codes as b = g a; then it is
 *
 *     |x_i - D b_i|^2 + (l1 / g) |b_i|_1 + l2 K g^2 + ridge |b_i|^2,
 *
 * and the best g for given codes is known: g^3 = l1 mean |b|_1 / (2 l2 K).
 *
 * The ridge: of ten times more atoms than dimensions, many choices fit a word almost equally well,
 * and without a ridge similar words may choose differently; their cosine is lost. The authors'
 * program stops far from the minimum, after some twenty steps from 0 for each word, which has the
 * same effect as a ridge. With it the minimum itself is as good, and reached.
 *
 * An epoch goes through all words in a few batches. New codes for a batch, from its old ones
 * (sparse_codes.h); then atoms for all codes there are (sparse_dictionary.h); then g. No step
 * raises the sum, whatever its kind. All that an epoch needs of the past is the state.
 */
#ifndef PV_BASELINE_SPARSE_LEARN_H
#define PV_BASELINE_SPARSE_LEARN_H

#include "base/progress.h"
#include "baseline/sparse_dictionary.h"

typedef struct pv_sparse_learner {
    psdvec_context *ctx;
    pv_scope memory;
    const pv_code_words *words;
    double l1, l2, ridge;
    bool nonnegative;

    /* The state */
    pv_atoms atoms;      /* of length 1 */
    pv_csr_store *codes; /* of each tile: b = g a */
    double length;       /* g */
    uint32_t epochs;     /* done */
    double objective;    /* after the last; NAN: none yet */
    uint64_t entries;    /* codes that are not 0, after the last */

    pv_progress *progress; /* may be NULL; counts words */
    pv_code_sums sums;
    pv_code_room **rooms;     /* of each worker */
    pv_csr_store *old;        /* of each tile of a batch */
    pv_code_figures *figures; /* of each tile */
} pv_sparse_learner;

/* The first dictionary: directions of words drawn by chance, with some noise. */
psdvec_status pv_sparse_begin(pv_sparse_learner *learner, uint32_t atoms);
psdvec_status pv_sparse_epoch(pv_sparse_learner *learner);
/* Codes as exact as float32 makes sense, the dictionary staying as it is. */
psdvec_status pv_sparse_finish(pv_sparse_learner *learner);
void pv_sparse_free(pv_sparse_learner *learner);

/* Bytes that learning will need, codes included as far as can be told. */
uint64_t pv_sparse_bytes(const psdvec_context *ctx, uint32_t words, uint32_t dim, uint32_t atoms);

/* The codes in one piece. In the order of the tiles, or with `by_word` in that of the words;
 * times `factor`. */
psdvec_status pv_sparse_gather(const pv_sparse_learner *learner, bool by_word, float factor,
                               pv_csr_store *codes);
/* The other way, for codes in the order of the tiles. */
psdvec_status pv_sparse_scatter(pv_sparse_learner *learner, const pv_csr *codes);

#endif
