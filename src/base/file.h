/* Files: memory-mapped reading, atomic output, and temporary files that are never left behind.
 */
#ifndef PV_BASE_FILE_H
#define PV_BASE_FILE_H

#include "base/memory.h"
#include "util/new_file.h"

/* ---- Atomic output (util/new_file.h) ------------------------------------
 *
 *   pv_output_open      creates an unnamed file in the target's folder, so a
 *                       missing folder or permission is detected early
 *   pv_output_write_at  any number of times, from any thread
 *   pv_output_commit    syncs it, gives it a name, renames it over the target
 *   pv_output_discard   drops it; nothing remains, even after kill -9
 *
 * A symbolic link is followed; a target that is not a regular file is rejected. */
typedef struct pv_output pv_output;

psdvec_status pv_output_open(psdvec_context *ctx, const char *path, pv_output **output);
psdvec_status pv_output_write_at(pv_output *output, uint64_t offset, const void *data,
                                 size_t length);
/* PSDVEC_ERR_DISK_FULL at once if `bytes` more bytes certainly do not fit. */
psdvec_status pv_output_expect(pv_output *output, uint64_t bytes);
/* All of these free `output`. */
psdvec_status pv_output_commit(pv_output *output);
/* Commits files that belong together: whoever finds the first finds the others that belong to it,
 * also after a kill. At most PV_OUTPUTS_MAX. */
#define PV_OUTPUTS_MAX 4
psdvec_status pv_output_commit_set(pv_output *const *outputs, size_t count);
/* Does not sync: the file is complete after kill -9, but perhaps not after a power failure. For
 * files that are written often and can be recreated. */
psdvec_status pv_output_commit_unsynced(pv_output *output);
void pv_output_discard(pv_output *output);
/* Writes a complete file. `synced`: sync as pv_output_commit() does. */
psdvec_status pv_write_file(psdvec_context *ctx, const char *path, const void *data, size_t length,
                            bool synced);
/* Detects before a long computation that the file cannot be written. */
psdvec_status pv_output_try(psdvec_context *ctx, const char *path);

/* ---- Temporary files without a name -------------------------------------
 * In ctx's temporary folder, or else in `folder`. The caller closes *fd. */
psdvec_status pv_temp_open(psdvec_context *ctx, const char *folder, int *fd);

/* Bytes that an unprivileged user can still write below `folder`; UINT64_MAX if unknown. */
uint64_t pv_free_space(const char *folder);

/* Complete transfers: interrupted and short ones are continued. `path` is used in messages only. */
psdvec_status pv_write_all_at(psdvec_context *ctx, int fd, const char *path, uint64_t offset,
                              const void *data, size_t length);
psdvec_status pv_read_all_at(psdvec_context *ctx, int fd, const char *path, uint64_t offset,
                             void *data, size_t length);

/* True if both exist and are the same file. */
bool pv_same_file(const char *a, const char *b);

/* ---- A whole file in memory ----------------------------------------------
 * Mapped if the system can, else read. */
typedef struct pv_map {
    const unsigned char *data;
    size_t size;
    void *mapping; /* NULL if it was read */
    void *block;   /* NULL if it was mapped */
} pv_map;

psdvec_status pv_map_open(psdvec_context *ctx, const char *path, bool never_map, pv_map *map);
void pv_map_close(psdvec_context *ctx, pv_map *map);
/* Lets the system evict the pages of a mapped file from the process; the next access reloads
 * them. */
void pv_map_release(const pv_map *map);

/* ---- Arrays that may be larger than memory -----------------------------------
 * In memory if they fit the budget, else in a mapped temporary file, which the system pages in and
 * out. Loops over such a file call pv_trim (trim.h). */
typedef struct pv_large {
    void *data;
    uint64_t bytes;
    bool mapped;
    struct pv_trimmed *trimmed; /* if it is mapped (trim.h) */
} pv_large;

/* Whether that many bytes must go to a file because they do not fit the budget beside `besides`
 * bytes. */
bool pv_large_spills(psdvec_context *ctx, uint64_t bytes, uint64_t besides);

/* Zero-initialised. `folder`: for the temporary file, if the context names none. `spill`: use a
 * file in any case. If the file cannot be created, the message names the bytes needed. */
psdvec_status pv_large_alloc(psdvec_context *ctx, uint64_t count, size_t size, const char *folder,
                             bool spill, const char *what, pv_large *large);
void pv_large_free(psdvec_context *ctx, pv_large *large);

#endif
