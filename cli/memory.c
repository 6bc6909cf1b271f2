/* Memory allocation that ends the program on failure; growing strings; lasting objects. */
#include "memory.h"

#include "exit_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void out_of_memory(void)
{
    fputs("psdvec: the system is out of memory; close other programs and try again\n", stderr);
    exit(EXIT_RESOURCE); /* NOLINT(concurrency-mt-unsafe): there is no alternative */
}

void *must_alloc(size_t count, size_t size)
{
    void *new = calloc(count ? count : 1, size ? size : 1);
    if (!new)
        out_of_memory();
    return new;
}

void *must_grow(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory();
    size_t bytes = count * size;
    void *new = realloc(old, bytes ? bytes : 1);
    if (!new)
        out_of_memory();
    return new;
}

char *must_copy(const char *text)
{
    size_t length = strlen(text) + 1;
    return memcpy(must_alloc(length, 1), text, length);
}

void buffer_add(struct buffer *buffer, const char *bytes, size_t length)
{
    if (length >= SIZE_MAX / 4 - buffer->length)
        out_of_memory();
    if (buffer->length + length + 1 > buffer->capacity) {
        buffer->capacity = 2 * (buffer->length + length) + 32;
        buffer->text = must_grow(buffer->text, buffer->capacity, 1);
    }
    if (length)
        memcpy(buffer->text + buffer->length, bytes, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_add(buffer, text, strlen(text));
}

void buffer_char(struct buffer *buffer, char c)
{
    buffer_add(buffer, &c, 1);
}

void buffer_vformat(struct buffer *buffer, const char *format, va_list list)
{
    char small[256];
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(small, sizeof small, format, list);
    if (length > 0 && (size_t)length < sizeof small) {
        buffer_add(buffer, small, (size_t)length);
    } else if (length > 0) {
        char *large = must_alloc((size_t)length + 1, 1);
        vsnprintf(large, (size_t)length + 1, format, again);
        buffer_add(buffer, large, (size_t)length);
        free(large);
    }
    va_end(again);
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    buffer_vformat(buffer, format, list);
    va_end(list);
}

bool buffer_append(void *to, const char *bytes, size_t length)
{
    buffer_add(to, bytes, length);
    return true;
}

void buffer_json(struct buffer *buffer, const char *text, size_t length)
{
    pv_json_quote(buffer_append, buffer, text, length);
}

void json_start(pv_json_writer *writer, struct buffer *buffer)
{
    pv_json_writer_start(writer, buffer_append, buffer);
    writer->spaced = true;
}

void json_end(pv_json_writer *writer)
{
    if (pv_json_writer_end(writer))
        return;
    fputs("psdvec: internal error: JSON was written in an invalid order; please report it\n",
          stderr);
    exit(EXIT_DEFECT); /* NOLINT(concurrency-mt-unsafe): as above */
}

const char *buffer_get(const struct buffer *buffer)
{
    return buffer->text ? buffer->text : "";
}

void buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    if (buffer->text)
        buffer->text[0] = '\0';
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct buffer){0};
}

char *must_format(const char *format, ...)
{
    struct buffer buffer = {0};
    va_list list;
    va_start(list, format);
    buffer_vformat(&buffer, format, list);
    va_end(list);
    buffer_text(&buffer, "");
    return buffer.text;
}

/* ---- JSON from files ---------------------------------------------------------------------------
 *
 * JSON in files of the library was validated when they were opened; for other JSON, malformed text
 * ends the iteration. */

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
    buffer_text(key, "");         /* not NULL, even for an empty name */
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
            if (*value == '[') /* no nested lists */
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

/* ---- Lasting objects: a list, from the end of which objects are released -------------------- */

static _Thread_local struct {
    struct {
        void *what;
        void (*end)(void *what);
    } * items;
    size_t count, capacity;
} all;

void *lasting(void *what, void (*end)(void *what))
{
    if (all.count == all.capacity) {
        all.capacity = 2 * all.capacity + 64;
        all.items = must_grow(all.items, all.capacity, sizeof *all.items);
    }
    all.items[all.count].what = what;
    all.items[all.count++].end = end;
    return what;
}

void *lasting_alloc(size_t count, size_t size)
{
    return lasting(must_alloc(count, size), free);
}

size_t lasting_count(void)
{
    return all.count;
}

void lasting_end(size_t count)
{
    while (all.count > count) {
        all.count--;
        all.items[all.count].end(all.items[all.count].what);
    }
    if (!all.count) {
        free(all.items);
        all.items = NULL;
        all.capacity = 0;
    }
}
