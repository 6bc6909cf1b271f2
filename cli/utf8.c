/* UTF-8: character ends and display width.
 *
 * Width comes from wcwidth(), which knows wide East Asian characters and
 * combining marks; what it does not know (unassigned, control) takes one
 * column, as terminals draw a replacement sign there. */
#include "utf8.h"

#include <stdint.h>
#include <wchar.h>

static size_t decode(const char *text, size_t length, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)text;
    if (!length)
        return 0;
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    size_t bytes = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length < bytes)
        return 0;
    uint32_t c = s[0] & (0xffu >> (bytes + 1));
    for (size_t k = 1; k < bytes; k++) {
        if ((s[k] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[k] & 0x3f);
    }
    if ((bytes == 3 && c < 0x800) || (bytes == 4 && (c < 0x10000 || c > 0x10ffff)) ||
        (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *code = c;
    return bytes;
}

size_t utf8_length(const char *text, size_t length)
{
    uint32_t code;
    return decode(text, length, &code);
}

static size_t one(const char *text, size_t length, size_t *columns)
{
    uint32_t code = 0;
    size_t bytes = decode(text, length, &code);
    int width = bytes ? wcwidth((wchar_t)code) : 1;
    *columns = width < 0 ? 1 : (size_t)width;
    return bytes ? bytes : 1;
}

size_t utf8_columns(const char *text, size_t length)
{
    size_t sum = 0;
    for (size_t k = 0; k < length;) {
        size_t columns;
        k += one(text + k, length - k, &columns);
        sum += columns;
    }
    return sum;
}

size_t utf8_fit(const char *text, size_t length, size_t columns, size_t *used)
{
    size_t at = 0;
    *used = 0;
    while (at < length) {
        size_t width;
        size_t bytes = one(text + at, length - at, &width);
        if (*used + width > columns)
            break;
        *used += width;
        at += bytes;
    }
    return at;
}
