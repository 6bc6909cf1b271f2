/* Strings of JSON: plain parts, escapes, UTF-8. A plain part takes two passes, one that finds its
 * end and one that copies it, both at the speed of memcpy. */
#include "util/json.h"

#include "util/utf8.h"

#include <string.h>

#if PV_SSE2
#include <emmintrin.h>
#endif

/* ---- Plain parts -------------------------------------------------------- */

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
/* Compared as signed numbers, bytes from 0x80 are also below 0x20, so one comparison finds both.
 * Without `ascii`, control characters are the bytes that a minimum with 0x1f leaves unchanged. */
static inline __m128i special(__m128i v, bool ascii)
{
    __m128i hit =
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    __m128i control = ascii ? _mm_cmplt_epi8(v, _mm_set1_epi8(0x20))
                            : _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
    return _mm_or_si128(hit, control);
}

/* Inlined for each of the two values of `ascii`. */
static inline size_t plain_blocks(const char *data, size_t length, bool ascii, bool *found)
{
    size_t i = 0;
    for (; length - i >= 64; i += 64) {
        const __m128i *p = (const __m128i *)(const void *)(data + i);
        __m128i a = special(_mm_loadu_si128(p), ascii), b = special(_mm_loadu_si128(p + 1), ascii);
        __m128i c = special(_mm_loadu_si128(p + 2), ascii);
        __m128i d = special(_mm_loadu_si128(p + 3), ascii);
        if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))))
            break;
    }
    for (; length - i >= 16; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(data + i));
        unsigned mask = (unsigned)_mm_movemask_epi8(special(v, ascii));
        if (mask) {
            *found = true;
            return i + (unsigned)__builtin_ctz(mask);
        }
    }
    return i;
}
#endif

size_t pv_json_plain(const char *data, size_t length, bool ascii)
{
    size_t i = 0;
#if PV_SSE2
    bool found = false;
    i = ascii ? plain_blocks(data, length, true, &found)
              : plain_blocks(data, length, false, &found);
    if (found)
        return i;
#endif
    return i + pv_json_plain_reference(data + i, length - i, ascii);
}

/* ---- Writing ------------------------------------------------------------ */

/* The character after the backslash, for characters that have a short escape. */
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

/* ---- Reading ------------------------------------------------------------ */

/* Output buffer for decoded bytes. Short parts are collected, because many strings have an escape
 * every few characters, and `append` is an indirect call. */
typedef struct output {
    pv_append *append;
    void *to; /* NULL: nowhere */
    size_t used;
    char held[512];
} output;

static bool flush(output *out)
{
    size_t used = out->used;
    out->used = 0;
    return used == 0 || out->append(out->to, out->held, used);
}

static inline bool put(output *out, const char *data, size_t length)
{
    if (!out->to)
        return true;
    if (length > sizeof out->held - out->used) {
        if (!flush(out))
            return false;
        if (length > sizeof out->held)
            return out->append(out->to, data, length);
    }
    memcpy(out->held + out->used, data, length);
    out->used += length;
    return true;
}

/* The character that a short escape encodes; \u is not among them. */
static const char simple_escapes[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                         ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};

/* 16 + the value of a hexadecimal digit; 0 for any other character. A table, because in runs of
 * \uXXXX a branch on a digit is unpredictable. */
static const unsigned char hex_digits[256] = {
    ['0'] = 16, ['1'] = 17, ['2'] = 18, ['3'] = 19, ['4'] = 20, ['5'] = 21, ['6'] = 22, ['7'] = 23,
    ['8'] = 24, ['9'] = 25, ['a'] = 26, ['b'] = 27, ['c'] = 28, ['d'] = 29, ['e'] = 30, ['f'] = 31,
    ['A'] = 26, ['B'] = 27, ['C'] = 28, ['D'] = 29, ['E'] = 30, ['F'] = 31,
};

/* The four digits after \u, or -1. */
static inline int32_t hex_unit(const char *at, const char *end)
{
    if (end - at < 4)
        return -1;
    const unsigned char *s = (const unsigned char *)at;
    unsigned a = hex_digits[s[0]], b = hex_digits[s[1]], c = hex_digits[s[2]], d = hex_digits[s[3]];
    if (!(a & b & c & d & 16))
        return -1;
    return (int32_t)((a & 15) << 12 | (b & 15) << 8 | (c & 15) << 4 | (d & 15));
}

/* Decodes the escape at `at` (a backslash) to 1 to 4 bytes. Returns the position after it, or NULL
 * after a failure. */
static const char *read_escape(pv_json *json, const char *at, char bytes[4], size_t *length)
{
    const char *end = json->end;
    if (end - at < 2) {
        pv_json_reject_at(json, end, "it ends inside a string");
        return NULL;
    }
    *length = 1;
    char simple = simple_escapes[(unsigned char)at[1]];
    if (simple) {
        bytes[0] = simple;
        return at + 2;
    }
    if (at[1] != 'u') {
        pv_json_reject_at(json, at, "this is not a valid escape sequence");
        return NULL;
    }
    int32_t unit = hex_unit(at + 2, end);
    if (unit < 0) {
        pv_json_reject_at(json, at, "\\u needs four hexadecimal digits");
        return NULL;
    }
    uint32_t c = (uint32_t)unit;
    const char *after = at + 6;
    if (c >= 0xd800 && c <= 0xdfff) {
        int32_t low = -1;
        if (c < 0xdc00 && end - after >= 6 && after[0] == '\\' && after[1] == 'u')
            low = hex_unit(after + 2, end);
        if (low >= 0xdc00 && low <= 0xdfff) {
            c = 0x10000 + ((c - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
            after += 6;
        } else if (json->flags & PV_JSON_REPLACE_SURROGATES) {
            c = 0xfffd;
        } else {
            pv_json_reject_at(json, at, "half of a surrogate pair is missing");
            return NULL;
        }
    }
    *length = (size_t)pv_utf8_encode(c, bytes);
    return after;
}

bool pv_json_unquote(pv_json *json, void *to)
{
    const char *at = json->at + 1, *end = json->end;
    bool ascii = !(json->flags & PV_JSON_ANY_BYTES), good = true;
    output out;
    out.append = json->append;
    out.to = to;
    out.used = 0;
    size_t plain = pv_json_plain(at, (size_t)(end - at), ascii);
    if (at + plain < end && at[plain] == '"') { /* most strings have nothing to decode */
        json->at = at + plain + 1;
        return !to || plain == 0 || json->append(to, at, plain) || pv_json_refuse(json);
    }
    for (;; plain = pv_json_plain(at, (size_t)(end - at), ascii)) {
        good = put(&out, at, plain);
        at += plain;
        if (!good || at == end || *at == '"')
            break;
        if (*at == '\\') {
            do {
                char bytes[4];
                size_t length;
                const char *after = read_escape(json, at, bytes, &length);
                if (!after || !(good = put(&out, bytes, length)))
                    break;
                at = after;
            } while (at < end && *at == '\\');
        } else if ((unsigned char)*at < 0x20) {
            pv_json_reject_at(json, at, "a string contains a control character without an escape");
        } else {
            const char *from = at;
            size_t length = 1;
            while (at < end && (unsigned char)*at >= 0x80 && length) {
                length = pv_utf8_sequence(at, (size_t)(end - at));
                at += length;
            }
            if (length == 0)
                pv_json_reject_at(json, at, "a string is not valid UTF-8");
            good = put(&out, from, (size_t)(at - from));
        }
        if (PV_UNLIKELY(json->cause || !good))
            break;
    }
    if (good)
        good = flush(&out);
    if (!good)
        return pv_json_refuse(json);
    if (json->cause)
        return false;
    if (at == end)
        return pv_json_reject_at(json, at, "it ends inside a string");
    json->at = at + 1;
    return true;
}
