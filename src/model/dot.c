/* One row against up to three others and itself, in plain C and for AVX2.
 *
 * A search is bound by how fast rows arrive from memory, so whatever else is wanted of a
 * row, its length above all, is had in the same pass and costs nothing.
 */
#include "model/dot.h"

#include <math.h>

double pv_length(const float *a, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (double)a[k] * (double)a[k];
    return sqrt(sum);
}

bool pv_unit_vector(const float *from, size_t n, float *to)
{
    double length = pv_length(from, n);
    bool fine = length > 0 && isfinite(length);
    for (size_t k = 0; k < n; k++)
        to[k] = fine ? (float)((double)from[k] / length) : 0;
    return fine;
}

float pv_row_dots_reference(const float *row, const float *const *queries, size_t count, size_t n,
                            float *out)
{
    for (size_t q = 0; q < count; q++)
        out[q] = pv_dot(row, queries[q], n);
    return pv_dot(row, row, n);
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <stdint.h>

/* Without FMA, which rounds once where the plain twin rounds twice. */
#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

/* Numbers by which memory is asked for rows to come: without it, the end of a row is a pause. */
enum { AHEAD = 512 };

/* The first n of eight numbers, and zeros, which change no sum. */
AVX2_INLINE __m256 load_some(const float *from, size_t n)
{
    static const int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    size_t kept = n < 8 ? n : 8;
    return _mm256_maskload_ps(from, _mm256_loadu_si256((const __m256i *)(ones + 8 - kept)));
}

/* In the order of pv_dot_fold. */
AVX2_INLINE float fold(__m256 low, __m256 high)
{
    __m256 eight = _mm256_add_ps(low, high);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

/* `count` is known, so that the sums stay in registers. The last sum is of the row itself. */
AVX2_INLINE float row_dots(const float *row, const float *const *queries, size_t count, size_t n,
                           float *out)
{
    __m256 low[PV_DOT_QUERIES + 1], high[PV_DOT_QUERIES + 1];
    for (size_t q = 0; q <= count; q++)
        low[q] = high[q] = _mm256_setzero_ps();
    size_t k = 0;
    for (; k + PV_DOT_LANES <= n; k += PV_DOT_LANES) {
        _mm_prefetch((const char *)(row + k + AHEAD), _MM_HINT_T0);
        __m256 a = _mm256_loadu_ps(row + k), b = _mm256_loadu_ps(row + k + 8);
        for (size_t q = 0; q < count; q++) {
            low[q] = _mm256_add_ps(low[q], _mm256_mul_ps(a, _mm256_loadu_ps(queries[q] + k)));
            high[q] = _mm256_add_ps(high[q], _mm256_mul_ps(b, _mm256_loadu_ps(queries[q] + k + 8)));
        }
        low[count] = _mm256_add_ps(low[count], _mm256_mul_ps(a, a));
        high[count] = _mm256_add_ps(high[count], _mm256_mul_ps(b, b));
    }
    if (k < n) {
        size_t first = n - k, second = first > 8 ? first - 8 : 0;
        size_t behind = second ? k + 8 : k; /* nowhere beyond the row, though nothing is read */
        __m256 a = load_some(row + k, first), b = load_some(row + behind, second);
        for (size_t q = 0; q < count; q++) {
            low[q] = _mm256_add_ps(low[q], _mm256_mul_ps(a, load_some(queries[q] + k, first)));
            high[q] =
                _mm256_add_ps(high[q], _mm256_mul_ps(b, load_some(queries[q] + behind, second)));
        }
        low[count] = _mm256_add_ps(low[count], _mm256_mul_ps(a, a));
        high[count] = _mm256_add_ps(high[count], _mm256_mul_ps(b, b));
    }
    for (size_t q = 0; q < count; q++)
        out[q] = fold(low[q], high[q]);
    return fold(low[count], high[count]);
}

AVX2 static float row_dots_avx2(const float *row, const float *const *queries, size_t count,
                                size_t n, float *out)
{
    switch (count) {
    case 0:
        return row_dots(row, queries, 0, n, out);
    case 1:
        return row_dots(row, queries, 1, n, out);
    case 2:
        return row_dots(row, queries, 2, n, out);
    default:
        return row_dots(row, queries, PV_DOT_QUERIES, n, out);
    }
}

pv_row_dots_fn *pv_row_dots_best(void)
{
    return __builtin_cpu_supports("avx2") ? row_dots_avx2 : pv_row_dots_reference;
}

#else
pv_row_dots_fn *pv_row_dots_best(void)
{
    return pv_row_dots_reference;
}
#endif
