/* Panels of up to 32 columns, whose sums stay in registers.
 *
 * In both products the innermost loop adds to 12 registers of sums: those of 3 rows or columns of A
 * with 32 columns of the other operand, of 4 with 24, and so on. Each element of A is loaded once
 * per panel and broadcast to all lanes of a register. The other operand is processed in pieces that
 * stay in the L1 cache. Sums start at zero for each piece and are added up afterwards, which has
 * less rounding error than one long sum.
 */
#include "solve/tall_kernels.h"

#include "base/platform.h"

#include <stdbool.h>
#include <string.h>

enum {
    panel = 32,       /* columns */
    gram_rows = 64,   /* rows of A and B that are summed at a time */
    gram_ahead = 48,  /* prefetch distance, in columns of A */
    group_rows = 48,  /* rows of Y at a time; a multiple of 3, 4, 6 and 12 */
    group_ahead = 3,  /* prefetch distance, in multiples of the rows of A multiplied at once */
    piece_rows = 104, /* rows of M, thus columns of A, at a time */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void plain_gram(size_t rows, pv_tall a, pv_tall b, float *out)
{
    memset(out, 0, a.columns * b.columns * sizeof *out);
    for (size_t first = 0; first < rows; first += gram_rows)
        for (size_t p = 0; p < a.columns; p++)
            for (size_t q = 0; q < b.columns; q++) {
                float sum = 0;
                for (size_t r = first; r < smaller(first + gram_rows, rows); r++)
                    sum += a.data[r * a.stride + p] * b.data[r * b.stride + q];
                out[p * b.columns + q] += sum;
            }
}

static void plain_multiply(size_t rows, float alpha, pv_tall a, const float *M, size_t columns,
                           float beta, float *Y, size_t stride)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t q = 0; q < columns; q++) {
            float total = 0, *y = Y + r * stride + q;
            for (size_t first = 0; first < a.columns; first += piece_rows) {
                float sum = 0;
                for (size_t p = first; p < smaller(first + piece_rows, a.columns); p++)
                    sum += a.data[r * a.stride + p] * M[p * columns + q];
                total += sum;
            }
            *y = beta == 0 ? alpha * total : beta * *y + alpha * total;
        }
}

const pv_tall_kernels pv_tall_kernels_plain = {"plain", plain_gram, plain_multiply};

#if PV_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define INLINE AVX2 static inline __attribute__((always_inline))

/* sums (times x 8 lanes): row t = sum over k < count of x[k * step + t * next] times row k of Y, of
 * which 8 * lanes columns are used. Prefetches x[k * step + ahead] unless `ahead` is 0. `times` and
 * `lanes` are compile-time constants: the sums, and the smaller set of factors, stay in
 * registers. */
INLINE void products(const float *x, size_t step, size_t next, size_t count, size_t ahead,
                     const float *Y, size_t stride, float *sums, int times, int lanes)
{
    __m256 sum[12];
    for (int s = 0; s < times * lanes; s++)
        sum[s] = _mm256_setzero_ps();
    for (size_t k = 0; k < count; k++, x += step, Y += stride) {
        if (ahead)
            _mm_prefetch((const char *)(x + ahead), _MM_HINT_T0);
        if (times < lanes) {
            __m256 factor[12];
            for (int t = 0; t < times; t++)
                factor[t] = _mm256_broadcast_ss(x + (size_t)t * next);
            for (int l = 0; l < lanes; l++) {
                __m256 y = _mm256_loadu_ps(Y + 8 * l);
                for (int t = 0; t < times; t++)
                    sum[t * lanes + l] = _mm256_fmadd_ps(factor[t], y, sum[t * lanes + l]);
            }
        } else {
            __m256 y[4];
            for (int l = 0; l < lanes; l++)
                y[l] = _mm256_loadu_ps(Y + 8 * l);
            for (int t = 0; t < times; t++) {
                __m256 factor = _mm256_broadcast_ss(x + (size_t)t * next);
                for (int l = 0; l < lanes; l++)
                    sum[t * lanes + l] = _mm256_fmadd_ps(factor, y[l], sum[t * lanes + l]);
            }
        }
    }
    for (int s = 0; s < times * lanes; s++)
        _mm256_storeu_ps(sums + 8 * s, sum[s]);
}

/* Copies rows of `width` elements to rows of `panel`, padded with zeros. */
AVX2 static void copy_panel(const float *from, size_t stride, size_t rows, size_t width, float *to)
{
    for (size_t r = 0; r < rows; r++) {
        memcpy(to + r * panel, from + r * stride, width * sizeof *to);
        memset(to + r * panel + width, 0, (panel - width) * sizeof *to);
    }
}

/* Adds the results of `products` to rows of `width` elements, at most 8 * lanes. */
INLINE void add_rows(const float *sums, int times, int lanes, float *to, size_t stride,
                     size_t width)
{
    for (int t = 0; t < times; t++, to += stride, sums += 8 * lanes)
        for (size_t c = 0; c < 8 * (size_t)lanes; c += 8)
            if (c + 8 <= width)
                _mm256_storeu_ps(to + c,
                                 _mm256_add_ps(_mm256_loadu_ps(to + c), _mm256_loadu_ps(sums + c)));
            else
                for (size_t d = c; d < width; d++)
                    to[d] += sums[d];
}

INLINE void gram_columns(size_t rows, const float *A, size_t stride, size_t ahead, const float *B,
                         float *out, size_t out_stride, size_t width, int times, int lanes)
{
    float sums[12 * 8];
    products(A, stride, 1, rows, ahead, B, panel, sums, times, lanes);
    add_rows(sums, times, lanes, out, out_stride, width);
}

/* One panel and up to gram_rows rows, after which `left` follow. Prefetches elements of A some
 * columns ahead, or at the beginning of the rows that follow. */
INLINE void gram_panel(size_t rows, size_t left, const float *A, pv_tall a, const float *B,
                       float *out, size_t out_stride, size_t width, int times, int lanes)
{
    size_t p = 0;
    for (; p + (size_t)times <= a.columns; p += (size_t)times) {
        size_t ahead = p + gram_ahead < a.columns ? gram_ahead
                       : left >= rows && a.columns > gram_ahead
                           ? rows * a.stride + gram_ahead - a.columns
                           : 0;
        gram_columns(rows, A + p, a.stride, ahead, B, out + p * out_stride, out_stride, width,
                     times, lanes);
    }
    for (; p < a.columns; p++)
        gram_columns(rows, A + p, a.stride, 0, B, out + p * out_stride, out_stride, width, 1,
                     lanes);
}

AVX2 static void avx2_gram(size_t rows, pv_tall a, pv_tall b, float *out)
{
    _Alignas(32) float B[gram_rows * panel];
    memset(out, 0, a.columns * b.columns * sizeof *out);
    for (size_t first = 0; first < rows; first += gram_rows)
        for (size_t q = 0; q < b.columns; q += panel) {
            size_t count = smaller(gram_rows, rows - first), width = smaller(panel, b.columns - q);
            const float *A = a.data + first * a.stride;
            copy_panel(b.data + first * b.stride + q, b.stride, count, width, B);
            switch ((width + 7) / 8) {
            case 4:
                gram_panel(count, rows - first - count, A, a, B, out + q, b.columns, width, 3, 4);
                break;
            case 3:
                gram_panel(count, rows - first - count, A, a, B, out + q, b.columns, width, 4, 3);
                break;
            case 2:
                gram_panel(count, rows - first - count, A, a, B, out + q, b.columns, width, 6, 2);
                break;
            default:
                gram_panel(count, rows - first - count, A, a, B, out + q, b.columns, width, 12, 1);
            }
        }
}

INLINE void multiply_rows(const float *A, size_t stride, size_t count, const float *M,
                          size_t m_stride, float *total, int times, int lanes)
{
    float sums[12 * 8];
    products(A, 1, stride, count, 0, M, m_stride, sums, times, lanes);
    add_rows(sums, times, lanes, total, panel, 8 * (size_t)lanes);
}

/* One panel of a piece of M and up to group_rows rows, after which `left` follow. */
INLINE void multiply_panel(size_t rows, size_t left, const float *A, size_t stride, size_t count,
                           const float *M, size_t m_stride, float *total, int times, int lanes)
{
    size_t r = 0;
    for (; r + (size_t)times <= rows; r += (size_t)times) {
        for (size_t t = r + group_ahead * (size_t)times;
             t < r + (group_ahead + 1) * (size_t)times && t < rows + left; t++)
            for (size_t p = 0; p < count; p += 16)
                _mm_prefetch((const char *)(A + t * stride + p), _MM_HINT_T0);
        multiply_rows(A + r * stride, stride, count, M, m_stride, total + r * panel, times, lanes);
    }
    for (; r < rows; r++)
        multiply_rows(A + r * stride, stride, count, M, m_stride, total + r * panel, 1, lanes);
}

/* Loads of 8 elements may extend over the end of a row into the next row, whose sums are not used;
 * after the last row there may be no readable memory. */
AVX2 static void multiply_group(size_t rows, size_t left, const float *A, size_t stride,
                                size_t count, const float *M, size_t m_stride, size_t width,
                                bool last, float *total)
{
    _Alignas(32) float filled[piece_rows * panel];
    if (last && width % 8) {
        copy_panel(M, m_stride, count, width, filled);
        M = filled;
        m_stride = panel;
    }
    switch ((width + 7) / 8) {
    case 4:
        multiply_panel(rows, left, A, stride, count, M, m_stride, total, 3, 4);
        break;
    case 3:
        multiply_panel(rows, left, A, stride, count, M, m_stride, total, 4, 3);
        break;
    case 2:
        multiply_panel(rows, left, A, stride, count, M, m_stride, total, 6, 2);
        break;
    default:
        multiply_panel(rows, left, A, stride, count, M, m_stride, total, 12, 1);
    }
}

AVX2 static void avx2_multiply(size_t rows, float alpha, pv_tall a, const float *M, size_t columns,
                               float beta, float *Y, size_t stride)
{
    _Alignas(32) float total[group_rows * panel];
    for (size_t first = 0; first < rows; first += group_rows)
        for (size_t q = 0; q < columns; q += panel) {
            size_t here = smaller(group_rows, rows - first), width = smaller(panel, columns - q);
            memset(total, 0, sizeof total);
            for (size_t p = 0; p < a.columns; p += piece_rows)
                multiply_group(here, rows - first - here, a.data + first * a.stride + p, a.stride,
                               smaller(piece_rows, a.columns - p), M + p * columns + q, columns,
                               width, a.columns - p <= piece_rows, total);
            for (size_t r = 0; r < here; r++) {
                float *y = Y + (first + r) * stride + q;
                const float *t = total + r * panel;
                if (beta == 0)
                    for (size_t c = 0; c < width; c++)
                        y[c] = alpha * t[c];
                else
                    for (size_t c = 0; c < width; c++)
                        y[c] = beta * y[c] + alpha * t[c];
            }
        }
}

static const pv_tall_kernels kernels_avx2 = {"AVX2", avx2_gram, avx2_multiply};

const pv_tall_kernels *pv_tall_kernels_best(size_t columns)
{
    bool fits = columns >= 8 && (columns <= panel || (columns <= 2 * panel && columns % 8 == 0));
    return fits && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kernels_avx2
                                                                                   : NULL;
}

#else
const pv_tall_kernels *pv_tall_kernels_best(size_t columns)
{
    (void)columns;
    return NULL;
}
#endif
