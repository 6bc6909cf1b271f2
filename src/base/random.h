/* Counter-based random numbers (Philox4x32 with ten rounds: Salmon, Moraes, Dror and Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 *
 * A number is a pure function of (seed, purpose, index). There is no state and the order of calls
 * does not matter, so results do not depend on threads. `purpose` separates the streams of
 * different uses.
 */
#ifndef PV_BASE_RANDOM_H
#define PV_BASE_RANDOM_H

#include <stdint.h>

/* The bare generator, for known-answer tests: a counter of four 32-bit words and a key of two. */
void pv_philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* 64 uniform bits. */
uint64_t pv_random_u64(uint64_t seed, uint64_t purpose, uint64_t index);

/* Uniform in [0, 1), with 53 bits. */
double pv_random_unit(uint64_t seed, uint64_t purpose, uint64_t index);

/* Standard normal. */
double pv_random_normal(uint64_t seed, uint64_t purpose, uint64_t index);

#endif
