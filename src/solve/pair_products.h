/* Products of vectors for the core's pairs. */
#ifndef PV_SOLVE_PAIR_PRODUCTS_H
#define PV_SOLVE_PAIR_PRODUCTS_H

#include "solve/core.h"

/* Sets pairs->matrix.value above the diagonal to s_j X_ij = u_i' J u_j / s_i (core.h). With rank 0
 * nothing is written: all X_ij are 0. */
psdvec_status pv_products_on_pairs(pv_core *core);
uint64_t pv_products_bytes(uint64_t n, const pv_division *division, uint64_t stride, int threads);

#endif
