/* The two loops that take most of the time, for one row of the sparse matrix.
 *
 * Each has a portable version and one for AVX2 and FMA, selected at the first use. They may differ
 * in the last bits: FMA rounds once where the portable version rounds twice.
 */
#ifndef PV_SOLVE_KERNELS_H
#define PV_SOLVE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pv_kernels {
    const char *name;
    /* y (k elements) += sum over t of value[t] * X[column[t]]; X has rows of k. */
    void (*row_product)(const uint32_t *column, const float *value, size_t count, const float *X,
                        size_t k, float *y);
    /* The same for X in half precision, which halves the memory traffic. */
    void (*row_product_half)(const uint32_t *column, const float *value, size_t count,
                             const uint16_t *X, size_t k, float *y);
    /* to[k] = from[k] * scale, rounded. */
    void (*to_half)(const float *from, size_t count, float scale, uint16_t *to);
    /* out[t] = a . V[column[t] - first]; V has rows of `stride` elements, of which the first `dim`
     * are used; both are multiples of 8. */
    void (*row_dots)(const uint32_t *column, size_t count, const float *a, const float *V,
                     uint32_t first, size_t stride, size_t dim, float *out);
} pv_kernels;

extern const pv_kernels pv_kernels_plain;
/* Returns the fastest kernels that this CPU supports. */
const pv_kernels *pv_kernels_best(void);

#endif
