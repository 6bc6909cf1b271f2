/* Half precision, IEEE 754 binary16, in two bytes. Rounding is to the nearest, ties to even, as
 * the F16C instructions do it. */
#ifndef PV_BASE_HALF_H
#define PV_BASE_HALF_H

#include "base/platform.h"

#include <stdbool.h>
#include <stdint.h>

enum { HALF_INFINITE = 0x7c00, HALF_SIGN = 0x8000 };

/* Too large a number becomes infinite. */
uint16_t pv_half_from(float value);
float pv_half_to(uint16_t half);

#if PV_AVX2
#include <cpuid.h>

/* Whether there are AVX2, registers that the system keeps, and F16C, which every processor with AVX2
 * has, though a virtual machine may hide it; clang 14 has no name for it in
 * __builtin_cpu_supports. */
static inline bool pv_avx2_and_f16c(void)
{
    unsigned a, b, c = 0, d;
    return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

#endif
