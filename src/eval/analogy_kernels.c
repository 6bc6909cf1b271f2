/* Largest scores of analogies. The maximum does not depend on the order of comparisons, so eight
 * lanes give the same result as one. */
#include "eval/analogy.h"

#include "base/platform.h"

enum { LANES = 8 };

static void plain_prepare(const float *a, const float *b, size_t n, float shift, float *sum,
                          float *ratio)
{
    for (size_t i = 0; i < n; i++) {
        sum[i] = b[i] - a[i];
        ratio[i] = (b[i] + shift) / (a[i] + (shift + PV_ANALOGY_EPSILON));
    }
}

static void raise_to(float *most, float value)
{
    *most = value > *most ? value : *most;
}

static void plain_largest(const float *sum, const float *ratio, const float *c, size_t n,
                          float shift, float *add, float *mul)
{
    float adds[LANES], muls[LANES];
    size_t i = 0;
    for (int l = 0; l < LANES; l++) {
        adds[l] = *add;
        muls[l] = *mul;
    }
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) {
            raise_to(&adds[l], pv_analogy_add(sum[i + l], c[i + l]));
            raise_to(&muls[l], pv_analogy_mul(ratio[i + l], c[i + l], shift));
        }
    for (; i < n; i++) {
        raise_to(&adds[0], pv_analogy_add(sum[i], c[i]));
        raise_to(&muls[0], pv_analogy_mul(ratio[i], c[i], shift));
    }
    for (int l = 0; l < LANES; l++) {
        raise_to(add, adds[l]);
        raise_to(mul, muls[l]);
    }
}

const pv_analogy_kernels pv_analogy_plain = {"plain", plain_prepare, plain_largest};

#if PV_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static void avx2_prepare(const float *a, const float *b, size_t n, float shift, float *sum,
                              float *ratio)
{
    const __m256 up = _mm256_set1_ps(shift), epsilon = _mm256_set1_ps(shift + PV_ANALOGY_EPSILON);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256 x = _mm256_loadu_ps(a + i), y = _mm256_loadu_ps(b + i);
        _mm256_storeu_ps(sum + i, _mm256_sub_ps(y, x));
        _mm256_storeu_ps(ratio + i, _mm256_div_ps(_mm256_add_ps(y, up), _mm256_add_ps(x, epsilon)));
    }
    plain_prepare(a + i, b + i, n - i, shift, sum + i, ratio + i);
}

AVX2 static float largest_of(__m256 v)
{
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    half = _mm_max_ss(half, _mm_shuffle_ps(half, half, 1));
    return _mm_cvtss_f32(half);
}

/* Two vectors at a time, as a maximum takes longer than the next load. */
AVX2 static void avx2_largest(const float *sum, const float *ratio, const float *c, size_t n,
                              float shift, float *add, float *mul)
{
    const __m256 up = _mm256_set1_ps(shift);
    __m256 add0 = _mm256_set1_ps(*add), add1 = add0, mul0 = _mm256_set1_ps(*mul), mul1 = mul0;
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256 c0 = _mm256_loadu_ps(c + i), c1 = _mm256_loadu_ps(c + i + 8);
        add0 = _mm256_max_ps(add0, _mm256_add_ps(_mm256_loadu_ps(sum + i), c0));
        add1 = _mm256_max_ps(add1, _mm256_add_ps(_mm256_loadu_ps(sum + i + 8), c1));
        mul0 =
            _mm256_max_ps(mul0, _mm256_mul_ps(_mm256_loadu_ps(ratio + i), _mm256_add_ps(c0, up)));
        mul1 = _mm256_max_ps(mul1,
                             _mm256_mul_ps(_mm256_loadu_ps(ratio + i + 8), _mm256_add_ps(c1, up)));
    }
    raise_to(add, largest_of(_mm256_max_ps(add0, add1)));
    raise_to(mul, largest_of(_mm256_max_ps(mul0, mul1)));
    plain_largest(sum + i, ratio + i, c + i, n - i, shift, add, mul);
}

static const pv_analogy_kernels kernels_avx2 = {"AVX2", avx2_prepare, avx2_largest};

const pv_analogy_kernels *pv_analogy_kernels_best(void)
{
    return __builtin_cpu_supports("avx2") ? &kernels_avx2 : &pv_analogy_plain;
}

#else
const pv_analogy_kernels *pv_analogy_kernels_best(void)
{
    return &pv_analogy_plain;
}
#endif
