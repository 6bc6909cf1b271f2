/* The dictionary, given the codes of all words: the atoms d_j that make
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
#ifndef PV_BASELINE_SPARSE_DICTIONARY_H
#define PV_BASELINE_SPARSE_DICTIONARY_H

#include "baseline/sparse_codes.h"

/* Vectors as tiles: tile t has the words t, t + tiles, t + 2 tiles ..., so that each has frequent
 * words and rare ones. */
typedef struct pv_code_words {
    uint32_t count, dim, tiles;
    const float *vectors; /* count x dim */
    const float *scale;   /* count: vectors are taken times it */
} pv_code_words;

pv_code_words pv_code_words_of(uint32_t count, uint32_t dim, const float *vectors,
                               const float *scale);
/* Words of a tile; x and scale (PV_CODE_TILE each) receive where they are. */
uint32_t pv_code_tile(const pv_code_words *words, uint32_t tile, const float **x, float *scale);

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

#endif
