/* Half precision, IEEE 754 binary16, in two bytes. Rounding is to the nearest, ties to even, like
 * the F16C instructions. */
#ifndef PV_BASE_HALF_H
#define PV_BASE_HALF_H

#include "base/platform.h"

#include <stdbool.h>
#include <stdint.h>

enum { HALF_INFINITE = 0x7c00, HALF_SIGN = 0x8000 };

/* Numbers that are too large become infinity. */
uint16_t pv_half_from(float value);
float pv_half_to(uint16_t half);

#if PV_AVX2
#include <cpuid.h>

/* Whether AVX2, operating system support for its registers, and F16C are available. Every processor
 * with AVX2 has F16C, but a virtual machine may hide it; __builtin_cpu_supports of clang 14 has no
 * name for it. */
static inline bool pv_avx2_and_f16c(void)
{
    unsigned a, b, c = 0, d;
    return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

#endif
