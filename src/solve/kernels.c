/* Sparse rows times dense rows.
 *
 * row_product is limited by how fast rows of X arrive: it handles up to 64 columns at a time, keeps
 * their sums in registers, and prefetches rows some entries ahead. In half precision it is 1.6
 * times as fast while X fits the cache, and twice as fast where it does not. row_dots reads
 * complete rows of V, four at a time, so that each element of `a` is loaded once for four products.
 */
#include "solve/kernels.h"

#include "base/half.h"
#include "base/platform.h"

static void plain_row_product(const uint32_t *column, const float *value, size_t count,
                              const float *X, size_t k, float *y)
{
    for (size_t t = 0; t < count; t++) {
        const float *x = X + (size_t)column[t] * k;
        for (size_t c = 0; c < k; c++)
            y[c] += value[t] * x[c];
    }
}

static void plain_row_product_half(const uint32_t *column, const float *value, size_t count,
                                   const uint16_t *X, size_t k, float *y)
{
    for (size_t t = 0; t < count; t++) {
        const uint16_t *x = X + (size_t)column[t] * k;
        for (size_t c = 0; c < k; c++)
            y[c] += value[t] * pv_half_to(x[c]);
    }
}

static void plain_to_half(const float *from, size_t count, float scale, uint16_t *to)
{
    for (size_t k = 0; k < count; k++)
        to[k] = pv_half_from(from[k] * scale);
}

static void plain_row_dots(const uint32_t *column, size_t count, const float *a, const float *V,
                           uint32_t first, size_t stride, size_t dim, float *out)
{
    for (size_t t = 0; t < count; t++) {
        const float *v = V + (size_t)(column[t] - first) * stride;
        float sum[8] = {0};
        for (size_t d = 0; d < dim; d += 8)
            for (size_t e = 0; e < 8; e++)
                sum[e] += a[d + e] * v[d + e];
        out[t] = ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
    }
}

const pv_kernels pv_kernels_plain = {"plain", plain_row_product, plain_row_product_half,
                                     plain_to_half, plain_row_dots};

#if PV_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma,f16c")))

enum { ahead = 12 };

/* Eight elements of a row, in single or in half precision. */
AVX2 static inline __attribute__((always_inline)) __m256 eight(const void *x, int bytes)
{
    return bytes == 4 ? _mm256_loadu_ps(x) : _mm256_cvtph_ps(_mm_loadu_si128(x));
}

/* `lanes` groups of eight columns; unrolled by the compiler, as `lanes` and `bytes` are constants.
 * X: the first of these columns, elements of `bytes` bytes in rows of k. */
AVX2 static inline __attribute__((always_inline)) void
columns_product(const uint32_t *column, const float *value, size_t count, const char *X, size_t k,
                float *y, int lanes, int bytes)
{
    __m256 sum[8];
    size_t row = k * (size_t)bytes;
    for (int l = 0; l < lanes; l++)
        sum[l] = _mm256_loadu_ps(y + 8 * l);
    for (size_t t = 0; t < count; t++) {
        if (t + ahead < count)
            for (int at = 0; at < 8 * bytes * lanes; at += 64)
                _mm_prefetch(X + column[t + ahead] * row + at, _MM_HINT_T0);
        const char *x = X + column[t] * row;
        __m256 factor = _mm256_broadcast_ss(value + t);
        for (int l = 0; l < lanes; l++)
            sum[l] = _mm256_fmadd_ps(factor, eight(x + (size_t)(8 * bytes * l), bytes), sum[l]);
    }
    for (int l = 0; l < lanes; l++)
        _mm256_storeu_ps(y + 8 * l, sum[l]);
}

/* Columns of X beyond a multiple of eight are multiplied one by one. */
AVX2 static inline __attribute__((always_inline)) void all_columns(const uint32_t *column,
                                                                   const float *value, size_t count,
                                                                   const char *X, size_t k,
                                                                   float *y, int bytes)
{
    size_t c = 0;
    for (; c + 64 <= k; c += 64)
        columns_product(column, value, count, X + c * (size_t)bytes, k, y + c, 8, bytes);
    for (; c + 32 <= k; c += 32)
        columns_product(column, value, count, X + c * (size_t)bytes, k, y + c, 4, bytes);
    for (; c + 8 <= k; c += 8)
        columns_product(column, value, count, X + c * (size_t)bytes, k, y + c, 1, bytes);
    for (; c < k; c++) {
        float sum = y[c];
        for (size_t t = 0; t < count; t++) {
            size_t at = column[t] * k + c;
            float x = bytes == 4 ? ((const float *)(const void *)X)[at]
                                 : pv_half_to(((const uint16_t *)(const void *)X)[at]);
            sum = __builtin_fmaf(value[t], x, sum);
        }
        y[c] = sum;
    }
}

AVX2 static void avx2_row_product(const uint32_t *column, const float *value, size_t count,
                                  const float *X, size_t k, float *y)
{
    all_columns(column, value, count, (const char *)X, k, y, 4);
}

AVX2 static void avx2_row_product_half(const uint32_t *column, const float *value, size_t count,
                                       const uint16_t *X, size_t k, float *y)
{
    all_columns(column, value, count, (const char *)X, k, y, 2);
}

AVX2 static void avx2_to_half(const float *from, size_t count, float scale, uint16_t *to)
{
    size_t k = 0;
    for (; k + 8 <= count; k += 8)
        _mm_storeu_si128(
            (__m128i *)(void *)(to + k),
            _mm256_cvtps_ph(_mm256_mul_ps(_mm256_loadu_ps(from + k), _mm256_set1_ps(scale)),
                            _MM_FROUND_TO_NEAREST_INT));
    plain_to_half(from + k, count - k, scale, to + k);
}

AVX2 static inline float sum_of(__m256 v)
{
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    half = _mm_add_ss(half, _mm_shuffle_ps(half, half, 1));
    return _mm_cvtss_f32(half);
}

AVX2 static void avx2_row_dots(const uint32_t *column, size_t count, const float *a, const float *V,
                               uint32_t first, size_t stride, size_t dim, float *out)
{
    size_t t = 0;
    for (; t + 4 <= count; t += 4) {
        const float *v0 = V + (size_t)(column[t] - first) * stride,
                    *v1 = V + (size_t)(column[t + 1] - first) * stride;
        const float *v2 = V + (size_t)(column[t + 2] - first) * stride,
                    *v3 = V + (size_t)(column[t + 3] - first) * stride;
        __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
        if (t + 8 <= count)
            for (size_t e = 0; e < 4; e++) {
                const char *next = (const char *)(V + (size_t)(column[t + 4 + e] - first) * stride);
                _mm_prefetch(next, _MM_HINT_T0);
                _mm_prefetch(next + 64, _MM_HINT_T0);
                _mm_prefetch(next + 128, _MM_HINT_T0);
                _mm_prefetch(next + 192, _MM_HINT_T0);
            }
        for (size_t d = 0; d < dim; d += 8) {
            __m256 x = _mm256_loadu_ps(a + d);
            s0 = _mm256_fmadd_ps(x, _mm256_loadu_ps(v0 + d), s0);
            s1 = _mm256_fmadd_ps(x, _mm256_loadu_ps(v1 + d), s1);
            s2 = _mm256_fmadd_ps(x, _mm256_loadu_ps(v2 + d), s2);
            s3 = _mm256_fmadd_ps(x, _mm256_loadu_ps(v3 + d), s3);
        }
        out[t] = sum_of(s0);
        out[t + 1] = sum_of(s1);
        out[t + 2] = sum_of(s2);
        out[t + 3] = sum_of(s3);
    }
    for (; t < count; t++) {
        const float *v = V + (size_t)(column[t] - first) * stride;
        __m256 s = _mm256_setzero_ps();
        for (size_t d = 0; d < dim; d += 8)
            s = _mm256_fmadd_ps(_mm256_loadu_ps(a + d), _mm256_loadu_ps(v + d), s);
        out[t] = sum_of(s);
    }
}

static const pv_kernels kernels_avx2 = {"AVX2", avx2_row_product, avx2_row_product_half,
                                        avx2_to_half, avx2_row_dots};

const pv_kernels *pv_kernels_best(void)
{
    return pv_avx2_and_f16c() && __builtin_cpu_supports("fma") ? &kernels_avx2 : &pv_kernels_plain;
}

#else
const pv_kernels *pv_kernels_best(void)
{
    return &pv_kernels_plain;
}
#endif
