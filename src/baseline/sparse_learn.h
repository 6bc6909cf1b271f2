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
 * (pv_codes_find); then atoms for all codes there are (pv_atoms_update); then g. No step
 * raises the sum, whatever its kind. All that an epoch needs of the past is the state.
 */
#ifndef PV_BASELINE_SPARSE_LEARN_H
#define PV_BASELINE_SPARSE_LEARN_H

#include "base/progress.h"
#include "sparse/csr.h"

/* ---- A sweep -------------------------------------------------------------------------
 * The inner loop of sparse coding: coordinate descent on the codes of one word, with the residual
 * r = x - sum of a_j d_j at hand.
 *
 * A step on atom j needs the product of r and d_j, and changes r by a multiple of d_j: both rows
 * are short enough for the nearest caches, so no matrix of products between atoms is needed. Both
 * twins add up in the same order, without FMA: the same bits.
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
     * numbers. `half`: half of the penalty of a code; `ridge`: penalty of its square, for atoms of
     * length 1. Returns the largest square of a step, times that of the length of its atom. */
    float (*sweep)(const pv_atoms *atoms, const uint32_t *listed, size_t count, float half,
                   float ridge, bool nonnegative, float *code, float *r);
    /* y += sum of factor[t] times atom column[t] */
    void (*add)(const pv_atoms *atoms, const uint32_t *column, const float *factor, size_t count,
                float *y);
    /* y (n numbers, lying anywhere) += factor x */
    void (*add_row)(const float *x, float factor, size_t n, float *y);
} pv_sweep_kernels;

extern const pv_sweep_kernels pv_sweep_plain;
/* The fastest of this machine. */
const pv_sweep_kernels *pv_sweep_best(void);

/* ---- Codes ---------------------------------------------------------------------------
 * The codes of words, given a dictionary: for each vector x the codes a that make
 *
 *     |x - sum_j a_j d_j|^2 + l1 sum_j |a_j| + ridge sum_j |a_j d_j|^2
 *
 * least; with `nonnegative` among codes that are not negative. A lasso for each
 * word, or with a ridge an elastic net.
 *
 * A tile of words is solved at a time. A round is one matrix product, the residuals of all words
 * with all atoms, and then a few sweeps of coordinate descent for each word over the atoms that
 * it has or that the product says it wants. Codes that are not wanted are zeros, not small numbers.
 * Every step lowers the sum above, so a round begun with old codes ends with better ones.
 */

/* Words of a tile at most. */
enum { PV_CODE_TILE = 64 };

typedef struct pv_code_rules {
    float l1, ridge;
    bool nonnegative;
    uint32_t rounds; /* at most */
    uint32_t sweeps; /* at most, of a round */
    /* A word is done when no step moves what its codes add up to by more than this share of the
     * length of its vector, and no atom is wanted. */
    float tolerance;
} pv_code_rules;

/* What one worker needs for tiles. */
typedef struct pv_code_workspace pv_code_workspace;
psdvec_status pv_code_workspace_make(psdvec_context *ctx, const pv_atoms *atoms,
                                     pv_code_workspace **space);
void pv_code_workspace_free(psdvec_context *ctx, pv_code_workspace *space);
/* Bytes of one. */
uint64_t pv_code_workspace_bytes(uint32_t atoms, uint32_t dim);

/* Row i of the tile is `scale` times the vector at x[i]. `codes`, rows x atoms, comes with
 * codes to begin with (rows 0: zeros) and leaves with better ones. */
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
 * The dictionary, given the codes of all words: the atoms d_j that make
 *
 *     sum_i |x_i - sum_j a_ij d_j|^2
 *
 * less, each of length 1. All that matters of words and codes is in two sums, B = A'A (atoms x atoms) and
 * C = A'X (atoms x dim), as Mairal, Bach, Ponce and Sapiro have it ("Online learning for matrix
 * factorization and sparse coding", JMLR 11, 2010): d_j turns to the direction of
 * C_j - sum_k!=j B_jk d_k, which is best for it as long as the others stay, atom by atom; for a
 * block of atoms that is one matrix product. An atom that no word uses stays as it is.
 *
 * The sums change with the codes of some words: those of the old are taken off, those of the new
 * added. A worker has some rows of B and C and goes through all words, so that every number is
 * added up in the order of the words.
 */

/* Vectors as tiles: tile t has the words t, t + tiles, t + 2 tiles ..., so that each has frequent
 * words and rare ones. */
typedef struct pv_code_words {
    uint32_t count, dim, tiles;
    const float *vectors; /* count x dim */
    float scale;          /* vectors are taken times it */
} pv_code_words;

pv_code_words pv_code_words_of(uint32_t count, uint32_t dim, const float *vectors, float scale);
/* Words of a tile; x (PV_CODE_TILE) receives where they are. */
uint32_t pv_code_tile(const pv_code_words *words, uint32_t tile, const float **x);

psdvec_status pv_atoms_make(psdvec_context *ctx, uint32_t count, uint32_t dim, pv_atoms *atoms);
void pv_atoms_free(psdvec_context *ctx, pv_atoms *atoms);
/* From the rows. */
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

/* `sweeps` times over all atoms; all have length 1. */
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
    double objective;    /* after the last; NAN: none yet */
    uint64_t entries;    /* codes that are not 0, after the last */

    pv_progress *progress; /* may be NULL; counts words */
    pv_code_sums sums;
    pv_code_workspace **spaces; /* of each worker */
    pv_csr_store *old;          /* of each tile of a batch */
    pv_code_figures *figures;   /* of each tile */
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
