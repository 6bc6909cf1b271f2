/* JSON from files, for people. What the files of the library hold was validated when they were
 * opened; malformed text elsewhere ends the walk. */
#include "json.h"

#include <string.h>

static void start(pv_json *json, const char *text, size_t length)
{
    pv_json_start(json, text, length, PV_JSON_REPLACE_SURROGATES | PV_JSON_ANY_BYTES,
                  buffer_append);
}

bool json_enter(struct json_walk *walk, const char *text, char bracket)
{
    start(&walk->json, text, strlen(text));
    return bracket == '{' ? pv_json_enter_object(&walk->json) : pv_json_enter_array(&walk->json);
}

bool json_next(struct json_walk *walk, struct buffer *key, const char **value, size_t *length)
{
    buffer_clear(key);
    buffer_text(key, "");         /* not NULL, whatever the name */
    return walk->json.objects & 1 /* the outermost container is an object */
               ? pv_json_next_member(&walk->json, key, value, length)
               : pv_json_next_element(&walk->json) && pv_json_skip(&walk->json, value, length);
}

void json_plain(struct buffer *to, const char *value, size_t length)
{
    pv_json json;
    bool yes;
    start(&json, value, length);
    switch (pv_json_peek(&json)) {
    case PV_JSON_STRING:
        pv_json_read_string(&json, to);
        break;
    case PV_JSON_ARRAY:
        pv_json_enter_array(&json);
        for (bool first = true; pv_json_next_element(&json); first = false) {
            buffer_text(to, first ? "" : ", ");
            if (!pv_json_skip(&json, &value, &length))
                break;
            if (*value == '[') /* no list within a list */
                buffer_add(to, value, length);
            else
                json_plain(to, value, length);
        }
        break;
    case PV_JSON_BOOL:
        buffer_text(to, pv_json_read_bool(&json, &yes) && yes ? "yes" : "no");
        break;
    case PV_JSON_NULL:
        buffer_text(to, "none");
        break;
    default:
        buffer_add(to, value, length);
    }
}
