/* Whether the fast kernels of this room can run here: AVX2, and F16C, which every processor with
 * AVX2 has, though a virtual machine may hide it. */
#ifndef PV_MODEL_FAST_H
#define PV_MODEL_FAST_H

#include "base/platform.h"

#include <stdbool.h>

#if PV_AVX2
#include <cpuid.h>

#define PV_FAST __attribute__((target("avx2,f16c")))
#define PV_FAST_INLINE PV_FAST static inline __attribute__((always_inline))

static inline bool pv_fast_kernels(void)
{
    unsigned a, b, c = 0, d;
    /* The system keeps the registers (avx2), and there are conversions (f16c; clang 14 has no
     * name for it in __builtin_cpu_supports). */
    return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

#endif
