/* Files in memory for fuzzers. This file replaces functions of the C library in the program that
 * it is linked with: what they do with a path or descriptor of a memory file needs no system call,
 * and everything else goes to the system. That is faster than files of the system, and a mapping
 * ends where the file ends, so that the sanitizer detects a read beyond it.
 *
 * Only the calls with which the library reads files are replaced. Standard input can be a pipe that
 * contains given bytes, of which a read returns as many as the fuzzer says.
 */
#include "fuzz/memory_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MOST_FILES = 8,
    MOST_OPEN = 32,
    MOST_MAPPINGS = 32,
    FIRST_DESCRIPTOR = 1 << 20 /* above all that the system gives */
};

static const char folder[] = "/memory-files/";

typedef struct opened {
    const fuzz_file *file; /* NULL: closed */
    size_t position;
} opened;

static const fuzz_file *files[MOST_FILES];
static int file_count;
static opened descriptors[MOST_OPEN];
static void *mappings[MOST_MAPPINGS];
static opened pipe_in; /* standard input */
size_t fuzz_most_read;

void fuzz_file_set(fuzz_file *file, const void *data, size_t size)
{
    if (file->path[0] == '\0') {
        if (file_count == MOST_FILES)
            abort();
        snprintf(file->path, sizeof file->path, "%s%d", folder, file_count);
        files[file_count++] = file;
    }
    char *bytes = realloc(file->data, size ? size : 1);
    if (!bytes)
        abort();
    if (size)
        memcpy(bytes, data, size);
    file->data = bytes;
    file->size = size;
}

void fuzz_pipe_set(const fuzz_file *file)
{
    pipe_in = (opened){.file = file};
}

static const fuzz_file *named(const char *path)
{
    if (strncmp(path, folder, sizeof folder - 1) == 0)
        for (int k = 0; k < file_count; k++)
            if (strcmp(path, files[k]->path) == 0)
                return files[k];
    return NULL;
}

static opened *of_descriptor(int fd)
{
    if (fd == STDIN_FILENO && pipe_in.file)
        return &pipe_in;
    return fd >= FIRST_DESCRIPTOR && fd < FIRST_DESCRIPTOR + MOST_OPEN &&
                   descriptors[fd - FIRST_DESCRIPTOR].file
               ? &descriptors[fd - FIRST_DESCRIPTOR]
               : NULL;
}

static void describe(const fuzz_file *file, bool fifo, struct stat *info)
{
    *info = (struct stat){.st_dev = 1 << 20,
                          .st_ino = (ino_t)(fifo ? MOST_FILES + 1 : file->path[sizeof folder - 1]),
                          .st_mode = (fifo ? S_IFIFO : S_IFREG) | 0600,
                          .st_nlink = 1,
                          .st_size = fifo ? 0 : (off_t)file->size,
                          .st_blksize = 4096};
}

/* ---- Functions of the C library ------------------------------------------------------------ */

int open(const char *path, int flags, ...)
{
    const fuzz_file *file = named(path);
    if (!file) {
        va_list list;
        va_start(list, flags);
        int fd = openat(AT_FDCWD, path, flags, va_arg(list, mode_t));
        va_end(list);
        return fd;
    }
    if ((flags & O_ACCMODE) != O_RDONLY) {
        errno = EACCES;
        return -1;
    }
    for (int k = 0; k < MOST_OPEN; k++)
        if (!descriptors[k].file) {
            descriptors[k] = (opened){.file = file};
            return FIRST_DESCRIPTOR + k;
        }
    errno = EMFILE;
    return -1;
}

int close(int fd)
{
    opened *o = of_descriptor(fd);
    if (!o || o == &pipe_in)
        return (int)syscall(SYS_close, fd);
    o->file = NULL;
    return 0;
}

FILE *fopen(const char *path, const char *mode)
{
    const fuzz_file *file = named(path);
    if (file)
        return fmemopen(file->data, file->size, "r");
    /* Every context asks for the memory limit, which takes longer than many executions. */
    if (strncmp(path, "/sys/fs/cgroup/", 15) == 0) {
        errno = ENOENT;
        return NULL;
    }
    int flags = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    flags |= mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
    int fd = openat(AT_FDCWD, path, flags | (strchr(mode, 'e') ? O_CLOEXEC : 0), 0666);
    return fd < 0 ? NULL : fdopen(fd, mode);
}

/* Copies what the file contains at the position. */
static ssize_t copy(const fuzz_file *file, size_t position, void *bytes, size_t length)
{
    size_t left = position < file->size ? file->size - position : 0;
    length = length < left ? length : left;
    if (length)
        memcpy(bytes, file->data + position, length);
    return (ssize_t)length;
}

ssize_t read(int fd, void *bytes, size_t length)
{
    opened *o = of_descriptor(fd);
    if (!o)
        return syscall(SYS_read, fd, bytes, length);
    ssize_t done = copy(o->file, o->position, bytes,
                        fuzz_most_read && length > fuzz_most_read ? fuzz_most_read : length);
    o->position += (size_t)done;
    return done;
}

ssize_t pread(int fd, void *bytes, size_t length, off_t offset)
{
    opened *o = of_descriptor(fd);
    return o ? copy(o->file, (size_t)offset, bytes, length)
             : syscall(SYS_pread64, fd, bytes, length, offset);
}

off_t lseek(int fd, off_t offset, int whence)
{
    opened *o = of_descriptor(fd);
    if (!o)
        return (off_t)syscall(SYS_lseek, fd, offset, whence);
    if (o == &pipe_in) {
        errno = ESPIPE;
        return -1;
    }
    offset += whence == SEEK_CUR   ? (off_t)o->position
              : whence == SEEK_END ? (off_t)o->file->size
                                   : 0;
    if (offset < 0) {
        errno = EINVAL;
        return -1;
    }
    o->position = (size_t)offset;
    return offset;
}

int fstat(int fd, struct stat *info)
{
    opened *o = of_descriptor(fd);
    if (!o)
        return fstatat(fd, "", info, AT_EMPTY_PATH);
    describe(o->file, o == &pipe_in, info);
    return 0;
}

static int inspect(const char *path, struct stat *info, int flags)
{
    const fuzz_file *file = named(path);
    if (!file)
        return fstatat(AT_FDCWD, path, info, flags);
    describe(file, false, info);
    return 0;
}

int stat(const char *path, struct stat *info)
{
    return inspect(path, info, 0);
}

int lstat(const char *path, struct stat *info)
{
    return inspect(path, info, AT_SYMLINK_NOFOLLOW);
}

int posix_fadvise(int fd, off_t offset, off_t length, int advice)
{
    return of_descriptor(fd) ? 0 : (int)-syscall(SYS_fadvise64, fd, offset, length, advice);
}

/* The headers say that poll only writes to the array, and gcc warns that it is read here. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
int poll(struct pollfd *events, nfds_t count, int timeout)
{
    if (count != 1 || !of_descriptor(events->fd))
        return (int)syscall(SYS_poll, events, count, timeout);
    events->revents = events->events & POLLIN;
    return 1;
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/* Of a memory file, a private copy of exactly its bytes. */
void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    opened *o = flags & MAP_ANONYMOUS ? NULL : of_descriptor(fd);
    if (!o)
        return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
    for (int k = 0; k < MOST_MAPPINGS; k++)
        if (!mappings[k]) {
            if (offset != 0 || length > o->file->size ||
                posix_memalign(&mappings[k], 64, length) != 0)
                abort();
            copy(o->file, 0, mappings[k], length);
            return mappings[k];
        }
    errno = ENOMEM;
    return MAP_FAILED;
}

/* The mapping of a memory file that begins at the address; NULL: none. */
static void **mapping_of(const void *start)
{
    for (int k = 0; k < MOST_MAPPINGS; k++)
        if (mappings[k] == start)
            return &mappings[k];
    return NULL;
}

int munmap(void *start, size_t length)
{
    void **mapping = mapping_of(start);
    if (!mapping)
        return (int)syscall(SYS_munmap, start, length);
    free(*mapping);
    *mapping = NULL;
    return 0;
}

int madvise(void *start, size_t length, int advice)
{
    return mapping_of(start) ? 0 : (int)syscall(SYS_madvise, start, length, advice);
}

/* What _FORTIFY_SOURCE makes of some of these; no header declares them without it. */
int __open_2(const char *path, int flags);
ssize_t __read_chk(int fd, void *bytes, size_t length, size_t capacity);
ssize_t __pread_chk(int fd, void *bytes, size_t length, off_t offset, size_t capacity);
int __poll_chk(struct pollfd *events, nfds_t count, int timeout, size_t capacity);

int __open_2(const char *path, int flags)
{
    return open(path, flags, 0);
}

ssize_t __read_chk(int fd, void *bytes, size_t length, size_t capacity)
{
    if (length > capacity)
        abort();
    return read(fd, bytes, length);
}

ssize_t __pread_chk(int fd, void *bytes, size_t length, off_t offset, size_t capacity)
{
    if (length > capacity)
        abort();
    return pread(fd, bytes, length, offset);
}

int __poll_chk(struct pollfd *events, nfds_t count, int timeout, size_t capacity)
{
    if (count * sizeof *events > capacity)
        abort();
    return poll(events, count, timeout);
}
