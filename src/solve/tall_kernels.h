/* Products of a tile of a tall matrix with few columns.
 *
 * BLAS repacks its operands before it multiplies. With few columns that takes half as long as the
 * product. These kernels read the wide operand in place, once.
 */
#ifndef PV_SOLVE_TALL_KERNELS_H
#define PV_SOLVE_TALL_KERNELS_H

#include "solve/tall.h"

typedef struct pv_tall_kernels {
    const char *name;
    /* out (a.columns x b.columns, dense) = A' B over `rows` rows. */
    void (*gram)(size_t rows, pv_tall a, pv_tall b, float *out);
    /* Y (rows x columns) = beta Y + alpha A M; M: a.columns x columns, dense. With a beta of 0,
     * Y is not read. */
    void (*multiply)(size_t rows, float alpha, pv_tall a, const float *M, size_t columns,
                     float beta, float *Y, size_t stride);
} pv_tall_kernels;

/* The same sums in portable C, for any number of columns; slower than BLAS and used only by
 * tests. */
extern const pv_tall_kernels pv_tall_kernels_plain;
/* Kernels for products with this many columns: 8 to 32, or a multiple of 8 up to 64. NULL: BLAS is
 * faster, or this CPU lacks AVX2 or FMA. */
const pv_tall_kernels *pv_tall_kernels_best(size_t columns);

#endif
