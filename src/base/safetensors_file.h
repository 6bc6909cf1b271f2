/* An open safetensors file from the inside: what the parts of the reader share.
 *
 *   safetensors_header.c   the header's JSON -> entries, names in one arena
 *   safetensors_read.c     the file: opening, tiling, asking
 *   safetensors_verify.c   checksums
 *
 * An entry takes some 150 bytes and its name; all of it stays until the close.
 */
#ifndef PV_BASE_SAFETENSORS_FILE_H
#define PV_BASE_SAFETENSORS_FILE_H

#include "base/file.h"
#include "base/memory.h"
#include "base/safetensors_read.h"

#define PV_ST_AGAIN "get the file again or make it anew"
#define PV_ST_SLICE ((size_t)4 << 20) /* bytes between two questions about stopping */

typedef struct pv_st_entry {
    pv_tensor tensor;
    size_t name_at; /* in the arena; tensor.name while that no longer moves */
    uint64_t begin, end;
    const unsigned char *raw; /* in the file */
    void *copy;               /* NULL, or the aligned copy */
    bool filler;
} pv_st_entry;

typedef struct pv_st_meta_entry {
    size_t key_at, value_at; /* in the arena */
} pv_st_meta_entry;

struct pv_st_file {
    psdvec_context *ctx;
    char *path;
    const unsigned char *data;
    size_t length;
    pv_map map; /* all zero if the memory is the caller's */

    pv_buffer arena;      /* names, keys and values, each with its zero */
    pv_st_entry *entries; /* in the order of the header */
    size_t entry_count, entry_capacity;
    const pv_st_entry **by_name;
    const pv_tensor **in_order; /* without fillers */
    size_t in_order_count;
    pv_st_meta_entry *meta;
    size_t meta_count, meta_capacity;
    pv_st_pair *pairs; /* sorted by key */
    bool has_metadata;
};

/* Reads the `header_length` bytes of JSON at byte 8 into entries and metadata,
 * each checked by itself: its type, its shape, its range. Names are not
 * pointers yet, for the arena still moves. */
psdvec_status pv_st_read_header(pv_st_file *file, uint64_t header_length);

/* A name fit for a sentence: short, and without control characters (U+0080 to
 * U+009F included), which a terminal might obey. */
typedef struct pv_st_shown {
    char text[84];
} pv_st_shown;

pv_st_shown pv_st_show(const char *name);

/* PSDVEC_ERR_CORRUPT: tensor `name` `what`. */
psdvec_status pv_st_fail_tensor(pv_st_file *file, const char *name, const char *what);

#endif
