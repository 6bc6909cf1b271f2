/* e^x in single precision, the same bits in plain C and in AVX2 (exp_sums.c). */
#ifndef PV_DOCUMENT_EXPONENTIAL_H
#define PV_DOCUMENT_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

/* e^x for x <= 0, accurate to 2 units in the last place; 0 below -87. With x = k log 2 + r,
 * |r| < 0.35, e^r is a polynomial and 2^k an exponent. */
#define PV_EXP_LOG2E 1.44269504f
#define PV_EXP_ROUNDER 12582912.0f     /* 1.5 * 2^23: adding it rounds to an integer */
#define PV_EXP_LOG2_FIRST 0.693359375f /* log 2 in two parts; the first has few significant bits */
#define PV_EXP_LOG2_REST (-2.12194440e-4f)
#define PV_EXP_LEAST (-87.0f)
static const float pv_exp_series[] = {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                                      1.6666665459e-1f, 5.0000001201e-1f};

static inline __attribute__((always_inline)) float pv_exponential(float x)
{
    float k = x * PV_EXP_LOG2E + PV_EXP_ROUNDER, r, p;
    int32_t bits;
    memcpy(&bits, &k, sizeof bits);
    k -= PV_EXP_ROUNDER;
    r = x - k * PV_EXP_LOG2_FIRST;
    r = r - k * PV_EXP_LOG2_REST;
    p = pv_exp_series[0] * r + pv_exp_series[1];
    p = p * r + pv_exp_series[2];
    p = p * r + pv_exp_series[3];
    p = p * r + pv_exp_series[4];
    p = p * r;
    p = p * r + r;
    p = p + 1.0f;
    uint32_t power = x > PV_EXP_LEAST ? (uint32_t)(bits + 127) << 23 : 0;
    memcpy(&k, &power, sizeof k);
    return p * k;
}

#endif
