/* A walk over JSON text, without a tree: enter, next, next. What it meets was
 * written by our library, but the file may be damaged, so malformed text ends
 * the walk and never reads past the final zero byte. */
#include "json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Behind the string that starts at `at`; NULL if it does not end. */
static const char *string_end(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && !*++at)
            return NULL;
    return *at ? at + 1 : NULL;
}

/* Behind the value that starts at `at`; NULL if it is malformed. */
static const char *value_end(const char *at)
{
    if (*at == '"')
        return string_end(at);
    if (*at != '{' && *at != '[') {
        size_t length = strcspn(at, ",]} \t\r\n");
        return length ? at + length : NULL;
    }
    size_t depth = 0;
    for (; *at; at++) {
        if (*at == '"') {
            at = string_end(at);
            if (!at)
                return NULL;
            at--;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if ((*at == '}' || *at == ']') && --depth == 0) {
            return at + 1;
        }
    }
    return NULL;
}

bool json_enter(struct json_walk *walk, const char *text, char bracket)
{
    text = skip_space(text);
    *walk = (struct json_walk){.at = text + 1, .object = bracket == '{', .first = true};
    return *text == bracket;
}

static void add_code(struct buffer *to, uint32_t code)
{
    char bytes[4];
    size_t length;
    if (code < 0x80) {
        bytes[0] = (char)code;
        length = 1;
    } else if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3f));
        length = 2;
    } else if (code < 0x10000) {
        bytes[0] = (char)(0xe0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
        length = 3;
    } else {
        bytes[0] = (char)(0xf0 | code >> 18);
        bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[3] = (char)(0x80 | (code & 0x3f));
        length = 4;
    }
    buffer_add(to, bytes, length);
}

/* Four hex digits; 0xfffd if they are none. */
static uint32_t hex(const char *at, const char *end)
{
    char digits[5] = {0};
    if (end - at < 4)
        return 0xfffd;
    memcpy(digits, at, 4);
    return digits[strspn(digits, "0123456789abcdefABCDEF")] ? 0xfffd
                                                            : (uint32_t)strtoul(digits, NULL, 16);
}

/* Adds what stands between the quotes, decoded. */
static void add_string(struct buffer *to, const char *at, const char *end)
{
    static const char from[] = "nrtbf", into[] = "\n\r\t\b\f";
    for (; at < end; at++) {
        const char *known;
        if (*at != '\\' || at + 1 >= end) {
            buffer_char(to, *at);
        } else if (*++at == 'u') {
            uint32_t code = hex(at + 1, end);
            at += end - at > 4 ? 4 : end - at - 1;
            if (code >= 0xd800 && code < 0xdc00 && end - at > 6 && at[1] == '\\' && at[2] == 'u') {
                uint32_t low = hex(at + 3, end);
                if (low >= 0xdc00 && low < 0xe000) {
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                    at += 6;
                }
            }
            add_code(to, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
        } else if (*at && (known = strchr(from, *at))) {
            buffer_char(to, into[known - from]);
        } else {
            buffer_char(to, *at);
        }
    }
}

bool json_next(struct json_walk *walk, struct buffer *key, const char **value, size_t *length)
{
    const char *at = skip_space(walk->at);
    if (!walk->first) {
        if (*at != ',')
            return false;
        at = skip_space(at + 1);
    }
    walk->first = false;
    buffer_clear(key);
    if (walk->object) {
        const char *end = *at == '"' ? string_end(at) : NULL;
        if (!end)
            return false;
        add_string(key, at + 1, end - 1);
        at = skip_space(end);
        if (*at != ':')
            return false;
        at = skip_space(at + 1);
    }
    const char *end = value_end(at);
    if (!end)
        return false;
    *value = at;
    *length = (size_t)(end - at);
    walk->at = end;
    return true;
}

static void add_list(struct buffer *to, const char *value)
{
    struct json_walk walk;
    struct buffer key = {0};
    size_t length;
    json_enter(&walk, value, '[');
    for (bool first = true; json_next(&walk, &key, &value, &length); first = false) {
        buffer_text(to, first ? "" : ", ");
        if (*value == '[')
            buffer_add(to, value, length); /* no list within a list: no deep recursion */
        else
            json_plain(to, value, length);
    }
    buffer_free(&key);
}

void json_plain(struct buffer *to, const char *value, size_t length)
{
    if (value[0] == '"' && length >= 2)
        add_string(to, value + 1, value + length - 1);
    else if (value[0] == '[')
        add_list(to, value);
    else if (length == 4 && !memcmp(value, "true", 4))
        buffer_text(to, "yes");
    else if (length == 5 && !memcmp(value, "false", 5))
        buffer_text(to, "no");
    else if (length == 4 && !memcmp(value, "null", 4))
        buffer_text(to, "none");
    else
        buffer_add(to, value, length);
}
