/* Dot products of one row with up to three vectors and itself, in plain C and AVX2, for every
 * precision.
 *
 * A search is limited by memory bandwidth, so anything else that is needed of a row, such as its
 * length, is computed in the same pass at no cost.
 */
#include "model/dot.h"

#include "model/precision.h"

#include <math.h>
#include <string.h>

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

/* ---- Any precision, in plain C ------------------------------------------------------- */

static inline float plain_dots(psdvec_precision p, const void *row, float scale,
                               const float *const *queries, size_t count, size_t n, float *out)
{
    float sums[PV_DOT_QUERIES + 1][PV_DOT_LANES] = {{0}};
    if (p == PSDVEC_FLOAT32)
        return pv_row_dots_reference(row, queries, count, n, out);
    for (size_t k = 0; k < n; k++) {
        float number = p == PSDVEC_FLOAT16 ? pv_half_to(((const uint16_t *)row)[k])
                                           : (float)((const int8_t *)row)[k] * scale;
        for (size_t q = 0; q < count; q++)
            sums[q][k % PV_DOT_LANES] += number * queries[q][k];
        sums[count][k % PV_DOT_LANES] += number * number;
    }
    for (size_t q = 0; q < count; q++)
        out[q] = pv_dot_fold(sums[q]);
    return pv_dot_fold(sums[count]);
}

/* A function of one precision. */
#define DOTS(attribute, name, dots, ...)                                                           \
    attribute static float name(const void *row, float scale, const float *const *queries,         \
                                size_t count, size_t n, float *out)                                \
    {                                                                                              \
        return dots(__VA_ARGS__, row, scale, queries, count, n, out);                              \
    }
DOTS(, dots_of_floats, plain_dots, PSDVEC_FLOAT32)
DOTS(, dots_of_halves, plain_dots, PSDVEC_FLOAT16)
DOTS(, dots_of_bytes, plain_dots, PSDVEC_INT8)

pv_set_dots_fn *pv_set_dots_reference(psdvec_precision precision)
{
    static pv_set_dots_fn *const dots[] = {[PSDVEC_FLOAT32] = dots_of_floats,
                                           [PSDVEC_FLOAT16] = dots_of_halves,
                                           [PSDVEC_INT8] = dots_of_bytes};
    return dots[precision];
}

/* ---- AVX2 ------------------------------------------------------------------------------ */

#ifdef PV_FAST
#include <immintrin.h>

/* Prefetch distance in elements: without it, there is a stall at the end of a row. */
enum { AHEAD = 512 };

PV_FAST_INLINE size_t size_of(psdvec_precision p)
{
    return p == PSDVEC_FLOAT16 ? 2 : p == PSDVEC_INT8 ? 1 : 4;
}

/* Loads eight elements. */
PV_FAST_INLINE __m256 load(psdvec_precision p, const void *from, __m256 scale)
{
    if (p == PSDVEC_FLOAT16)
        return _mm256_cvtph_ps(_mm_loadu_si128(from));
    if (p == PSDVEC_INT8)
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(from))),
                             scale);
    return _mm256_loadu_ps(from);
}

/* Loads min(n, 8) elements of float32, padded with zeros, which change no sum. */
PV_FAST_INLINE __m256 load_some(const float *from, size_t n)
{
    static const int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    size_t kept = n < 8 ? n : 8;
    return _mm256_maskload_ps(from, _mm256_loadu_si256((const __m256i *)(ones + 8 - kept)));
}

/* Without FMA, which rounds once where the plain version rounds twice. */
PV_FAST_INLINE __m256 add_product(__m256 sum, __m256 a, __m256 b)
{
    return _mm256_add_ps(sum, _mm256_mul_ps(a, b));
}

/* In the order of pv_dot_fold. */
PV_FAST_INLINE float fold(__m256 low, __m256 high)
{
    __m256 eight = _mm256_add_ps(low, high);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

/* `p`, `count` and `own` are compile-time constants, so that the sums stay in registers. With
 * `own`, the last sum is the product of the row with itself. */
PV_FAST_INLINE float row_dots(psdvec_precision p, bool own, const void *row, float row_scale,
                              const float *const *queries, size_t count, size_t n, float *out)
{
    __m256 low[PV_DOT_QUERIES + 1], high[PV_DOT_QUERIES + 1];
    __m256 scale = _mm256_set1_ps(row_scale);
    const char *bytes = row;
    for (size_t q = 0; q <= count; q++)
        low[q] = high[q] = _mm256_setzero_ps();
    size_t k = 0;
    for (; k + PV_DOT_LANES <= n; k += PV_DOT_LANES) {
        _mm_prefetch(bytes + (k + AHEAD) * size_of(p), _MM_HINT_T0);
        __m256 a = load(p, bytes + k * size_of(p), scale);
        __m256 b = load(p, bytes + (k + 8) * size_of(p), scale);
        for (size_t q = 0; q < count; q++) {
            low[q] = add_product(low[q], a, _mm256_loadu_ps(queries[q] + k));
            high[q] = add_product(high[q], b, _mm256_loadu_ps(queries[q] + k + 8));
        }
        if (own) {
            low[count] = add_product(low[count], a, a);
            high[count] = add_product(high[count], b, b);
        }
    }
    if (k < n) {
        size_t first = n - k, second = first > 8 ? first - 8 : 0;
        size_t behind = second ? k + 8 : k; /* stay within the row, although nothing is read */
        __m256 a, b;
        if (p == PSDVEC_FLOAT32) {
            a = load_some((const float *)row + k, first);
            b = load_some((const float *)row + behind, second);
        } else {
            char rest[PV_DOT_LANES * 2] = {0};
            memcpy(rest, bytes + k * size_of(p), first * size_of(p));
            a = load(p, rest, scale);
            b = load(p, rest + 8 * size_of(p), scale);
        }
        for (size_t q = 0; q < count; q++) {
            low[q] = add_product(low[q], a, load_some(queries[q] + k, first));
            high[q] = add_product(high[q], b, load_some(queries[q] + behind, second));
        }
        if (own) {
            low[count] = add_product(low[count], a, a);
            high[count] = add_product(high[count], b, b);
        }
    }
    for (size_t q = 0; q < count; q++)
        out[q] = fold(low[q], high[q]);
    return own ? fold(low[count], high[count]) : 0;
}

PV_FAST_INLINE float any_dots(psdvec_precision p, bool own, const void *row, float scale,
                              const float *const *queries, size_t count, size_t n, float *out)
{
    switch (count) {
    case 0:
        return row_dots(p, own, row, scale, queries, 0, n, out);
    case 1:
        return row_dots(p, own, row, scale, queries, 1, n, out);
    case 2:
        return row_dots(p, own, row, scale, queries, 2, n, out);
    default:
        return row_dots(p, own, row, scale, queries, PV_DOT_QUERIES, n, out);
    }
}

DOTS(PV_FAST, fast_dots_of_floats, any_dots, PSDVEC_FLOAT32, true)
DOTS(PV_FAST, fast_dots_of_halves, any_dots, PSDVEC_FLOAT16, true)
DOTS(PV_FAST, fast_dots_of_bytes, any_dots, PSDVEC_INT8, true)
DOTS(PV_FAST, fast_products_of_floats, any_dots, PSDVEC_FLOAT32, false)
DOTS(PV_FAST, fast_products_of_halves, any_dots, PSDVEC_FLOAT16, false)
DOTS(PV_FAST, fast_products_of_bytes, any_dots, PSDVEC_INT8, false)

PV_FAST static float fast_row_dots(const float *row, const float *const *queries, size_t count,
                                   size_t n, float *out)
{
    return any_dots(PSDVEC_FLOAT32, true, row, 1, queries, count, n, out);
}
#endif

pv_row_dots_fn *pv_row_dots_best(void)
{
#ifdef PV_FAST
    if (pv_avx2_and_f16c())
        return fast_row_dots;
#endif
    return pv_row_dots_reference;
}

pv_set_dots_fn *pv_set_dots_best(psdvec_precision precision, bool products)
{
#ifdef PV_FAST
    static pv_set_dots_fn *const dots[][2] = {
        [PSDVEC_FLOAT32] = {fast_dots_of_floats, fast_products_of_floats},
        [PSDVEC_FLOAT16] = {fast_dots_of_halves, fast_products_of_halves},
        [PSDVEC_INT8] = {fast_dots_of_bytes, fast_products_of_bytes}};
    if (pv_avx2_and_f16c())
        return dots[precision][products];
#endif
    (void)products;
    return pv_set_dots_reference(precision);
}
