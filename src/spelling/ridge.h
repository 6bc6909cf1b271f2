/* Ridge regression of many dimensions on one sparse matrix, in its dual form.
 *
 * With B the matrix of zeros and ones, m the freedom of its columns, N_i the n-grams in word
 * i, w the weights of the words and r_i = sqrt(w_i / N_i), the problem of spelling.h is
 *
 *     (R B M B' R + lambda I) z = W^(1/2) u,     row of n-gram g: m_g sum over its words r_j z_j
 *
 * one system for each dimension, all with the same matrix.
 */
#ifndef PV_SPELLING_RIDGE_H
#define PV_SPELLING_RIDGE_H

#include "spelling/features.h"
#include "spelling/row_sums.h"

/* r_j z_j, by blocks of PV_ROW_BLOCK dimensions: block, word, dimension. The last block is
 * filled up with zeros. */
typedef struct pv_ridge_solution {
    size_t blocks;
    float *numbers;
} pv_ridge_solution;

/* u: words x dim, finite; weights: words, positive. Stops after `steps`, or before if the
 * residual of every dimension fell by 1e-4. */
psdvec_status pv_ridge_solve(psdvec_context *ctx, const pv_features *features, const float *weights,
                             const float *u, uint32_t dim, double lambda, uint32_t steps,
                             pv_ridge_solution *solution);
void pv_ridge_free(psdvec_context *ctx, pv_ridge_solution *solution);

#endif
