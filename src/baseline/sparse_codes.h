/* The codes of words, given a dictionary: for each vector x the codes a that make
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
#ifndef PV_BASELINE_SPARSE_CODES_H
#define PV_BASELINE_SPARSE_CODES_H

#include "baseline/sparse_sweep.h"
#include "sparse/csr.h"

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
typedef struct pv_code_room pv_code_room;
psdvec_status pv_code_room_make(psdvec_context *ctx, const pv_atoms *atoms, pv_code_room **room);
void pv_code_room_free(psdvec_context *ctx, pv_code_room *room);
/* Bytes of one. */
uint64_t pv_code_room_bytes(uint32_t atoms, uint32_t dim);

/* Row i of the tile is scale[i] times the vector at x[i]. `codes`, rows x atoms, comes with
 * codes to begin with (rows 0: zeros) and leaves with better ones. */
psdvec_status pv_codes_find(psdvec_context *ctx, const pv_atoms *atoms, const pv_code_rules *rules,
                            const float *const *x, const float *scale, uint32_t rows,
                            pv_code_room *room, pv_csr_store *codes);

/* Sums over rows of |x - ...|^2, of |a| and of |a_j d_j|^2. */
typedef struct pv_code_figures {
    double error, length, squares;
} pv_code_figures;

pv_code_figures pv_codes_measure(const pv_atoms *atoms, const float *const *x, const float *scale,
                                 const pv_csr_store *codes, pv_code_room *room);

#endif
