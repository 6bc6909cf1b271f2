/* Width on a terminal.
 *
 * It comes from wcwidth(), which knows wide East Asian characters and
 * combining marks; what it does not know (unassigned, control) takes one
 * column, as terminals draw a replacement sign there. */
#include "utf8.h"

#include <stdbool.h>
#include <wchar.h>

size_t utf8_fit(const char *text, size_t length, size_t columns, size_t *used)
{
    const unsigned char *begin = (const unsigned char *)text, *at = begin, *end = begin + length;
    for (*used = 0; at < end;) {
        uint32_t code;
        bool style = *at == '\1' && at + 1 < end; /* a style of rows.h, or its space */
        int bytes = style ? 2 : pv_utf8_decode(at, end, &code);
        int width = style ? at[1] == '_' : bytes > 0 ? wcwidth((wchar_t)code) : 1;
        size_t wide = width < 0 ? 1 : (size_t)width;
        if (wide > columns - *used)
            break;
        *used += wide;
        at += bytes > 0 ? bytes : 1;
    }
    return (size_t)(at - begin);
}

size_t utf8_columns(const char *text, size_t length)
{
    size_t used;
    utf8_fit(text, length, SIZE_MAX, &used);
    return used;
}
