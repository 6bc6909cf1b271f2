/* The reader of safetensors_read.h.
 *
 * Three steps, each of which trusts only what the one before has checked: the
 * frame (lengths), the header (JSON to a list of entries, names in one arena),
 * the tiling (entries sorted by offset must follow one another exactly from
 * the first to the last byte). Only then do pointers into the file appear.
 *
 * A header that starts as it should and then goes wrong is called damaged, not
 * foreign: by then eight bytes and a brace have agreed.
 */
#include "base/safetensors_read.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define AGAIN "get the file again or make it anew"
#define SLICE ((size_t)4 << 20) /* bytes between two questions about stopping */

static const struct {
    char name[8];
    unsigned char size;
} dtypes[PV_DTYPE_COUNT] = {
    [PV_DTYPE_BOOL] = {"BOOL", 1},       [PV_DTYPE_U8] = {"U8", 1},
    [PV_DTYPE_I8] = {"I8", 1},           [PV_DTYPE_F8_E5M2] = {"F8_E5M2", 1},
    [PV_DTYPE_F8_E4M3] = {"F8_E4M3", 1}, [PV_DTYPE_U16] = {"U16", 2},
    [PV_DTYPE_I16] = {"I16", 2},         [PV_DTYPE_F16] = {"F16", 2},
    [PV_DTYPE_BF16] = {"BF16", 2},       [PV_DTYPE_U32] = {"U32", 4},
    [PV_DTYPE_I32] = {"I32", 4},         [PV_DTYPE_F32] = {"F32", 4},
    [PV_DTYPE_U64] = {"U64", 8},         [PV_DTYPE_I64] = {"I64", 8},
    [PV_DTYPE_F64] = {"F64", 8},
};

const char *pv_dtype_name(pv_dtype dtype)
{
    return (unsigned)dtype < PV_DTYPE_COUNT ? dtypes[dtype].name : "?";
}

size_t pv_dtype_size(pv_dtype dtype)
{
    return (unsigned)dtype < PV_DTYPE_COUNT ? dtypes[dtype].size : 0;
}

bool pv_st_extent(pv_dtype dtype, unsigned rank, const uint64_t *shape, uint64_t *count,
                  uint64_t *bytes)
{
    *count = 1;
    for (unsigned i = 0; i < rank; i++)
        if (__builtin_mul_overflow(*count, shape[i], count))
            return false;
    return !__builtin_mul_overflow(*count, (uint64_t)pv_dtype_size(dtype), bytes);
}

typedef struct entry {
    pv_tensor tensor;
    size_t name_at; /* in the arena; tensor.name while that no longer moves */
    uint64_t begin, end;
    const unsigned char *raw; /* in the file */
    void *copy;               /* NULL, or the aligned copy */
    bool filler;
} entry;

typedef struct meta_entry {
    size_t key_at, value_at; /* in the arena */
} meta_entry;

struct pv_st_file {
    psdvec_context *ctx;
    char *path;
    const unsigned char *data;
    size_t length;
    pv_map map; /* all zero if the memory is the caller's */

    pv_buffer arena; /* names, keys and values, each with its zero */
    entry *entries;  /* in the order of the header */
    size_t entry_count, entry_capacity;
    const entry **by_name;
    const pv_tensor **in_order; /* without fillers */
    size_t in_order_count;
    meta_entry *meta;
    size_t meta_count, meta_capacity;
    pv_st_pair *pairs; /* sorted by key */
    bool has_metadata;
};

/* ---- Messages ------------------------------------------------------------ */

/* A name fit for a sentence: short, and without control characters (U+0080 to
 * U+009F included), which a terminal might obey. */
typedef struct shown {
    char text[84];
} shown;

static shown show(const char *name)
{
    shown s;
    size_t i = 0;
    for (; i < 80 && name[i]; i++) {
        unsigned char c = (unsigned char)name[i], before = i ? (unsigned char)name[i - 1] : 0;
        bool control = c < 0x20 || c == 0x7f || (before == 0xc2 && c < 0xa0);
        s.text[i] = control ? '?' : name[i];
        if (control && before == 0xc2)
            s.text[i - 1] = '?';
    }
    if (name[i]) {
        while (i > 0 && ((unsigned char)name[i] & 0xc0) == 0x80)
            i--; /* not in the middle of a character */
        memcpy(s.text + i, "...", 3);
        i += 3;
    }
    s.text[i] = 0;
    return s;
}

static psdvec_status fail_json(pv_st_file *file, const pv_json *json)
{
    if (json->status != PSDVEC_ERR_FORMAT)
        return json->status; /* memory; its sentence is recorded */
    return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the header is damaged at byte %zu: %s; " AGAIN, file->path,
                   json->offset + 8, json->cause);
}

static psdvec_status fail_tensor(pv_st_file *file, const char *name, const char *what)
{
    return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the header is damaged: tensor \"%s\" %s; " AGAIN, file->path,
                   show(name).text, what);
}

static psdvec_status recorded(psdvec_context *ctx)
{
    return pv_failure(ctx);
}

/* ---- The header ----------------------------------------------------------- */

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
        return recorded(ctx);
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
        file->meta[file->meta_count++] = (meta_entry){key_at, value_at};
        key_at = file->arena.length;
    }
    return json->cause ? fail_json(file, json) : PSDVEC_OK;
}

static psdvec_status read_dtype(pv_st_file *file, pv_json *json, pv_buffer *scratch, entry *e)
{
    scratch->length = 0;
    if (!pv_json_read_string(json, scratch))
        return fail_json(file, json);
    for (int i = 0; i < PV_DTYPE_COUNT; i++)
        if (pv_json_text_is(scratch, dtypes[i].name)) {
            e->tensor.dtype = (pv_dtype)i;
            return PSDVEC_OK;
        }
    PV_TRY(pv_buffer_byte(scratch, 0));
    return pv_fail(file->ctx, PSDVEC_ERR_FORMAT,
                   "%s: tensor \"%s\" has the type \"%s\", which is not known here; convert it to "
                   "F32, or use a newer version",
                   file->path, show(file->arena.data + e->name_at).text, show(scratch->data).text);
}

static psdvec_status read_shape(pv_st_file *file, pv_json *json, entry *e)
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
                           file->path, show(file->arena.data + e->name_at).text, PV_ST_RANK_MAX);
        e->tensor.shape[e->tensor.rank++] = length;
    }
    return json->cause ? fail_json(file, json) : PSDVEC_OK;
}

static psdvec_status read_offsets(pv_st_file *file, pv_json *json, entry *e)
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
static psdvec_status read_tensor(pv_st_file *file, pv_json *json, pv_buffer *scratch, entry *e)
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
        return fail_tensor(file, name, "lacks its dtype, shape or data_offsets");
    if (!pv_st_extent(e->tensor.dtype, e->tensor.rank, e->tensor.shape, &e->tensor.count,
                      &e->tensor.bytes))
        return fail_tensor(file, name, "has a shape too large for any machine");
    if (e->begin > e->end)
        return fail_tensor(file, name, "ends before it begins");
    if (e->end - e->begin != e->tensor.bytes)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the header is damaged: tensor \"%s\" has %" PRIu64
                       " bytes, but its shape and type need %" PRIu64 "; " AGAIN,
                       file->path, show(name).text, e->end - e->begin, e->tensor.bytes);
    return PSDVEC_OK;
}

static psdvec_status read_header(pv_st_file *file, uint64_t header_length)
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
            entry e = {.name_at = name_at};
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

/* ---- Names, metadata, tiling ---------------------------------------------- */

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(((const pv_st_pair *)a)->key, ((const pv_st_pair *)b)->key);
}

static int compare_names(const void *a, const void *b)
{
    const entry *x = *(const entry *const *)a, *y = *(const entry *const *)b;
    return strcmp(x->tensor.name, y->tensor.name);
}

static int compare_places(const void *a, const void *b)
{
    const entry *x = *(const entry *const *)a, *y = *(const entry *const *)b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return strcmp(x->tensor.name, y->tensor.name);
}

static psdvec_status index_metadata(pv_st_file *file)
{
    file->pairs =
        pv_alloc(file->ctx, file->meta_count, sizeof *file->pairs, "the metadata of a file");
    if (!file->pairs)
        return recorded(file->ctx);
    for (size_t i = 0; i < file->meta_count; i++)
        file->pairs[i] = (pv_st_pair){file->arena.data + file->meta[i].key_at,
                                      file->arena.data + file->meta[i].value_at};
    if (file->meta_count)
        qsort(file->pairs, file->meta_count, sizeof *file->pairs, compare_pairs);
    for (size_t i = 1; i < file->meta_count; i++)
        if (strcmp(file->pairs[i - 1].key, file->pairs[i].key) == 0)
            return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                           "%s: the header is damaged: the metadata gives \"%s\" twice; " AGAIN,
                           file->path, show(file->pairs[i].key).text);
    return PSDVEC_OK;
}

static bool is_filler(const pv_tensor *t)
{
    if (t->dtype != PV_DTYPE_U8 || t->rank != 1 || t->bytes >= PV_ST_ALIGN ||
        strncmp(t->name, "pad.", 4) != 0 || !t->name[4])
        return false;
    return t->name[4 + strspn(t->name + 4, "0123456789")] == 0;
}

static psdvec_status index_names(pv_st_file *file)
{
    file->by_name = pv_alloc(file->ctx, file->entry_count, sizeof(entry *), "the list of tensors");
    if (!file->by_name)
        return recorded(file->ctx);
    bool ours = pv_st_meta(file, "xxh3.metadata") != NULL;
    for (size_t i = 0; i < file->entry_count; i++) {
        entry *e = &file->entries[i];
        e->tensor.name = file->arena.data + e->name_at;
        e->filler = ours && is_filler(&e->tensor);
        file->by_name[i] = e;
    }
    if (file->entry_count)
        qsort(file->by_name, file->entry_count, sizeof(entry *), compare_names);
    for (size_t i = 1; i < file->entry_count; i++)
        if (strcmp(file->by_name[i - 1]->tensor.name, file->by_name[i]->tensor.name) == 0)
            return fail_tensor(file, file->by_name[i]->tensor.name, "is given twice");
    return PSDVEC_OK;
}

/* Copies a tensor that its type does not allow to be used in place. */
static psdvec_status align(pv_st_file *file, entry *e)
{
    static const uint64_t nothing[1] = {0};
    if (e->tensor.bytes == 0) {
        e->tensor.data = nothing;
        return PSDVEC_OK;
    }
    size_t width = pv_dtype_size(e->tensor.dtype);
    if (width <= 1 || (uintptr_t)e->raw % width == 0) {
        e->tensor.data = e->raw;
        return PSDVEC_OK;
    }
    size_t bytes = (size_t)e->tensor.bytes;
    e->copy = pv_alloc(file->ctx, bytes, 1, "the copy of a tensor that is not aligned");
    if (!e->copy)
        return recorded(file->ctx);
    for (size_t at = 0; at < bytes; at += SLICE) {
        PV_TRY(pv_check_cancel(file->ctx));
        memcpy((char *)e->copy + at, e->raw + at, bytes - at < SLICE ? bytes - at : SLICE);
    }
    e->tensor.data = e->copy;
    return PSDVEC_OK;
}

/* `data_at`: where the tensors start in the file. */
static psdvec_status check_tiling(pv_st_file *file, entry **by_place, size_t data_at)
{
    uint64_t present = file->length - data_at, reached = 0;
    for (size_t i = 0; i < file->entry_count; i++)
        by_place[i] = &file->entries[i];
    if (file->entry_count)
        qsort(by_place, file->entry_count, sizeof(entry *), compare_places);
    for (size_t i = 0; i < file->entry_count; i++) {
        const entry *e = by_place[i];
        if (e->begin < reached)
            return fail_tensor(file, e->tensor.name, "overlaps another");
        if (e->begin > reached)
            return fail_tensor(file, e->tensor.name, "leaves a hole before it");
        reached = e->end;
    }
    if (reached > present)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the file is truncated: %" PRIu64 " %s missing at its end; " AGAIN,
                       file->path, reached - present,
                       reached - present == 1 ? "byte is" : "bytes are");
    if (reached < present)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: %" PRIu64
                       " %s behind the last tensor, where the file should end; " AGAIN,
                       file->path, present - reached,
                       present - reached == 1 ? "byte follows" : "bytes follow");
    for (size_t i = 0; i < file->entry_count; i++) {
        entry *e = by_place[i];
        e->raw = file->data + data_at + e->begin;
        PV_TRY(align(file, e));
        if (!e->filler)
            file->in_order[file->in_order_count++] = &e->tensor;
    }
    return PSDVEC_OK;
}

static psdvec_status index_places(pv_st_file *file, size_t data_at)
{
    psdvec_context *ctx = file->ctx;
    file->in_order = pv_alloc(ctx, file->entry_count, sizeof(pv_tensor *), "the list of tensors");
    entry **by_place = pv_alloc(ctx, file->entry_count, sizeof(entry *), "the list of tensors");
    psdvec_status status = file->in_order && by_place ? check_tiling(file, by_place, data_at)
                                                      : recorded(ctx);
    pv_free(ctx, by_place);
    return status;
}

/* ---- Opening --------------------------------------------------------------- */

static psdvec_status read_frame(pv_st_file *file, uint64_t *header_length)
{
    uint64_t n = 0;
    for (size_t i = 0; i < 8 && i < file->length; i++)
        n |= (uint64_t)file->data[i] << (8 * i);
    bool brace = file->length <= 8 || file->data[8] == '{';
    bool possible = n <= PV_ST_HEADER_MAX && (n >= 2 || file->length < 8);
    if (!brace || !possible)
        return pv_fail(file->ctx, PSDVEC_ERR_FORMAT,
                       "%s: this is not a safetensors file: it does not begin with the length of "
                       "a header and the header; give a file that psdvec or another program has "
                       "written in that format",
                       file->path);
    if (file->length == 0)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT, "%s: the file is empty; " AGAIN, file->path);
    uint64_t need = file->length < 8 ? 8 + (n < 2 ? 2 : n) : 8 + n;
    if (need > file->length)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the file is truncated inside its header: of at least %" PRIu64
                       " bytes it has %zu, so %" PRIu64 " or more are missing; " AGAIN,
                       file->path, need, file->length, need - file->length);
    *header_length = n;
    return PSDVEC_OK;
}

static psdvec_status load(pv_st_file *file)
{
    uint64_t header_length = 0;
    PV_TRY(read_frame(file, &header_length));
    PV_TRY(read_header(file, header_length));
    PV_TRY(index_metadata(file));
    PV_TRY(index_names(file));
    return index_places(file, 8 + (size_t)header_length);
}

static pv_st_file *new_file(psdvec_context *ctx, const char *path)
{
    size_t length = strlen(path) + 1;
    pv_st_file *file = pv_alloc_zero(ctx, 1, sizeof *file, "an open file");
    if (!file)
        return NULL;
    file->ctx = ctx;
    pv_buffer_init(&file->arena, ctx);
    file->path = pv_alloc(ctx, length, 1, "the name of a file");
    if (!file->path) {
        pv_st_close(file);
        return NULL;
    }
    memcpy(file->path, path, length);
    return file;
}

static psdvec_status finish_open(pv_st_file *file, psdvec_status status, pv_st_file **result)
{
    if (status == PSDVEC_OK)
        status = load(file);
    if (status == PSDVEC_OK)
        *result = file;
    else
        pv_st_close(file);
    return status;
}

psdvec_status pv_st_open_how(psdvec_context *ctx, const char *path, bool never_map,
                             pv_st_file **file)
{
    *file = NULL;
    pv_st_file *f = new_file(ctx, path);
    if (!f)
        return recorded(ctx);
    psdvec_status status = pv_map_open(ctx, path, never_map, &f->map);
    f->data = f->map.data;
    f->length = f->map.size;
    return finish_open(f, status, file);
}

psdvec_status pv_st_open(psdvec_context *ctx, const char *path, pv_st_file **file)
{
    return pv_st_open_how(ctx, path, false, file);
}

psdvec_status pv_st_open_memory(psdvec_context *ctx, const char *path, const void *data,
                                size_t length, pv_st_file **file)
{
    *file = NULL;
    pv_st_file *f = new_file(ctx, path);
    if (!f)
        return recorded(ctx);
    f->data = data;
    f->length = length;
    return finish_open(f, PSDVEC_OK, file);
}

void pv_st_close(pv_st_file *file)
{
    if (!file)
        return;
    psdvec_context *ctx = file->ctx;
    for (size_t i = 0; i < file->entry_count; i++)
        pv_free(ctx, file->entries[i].copy);
    pv_free(ctx, file->entries);
    pv_free(ctx, (void *)file->by_name);
    pv_free(ctx, (void *)file->in_order);
    pv_free(ctx, file->meta);
    pv_free(ctx, file->pairs);
    pv_buffer_free(&file->arena);
    pv_map_close(ctx, &file->map);
    pv_free(ctx, file->path);
    pv_free(ctx, file);
}

/* ---- Asking ---------------------------------------------------------------- */

const char *pv_st_path(const pv_st_file *file)
{
    return file->path;
}

uint64_t pv_st_bytes(const pv_st_file *file)
{
    return file->length;
}

static int find_name(const void *name, const void *element)
{
    return strcmp(name, (*(const entry *const *)element)->tensor.name);
}

const pv_tensor *pv_st_tensor(const pv_st_file *file, const char *name)
{
    if (file->entry_count == 0)
        return NULL;
    const entry *const *found =
        bsearch(name, (const void *)file->by_name, file->entry_count, sizeof(entry *), find_name);
    return found && !(*found)->filler ? &(*found)->tensor : NULL;
}

size_t pv_st_count(const pv_st_file *file)
{
    return file->in_order_count;
}

const pv_tensor *pv_st_at(const pv_st_file *file, size_t i)
{
    return file->in_order[i];
}

const char *pv_st_meta(const pv_st_file *file, const char *key)
{
    if (file->meta_count == 0)
        return NULL;
    pv_st_pair wanted = {key, NULL};
    const pv_st_pair *found =
        bsearch(&wanted, file->pairs, file->meta_count, sizeof *file->pairs, compare_pairs);
    return found ? found->value : NULL;
}

size_t pv_st_meta_count(const pv_st_file *file)
{
    return file->meta_count;
}

pv_st_pair pv_st_meta_at(const pv_st_file *file, size_t i)
{
    return file->pairs[i];
}

/* "F32 [40868, 300]"; a negative length is written as "any". */
static void form(char *text, size_t size, pv_dtype dtype, unsigned rank, const int64_t *shape)
{
    size_t at = (size_t)snprintf(text, size, "%s [", pv_dtype_name(dtype));
    for (unsigned i = 0; i < rank && at < size; i++) {
        const char *comma = i ? ", " : "";
        int wrote = shape && shape[i] >= 0
                        ? snprintf(text + at, size - at, "%s%" PRId64, comma, shape[i])
                        : snprintf(text + at, size - at, "%sany", comma);
        at += (size_t)wrote;
    }
    if (at < size)
        snprintf(text + at, size - at, "]");
}

psdvec_status pv_st_require(psdvec_context *ctx, const pv_st_file *file, const char *name,
                            pv_dtype dtype, unsigned rank, const int64_t *shape,
                            const pv_tensor **tensor)
{
    *tensor = NULL;
    const pv_tensor *t = pv_st_tensor(file, name);
    bool fits = t && t->dtype == dtype && t->rank == rank;
    for (unsigned i = 0; fits && shape && i < rank; i++)
        fits = shape[i] < 0 || (uint64_t)shape[i] == t->shape[i];
    if (fits) {
        *tensor = t;
        return PSDVEC_OK;
    }
    char wanted[256], found[256];
    form(wanted, sizeof wanted, dtype, rank, shape);
    if (!t)
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: it has no tensor \"%s\" (%s): it is a safetensors file of another "
                       "kind; give one that psdvec has written for this purpose",
                       file->path, show(name).text, wanted);
    int64_t actual[PV_ST_RANK_MAX] = {0};
    for (unsigned i = 0; i < t->rank; i++)
        actual[i] = t->shape[i] > INT64_MAX ? INT64_MAX : (int64_t)t->shape[i];
    form(found, sizeof found, t->dtype, t->rank, actual);
    return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                   "%s: its tensor \"%s\" is %s where %s is needed: it is a safetensors file of "
                   "another kind; give one that psdvec has written for this purpose",
                   file->path, show(name).text, found, wanted);
}

/* ---- Checksums --------------------------------------------------------------- */

static psdvec_status put_u64(pv_buffer *out, uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    return pv_buffer_append(out, bytes, sizeof bytes);
}

static psdvec_status put_text(pv_buffer *out, const char *text)
{
    size_t length = strlen(text);
    PV_TRY(put_u64(out, length));
    return pv_buffer_append(out, text, length);
}

static psdvec_status encode_header(pv_buffer *out, const pv_st_pair *metadata, size_t count,
                                   const pv_tensor *const *tensors, size_t tensor_count)
{
    PV_TRY(put_u64(out, count));
    for (size_t i = 0; i < count; i++) {
        PV_TRY(put_text(out, metadata[i].key));
        PV_TRY(put_text(out, metadata[i].value));
    }
    PV_TRY(put_u64(out, tensor_count));
    for (size_t i = 0; i < tensor_count; i++) {
        PV_TRY(put_text(out, tensors[i]->name));
        PV_TRY(put_text(out, pv_dtype_name(tensors[i]->dtype)));
        PV_TRY(put_u64(out, tensors[i]->rank));
        for (unsigned d = 0; d < tensors[i]->rank; d++)
            PV_TRY(put_u64(out, tensors[i]->shape[d]));
    }
    return PSDVEC_OK;
}

psdvec_status pv_st_describe(psdvec_context *ctx, const pv_st_pair *metadata, size_t count,
                             const pv_tensor *const *tensors, size_t tensor_count, uint64_t *digest)
{
    pv_buffer encoded;
    pv_buffer_init(&encoded, ctx);
    psdvec_status status = encode_header(&encoded, metadata, count, tensors, tensor_count);
    if (status == PSDVEC_OK)
        *digest = XXH3_64bits(encoded.data, encoded.length);
    pv_buffer_free(&encoded);
    return status;
}

static bool matches(const char *stored, uint64_t digest)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, digest);
    return stored && strcmp(stored, text) == 0;
}

static psdvec_status verify_header(psdvec_context *ctx, const pv_st_file *file)
{
    const char *stored = pv_st_meta(file, "xxh3.metadata");
    if (!stored) {
        bool some = false;
        for (size_t i = 0; i < file->meta_count; i++)
            some = some || strncmp(file->pairs[i].key, "xxh3.", 5) == 0;
        if (some)
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                           "%s: the header is damaged: its checksum is gone; " AGAIN, file->path);
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: the file has no checksums and cannot be verified; only files that "
                       "psdvec has written have them",
                       file->path);
    }
    psdvec_status status = PSDVEC_OK;
    pv_st_pair *others = pv_alloc(ctx, file->meta_count, sizeof *others, "a checksum");
    const pv_tensor **tensors = pv_alloc(ctx, file->entry_count, sizeof(pv_tensor *), "a checksum");
    if (!others || !tensors) {
        status = recorded(ctx);
        goto done;
    }
    size_t count = 0;
    for (size_t i = 0; i < file->meta_count; i++)
        if (file->pairs[i].value != stored)
            others[count++] = file->pairs[i];
    for (size_t i = 0; i < file->entry_count; i++)
        tensors[i] = &file->by_name[i]->tensor;
    uint64_t digest = 0;
    PV_TRY_DONE(pv_st_describe(ctx, others, count, tensors, file->entry_count, &digest));
    if (!matches(stored, digest))
        status = pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                         "%s: the header is damaged: its checksum does not match; " AGAIN,
                         file->path);
done:
    pv_free(ctx, others);
    pv_free(ctx, (void *)tensors);
    return status;
}

static psdvec_status verify_tensor(psdvec_context *ctx, const pv_st_file *file, const entry *e,
                                   XXH3_state_t *hash, pv_buffer *key)
{
    size_t bytes = (size_t)e->tensor.bytes;
    XXH3_64bits_reset(hash);
    for (size_t at = 0; at < bytes; at += SLICE) {
        PV_TRY(pv_check_cancel(ctx));
        XXH3_64bits_update(hash, e->raw + at, bytes - at < SLICE ? bytes - at : SLICE);
    }
    key->length = 0;
    PV_TRY(pv_buffer_text(key, "xxh3."));
    PV_TRY(pv_buffer_append(key, e->tensor.name, strlen(e->tensor.name) + 1));
    const char *stored = pv_st_meta(file, key->data);
    uint64_t digest = XXH3_64bits_digest(hash);
    if (!stored)
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "%s: tensor \"%s\" has lost its checksum; " AGAIN,
                       file->path, show(e->tensor.name).text);
    if (!matches(stored, digest))
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                       "%s: tensor \"%s\" is damaged: its checksum is %016" PRIx64
                       " where %s was written; " AGAIN,
                       file->path, show(e->tensor.name).text, digest, show(stored).text);
    return PSDVEC_OK;
}

static psdvec_status verify_filler(psdvec_context *ctx, const pv_st_file *file, const entry *e)
{
    for (size_t i = 0; i < (size_t)e->tensor.bytes; i++)
        if (e->raw[i])
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                           "%s: the filler \"%s\" is damaged: it is not all zeros; " AGAIN,
                           file->path, e->tensor.name);
    return PSDVEC_OK;
}

psdvec_status pv_st_verify(psdvec_context *ctx, const pv_st_file *file)
{
    PV_TRY(verify_header(ctx, file));
    psdvec_status status = PSDVEC_OK;
    pv_buffer key;
    pv_buffer_init(&key, ctx);
    XXH3_state_t *hash = XXH3_createState();
    if (!hash)
        status = pv_fail(ctx, PSDVEC_ERR_MEMORY, "the system refused memory for a checksum");
    for (size_t i = 0; status == PSDVEC_OK && i < file->entry_count; i++) {
        const entry *e = &file->entries[i];
        status = e->filler ? verify_filler(ctx, file, e) : verify_tensor(ctx, file, e, hash, &key);
    }
    XXH3_freeState(hash);
    pv_buffer_free(&key);
    return status;
}
