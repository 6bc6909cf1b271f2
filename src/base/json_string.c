/* Strings of JSON: plain stretches, escapes, UTF-8.
 *
 * A string costs two passes over each plain stretch, one that looks for its end
 * and one that copies; both run from the cache at the speed of a memcpy. Runs
 * of escapes (a corpus in \uXXXX throughout is common) are decoded into room
 * reserved for many of them at once.
 */
#include "base/json_parser.h"
#include "util/json.h"
#include "util/utf8.h"

#include <string.h>

/* Where decoded bytes go: room for `limit - at` bytes was reserved. */
typedef struct output {
    pv_buffer *buffer; /* NULL: nowhere */
    char *at, *limit;
} output;

static psdvec_status make_room(output *out, size_t need)
{
    if (out->at)
        out->buffer->length = (size_t)(out->at - out->buffer->data);
    size_t extra = need < 256 ? 256 : need;
    PV_TRY(pv_buffer_reserve(out->buffer, extra));
    out->at = out->buffer->data + out->buffer->length;
    out->limit = out->at + extra;
    return PSDVEC_OK;
}

static inline psdvec_status put(output *out, const char *data, size_t length)
{
    if (!out->buffer || length == 0)
        return PSDVEC_OK;
    if (!out->at || (size_t)(out->limit - out->at) < length)
        PV_TRY(make_room(out, length));
    memcpy(out->at, data, length);
    out->at += length;
    return PSDVEC_OK;
}

/* 16 + the value of a hexadecimal digit; 0 for any other character. A table,
 * for in \uXXXX after \uXXXX no branch on a digit could be foretold. */
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

static inline size_t encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | (c >> 6));
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | (c >> 12));
        out[1] = (char)(0x80 | ((c >> 6) & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | (c >> 18));
    out[1] = (char)(0x80 | ((c >> 12) & 0x3f));
    out[2] = (char)(0x80 | ((c >> 6) & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* Decodes the escape at `at` (a backslash) to 1 to 4 bytes. Returns the place
 * after it, or NULL after a failure. */
static const char *read_escape(pv_json *json, const char *at, char bytes[4], size_t *length)
{
    const char *end = json->end;
    if (end - at < 2) {
        pv_json_fail_at(json, end, "it ends inside a string");
        return NULL;
    }
    *length = 1;
    switch (at[1]) {
    case '"':
    case '\\':
    case '/':
        bytes[0] = at[1];
        return at + 2;
    case 'b':
        bytes[0] = '\b';
        return at + 2;
    case 'f':
        bytes[0] = '\f';
        return at + 2;
    case 'n':
        bytes[0] = '\n';
        return at + 2;
    case 'r':
        bytes[0] = '\r';
        return at + 2;
    case 't':
        bytes[0] = '\t';
        return at + 2;
    case 'u':
        break;
    default:
        pv_json_fail_at(json, at, "no escape sequence has this character");
        return NULL;
    }
    int32_t unit = hex_unit(at + 2, end);
    if (unit < 0) {
        pv_json_fail_at(json, at, "\\u needs four hexadecimal digits");
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
            pv_json_fail_at(json, at, "half of a surrogate pair stands alone");
            return NULL;
        }
    }
    *length = encode(c, bytes);
    return after;
}

bool pv_json_read_quoted(pv_json *json, pv_buffer *text)
{
    const char *at = json->at + 1, *end = json->end;
    bool ascii = !(json->flags & PV_JSON_ANY_BYTES);
    output out = {.buffer = text};
    psdvec_status status = PSDVEC_OK;
    for (;;) {
        size_t plain = pv_json_plain(at, (size_t)(end - at), ascii);
        if (PV_UNLIKELY((status = put(&out, at, plain)) != PSDVEC_OK))
            break;
        at += plain;
        if (at == end) {
            pv_json_fail_at(json, at, "it ends inside a string");
            break;
        }
        if (*at == '"') {
            at++;
            break;
        }
        if (*at == '\\') {
            do {
                char bytes[4];
                size_t length;
                const char *after = read_escape(json, at, bytes, &length);
                if (!after || (status = put(&out, bytes, length)) != PSDVEC_OK)
                    break;
                at = after;
            } while (at < end && *at == '\\');
        } else if ((unsigned char)*at < 0x20) {
            pv_json_fail_at(json, at, "a control character stands in a string without an escape");
        } else {
            const char *from = at;
            while (at < end && (unsigned char)*at >= 0x80) {
                size_t length = pv_utf8_sequence(at, (size_t)(end - at));
                if (length == 0) {
                    pv_json_fail_at(json, at, "a string is not valid UTF-8");
                    break;
                }
                at += length;
            }
            status = put(&out, from, (size_t)(at - from));
        }
        if (PV_UNLIKELY(json->cause || status != PSDVEC_OK))
            break;
    }
    if (text && out.at)
        text->length = (size_t)(out.at - text->data);
    if (!json->cause)
        json->at = at;
    if (status != PSDVEC_OK)
        return pv_json_fail_buffer(json, status);
    return !json->cause;
}

bool pv_json_read_string(pv_json *json, pv_buffer *text)
{
    if (!pv_json_to_value(json))
        return false;
    if (*json->at != '"')
        return pv_json_fail_at(json, json->at, "a string is expected here");
    if (!pv_json_read_quoted(json, text))
        return false;
    json->due = false;
    return true;
}
