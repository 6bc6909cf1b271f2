/* Compiler and processor features beyond C11. With PV_PORTABLE (make PORTABLE=1) only the plain
 * kernels are compiled, so that they can be tested. */
#ifndef PV_UTIL_COMPILER_H
#define PV_UTIL_COMPILER_H

#if defined(__GNUC__)
#define PV_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define PV_LIKELY(x) __builtin_expect(!!(x), 1)
#define PV_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PV_PRINTF(fmt, args)
#define PV_LIKELY(x) (x)
#define PV_UNLIKELY(x) (x)
#endif

/* PV_ANALYZE: for the analysers of gcc and clang (`make analyze`, `make lint`). PV_HOLDS tells them
 * what holds here for a reason that they cannot see. */
#if defined(__clang_analyzer__) && !defined(PV_ANALYZE)
#define PV_ANALYZE
#endif
#ifdef PV_ANALYZE
#define PV_HOLDS(condition)                                                                        \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_unreachable();                                                               \
    } while (0)
#else
#define PV_HOLDS(condition) ((void)0)
#endif

#ifndef PV_PORTABLE
#define PV_PORTABLE 0
#endif

/* Kernels: PV_SSE2 kernels run on every x86-64 processor; PV_AVX2 kernels are chosen at run
 * time. CPPFLAGS=-DPV_AVX2=0 builds a program that behaves as on a processor without AVX2. */
#if !PV_PORTABLE && defined(__SSE2__)
#define PV_SSE2 1
#else
#define PV_SSE2 0
#endif
#ifndef PV_AVX2
#if !PV_PORTABLE && defined(__x86_64__) && defined(__GNUC__)
#define PV_AVX2 1
#else
#define PV_AVX2 0
#endif
#endif

#endif
