/* Reading safetensors files: counts, models, and those of other programs.
 *
 *     8 bytes   u64, little-endian: the length of the header, n
 *     n bytes   a JSON object, padded with spaces
 *               {"__metadata__": {"key": "text", ...},
 *                "name": {"dtype": "F32", "shape": [40868, 300],
 *                         "data_offsets": [begin, end]}, ...}
 *     the rest  the tensors, little-endian, row-major; offsets count from here
 *
 * Opening maps the file and believes nothing: lengths, types, shapes, ranges and names are all
 * checked before anything can be asked for. The tensors must tile the rest of the file. What opening
 * cannot see is damage inside the tensors; pv_st_verify reads them all and compares checksums.
 *
 * A tensor's data may be used as an array of its type: one of a foreign file that stands where its
 * type does not allow that is copied at opening, within the memory budget.
 *
 * docs/reference/counts-file.md defines the checksums, and the fillers "pad.0", "pad.1", ... with which our writer
 * aligns tensors to 64 bytes. The reader does not show fillers. Only in a file with "xxh3.metadata"
 * is "pad.0" a filler; elsewhere it is a tensor.
 *
 * The file must not be shortened while it is open: a mapping then faults, as everywhere. Our own
 * files are only ever replaced whole, which is harmless. Opening costs time in proportion to the
 * header, whatever the size of the file.
 */
#ifndef PV_BASE_SAFETENSORS_READ_H
#define PV_BASE_SAFETENSORS_READ_H

#include "base/memory.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensors are used in place, and the format is little-endian"
#endif

#define PV_ST_RANK_MAX 8
#define PV_ST_HEADER_MAX UINT64_C(100000000) /* as in the reference implementation */
#define PV_ST_ALIGN 64

struct XXH3_state_s;

typedef enum pv_dtype {
    PV_DTYPE_BOOL = 0,
    PV_DTYPE_U8,
    PV_DTYPE_I8,
    PV_DTYPE_F8_E5M2,
    PV_DTYPE_F8_E4M3,
    PV_DTYPE_U16,
    PV_DTYPE_I16,
    PV_DTYPE_F16,
    PV_DTYPE_BF16,
    PV_DTYPE_U32,
    PV_DTYPE_I32,
    PV_DTYPE_F32,
    PV_DTYPE_U64,
    PV_DTYPE_I64,
    PV_DTYPE_F64,
    PV_DTYPE_COUNT
} pv_dtype;

const char *pv_dtype_name(pv_dtype dtype); /* "F32" */
size_t pv_dtype_size(pv_dtype dtype);      /* in bytes */

typedef struct pv_tensor {
    const char *name;
    pv_dtype dtype;
    unsigned rank;                  /* 0: a single number */
    uint64_t shape[PV_ST_RANK_MAX]; /* rank of them; the rest is 0 */
    const void *data;               /* aligned for the type; never NULL */
    uint64_t count;                 /* elements: the product of the shape */
    uint64_t bytes;
} pv_tensor;

/* One to be written; columns 0: of rank 1. */
static inline pv_tensor pv_tensor_of(const char *name, pv_dtype dtype, uint64_t rows,
                                     uint64_t columns, const void *data)
{
    return (pv_tensor){.name = name,
                       .dtype = dtype,
                       .rank = columns ? 2 : 1,
                       .shape = {rows, columns},
                       .data = data};
}

typedef struct pv_st_pair {
    const char *key, *value;
} pv_st_pair;

typedef struct pv_st_file pv_st_file;

/* PSDVEC_ERR_FORMAT: it is something else, or uses what we do not support.
 * PSDVEC_ERR_CORRUPT: it is truncated, or its header contradicts itself. */
psdvec_status pv_st_open(psdvec_context *ctx, const char *path, pv_st_file **file);
/* As pv_st_open, but reads the file into memory if `never_map`. */
psdvec_status pv_st_open_how(psdvec_context *ctx, const char *path, bool never_map,
                             pv_st_file **file);
/* A file that is in memory already, and stays there until the close. `path` is
 * for messages. */
psdvec_status pv_st_open_memory(psdvec_context *ctx, const char *path, const void *data,
                                size_t length, pv_st_file **file);
void pv_st_close(pv_st_file *file);
/* The file is not read for a while: see pv_map_release(). */
void pv_st_release(const pv_st_file *file);

const char *pv_st_path(const pv_st_file *file);
uint64_t pv_st_bytes(const pv_st_file *file); /* of the whole file */

/* NULL if there is none of that name. Valid until the close, as is all. */
const pv_tensor *pv_st_tensor(const pv_st_file *file, const char *name);
/* In the order of the file. i < pv_st_count(file). */
size_t pv_st_count(const pv_st_file *file);
const pv_tensor *pv_st_at(const pv_st_file *file, size_t i);

/* The metadata's text, or NULL. */
const char *pv_st_meta(const pv_st_file *file, const char *key);
/* Sorted by key. */
size_t pv_st_meta_count(const pv_st_file *file);
pv_st_pair pv_st_meta_at(const pv_st_file *file, size_t i);

/* Warns the host of all names that are not in `known`, which ends with NULL; checksums and fillers do
 * not count. Whoever writes a file from another one calls this first, for what a newer version put
 * there would be missing without a word. */
psdvec_status pv_st_warn_unknown(psdvec_context *ctx, const pv_st_file *file,
                                 const char *const *known);

/* The tensor, if it is there and has this type, rank and shape (-1: any length; NULL: any shape of
 * the rank). Else PSDVEC_ERR_FORMAT and a sentence. */
psdvec_status pv_st_require(psdvec_context *ctx, const pv_st_file *file, const char *name,
                            pv_dtype dtype, unsigned rank, const int64_t *shape,
                            const pv_tensor **tensor);

/* Reads everything and compares every checksum. PSDVEC_ERR_CORRUPT names what is damaged;
 * PSDVEC_ERR_FORMAT: the file has no checksums. */
psdvec_status pv_st_verify(psdvec_context *ctx, const pv_st_file *file);
/* The same, but a file without any checksum, which another program wrote, is let through. */
psdvec_status pv_st_verify_if_any(psdvec_context *ctx, const pv_st_file *file);

/* A name fit for a sentence: short, and without control characters (U+0080 to
 * U+009F included), which a terminal might obey. */
typedef struct pv_st_shown {
    char text[84];
} pv_st_shown;
pv_st_shown pv_st_show(const char *name);

/* ---- Shared with the writer ------------------------------------------------ */

#define PV_ST_STEP ((size_t)4 << 20) /* bytes between two questions about stopping */

/* Sorts metadata by key and tensors by name. */
void pv_st_sort(pv_st_pair *pairs, size_t count, const pv_tensor **tensors, size_t tensor_count);

/* "xxh3.metadata": the checksum of sorted metadata, without that entry, and of all tensors. */
void pv_st_describe(struct XXH3_state_s *hash, const pv_st_pair *pairs, size_t count,
                    const pv_tensor *const *tensors, size_t tensor_count, char digest[17]);
/* The checksum of what was hashed, as text. */
void pv_st_digest(struct XXH3_state_s *hash, char digest[17]);

/* The product of a shape and of shape and type. False
 * if it does not fit 64 bits. */
bool pv_st_extent(pv_dtype dtype, unsigned rank, const uint64_t *shape, uint64_t *count,
                  uint64_t *bytes);

#endif
