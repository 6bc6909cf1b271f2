/* The two loops that take most of the time, for one row of the sparse matrix.
 *
 * Each has a plain twin, and one for machines with AVX2 and FMA, chosen when it is
 * first needed. The twins may differ in the last bits: the fast one rounds
 * once where the plain one rounds twice.
 */
#ifndef PV_SOLVE_KERNELS_H
#define PV_SOLVE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pv_kernels {
    const char *name;
    /* y (k numbers) += sum over t of value[t] * X[column[t]]; X has rows of k. */
    void (*row_product)(const uint32_t *column, const float *value, size_t count, const float *X,
                        size_t k, float *y);
    /* The same for X in half precision, which moves half of the bytes. */
    void (*row_product_half)(const uint32_t *column, const float *value, size_t count,
                             const uint16_t *X, size_t k, float *y);
    /* to[k] = from[k] * scale, rounded. */
    void (*to_half)(const float *from, size_t count, float scale, uint16_t *to);
    /* out[t] = a . V[column[t]]; V has rows of `stride` numbers, of which `dim` count; both are
     * multiples of 8. */
    void (*row_dots)(const uint32_t *column, size_t count, const float *a, const float *V,
                     size_t stride, size_t dim, float *out);
} pv_kernels;

extern const pv_kernels pv_kernels_plain;
/* The fastest of this machine. */
const pv_kernels *pv_kernels_best(void);

#endif
