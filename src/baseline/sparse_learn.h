/* Learning a dictionary and sparse codes: finds a dictionary D, whose atoms all have length g, and
 * codes a_i that minimise the mean over the words of
 *
 *     |x_i - D a_i|^2 + l1 |a_i|_1 + l2 |D|^2 + ridge sum_j |a_ij d_j|^2
 *
 * (Faruqui, Tsvetkov, Yogatama, Dyer and Smith, "Sparse overcomplete word vector representations",
 * ACL 2015; as in their program, l2 counts once for each word). Two details differ from the paper.
 *
 * Equal lengths: a longer atom with smaller codes gives the same vectors, so each atom would
 * converge to l1 |a_j| = 2 l2 |d_j|^2 n, where its cost grows with the 2/3 power of its use. That
 * favours few atoms that all words use: on the way to the minimum four of five atoms become unused,
 * and the codes are no longer sparse. With equal lengths, none becomes unused. Atoms are stored
 * with length 1 and codes as b = g a; the objective is then
 *
 *     |x_i - D b_i|^2 + (l1 / g) |b_i|_1 + l2 K g^2 + ridge |b_i|^2,
 *
 * and the optimal g for given codes is g^3 = l1 mean |b|_1 / (2 l2 K).
 *
 * The ridge: with ten times as many atoms as dimensions, many combinations fit a word almost
 * equally well, and without a ridge similar words may use different atoms, so that their cosine is
 * meaningless. The authors' program stops far from the minimum, after about twenty steps from 0 for
 * each word, which has the same effect as a ridge. With a ridge the minimum is as good as that, and
 * it is reached.
 *
 * An epoch processes all words in a few batches. Each batch computes new codes from its old ones
 * (pv_codes_find), then updates the atoms from all codes so far (pv_atoms_update), then g. None of
 * these steps increases the objective. An epoch depends on the previous ones only through the
 * state.
 *
 * In a group of processes, each member codes its part of the tiles of a batch, and the members
 * exchange the codes; every member then updates its copy of the atoms.
 */
#ifndef PV_BASELINE_SPARSE_LEARN_H
#define PV_BASELINE_SPARSE_LEARN_H

#include "base/progress.h"
#include "sparse/csr.h"

/* ---- A sweep -------------------------------------------------------------------------
 * The inner loop of sparse coding: coordinate descent on the codes of one word, maintaining the
 * residual r = x - sum of a_j d_j.
 *
 * A step on atom j needs the product of r and d_j, and changes r by a multiple of d_j: both rows
 * fit the L1 cache, so no matrix of products between atoms is needed. The portable and the AVX2
 * versions add in the same order, without FMA, and give the same bits.
 */

/* Rows of atoms and residuals are padded with zeros to a multiple of this. */
enum { PV_ATOM_PAD = 8 };

/* Atoms: a dictionary, atom by atom. */
typedef struct pv_atoms {
    uint32_t count, dim;
    size_t stride; /* dim, padded */
    float *rows;   /* count x stride */
    float *square; /* count: squared lengths; 0: the atom is not used */
} pv_atoms;

typedef struct pv_sweep_kernels {
    const char *name;
    /* One step for each of the atoms listed[0..count), in that order. code: of all atoms; r: stride
     * floats. `half`: half of the penalty of a code; `ridge`: penalty of its square, for atoms of
     * length 1. Returns the largest squared step, multiplied by the squared length of its atom. */
    float (*sweep)(const pv_atoms *atoms, const uint32_t *listed, size_t count, float half,
                   float ridge, bool nonnegative, float *code, float *r);
    /* y += sum of factor[t] times atom column[t] */
    void (*add)(const pv_atoms *atoms, const uint32_t *column, const float *factor, size_t count,
                float *y);
    /* y (n unaligned floats) += factor x */
    void (*add_row)(const float *x, float factor, size_t n, float *y);
} pv_sweep_kernels;

extern const pv_sweep_kernels pv_sweep_plain;
/* Returns the fastest kernels that this CPU supports. */
const pv_sweep_kernels *pv_sweep_best(void);

/* ---- Codes ---------------------------------------------------------------------------
 * The codes of words, given a dictionary: for each vector x the codes a that minimise
 *
 *     |x - sum_j a_j d_j|^2 + l1 sum_j |a_j| + ridge sum_j |a_j d_j|^2
 *
 * with `nonnegative` subject to a >= 0. This is a lasso for each word, or with a ridge an elastic
 * net.
 *
 * A tile of words is solved at a time. A round is one matrix product, the residuals of all words
 * with all atoms, followed by a few sweeps of coordinate descent for each word over its atoms and
 * those that the product identifies as candidates. Unused codes are exactly 0. Every step lowers
 * the sum above, so a round that starts with old codes ends with better ones.
 */

/* Maximum number of words per tile. */
enum { PV_CODE_TILE = 64 };

typedef struct pv_code_rules {
    float l1, ridge;
    bool nonnegative;
    uint32_t rounds; /* maximum number */
    uint32_t sweeps; /* maximum number per round */
    /* A word is done when no step moves its reconstruction by more than this fraction of the length
     * of its vector, and there is no candidate atom. */
    float tolerance;
} pv_code_rules;

/* Workspace of one worker. */
typedef struct pv_code_workspace pv_code_workspace;
psdvec_status pv_code_workspace_make(psdvec_context *ctx, const pv_atoms *atoms,
                                     pv_code_workspace **space);
void pv_code_workspace_free(psdvec_context *ctx, pv_code_workspace *space);
/* Bytes of one. */
uint64_t pv_code_workspace_bytes(uint32_t atoms, uint32_t dim);

/* Row i of the tile is `scale` times the vector at x[i]. `codes`, rows x atoms, holds the initial
 * codes (rows 0: zeros) and is replaced by the improved ones. */
psdvec_status pv_codes_find(psdvec_context *ctx, const pv_atoms *atoms, const pv_code_rules *rules,
                            const float *const *x, float scale, uint32_t rows,
                            pv_code_workspace *space, pv_csr_store *codes);

/* Sums over rows of |x - ...|^2, of |a| and of |a_j d_j|^2. */
typedef struct pv_code_figures {
    double error, length, squares;
} pv_code_figures;

pv_code_figures pv_codes_measure(const pv_atoms *atoms, const float *const *x, float scale,
                                 const pv_csr_store *codes, pv_code_workspace *space);

/* ---- The dictionary ------------------------------------------------------------------
 * The dictionary, given the codes of all words: atoms d_j of length 1 that reduce
 *
 *     sum_i |x_i - sum_j a_ij d_j|^2
 *
 * Words and codes are needed only in two sums, B = A'A (atoms x atoms) and C = A'X (atoms x dim)
 * (Mairal, Bach, Ponce and Sapiro, "Online learning for matrix factorization and sparse coding",
 * JMLR 11, 2010): atom by atom, d_j is set to the direction of C_j - sum_k!=j B_jk d_k, which is
 * optimal for fixed other atoms; for a block of atoms that is one matrix product. An atom that no
 * word uses does not change.
 *
 * When the codes of some words change, the contributions of the old codes are subtracted and those
 * of the new ones added. A worker handles some rows of B and C and processes all words, so that
 * every element is summed in the order of the words.
 */

/* Vectors as tiles: tile t has the words t, t + tiles, t + 2 tiles ..., so that each has frequent
 * and rare words. */
typedef struct pv_code_words {
    uint32_t count, dim, tiles;
    const float *vectors; /* count x dim */
    float scale;          /* factor of the vectors */
} pv_code_words;

pv_code_words pv_code_words_of(uint32_t count, uint32_t dim, const float *vectors, float scale);
/* Returns the number of words of a tile; x (PV_CODE_TILE) receives pointers to their vectors. */
uint32_t pv_code_tile(const pv_code_words *words, uint32_t tile, const float **x);

psdvec_status pv_atoms_make(psdvec_context *ctx, uint32_t count, uint32_t dim, pv_atoms *atoms);
void pv_atoms_free(psdvec_context *ctx, pv_atoms *atoms);
/* Computes the lengths from the rows. */
void pv_atoms_measure(pv_atoms *atoms);

typedef struct pv_code_sums {
    pv_scope memory;
    uint32_t atoms, dim;
    size_t stride;  /* of the atoms */
    float *B;       /* atoms x atoms; below the diagonal only during pv_atoms_update */
    float *C;       /* atoms x stride */
    double *length; /* atoms: sums of |a| */
} pv_code_sums;

psdvec_status pv_code_sums_make(psdvec_context *ctx, const pv_atoms *atoms, pv_code_sums *sums);
void pv_code_sums_free(pv_code_sums *sums);
void pv_code_sums_clear(pv_code_sums *sums);
/* Tiles first .. last - 1, sign +1 or -1; codes: of these tiles. */
psdvec_status pv_code_sums_add(pv_code_sums *sums, const pv_code_words *words, uint32_t first,
                               uint32_t last, const pv_csr_store *codes, float sign);

/* `sweeps` passes over all atoms, all of which have length 1 afterwards. */
psdvec_status pv_atoms_update(pv_atoms *atoms, pv_code_sums *sums, uint32_t sweeps);

/* ---- Learning -------------------------------------------------------------------------------- */

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
    double objective;    /* after the last epoch; NAN: none yet */
    uint64_t entries;    /* number of nonzero codes after the last epoch */

    pv_progress *progress; /* may be NULL; counts words */
    pv_code_sums sums;
    pv_code_workspace **spaces; /* one per worker */
    pv_csr_store *old;          /* of each tile of a batch */
    pv_code_figures *figures;   /* of each tile */
} pv_sparse_learner;

/* Initialises the dictionary: directions of randomly drawn words, with some noise. */
psdvec_status pv_sparse_begin(pv_sparse_learner *learner, uint32_t atoms);
psdvec_status pv_sparse_epoch(pv_sparse_learner *learner);
/* Computes codes to the accuracy of float32, without changing the dictionary. */
psdvec_status pv_sparse_finish(pv_sparse_learner *learner);
void pv_sparse_free(pv_sparse_learner *learner);

/* Estimate of the bytes that learning needs, including the codes. */
uint64_t pv_sparse_bytes(const psdvec_context *ctx, uint32_t words, uint32_t dim, uint32_t atoms);

/* The codes in one array, in the order of the tiles or, with `by_word`, of the words, multiplied by
 * `factor`. */
psdvec_status pv_sparse_gather(const pv_sparse_learner *learner, bool by_word, float factor,
                               pv_csr_store *codes);
/* The inverse, for codes in the order of the tiles. */
psdvec_status pv_sparse_scatter(pv_sparse_learner *learner, const pv_csr *codes);

#endif
