/* Numbers from other programs as integer multiples of 1/scale.
 *
 * Doubles and decimals are rounded to the nearest multiple individually, so that sums do not depend
 * on the order. Rounding errors of the other program (a sum of floating-point weights has a
 * relative error of some 1e-10) are ignored; a number that really lies between two multiples is
 * counted, and the largest such error is reported in one warning at the end.
 *
 * Decimals never go through floating point: up to 38 digits and any exponent are scaled and rounded
 * in integers.
 */
#ifndef PV_COUNT_FIXED_POINT_H
#define PV_COUNT_FIXED_POINT_H

#include "base/context.h"

#include <math.h>

#define PV_FIXED_NOISE 1e-3          /* fraction of a unit that is ignored */
#define PV_FIXED_RELATIVE_NOISE 1e-9 /* of the number */

typedef struct pv_rounding {
    uint64_t scale;
    bool fractions;   /* some number was not an integer */
    uint64_t inexact; /* numbers that were rounded */
    double worst;     /* the largest error, in counts */
} pv_rounding;

/* digits * 10^exponent */
typedef struct pv_decimal {
    unsigned __int128 digits;
    int exponent;
    bool negative;
} pv_decimal;

static inline void pv_rounding_note(pv_rounding *r, double units, double error)
{
    error = fabs(error);
    if (PV_UNLIKELY(error > PV_FIXED_NOISE && error > PV_FIXED_RELATIVE_NOISE * units)) {
        r->inexact++;
        if (error > r->worst * (double)r->scale)
            r->worst = error / (double)r->scale;
    }
}

/* False: negative, not a number, or too large. */
static inline bool pv_round_double(pv_rounding *r, double number, uint64_t *fixed)
{
    double units = number * (double)r->scale;
    if (PV_UNLIKELY(!(units >= 0 && units < 9.2e18)))
        return false;
    /* adding a half is exact below 2^52; above, every double is an integer */
    *fixed = (uint64_t)(int64_t)(units < 4503599627370496.0 ? units + 0.5 : units);
    r->fractions |= number != (double)(int64_t)number;
    pv_rounding_note(r, units, units - (double)*fixed);
    return true;
}

/* False: negative or too large. */
bool pv_round_decimal(pv_rounding *r, const pv_decimal *d, uint64_t *fixed);

/* Reads [+-] digits [. digits] [e [+-] digits] at `text`, which must be followed by a byte that
 * cannot be part of a number. Returns the end, or NULL if there is no number. Digits after the 38th
 * are dropped. */
const char *pv_decimal_read(const char *text, pv_decimal *d);

/* Reads an integer up to `most`. Returns the end, or NULL. */
static inline const char *pv_digits_read(const char *text, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++)
        value = value * 10 + (uint64_t)(*p - '0');
    if (PV_UNLIKELY(p - text > 19)) { /* it may have wrapped around */
        value = 0;
        for (p = text; *p >= '0' && *p <= '9'; p++)
            if (__builtin_mul_overflow(value, 10, &value) ||
                __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
                return NULL;
    }
    *number = value;
    return p == text || value > most ? NULL : p;
}

/* Writes value / scale with `places` decimals, rounded, without trailing zeros; returns the end. At
 * most 21 + places bytes. pv_fixed_places returns enough places to read back the same value
 * exactly. */
char *pv_fixed_write(char *out, uint64_t value, uint64_t scale, unsigned places);
unsigned pv_fixed_places(uint64_t scale);

#endif
