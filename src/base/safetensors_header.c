/* The header of a safetensors file: JSON to a list of entries.
 *
 * Believes nothing, but sees each tensor by itself; whether the tensors fit
 * together is for safetensors_read.c to say. A header that starts as it should
 * and then goes wrong is called damaged, not foreign: by then eight bytes and
 * a brace have agreed.
 *
 * One pass, linear in the length of the header; the lists grow by half.
 */
#include "base/safetensors_file.h"

#include "base/json.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <string.h>

/* ---- Messages ------------------------------------------------------------ */

pv_st_shown pv_st_show(const char *name)
{
    pv_st_shown s;
    size_t i = 0;
    for (; i < 80 && name[i]; i++) {
        unsigned char c = (unsigned char)name[i], before = i ? (unsigned char)name[i - 1] : 0;
        bool control = c < 0x20 || c == 0x7f || (before == 0xc2 && c < 0xa0);
        s.text[i] = control ? '?' : name[i];
        if (control && before == 0xc2)
            s.text[i - 1] = '?';
    }
    if (name[i]) {
        i = pv_utf8_cut(name, i);
        memcpy(s.text + i, "...", 3);
        i += 3;
    }
    s.text[i] = 0;
    return s;
}

psdvec_status pv_st_fail_tensor(pv_st_file *file, const char *name, const char *what)
{
    return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the header is damaged: tensor \"%s\" %s; " PV_ST_AGAIN, file->path,
                   pv_st_show(name).text, what);
}

static psdvec_status fail_json(pv_st_file *file, const pv_json *json)
{
    if (json->refused)
        return pv_failure(file->ctx); /* memory; its sentence is recorded */
    return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the header is damaged at byte %zu: %s; " PV_ST_AGAIN, file->path,
                   json->offset + 8, json->cause);
}

/* ---- The parser ---------------------------------------------------------- */

/* Makes room for one more element of an array that grows by half. */
static psdvec_status grow(psdvec_context *ctx, void *array, size_t count, size_t *capacity,
                          size_t size)
{
    if (count < *capacity)
        return PSDVEC_OK;
    size_t larger = *capacity + *capacity / 2 + 16;
    void *old;
    memcpy(&old, array, sizeof old);
    void *block = pv_resize(ctx, old, larger, size, "the list of tensors");
    if (!block)
        return pv_failure(ctx);
    memcpy(array, &block, sizeof block);
    *capacity = larger;
    return PSDVEC_OK;
}

/* Ends the text that starts at `from` in the arena, and refuses zero bytes in
 * it: texts are handed out as C strings. */
static psdvec_status end_text(pv_st_file *file, pv_json *json, size_t from)
{
    if (json->cause)
        return fail_json(file, json);
    pv_buffer *arena = &file->arena;
    if (arena->length > from && memchr(arena->data + from, 0, arena->length - from)) {
        pv_json_reject(json, "a name or text contains a zero character");
        return fail_json(file, json);
    }
    return pv_buffer_byte(arena, 0);
}

static psdvec_status read_metadata(pv_st_file *file, pv_json *json)
{
    if (file->has_metadata)
        pv_json_reject(json, "__metadata__ is given twice");
    file->has_metadata = true;
    pv_json_enter_object(json);
    size_t key_at = file->arena.length;
    while (pv_json_next_key(json, &file->arena)) {
        PV_TRY(end_text(file, json, key_at));
        size_t value_at = file->arena.length;
        pv_json_read_string(json, &file->arena);
        PV_TRY(end_text(file, json, value_at));
        PV_TRY(grow(file->ctx, &file->meta, file->meta_count, &file->meta_capacity,
                    sizeof *file->meta));
        file->meta[file->meta_count++] = (pv_st_meta_entry){key_at, value_at};
        key_at = file->arena.length;
    }
    return json->cause ? fail_json(file, json) : PSDVEC_OK;
}

static psdvec_status read_dtype(pv_st_file *file, pv_json *json, pv_buffer *scratch, pv_st_entry *e)
{
    scratch->length = 0;
    if (!pv_json_read_string(json, scratch))
        return fail_json(file, json);
    for (int i = 0; i < PV_DTYPE_COUNT; i++)
        if (pv_json_text_is(scratch, pv_dtype_name((pv_dtype)i))) {
            e->tensor.dtype = (pv_dtype)i;
            return PSDVEC_OK;
        }
    PV_TRY(pv_buffer_byte(scratch, 0));
    return pv_fail(file->ctx, PSDVEC_ERR_FORMAT,
                   "%s: tensor \"%s\" has the type \"%s\", which is not known here; convert it to "
                   "F32, or use a newer version",
                   file->path, pv_st_show(file->arena.data + e->name_at).text,
                   pv_st_show(scratch->data).text);
}

static psdvec_status read_shape(pv_st_file *file, pv_json *json, pv_st_entry *e)
{
    pv_json_enter_array(json);
    while (pv_json_next_element(json)) {
        uint64_t length;
        if (!pv_json_read_u64(json, &length))
            break;
        if (e->tensor.rank == PV_ST_RANK_MAX)
            return pv_fail(file->ctx, PSDVEC_ERR_FORMAT,
                           "%s: tensor \"%s\" has more than %d dimensions, which is not supported; "
                           "give it fewer",
                           file->path, pv_st_show(file->arena.data + e->name_at).text,
                           PV_ST_RANK_MAX);
        e->tensor.shape[e->tensor.rank++] = length;
    }
    return json->cause ? fail_json(file, json) : PSDVEC_OK;
}

static psdvec_status read_offsets(pv_st_file *file, pv_json *json, pv_st_entry *e)
{
    uint64_t *const places[2] = {&e->begin, &e->end};
    size_t count = 0;
    pv_json_enter_array(json);
    while (pv_json_next_element(json)) {
        if (count == 2)
            pv_json_reject(json, "data_offsets has more than two numbers");
        else
            pv_json_read_u64(json, places[count++]);
    }
    if (count < 2)
        pv_json_reject(json, "data_offsets has fewer than two numbers");
    return json->cause ? fail_json(file, json) : PSDVEC_OK;
}

/* The value of one tensor. Fields that the format does not know are skipped,
 * as by the reference implementation. */
static psdvec_status read_tensor(pv_st_file *file, pv_json *json, pv_buffer *scratch,
                                 pv_st_entry *e)
{
    enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4, ALL = 7 };
    unsigned seen = 0;
    pv_json_enter_object(json);
    while (scratch->length = 0, pv_json_next_key(json, scratch)) {
        unsigned field = pv_json_text_is(scratch, "dtype")          ? DTYPE
                         : pv_json_text_is(scratch, "shape")        ? SHAPE
                         : pv_json_text_is(scratch, "data_offsets") ? OFFSETS
                                                                    : 0;
        if (seen & field)
            pv_json_reject(json, "a field of a tensor is given twice");
        seen |= field;
        if (field == DTYPE)
            PV_TRY(read_dtype(file, json, scratch, e));
        else if (field == SHAPE)
            PV_TRY(read_shape(file, json, e));
        else if (field == OFFSETS)
            PV_TRY(read_offsets(file, json, e));
    }
    if (json->cause)
        return fail_json(file, json);
    const char *name = file->arena.data + e->name_at;
    if (seen != ALL)
        return pv_st_fail_tensor(file, name, "lacks its dtype, shape or data_offsets");
    if (!pv_st_extent(e->tensor.dtype, e->tensor.rank, e->tensor.shape, &e->tensor.count,
                      &e->tensor.bytes))
        return pv_st_fail_tensor(file, name, "has a shape too large for any machine");
    if (e->begin > e->end)
        return pv_st_fail_tensor(file, name, "ends before it begins");
    if (e->end - e->begin != e->tensor.bytes)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the header is damaged: tensor \"%s\" has %" PRIu64
                       " bytes, but its shape and type need %" PRIu64 "; " PV_ST_AGAIN,
                       file->path, pv_st_show(name).text, e->end - e->begin, e->tensor.bytes);
    return PSDVEC_OK;
}

psdvec_status pv_st_read_header(pv_st_file *file, uint64_t header_length)
{
    psdvec_status status = PSDVEC_OK;
    pv_buffer scratch;
    pv_buffer_init(&scratch, file->ctx);
    pv_json json;
    pv_json_init(&json, (const char *)file->data + 8, (size_t)header_length, 0);
    pv_json_enter_object(&json);
    size_t name_at = file->arena.length;
    while (pv_json_next_key(&json, &file->arena)) {
        PV_TRY_DONE(end_text(file, &json, name_at));
        if (strcmp(file->arena.data + name_at, "__metadata__") == 0) {
            PV_TRY_DONE(read_metadata(file, &json));
        } else {
            pv_st_entry e = {.name_at = name_at};
            PV_TRY_DONE(read_tensor(file, &json, &scratch, &e));
            PV_TRY_DONE(grow(file->ctx, &file->entries, file->entry_count, &file->entry_capacity,
                             sizeof *file->entries));
            file->entries[file->entry_count++] = e;
        }
        name_at = file->arena.length;
    }
    if (!pv_json_finish(&json))
        status = fail_json(file, &json);
done:
    pv_buffer_free(&scratch);
    return status;
}
