/* File access. Every transfer is checked, including the final sync. */
#include "base/file.h"

#include "base/platform.h"
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
    char *target; /* with links resolved */
    char *folder;
    char *name; /* of the temporary file; NULL if unnamed */
    int fd;
    _Atomic uint64_t unsynced; /* bytes written since the last write-back hint */
};

char *pv_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

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

/* Gives the unnamed file `fd`, or a new one if `fd` is -1, a unique name in `folder`. Returns the
 * file, or -1 with errno set. */
static int open_named(int fd, const char *folder, const char *path, char **name)
{
    const char *slash = strrchr(path, '/');
    const char *stem = slash ? slash + 1 : path;
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        if (pv_asprintf(name, "%s/.%.64s.psdvec-%ld-%u", folder, stem, (long)getpid(), attempt) <
            0) {
            errno = ENOMEM;
            return -1;
        }
        int named = fd < 0 ? open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
                           : pv_nameless_name(fd, *name);
        if (named >= 0)
            return fd < 0 ? named : fd;
        int error = errno;
        free(*name);
        *name = NULL;
        errno = error;
        if (error != EEXIST)
            return -1;
    }
    return -1;
}

psdvec_status pv_temp_open(psdvec_context *ctx, const char *folder, int *fd)
{
    if (ctx->tempdir)
        folder = ctx->tempdir;
    *fd = pv_nameless_open(folder);
    if (*fd < 0 && errno != ENOENT && errno != EACCES && errno != ENOSPC && errno != EROFS) {
        char *name;
        *fd = open_named(-1, folder, "temporary", &name);
        if (*fd >= 0)
            unlink(name);
        free(name);
    }
    if (*fd < 0)
        return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot create a temporary file in it", folder,
                             errno);
    return PSDVEC_OK;
}

/* The target of a chain of links, which need not exist. On the heap; NULL if out of memory or if
 * the links form a cycle. */
static char *follow_links(const char *path)
{
    char *now = strdup(path);
    for (int depth = 0; now && depth < 40; depth++) {
        char link[PATH_MAX];
        ssize_t length = readlink(now, link, sizeof link - 1);
        if (length < 0)
            return now;
        link[length] = '\0';
        char *next = NULL;
        if (link[0] == '/') {
            next = strdup(link);
        } else {
            char *folder = pv_folder_of(now);
            if (folder && pv_asprintf(&next, "%s/%s", folder, link) < 0)
                next = NULL;
            free(folder);
        }
        free(now);
        now = next;
    }
    free(now);
    return NULL;
}

psdvec_status pv_output_open(psdvec_context *ctx, const char *path, pv_output **out)
{
    *out = NULL;
    struct stat info;
    bool exists = stat(path, &info) == 0;
    int error = exists ? 0 : errno;
    size_t length = strlen(path);
    if (error == ELOOP || error == ENAMETOOLONG)
        return pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot write here", path, error);
    if (length == 0)
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "the output's name is empty");
    if (exists && S_ISDIR(info.st_mode))
        return pv_fail(ctx, PSDVEC_ERR_WRITE,
                       "%s: is a folder; give the name of a file to write inside it", path);
    if (exists && !S_ISREG(info.st_mode))
        return pv_fail(ctx, PSDVEC_ERR_WRITE,
                       "%s: is not a regular file; the result can only be written to a file", path);
    if (path[length - 1] == '/')
        return pv_fail(ctx, PSDVEC_ERR_WRITE, "%s: names a folder; give the name of a file", path);

    pv_output *output = calloc(1, sizeof *output);
    if (!output)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", path);
    output->ctx = ctx;
    output->fd = -1;
    output->target = exists ? realpath(path, NULL) : follow_links(path);
    output->folder = output->target ? pv_folder_of(output->target) : NULL;
    if (!output->folder) {
        pv_output_discard(output);
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "%s: out of memory", path);
    }
    if (access(output->folder, W_OK | X_OK) == 0 || errno == EROFS) {
        output->fd = pv_nameless_open(output->folder);
        if (output->fd >= 0 && !pv_nameless_can_be_named(output->fd)) {
            close(output->fd);
            output->fd = -1;
            errno = EOPNOTSUPP;
        }
        if (output->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
            output->fd = open_named(-1, output->folder, output->target, &output->name);
    }
    if (output->fd < 0) {
        psdvec_status status = pv_fail_errno(
            ctx, PSDVEC_ERR_WRITE,
            errno == ENOENT ? "cannot write here, the folder does not exist" : "cannot write here",
            path, errno);
        pv_output_discard(output);
        return status;
    }
    *out = output;
    return PSDVEC_OK;
}

psdvec_status pv_output_write_at(pv_output *output, uint64_t offset, const void *data,
                                 size_t length)
{
    PV_TRY(pv_write_all_at(output->ctx, output->fd, output->target, offset, data, length));
    /* Start write-back early, so that the final sync has less to wait for. */
    if (atomic_fetch_add(&output->unsynced, length) + length >= WRITE_BEHIND) {
        atomic_store(&output->unsynced, 0);
        pv_hint_written(output->fd);
    }
    return PSDVEC_OK;
}

psdvec_status pv_output_expect(pv_output *output, uint64_t bytes)
{
    uint64_t space = pv_free_space(output->folder);
    if (bytes > space)
        return pv_fail(output->ctx, PSDVEC_ERR_DISK_FULL,
                       "%s: needs %.1f MiB, but only %.1f MiB are free there; free some space or "
                       "choose another folder",
                       output->target, (double)bytes / 1048576.0, (double)space / 1048576.0);
    return PSDVEC_OK;
}

static psdvec_status commit(pv_output *output, bool sync)
{
    psdvec_status status = PSDVEC_OK;
    psdvec_context *ctx = output->ctx;
    int error = !sync || fsync(output->fd) == 0 ? 0 : errno;
    if (error == EINVAL || error == EROFS)
        error = 0; /* the file system cannot sync */
    if (!error && !output->name &&
        open_named(output->fd, output->folder, output->target, &output->name) < 0)
        error = errno;
    if (close(output->fd) != 0 && !error)
        error = errno;
    output->fd = -1;
    if (!error && rename(output->name, output->target) != 0)
        error = errno;
    if (error) {
        status = pv_fail_errno(ctx, PSDVEC_ERR_WRITE, "cannot write", output->target, error);
    } else {
        int folder = sync ? open(output->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        if (folder >= 0) {
            fsync(folder); /* some file systems cannot; the file itself is safe already */
            close(folder);
        }
        free(output->name);
        output->name = NULL;
    }
    pv_output_discard(output);
    return status;
}

psdvec_status pv_output_commit(pv_output *output)
{
    return commit(output, true);
}

psdvec_status pv_output_commit_unsynced(pv_output *output)
{
    return commit(output, false);
}

psdvec_status pv_write_file(psdvec_context *ctx, const char *path, const void *data, size_t length,
                            bool synced)
{
    pv_output *output;
    PV_TRY(pv_output_open(ctx, path, &output));
    psdvec_status status = pv_output_write_at(output, 0, data, length);
    if (status == PSDVEC_OK)
        return commit(output, synced);
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
    if (output->fd >= 0)
        close(output->fd);
    if (output->name)
        unlink(output->name);
    free(output->name);
    free(output->folder);
    free(output->target);
    free(output);
}

psdvec_status pv_map_open(psdvec_context *ctx, const char *path, bool never_map, pv_map *map)
{
    *map = (pv_map){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot open", path, errno);
    psdvec_status status = PSDVEC_OK;
    struct stat info;
    if (fstat(fd, &info) != 0) {
        status = pv_fail_errno(ctx, PSDVEC_ERR_READ, "cannot inspect", path, errno);
    } else if (!S_ISREG(info.st_mode)) {
        status = pv_fail(ctx, PSDVEC_ERR_READ, "%s: is not a regular file", path);
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
    if (large->mapped)
        munmap(large->data, large->bytes);
    else
        pv_free(ctx, large->data);
    *large = (pv_large){0};
}
