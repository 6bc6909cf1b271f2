/* Writing safetensors files: tensors first, the header last.
 *
 *     pv_st_writer *w;
 *     PV_TRY(pv_st_writer_begin(ctx, sink, 3, metadata, count, 0, &w));
 *     pv_st_writer_tensor(w, "words", PV_DTYPE_U8, 1, shape, bytes);
 *     pv_st_writer_start(w, "values", PV_DTYPE_U32);
 *     while (...)
 *         pv_st_writer_append(w, block, block_bytes);
 *     pv_st_writer_stop(w, 1, (uint64_t[]){n});
 *     status = pv_st_writer_end(w, &file_bytes);
 *     pv_st_writer_free(w);
 *
 * The size of merged data is known only after merging, and it may exceed memory. So space for the
 * header is reserved at the start, tensors are written after it as they arrive, with their
 * checksums computed on the fly, and the header is written at the end, padded with spaces.
 *
 * docs/reference/counts-file.md describes the layout: fillers, checksums, order. The bytes of a
 * file depend only on its content and on the two numbers from which the size of the header is
 * computed.
 *
 * Failures are sticky: later calls return the first failure and write nothing. Invalid arguments (a
 * shape that does not match the bytes, a duplicate name) are bugs of the caller and give
 * PSDVEC_ERR_INTERNAL.
 */
#ifndef PV_BASE_SAFETENSORS_WRITE_H
#define PV_BASE_SAFETENSORS_WRITE_H

#include "base/file.h"
#include "base/safetensors_read.h"

#define PV_ST_NAME_MAX 64 /* of our own tensors: letters, digits and _ . - */

/* Receives the bytes: tensors in ascending order without gaps, then the header at offset 0. A
 * failure must be recorded with pv_fail. */
typedef struct pv_st_sink {
    psdvec_status (*write_at)(void *self, uint64_t offset, const void *data, size_t length);
    void *self;
} pv_st_sink;

pv_st_sink pv_st_output_sink(pv_output *output);

typedef struct pv_st_writer pv_st_writer;

/* Starts a file of at most `tensors` tensors. The metadata is copied, except for entries without a
 * value; its keys must be distinct, and none may start with "xxh3.". `slack`: header bytes reserved
 * for entries added by pv_st_writer_meta. */
psdvec_status pv_st_writer_begin(psdvec_context *ctx, pv_st_sink sink, size_t tensors,
                                 const pv_st_pair *metadata, size_t metadata_count, size_t slack,
                                 pv_st_writer **writer);

/* Sets or replaces a metadata entry, at any time before the end. */
psdvec_status pv_st_writer_meta(pv_st_writer *writer, const char *key, const char *value);

/* Writes a complete tensor from memory. */
psdvec_status pv_st_writer_tensor(pv_st_writer *writer, const char *name, pv_dtype dtype,
                                  unsigned rank, const uint64_t *shape, const void *data);

/* Writes a tensor in parts; its shape is given at the end. Each append becomes one write (of at
 * most a few megabytes), so the parts should be large. */
psdvec_status pv_st_writer_start(pv_st_writer *writer, const char *name, pv_dtype dtype);
psdvec_status pv_st_writer_append(pv_st_writer *writer, const void *data, size_t bytes);
/* As append, but the caller writes the bytes itself, at *offset and before the end, so that several
 * threads can write while their parts are reserved in order. */
psdvec_status pv_st_writer_reserve(pv_st_writer *writer, const void *data, size_t bytes,
                                   uint64_t *offset);
psdvec_status pv_st_writer_stop(pv_st_writer *writer, unsigned rank, const uint64_t *shape);

/* Writes the header. `bytes`, if not NULL, receives the size of the file. */
psdvec_status pv_st_writer_end(pv_st_writer *writer, uint64_t *bytes);
void pv_st_writer_free(pv_st_writer *writer);

/* Writes a file that the caller commits. Tensors without a name are left out, but they are included
 * in `count`, from which the size of the header is computed. */
psdvec_status pv_st_file_prepare(psdvec_context *ctx, const char *path, const pv_tensor *tensors,
                                 size_t count, const pv_st_pair *metadata, size_t metadata_count,
                                 pv_output **prepared);
/* Writes and commits it. `synced`: pv_output_commit(). */
psdvec_status pv_st_file_write(psdvec_context *ctx, const char *path, const pv_tensor *tensors,
                               size_t count, const pv_st_pair *metadata, size_t metadata_count,
                               bool synced);

#endif
