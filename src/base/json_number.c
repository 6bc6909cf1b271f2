/* Numbers of JSON: the grammar of RFC 8259, integers exact to 64 bits, and
 * doubles correctly rounded in any locale.
 *
 * One pass over the digits; a double that is no integer of 53 bits costs a
 * strtod() besides, and the making of a locale (util/c_locale.h).
 */
#include "base/json_parser.h"

#include "util/c_locale.h"

#include <math.h>
#include <string.h>

bool pv_json_scan_number(pv_json *json, pv_json_number *n)
{
    if (!pv_json_to_value(json))
        return false;
    const char *at = json->at, *end = json->end;
    *n = (pv_json_number){.at = at, .integer = true, .fits = true};
    if (*at == '-') {
        n->negative = true;
        at++;
    }
    if (at == end || !pv_json_is_digit(*at))
        return pv_json_fail_at(json, n->at,
                               n->negative ? "a minus sign without a digit"
                                           : "a number is expected here");
    if (*at == '0') {
        at++;
        if (at < end && pv_json_is_digit(*at))
            return pv_json_fail_at(json, n->at, "a number begins with a zero it should not have");
    } else {
        for (; at < end && pv_json_is_digit(*at); at++) {
            uint64_t digit = (uint64_t)(*at - '0');
            if (__builtin_mul_overflow(n->magnitude, UINT64_C(10), &n->magnitude) ||
                __builtin_add_overflow(n->magnitude, digit, &n->magnitude))
                n->fits = false;
        }
    }
    if (at < end && *at == '.') {
        n->integer = false;
        at++;
        if (at == end || !pv_json_is_digit(*at))
            return pv_json_fail_at(json, at, "digits are missing after a decimal point");
        while (at < end && pv_json_is_digit(*at))
            at++;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        n->integer = false;
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        if (at == end || !pv_json_is_digit(*at))
            return pv_json_fail_at(json, at, "digits are missing in an exponent");
        while (at < end && pv_json_is_digit(*at))
            at++;
    }
    n->length = (size_t)(at - n->at);
    return true;
}

bool pv_json_read_u64(pv_json *json, uint64_t *value)
{
    pv_json_number n;
    if (!pv_json_scan_number(json, &n))
        return false;
    if (n.negative)
        return pv_json_fail_at(json, n.at, "a negative number where none is allowed");
    if (!n.integer)
        return pv_json_fail_at(json, n.at, "a whole number is expected here");
    if (!n.fits)
        return pv_json_fail_at(json, n.at, "a number does not fit 64 bits");
    *value = n.magnitude;
    return pv_json_step_over(json, &n);
}

bool pv_json_read_i64(pv_json *json, int64_t *value)
{
    pv_json_number n;
    if (!pv_json_scan_number(json, &n))
        return false;
    if (!n.integer)
        return pv_json_fail_at(json, n.at, "a whole number is expected here");
    if (!n.fits || n.magnitude > (uint64_t)INT64_MAX + (n.negative ? 1 : 0))
        return pv_json_fail_at(json, n.at, "a number does not fit 64 bits");
    if (!n.negative)
        *value = (int64_t)n.magnitude;
    else
        *value = n.magnitude ? -(int64_t)(n.magnitude - 1) - 1 : 0;
    return pv_json_step_over(json, &n);
}

bool pv_json_read_double(pv_json *json, double *value)
{
    pv_json_number n;
    if (!pv_json_scan_number(json, &n))
        return false;
    double result;
    if (n.integer && n.fits && n.magnitude <= (UINT64_C(1) << 53)) {
        result = n.negative ? -(double)n.magnitude : (double)n.magnitude;
    } else {
        char copy[PV_JSON_NUMBER_MAX + 1];
        if (n.length > PV_JSON_NUMBER_MAX)
            return pv_json_fail_at(json, n.at, "a number has more than 1000 characters");
        memcpy(copy, n.at, n.length);
        copy[n.length] = 0;
        if (!pv_text_to_double(copy, &result))
            return pv_json_fail_buffer(json, PSDVEC_ERR_MEMORY);
        if (!isfinite(result))
            return pv_json_fail_at(json, n.at, "a number is too large");
    }
    *value = result;
    return pv_json_step_over(json, &n);
}
