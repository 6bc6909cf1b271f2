/* Files: whole-file reading by mapping, output that appears only when it is
 * complete, and temporary files that cannot be left behind.
 */
#ifndef PV_BASE_FILE_H
#define PV_BASE_FILE_H

#include "base/memory.h"

/* ---- Output that replaces its target only when whole -------------------
 *
 *   pv_output_open      creates a nameless file in the target's folder, so a
 *                       missing folder or permission is noticed before work
 *   pv_output_write_at  any number of times, from any thread
 *   pv_output_commit    syncs it, gives it a name, renames it over the target
 *   pv_output_discard   forgets it; nothing remains, as after kill -9
 *
 * A symbolic link is followed; a target that is no regular file is refused. */
typedef struct pv_output pv_output;

psdvec_status pv_output_open(psdvec_context *ctx, const char *path, pv_output **output);
psdvec_status pv_output_write_at(pv_output *output, uint64_t offset, const void *data,
                                 size_t length);
/* PSDVEC_ERR_DISK_FULL now if `bytes` more certainly do not fit. */
psdvec_status pv_output_expect(pv_output *output, uint64_t bytes);
/* All of these free `output`. */
psdvec_status pv_output_commit(pv_output *output);
/* Does not wait for the disk: the file is whole after kill -9, but perhaps not after a
 * power cut. For what is written often and can be made again. */
psdvec_status pv_output_commit_unsynced(pv_output *output);
void pv_output_discard(pv_output *output);
/* A file of these bytes. `synced`: as pv_output_commit() does. */
psdvec_status pv_output_whole(psdvec_context *ctx, const char *path, const void *data,
                              size_t length, bool synced);
/* To notice before long work if the file could not be written. */
psdvec_status pv_output_try(psdvec_context *ctx, const char *path);

/* ---- Temporary files without a name -------------------------------------
 * In ctx's temporary folder, or else in `folder`. *fd is the caller's. */
psdvec_status pv_temp_open(psdvec_context *ctx, const char *folder, int *fd);

/* The folder part of a path, "." if it has none. Heap; NULL without memory. */
char *pv_folder_of(const char *path);

/* Bytes an ordinary user may still write below `folder`; UINT64_MAX unknown. */
uint64_t pv_free_space(const char *folder);

/* Full transfers that go on after interruptions and short counts. `path` is
 * for the message only. */
psdvec_status pv_write_all_at(psdvec_context *ctx, int fd, const char *path, uint64_t offset,
                              const void *data, size_t length);
psdvec_status pv_read_all_at(psdvec_context *ctx, int fd, const char *path, uint64_t offset,
                             void *data, size_t length);

/* True if both exist and are one file. */
bool pv_same_file(const char *a, const char *b);

/* ---- A whole file in memory ----------------------------------------------
 * Mapped where the system can, else read. */
typedef struct pv_map {
    const unsigned char *data;
    size_t size;
    void *mapping; /* NULL if it was read */
    void *block;   /* NULL if it was mapped */
} pv_map;

psdvec_status pv_map_open(psdvec_context *ctx, const char *path, bool never_map, pv_map *map);
void pv_map_close(psdvec_context *ctx, pv_map *map);
/* Lets the system take the pages of a mapped file out of the memory of the process; the next access
 * fetches them again. */
void pv_map_release(const pv_map *map);

/* ---- Arrays that may be larger than memory -----------------------------------
 * Within the budget where they fit, else in a mapped temporary file, which the
 * system reads and writes as it is used. */
typedef struct pv_large {
    void *data;
    uint64_t bytes;
    bool mapped;
} pv_large;

/* Whether so many bytes should go to a file: they do not fit the budget beside `besides`. */
bool pv_large_spills(psdvec_context *ctx, uint64_t bytes, uint64_t besides);

/* Zeros. `folder`: of the temporary file, if the context names none. `spill`:
 * use a file at once. A failure of the file names the bytes it needs. */
psdvec_status pv_large_alloc(psdvec_context *ctx, uint64_t count, size_t size, const char *folder,
                             bool spill, const char *what, pv_large *large);
void pv_large_free(psdvec_context *ctx, pv_large *large);

#endif
