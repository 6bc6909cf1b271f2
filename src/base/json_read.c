/* The pull parser of json_read.h.
 *
 * All of its state is a position, two bit sets indexed by depth (is the
 * container an object; has it had a member) and the flag `due`, which says
 * that a value stands at the position. Skipping is the same walk with nobody
 * looking, so there is one grammar, and no recursion that a hostile text could
 * drive. Strings are read by json_string.c, numbers by json_number.c.
 */
#include "base/json_parser.h"

#include <string.h>

/* ---- Failure ------------------------------------------------------------ */

bool pv_json_fail_at(pv_json *json, const char *place, const char *cause)
{
    if (!json->cause) {
        json->cause = cause;
        json->offset = (size_t)(place - json->start);
        json->status = PSDVEC_ERR_FORMAT;
    }
    return false;
}

bool pv_json_fail_buffer(pv_json *json, psdvec_status status)
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
    return pv_json_fail_at(json, json->at, cause);
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

bool pv_json_to_value(pv_json *json)
{
    if (json->cause)
        return false;
    if (!json->due)
        return pv_json_fail_at(json, json->at, "no value stands here");
    skip_space(json);
    if (json->at == json->end)
        return pv_json_fail_at(json, json->at, "it ends where a value should stand");
    return true;
}

pv_json_type pv_json_peek(pv_json *json)
{
    if (!pv_json_to_value(json))
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
        if (*json->at == '-' || pv_json_is_digit(*json->at))
            return PV_JSON_NUMBER;
        pv_json_fail_at(json, json->at, "no value begins with this character");
        return PV_JSON_NONE;
    }
}

/* ---- Containers --------------------------------------------------------- */

static bool enter(pv_json *json, char bracket, const char *otherwise)
{
    if (!pv_json_to_value(json))
        return false;
    if (*json->at != bracket)
        return pv_json_fail_at(json, json->at, otherwise);
    if (json->depth == PV_JSON_DEPTH)
        return pv_json_fail_at(json, json->at, "it is nested too deeply (more than 64 levels)");
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
        return pv_json_fail_at(json, json->at,
                               object ? "no object is open here" : "no array is open here");
    skip_space(json);
    if (json->at == json->end)
        return pv_json_fail_at(json, json->at,
                               object ? "it ends inside an object" : "it ends inside an array");
    if (*json->at == (object ? '}' : ']')) {
        json->at++;
        json->depth--;
        return false;
    }
    if (json->filled & bit) {
        if (*json->at != ',')
            return pv_json_fail_at(json, json->at,
                                   object ? "a comma or } is missing" : "a comma or ] is missing");
        json->at++;
        skip_space(json);
    }
    json->filled |= bit;
    return true;
}

bool pv_json_next_key(pv_json *json, pv_buffer *key)
{
    if (!next_member(json, true))
        return false;
    if (json->at == json->end)
        return pv_json_fail_at(json, json->at, "it ends inside an object");
    if (*json->at != '"')
        return pv_json_fail_at(json, json->at, "a key in quotes is expected here");
    if (!pv_json_read_quoted(json, key))
        return false;
    skip_space(json);
    if (json->at == json->end || *json->at != ':')
        return pv_json_fail_at(json, json->at, "a colon is missing after a key");
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

/* ---- Words and skipping -------------------------------------------------- */

static bool read_word(pv_json *json, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(json->end - json->at) < length || memcmp(json->at, word, length) != 0)
        return pv_json_fail_at(json, json->at,
                               "no such word: true, false and null are all there are");
    json->at += length;
    json->due = false;
    return true;
}

bool pv_json_read_bool(pv_json *json, bool *value)
{
    if (!pv_json_to_value(json))
        return false;
    char first = *json->at;
    if (first != 't' && first != 'f')
        return pv_json_fail_at(json, json->at, "true or false is expected here");
    if (!read_word(json, first == 't' ? "true" : "false"))
        return false;
    *value = first == 't';
    return true;
}

bool pv_json_read_null(pv_json *json)
{
    if (!pv_json_to_value(json))
        return false;
    if (*json->at != 'n')
        return pv_json_fail_at(json, json->at, "null is expected here");
    return read_word(json, "null");
}

/* Reads a value without looking at it; of a container, only its bracket. */
static bool pass(pv_json *json)
{
    bool truth;
    pv_json_number n;
    switch (pv_json_peek(json)) {
    case PV_JSON_OBJECT:
        return pv_json_enter_object(json);
    case PV_JSON_ARRAY:
        return pv_json_enter_array(json);
    case PV_JSON_STRING:
        return pv_json_read_string(json, NULL);
    case PV_JSON_NUMBER:
        return pv_json_scan_number(json, &n) && pv_json_step_over(json, &n);
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
    if (!pv_json_to_value(json))
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
        return pv_json_fail_at(json, json->at, "an object or array was not read to its end");
    skip_space(json);
    if (json->at != json->end)
        return pv_json_fail_at(json, json->at, "something follows where it should end");
    return true;
}

bool pv_json_text_is(const pv_buffer *buffer, const char *text)
{
    size_t length = strlen(text);
    return buffer->length == length && (length == 0 || memcmp(buffer->data, text, length) == 0);
}

psdvec_status pv_json_member(const char *json, const char *name, pv_buffer *out)
{
    pv_json j;
    pv_buffer key;
    psdvec_status status = PSDVEC_OK;
    pv_buffer_init(&key, out->ctx);
    pv_json_init(&j, json, strlen(json), 0);
    pv_json_enter_object(&j);
    while (status == PSDVEC_OK && (key.length = 0, pv_json_next_key(&j, &key))) {
        const char *span;
        size_t length;
        if (!pv_json_skip(&j, &span, &length))
            break;
        if (!pv_json_text_is(&key, name))
            continue;
        status = pv_buffer_append(out, span, length);
        if (status == PSDVEC_OK)
            status = pv_buffer_byte(out, 0);
    }
    pv_buffer_free(&key);
    return status;
}
