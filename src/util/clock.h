/* Monotonic time, unaffected by changes of the system clock. */
#ifndef PV_UTIL_CLOCK_H
#define PV_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t pv_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/* In seconds. */
static inline double pv_now(void)
{
    return (double)pv_now_ns() * 1e-9;
}

#endif
