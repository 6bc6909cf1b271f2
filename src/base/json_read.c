/* The pull parser of json_read.h.
 *
 * All of its state is a position, two bit sets indexed by depth (is the
 * container an object; has it had a member) and the flag `due`, which says
 * that a value stands at the position. Skipping is the same walk with nobody
 * looking, so there is one grammar in this file, and no recursion that a
 * hostile text could drive.
 *
 * Strings cost two passes over each plain stretch, one that looks for its end
 * and one that copies; both run from the cache at the speed of a memcpy. Runs
 * of escapes (a corpus in \uXXXX throughout is common) are decoded into room
 * reserved for many of them at once.
 */
#include "base/json_read.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- Failure ------------------------------------------------------------ */

static bool fail_at(pv_json *json, const char *place, const char *cause)
{
    if (!json->cause) {
        json->cause = cause;
        json->offset = (size_t)(place - json->start);
        json->status = PSDVEC_ERR_FORMAT;
    }
    return false;
}

static bool fail_buffer(pv_json *json, psdvec_status status)
{
    if (!json->cause) {
        json->cause = "memory ran out";
        json->offset = (size_t)(json->at - json->start);
        json->status = status;
    }
    return false;
}

bool pv_json_reject(pv_json *json, const char *cause)
{
    return fail_at(json, json->at, cause);
}

/* ---- Bytes -------------------------------------------------------------- */

size_t pv_utf8_sequence(const char *data, size_t length)
{
    const unsigned char *s = (const unsigned char *)data;
    if (length == 0)
        return 0;
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2)
        return 0;
    if (s[0] < 0xe0)
        return length >= 2 && (s[1] & 0xc0) == 0x80 ? 2 : 0;
    if (s[0] < 0xf0) {
        if (length < 3 || (s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80)
            return 0;
        bool overlong = s[0] == 0xe0 && s[1] < 0xa0;
        bool surrogate = s[0] == 0xed && s[1] > 0x9f;
        return overlong || surrogate ? 0 : 3;
    }
    if (s[0] > 0xf4 || length < 4 || (s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80 ||
        (s[3] & 0xc0) != 0x80)
        return 0;
    bool overlong = s[0] == 0xf0 && s[1] < 0x90;
    bool too_large = s[0] == 0xf4 && s[1] > 0x8f;
    return overlong || too_large ? 0 : 4;
}

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

#ifdef __SSE2__
/* Compared as signed numbers, bytes from 0x80 are below 0x20 as well: one
 * comparison finds both. For `any` bytes the control characters are those that
 * a minimum with 0x1f leaves unchanged. */
static inline __m128i special_ascii(__m128i v)
{
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                               _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    return _mm_or_si128(hit, _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)));
}

static inline __m128i special_any(__m128i v)
{
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                               _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
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

bool pv_json_text_is(const pv_buffer *buffer, const char *text)
{
    size_t length = strlen(text);
    return buffer->length == length && (length == 0 || memcmp(buffer->data, text, length) == 0);
}

/* ---- Position ----------------------------------------------------------- */

void pv_json_init(pv_json *json, const char *data, size_t length, unsigned flags)
{
    static const char nothing[1] = "";
    memset(json, 0, sizeof *json);
    json->start = json->at = data ? data : nothing;
    json->end = json->start + length;
    json->flags = flags;
    json->due = true;
}

static inline void skip_space(pv_json *json)
{
    const char *at = json->at, *end = json->end;
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    json->at = at;
}

/* Goes to the first character of the value that stands next. */
static bool to_value(pv_json *json)
{
    if (json->cause)
        return false;
    if (!json->due)
        return fail_at(json, json->at, "no value stands here");
    skip_space(json);
    if (json->at == json->end)
        return fail_at(json, json->at, "it ends where a value should stand");
    return true;
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

pv_json_type pv_json_peek(pv_json *json)
{
    if (!to_value(json))
        return PV_JSON_NONE;
    switch (*json->at) {
    case '{':
        return PV_JSON_OBJECT;
    case '[':
        return PV_JSON_ARRAY;
    case '"':
        return PV_JSON_STRING;
    case 't':
    case 'f':
        return PV_JSON_BOOL;
    case 'n':
        return PV_JSON_NULL;
    default:
        if (*json->at == '-' || is_digit(*json->at))
            return PV_JSON_NUMBER;
        fail_at(json, json->at, "no value begins with this character");
        return PV_JSON_NONE;
    }
}

/* ---- Containers --------------------------------------------------------- */

static bool enter(pv_json *json, char bracket, const char *otherwise)
{
    if (!to_value(json))
        return false;
    if (*json->at != bracket)
        return fail_at(json, json->at, otherwise);
    if (json->depth == PV_JSON_DEPTH)
        return fail_at(json, json->at, "it is nested too deeply (more than 64 levels)");
    uint64_t bit = UINT64_C(1) << json->depth++;
    if (bracket == '{')
        json->objects |= bit;
    else
        json->objects &= ~bit;
    json->filled &= ~bit;
    json->due = false;
    json->at++;
    return true;
}

bool pv_json_enter_object(pv_json *json)
{
    return enter(json, '{', "an object is expected here");
}

bool pv_json_enter_array(pv_json *json)
{
    return enter(json, '[', "an array is expected here");
}

/* Passes the comma before the next member. False: the container ended. */
static bool next_member(pv_json *json, bool object)
{
    if (json->cause || (json->due && !pv_json_skip(json, NULL, NULL)))
        return false;
    uint64_t bit = json->depth ? UINT64_C(1) << (json->depth - 1) : 0;
    if (bit == 0 || ((json->objects & bit) != 0) != object)
        return fail_at(json, json->at, object ? "no object is open here" : "no array is open here");
    skip_space(json);
    if (json->at == json->end)
        return fail_at(json, json->at,
                       object ? "it ends inside an object" : "it ends inside an array");
    if (*json->at == (object ? '}' : ']')) {
        json->at++;
        json->depth--;
        return false;
    }
    if (json->filled & bit) {
        if (*json->at != ',')
            return fail_at(json, json->at,
                           object ? "a comma or } is missing" : "a comma or ] is missing");
        json->at++;
        skip_space(json);
    }
    json->filled |= bit;
    return true;
}

static bool read_quoted(pv_json *json, pv_buffer *text);

bool pv_json_next_key(pv_json *json, pv_buffer *key)
{
    if (!next_member(json, true))
        return false;
    if (json->at == json->end)
        return fail_at(json, json->at, "it ends inside an object");
    if (*json->at != '"')
        return fail_at(json, json->at, "a key in quotes is expected here");
    if (!read_quoted(json, key))
        return false;
    skip_space(json);
    if (json->at == json->end || *json->at != ':')
        return fail_at(json, json->at, "a colon is missing after a key");
    json->at++;
    json->due = true;
    return true;
}

bool pv_json_next_element(pv_json *json)
{
    if (!next_member(json, false))
        return false;
    json->due = true;
    return true;
}

/* ---- Strings ------------------------------------------------------------ */

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
    if ((size_t)(out->limit - out->at) < length)
        PV_TRY(make_room(out, length));
    memcpy(out->at, data, length);
    out->at += length;
    return PSDVEC_OK;
}

static inline int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The four digits after \u, or -1. */
static inline int32_t hex_unit(const char *at, const char *end)
{
    if (end - at < 4)
        return -1;
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
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
        fail_at(json, end, "it ends inside a string");
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
        fail_at(json, at, "no escape sequence has this character");
        return NULL;
    }
    int32_t unit = hex_unit(at + 2, end);
    if (unit < 0) {
        fail_at(json, at, "\\u needs four hexadecimal digits");
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
            fail_at(json, at, "half of a surrogate pair stands alone");
            return NULL;
        }
    }
    *length = encode(c, bytes);
    return after;
}

/* The string at the position, whose first character is known to be a quote. */
static bool read_quoted(pv_json *json, pv_buffer *text)
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
            fail_at(json, at, "it ends inside a string");
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
            fail_at(json, at, "a control character stands in a string without an escape");
        } else {
            const char *from = at;
            while (at < end && (unsigned char)*at >= 0x80) {
                size_t length = pv_utf8_sequence(at, (size_t)(end - at));
                if (length == 0) {
                    fail_at(json, at, "a string is not valid UTF-8");
                    break;
                }
                at += length;
            }
            status = put(&out, from, (size_t)(at - from));
        }
        if (PV_UNLIKELY(json->cause || status != PSDVEC_OK))
            break;
    }
    if (out.at)
        text->length = (size_t)(out.at - text->data);
    if (!json->cause)
        json->at = at;
    if (status != PSDVEC_OK)
        return fail_buffer(json, status);
    return !json->cause;
}

bool pv_json_read_string(pv_json *json, pv_buffer *text)
{
    if (!to_value(json))
        return false;
    if (*json->at != '"')
        return fail_at(json, json->at, "a string is expected here");
    if (!read_quoted(json, text))
        return false;
    json->due = false;
    return true;
}

/* ---- Numbers ------------------------------------------------------------ */

typedef struct number {
    const char *at; /* its first character */
    size_t length;
    bool negative;
    bool integer; /* no fraction, no exponent */
    bool fits;    /* the magnitude of an integer fits 64 bits */
    uint64_t magnitude;
} number;

/* Reads the grammar of a number and its integer value; does not step over. */
static bool scan_number(pv_json *json, number *n)
{
    if (!to_value(json))
        return false;
    const char *at = json->at, *end = json->end;
    *n = (number){.at = at, .integer = true, .fits = true};
    if (*at == '-') {
        n->negative = true;
        at++;
    }
    if (at == end || !is_digit(*at))
        return fail_at(json, n->at, n->negative ? "a minus sign without a digit"
                                                : "a number is expected here");
    if (*at == '0') {
        at++;
        if (at < end && is_digit(*at))
            return fail_at(json, n->at, "a number begins with a zero it should not have");
    } else {
        for (; at < end && is_digit(*at); at++) {
            uint64_t digit = (uint64_t)(*at - '0');
            if (__builtin_mul_overflow(n->magnitude, UINT64_C(10), &n->magnitude) ||
                __builtin_add_overflow(n->magnitude, digit, &n->magnitude))
                n->fits = false;
        }
    }
    if (at < end && *at == '.') {
        n->integer = false;
        at++;
        if (at == end || !is_digit(*at))
            return fail_at(json, at, "digits are missing after a decimal point");
        while (at < end && is_digit(*at))
            at++;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        n->integer = false;
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        if (at == end || !is_digit(*at))
            return fail_at(json, at, "digits are missing in an exponent");
        while (at < end && is_digit(*at))
            at++;
    }
    n->length = (size_t)(at - n->at);
    return true;
}

static bool step_over(pv_json *json, const number *n)
{
    json->at = n->at + n->length;
    json->due = false;
    return true;
}

bool pv_json_read_u64(pv_json *json, uint64_t *value)
{
    number n;
    if (!scan_number(json, &n))
        return false;
    if (n.negative)
        return fail_at(json, n.at, "a negative number where none is allowed");
    if (!n.integer)
        return fail_at(json, n.at, "a whole number is expected here");
    if (!n.fits)
        return fail_at(json, n.at, "a number does not fit 64 bits");
    *value = n.magnitude;
    return step_over(json, &n);
}

bool pv_json_read_i64(pv_json *json, int64_t *value)
{
    number n;
    if (!scan_number(json, &n))
        return false;
    if (!n.integer)
        return fail_at(json, n.at, "a whole number is expected here");
    if (!n.fits || n.magnitude > (uint64_t)INT64_MAX + (n.negative ? 1 : 0))
        return fail_at(json, n.at, "a number does not fit 64 bits");
    if (!n.negative)
        *value = (int64_t)n.magnitude;
    else
        *value = n.magnitude ? -(int64_t)(n.magnitude - 1) - 1 : 0;
    return step_over(json, &n);
}

/* strtod in the C locale, for this thread alone: the host's locale may write
 * decimal commas. */
static bool to_double(const char *text, double *value)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return false;
    locale_t before = uselocale(c_locale);
    *value = strtod(text, NULL);
    uselocale(before);
    freelocale(c_locale);
    return true;
}

bool pv_json_read_double(pv_json *json, double *value)
{
    number n;
    if (!scan_number(json, &n))
        return false;
    double result;
    if (n.integer && n.fits && n.magnitude <= (UINT64_C(1) << 53)) {
        result = n.negative ? -(double)n.magnitude : (double)n.magnitude;
    } else {
        char copy[PV_JSON_NUMBER_MAX + 1];
        if (n.length > PV_JSON_NUMBER_MAX)
            return fail_at(json, n.at, "a number has more than 1000 characters");
        memcpy(copy, n.at, n.length);
        copy[n.length] = 0;
        if (!to_double(copy, &result))
            return fail_buffer(json, PSDVEC_ERR_MEMORY);
        if (!isfinite(result))
            return fail_at(json, n.at, "a number is too large");
    }
    *value = result;
    return step_over(json, &n);
}

/* ---- Words and skipping -------------------------------------------------- */

static bool read_word(pv_json *json, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(json->end - json->at) < length || memcmp(json->at, word, length) != 0)
        return fail_at(json, json->at, "no such word: true, false and null are all there are");
    json->at += length;
    json->due = false;
    return true;
}

bool pv_json_read_bool(pv_json *json, bool *value)
{
    if (!to_value(json))
        return false;
    char first = *json->at;
    if (first != 't' && first != 'f')
        return fail_at(json, json->at, "true or false is expected here");
    if (!read_word(json, first == 't' ? "true" : "false"))
        return false;
    *value = first == 't';
    return true;
}

bool pv_json_read_null(pv_json *json)
{
    if (!to_value(json))
        return false;
    if (*json->at != 'n')
        return fail_at(json, json->at, "null is expected here");
    return read_word(json, "null");
}

/* Reads a value without looking at it; of a container, only its bracket. */
static bool pass(pv_json *json)
{
    bool truth;
    number n;
    switch (pv_json_peek(json)) {
    case PV_JSON_OBJECT:
        return pv_json_enter_object(json);
    case PV_JSON_ARRAY:
        return pv_json_enter_array(json);
    case PV_JSON_STRING:
        return pv_json_read_string(json, NULL);
    case PV_JSON_NUMBER:
        return scan_number(json, &n) && step_over(json, &n);
    case PV_JSON_BOOL:
        return pv_json_read_bool(json, &truth);
    case PV_JSON_NULL:
        return pv_json_read_null(json);
    case PV_JSON_NONE:
        break;
    }
    return false;
}

bool pv_json_skip(pv_json *json, const char **span, size_t *length)
{
    if (!to_value(json))
        return false;
    const char *from = json->at;
    unsigned base = json->depth;
    do {
        if (!pass(json))
            return false;
        while (json->depth > base) {
            bool object = (json->objects >> (json->depth - 1)) & 1;
            if (object ? pv_json_next_key(json, NULL) : pv_json_next_element(json))
                break;
            if (json->cause)
                return false;
        }
    } while (json->depth > base);
    if (span) {
        *span = from;
        *length = (size_t)(json->at - from);
    }
    return true;
}

bool pv_json_finish(pv_json *json)
{
    if (json->cause || (json->due && !pv_json_skip(json, NULL, NULL)))
        return false;
    if (json->depth)
        return fail_at(json, json->at, "an object or array was not read to its end");
    skip_space(json);
    if (json->at != json->end)
        return fail_at(json, json->at, "something follows where it should end");
    return true;
}
