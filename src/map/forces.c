/* Forces on a point: sums over its partners, eight at a time.
 *
 * Lists of partners are padded with the point itself, which exerts no force, to whole groups of
 * PV_MAP_LANES. Lane k sums over the k-th partner of each group, and the lanes are added up in their
 * order, so the kernels give the same bits. The points of a map are read in random order and mostly
 * are in the cache of second or third level; a point is one load of 8 bytes.
 */
#include "map/layout.h"

#include "base/platform.h"

#include <math.h>

enum { LANES = PV_MAP_LANES };

static void plain_forces(const uint32_t *list, uint64_t count, const float *points, uint32_t i,
                         const pv_map_force *force, float sum[2])
{
    float fx[LANES] = {0}, fy[LANES] = {0}, x = points[2 * (size_t)i],
          y = points[2 * (size_t)i + 1];
    for (uint64_t from = 0; from < count; from += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const float *other = points + 2 * (size_t)list[from + k];
            float dx = x - other[0], dy = y - other[1], d = 1 + (dx * dx + dy * dy);
            float below = (force->shift + d) * (force->shift + d);
            float strength = force->factor / (force->local ? below * sqrtf(d) : below);
            fx[k] += strength * dx;
            fy[k] += strength * dy;
        }
    for (size_t k = 0; k < LANES; k++) {
        sum[0] += fx[k];
        sum[1] += fy[k];
    }
}

pv_map_forces_fn *const pv_map_forces_plain = plain_forces;

#if PV_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m128 two_points(const float *points, uint32_t a, uint32_t b)
{
    __m128 first = _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(points + 2 * (size_t)a));
    return _mm_loadh_pi(first, (const __m64 *)(points + 2 * (size_t)b));
}

AVX2 static void avx2_forces(const uint32_t *list, uint64_t count, const float *points, uint32_t i,
                             const pv_map_force *force, float sum[2])
{
    const __m256 x = _mm256_set1_ps(points[2 * (size_t)i]);
    const __m256 y = _mm256_set1_ps(points[2 * (size_t)i + 1]);
    const __m256 one = _mm256_set1_ps(1), shift = _mm256_set1_ps(force->shift);
    const __m256 factor = _mm256_set1_ps(force->factor);
    __m256 fx = _mm256_setzero_ps(), fy = _mm256_setzero_ps();
    for (const uint32_t *at = list; at < list + count; at += LANES) {
        /* x and y of partners 0, 1, 4, 5, and of 2, 3, 6, 7 */
        __m256 a =
            _mm256_set_m128(two_points(points, at[4], at[5]), two_points(points, at[0], at[1]));
        __m256 b =
            _mm256_set_m128(two_points(points, at[6], at[7]), two_points(points, at[2], at[3]));
        __m256 dx = _mm256_sub_ps(x, _mm256_shuffle_ps(a, b, 0x88));
        __m256 dy = _mm256_sub_ps(y, _mm256_shuffle_ps(a, b, 0xdd));
        __m256 d = _mm256_add_ps(one, _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)));
        __m256 below = _mm256_add_ps(shift, d);
        below = _mm256_mul_ps(below, below);
        if (force->local)
            below = _mm256_mul_ps(below, _mm256_sqrt_ps(d));
        __m256 strength = _mm256_div_ps(factor, below);
        fx = _mm256_add_ps(fx, _mm256_mul_ps(strength, dx));
        fy = _mm256_add_ps(fy, _mm256_mul_ps(strength, dy));
    }
    float lanes[2][LANES];
    _mm256_storeu_ps(lanes[0], fx);
    _mm256_storeu_ps(lanes[1], fy);
    for (size_t k = 0; k < LANES; k++) {
        sum[0] += lanes[0][k];
        sum[1] += lanes[1][k];
    }
}

pv_map_forces_fn *pv_map_forces_best(void)
{
    return __builtin_cpu_supports("avx2") ? avx2_forces : plain_forces;
}

#else
pv_map_forces_fn *pv_map_forces_best(void)
{
    return plain_forces;
}
#endif
