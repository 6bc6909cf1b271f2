/* Strict numbers. strtod() and strtoull() accept white space, signs, hex,
 * "nan" and "inf"; so the characters are checked before they are called. */
#include "number.h"

#include <psdvec/psdvec.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

bool number_integer(const char *text, uint64_t *value)
{
    if (!*text || text[strspn(text, DIGITS)])
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    if (errno || number > UINT64_MAX)
        return false;
    *value = number;
    return true;
}

/* The end of a decimal number at the start of `text`, or NULL. */
static const char *real_end(const char *text)
{
    size_t whole = strspn(text, DIGITS);
    const char *at = text + whole;
    size_t fraction = 0;
    if (*at == '.') {
        fraction = strspn(at + 1, DIGITS);
        at += 1 + fraction;
    }
    if (!whole && !fraction)
        return NULL;
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
        size_t digits = strspn(exponent, DIGITS);
        if (digits)
            at = exponent + digits;
    }
    return at;
}

bool number_real(const char *text, double *value)
{
    const char *digits = text + (*text == '-');
    const char *end = real_end(digits);
    if (!end || *end)
        return false;
    /* LC_NUMERIC stays "C" in this program, so the point is a point. */
    double number = strtod(text, NULL);
    if (!isfinite(number))
        return false;
    *value = number;
    return true;
}

bool number_size(const char *text, uint64_t *value)
{
    const char *end = real_end(text);
    if (!end)
        return false;
    double number = strtod(text, NULL);
    static const char units[] = "KMGT";
    const char *unit = *end ? strchr(units, *end == 'k' ? 'K' : *end) : NULL;
    if (!strcmp(end, "%")) {
        if (number > 100)
            return false;
        number = number / 100 * (double)psdvec_machine_memory();
    } else if (unit) {
        if (end[1] && strcmp(end + 1, "B") != 0 && strcmp(end + 1, "iB") != 0)
            return false;
        number = ldexp(number, 10 * (int)(unit - units + 1));
    } else if (*end && strcmp(end, "B") != 0) {
        return false;
    }
    if (!(number >= 1 && number < 0x1p63))
        return false;
    *value = (uint64_t)number;
    return true;
}

bool number_count(const char *text, uint64_t *value)
{
    if (number_integer(text, value))
        return true;
    const char *end = real_end(text);
    static const char units[] = "kMG";
    const char *unit = end && *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
    if (!end || (*end && (!unit || end[1])))
        return false;
    double number = strtod(text, NULL) * (unit ? pow(1000, (double)(unit - units + 1)) : 1);
    double whole = round(number); /* 0.3M is not exactly 300000 in binary */
    if (!(fabs(number - whole) <= 1e-9 * number && whole < 0x1p53))
        return false;
    *value = (uint64_t)whole;
    return true;
}
