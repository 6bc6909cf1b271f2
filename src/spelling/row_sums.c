/* Sums of rows, with the sums in registers: 32 columns of floats, or 16 of bytes, at a time. */
#include "spelling/row_sums.h"

#include <string.h>

typedef float float8 __attribute__((vector_size(32)));
typedef int8_t byte8 __attribute__((vector_size(8)));

#define INLINE static inline __attribute__((always_inline))

/* Entries by which memory is asked for rows to come. */
enum { AHEAD = 8 };

INLINE void sum_floats(const uint32_t *list, size_t count, const float *X, float *out)
{
    float8 sum[4] = {{0}}, row[4];
    _Static_assert(sizeof sum == PV_ROW_BLOCK * sizeof(float), "a block is four registers");
    size_t t = 0;
    for (; t + AHEAD < count; t++) {
        const float *next = X + (size_t)list[t + AHEAD] * PV_ROW_BLOCK;
        __builtin_prefetch(next);
        __builtin_prefetch(next + PV_ROW_BLOCK / 2);
        memcpy(row, X + (size_t)list[t] * PV_ROW_BLOCK, sizeof row);
        for (int r = 0; r < 4; r++)
            sum[r] += row[r];
    }
    for (; t < count; t++) {
        memcpy(row, X + (size_t)list[t] * PV_ROW_BLOCK, sizeof row);
        for (int r = 0; r < 4; r++)
            sum[r] += row[r];
    }
    memcpy(out, sum, sizeof sum);
}

INLINE void sum_bytes(const uint32_t *list, size_t count, const int8_t *rows, const float *scale,
                      size_t dim, float *out)
{
    size_t d = 0;
    for (; d + 16 <= dim; d += 16) {
        float8 sum[2] = {{0}};
        for (size_t t = 0; t < count; t++) {
            byte8 row[2];
            memcpy(row, rows + (size_t)list[t] * dim + d, sizeof row);
            sum[0] += scale[list[t]] * __builtin_convertvector(row[0], float8);
            sum[1] += scale[list[t]] * __builtin_convertvector(row[1], float8);
        }
        memcpy(out + d, sum, sizeof sum);
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
    sum_bytes(list, count, rows, scale, dim, out);
}

const pv_row_sums pv_row_sums_plain = {"plain", plain_floats, plain_bytes};

#if defined(__x86_64__) && defined(__GNUC__)

/* Without FMA, which rounds once where the plain form rounds twice. */
#define AVX2 __attribute__((target("avx2")))

AVX2 static void avx2_floats(const uint32_t *list, size_t count, const float *X, float *out)
{
    sum_floats(list, count, X, out);
}

AVX2 static void avx2_bytes(const uint32_t *list, size_t count, const int8_t *rows,
                            const float *scale, size_t dim, float *out)
{
    sum_bytes(list, count, rows, scale, dim, out);
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
