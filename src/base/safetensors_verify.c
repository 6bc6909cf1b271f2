/* Checksums of safetensors files: what safetensors_read.h says about them.
 *
 * Reads every byte of the file once, at the speed of XXH3 or of the disk, and
 * asks the host about stopping every few megabytes. Memory: the header encoded
 * anew, in proportion to its length.
 */
#include "base/safetensors_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

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

static bool has_checksums(const pv_st_file *file)
{
    for (size_t i = 0; i < file->meta_count; i++)
        if (strncmp(file->pairs[i].key, "xxh3.", 5) == 0)
            return true;
    return false;
}

static psdvec_status verify_header(psdvec_context *ctx, const pv_st_file *file)
{
    const char *stored = pv_st_meta(file, "xxh3.metadata");
    if (!stored) {
        if (has_checksums(file))
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                           "%s: the header is damaged: its checksum is gone; " PV_ST_AGAIN,
                           file->path);
        return pv_fail(ctx, PSDVEC_ERR_FORMAT,
                       "%s: the file has no checksums and cannot be verified; only files that "
                       "psdvec has written have them",
                       file->path);
    }
    psdvec_status status = PSDVEC_OK;
    pv_st_pair *others = pv_alloc(ctx, file->meta_count, sizeof *others, "a checksum");
    const pv_tensor **tensors = pv_alloc(ctx, file->entry_count, sizeof(pv_tensor *), "a checksum");
    if (!others || !tensors) {
        status = pv_failure(ctx);
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
                         "%s: the header is damaged: its checksum does not match; " PV_ST_AGAIN,
                         file->path);
done:
    pv_free(ctx, others);
    pv_free(ctx, (void *)tensors);
    return status;
}

static psdvec_status verify_tensor(psdvec_context *ctx, const pv_st_file *file,
                                   const pv_st_entry *e, XXH3_state_t *hash, pv_buffer *key)
{
    size_t bytes = (size_t)e->tensor.bytes;
    XXH3_64bits_reset(hash);
    for (size_t at = 0; at < bytes; at += PV_ST_SLICE) {
        PV_TRY(pv_check_cancel(ctx));
        XXH3_64bits_update(hash, e->raw + at, bytes - at < PV_ST_SLICE ? bytes - at : PV_ST_SLICE);
    }
    key->length = 0;
    PV_TRY(pv_buffer_text(key, "xxh3."));
    PV_TRY(pv_buffer_append(key, e->tensor.name, strlen(e->tensor.name) + 1));
    const char *stored = pv_st_meta(file, key->data);
    uint64_t digest = XXH3_64bits_digest(hash);
    if (!stored)
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                       "%s: tensor \"%s\" has lost its checksum; " PV_ST_AGAIN, file->path,
                       pv_st_show(e->tensor.name).text);
    if (!matches(stored, digest))
        return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                       "%s: tensor \"%s\" is damaged: its checksum is %016" PRIx64
                       " where %s was written; " PV_ST_AGAIN,
                       file->path, pv_st_show(e->tensor.name).text, digest,
                       pv_st_show(stored).text);
    return PSDVEC_OK;
}

static psdvec_status verify_filler(psdvec_context *ctx, const pv_st_file *file,
                                   const pv_st_entry *e)
{
    for (size_t i = 0; i < (size_t)e->tensor.bytes; i++)
        if (e->raw[i])
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                           "%s: the filler \"%s\" is damaged: it is not all zeros; " PV_ST_AGAIN,
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
        const pv_st_entry *e = &file->entries[i];
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
