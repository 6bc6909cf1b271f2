/* The kernels that take most of the time of a regression.
 *
 * The Gram matrix of a word's scaled rows is computed from integers of 7 or 8 bits, which CPUs
 * multiply up to four times as fast as floats. Its Cholesky factor is accurate enough for the
 * determinant and as a preconditioner; the solution itself is refined with the floats
 * (regression.c).
 *
 * A packed matrix has `groups` groups of 4 terms of the sums. A group has the 4 terms of column 0,
 * those of column 1, and so on for pv_regression_stride(n) columns; columns from n on and terms
 * after the last one are 0. PV_REGRESSION_SLACK elements after the end of a matrix may be read.
 */
#ifndef PV_SOLVE_REGRESSION_KERNELS_H
#define PV_SOLVE_REGRESSION_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PV_REGRESSION_SLACK = 64 };

/* The row stride of a matrix, in columns. */
static inline size_t pv_regression_stride(size_t columns)
{
    return (columns + 15) / 16 * 16;
}

typedef struct pv_regression_kernels {
    const char *name;
    float levels; /* the largest magnitude of a packed element that `gram` accepts */
    /* A[t][k] = root[t] v[t][k] scale[k] for t < rows <= 4 and k < stride, a multiple of 16. Adds
     * squares to square[k], and raises largest[k] to the largest magnitude. */
    void (*scale_rows)(const float *const *v, const float *root, size_t rows, const float *scale,
                       size_t stride, float *A, float *square, float *largest);
    /* Packs the columns of A (rows x stride), given their largest magnitudes. step, sums (stride):
     * the quantisation step of each packed column, and the sum of its elements. */
    void (*pack_columns)(const float *A, size_t rows, size_t stride, const float *largest,
                         float levels, int8_t *packed, float *step, int32_t *sums);
    /* Packs the rows of A (rows x stride) as columns. square (rows): the sum of each row's squares.
     * step, sums: pv_regression_stride(rows). */
    void (*pack_rows)(const float *A, size_t rows, size_t stride, float levels, int8_t *packed,
                      float *step, int32_t *sums, float *square);
    /* K[k][l] = step[k] step[l] times the sum over all terms of columns k and l, for k <= l < n. K
     * has rows of pv_regression_stride(n) elements; the part below the diagonal is undefined, and
     * columns from n on are 0. */
    void (*gram)(const int8_t *packed, const int32_t *sums, size_t groups, size_t n,
                 const float *step, float *K);
    /* U of K = U'U (n rows of `stride` elements; the upper triangle is read and written). Returns
     * false if K is not positive definite. */
    bool (*cholesky)(float *K, size_t n, size_t stride);
} pv_regression_kernels;

extern const pv_regression_kernels pv_regression_kernels_plain;
/* The kernels that this CPU supports, the fastest first; NULL after the last one. Without AVX2
 * there is none, because BLAS is faster than portable kernels. */
const pv_regression_kernels *pv_regression_kernels_at(size_t index);

#endif
