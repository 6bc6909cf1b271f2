/* Half precision, IEEE 754 binary16, in two bytes. Rounding is to the nearest, ties to even, as
 * the F16C instructions do it. */
#ifndef PV_BASE_HALF_H
#define PV_BASE_HALF_H

#include <stdint.h>

enum { HALF_INFINITE = 0x7c00, HALF_SIGN = 0x8000 };

/* Too large a number becomes infinite. */
uint16_t pv_half_from(float value);
float pv_half_to(uint16_t half);

#endif
