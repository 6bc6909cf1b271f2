/* Structs of numbers as JSON objects. */
#include "util/json.h"

#include <math.h>
#include <string.h>

/* A key as far as it can be the name of a field. */
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

void pv_json_put_fields(pv_json_writer *writer, const pv_json_field *fields, const void *record,
                        bool known)
{
    for (; fields->name; fields++) {
        const void *member = (const char *)record + fields->offset;
        uint32_t narrow;
        uint64_t wide;
        double real;
        switch (fields->kind) {
        case PV_JSON_U32:
            memcpy(&narrow, member, sizeof narrow);
            pv_json_put_u64(writer, fields->name, narrow);
            break;
        case PV_JSON_U64:
            memcpy(&wide, member, sizeof wide);
            pv_json_put_u64(writer, fields->name, wide);
            break;
        case PV_JSON_REAL:
            memcpy(&real, member, sizeof real);
            if (!known || isfinite(real))
                pv_json_put_double(writer, fields->name, real);
        }
    }
}
