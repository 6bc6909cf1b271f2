/* Fractions into digits, in exact integer arithmetic (128 bits), so that no rounding of doubles
 * shows. */
#include "decimal.h"

#include "util/number.h"

size_t decimal_ratio(char *to, uint64_t v, uint64_t scale)
{
    uint64_t part = v % scale;
    size_t length = (size_t)(pv_digits_write(to, v / scale) - to);
    if (!part)
        return length;
    /* The fewest digits k for which r / 10^k, r = round(part * 10^k / scale),
     * lies within half a step of part / scale. 19 digits always suffice for
     * a 63-bit scale. */
    unsigned __int128 power = 1;
    uint64_t r = 0;
    size_t k = 0;
    for (;;) {
        k++;
        power *= 10;
        unsigned __int128 shifted = power * part;
        r = (uint64_t)((shifted + scale / 2) / scale);
        unsigned __int128 back = (unsigned __int128)r * scale;
        unsigned __int128 off = back > shifted ? back - shifted : shifted - back;
        if (2 * off < power || k == 19)
            break;
    }
    to[length++] = '.';
    for (size_t d = k; d-- > 0; r /= 10)
        to[length + d] = (char)('0' + r % 10);
    return length + k;
}
