/* The reader of safetensors_read.h.
 *
 * Three steps, each of which trusts only what the one before has checked: the
 * frame (lengths), the header (safetensors_header.c), the tiling (entries
 * sorted by offset must follow one another exactly from the first to the last
 * byte). Only then do pointers into the file appear.
 *
 * Beyond the header's own pass this sorts the entries twice, by name and by
 * place; asking for a tensor or a key is a binary search.
 */
#include "base/safetensors_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- Names, metadata, tiling ---------------------------------------------- */

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(((const pv_st_pair *)a)->key, ((const pv_st_pair *)b)->key);
}

static int compare_names(const void *a, const void *b)
{
    const pv_st_entry *x = *(const pv_st_entry *const *)a, *y = *(const pv_st_entry *const *)b;
    return strcmp(x->tensor.name, y->tensor.name);
}

static int compare_places(const void *a, const void *b)
{
    const pv_st_entry *x = *(const pv_st_entry *const *)a, *y = *(const pv_st_entry *const *)b;
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
        return pv_failure(file->ctx);
    for (size_t i = 0; i < file->meta_count; i++)
        file->pairs[i] = (pv_st_pair){file->arena.data + file->meta[i].key_at,
                                      file->arena.data + file->meta[i].value_at};
    if (file->meta_count)
        qsort(file->pairs, file->meta_count, sizeof *file->pairs, compare_pairs);
    for (size_t i = 1; i < file->meta_count; i++)
        if (strcmp(file->pairs[i - 1].key, file->pairs[i].key) == 0)
            return pv_fail(
                file->ctx, PSDVEC_ERR_CORRUPT,
                "%s: the header is damaged: the metadata gives \"%s\" twice; " PV_ST_AGAIN,
                file->path, pv_st_show(file->pairs[i].key).text);
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
    file->by_name =
        pv_alloc(file->ctx, file->entry_count, sizeof(pv_st_entry *), "the list of tensors");
    if (!file->by_name)
        return pv_failure(file->ctx);
    bool ours = pv_st_meta(file, "xxh3.metadata") != NULL;
    for (size_t i = 0; i < file->entry_count; i++) {
        pv_st_entry *e = &file->entries[i];
        e->tensor.name = file->arena.data + e->name_at;
        e->filler = ours && is_filler(&e->tensor);
        file->by_name[i] = e;
    }
    if (file->entry_count)
        qsort(file->by_name, file->entry_count, sizeof(pv_st_entry *), compare_names);
    for (size_t i = 1; i < file->entry_count; i++)
        if (strcmp(file->by_name[i - 1]->tensor.name, file->by_name[i]->tensor.name) == 0)
            return pv_st_fail_tensor(file, file->by_name[i]->tensor.name, "is given twice");
    return PSDVEC_OK;
}

/* Copies a tensor that its type does not allow to be used in place. */
static psdvec_status align(pv_st_file *file, pv_st_entry *e)
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
        return pv_failure(file->ctx);
    for (size_t at = 0; at < bytes; at += PV_ST_SLICE) {
        PV_TRY(pv_check_cancel(file->ctx));
        memcpy((char *)e->copy + at, e->raw + at,
               bytes - at < PV_ST_SLICE ? bytes - at : PV_ST_SLICE);
    }
    e->tensor.data = e->copy;
    return PSDVEC_OK;
}

/* `data_at`: where the tensors start in the file. */
static psdvec_status check_tiling(pv_st_file *file, pv_st_entry **by_place, size_t data_at)
{
    uint64_t present = file->length - data_at, reached = 0;
    for (size_t i = 0; i < file->entry_count; i++)
        by_place[i] = &file->entries[i];
    if (file->entry_count)
        qsort(by_place, file->entry_count, sizeof(pv_st_entry *), compare_places);
    for (size_t i = 0; i < file->entry_count; i++) {
        const pv_st_entry *e = by_place[i];
        if (e->begin < reached)
            return pv_st_fail_tensor(file, e->tensor.name, "overlaps another");
        if (e->begin > reached)
            return pv_st_fail_tensor(file, e->tensor.name, "leaves a hole before it");
        reached = e->end;
    }
    if (reached > present)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the file is truncated: %" PRIu64 " %s missing at its end; " PV_ST_AGAIN,
                       file->path, reached - present,
                       reached - present == 1 ? "byte is" : "bytes are");
    if (reached < present)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: %" PRIu64
                       " %s behind the last tensor, where the file should end; " PV_ST_AGAIN,
                       file->path, present - reached,
                       present - reached == 1 ? "byte follows" : "bytes follow");
    for (size_t i = 0; i < file->entry_count; i++) {
        pv_st_entry *e = by_place[i];
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
    pv_st_entry **by_place =
        pv_alloc(ctx, file->entry_count, sizeof(pv_st_entry *), "the list of tensors");
    psdvec_status status = file->in_order && by_place ? check_tiling(file, by_place, data_at)
                                                      : pv_failure(ctx);
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
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT, "%s: the file is empty; " PV_ST_AGAIN,
                       file->path);
    uint64_t need = file->length < 8 ? 8 + (n < 2 ? 2 : n) : 8 + n;
    if (need > file->length)
        return pv_fail(file->ctx, PSDVEC_ERR_CORRUPT,
                       "%s: the file is truncated inside its header: of at least %" PRIu64
                       " bytes it has %zu, so %" PRIu64 " or more are missing; " PV_ST_AGAIN,
                       file->path, need, file->length, need - file->length);
    *header_length = n;
    return PSDVEC_OK;
}

static psdvec_status load(pv_st_file *file)
{
    uint64_t header_length = 0;
    PV_TRY(read_frame(file, &header_length));
    PV_TRY(pv_st_read_header(file, header_length));
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
        return pv_failure(ctx);
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
        return pv_failure(ctx);
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
    return strcmp(name, (*(const pv_st_entry *const *)element)->tensor.name);
}

const pv_tensor *pv_st_tensor(const pv_st_file *file, const char *name)
{
    if (file->entry_count == 0)
        return NULL;
    const pv_st_entry *const *found = bsearch(name, (const void *)file->by_name, file->entry_count,
                                              sizeof(pv_st_entry *), find_name);
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
                       file->path, pv_st_show(name).text, wanted);
    int64_t actual[PV_ST_RANK_MAX] = {0};
    for (unsigned i = 0; i < t->rank; i++)
        actual[i] = t->shape[i] > INT64_MAX ? INT64_MAX : (int64_t)t->shape[i];
    form(found, sizeof found, t->dtype, t->rank, actual);
    return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                   "%s: its tensor \"%s\" is %s where %s is needed: it is a safetensors file of "
                   "another kind; give one that psdvec has written for this purpose",
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
    pv_buffer names;
    pv_buffer_init(&names, ctx);
    for (size_t i = 0; i < file->meta_count; i++)
        if (strncmp(file->pairs[i].key, "xxh3.", 5) != 0 && !is_known(known, file->pairs[i].key))
            PV_TRY_DONE(add_name(&names, file->pairs[i].key));
    for (size_t i = 0; i < file->in_order_count; i++)
        if (!is_known(known, file->in_order[i]->name))
            PV_TRY_DONE(add_name(&names, file->in_order[i]->name));
    if (names.length) {
        PV_TRY_DONE(pv_buffer_byte(&names, 0));
        pv_warn(ctx,
                "%s: has %s, which this version of psdvec does not know; what is written from it "
                "will not have that",
                file->path, names.data);
    }
done:
    pv_buffer_free(&names);
    return status;
}
