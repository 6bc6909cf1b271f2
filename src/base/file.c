/* File access. Every transfer is checked, including the final sync. */
#include "base/file.h"

#include "base/platform.h"
#include "base/trim.h"
#include "util/c_locale.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { WRITE_BEHIND = 16 << 20 };

struct pv_output {
    psdvec_context *ctx;
    pv_new_file file;
    _Atomic uint64_t unsynced; /* bytes written since the last write-back hint */
};

uint64_t pv_free_space(const char *folder)
{
    struct statvfs fs;
    if (statvfs(folder, &fs) != 0 || fs.f_blocks == 0)
        return UINT64_MAX;
    return (uint64_t)fs.f_bavail * fs.f_frsize;
}

bool pv_same_file(const char *a, const char *b)
{
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
}

psdvec_status pv_write_all_at(psdvec_context *ctx, int fd, const char *path, uint64_t offset,
                              const void *data, size_t length)
{
    const char *bytes = data;
    while (length > 0) {
        ssize_t done = pwrite(fd, bytes, length, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot write", path,
                                 done == 0 ? ENOSPC : errno);
        bytes += done;
        offset += (uint64_t)done;
        length -= (size_t)done;
    }
    return PSDVEC_OK;
}

psdvec_status pv_read_all_at(psdvec_context *ctx, int fd, const char *path, uint64_t offset,
                             void *data, size_t length)
{
    char *bytes = data;
    while (length > 0) {
        ssize_t done = pread(fd, bytes, length, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot read", path, errno);
        if (done == 0)
            return pv_fail(ctx, PSDVEC_ERR_CORRUPT,
                           "%s: the file is truncated: it ends at byte %" PRIu64 ", %zu bytes too "
                           "early",
                           path, offset, length);
        bytes += done;
        offset += (uint64_t)done;
        length -= (size_t)done;
    }
    return PSDVEC_OK;
}

/* A file that is unlinked as soon as it is open. */
static int open_unlinked(const char *folder)
{
    pv_new_file file = {.fd = -1};
    const char *why;
    char *path;
    int error = ENOMEM;
    if (pv_asprintf(&path, "%s/temporary", folder) >= 0)
        error = pv_new_file_open(&file, path, &why);
    int fd = file.fd;
    file.fd = -1;
    pv_new_file_drop(&file);
    free(path);
    errno = error;
    return fd;
}

psdvec_status pv_temp_open(psdvec_context *ctx, const char *folder, int *fd)
{
    if (ctx->tempdir)
        folder = ctx->tempdir;
    *fd = pv_nameless_open(folder);
    if (*fd < 0 && errno != ENOENT && errno != EACCES && errno != ENOSPC && errno != EROFS)
        *fd = open_unlinked(folder);
    if (*fd < 0)
        return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot create a temporary file in it", folder,
                             errno);
    return PSDVEC_OK;
}

psdvec_status pv_output_open(psdvec_context *ctx, const char *path, pv_output **out)
{
    const char *why;
    *out = NULL;
    if (!*path)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "the output's name is empty");
    pv_output *output = calloc(1, sizeof *output);
    if (!output)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", path);
    output->ctx = ctx;
    int error = pv_new_file_open(&output->file, path, &why);
    if (!error) {
        *out = output;
        return PSDVEC_OK;
    }
    free(output);
    if (why)
        return pv_fail(ctx, PSDVEC_ERR_WRITE, "%s: %s", path, why);
    return pv_fail_errno(ctx, PSDVEC_ERR_WRITE,
                         error == ENOENT ? "cannot write here, the folder does not exist"
                                         : "cannot write here",
                         path, error);
}

psdvec_status pv_output_write_at(pv_output *output, uint64_t offset, const void *data,
                                 size_t length)
{
    PV_TRY(
        pv_write_all_at(output->ctx, output->file.fd, output->file.target, offset, data, length));
    /* Start write-back early, so that the final sync has less to wait for. */
    if (atomic_fetch_add(&output->unsynced, length) + length >= WRITE_BEHIND) {
        atomic_store(&output->unsynced, 0);
        pv_hint_written(output->file.fd);
    }
    return PSDVEC_OK;
}

psdvec_status pv_output_expect(pv_output *output, uint64_t bytes)
{
    uint64_t space = pv_free_space(output->file.folder);
    if (bytes > space)
        return pv_fail(output->ctx, PSDVEC_ERR_DISK_FULL,
                       "%s: needs %.1f MiB, but only %.1f MiB are free there; free some space or "
                       "choose another folder",
                       output->file.target, (double)bytes / 1048576.0, (double)space / 1048576.0);
    return PSDVEC_OK;
}

/* Frees all of them. */
static psdvec_status commit(pv_output *const *outputs, size_t count, bool sync)
{
    psdvec_status status = PSDVEC_OK;
    pv_new_file *files[PV_OUTPUTS_MAX] = {0};
    size_t failed;
    for (size_t k = 0; k < count; k++)
        files[k] = &outputs[k]->file;
    int error = pv_new_files_place(files, count, sync, &failed);
    if (error)
        status = pv_fail_errno(outputs[0]->ctx, PSDVEC_ERR_WRITE,
                               error == ENOENT ? "cannot write, the folder no longer exists"
                                               : "cannot write",
                               files[failed]->target, error);
    for (size_t k = 0; k < count; k++)
        pv_output_discard(outputs[k]);
    return status;
}

psdvec_status pv_output_commit(pv_output *output)
{
    return commit(&output, 1, true);
}

psdvec_status pv_output_commit_set(pv_output *const *outputs, size_t count)
{
    return commit(outputs, count, true);
}

psdvec_status pv_output_commit_unsynced(pv_output *output)
{
    return commit(&output, 1, false);
}

psdvec_status pv_write_file(psdvec_context *ctx, const char *path, const void *data, size_t length,
                            bool synced)
{
    pv_output *output;
    PV_TRY(pv_output_open(ctx, path, &output));
    psdvec_status status = pv_output_write_at(output, 0, data, length);
    if (status == PSDVEC_OK)
        return commit(&output, 1, synced);
    pv_output_discard(output);
    return status;
}

psdvec_status pv_output_try(psdvec_context *ctx, const char *path)
{
    pv_output *output;
    PV_TRY(pv_output_open(ctx, path, &output));
    pv_output_discard(output);
    return PSDVEC_OK;
}

void pv_output_discard(pv_output *output)
{
    if (!output)
        return;
    pv_new_file_drop(&output->file);
    free(output);
}

psdvec_status pv_map_open(psdvec_context *ctx, const char *path, bool never_map, pv_map *map)
{
    *map = (pv_map){0};
    /* Opening a FIFO without O_NONBLOCK would wait for a writer. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot open", path, errno);
    psdvec_status status = PSDVEC_OK;
    struct stat info;
    if (fstat(fd, &info) != 0) {
        status = pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot inspect", path, errno);
    } else if (!S_ISREG(info.st_mode)) {
        status =
            pv_fail(ctx, PSDVEC_ERR_READ,
                    S_ISDIR(info.st_mode)
                        ? "%s: is a folder; give the name of a file"
                        : "%s: is not a regular file, so it cannot be mapped into memory; save "
                          "its content to a file first",
                    path);
    } else if ((uint64_t)info.st_size > SIZE_MAX) {
        status = pv_fail(ctx, PSDVEC_ERR_OVERFLOW, "%s: is too large for this machine", path);
    } else if (info.st_size > 0) {
        map->size = (size_t)info.st_size;
        void *mapping = never_map ? MAP_FAILED
                                  : mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapping != MAP_FAILED) {
            map->mapping = mapping;
            map->data = mapping;
        } else {
            map->block = pv_alloc(ctx, map->size, 1, path);
            map->data = map->block;
            status = map->block ? pv_read_all_at(ctx, fd, path, 0, map->block, map->size)
                                : pv_failure(ctx);
        }
    }
    close(fd);
    if (status != PSDVEC_OK)
        pv_map_close(ctx, map);
    return status;
}

void pv_map_release(const pv_map *map)
{
    if (map->mapping)
        pv_release_pages(map->mapping, map->size);
}

void pv_map_close(psdvec_context *ctx, pv_map *map)
{
    if (map->mapping)
        munmap(map->mapping, map->size);
    pv_free(ctx, map->block);
    *map = (pv_map){0};
}

/* ---- Large arrays ------------------------------------------------------------- */

static psdvec_status map_file(psdvec_context *ctx, const char *folder, const char *what,
                              pv_large *large)
{
    int fd = -1;
    large->trimmed = pv_alloc_zero(ctx, 1, sizeof *large->trimmed, what);
    if (!large->trimmed)
        return pv_failure(ctx);
    PV_TRY(pv_temp_open(ctx, folder, &fd));
    /* Reserve the space now: if the disk fills up later, a store into the mapping raises a
     * signal. */
    int error = pv_file_reserve(fd, large->bytes);
    if (error != 0) {
        close(fd);
        return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot allocate space for temporary data",
                             ctx->tempdir ? ctx->tempdir : folder, error);
    }
    large->data = mmap(NULL, large->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    error = errno;
    close(fd);
    if (large->data == MAP_FAILED) {
        large->data = NULL;
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "cannot map %llu bytes for %s (errno %d)",
                       (unsigned long long)large->bytes, what, error);
    }
    large->mapped = true;
    pv_trim_begin_pages(ctx, large->trimmed, large->data, large->bytes);
    return PSDVEC_OK;
}

bool pv_large_spills(psdvec_context *ctx, uint64_t bytes, uint64_t besides)
{
    uint64_t left = pv_memory_left(ctx);
    return besides > left || bytes > left - besides;
}

psdvec_status pv_large_alloc(psdvec_context *ctx, uint64_t count, size_t size, const char *folder,
                             bool spill, const char *what, pv_large *large)
{
    *large = (pv_large){0};
    size_t bytes;
    if (count > SIZE_MAX || !pv_mul((size_t)count, size, &bytes))
        return pv_fail(ctx, PSDVEC_ERR_OVERFLOW,
                       "%s would need more memory than the machine can "
                       "address",
                       what);
    large->bytes = bytes > 0 ? bytes : 1;
    if (spill)
        return map_file(ctx, folder, what, large);
    large->data = pv_alloc_zero(ctx, large->bytes, 1, what);
    return large->data ? PSDVEC_OK : pv_failure(ctx);
}

void pv_large_free(psdvec_context *ctx, pv_large *large)
{
    if (large->mapped) {
        pv_trim_end(ctx, large->trimmed);
        munmap(large->data, large->bytes);
    } else
        pv_free(ctx, large->data);
    pv_free(ctx, large->trimmed);
    *large = (pv_large){0};
}
