/* The inner loops of analogies, fast and plain; both give the same bits.
 *
 * Questions with the same a and b share two rows, which are made once for them:
 *
 *     sum   = cos(x,b) - cos(x,a)                     3CosAdd: sum + cos(x,c)
 *     ratio = (cos(x,b) + s) / (cos(x,a) + s + 0.001)    3CosMul: ratio * (cos(x,c) + s)
 *
 * so a question costs one pass over cos(x,c). The pass finds the largest scores; where they
 * stand is looked for only if they beat what was found before, which is rare.
 */
#ifndef PV_EVAL_ANALOGY_KERNELS_H
#define PV_EVAL_ANALOGY_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#define PV_ANALOGY_EPSILON 0.001F

typedef struct pv_analogy_kernels {
    const char *name;
    /* a, b: n cosines each. shift: s, 1 or 0 */
    void (*prepare)(const float *a, const float *b, size_t n, float shift, float *sum,
                    float *ratio);
    /* Raises *add and *mul to the largest scores among n candidates. */
    void (*largest)(const float *sum, const float *ratio, const float *c, size_t n, float shift,
                    float *add, float *mul);
} pv_analogy_kernels;

extern const pv_analogy_kernels pv_analogy_plain;
const pv_analogy_kernels *pv_analogy_kernels_best(void);

static inline float pv_analogy_add(float sum, float c)
{
    return sum + c;
}

static inline float pv_analogy_mul(float ratio, float c, float shift)
{
    return ratio * (c + shift);
}

#endif
