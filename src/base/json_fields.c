/* Struct fields to and from JSON. Values are copied by memcpy: the table knows
 * places and kinds, not types. */
#include "base/json_fields.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(psdvec_form) == sizeof(unsigned), "enumerations are copied as unsigned");

static void put_field(pv_json_writer *w, const pv_json_field *field, const char *at)
{
    uint32_t whole;
    unsigned choice;
    double real;
    bool flag;
    pv_json_key(w, field->key);
    switch (field->kind) {
    case PV_FIELD_U32:
        memcpy(&whole, at, sizeof whole);
        pv_json_put_u64(w, whole);
        break;
    case PV_FIELD_DOUBLE:
        memcpy(&real, at, sizeof real);
        pv_json_put_double(w, real);
        break;
    case PV_FIELD_BOOL:
        memcpy(&flag, at, sizeof flag);
        pv_json_put_bool(w, flag);
        break;
    case PV_FIELD_CHOICE:
        memcpy(&choice, at, sizeof choice);
        pv_json_put_string(w, field->names[choice]);
        break;
    }
}

void pv_json_put_fields(pv_json_writer *writer, const pv_json_field *fields, size_t count,
                        const void *record)
{
    for (size_t i = 0; i < count; i++)
        put_field(writer, &fields[i], (const char *)record + fields[i].offset);
}

static bool in_range(pv_json *json, const pv_json_field *field, double value)
{
    bool any = field->least == 0 && field->most == 0;
    return any || (value >= field->least && value <= field->most) ||
           pv_json_reject(json, "a setting is out of range");
}

static bool read_choice(pv_json *json, const pv_json_field *field, char *at)
{
    /* Names are short and of our own making: a longer text is none of them. */
    const char *text;
    size_t length;
    if (pv_json_peek(json) != PV_JSON_STRING)
        return pv_json_reject(json, "a word is expected here");
    if (!pv_json_skip(json, &text, &length))
        return false;
    for (unsigned i = 0; field->names[i]; i++)
        if (strlen(field->names[i]) + 2 == length &&
            !memcmp(field->names[i], text + 1, length - 2)) {
            memcpy(at, &i, sizeof i);
            return true;
        }
    return pv_json_reject(json, "a setting has a value that this version does not know");
}

static bool read_value(pv_json *json, const pv_json_field *field, char *at)
{
    uint64_t whole;
    uint32_t narrow;
    double real;
    bool flag;
    switch (field->kind) {
    case PV_FIELD_U32:
        if (!pv_json_read_u64(json, &whole) || !in_range(json, field, (double)whole))
            return false;
        if (whole > UINT32_MAX)
            return pv_json_reject(json, "a setting is out of range");
        narrow = (uint32_t)whole;
        memcpy(at, &narrow, sizeof narrow);
        return true;
    case PV_FIELD_DOUBLE:
        if (!pv_json_read_double(json, &real) || !in_range(json, field, real))
            return false;
        memcpy(at, &real, sizeof real);
        return true;
    case PV_FIELD_BOOL:
        if (!pv_json_read_bool(json, &flag))
            return false;
        memcpy(at, &flag, sizeof flag);
        return true;
    case PV_FIELD_CHOICE:
        return read_choice(json, field, at);
    }
    return false;
}

bool pv_json_read_field(pv_json *json, const pv_json_field *fields, size_t count,
                        const pv_buffer *key, void *record, uint64_t *seen)
{
    for (size_t i = 0; i < count; i++)
        if (pv_json_text_is(key, fields[i].key)) {
            *seen |= UINT64_C(1) << i;
            return read_value(json, &fields[i], (char *)record + fields[i].offset);
        }
    return false;
}

const char *pv_json_missing_field(const pv_json_field *fields, size_t count, uint64_t seen)
{
    for (size_t i = 0; i < count; i++)
        if (!(seen & UINT64_C(1) << i))
            return fields[i].key;
    return NULL;
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
