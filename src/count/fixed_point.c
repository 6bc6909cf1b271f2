/* Conversion of decimals to multiples of 1/scale and back, in integer arithmetic. */
#include "count/fixed_point.h"
#include "util/number.h"

typedef unsigned __int128 wide;

enum { MOST_DIGITS = 19, WIDE_DIGITS = 38, MOST_EXPONENT = 100000000 };

static const uint64_t powers[MOST_DIGITS + 1] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                 1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}; /* exact */

static wide power_of_ten(int exponent)
{
    return exponent <= MOST_DIGITS ? powers[exponent]
                                   : (wide)powers[MOST_DIGITS] * powers[exponent - MOST_DIGITS];
}

/* Rounds numerator / power to the nearest integer, halves up. */
static bool divide(pv_rounding *r, wide numerator, wide power, uint64_t *fixed)
{
    wide quotient, rest;
    if (numerator <= UINT64_MAX && power <= UINT64_MAX) {
        quotient = (uint64_t)numerator / (uint64_t)power;
        rest = (uint64_t)numerator % (uint64_t)power;
    } else {
        quotient = numerator / power;
        rest = numerator % power;
    }
    bool up = rest >= power - rest;
    if (quotient + up > UINT64_MAX)
        return false;
    *fixed = (uint64_t)(quotient + up);
    if (rest)
        pv_rounding_note(r, (double)*fixed, (double)(up ? power - rest : rest) / (double)power);
    return true;
}

/* Rounds a number whose digits exceed 64 bits: the integer part and the first 19 decimals
 * separately. */
static bool round_long(pv_rounding *r, wide digits, int places, uint64_t *fixed)
{
    uint64_t part;
    wide power = power_of_ten(places), whole = digits / power, rest = digits % power;
    r->fractions = r->fractions || rest != 0;
    if (places > MOST_DIGITS) {
        rest /= power_of_ten(places - MOST_DIGITS);
        power = powers[MOST_DIGITS];
    }
    return whole <= UINT64_MAX && !__builtin_mul_overflow((uint64_t)whole, r->scale, fixed) &&
           divide(r, rest * r->scale, power, &part) && !__builtin_add_overflow(*fixed, part, fixed);
}

bool pv_round_decimal(pv_rounding *r, const pv_decimal *d, uint64_t *fixed)
{
    *fixed = 0;
    if (d->digits == 0)
        return true;
    if (d->negative)
        return false;
    if (d->exponent >= 0)
        return d->exponent <= MOST_DIGITS && d->digits <= UINT64_MAX &&
               !__builtin_mul_overflow((uint64_t)d->digits, powers[d->exponent], fixed) &&
               !__builtin_mul_overflow(*fixed, r->scale, fixed);
    int places = -d->exponent;
    wide digits = d->digits;
    if (places > 2 * WIDE_DIGITS)
        places = 2 * WIDE_DIGITS, digits = 0;
    if (places > WIDE_DIGITS) {
        digits /= power_of_ten(places - WIDE_DIGITS);
        places = WIDE_DIGITS;
    }
    if (digits == 0) { /* far smaller than one unit */
        r->fractions = true;
        r->inexact++;
        return true;
    }
    if (digits > UINT64_MAX)
        return round_long(r, digits, places, fixed);
    wide power = power_of_ten(places);
    r->fractions = r->fractions || digits % power != 0;
    return divide(r, digits * r->scale, power, fixed);
}

const char *pv_decimal_read(const char *text, pv_decimal *d)
{
    const char *p = text;
    *d = (pv_decimal){.negative = *p == '-'};
    if (*p == '-' || *p == '+')
        p++;
    bool point = false, any = false, full = false;
    const wide most = (wide)powers[MOST_DIGITS] * powers[MOST_DIGITS - 1]; /* 10^37 */
    for (;; p++) {
        if (*p >= '0' && *p <= '9') {
            any = true;
            full = full || d->digits >= most;
            if (!full)
                d->digits = d->digits * 10 + (unsigned)(*p - '0');
            d->exponent += (int)full - (int)point;
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (!any)
        return NULL;
    if (*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D') {
        p++;
        bool below = *p == '-';
        if (*p == '-' || *p == '+')
            p++;
        if (*p < '0' || *p > '9')
            return NULL;
        int exponent = 0;
        for (; *p >= '0' && *p <= '9'; p++)
            exponent = exponent < MOST_EXPONENT ? exponent * 10 + (*p - '0') : exponent;
        d->exponent += below ? -exponent : exponent;
    }
    /* 1000e-3 and 0.5000: fewer digits, and a small exponent */
    if (d->digits <= UINT64_MAX) {
        uint64_t digits = (uint64_t)d->digits;
        for (; d->exponent < 0 && digits && digits % 10 == 0; d->exponent++)
            digits /= 10;
        d->digits = digits;
    }
    for (; d->exponent < 0 && d->digits > UINT64_MAX && d->digits % 10 == 0; d->exponent++)
        d->digits /= 10;
    return p;
}

unsigned pv_fixed_places(uint64_t scale)
{
    unsigned places = 9;
    if (scale == 1)
        return 0;
    for (uint64_t s = scale; s >= 100000; s /= 10)
        places++; /* an error of half a digit stays below PV_FIXED_NOISE units */
    return places;
}

char *pv_fixed_write(char *out, uint64_t value, uint64_t scale, unsigned places)
{
    uint64_t rest = value % scale;
    out = pv_digits_write(out, value / scale);
    if (rest == 0 || places == 0)
        return out;
    *out++ = '.';
    char *first = out;
    uint64_t product;
    if (places <= MOST_DIGITS && !__builtin_mul_overflow(rest, powers[places], &product)) {
        uint64_t digits = product / scale + (product % scale >= scale - product % scale);
        for (unsigned i = places; i-- > 0; digits /= 10)
            first[i] = (char)('0' + digits % 10);
        out += places;
    } else {
        wide left = rest;
        for (unsigned i = 0; i < places; i++) {
            left *= 10;
            *out++ = (char)('0' + (unsigned)(left / scale));
            left %= scale;
        }
    }
    while (out[-1] == '0')
        out--;
    return out;
}
