/* Numbers into digits. Two digits at a time from a table; fractions in exact
 * integer arithmetic (128 bits), so that no rounding of doubles shows. */
#include "decimal.h"

#include <string.h>

static const char pairs[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

size_t decimal_integer(char *to, uint64_t number)
{
    if (number < 10) {
        to[0] = (char)('0' + number);
        return 1;
    }
    char space[20];
    size_t at = sizeof space;
    while (number >= 100) {
        at -= 2;
        memcpy(space + at, pairs + 2 * (number % 100), 2);
        number /= 100;
    }
    if (number >= 10) {
        at -= 2;
        memcpy(space + at, pairs + 2 * number, 2);
    } else {
        space[--at] = (char)('0' + number);
    }
    memcpy(to, space + at, sizeof space - at);
    return sizeof space - at;
}

size_t decimal_ratio(char *to, uint64_t v, uint64_t scale)
{
    uint64_t part = v % scale;
    size_t length = decimal_integer(to, v / scale);
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
