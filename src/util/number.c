/* Numbers to and from text. strtod() accepts white space, signs, hex, "nan" and "inf", so the
 * characters are checked before it is called. */
#include "util/number.h"

#include "util/c_locale.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

static const char pairs[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

/* Two digits at a time: used in the inner loops of exports. */
char *pv_digits_write(char *out, uint64_t number)
{
    char space[20];
    size_t at = sizeof space;
    for (; number >= 100; number /= 100)
        memcpy(space + (at -= 2), pairs + 2 * (number % 100), 2);
    if (number >= 10)
        memcpy(space + (at -= 2), pairs + 2 * number, 2);
    else
        space[--at] = (char)('0' + number);
    memcpy(out, space + at, sizeof space - at);
    return out + (sizeof space - at);
}

bool pv_double_to_text(double value, char text[PV_DOUBLE_SIZE])
{
    double again = 0;
    for (int digits = 15; digits == 15 || (digits <= 17 && again != value); digits++)
        if (pv_snprintf(text, PV_DOUBLE_SIZE, "%.*g", digits, value) < 0 ||
            !pv_text_to_double(text, &again))
            return false;
    return true;
}

const char *pv_number_end(const char *text)
{
    size_t whole = strspn(text, DIGITS), fraction = 0;
    const char *at = text + whole;
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

bool pv_text_integer(const char *text, uint64_t *value)
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

bool pv_text_real(const char *text, double *value)
{
    const char *end = pv_number_end(text + (*text == '-'));
    double number;
    if (!end || *end || !pv_text_to_double(text, &number) || !isfinite(number))
        return false;
    *value = number == 0 ? 0 : number; /* -0 is 0 */
    return true;
}

bool pv_text_bytes(const char *text, uint64_t all, uint64_t *value)
{
    static const char units[] = "KMGT";
    const char *end = pv_number_end(text);
    double number;
    if (!end || !pv_text_to_double(text, &number))
        return false;
    const char *unit = *end ? strchr(units, *end == 'k' ? 'K' : *end) : NULL;
    if (!strcmp(end, "%")) {
        if (number > 100)
            return false;
        number = number / 100 * (double)all;
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

bool pv_text_count(const char *text, uint64_t *value)
{
    static const char units[] = "kMG";
    if (pv_text_integer(text, value))
        return true;
    const char *end = pv_number_end(text);
    const char *unit = end && *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
    double number;
    if (!end || (*end && (!unit || end[1])) || !pv_text_to_double(text, &number))
        return false;
    number *= unit ? pow(1000, (double)(unit - units + 1)) : 1;
    double whole = round(number); /* 0.3M is not exactly 300000 in binary */
    if (!(fabs(number - whole) <= 1e-9 * number && whole < 0x1p53))
        return false;
    *value = (uint64_t)whole;
    return true;
}
