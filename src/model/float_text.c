/* float32 to decimal and back.
 *
 * Reading: up to 19 digits are read as an integer m, and m * 10^e is computed in double precision.
 * The error is at most a few units in the last of the double's 53 bits. Rounded to the float's 24
 * bits, the result is still correct unless it lies within those few units of the midpoint between
 * two floats; then, and for very large and very small numbers, strtof is used.
 *
 * Writing: for 6, 7, 8 and 9 digits, the nearest decimal is computed in double precision and read
 * back in the same way; the first that gives the same bits is written. So a number that was read
 * from at most 6 digits is written with the same digits.
 */
#include "model/float_text.h"

#include "util/c_locale.h"
#include "util/number.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXACT_POWERS = 22,   /* 10^22 is the largest power that is exact in a double */
    MOST_DIGITS = 19,    /* that fit in 64 bits */
    LONGEST = 1000,      /* characters of a number passed to strtof */
    FAR_EXPONENT = 10000 /* beyond every float, also after LONGEST digits */
};

static const double powers[EXACT_POWERS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The float nearest to m * 10^exponent; false if that is not certain. */
static bool nearest(uint64_t m, int64_t exponent, float *value)
{
    double d = (double)m;
    if (exponent >= 0 && exponent <= EXACT_POWERS)
        d *= powers[exponent];
    else if (exponent < 0 && exponent >= -EXACT_POWERS)
        d /= powers[-exponent];
    else if (exponent < -EXACT_POWERS && exponent >= -2 * EXACT_POWERS)
        d = d / powers[EXACT_POWERS] / powers[-exponent - EXACT_POWERS];
    else
        return false;
    if (!(d >= (double)FLT_MIN && d <= (double)FLT_MAX))
        return false;
    /* The 29 bits that a float lacks; half of 2^29 is the midpoint. */
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    int64_t rest = (int64_t)(bits & 0x1FFFFFFF) - 0x10000000;
    if (rest > -8 && rest < 8)
        return false;
    *value = (float)d;
    return true;
}

static pv_number by_the_library(const char *at, size_t length, float *value)
{
    char copy[LONGEST + 1];
    if (length > LONGEST)
        return PV_NUMBER_NONE;
    memcpy(copy, at, length);
    copy[length] = '\0';
    if (!pv_text_to_float(copy, value))
        return PV_NUMBER_NONE;
    return isfinite(*value) ? PV_NUMBER_FINE : PV_NUMBER_NOT_FINITE;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* nan, inf, infinity in any case, as printf and other languages write them. */
static pv_number special(const char *at, const char *end, const char **after)
{
    static const char *const names[] = {"infinity", "inf", "nan"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        size_t length = strlen(names[k]), same = 0;
        if ((size_t)(end - at) < length)
            continue;
        while (same < length && (at[same] | 0x20) == names[k][same])
            same++;
        if (same == length) {
            *after = at + length;
            return PV_NUMBER_NOT_FINITE;
        }
    }
    return PV_NUMBER_NONE;
}

/* The exponent after e or E; *p is unchanged if there is none. */
static int64_t read_exponent(const char **p, const char *end)
{
    const char *q = *p;
    if (q == end || (*q | 0x20) != 'e')
        return 0;
    q++;
    bool negative = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+'))
        q++;
    if (q == end || !is_digit(*q))
        return 0;
    int64_t exponent = 0;
    for (; q < end && is_digit(*q); q++)
        if (exponent < FAR_EXPONENT)
            exponent = 10 * exponent + (*q - '0');
    *p = q;
    return negative ? -exponent : exponent;
}

pv_number pv_float_read(const char *at, const char *end, const char **after, float *value)
{
    const char *p = at;
    bool negative = p < end && *p == '-', any = false;
    uint64_t m = 0;
    int64_t exponent = 0;
    int used = 0; /* digits in m, not counting leading zeros */
    *after = at;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end && is_digit(*p); p++, any = true) {
        if (used < MOST_DIGITS) {
            m = 10 * m + (uint64_t)(*p - '0');
            used += m != 0;
        } else {
            exponent++;
        }
    }
    if (p < end && *p == '.') {
        for (p++; p < end && is_digit(*p); p++, any = true)
            if (used < MOST_DIGITS) {
                m = 10 * m + (uint64_t)(*p - '0');
                used += m != 0;
                exponent--;
            }
    }
    if (!any)
        return special(p, end, after);
    exponent += read_exponent(&p, end);
    *after = p;
    if (m == 0) {
        *value = negative ? -0.0F : 0.0F;
        return PV_NUMBER_FINE;
    }
    if (nearest(m, exponent, value)) {
        *value = negative ? -*value : *value;
        return PV_NUMBER_FINE;
    }
    return by_the_library(at, (size_t)(p - at), value);
}

/* A positive number as `count` digits and the power of ten of the first. */
typedef struct decimal {
    uint64_t digits;
    int count, exponent;
} decimal;

/* The nearest decimal of `count` digits; false if it cannot be computed here. */
static bool round_to(double d, int exponent, int count, decimal *out)
{
    for (int attempt = 0; attempt < 3; attempt++) {
        int shift = count - 1 - exponent;
        if (shift > EXACT_POWERS || shift < -EXACT_POWERS)
            return false;
        double scaled = shift >= 0 ? d * powers[shift] : d / powers[-shift];
        if (scaled < powers[count - 1] - 0.5) {
            exponent--; /* the estimate was off by one */
            continue;
        }
        uint64_t digits = (uint64_t)(scaled + 0.5);
        if ((double)digits >= powers[count]) {
            exponent++;
            continue;
        }
        *out = (decimal){.digits = digits, .count = count, .exponent = exponent};
        return true;
    }
    return false;
}

/* The same by printf, whose decimal point depends on the locale. */
static void round_by_the_library(double d, int count, decimal *out)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, d); /* any locale */
    const char *e = strrchr(text, 'e');
    *out = (decimal){.count = count};
    for (const char *p = text; e && p < e; p++)
        if (is_digit(*p))
            out->digits = 10 * out->digits + (uint64_t)(*p - '0');
    if (e)
        out->exponent = (int)strtol(e + 1, NULL, 10);
}

static bool gives_back(const decimal *x, float value)
{
    float again;
    if (nearest(x->digits, x->exponent - x->count + 1, &again))
        return again == value;
    char text[64];
    int length = snprintf(text, sizeof text, "%lluE%d", (unsigned long long)x->digits,
                          x->exponent - x->count + 1);
    return by_the_library(text, (size_t)length, &again) == PV_NUMBER_FINE && again == value;
}

static void find_digits(float value, int digits, decimal *out)
{
    double d = (double)value;
    int binary;
    frexp(d, &binary);
    int exponent = (int)floor((binary - 1) * 0.30102999566398120);
    /* Below FLT_MIN floats are further apart, and fewer digits may suffice. */
    int least = value < FLT_MIN ? 1 : FLT_DIG;
    for (int count = digits ? digits : least; count <= PV_FLOAT_DIGITS; count++) {
        if (!round_to(d, exponent, count, out))
            round_by_the_library(d, count, out);
        if (digits || gives_back(out, value))
            break;
    }
    while (out->count > 1 && out->digits % 10 == 0) {
        out->digits /= 10;
        out->count--;
    }
}

static char *put(char *to, const char *bytes, int count)
{
    return (char *)memcpy(to, bytes, (size_t)count) + count;
}

size_t pv_float_write(char *to, float value, int digits)
{
    static const char zeros[] = "00000000";
    char text[PV_FLOAT_CAPACITY], *at = to;
    if (signbit(value))
        *at++ = '-';
    if (!isfinite(value))
        return (size_t)(put(at, isnan(value) ? "nan" : "inf", 3) - to);
    decimal x = {.count = 1};
    if (value != 0)
        find_digits(fabsf(value), digits, &x);
    pv_digits_write(text, x.digits);
    int whole = 1; /* digits before the point; the limits for exponents are those of printf */
    if (x.exponent >= -4 && x.exponent < 0) { /* 0.00123 */
        at = put(at, "0.", 2);
        at = put(at, zeros, -x.exponent - 1);
        at = put(at, text, x.count);
        return (size_t)(at - to);
    }
    if (x.exponent >= 0 && x.exponent < PV_FLOAT_DIGITS) /* 12.3, 12000 */
        whole = x.exponent + 1;
    int given = whole < x.count ? whole : x.count;
    at = put(at, text, given);
    at = put(at, zeros, whole - given);
    if (x.count > given) {
        *at++ = '.';
        at = put(at, text + given, x.count - given);
    }
    if (whole != x.exponent + 1) { /* 1.23e-07 */
        int power = abs(x.exponent);
        *at++ = 'e';
        *at++ = x.exponent < 0 ? '-' : '+';
        *at++ = (char)('0' + power / 10);
        *at++ = (char)('0' + power % 10);
    }
    return (size_t)(at - to);
}
