/* Reading safetensors files: counts, models, and files of other programs.
 *
 *     8 bytes   u64, little-endian: the length of the header, n
 *     n bytes   a JSON object, padded with spaces
 *               {"__metadata__": {"key": "text", ...},
 *                "name": {"dtype": "F32", "shape": [40868, 300],
 *                         "data_offsets": [begin, end]}, ...}
 *     the rest  the tensors, little-endian, row-major; offsets count from here
 *
 * Opening maps the file and validates it: lengths, types, shapes, ranges and names are all checked
 * before any access. The tensors must cover the rest of the file without gaps. Opening cannot
 * detect damage inside the tensors; pv_st_verify reads all of them and compares checksums.
 *
 * A tensor's data can be used as an array of its type: a misaligned tensor of a third-party file is
 * copied when the file is opened, within the memory budget.
 *
 * docs/reference/counts-file.md defines the checksums, and the fillers "pad.0", "pad.1", ... with
 * which our writer aligns tensors to 64 bytes. The reader does not show fillers. Only in a file
 * with "xxh3.metadata" is "pad.0" a filler; elsewhere it is a tensor.
 *
 * The file must not be truncated while it is open, because accesses to the mapping would then
 * fault. Our own files are only ever replaced by renaming, which is harmless. The time to open a
 * file is linear in its header and independent of its size.
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
    unsigned rank;                  /* 0: a scalar */
    uint64_t shape[PV_ST_RANK_MAX]; /* `rank` entries; the others are 0 */
    const void *data;               /* aligned for the type; never NULL */
    uint64_t count;                 /* elements: the product of the shape */
    uint64_t bytes;
} pv_tensor;

/* A tensor to be written. columns 0: rank 1. */
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

/* PSDVEC_ERR_FORMAT: not a safetensors file, or it uses an unsupported feature. PSDVEC_ERR_CORRUPT:
 * the file is truncated, or its header is inconsistent. */
psdvec_status pv_st_open(psdvec_context *ctx, const char *path, pv_st_file **file);
/* As pv_st_open, but reads the file into memory if `never_map`. */
psdvec_status pv_st_open_how(psdvec_context *ctx, const char *path, bool never_map,
                             pv_st_file **file);
/* Opens a file that is already in memory and stays there until it is closed. `path` is for
 * messages. */
psdvec_status pv_st_open_memory(psdvec_context *ctx, const char *path, const void *data,
                                size_t length, pv_st_file **file);
void pv_st_close(pv_st_file *file);
/* From now on, passes over the file release its pages if they do not fit the memory budget
 * (trim.h). */
void pv_st_trim(pv_st_file *file);
/* The file will not be read for a while; see pv_map_release(). */
void pv_st_release(const pv_st_file *file);

const char *pv_st_path(const pv_st_file *file);
uint64_t pv_st_bytes(const pv_st_file *file); /* of the whole file */

/* NULL if there is no tensor of that name. Valid until the file is closed, as are all results. */
const pv_tensor *pv_st_tensor(const pv_st_file *file, const char *name);
/* Tensors in file order. i < pv_st_count(file). */
size_t pv_st_count(const pv_st_file *file);
const pv_tensor *pv_st_at(const pv_st_file *file, size_t i);

/* The metadata's text, or NULL. */
const char *pv_st_meta(const pv_st_file *file, const char *key);
/* Sorted by key. */
size_t pv_st_meta_count(const pv_st_file *file);
pv_st_pair pv_st_meta_at(const pv_st_file *file, size_t i);

/* Warns the host of all names that are not in `known`, which ends with NULL; checksums and fillers
 * are ignored. Code that derives a file from another one calls this first, because data from a
 * newer version would otherwise be lost silently. */
psdvec_status pv_st_warn_unknown(psdvec_context *ctx, const pv_st_file *file,
                                 const char *const *known);

/* Gets the tensor if it exists and has this type, rank and shape (-1: any length; NULL: any shape
 * of the rank). Otherwise PSDVEC_ERR_FORMAT with a message. */
psdvec_status pv_st_require(psdvec_context *ctx, const pv_st_file *file, const char *name,
                            pv_dtype dtype, unsigned rank, const int64_t *shape,
                            const pv_tensor **tensor);

/* Reads everything and compares every checksum. PSDVEC_ERR_CORRUPT names what is damaged;
 * PSDVEC_ERR_FORMAT: the file has no checksums. */
psdvec_status pv_st_verify(psdvec_context *ctx, const pv_st_file *file);
/* The same, but accepts a file without any checksums, which another program wrote. */
psdvec_status pv_st_verify_if_any(psdvec_context *ctx, const pv_st_file *file);

/* A name or a word that is safe to print in a message: short, with a question mark for each invalid
 * byte and each character that could control a terminal (pv_utf8_is_unsafe). */
typedef struct pv_st_shown {
    char text[84];
} pv_st_shown;
pv_st_shown pv_st_show(const char *name);
pv_st_shown pv_word_shown(const char *word, size_t length);

/* ---- Shared with the writer ------------------------------------------------ */

#define PV_ST_STEP ((size_t)4 << 20) /* bytes between two checks for cancellation */

/* Sorts metadata by key and tensors by name. */
void pv_st_sort(pv_st_pair *pairs, size_t count, const pv_tensor **tensors, size_t tensor_count);

/* "xxh3.metadata": the checksum of sorted metadata, without that entry, and of all tensors. */
void pv_st_describe(struct XXH3_state_s *hash, const pv_st_pair *pairs, size_t count,
                    const pv_tensor *const *tensors, size_t tensor_count, char digest[17]);
/* The checksum of what was hashed, as text. */
void pv_st_digest(struct XXH3_state_s *hash, char digest[17]);

/* The number of elements and of bytes. False if either does not fit 64 bits. */
bool pv_st_extent(pv_dtype dtype, unsigned rank, const uint64_t *shape, uint64_t *count,
                  uint64_t *bytes);

#endif
