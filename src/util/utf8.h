/* UTF-8, one code point at a time, fully validated: no overlong forms, no surrogates, nothing above
 * U+10FFFF.
 */
#ifndef PV_UTIL_UTF8_H
#define PV_UTIL_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define PV_UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD, for bytes that are not UTF-8 */

/* Decodes the code point at p < end into *cp and returns its length, 1 to 4. For invalid bytes,
 * returns minus the number of bytes to skip (the longest prefix of a valid sequence, at least 1),
 * which are replaced by one U+FFFD. */
static inline int pv_utf8_decode(const unsigned char *p, const unsigned char *end, uint32_t *cp)
{
    unsigned b0 = p[0];
    if (b0 < 0x80) {
        *cp = b0;
        return 1;
    }
    if (b0 < 0xC2 || b0 > 0xF4)
        return -1;
    if (end - p < 2 || (p[1] & 0xC0) != 0x80)
        return -1;
    unsigned b1 = p[1];
    if (b0 < 0xE0) {
        *cp = (b0 & 0x1F) << 6 | (b1 & 0x3F);
        return 2;
    }
    if (b0 < 0xF0) {
        if ((b0 == 0xE0 && b1 < 0xA0) || (b0 == 0xED && b1 > 0x9F))
            return -1;
        if (end - p < 3 || (p[2] & 0xC0) != 0x80)
            return -2;
        *cp = (b0 & 0x0F) << 12 | (b1 & 0x3F) << 6 | (p[2] & 0x3F);
        return 3;
    }
    if ((b0 == 0xF0 && b1 < 0x90) || (b0 == 0xF4 && b1 > 0x8F))
        return -1;
    if (end - p < 3 || (p[2] & 0xC0) != 0x80)
        return -2;
    if (end - p < 4 || (p[3] & 0xC0) != 0x80)
        return -3;
    *cp = (b0 & 0x07) << 18 | (b1 & 0x3F) << 12 | (p[2] & 0x3F) << 6 | (p[3] & 0x3F);
    return 4;
}

/* Length (1 to 4) of the well-formed sequence at the start of `text`, 0 if there is none. */
static inline size_t pv_utf8_sequence(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    uint32_t cp;
    int used = length ? pv_utf8_decode(p, p + length, &cp) : 0;
    return used > 0 ? (size_t)used : 0;
}

/* How many bytes at the start of `text` are well-formed UTF-8. */
static inline size_t pv_utf8_valid(const char *text, size_t length)
{
    size_t at = 0;
    for (size_t step = 1; at < length && step; at += step)
        step = pv_utf8_sequence(text + at, length - at);
    return at;
}

/* `length`, reduced if necessary so that text[length] does not continue a character. */
static inline size_t pv_utf8_cut(const char *text, size_t length)
{
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

/* Whether printing the code point could control a terminal or reorder the text around it: the
 * control characters C0, DEL and C1, line and paragraph separators, and bidirectional embeddings,
 * overrides and isolates. Marks that words need, such as joiners, are safe. */
static inline int pv_utf8_is_unsafe(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || (cp >= 0x2028 && cp <= 0x202E) ||
           (cp >= 0x2066 && cp <= 0x2069);
}

/* Writes a valid code point and returns its length. */
static inline int pv_utf8_encode(uint32_t cp, char *out)
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xC0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xE0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
        out[2] = (char)(0x80 | (cp & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
    out[3] = (char)(0x80 | (cp & 0x3F));
    return 4;
}

/* Number of code points in valid UTF-8. */
static inline size_t pv_utf8_length(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

#endif
