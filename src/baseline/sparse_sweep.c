/* Steps of coordinate descent, eight elements at a time. */
#include "baseline/sparse_learn.h"

#include "base/platform.h"

/* Eight unaligned floats; rows are padded. */
typedef float float8 __attribute__((vector_size(32), aligned(4), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE float product(const float *a, const float *b, size_t stride)
{
    float8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    size_t k = 0;
    for (; k + 32 <= stride; k += 32) {
        s0 += *(const float8 *)(a + k) * *(const float8 *)(b + k);
        s1 += *(const float8 *)(a + k + 8) * *(const float8 *)(b + k + 8);
        s2 += *(const float8 *)(a + k + 16) * *(const float8 *)(b + k + 16);
        s3 += *(const float8 *)(a + k + 24) * *(const float8 *)(b + k + 24);
    }
    for (; k < stride; k += 8)
        s0 += *(const float8 *)(a + k) * *(const float8 *)(b + k);
    s0 = (s0 + s1) + (s2 + s3);
    return ((s0[0] + s0[4]) + (s0[2] + s0[6])) + ((s0[1] + s0[5]) + (s0[3] + s0[7]));
}

INLINE void add_multiple(const float *x, float factor, size_t stride, float *y)
{
    float8 f = {factor, factor, factor, factor, factor, factor, factor, factor};
    for (size_t k = 0; k < stride; k += 8)
        *(float8 *)(y + k) += f * *(const float8 *)(x + k);
}

INLINE void add_any(const float *x, float factor, size_t n, float *y)
{
    size_t whole = n / 8 * 8;
    add_multiple(x, factor, whole, y);
    for (size_t k = whole; k < n; k++)
        y[k] += factor * x[k];
}

/* Soft threshold. */
INLINE float shrink(float pull, float half, bool nonnegative)
{
    if (pull > half)
        return pull - half;
    if (pull < -half && !nonnegative)
        return pull + half;
    return 0;
}

INLINE float sweep(const pv_atoms *atoms, const uint32_t *listed, size_t count, float half,
                   float ridge, bool nonnegative, float *code, float *r)
{
    float largest = 0;
    size_t stride = atoms->stride;
    for (size_t t = 0; t < count; t++) {
        uint32_t j = listed[t];
        const float *atom = atoms->rows + j * stride;
        float square = atoms->square[j];
        if (square <= 0)
            continue;
        float old = code[j];
        float pull = product(atom, r, stride) + square * old;
        float now = shrink(pull, half, nonnegative) / (square * (1 + ridge));
        float step = now - old;
        if (step == 0)
            continue;
        code[j] = now;
        add_multiple(atom, -step, stride, r);
        float moved = step * step * square;
        largest = moved > largest ? moved : largest;
    }
    return largest;
}

INLINE void add_atoms(const pv_atoms *atoms, const uint32_t *column, const float *factor,
                      size_t count, float *y)
{
    for (size_t t = 0; t < count; t++)
        add_multiple(atoms->rows + column[t] * atoms->stride, factor[t], atoms->stride, y);
}

/* The kernels for one instruction set. */
#define KERNELS(kind, target)                                                                      \
    target static float kind##_sweep(const pv_atoms *atoms, const uint32_t *listed, size_t count,  \
                                     float half, float ridge, bool nonnegative, float *code,       \
                                     float *r)                                                     \
    {                                                                                              \
        return sweep(atoms, listed, count, half, ridge, nonnegative, code, r);                     \
    }                                                                                              \
    target static void kind##_add(const pv_atoms *atoms, const uint32_t *column,                   \
                                  const float *factor, size_t count, float *y)                     \
    {                                                                                              \
        add_atoms(atoms, column, factor, count, y);                                                \
    }                                                                                              \
    target static void kind##_add_row(const float *x, float factor, size_t n, float *y)            \
    {                                                                                              \
        add_any(x, factor, n, y);                                                                  \
    }

KERNELS(plain, )
const pv_sweep_kernels pv_sweep_plain = {"plain", plain_sweep, plain_add, plain_add_row};

#if PV_AVX2
KERNELS(avx2, __attribute__((target("avx2"))))
#endif

const pv_sweep_kernels *pv_sweep_best(void)
{
#if PV_AVX2
    static const pv_sweep_kernels avx2 = {"avx2", avx2_sweep, avx2_add, avx2_add_row};
    if (__builtin_cpu_supports("avx2"))
        return &avx2;
#endif
    return &pv_sweep_plain;
}
