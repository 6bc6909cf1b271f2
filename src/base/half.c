/* float16: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits; float32: 8 (bias 127) and
 * 23. */
#include "base/half.h"

#include <math.h>
#include <string.h>

uint16_t pv_half_from(float value)
{
    uint32_t bits, half;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & HALF_SIGN, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) { /* NaN */
        half = HALF_INFINITE | 0x200;
    } else if (magnitude >= 0x47800000) { /* 2^16 and more */
        half = HALF_INFINITE;
    } else if (magnitude < 0x38800000) {
        /* Below 2^-14 a float16 is a multiple of 2^-24, and so is a float32 from 0.5 to 1: adding
         * 0.5 rounds. */
        float shifted = fabsf(value) + 0.5F;
        memcpy(&half, &shifted, sizeof half);
        half -= 0x3f000000;
    } else {
        /* Round half to even: add half a unit in the last place minus one bit, and that bit if the
         * last place is odd. A carry out of the fraction raises the exponent, up to infinity. */
        magnitude += 0xfff + (magnitude >> 13 & 1);
        half = (magnitude - 0x38000000) >> 13;
    }
    return (uint16_t)(sign | half);
}

float pv_half_to(uint16_t half)
{
    uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff, bits;
    if (exponent == 0) {
        float small = (float)fraction * 0x1p-24F;
        return half & HALF_SIGN ? -small : small;
    }
    bits = (uint32_t)(half & HALF_SIGN) << 16 | fraction << 13 |
           (exponent == 31 ? 255 : exponent + 127 - 15) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
