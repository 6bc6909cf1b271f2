/* The reader of safetensors_read.h.
 *
 * Each step relies only on what the previous one has checked: the frame (lengths), the header (each
 * tensor separately), names, and the tiling (sorted by offset, the tensors must cover the data from
 * the first to the last byte without gaps). Only then are pointers into the file created. A header
 * that starts correctly and is invalid later is reported as damaged, not as another format: by then
 * the eight length bytes and a brace have matched.
 *
 * Opening makes one pass over the header and sorts the tensors by offset and by name; looking up a
 * tensor or a key is a binary search. A tensor takes some 150 bytes plus its name until the file is
 * closed. Verification reads every byte once, at the speed of XXH3 or of the disk.
 */
#include "base/safetensors_read.h"

#include "base/file.h"
#include "base/json.h"
#include "base/trim.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define AGAIN "download or create the file again"

typedef struct entry {
    pv_tensor tensor;
    uint64_t begin, end;
    const unsigned char *raw; /* in the file */
    bool filler;
} entry;

struct pv_st_file {
    psdvec_context *ctx;
    pv_scope scope; /* of everything below */
    char *path;
    const unsigned char *data;
    size_t length;
    pv_map map; /* all zero if the caller owns the memory */
    pv_trimmed trimmed;
    pv_buffer arena; /* names, keys and values, zero-terminated; never moves */
    entry *entries;  /* in the order of the file */
    size_t entry_count, entry_capacity;
    const pv_tensor **by_name;
    const pv_tensor **in_order; /* without fillers */
    size_t in_order_count;
    pv_st_pair *pairs; /* sorted by key */
    size_t meta_count, meta_capacity;
    bool has_metadata;
    bool ours; /* our writer's file: it has fillers and checksums */
};

/* ---- Types --------------------------------------------------------------- */

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

/* ---- Messages ------------------------------------------------------------ */

pv_st_shown pv_word_shown(const char *word, size_t length)
{
    pv_st_shown s;
    const unsigned char *at = (const unsigned char *)word, *end = at + length;
    size_t used = 0;
    while (at < end) {
        uint32_t code = 0;
        int bytes = pv_utf8_decode(at, end, &code);
        bool plain = bytes > 0 && !pv_utf8_is_unsafe(code);
        size_t wide = plain ? (size_t)bytes : 1;
        if (used + wide > 80)
            break;
        memcpy(s.text + used, plain ? (const char *)at : "?", wide);
        used += wide;
        at += bytes < 0 ? -bytes : bytes;
    }
    if (at < end) {
        memcpy(s.text + used, "...", 3);
        used += 3;
    }
    s.text[used] = 0;
    return s;
}

pv_st_shown pv_st_show(const char *name)
{
    return pv_word_shown(name, strlen(name));
}

/* PSDVEC_ERR_CORRUPT: tensor `name` `what`. */
static psdvec_status fail_tensor(const pv_st_file *file, const char *name, const char *what)
{
    return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the header is damaged: tensor \"%s\" %s; " AGAIN, file->path,
                   pv_st_show(name).text, what);
}

static psdvec_status fail_json(pv_st_file *file, const pv_json *json)
{
    if (json->refused)
        return pv_failure(file->ctx); /* out of memory; the failure is recorded */
    return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                   "%s: the header is damaged at byte %zu: %s; " AGAIN, file->path,
                   json->offset + 8, json->cause);
}

/* ---- The header ---------------------------------------------------------- */

/* Terminates the text that starts at `text` in the arena and rejects zero bytes in it: texts are
 * returned as C strings. */
static psdvec_status end_text(pv_st_file *file, pv_json *json, const char *text)
{
    pv_buffer *arena = &file->arena;
    if (!json->cause && memchr(text, 0, (size_t)(arena->data + arena->length - text)))
        pv_json_reject(json, "a name or text contains a zero character");
    return json->cause ? fail_json(file, json) : pv_buffer_byte(arena, 0);
}

static char *arena_end(const pv_st_file *file)
{
    return file->arena.data + file->arena.length;
}

/* Lists grow by half. */
static size_t larger(size_t capacity)
{
    return capacity + capacity / 2 + 16;
}

static psdvec_status read_metadata(pv_st_file *file, pv_json *json)
{
    if (file->has_metadata)
        pv_json_reject(json, "__metadata__ is given twice");
    file->has_metadata = true;
    pv_json_enter_object(json);
    for (char *key = arena_end(file); pv_json_next_key(json, &file->arena); key = arena_end(file)) {
        PV_TRY(end_text(file, json, key));
        char *value = arena_end(file);
        pv_json_read_string(json, &file->arena);
        PV_TRY(end_text(file, json, value));
        if (file->meta_count == file->meta_capacity)
            PV_GROW(&file->scope, file->pairs, file->meta_capacity = larger(file->meta_capacity));
        PV_TRY(pv_scope_status(&file->scope));
        file->pairs[file->meta_count++] = (pv_st_pair){key, value};
    }
    return json->cause ? fail_json(file, json) : PSDVEC_OK;
}

static psdvec_status read_dtype(pv_st_file *file, pv_json *json, pv_buffer *scratch, entry *e)
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
                   "%s: tensor \"%s\" has the type \"%s\", which is not supported; convert it to "
                   "F32, or use a newer version of psdvec",
                   file->path, pv_st_show(e->tensor.name).text, pv_st_show(scratch->data).text);
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
                           "%s: tensor \"%s\" has more than %d dimensions, which is not "
                           "supported; reduce them",
                           file->path, pv_st_show(e->tensor.name).text, PV_ST_RANK_MAX);
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

/* Reads the entry of one tensor. Unknown fields are skipped, as in the reference implementation. */
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
    const char *name = e->tensor.name;
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
                       file->path, pv_st_show(name).text, e->end - e->begin, e->tensor.bytes);
    return PSDVEC_OK;
}

static psdvec_status read_header(pv_st_file *file, size_t length)
{
    psdvec_status status;
    pv_buffer scratch = {.ctx = file->ctx};
    pv_json json;
    /* Each text loses two quotes and gains a zero byte, so the arena never has to grow. */
    PV_TRY_DONE(pv_buffer_reserve(&file->arena, length));
    pv_json_init(&json, (const char *)file->data + 8, length, 0);
    pv_json_enter_object(&json);
    for (char *name = arena_end(file); pv_json_next_key(&json, &file->arena);
         name = arena_end(file)) {
        PV_TRY_DONE(end_text(file, &json, name));
        if (strcmp(name, "__metadata__") == 0) {
            PV_TRY_DONE(read_metadata(file, &json));
            continue;
        }
        entry e = {.tensor.name = name};
        PV_TRY_DONE(read_tensor(file, &json, &scratch, &e));
        if (file->entry_count == file->entry_capacity)
            PV_GROW(&file->scope, file->entries,
                    file->entry_capacity = larger(file->entry_capacity));
        PV_TRY_DONE(pv_scope_status(&file->scope));
        file->entries[file->entry_count++] = e;
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
    return strcmp((*(const pv_tensor *const *)a)->name, (*(const pv_tensor *const *)b)->name);
}

static int compare_places(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return strcmp(x->tensor.name, y->tensor.name);
}

static void sort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count)
        qsort(array, count, size, compare);
}

void pv_st_sort(pv_st_pair *pairs, size_t count, const pv_tensor **tensors, size_t tensor_count)
{
    sort(pairs, count, sizeof *pairs, compare_pairs);
    sort((void *)tensors, tensor_count, sizeof *tensors, compare_names);
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
    PV_TAKE(&file->scope, file->by_name, file->entry_count);
    PV_TAKE(&file->scope, file->in_order, file->entry_count);
    PV_TRY(pv_scope_status(&file->scope));
    sort(file->entries, file->entry_count, sizeof *file->entries, compare_places);
    for (size_t i = 0; i < file->entry_count; i++)
        file->by_name[i] = &file->entries[i].tensor;
    pv_st_sort(file->pairs, file->meta_count, file->by_name, file->entry_count);
    for (size_t i = 1; i < file->meta_count; i++)
        if (strcmp(file->pairs[i - 1].key, file->pairs[i].key) == 0)
            return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                           "%s: the header is damaged: the metadata gives \"%s\" twice; " AGAIN,
                           file->path, pv_st_show(file->pairs[i].key).text);
    for (size_t i = 1; i < file->entry_count; i++)
        if (strcmp(file->by_name[i - 1]->name, file->by_name[i]->name) == 0)
            return fail_tensor(file, file->by_name[i]->name, "is given twice");
    file->ours = pv_st_meta(file, "xxh3.metadata") != NULL;
    return PSDVEC_OK;
}

/* Copies a tensor that is misaligned for its type. */
static psdvec_status align(pv_st_file *file, entry *e)
{
    static const uint64_t nothing[1] = {0};
    size_t width = pv_dtype_size(e->tensor.dtype), bytes = (size_t)e->tensor.bytes;
    e->tensor.data = bytes ? (const void *)e->raw : nothing;
    if (bytes == 0 || (uintptr_t)e->raw % width == 0)
        return PSDVEC_OK;
    char *copy;
    file->scope.what = "the copy of a tensor that is not aligned";
    PV_TAKE(&file->scope, copy, bytes);
    PV_TRY(pv_scope_status(&file->scope));
    for (size_t at = 0; at < bytes; at += PV_ST_STEP) {
        PV_TRY(pv_check_cancel(file->ctx));
        memcpy(copy + at, e->raw + at, bytes - at < PV_ST_STEP ? bytes - at : PV_ST_STEP);
    }
    e->tensor.data = copy;
    return PSDVEC_OK;
}

/* `data_at`: where the tensors start in the file. */
static psdvec_status check_tiling(pv_st_file *file, size_t data_at)
{
    uint64_t present = file->length - data_at, reached = 0;
    for (size_t i = 0; i < file->entry_count; i++) {
        const entry *e = &file->entries[i];
        if (e->begin != reached)
            return fail_tensor(file, e->tensor.name,
                               e->begin < reached ? "overlaps another" : "leaves a hole before it");
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
                       " %s after the last tensor, where the file should end; " AGAIN,
                       file->path, present - reached,
                       present - reached == 1 ? "byte follows" : "bytes follow");
    for (size_t i = 0; i < file->entry_count; i++) {
        entry *e = &file->entries[i];
        e->raw = file->data + data_at + e->begin;
        e->filler = file->ours && is_filler(&e->tensor);
        PV_TRY(align(file, e));
        if (!e->filler)
            file->in_order[file->in_order_count++] = &e->tensor;
    }
    return PSDVEC_OK;
}

/* ---- Opening --------------------------------------------------------------- */

static psdvec_status read_frame(pv_st_file *file, size_t *header_length)
{
    uint64_t n = 0;
    if (file->length)
        memcpy(&n, file->data, file->length < 8 ? file->length : 8);
    bool brace = file->length <= 8 || file->data[8] == '{';
    bool possible = n <= PV_ST_HEADER_MAX && (n >= 2 || file->length < 8);
    if (!brace || !possible)
        return pv_fail(file->ctx, PSDVEC_ERR_FORMAT,
                       "%s: is not a safetensors file: it does not begin with the length of a "
                       "header and a header; give a file in safetensors format",
                       file->path);
    if (file->length == 0)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT, "%s: the file is empty; " AGAIN, file->path);
    uint64_t need = file->length < 8 ? 8 + (n < 2 ? 2 : n) : 8 + n;
    if (need > file->length)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the file is truncated inside its header: it needs at least %" PRIu64
                       " bytes and has %zu, so %" PRIu64 " or more are missing; " AGAIN,
                       file->path, need, file->length, need - file->length);
    *header_length = (size_t)n;
    return PSDVEC_OK;
}

static psdvec_status load(pv_st_file *file, const char *path)
{
    size_t header_length = 0;
    PV_TAKE(&file->scope, file->path, strlen(path) + 1);
    PV_TRY(pv_scope_status(&file->scope));
    memcpy(file->path, path, strlen(path) + 1);
    PV_TRY(read_frame(file, &header_length));
    PV_TRY(read_header(file, header_length));
    PV_TRY(index_names(file));
    return check_tiling(file, 8 + header_length);
}

psdvec_status pv_st_open_memory(psdvec_context *ctx, const char *path, const void *data,
                                size_t length, pv_st_file **file)
{
    *file = NULL;
    pv_st_file *f = pv_alloc(ctx, 1, sizeof *f, "an open file");
    if (!f)
        return pv_failure(ctx);
    *f = (pv_st_file){.ctx = ctx,
                      .scope = {.ctx = ctx, .what = "the list of tensors"},
                      .data = data,
                      .length = length,
                      .arena = {.ctx = ctx}};
    psdvec_status status = load(f, path);
    if (status == PSDVEC_OK)
        *file = f;
    else
        pv_st_close(f);
    return status;
}

psdvec_status pv_st_open_how(psdvec_context *ctx, const char *path, bool never_map,
                             pv_st_file **file)
{
    pv_map map;
    *file = NULL;
    PV_TRY(pv_map_open(ctx, path, never_map, &map));
    psdvec_status status = pv_st_open_memory(ctx, path, map.data, map.size, file);
    if (status == PSDVEC_OK)
        (*file)->map = map;
    else
        pv_map_close(ctx, &map);
    return status;
}

psdvec_status pv_st_open(psdvec_context *ctx, const char *path, pv_st_file **file)
{
    return pv_st_open_how(ctx, path, false, file);
}

void pv_st_trim(pv_st_file *file)
{
    pv_trim_begin(file->ctx, &file->trimmed, &file->map);
}

void pv_st_release(const pv_st_file *file)
{
    pv_map_release(&file->map);
}

void pv_st_close(pv_st_file *file)
{
    if (!file)
        return;
    psdvec_context *ctx = file->ctx;
    pv_trim_end(ctx, &file->trimmed);
    pv_scope_free(&file->scope);
    pv_buffer_free(&file->arena);
    pv_map_close(ctx, &file->map);
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

const pv_tensor *pv_st_tensor(const pv_st_file *file, const char *name)
{
    pv_tensor wanted = {.name = name};
    const pv_tensor *key = &wanted, *const *found = NULL;
    if (file->entry_count)
        found = bsearch(&key, (const void *)file->by_name, file->entry_count, sizeof *file->by_name,
                        compare_names);
    return found && !(file->ours && is_filler(*found)) ? *found : NULL;
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
                       "%s: has no tensor \"%s\" (%s), so it is another kind of safetensors file; "
                       "give a psdvec file of the right kind",
                       file->path, pv_st_show(name).text, wanted);
    int64_t actual[PV_ST_RANK_MAX] = {0};
    for (unsigned i = 0; i < t->rank; i++)
        actual[i] = t->shape[i] > INT64_MAX ? INT64_MAX : (int64_t)t->shape[i];
    form(found, sizeof found, t->dtype, t->rank, actual);
    return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                   "%s: the tensor \"%s\" is %s, but %s is needed, so it is another kind of "
                   "safetensors file; give a psdvec file of the right kind",
                   file->path, pv_st_show(name).text, found, wanted);
}

/* ---- What the reader does not know ------------------------------------------------------- */
static bool is_known(const char *const *known, const char *name)
{
    while (*known && strcmp(*known, name) != 0)
        known++;
    return *known != NULL;
}

static psdvec_status add_name(pv_buffer *names, const char *name)
{
    return pv_buffer_printf(names, "%s\"%s\"", names->length ? ", " : "", pv_st_show(name).text);
}

psdvec_status pv_st_warn_unknown(psdvec_context *ctx, const pv_st_file *file,
                                 const char *const *known)
{
    psdvec_status status = PSDVEC_OK;
    pv_buffer names = {.ctx = ctx};
    for (size_t i = 0; i < file->meta_count; i++)
        if (strncmp(file->pairs[i].key, "xxh3.", 5) != 0 && !is_known(known, file->pairs[i].key))
            PV_TRY_DONE(add_name(&names, file->pairs[i].key));
    for (size_t i = 0; i < file->in_order_count; i++)
        if (!is_known(known, file->in_order[i]->name))
            PV_TRY_DONE(add_name(&names, file->in_order[i]->name));
    if (names.length) {
        PV_TRY_DONE(pv_buffer_byte(&names, 0));
        pv_warn(ctx,
                "%s: has %s, which this version of psdvec does not support; files written from it "
                "will not contain it",
                file->path, names.data);
    }
done:
    pv_buffer_free(&names);
    return status;
}

/* ---- Checksums ------------------------------------------------------------ */

static void hash_u64(XXH3_state_t *hash, uint64_t value)
{
    XXH3_64bits_update(hash, &value, sizeof value);
}

static void hash_text(XXH3_state_t *hash, const char *text)
{
    size_t length = strlen(text);
    hash_u64(hash, length);
    XXH3_64bits_update(hash, text, length);
}

void pv_st_describe(XXH3_state_t *hash, const pv_st_pair *pairs, size_t count,
                    const pv_tensor *const *tensors, size_t tensor_count, char digest[17])
{
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        others += strcmp(pairs[i].key, "xxh3.metadata") != 0;
    XXH3_64bits_reset(hash);
    hash_u64(hash, others);
    for (size_t i = 0; i < count; i++)
        if (strcmp(pairs[i].key, "xxh3.metadata") != 0) {
            hash_text(hash, pairs[i].key);
            hash_text(hash, pairs[i].value);
        }
    hash_u64(hash, tensor_count);
    for (size_t i = 0; i < tensor_count; i++) {
        hash_text(hash, tensors[i]->name);
        hash_text(hash, pv_dtype_name(tensors[i]->dtype));
        hash_u64(hash, tensors[i]->rank);
        for (unsigned d = 0; d < tensors[i]->rank; d++)
            hash_u64(hash, tensors[i]->shape[d]);
    }
    pv_st_digest(hash, digest);
}

void pv_st_digest(XXH3_state_t *hash, char digest[17])
{
    snprintf(digest, 17, "%016" PRIx64, (uint64_t)XXH3_64bits_digest(hash));
}

static bool has_checksums(const pv_st_file *file)
{
    for (size_t i = 0; i < file->meta_count; i++)
        if (strncmp(file->pairs[i].key, "xxh3.", 5) == 0)
            return true;
    return false;
}

static psdvec_status verify_header(psdvec_context *ctx, const pv_st_file *file, XXH3_state_t *hash)
{
    char digest[17];
    const char *stored = pv_st_meta(file, "xxh3.metadata");
    if (!stored && !has_checksums(file))
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: the file has no checksums and cannot be verified; only files written "
                       "by psdvec have them",
                       file->path);
    pv_st_describe(hash, file->pairs, file->meta_count, file->by_name, file->entry_count, digest);
    if (!stored || strcmp(stored, digest) != 0)
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the header is damaged: its checksum %s; " AGAIN, file->path,
                       stored ? "does not match" : "is missing");
    return PSDVEC_OK;
}

static psdvec_status verify_tensor(psdvec_context *ctx, const pv_st_file *file, const entry *e,
                                   XXH3_state_t *hash, pv_buffer *key)
{
    size_t bytes = (size_t)e->tensor.bytes;
    char digest[17];
    XXH3_64bits_reset(hash);
    for (size_t at = 0; at < bytes; at += PV_ST_STEP) {
        PV_TRY(pv_trim_and_check(ctx));
        XXH3_64bits_update(hash, e->raw + at, bytes - at < PV_ST_STEP ? bytes - at : PV_ST_STEP);
    }
    pv_st_digest(hash, digest);
    key->length = 0;
    PV_TRY(pv_buffer_printf(key, "xxh3.%s", e->tensor.name));
    const char *stored = pv_st_meta(file, key->data);
    if (!stored)
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT, "%s: tensor \"%s\" has no checksum; " AGAIN,
                       file->path, pv_st_show(e->tensor.name).text);
    if (strcmp(stored, digest) != 0)
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                       "%s: tensor \"%s\" is damaged: its checksum is %s, but should be %s; " AGAIN,
                       file->path, pv_st_show(e->tensor.name).text, digest,
                       pv_st_show(stored).text);
    return PSDVEC_OK;
}

static psdvec_status verify_filler(psdvec_context *ctx, const pv_st_file *file, const entry *e)
{
    for (size_t i = 0; i < (size_t)e->tensor.bytes; i++)
        if (e->raw[i])
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                           "%s: the padding \"%s\" is damaged: it is not all zeros; " AGAIN,
                           file->path, e->tensor.name);
    return PSDVEC_OK;
}

psdvec_status pv_st_verify(psdvec_context *ctx, const pv_st_file *file)
{
    pv_buffer key = {.ctx = ctx};
    XXH3_state_t *hash = XXH3_createState();
    psdvec_status status =
        hash ? verify_header(ctx, file, hash)
             : pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while computing a checksum");
    for (size_t i = 0; status == PSDVEC_OK && i < file->entry_count; i++) {
        const entry *e = &file->entries[i];
        status = e->filler ? verify_filler(ctx, file, e) : verify_tensor(ctx, file, e, hash, &key);
    }
    XXH3_freeState(hash);
    pv_buffer_free(&key);
    return status;
}

psdvec_status pv_st_verify_if_any(psdvec_context *ctx, const pv_st_file *file)
{
    return has_checksums(file) ? pv_st_verify(ctx, file) : PSDVEC_OK;
}
