/* Tiles of 12 rows by 32 columns with AVX-512, 6 or 4 rows by 16 columns with AVX2.
 *
 * The sums of a tile stay in registers. Both operands of a product are the same matrix, read in
 * place: a term of a column is broadcast to all lanes and multiplied with that of 16 or 8 other
 * columns. The Cholesky factor is computed row block by row block: what the rows above contribute
 * is a product of that kind, and what the rows of the block contribute to each other is subtracted
 * while they are still in registers. For every element the operations are in the order of the rows,
 * regardless of the size of the blocks, so both sets of kernels give the same bits.
 */
#include "solve/regression_kernels.h"

#include "base/platform.h"

#include <math.h>
#include <string.h>

enum { most_rows = 12, most_columns = 32, group = 4 };

/* ---- Plain C ------------------------------------------------------------------------------ */
/* The quantisation step for numbers of at most this magnitude; for zeros the value does not
 * matter. */
static float step_of(float largest, float levels)
{
    return largest > 0 ? largest / levels : 1;
}

static void plain_scale_rows(const float *const *v, const float *root, size_t rows,
                             const float *scale, size_t stride, float *A, float *square,
                             float *largest)
{
    for (size_t t = 0; t < rows; t++)
        for (size_t k = 0; k < stride; k++) {
            float a = A[t * stride + k] = root[t] * v[t][k] * scale[k];
            square[k] += a * a;
            largest[k] = fmaxf(largest[k], fabsf(a));
        }
}

static void plain_pack_columns(const float *A, size_t rows, size_t stride, const float *largest,
                               float levels, int8_t *packed, float *step, int32_t *sums)
{
    memset(packed, 0, (rows + group - 1) / group * group * stride);
    for (size_t k = 0; k < stride; k++) {
        step[k] = step_of(largest[k], levels);
        sums[k] = 0;
        for (size_t t = 0; t < rows; t++) {
            int value = (int)rintf(A[t * stride + k] * (1 / step[k]));
            packed[(t / group * stride + k) * group + t % group] = (int8_t)value;
            sums[k] += value;
        }
    }
}

static void plain_pack_rows(const float *A, size_t rows, size_t stride, float levels,
                            int8_t *packed, float *step, int32_t *sums, float *square)
{
    size_t wide = pv_regression_stride(rows);
    memset(packed, 0, wide * stride);
    for (size_t t = 0; t < wide; t++) {
        const float *a = A + t * stride;
        float largest = 0, sum = 0;
        for (size_t k = 0; k < stride && t < rows; k++) {
            largest = fmaxf(largest, fabsf(a[k]));
            sum += a[k] * a[k];
        }
        step[t] = step_of(largest, levels);
        sums[t] = 0;
        if (t < rows)
            square[t] = sum;
        for (size_t k = 0; k < stride && t < rows; k++) {
            int value = (int)rintf(a[k] * (1 / step[t]));
            packed[(k / group * wide + t) * group + k % group] = (int8_t)value;
            sums[t] += value;
        }
    }
}

static void plain_gram(const int8_t *packed, const int32_t *sums, size_t groups, size_t n,
                       const float *step, float *K)
{
    size_t stride = pv_regression_stride(n);
    (void)sums;
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < stride; l++) {
            int32_t sum = 0;
            for (size_t g = 0; g < groups; g++)
                for (size_t t = 0; t < group; t++)
                    sum += packed[(g * stride + k) * group + t] *
                           packed[(g * stride + l) * group + t];
            K[k * stride + l] = l < n ? step[k] * step[l] * (float)sum : 0;
        }
}

static bool plain_cholesky(float *K, size_t n, size_t stride)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t t = 0; t < k; t++)
            for (size_t l = k; l < n; l++)
                K[k * stride + l] -= K[t * stride + k] * K[t * stride + l];
        if (!(K[k * stride + k] > 0))
            return false;
        float inverse = 1 / sqrtf(K[k * stride + k]);
        for (size_t l = k; l < n; l++)
            K[k * stride + l] *= inverse;
    }
    return true;
}

const pv_regression_kernels pv_regression_kernels_plain = {
    "plain",         127,        plain_scale_rows, plain_pack_columns,
    plain_pack_rows, plain_gram, plain_cholesky};

#if PV_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx2,fma,avx512f,avx512bw,avx512vnni")))
#define INLINE2 AVX2 static inline __attribute__((always_inline))
#define INLINE512 AVX512 static inline __attribute__((always_inline))

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The factor of the diagonal block of a tile (rows of most_columns elements), whose first column is
 * `first`: U above the diagonal, and the reciprocals of its diagonal. */
typedef struct diagonal {
    float U[most_rows][most_rows];
    float inverse[most_rows];
} diagonal;

AVX2 static bool factor_diagonal(const float *tile, size_t first, size_t rows, diagonal *d)
{
    for (size_t r = 0; r < rows; r++) {
        const float *row = tile + most_columns * r + first;
        float sums[most_rows];
        for (size_t c = r; c < rows; c++) {
            sums[c] = row[c];
            for (size_t t = 0; t < r; t++)
                sums[c] = __builtin_fmaf(-d->U[t][r], d->U[t][c], sums[c]);
        }
        if (!(sums[r] > 0))
            return false;
        d->inverse[r] = 1 / sqrtf(sums[r]);
        for (size_t c = r; c < rows; c++)
            d->U[r][c] = sums[c] * d->inverse[r];
    }
    return true;
}

static void copy_tile(const float *K, size_t stride, size_t rows, size_t columns, float *tile)
{
    for (size_t r = 0; r < rows; r++)
        memcpy(tile + most_columns * r, K + r * stride, columns * sizeof *tile);
}

static void store_tile(const float *tile, size_t rows, size_t columns, float *K, size_t stride)
{
    for (size_t r = 0; r < rows; r++)
        memcpy(K + r * stride, tile + most_columns * r, columns * sizeof *tile);
}

/* Scales the tile of K with `rows` rows from k on and `columns` columns from l on. `offset` was
 * added to the elements of the columns. */
AVX2 static void scale_tile(const int32_t *tile, size_t rows, size_t columns, int offset,
                            const int32_t *sums, const float *step, size_t k, size_t l, size_t n,
                            float *K)
{
    size_t stride = pv_regression_stride(n);
    for (size_t r = 0; r < rows && k + r < n; r++)
        for (size_t c = 0; c < columns; c += 8) {
            __m256i sum = _mm256_loadu_si256((const __m256i *)(tile + r * columns + c));
            sum = _mm256_sub_epi32(sum, _mm256_set1_epi32(offset * sums[k + r]));
            __m256 scale =
                _mm256_mul_ps(_mm256_set1_ps(step[k + r]), _mm256_loadu_ps(step + l + c));
            _mm256_storeu_ps(K + (k + r) * stride + l + c,
                             _mm256_mul_ps(scale, _mm256_cvtepi32_ps(sum)));
        }
}

/* ---- AVX2 ----------------------------------------------------------------------------------- */
INLINE2 __m256 magnitude(__m256 x)
{
    return _mm256_and_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MAX)));
}

INLINE2 void scale_some(const float *const *v, const float *root, int rows, const float *scale,
                        size_t stride, float *A, float *square, float *largest)
{
    for (size_t k = 0; k < stride; k += 8) {
        __m256 factor = _mm256_loadu_ps(scale + k), sum = _mm256_loadu_ps(square + k);
        __m256 most = _mm256_loadu_ps(largest + k);
        for (int t = 0; t < rows; t++) {
            __m256 x = _mm256_mul_ps(_mm256_set1_ps(root[t]), _mm256_loadu_ps(v[t] + k));
            x = _mm256_mul_ps(x, factor);
            _mm256_storeu_ps(A + (size_t)t * stride + k, x);
            sum = _mm256_fmadd_ps(x, x, sum);
            most = _mm256_max_ps(most, magnitude(x));
        }
        _mm256_storeu_ps(square + k, sum);
        _mm256_storeu_ps(largest + k, most);
    }
}

AVX2 static void avx2_scale_rows(const float *const *v, const float *root, size_t rows,
                                 const float *scale, size_t stride, float *A, float *square,
                                 float *largest)
{
    if (rows == group)
        scale_some(v, root, group, scale, stride, A, square, largest);
    else
        for (size_t t = 0; t < rows; t++)
            scale_some(v + t, root + t, 1, scale, stride, A + t * stride, square, largest);
}

INLINE2 void pack_some(const float *A, int rows, size_t stride, const float *inverse,
                       int8_t *packed, int32_t *sums)
{
    const __m256i byte = _mm256_set1_epi32(255);
    for (size_t k = 0; k < stride; k += 8) {
        __m256 factor = _mm256_loadu_ps(inverse + k);
        __m256i sum = _mm256_loadu_si256((const __m256i *)(sums + k));
        __m256i four = _mm256_setzero_si256();
        for (int t = 0; t < rows; t++) {
            __m256 x = _mm256_mul_ps(_mm256_loadu_ps(A + (size_t)t * stride + k), factor);
            __m256i value = _mm256_cvtps_epi32(x);
            sum = _mm256_add_epi32(sum, value);
            value = _mm256_and_si256(value, byte);
            four = _mm256_or_si256(four, _mm256_slli_epi32(value, 8 * t));
        }
        _mm256_storeu_si256((__m256i *)(sums + k), sum);
        _mm256_storeu_si256((__m256i *)(packed + group * k), four);
    }
}

/* `step` holds the reciprocals temporarily. */
AVX2 static void avx2_pack_columns(const float *A, size_t rows, size_t stride, const float *largest,
                                   float levels, int8_t *packed, float *step, int32_t *sums)
{
    for (size_t k = 0; k < stride; k++) {
        step[k] = 1 / step_of(largest[k], levels);
        sums[k] = 0;
    }
    for (size_t t = 0; t < rows; t += group, packed += group * stride)
        switch (smaller(group, rows - t)) {
        case 4:
            pack_some(A + t * stride, 4, stride, step, packed, sums);
            break;
        case 3:
            pack_some(A + t * stride, 3, stride, step, packed, sums);
            break;
        case 2:
            pack_some(A + t * stride, 2, stride, step, packed, sums);
            break;
        default:
            pack_some(A + t * stride, 1, stride, step, packed, sums);
        }
    for (size_t k = 0; k < stride; k++)
        step[k] = step_of(largest[k], levels);
}

INLINE2 float sum_lanes(__m256 x)
{
    float lanes[8], sum = 0;
    _mm256_storeu_ps(lanes, x);
    for (int l = 0; l < 8; l++)
        sum += lanes[l];
    return sum;
}

INLINE2 float largest_lane(__m256 x)
{
    float lanes[8], most = 0;
    _mm256_storeu_ps(lanes, x);
    for (int l = 0; l < 8; l++)
        most = lanes[l] > most ? lanes[l] : most;
    return most;
}

AVX2 static void avx2_pack_rows(const float *A, size_t rows, size_t stride, float levels,
                                int8_t *packed, float *step, int32_t *sums, float *square)
{
    size_t wide = pv_regression_stride(rows);
    for (size_t t = 0; t < rows; t++) {
        const float *a = A + t * stride;
        __m256 most = _mm256_setzero_ps(), sum = _mm256_setzero_ps();
        for (size_t k = 0; k < stride; k += 8) {
            __m256 x = _mm256_loadu_ps(a + k);
            sum = _mm256_fmadd_ps(x, x, sum);
            most = _mm256_max_ps(most, magnitude(x));
        }
        square[t] = sum_lanes(sum);
        step[t] = step_of(largest_lane(most), levels);
        __m256 factor = _mm256_set1_ps(1 / step[t]);
        __m256i total = _mm256_setzero_si256();
        for (size_t k = 0; k < stride; k += 16) {
            __m256i x = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(a + k), factor));
            __m256i y = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(a + k + 8), factor));
            total = _mm256_add_epi32(total, _mm256_add_epi32(x, y));
            __m256i words = _mm256_packs_epi32(x, y); /* x0-3 y0-3 x4-7 y4-7 */
            __m256i bytes = _mm256_packs_epi16(words, words);
            int32_t lanes[8];
            _mm256_storeu_si256((__m256i *)lanes, bytes);
            int8_t *to = packed + (k / group * wide + t) * group;
            memcpy(to, &lanes[0], group);
            memcpy(to + group * wide, &lanes[4], group);
            memcpy(to + 2 * group * wide, &lanes[1], group);
            memcpy(to + 3 * group * wide, &lanes[5], group);
        }
        int32_t lanes[8];
        _mm256_storeu_si256((__m256i *)lanes, total);
        sums[t] = 0;
        for (int l = 0; l < 8; l++)
            sums[t] += lanes[l];
    }
    for (size_t t = rows; t < wide; t++) {
        step[t] = 1;
        sums[t] = 0;
    }
    for (size_t g = 0; g < stride / group; g++)
        memset(packed + (g * wide + rows) * group, 0, (wide - rows) * group);
}

static inline int32_t four_terms(const int8_t *terms)
{
    int32_t four;
    memcpy(&four, terms, sizeof four);
    return four;
}

/* Sums of 4 rows by 16 columns, before multiplication by the steps. The instruction multiplies
 * unsigned by signed integers, so 64 is added to those of the columns. Two of its results fit 16
 * bits: 2 * 2 * 127 * 63. */
INLINE2 void avx2_gram_sums(const int8_t *row, const int8_t *column, size_t groups, size_t stride,
                            int32_t *sums)
{
    const __m256i ones = _mm256_set1_epi16(1), up = _mm256_set1_epi8(64);
    __m256i sum[4 * 2];
    for (int s = 0; s < 4 * 2; s++)
        sum[s] = _mm256_setzero_si256();
    for (size_t g = 0; g < groups; g += 2) {
        size_t next = g + 1 < groups ? group * stride : 0;
        for (int w = 0; w < 2; w++) {
            const __m256i *at = (const __m256i *)(column + 8 * group * w);
            const __m256i *then = (const __m256i *)(column + next + 8 * group * w);
            __m256i x = _mm256_add_epi8(_mm256_loadu_si256(at), up);
            __m256i y = next ? _mm256_add_epi8(_mm256_loadu_si256(then), up)
                             : _mm256_setzero_si256();
            for (int r = 0; r < 4; r++) {
                __m256i a = _mm256_set1_epi32(four_terms(row + group * r));
                __m256i b = _mm256_set1_epi32(four_terms(row + next + group * r));
                __m256i both =
                    _mm256_add_epi16(_mm256_maddubs_epi16(x, a), _mm256_maddubs_epi16(y, b));
                sum[2 * r + w] = _mm256_add_epi32(sum[2 * r + w], _mm256_madd_epi16(both, ones));
            }
        }
        row += 2 * group * stride;
        column += 2 * group * stride;
    }
    for (int s = 0; s < 4 * 2; s++)
        _mm256_storeu_si256((__m256i *)(sums + 8 * s), sum[s]);
}

AVX2 static void avx2_gram(const int8_t *packed, const int32_t *sums, size_t groups, size_t n,
                           const float *step, float *K)
{
    size_t stride = pv_regression_stride(n);
    for (size_t k = 0; k < n; k += 4)
        for (size_t l = k / 16 * 16; l < stride; l += 16) {
            int32_t tile[4 * 16];
            avx2_gram_sums(packed + group * k, packed + group * l, groups, stride, tile);
            scale_tile(tile, 4, 16, 64, sums, step, k, l, n, K);
        }
}

/* Subtracts the products of the `count` rows above from the sums of 6 rows by 8 * width columns. */
INLINE2 void avx2_subtract(const float *row, const float *column, size_t count, size_t stride,
                           float *tile, int width)
{
    __m256 sum[6 * 2];
    for (int r = 0; r < 6; r++)
        for (int w = 0; w < width; w++)
            sum[2 * r + w] = _mm256_loadu_ps(tile + most_columns * r + 8 * w);
    for (size_t t = 0; t < count; t++, row += stride, column += stride) {
        __m256 x[2];
        for (int w = 0; w < width; w++)
            x[w] = _mm256_loadu_ps(column + 8 * w);
        for (int r = 0; r < 6; r++) {
            __m256 factor = _mm256_broadcast_ss(row + r);
            for (int w = 0; w < width; w++)
                sum[2 * r + w] = _mm256_fnmadd_ps(factor, x[w], sum[2 * r + w]);
        }
    }
    for (int r = 0; r < 6; r++)
        for (int w = 0; w < width; w++)
            _mm256_storeu_ps(tile + most_columns * r + 8 * w, sum[2 * r + w]);
}

INLINE2 void finish_columns(const diagonal *d, size_t rows, float *tile, int width)
{
    for (size_t r = 0; r < rows; r++) {
        __m256 sum[4];
        for (int w = 0; w < width; w++)
            sum[w] = _mm256_loadu_ps(tile + most_columns * r + 8 * w);
        for (size_t t = 0; t < r; t++) {
            __m256 factor = _mm256_broadcast_ss(&d->U[t][r]);
            for (int w = 0; w < width; w++)
                sum[w] = _mm256_fnmadd_ps(factor, _mm256_loadu_ps(tile + most_columns * t + 8 * w),
                                          sum[w]);
        }
        __m256 inverse = _mm256_broadcast_ss(&d->inverse[r]);
        for (int w = 0; w < width; w++)
            _mm256_storeu_ps(tile + most_columns * r + 8 * w, _mm256_mul_ps(sum[w], inverse));
    }
}

/* The same for the rows of the block itself, from the first to the last. */
AVX2 static void avx2_finish(const diagonal *d, size_t rows, size_t columns, float *tile)
{
    if (columns == 32)
        finish_columns(d, rows, tile, 4);
    else if (columns == 16)
        finish_columns(d, rows, tile, 2);
    else
        finish_columns(d, rows, tile, 1);
}

AVX2 static bool avx2_cholesky(float *K, size_t n, size_t stride)
{
    for (size_t k = 0; k < n; k += 6) {
        diagonal d;
        size_t rows = smaller(6, n - k), begin = k / 8 * 8;
        for (size_t l = begin; l < n; l += 16) {
            float tile[6 * most_columns];
            size_t columns = smaller(16, stride - l);
            copy_tile(K + k * stride + l, stride, rows, columns, tile);
            if (columns == 16)
                avx2_subtract(K + k, K + l, k, stride, tile, 2);
            else
                avx2_subtract(K + k, K + l, k, stride, tile, 1);
            if (l == begin && !factor_diagonal(tile, k - l, rows, &d))
                return false;
            avx2_finish(&d, rows, columns, tile);
            store_tile(tile, rows, columns, K + k * stride + l, stride);
        }
    }
    return true;
}

static const pv_regression_kernels kernels_avx2 = {
    "AVX2", 63, avx2_scale_rows, avx2_pack_columns, avx2_pack_rows, avx2_gram, avx2_cholesky};

/* ---- AVX-512 with VNNI ----------------------------------------------------------------------- */
/* Sums of 12 rows by 16 * width columns, before multiplication by the steps. 128 is added to the
 * elements of the columns. */
INLINE512 void vnni_gram_sums(const int8_t *row, const int8_t *column, size_t groups, size_t stride,
                              int32_t *sums, int width)
{
    const __m512i up = _mm512_set1_epi8(INT8_MIN);
    __m512i sum[12 * 2];
    for (int r = 0; r < 12; r++) /* one loop of 24 would not be unrolled */
        for (int w = 0; w < width; w++)
            sum[r * width + w] = _mm512_setzero_si512();
    for (size_t g = 0; g < groups; g++, row += group * stride, column += group * stride) {
        __m512i x[2];
        for (int w = 0; w < width; w++)
            x[w] = _mm512_add_epi8(_mm512_loadu_si512(column + 16 * group * w), up);
        for (int r = 0; r < 12; r++) {
            __m512i factor = _mm512_set1_epi32(four_terms(row + group * r));
            for (int w = 0; w < width; w++)
                sum[r * width + w] = _mm512_dpbusd_epi32(sum[r * width + w], x[w], factor);
        }
    }
    for (int r = 0; r < 12; r++)
        for (int w = 0; w < width; w++)
            _mm512_storeu_si512(sums + 16 * (r * width + w), sum[r * width + w]);
}

AVX512 static void vnni_gram(const int8_t *packed, const int32_t *sums, size_t groups, size_t n,
                             const float *step, float *K)
{
    size_t stride = pv_regression_stride(n);
    for (size_t k = 0; k < n; k += 12)
        for (size_t l = k / 16 * 16; l < stride; l += 32) {
            int32_t tile[12 * 32];
            const int8_t *row = packed + group * k, *column = packed + group * l;
            if (stride - l > 16)
                vnni_gram_sums(row, column, groups, stride, tile, 2);
            else
                vnni_gram_sums(row, column, groups, stride, tile, 1);
            scale_tile(tile, 12, smaller(32, stride - l), 128, sums, step, k, l, n, K);
        }
}

/* Each element is the result of the same operations in the same order as with AVX2. */
INLINE512 void wide_subtract(const float *row, const float *column, size_t count, size_t stride,
                             float *tile, int width)
{
    __m512 sum[12 * 2];
    for (int r = 0; r < 12; r++)
        for (int w = 0; w < width; w++)
            sum[2 * r + w] = _mm512_loadu_ps(tile + most_columns * r + 16 * w);
    for (size_t t = 0; t < count; t++, row += stride, column += stride) {
        __m512 x[2];
        for (int w = 0; w < width; w++)
            x[w] = _mm512_loadu_ps(column + 16 * w);
        for (int r = 0; r < 12; r++) {
            __m512 factor = _mm512_set1_ps(row[r]);
            for (int w = 0; w < width; w++)
                sum[2 * r + w] = _mm512_fnmadd_ps(factor, x[w], sum[2 * r + w]);
        }
    }
    for (int r = 0; r < 12; r++)
        for (int w = 0; w < width; w++)
            _mm512_storeu_ps(tile + most_columns * r + 16 * w, sum[2 * r + w]);
}

AVX512 static bool wide_cholesky(float *K, size_t n, size_t stride)
{
    for (size_t k = 0; k < n; k += 12) {
        diagonal d;
        size_t rows = smaller(12, n - k), begin = k / 16 * 16;
        for (size_t l = begin; l < n; l += 32) {
            float tile[12 * most_columns];
            size_t columns = smaller(32, stride - l);
            copy_tile(K + k * stride + l, stride, rows, columns, tile);
            if (columns == 32)
                wide_subtract(K + k, K + l, k, stride, tile, 2);
            else
                wide_subtract(K + k, K + l, k, stride, tile, 1);
            if (l == begin && !factor_diagonal(tile, k - l, rows, &d))
                return false;
            avx2_finish(&d, rows, columns, tile);
            store_tile(tile, rows, columns, K + k * stride + l, stride);
        }
    }
    return true;
}

/* VNNI could use 127 levels. With those of AVX2, both give the same result. */
static const pv_regression_kernels kernels_vnni = {
    "AVX-512 VNNI", 63,        avx2_scale_rows, avx2_pack_columns,
    avx2_pack_rows, vnni_gram, wide_cholesky};

const pv_regression_kernels *pv_regression_kernels_at(size_t index)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return NULL;
    bool vnni = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vnni");
    if (vnni && index == 0)
        return &kernels_vnni;
    return index == (size_t)vnni ? &kernels_avx2 : NULL;
}

#else
const pv_regression_kernels *pv_regression_kernels_at(size_t index)
{
    (void)index;
    return NULL;
}
#endif
