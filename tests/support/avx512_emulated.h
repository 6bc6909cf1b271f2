/* The AVX-512 intrinsics that src/solve/regression_kernels.c uses, for processors that have only
 * AVX2 and FMA: each operates on two halves, or on one element after the other. With them,
 * scripts/check-machines.sh runs the kernels for AVX-512 where no processor has it. Include it after
 * <immintrin.h>. */
#ifndef PV_SUPPORT_AVX512_EMULATED_H
#define PV_SUPPORT_AVX512_EMULATED_H

#include <stdint.h>
#include <string.h>

#define EMULATED __attribute__((target("avx2,fma"), always_inline)) static inline

typedef struct emulated_m512 {
    __m256 half[2];
} emulated_m512;

typedef struct emulated_m512i {
    union {
        uint8_t u8[64];
        int8_t i8[64];
        int32_t i32[16];
    };
} emulated_m512i;

EMULATED emulated_m512 emulated_loadu_ps(const float *from)
{
    return (emulated_m512){{_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)}};
}

EMULATED void emulated_storeu_ps(float *to, emulated_m512 x)
{
    _mm256_storeu_ps(to, x.half[0]);
    _mm256_storeu_ps(to + 8, x.half[1]);
}

EMULATED emulated_m512 emulated_set1_ps(float x)
{
    return (emulated_m512){{_mm256_set1_ps(x), _mm256_set1_ps(x)}};
}

EMULATED emulated_m512 emulated_fnmadd_ps(emulated_m512 a, emulated_m512 b, emulated_m512 c)
{
    return (emulated_m512){{_mm256_fnmadd_ps(a.half[0], b.half[0], c.half[0]),
                            _mm256_fnmadd_ps(a.half[1], b.half[1], c.half[1])}};
}

EMULATED emulated_m512i emulated_loadu_si512(const void *from)
{
    emulated_m512i x;
    memcpy(&x, from, sizeof x);
    return x;
}

EMULATED void emulated_storeu_si512(void *to, emulated_m512i x)
{
    memcpy(to, &x, sizeof x);
}

EMULATED emulated_m512i emulated_set1_epi8(int8_t value)
{
    emulated_m512i x;
    memset(&x, value, sizeof x);
    return x;
}

EMULATED emulated_m512i emulated_set1_epi32(int32_t value)
{
    emulated_m512i x;
    for (int k = 0; k < 16; k++)
        x.i32[k] = value;
    return x;
}

EMULATED emulated_m512i emulated_add_epi8(emulated_m512i a, emulated_m512i b)
{
    for (int k = 0; k < 64; k++)
        a.u8[k] = (uint8_t)(a.u8[k] + b.u8[k]);
    return a;
}

/* VPDPBUSD: adds four products of unsigned bytes of a with signed bytes of b, without saturation. */
EMULATED emulated_m512i emulated_dpbusd_epi32(emulated_m512i sum, emulated_m512i a,
                                              emulated_m512i b)
{
    for (int k = 0; k < 16; k++)
        for (int t = 0; t < 4; t++)
            sum.i32[k] += a.u8[4 * k + t] * b.i8[4 * k + t];
    return sum;
}

#define __m512 emulated_m512
#define __m512i emulated_m512i
#define _mm512_add_epi8 emulated_add_epi8
#define _mm512_dpbusd_epi32 emulated_dpbusd_epi32
#define _mm512_fnmadd_ps emulated_fnmadd_ps
#define _mm512_loadu_ps emulated_loadu_ps
#define _mm512_loadu_si512 emulated_loadu_si512
#define _mm512_set1_epi32 emulated_set1_epi32
#define _mm512_set1_epi8 emulated_set1_epi8
#define _mm512_set1_ps emulated_set1_ps
#define _mm512_setzero_si512() emulated_set1_epi8(0)
#define _mm512_storeu_ps emulated_storeu_ps
#define _mm512_storeu_si512 emulated_storeu_si512

/* All that the kernels ask for. */
#define __builtin_cpu_supports(feature) 1

#endif
