/* The writer of safetensors_write.h.
 *
 * An upper bound on the size of the header is computed before the first tensor is written: metadata
 * is measured as it will be written, and a tensor's entry is counted with the longest name, the
 * largest numbers, a filler and a checksum. The bound is some 600 bytes per tensor.
 */
#include "base/safetensors_write.h"

#include "base/json.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* Upper bounds on the parts of the header, in characters:
 *   {"__metadata__":{"xxh3.metadata":"0123456789abcdef"},}                   54
 *   "NAME":{"dtype":"F8_E4M3","shape":[8 x 20],"data_offsets":[2 x 20]},    324
 *   "xxh3.NAME":"0123456789abcdef",                                          91
 *   "pad.N":{"dtype":"U8","shape":[63],"data_offsets":[2 x 20]},            121 */
enum { FRAME_BYTES = 64, TENSOR_BYTES = 324 + 91 + 121 + 40 };

typedef struct written {
    pv_tensor tensor; /* name points to `name` below; data is NULL */
    char name[PV_ST_NAME_MAX + 1];
    uint64_t begin; /* from the start of the tensors */
    bool filler;
    char sum_key[PV_ST_NAME_MAX + 6]; /* "xxh3.NAME" */
    char sum[17];
} written;

struct pv_st_writer {
    psdvec_context *ctx;
    pv_scope scope; /* of everything below */
    pv_st_sink sink;
    psdvec_status status;
    written *list; /* never moves: tensors point to names in it */
    size_t count, tensor_count, tensor_limit;
    pv_st_pair *meta;
    size_t meta_count, meta_capacity;
    uint64_t header_bytes; /* reserved, without the 8 bytes before it */
    uint64_t at;           /* bytes of tensors written */
    XXH3_state_t *hash;
    bool open, ended;
};

static psdvec_status write_output(void *self, uint64_t offset, const void *data, size_t length)
{
    return pv_output_write_at(self, offset, data, length);
}

pv_st_sink pv_st_output_sink(pv_output *output)
{
    return (pv_st_sink){write_output, output};
}

static psdvec_status record(pv_st_writer *w, psdvec_status status)
{
    if (w->status == PSDVEC_OK)
        w->status = status;
    return w->status;
}

static psdvec_status misuse(pv_st_writer *w, const char *subject, const char *what)
{
    return record(w, pv_fail(w->ctx, PSDVEC_ERR_INTERNAL,
                             "internal error while writing a safetensors file: %s %s; please "
                             "report this bug",
                             subject, what));
}

/* ---- Metadata --------------------------------------------------------------- */

static bool is_utf8(const char *text)
{
    size_t length = strlen(text);
    return pv_utf8_valid(text, length) == length;
}

static const char *copy_text(pv_st_writer *w, const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy;
    PV_TAKE(&w->scope, copy, length);
    return copy ? memcpy(copy, text, length) : NULL;
}

static pv_st_pair *find_meta(pv_st_writer *w, const char *key)
{
    for (size_t i = 0; i < w->meta_count; i++)
        if (strcmp(w->meta[i].key, key) == 0)
            return &w->meta[i];
    return NULL;
}

psdvec_status pv_st_writer_meta(pv_st_writer *w, const char *key, const char *value)
{
    if (w->status != PSDVEC_OK)
        return w->status;
    if (w->ended)
        return misuse(w, key, "comes after the end");
    if (strncmp(key, "xxh3.", 5) == 0)
        return misuse(w, key, "is a name reserved for checksums");
    if (!is_utf8(key) || !is_utf8(value))
        return misuse(w, "a metadata entry", "is not valid UTF-8");
    pv_st_pair *old = find_meta(w, key);
    if (!old && w->meta_count == w->meta_capacity)
        PV_GROW(&w->scope, w->meta, w->meta_capacity = w->meta_capacity * 2 + 16);
    pv_st_pair pair = {old ? old->key : copy_text(w, key), copy_text(w, value)};
    PV_TRY(record(w, pv_scope_status(&w->scope)));
    if (old)
        pv_scope_drop(&w->scope, (void *)(uintptr_t)old->value);
    *(old ? old : &w->meta[w->meta_count++]) = pair;
    return PSDVEC_OK;
}

/* ---- Beginning ---------------------------------------------------------------- */

/* Length of the metadata entries as they will be written. */
static psdvec_status measure_metadata(pv_st_writer *w, uint64_t *characters)
{
    psdvec_status status = PSDVEC_OK;
    pv_buffer scratch = {.ctx = w->ctx};
    *characters = 0;
    for (size_t i = 0; i < w->meta_count; i++) {
        scratch.length = 0;
        PV_TRY_DONE(pv_json_append_string(&scratch, w->meta[i].key, strlen(w->meta[i].key)));
        PV_TRY_DONE(pv_json_append_string(&scratch, w->meta[i].value, strlen(w->meta[i].value)));
        *characters += scratch.length + 2;
    }
done:
    pv_buffer_free(&scratch);
    return status;
}

static psdvec_status reserve_header(pv_st_writer *w, size_t slack)
{
    uint64_t metadata = 0;
    PV_TRY(measure_metadata(w, &metadata));
    if (metadata > PV_ST_HEADER_MAX || slack > PV_ST_HEADER_MAX ||
        w->tensor_limit > PV_ST_HEADER_MAX / TENSOR_BYTES ||
        metadata + slack + w->tensor_limit * TENSOR_BYTES > PV_ST_HEADER_MAX - 2 * PV_ST_ALIGN)
        return pv_fail(w->ctx, PSDVEC_ERR_OVERFLOW,
                       "the settings to be stored in the file need %" PRIu64 " bytes, but a "
                       "safetensors header can have at most %" PRIu64 "; give fewer inputs or "
                       "shorter settings",
                       metadata, PV_ST_HEADER_MAX);
    uint64_t need = 8 + FRAME_BYTES + metadata + slack + w->tensor_limit * TENSOR_BYTES;
    w->header_bytes = (need + PV_ST_ALIGN - 1) / PV_ST_ALIGN * PV_ST_ALIGN - 8;
    return PSDVEC_OK;
}

psdvec_status pv_st_writer_begin(psdvec_context *ctx, pv_st_sink sink, size_t tensors,
                                 const pv_st_pair *metadata, size_t metadata_count, size_t slack,
                                 pv_st_writer **writer)
{
    *writer = NULL;
    psdvec_status status = PSDVEC_OK;
    pv_st_writer *w = pv_alloc(ctx, 1, sizeof *w, "a file being written");
    if (!w)
        return pv_failure(ctx);
    *w = (pv_st_writer){.ctx = ctx,
                        .scope = {.ctx = ctx, .what = "the settings of a file"},
                        .sink = sink,
                        .tensor_limit = tensors};
    for (size_t i = 0; i < metadata_count; i++) {
        if (find_meta(w, metadata[i].key)) {
            status = misuse(w, metadata[i].key, "is given twice");
            goto done;
        }
        if (metadata[i].value)
            PV_TRY_DONE(pv_st_writer_meta(w, metadata[i].key, metadata[i].value));
    }
    PV_TRY_DONE(reserve_header(w, slack));
    PV_TAKE_ZERO(&w->scope, w->list, tensors * 2);
    PV_TRY_DONE(pv_scope_status(&w->scope));
    w->hash = XXH3_createState();
    if (!w->hash)
        status = pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while computing a checksum");
done:
    if (status == PSDVEC_OK)
        *writer = w;
    else
        pv_st_writer_free(w);
    return status;
}

/* ---- Tensors -------------------------------------------------------------------- */

static psdvec_status put_bytes(pv_st_writer *w, const void *data, size_t bytes)
{
    uint64_t offset = 8 + w->header_bytes + w->at;
    if (bytes > UINT64_MAX / 2 - offset)
        return record(w, pv_fail(w->ctx, PSDVEC_ERR_OVERFLOW,
                                 "the file would exceed the maximum file size; write less data"));
    if (bytes)
        PV_TRY(record(w, w->sink.write_at(w->sink.self, offset, data, bytes)));
    w->at += bytes;
    return PSDVEC_OK;
}

/* Pads to the next multiple of 64 bytes. */
static psdvec_status put_filler(pv_st_writer *w)
{
    static const char zeros[PV_ST_ALIGN] = {0};
    size_t bytes = (size_t)((PV_ST_ALIGN - w->at % PV_ST_ALIGN) % PV_ST_ALIGN);
    if (bytes == 0)
        return PSDVEC_OK;
    written *filler = &w->list[w->count];
    snprintf(filler->name, sizeof filler->name, "pad.%zu", w->count - w->tensor_count);
    filler->tensor = (pv_tensor){.name = filler->name,
                                 .dtype = PV_DTYPE_U8,
                                 .rank = 1,
                                 .shape = {bytes},
                                 .count = bytes,
                                 .bytes = bytes};
    filler->begin = w->at;
    filler->filler = true;
    w->count++;
    return put_bytes(w, zeros, bytes);
}

static bool good_name(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t length = strlen(name);
    return length >= 1 && length <= PV_ST_NAME_MAX && strspn(name, allowed) == length &&
           strncmp(name, "pad.", 4) != 0 && strcmp(name, "__metadata__") != 0 &&
           strcmp(name, "metadata") != 0;
}

psdvec_status pv_st_writer_start(pv_st_writer *w, const char *name, pv_dtype dtype)
{
    if (w->status != PSDVEC_OK)
        return w->status;
    if (w->open || w->ended)
        return misuse(w, name, "starts while another tensor is open or after the end");
    if (!good_name(name))
        return misuse(w, name, "is not a valid name of a tensor");
    if (pv_dtype_size(dtype) == 0)
        return misuse(w, name, "has no known type");
    if (w->tensor_count == w->tensor_limit)
        return misuse(w, name, "is one tensor more than was announced");
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->list[i].name, name) == 0)
            return misuse(w, name, "is given twice");
    PV_TRY(put_filler(w));
    written *t = &w->list[w->count++];
    w->tensor_count++;
    memcpy(t->name, name, strlen(name) + 1);
    t->tensor = (pv_tensor){.name = t->name, .dtype = dtype};
    t->begin = w->at;
    XXH3_64bits_reset(w->hash);
    w->open = true;
    return PSDVEC_OK;
}

psdvec_status pv_st_writer_append(pv_st_writer *w, const void *data, size_t bytes)
{
    if (w->status != PSDVEC_OK)
        return w->status;
    if (!w->open)
        return misuse(w, "data", "comes without a tensor");
    for (size_t at = 0; at < bytes; at += PV_ST_STEP) {
        const char *part = (const char *)data + at;
        size_t length = bytes - at < PV_ST_STEP ? bytes - at : PV_ST_STEP;
        PV_TRY(record(w, pv_check_cancel(w->ctx)));
        XXH3_64bits_update(w->hash, part, length);
        PV_TRY(put_bytes(w, part, length));
    }
    return PSDVEC_OK;
}

psdvec_status pv_st_writer_reserve(pv_st_writer *w, const void *data, size_t bytes,
                                   uint64_t *offset)
{
    if (w->status != PSDVEC_OK)
        return w->status;
    if (!w->open)
        return misuse(w, "data", "comes without a tensor");
    *offset = 8 + w->header_bytes + w->at;
    XXH3_64bits_update(w->hash, data, bytes);
    w->at += bytes;
    return PSDVEC_OK;
}

psdvec_status pv_st_writer_stop(pv_st_writer *w, unsigned rank, const uint64_t *shape)
{
    if (w->status != PSDVEC_OK)
        return w->status;
    if (!w->open)
        return misuse(w, "a tensor", "stops that did not start");
    written *t = &w->list[w->count - 1];
    uint64_t bytes = 0;
    if (rank > PV_ST_RANK_MAX ||
        !pv_st_extent(t->tensor.dtype, rank, shape, &t->tensor.count, &bytes) ||
        bytes != w->at - t->begin)
        return misuse(w, t->name, "has a shape that does not fit its bytes");
    t->tensor.bytes = bytes;
    t->tensor.rank = rank;
    for (unsigned i = 0; i < rank; i++)
        t->tensor.shape[i] = shape[i];
    snprintf(t->sum_key, sizeof t->sum_key, "xxh3.%s", t->name);
    pv_st_digest(w->hash, t->sum);
    w->open = false;
    return PSDVEC_OK;
}

psdvec_status pv_st_writer_tensor(pv_st_writer *w, const char *name, pv_dtype dtype, unsigned rank,
                                  const uint64_t *shape, const void *data)
{
    uint64_t count = 0, bytes = 0;
    if (w->status != PSDVEC_OK)
        return w->status;
    if (rank > PV_ST_RANK_MAX || !pv_st_extent(dtype, rank, shape, &count, &bytes) ||
        bytes > SIZE_MAX)
        return misuse(w, name, "has an impossible shape");
    PV_TRY(pv_st_writer_start(w, name, dtype));
    PV_TRY(pv_st_writer_append(w, data, (size_t)bytes));
    return pv_st_writer_stop(w, rank, shape);
}

/* ---- The end ---------------------------------------------------------------------- */

static psdvec_status compose(pv_st_writer *w, const pv_st_pair *pairs, size_t pair_count,
                             pv_buffer *out)
{
    pv_json_writer json;
    pv_json_writer_init(&json, out);
    pv_json_open_object(&json, NULL);
    pv_json_open_object(&json, "__metadata__");
    for (size_t i = 0; i < pair_count; i++)
        pv_json_put_string(&json, pairs[i].key, pairs[i].value);
    pv_json_close(&json);
    for (size_t i = 0; i < w->count; i++) {
        const written *t = &w->list[i];
        pv_json_open_object(&json, t->name);
        pv_json_put_string(&json, "dtype", pv_dtype_name(t->tensor.dtype));
        pv_json_open_array(&json, "shape");
        for (unsigned d = 0; d < t->tensor.rank; d++)
            pv_json_put_u64(&json, NULL, t->tensor.shape[d]);
        pv_json_close(&json);
        pv_json_open_array(&json, "data_offsets");
        pv_json_put_u64(&json, NULL, t->begin);
        pv_json_put_u64(&json, NULL, t->begin + t->tensor.bytes);
        pv_json_close(&json);
        pv_json_close(&json);
    }
    pv_json_close(&json);
    return pv_json_writer_status(&json);
}

/* Writes the complete header to `out`, including the 8 bytes of its length. `pairs` has space for
 * all metadata and checksums, `tensors` for all tensors. */
static psdvec_status build_header(pv_st_writer *w, pv_st_pair *pairs, const pv_tensor **tensors,
                                  pv_buffer *out)
{
    size_t pair_count = 0;
    for (size_t i = 0; i < w->meta_count; i++)
        pairs[pair_count++] = (pv_st_pair){w->meta[i].key, w->meta[i].value};
    for (size_t i = 0; i < w->count; i++) {
        tensors[i] = &w->list[i].tensor;
        if (!w->list[i].filler)
            pairs[pair_count++] = (pv_st_pair){w->list[i].sum_key, w->list[i].sum};
    }
    char sum[17];
    pairs[pair_count++] = (pv_st_pair){"xxh3.metadata", sum};
    pv_st_sort(pairs, pair_count, tensors, w->count);
    pv_st_describe(w->hash, pairs, pair_count, tensors, w->count, sum);

    PV_TRY(pv_buffer_append(out, &w->header_bytes, 8));
    PV_TRY(compose(w, pairs, pair_count, out));
    size_t reserved = (size_t)w->header_bytes + 8;
    if (out->length > reserved)
        return misuse(w, "the metadata", "outgrew the room that was reserved for it");
    PV_TRY(pv_buffer_reserve(out, reserved - out->length));
    memset(out->data + out->length, ' ', reserved - out->length);
    out->length = reserved;
    return PSDVEC_OK;
}

psdvec_status pv_st_writer_end(pv_st_writer *w, uint64_t *bytes)
{
    if (w->status != PSDVEC_OK)
        return w->status;
    if (w->open || w->ended)
        return misuse(w, "the file", "ends inside a tensor or twice");
    psdvec_status status;
    pv_buffer header = {.ctx = w->ctx};
    pv_st_pair *pairs;
    const pv_tensor **tensors;
    PV_TAKE(&w->scope, pairs, w->meta_count + w->tensor_count + 1);
    PV_TAKE(&w->scope, tensors, w->count);
    PV_TRY_DONE(pv_scope_status(&w->scope));
    PV_TRY_DONE(build_header(w, pairs, tensors, &header));
    PV_TRY_DONE(w->sink.write_at(w->sink.self, 0, header.data, header.length));
    w->ended = true;
    if (bytes)
        *bytes = 8 + w->header_bytes + w->at;
done:
    pv_buffer_free(&header);
    return record(w, status);
}

void pv_st_writer_free(pv_st_writer *w)
{
    if (!w)
        return;
    psdvec_context *ctx = w->ctx;
    pv_scope_free(&w->scope);
    if (w->hash)
        XXH3_freeState(w->hash);
    pv_free(ctx, w);
}

psdvec_status pv_st_file_prepare(psdvec_context *ctx, const char *path, const pv_tensor *tensors,
                                 size_t count, const pv_st_pair *metadata, size_t metadata_count,
                                 pv_output **prepared)
{
    psdvec_status status;
    pv_output *output = NULL;
    *prepared = NULL;
    pv_st_writer *w = NULL;
    uint64_t bytes = 0, elements, more;
    for (const pv_tensor *t = tensors; t < tensors + count; t++)
        if (t->name && pv_st_extent(t->dtype, t->rank, t->shape, &elements, &more))
            bytes += more;
    PV_TRY_DONE(pv_output_open(ctx, path, &output));
    PV_TRY_DONE(pv_output_expect(output, bytes));
    PV_TRY_DONE(
        pv_st_writer_begin(ctx, pv_st_output_sink(output), count, metadata, metadata_count, 0, &w));
    for (const pv_tensor *t = tensors; t < tensors + count; t++)
        if (t->name)
            PV_TRY_DONE(pv_st_writer_tensor(w, t->name, t->dtype, t->rank, t->shape, t->data));
    PV_TRY_DONE(pv_st_writer_end(w, NULL));
    *prepared = output;
    output = NULL;
done:
    pv_st_writer_free(w);
    pv_output_discard(output);
    return status;
}

psdvec_status pv_st_file_write(psdvec_context *ctx, const char *path, const pv_tensor *tensors,
                               size_t count, const pv_st_pair *metadata, size_t metadata_count,
                               bool synced)
{
    pv_output *output;
    PV_TRY(pv_st_file_prepare(ctx, path, tensors, count, metadata, metadata_count, &output));
    return synced ? pv_output_commit(output) : pv_output_commit_unsynced(output);
}
