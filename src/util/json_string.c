/* Strings of JSON: plain stretches and escapes. */
#include "util/json.h"

#include "util/utf8.h"

#if PV_SSE2
#include <emmintrin.h>
#endif

size_t pv_json_plain_reference(const char *data, size_t length, bool ascii)
{
    size_t i = 0;
    for (; i < length; i++) {
        unsigned char c = (unsigned char)data[i];
        if (c < 0x20 || c == '"' || c == '\\' || (ascii && c >= 0x80))
            break;
    }
    return i;
}

#if PV_SSE2
/* Compared as signed numbers, bytes from 0x80 are below 0x20 as well: one
 * comparison finds both. For `any` bytes the control characters are those that
 * a minimum with 0x1f leaves unchanged. */
static inline __m128i special_ascii(__m128i v)
{
    __m128i hit =
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    return _mm_or_si128(hit, _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)));
}

static inline __m128i special_any(__m128i v)
{
    __m128i hit =
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    return _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v));
}

#define PLAIN_LOOP(special)                                                                        \
    for (; length - i >= 16; i += 16) {                                                            \
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(data + i));                    \
        unsigned mask = (unsigned)_mm_movemask_epi8(special(v));                                   \
        if (mask)                                                                                  \
            return i + (unsigned)__builtin_ctz(mask);                                              \
    }

#define PLAIN_LOOP_64(special)                                                                     \
    for (; length - i >= 64; i += 64) {                                                            \
        const __m128i *p = (const __m128i *)(const void *)(data + i);                              \
        __m128i a = special(_mm_loadu_si128(p)), b = special(_mm_loadu_si128(p + 1));              \
        __m128i c = special(_mm_loadu_si128(p + 2)), d = special(_mm_loadu_si128(p + 3));          \
        if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))))               \
            break;                                                                                 \
    }

size_t pv_json_plain(const char *data, size_t length, bool ascii)
{
    size_t i = 0;
    if (ascii) {
        PLAIN_LOOP_64(special_ascii)
        PLAIN_LOOP(special_ascii)
    } else {
        PLAIN_LOOP_64(special_any)
        PLAIN_LOOP(special_any)
    }
    return i + pv_json_plain_reference(data + i, length - i, ascii);
}
#else
size_t pv_json_plain(const char *data, size_t length, bool ascii)
{
    return pv_json_plain_reference(data, length, ascii);
}
#endif

/* The character behind the backslash, for those that have one. */
static const char short_escapes[128] = {['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
                                        ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};

bool pv_json_quote(pv_append *append, void *to, const char *text, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    bool good = append(to, "\"", 1);
    for (size_t i = 0; i < length && good;) {
        size_t plain = pv_json_plain(text + i, length - i, true);
        good = !plain || append(to, text + i, plain);
        i += plain;
        if (!good || i == length)
            break;
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80) {
            size_t sequence = pv_utf8_sequence(text + i, length - i);
            good = sequence ? append(to, text + i, sequence) : append(to, PV_UTF8_REPLACEMENT, 3);
            i += sequence ? sequence : 1;
            continue;
        }
        char escape[6] = {'\\', short_escapes[c], '0', '0', hex[c >> 4], hex[c & 15]};
        if (!escape[1])
            escape[1] = 'u';
        good = append(to, escape, short_escapes[c] ? 2 : 6);
        i++;
    }
    return good && append(to, "\"", 1);
}
