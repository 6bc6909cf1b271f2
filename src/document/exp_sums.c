/* Two implementations with identical results: plain C, and AVX2 without FMA, which would round once
 * where plain C rounds twice. */
#include "document/partition_function.h"

#include "base/platform.h"
#include "document/exponential.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Adds word by word to the partial sum of its lane. */
typedef struct partial_sums {
    float sum[PV_EXP_LANES], scored[PV_EXP_LANES], squared[PV_EXP_LANES];
} partial_sums;

static void sum_some(const float *s, const float *log_p, float temperature, float largest, size_t n,
                     partial_sums *to)
{
    for (size_t k = 0; k < n; k++) {
        float e = pv_exponential(s[k] * temperature + log_p[k] - largest), es = e * s[k];
        to->sum[k % PV_EXP_LANES] += e;
        to->scored[k % PV_EXP_LANES] += es;
        to->squared[k % PV_EXP_LANES] += es * s[k];
    }
}

static float largest_of(const float *s, const float *log_p, float temperature, size_t n,
                        float largest)
{
    for (size_t k = 0; k < n; k++) {
        float z = s[k] * temperature + log_p[k];
        largest = z > largest ? z : largest;
    }
    return largest;
}

static void add_up(const partial_sums *sums, pv_exp_sums *out)
{
    for (int k = 0; k < PV_EXP_LANES; k++) {
        out->sum += (double)sums->sum[k];
        out->scored += (double)sums->scored[k];
        out->squared += (double)sums->squared[k];
    }
}

void pv_exp_sums_reference(float *s, const float *log_p, const float *shift, float slope,
                           float temperature, size_t n, pv_exp_sums *out)
{
    partial_sums sums = {0};
    for (size_t k = 0; shift && k < n; k++)
        s[k] += slope * shift[k];
    *out = (pv_exp_sums){.largest = largest_of(s, log_p, temperature, n, -INFINITY)};
    if (!(out->largest > -INFINITY))
        return;
    sum_some(s, log_p, temperature, out->largest, n, &sums);
    add_up(&sums, out);
}

#if PV_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

AVX2_INLINE __m256 times_plus(__m256 a, __m256 b, __m256 c)
{
    return _mm256_add_ps(_mm256_mul_ps(a, b), c);
}

AVX2_INLINE __m256 exponential8(__m256 x)
{
    const __m256 rounder = _mm256_set1_ps(PV_EXP_ROUNDER);
    __m256 k = times_plus(x, _mm256_set1_ps(PV_EXP_LOG2E), rounder), r, p;
    __m256i bits = _mm256_castps_si256(k);
    k = _mm256_sub_ps(k, rounder);
    r = _mm256_sub_ps(x, _mm256_mul_ps(k, _mm256_set1_ps(PV_EXP_LOG2_FIRST)));
    r = _mm256_sub_ps(r, _mm256_mul_ps(k, _mm256_set1_ps(PV_EXP_LOG2_REST)));
    p = times_plus(_mm256_set1_ps(pv_exp_series[0]), r, _mm256_set1_ps(pv_exp_series[1]));
    for (int term = 2; term < 5; term++)
        p = times_plus(p, r, _mm256_set1_ps(pv_exp_series[term]));
    p = _mm256_mul_ps(p, r);
    p = times_plus(p, r, r);
    p = _mm256_add_ps(p, _mm256_set1_ps(1.0f));
    bits = _mm256_slli_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(127)), 23);
    __m256 fits = _mm256_cmp_ps(x, _mm256_set1_ps(PV_EXP_LEAST), _CMP_GT_OQ);
    return _mm256_mul_ps(p, _mm256_and_ps(_mm256_castsi256_ps(bits), fits));
}

AVX2_INLINE float largest8(const float *s, const float *log_p, __m256 t, size_t n)
{
    __m256 most = _mm256_set1_ps(-INFINITY), also = most;
    for (size_t k = 0; k < n; k += 16) {
        most =
            _mm256_max_ps(most, times_plus(_mm256_loadu_ps(s + k), t, _mm256_loadu_ps(log_p + k)));
        also = _mm256_max_ps(
            also, times_plus(_mm256_loadu_ps(s + k + 8), t, _mm256_loadu_ps(log_p + k + 8)));
    }
    float lanes[8], largest = -INFINITY;
    _mm256_storeu_ps(lanes, _mm256_max_ps(most, also));
    for (int k = 0; k < 8; k++)
        largest = lanes[k] > largest ? lanes[k] : largest;
    return largest;
}

AVX2_INLINE void sum8(const float *s, const float *log_p, __m256 t, __m256 largest, size_t n,
                      partial_sums *to)
{
    __m256 sum[2], scored[2], squared[2];
    sum[0] = sum[1] = scored[0] = scored[1] = squared[0] = squared[1] = _mm256_setzero_ps();
    for (size_t k = 0; k < n; k += 16)
        for (int half = 0; half < 2; half++) {
            __m256 score = _mm256_loadu_ps(s + k + 8 * half);
            __m256 z = times_plus(score, t, _mm256_loadu_ps(log_p + k + 8 * half));
            __m256 e = exponential8(_mm256_sub_ps(z, largest)), es = _mm256_mul_ps(e, score);
            sum[half] = _mm256_add_ps(sum[half], e);
            scored[half] = _mm256_add_ps(scored[half], es);
            squared[half] = _mm256_add_ps(squared[half], _mm256_mul_ps(es, score));
        }
    for (int half = 0; half < 2; half++) {
        _mm256_storeu_ps(to->sum + 8 * half, sum[half]);
        _mm256_storeu_ps(to->scored + 8 * half, scored[half]);
        _mm256_storeu_ps(to->squared + 8 * half, squared[half]);
    }
}

AVX2 static void exp_sums_avx2(float *s, const float *log_p, const float *shift, float slope,
                               float temperature, size_t n, pv_exp_sums *out)
{
    partial_sums sums;
    __m256 t = _mm256_set1_ps(temperature), by = _mm256_set1_ps(slope);
    size_t whole = n / PV_EXP_LANES * PV_EXP_LANES, k = 0;
    for (; shift && k < whole; k += 8)
        _mm256_storeu_ps(s + k, times_plus(by, _mm256_loadu_ps(shift + k), _mm256_loadu_ps(s + k)));
    for (; shift && k < n; k++)
        s[k] += slope * shift[k];
    float largest = largest8(s, log_p, t, whole);
    largest = largest_of(s + whole, log_p + whole, temperature, n - whole, largest);
    *out = (pv_exp_sums){.largest = largest};
    if (!(largest > -INFINITY))
        return;
    sum8(s, log_p, t, _mm256_set1_ps(largest), whole, &sums);
    sum_some(s + whole, log_p + whole, temperature, largest, n - whole, &sums);
    add_up(&sums, out);
}

#endif

pv_exp_sums_fn *pv_exp_sums_best(void)
{
#if PV_AVX2
    if (__builtin_cpu_supports("avx2"))
        return exp_sums_avx2;
#endif
    return pv_exp_sums_reference;
}

void pv_exp_sums_add(pv_exp_sums *sums, const pv_exp_sums *more)
{
    if (!(more->largest > -INFINITY))
        return;
    float largest = fmaxf(sums->largest, more->largest);
    double mine = sums->largest > -INFINITY ? exp((double)sums->largest - (double)largest) : 0;
    double theirs = exp((double)more->largest - (double)largest);
    sums->sum = sums->sum * mine + more->sum * theirs;
    sums->scored = sums->scored * mine + more->scored * theirs;
    sums->squared = sums->squared * mine + more->squared * theirs;
    sums->largest = largest;
}
