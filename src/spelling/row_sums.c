/* Sums of rows, with the sums in registers: 32 columns of floats, or 64 of bytes, at a time. */
#include "spelling/parts.h"

#include "base/platform.h"

/* Eight unaligned floats. */
typedef float float8 __attribute__((vector_size(32), aligned(4), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* Each sum is a separate variable: an array of them would be kept in memory. */
INLINE void sum_floats(const uint32_t *list, size_t count, const float *X, float *out)
{
    float8 a = {0}, b = {0}, c = {0}, d = {0};
    _Static_assert(4 * sizeof a == PV_ROW_BLOCK * sizeof(float), "a block is four sums");
    for (size_t t = 0; t < count; t++) {
        /* Lists are contiguous: the entries after this one are needed next. */
        const float *row = X + (size_t)list[t] * PV_ROW_BLOCK;
        const float *next = X + (size_t)list[t + PV_LIST_PAD] * PV_ROW_BLOCK;
        __builtin_prefetch(next);
        __builtin_prefetch(next + PV_ROW_BLOCK / 2);
        a += *(const float8 *)row;
        b += *(const float8 *)(row + 8);
        c += *(const float8 *)(row + 16);
        d += *(const float8 *)(row + 24);
    }
    *(float8 *)out = a;
    *(float8 *)(out + 8) = b;
    *(float8 *)(out + 16) = c;
    *(float8 *)(out + 24) = d;
}

/* The columns from `first` on: four at a time, and those left over. */
INLINE void sum_bytes(const uint32_t *list, size_t count, const int8_t *rows, const float *scale,
                      size_t dim, size_t first, float *out)
{
    size_t d = first;
    for (; d + 4 <= dim; d += 4) {
        float a = 0, b = 0, c = 0, e = 0;
        for (size_t t = 0; t < count; t++) {
            const int8_t *row = rows + (size_t)list[t] * dim + d;
            float s = scale[list[t]];
            a += s * (float)row[0];
            b += s * (float)row[1];
            c += s * (float)row[2];
            e += s * (float)row[3];
        }
        out[d] = a;
        out[d + 1] = b;
        out[d + 2] = c;
        out[d + 3] = e;
    }
    for (; d < dim; d++) {
        float sum = 0;
        for (size_t t = 0; t < count; t++)
            sum += scale[list[t]] * (float)rows[(size_t)list[t] * dim + d];
        out[d] = sum;
    }
}

static void plain_floats(const uint32_t *list, size_t count, const float *X, float *out)
{
    sum_floats(list, count, X, out);
}

static void plain_bytes(const uint32_t *list, size_t count, const int8_t *rows, const float *scale,
                        size_t dim, float *out)
{
    sum_bytes(list, count, rows, scale, dim, 0, out);
}

const pv_row_sums pv_row_sums_plain = {"plain", plain_floats, plain_bytes};

#if PV_AVX2
#include <immintrin.h>

/* Without FMA, which rounds once where the portable version rounds twice. */
#define AVX2 __attribute__((target("avx2")))

AVX2 static void avx2_floats(const uint32_t *list, size_t count, const float *X, float *out)
{
    sum_floats(list, count, X, out);
}

/* scale times eight bytes, added to the sums. */
AVX2 INLINE __m256 add_bytes(__m256 sum, const int8_t *row, __m256 scale)
{
    __m256i numbers = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)row));
    return _mm256_add_ps(sum, _mm256_mul_ps(scale, _mm256_cvtepi32_ps(numbers)));
}

/* `lanes` groups of eight columns; unrolled by the compiler, as `lanes` is a constant. */
AVX2 INLINE void sum_lanes(const uint32_t *list, size_t count, const int8_t *rows,
                           const float *scale, size_t dim, float *out, int lanes)
{
    __m256 sum[8];
    for (int l = 0; l < lanes; l++)
        sum[l] = _mm256_setzero_ps();
    for (size_t t = 0; t < count; t++) {
        const int8_t *row = rows + (size_t)list[t] * dim;
        __m256 factor = _mm256_broadcast_ss(scale + list[t]);
        _mm_prefetch((const char *)row + 8 * lanes, _MM_HINT_T0);
        for (int l = 0; l < lanes; l++)
            sum[l] = add_bytes(sum[l], row + 8 * l, factor);
    }
    for (int l = 0; l < lanes; l++)
        _mm256_storeu_ps(out + 8 * l, sum[l]);
}

AVX2 static void avx2_bytes(const uint32_t *list, size_t count, const int8_t *rows,
                            const float *scale, size_t dim, float *out)
{
    size_t d = 0;
    for (; d + 64 <= dim; d += 64)
        sum_lanes(list, count, rows + d, scale, dim, out + d, 8);
    for (; d + 8 <= dim; d += 8)
        sum_lanes(list, count, rows + d, scale, dim, out + d, 1);
    sum_bytes(list, count, rows, scale, dim, d, out);
}

const pv_row_sums *pv_row_sums_best(void)
{
    static const pv_row_sums avx2 = {"avx2", avx2_floats, avx2_bytes};
    return __builtin_cpu_supports("avx2") ? &avx2 : &pv_row_sums_plain;
}

#else
const pv_row_sums *pv_row_sums_best(void)
{
    return &pv_row_sums_plain;
}
#endif
