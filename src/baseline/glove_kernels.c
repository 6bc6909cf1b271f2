/* Steps on cells.
 *
 * With 300 dimensions a step is about 3,500 flops on four streams of 1.2 KB, each read and written.
 * The row of the word stays in the L1 cache while its cells are processed; the row of the context
 * comes from farther away, so that of the next cell is prefetched, one cache line per iteration of
 * the loop, while this one is processed. The remaining limit is square roots and divisions: 9 of
 * the 22 cycles per 8 elements.
 *
 * FMA is not used: it would round once where the portable version rounds twice, and would gain
 * nothing here.
 */
#include "baseline/glove.h"

#include "base/platform.h"

#include <math.h>

enum { LANES = 32, LINE = 16 /* floats per cache line */ };

pv_glove_shape pv_glove_shape_of(size_t dim, double rate)
{
    size_t padded = (dim + 7) / 8 * 8;
    return (pv_glove_shape){padded, (padded / 8 + 1) * LINE, (float)rate};
}

/* The biases: their gradient is the weighted residual. As in the authors' program, neither the
 * learning rate nor the clipping applies to them. */
static inline void step_bias(float *bias, float gradient)
{
    bias[0] -= gradient / sqrtf(1 + bias[1]);
    bias[1] += gradient * gradient;
}

/* Adds in the same order as the sum of eight lanes below. */
static float fold(float *sum)
{
    for (size_t width = LANES / 2; width > 0; width /= 2)
        for (size_t k = 0; k < width; k++)
            sum[k] += sum[k + width];
    return sum[0];
}

static inline float clip(float gradient)
{
    float above = gradient > -PV_GLOVE_CLIP ? gradient : -PV_GLOVE_CLIP;
    return above < PV_GLOVE_CLIP ? above : PV_GLOVE_CLIP;
}

double pv_glove_steps_plain(const pv_glove_shape *shape, float *word, float *contexts,
                            const pv_glove_cell *cells, size_t count, const float *next)
{
    size_t padded = shape->padded;
    float rate = shape->rate;
    double cost = 0;
    (void)next;
    for (size_t t = 0; t < count; t++) {
        float *context = contexts + cells[t].context * shape->stride;
        float sum[LANES] = {0};
        for (size_t k = 0; k < padded; k++)
            sum[k % LANES] += word[k] * context[k];
        float residual = fold(sum) + (word[2 * padded] + context[2 * padded]) - cells[t].target;
        float pull = cells[t].weight * residual;
        cost += 0.5 * (double)pull * (double)residual;
        for (size_t k = 0; k < padded; k++) {
            float w = word[k], c = context[k];
            float of_word = clip(pull * c) * rate, of_context = clip(pull * w) * rate;
            word[k] = w - of_word / sqrtf(1 + word[padded + k]);
            context[k] = c - of_context / sqrtf(1 + context[padded + k]);
            word[padded + k] += of_word * of_word;
            context[padded + k] += of_context * of_context;
        }
        step_bias(word + 2 * padded, pull);
        step_bias(context + 2 * padded, pull);
    }
    return cost;
}

#if PV_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

AVX2_INLINE float sum_of(__m256 v)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

AVX2_INLINE __m256 product_at(const float *a, const float *b, __m256 sum)
{
    return _mm256_add_ps(sum, _mm256_mul_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b)));
}

AVX2_INLINE float dot(const float *a, const float *b, size_t padded)
{
    __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    size_t k = 0;
    for (; k + LANES <= padded; k += LANES) {
        s0 = product_at(a + k, b + k, s0);
        s1 = product_at(a + k + 8, b + k + 8, s1);
        s2 = product_at(a + k + 16, b + k + 16, s2);
        s3 = product_at(a + k + 24, b + k + 24, s3);
    }
    if (k < padded)
        s0 = product_at(a + k, b + k, s0);
    if (k + 8 < padded)
        s1 = product_at(a + k + 8, b + k + 8, s1);
    if (k + 16 < padded)
        s2 = product_at(a + k + 16, b + k + 16, s2);
    return sum_of(_mm256_add_ps(_mm256_add_ps(s0, s2), _mm256_add_ps(s1, s3)));
}

/* Moves `value` against its gradient, pull * other. */
AVX2_INLINE void step_eight(float *value, float *square, __m256 at, __m256 other, __m256 pull,
                            __m256 rate)
{
    __m256 most = _mm256_set1_ps(PV_GLOVE_CLIP), least = _mm256_set1_ps(-PV_GLOVE_CLIP);
    __m256 gradient = _mm256_mul_ps(pull, other), squares = _mm256_loadu_ps(square);
    gradient = _mm256_min_ps(_mm256_max_ps(gradient, least), most);
    __m256 step = _mm256_mul_ps(gradient, rate);
    __m256 root = _mm256_sqrt_ps(_mm256_add_ps(_mm256_set1_ps(1), squares));
    _mm256_storeu_ps(value, _mm256_sub_ps(at, _mm256_div_ps(step, root)));
    _mm256_storeu_ps(square, _mm256_add_ps(squares, _mm256_mul_ps(step, step)));
}

AVX2_INLINE void prefetch_row(const float *row, size_t lines)
{
    for (size_t l = 0; l < lines; l++)
        _mm_prefetch((const char *)(row + l * LINE), _MM_HINT_T0);
}

AVX2 static double steps_avx2(const pv_glove_shape *shape, float *word, float *contexts,
                              const pv_glove_cell *cells, size_t count, const float *next)
{
    size_t padded = shape->padded, stride = shape->stride;
    __m256 rate = _mm256_set1_ps(shape->rate);
    double cost = 0;
    prefetch_row(next, stride / LINE);
    for (size_t t = 0; t < count; t++) {
        float *context = contexts + cells[t].context * stride;
        const float *coming = contexts + cells[t + 1].context * stride;
        float bias = word[2 * padded] + context[2 * padded];
        float residual = dot(word, context, padded) + bias - cells[t].target;
        float pull = cells[t].weight * residual;
        cost += 0.5 * (double)pull * (double)residual;
        __m256 pulls = _mm256_set1_ps(pull);
        _mm_prefetch((const char *)(coming + 2 * padded), _MM_HINT_T0);
        for (size_t k = 0; k < padded; k += 8) {
            _mm_prefetch((const char *)(coming + 2 * k), _MM_HINT_T0);
            __m256 w = _mm256_loadu_ps(word + k), c = _mm256_loadu_ps(context + k);
            step_eight(word + k, word + padded + k, w, c, pulls, rate);
            step_eight(context + k, context + padded + k, c, w, pulls, rate);
        }
        step_bias(word + 2 * padded, pull);
        step_bias(context + 2 * padded, pull);
    }
    return cost;
}

#endif

pv_glove_steps_fn *pv_glove_steps_best(void)
{
#if PV_AVX2
    if (__builtin_cpu_supports("avx2"))
        return steps_avx2;
#endif
    return pv_glove_steps_plain;
}
