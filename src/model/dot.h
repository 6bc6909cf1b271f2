/* The product of two vectors in float32, in an order that no compiler and no
 * machine changes: 16 partial sums, number k going to sum k mod 16, then the
 * sums added up in pairs. Sixteen because four vectors of four keep a core's
 * adders busy. The twin in plain C gives the same bits; a test compares them.
 */
#ifndef PV_MODEL_DOT_H
#define PV_MODEL_DOT_H

#include <stddef.h>
#include <string.h>

enum { PV_DOT_LANES = 16 };

static inline float pv_dot_fold(float sums[PV_DOT_LANES])
{
    for (int width = PV_DOT_LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++)
            sums[k] += sums[k + width];
    return sums[0];
}

/* a, b: n numbers each */
static inline float pv_dot_reference(const float *a, const float *b, size_t n)
{
    float sums[PV_DOT_LANES] = {0};
    for (size_t k = 0; k < n; k++)
        sums[k % PV_DOT_LANES] += a[k] * b[k];
    return pv_dot_fold(sums);
}

#if defined(__GNUC__)
typedef float pv_float4 __attribute__((vector_size(16)));

static inline pv_float4 pv_dot_load(const float *from)
{
    pv_float4 four;
    memcpy(&four, from, sizeof four); /* an unaligned load */
    return four;
}

static inline float pv_dot(const float *a, const float *b, size_t n)
{
    pv_float4 s[4] = {{0}, {0}, {0}, {0}};
    size_t k = 0;
    for (; k + PV_DOT_LANES <= n; k += PV_DOT_LANES) {
        s[0] += pv_dot_load(a + k) * pv_dot_load(b + k);
        s[1] += pv_dot_load(a + k + 4) * pv_dot_load(b + k + 4);
        s[2] += pv_dot_load(a + k + 8) * pv_dot_load(b + k + 8);
        s[3] += pv_dot_load(a + k + 12) * pv_dot_load(b + k + 12);
    }
    float sums[PV_DOT_LANES];
    memcpy(sums, s, sizeof sums);
    for (size_t lane = 0; k < n; k++, lane++)
        sums[lane] += a[k] * b[k];
    return pv_dot_fold(sums);
}
#else
#define pv_dot pv_dot_reference
#endif

/* The length of a vector, in double precision and in order. */
double pv_length(const float *a, size_t n);

#endif
