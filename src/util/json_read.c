/* The pull parser of json.h.
 *
 * Skipping a value uses the same code as reading it, so the grammar exists once, and there is no
 * recursion that malicious input could exploit. Strings are read in json_string.c.
 */
#include "util/c_locale.h"
#include "util/json.h"

#include <math.h>
#include <string.h>

/* ---- Failure ------------------------------------------------------------ */

bool pv_json_reject_at(pv_json *json, const char *place, const char *cause)
{
    if (!json->cause) {
        json->cause = cause;
        json->offset = (size_t)(place - json->start);
    }
    return false;
}

bool pv_json_reject(pv_json *json, const char *cause)
{
    return pv_json_reject_at(json, json->at, cause);
}

bool pv_json_refuse(pv_json *json)
{
    json->refused |= !json->cause;
    return pv_json_reject(json, "out of memory");
}

/* ---- Position ----------------------------------------------------------- */

void pv_json_start(pv_json *json, const char *data, size_t length, unsigned flags,
                   pv_append *append)
{
    const char *start = data ? data : "";
    *json = (pv_json){.start = start,
                      .at = start,
                      .end = start + length,
                      .append = append,
                      .flags = flags,
                      .due = true};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline void skip_space(pv_json *json)
{
    const char *at = json->at, *end = json->end;
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    json->at = at;
}

static bool to_value(pv_json *json)
{
    if (json->cause)
        return false;
    if (!json->due)
        return pv_json_reject(json, "a value is missing here");
    skip_space(json);
    if (json->at == json->end)
        return pv_json_reject(json, "it ends where a value is expected");
    return true;
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
        pv_json_reject(json, "no value begins with this character");
        return PV_JSON_NONE;
    }
}

/* ---- Containers --------------------------------------------------------- */

static bool enter(pv_json *json, char bracket, const char *otherwise)
{
    if (!to_value(json))
        return false;
    if (*json->at != bracket)
        return pv_json_reject(json, otherwise);
    if (json->depth == PV_JSON_DEPTH)
        return pv_json_reject(json, "it is nested too deeply (more than 64 levels)");
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
        return pv_json_reject(json, object ? "no object is open here" : "no array is open here");
    skip_space(json);
    if (json->at == json->end)
        return pv_json_reject(json,
                              object ? "it ends inside an object" : "it ends inside an array");
    if (*json->at == (object ? '}' : ']')) {
        json->at++;
        json->depth--;
        return false;
    }
    if (json->filled & bit) {
        if (*json->at != ',')
            return pv_json_reject(json,
                                  object ? "a comma or } is missing" : "a comma or ] is missing");
        json->at++;
        skip_space(json);
    }
    json->filled |= bit;
    return true;
}

bool pv_json_next_key(pv_json *json, void *key)
{
    if (!next_member(json, true))
        return false;
    if (json->at == json->end)
        return pv_json_reject(json, "it ends inside an object");
    if (*json->at != '"')
        return pv_json_reject(json, "a key in quotes is expected here");
    if (!pv_json_unquote(json, key))
        return false;
    skip_space(json);
    if (json->at == json->end || *json->at != ':')
        return pv_json_reject(json, "a colon is missing after a key");
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

/* ---- Numbers -------------------------------------------------------------
 *
 * One pass over the digits; a double that is not an integer of 53 bits also needs a call of
 * strtod(). */

typedef struct number {
    const char *at; /* its first character */
    size_t length;
    bool negative;
    bool integer; /* no fraction, no exponent */
    bool fits;    /* the magnitude of an integer fits 64 bits */
    uint64_t magnitude;
} number;

/* Scans a number and its integer value without consuming it. */
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
        return pv_json_reject_at(json, n->at,
                                 n->negative ? "a minus sign without a digit"
                                             : "a number is expected here");
    if (*at == '0') {
        at++;
        if (at < end && is_digit(*at))
            return pv_json_reject_at(json, n->at, "a number has a leading zero");
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
            return pv_json_reject_at(json, at, "digits are missing after a decimal point");
        while (at < end && is_digit(*at))
            at++;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        n->integer = false;
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        if (at == end || !is_digit(*at))
            return pv_json_reject_at(json, at, "digits are missing in an exponent");
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
        return pv_json_reject_at(json, n.at, "a negative number where none is allowed");
    if (!n.integer)
        return pv_json_reject_at(json, n.at, "a whole number is expected here");
    if (!n.fits)
        return pv_json_reject_at(json, n.at, "a number does not fit 64 bits");
    *value = n.magnitude;
    return step_over(json, &n);
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
            return pv_json_reject_at(json, n.at, "a number has more than 1000 characters");
        memcpy(copy, n.at, n.length);
        copy[n.length] = 0;
        if (!pv_text_to_double(copy, &result))
            return pv_json_refuse(json);
        if (!isfinite(result))
            return pv_json_reject_at(json, n.at, "a number is too large");
    }
    *value = result;
    return step_over(json, &n);
}

/* ---- Words and skipping -------------------------------------------------- */

static bool read_word(pv_json *json, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(json->end - json->at) < length || memcmp(json->at, word, length) != 0)
        return pv_json_reject(json, "unknown word: only true, false and null are allowed");
    json->at += length;
    json->due = false;
    return true;
}

bool pv_json_read_string(pv_json *json, void *text)
{
    if (!to_value(json))
        return false;
    if (*json->at != '"')
        return pv_json_reject(json, "a string is expected here");
    json->due = !pv_json_unquote(json, text);
    return !json->due;
}

bool pv_json_read_bool(pv_json *json, bool *value)
{
    if (!to_value(json))
        return false;
    char first = *json->at;
    if (first != 't' && first != 'f')
        return pv_json_reject(json, "true or false is expected here");
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
        return pv_json_reject(json, "null is expected here");
    return read_word(json, "null");
}

/* Skips a value; for a container, only its opening bracket. */
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
        return pv_json_reject(json, "an object or array was not read to its end");
    skip_space(json);
    if (json->at != json->end)
        return pv_json_reject(json, "there is more text after the end");
    return true;
}

bool pv_json_next_member(pv_json *json, void *key, const char **span, size_t *length)
{
    return pv_json_next_key(json, key) && pv_json_skip(json, span, length);
}

bool pv_json_is(const char *text, pv_json_type type)
{
    pv_json json;
    pv_json_start(&json, text, strlen(text), 0, NULL);
    return pv_json_peek(&json) == type && pv_json_finish(&json);
}

/* ---- Structs of numbers -------------------------------------------------- */

/* A key, truncated to just over the longest field name. */
typedef struct short_key {
    char text[64];
    size_t length;
} short_key;

static bool add_to_key(void *to, const char *bytes, size_t length)
{
    short_key *key = to;
    if (length <= sizeof key->text - key->length)
        memcpy(key->text + key->length, bytes, length);
    else
        length = sizeof key->text - key->length; /* too long for a name */
    key->length += length;
    return true;
}

static bool read_number(pv_json *json, const pv_json_field *field, void *member)
{
    uint64_t wide;
    double real;
    if (pv_json_peek(json) == PV_JSON_NULL)
        return pv_json_read_null(json);
    if (field->kind == PV_JSON_REAL) {
        if (!pv_json_read_double(json, &real))
            return false;
        memcpy(member, &real, sizeof real);
        return true;
    }
    if (!pv_json_read_u64(json, &wide))
        return false;
    uint32_t narrow = (uint32_t)wide;
    if (field->kind == PV_JSON_U32 && narrow != wide)
        return pv_json_reject(json, "a number is too large");
    if (field->kind == PV_JSON_U32)
        memcpy(member, &narrow, sizeof narrow);
    else
        memcpy(member, &wide, sizeof wide);
    return true;
}

bool pv_json_read_field(pv_json *json, const char *key, size_t length, const pv_json_field *fields,
                        void *record)
{
    for (; fields->name; fields++)
        if (strlen(fields->name) == length && !memcmp(fields->name, key, length))
            return read_number(json, fields, (char *)record + fields->offset);
    return pv_json_skip(json, NULL, NULL);
}

bool pv_json_read_record(pv_json *json, const pv_json_field *fields, void *record)
{
    pv_append *append = json->append;
    short_key key = {.length = 0};
    bool good = pv_json_enter_object(json);
    json->append = add_to_key;
    for (; good && pv_json_next_key(json, &key); key.length = 0)
        good = pv_json_read_field(json, key.text, key.length, fields, record);
    json->append = append;
    return good && !json->cause;
}
