/* Calls on files and folders. */
#include "inject.h"

#ifdef __GLIBC__

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODE_OF(flags, last)                                                                       \
    mode_t mode = 0;                                                                               \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                       \
        va_list rest;                                                                              \
        va_start(rest, last);                                                                      \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    NEXT(openat);
    if (strikes(OPEN))
        return -1;
    bool existed = tracing() && inode_of(folder, path, 0) != 0;
    int fd = next(folder, path, flags, mode);
    if (fd < 0 || !tracing())
        return fd;
    if ((flags & __O_TMPFILE) == __O_TMPFILE)
        trace("new", inode_of_fd(fd), 0, NULL, 0, "", "");
    else if ((flags & O_CREAT) && !existed)
        trace_name("make", folder, path);
    else if (flags & O_TRUNC)
        trace("size", inode_of_fd(fd), 0, NULL, 0, "", "");
    return fd;
}

EXPORTED int open(const char *path, int flags, ...)
{
    MODE_OF(flags, flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

EXPORTED int open64(const char *path, int flags, ...)
{
    MODE_OF(flags, flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

EXPORTED int openat(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags, flags)
    return open_at(folder, path, flags, mode);
}

EXPORTED int openat64(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags, flags)
    return open_at(folder, path, flags, mode);
}

EXPORTED int mkostemp(char *name, int flags)
{
    NEXT(mkostemp);
    int fd = strikes(OPEN) ? -1 : next(name, flags);
    if (fd >= 0)
        trace_name("make", AT_FDCWD, name);
    return fd;
}

EXPORTED int mkostemp64(char *name, int flags)
{
    return mkostemp(name, flags);
}

EXPORTED DIR *opendir(const char *path)
{
    NEXT(opendir);
    return strikes(OPEN) ? NULL : next(path);
}

EXPORTED int scandir(const char *path, struct dirent ***entries,
                     int (*wanted)(const struct dirent *),
                     int (*compare)(const struct dirent **, const struct dirent **))
{
    NEXT(scandir);
    return strikes(OPEN) ? -1 : next(path, entries, wanted, compare);
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen);
    return strikes(OPEN) ? NULL : next(path, mode);
}

EXPORTED FILE *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

static size_t half_of(size_t length)
{
    return length > 1 ? length / 2 : length;
}

EXPORTED ssize_t read(int fd, void *data, size_t length)
{
    NEXT(read);
    int what = strikes(READ);
    return what == FAILS ? -1 : next(fd, data, what == HALF ? half_of(length) : length);
}

ssize_t __read_chk(int, void *, size_t, size_t);
EXPORTED ssize_t __read_chk(int fd, void *data, size_t length, size_t room)
{
    (void)room;
    return read(fd, data, length);
}

EXPORTED ssize_t pread(int fd, void *data, size_t length, off_t offset)
{
    NEXT(pread);
    int what = strikes(READ);
    return what == FAILS ? -1 : next(fd, data, what == HALF ? half_of(length) : length, offset);
}

EXPORTED ssize_t pread64(int fd, void *data, size_t length, off64_t offset)
{
    return pread(fd, data, length, offset);
}

EXPORTED ssize_t write(int fd, const void *data, size_t length)
{
    NEXT(write);
    int what = fd == STDERR_FILENO ? NOTHING : strikes(WRITE);
    if (what == FAILS)
        return -1;
    long offset = tracing() ? syscall(SYS_lseek, fd, 0, SEEK_CUR) : 0;
    ssize_t done = next(fd, data, what == HALF ? half_of(length) : length);
    trace_data(fd, (unsigned long)offset, data, done);
    return done;
}

EXPORTED ssize_t pwrite(int fd, const void *data, size_t length, off_t offset)
{
    NEXT(pwrite);
    int what = strikes(WRITE);
    if (what == FAILS)
        return -1;
    ssize_t done = next(fd, data, what == HALF ? half_of(length) : length, offset);
    trace_data(fd, (unsigned long)offset, data, done);
    return done;
}

EXPORTED ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset)
{
    return pwrite(fd, data, length, offset);
}

/* A stream remembers that it failed. */
static void mark_failed(FILE *stream)
{
    stream->_flags |= _IO_ERR_SEEN;
}

EXPORTED size_t fread(void *data, size_t size, size_t count, FILE *stream)
{
    NEXT(fread);
    if (strikes(STDIO) != FAILS)
        return next(data, size, count, stream);
    mark_failed(stream);
    return 0;
}

ssize_t __getdelim(char **, size_t *, int, FILE *);
EXPORTED ssize_t __getdelim(char **text, size_t *capacity, int end_byte, FILE *stream)
{
    NEXT(__getdelim);
    if (strikes(STDIO) != FAILS)
        return next(text, capacity, end_byte, stream);
    mark_failed(stream);
    return -1;
}

EXPORTED ssize_t getdelim(char **text, size_t *capacity, int end_byte, FILE *stream)
{
    return __getdelim(text, capacity, end_byte, stream);
}

EXPORTED ssize_t getline(char **text, size_t *capacity, FILE *stream)
{
    return __getdelim(text, capacity, '\n', stream);
}

EXPORTED int fflush(FILE *stream)
{
    NEXT(fflush);
    if (!stream || stream == stderr || strikes(STDIO) != FAILS)
        return next(stream);
    mark_failed(stream);
    return EOF;
}

EXPORTED int fclose(FILE *stream)
{
    NEXT(fclose);
    int what = strikes(STDIO), status = next(stream);
    if (what != FAILS)
        return status;
    errno = wish.error;
    return EOF;
}

EXPORTED int close(int fd)
{
    NEXT(close);
    int what = strikes(CLOSE), status = next(fd);
    if (what != FAILS)
        return status;
    errno = wish.error; /* the descriptor is closed all the same, as on Linux */
    return -1;
}

/* Nothing reaches the disk: that takes most of the time of a short run, and does not matter here. */
static int fake_sync(int fd)
{
    if (strikes(SYNC))
        return -1;
    if (tracing())
        trace("sync", inode_of_fd(fd), 0, NULL, 0, "", "");
    return 0;
}

EXPORTED int fsync(int fd)
{
    return fake_sync(fd);
}

EXPORTED int fdatasync(int fd)
{
    return fake_sync(fd);
}

EXPORTED int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

EXPORTED int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    NEXT(renameat);
    if (strikes(RENAME))
        return -1;
    unsigned long inode = tracing() ? inode_of(from_folder, from, AT_SYMLINK_NOFOLLOW) : 0;
    char text[LONGEST];
    int status = next(from_folder, from, to_folder, to);
    if (status == 0 && tracing()) {
        trace("gone", inode, 0, NULL, 0, folder_text(from_folder, text), from);
        trace("name", inode, 0, NULL, 0, folder_text(to_folder, text), to);
    }
    return status;
}

EXPORTED int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORTED int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    NEXT(linkat);
    int status = strikes(LINK) ? -1 : next(from_folder, from, to_folder, to, flags);
    if (status == 0)
        trace_name("name", to_folder, to);
    return status;
}

EXPORTED int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

EXPORTED int unlinkat(int folder, const char *path, int flags)
{
    NEXT(unlinkat);
    int status = strikes(UNLINK) ? -1 : next(folder, path, flags);
    if (status == 0)
        trace_name("gone", folder, path);
    return status;
}

EXPORTED int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

EXPORTED int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir);
    int status = strikes(MKDIR) ? -1 : next(path, mode);
    if (status == 0)
        trace_name("folder", AT_FDCWD, path);
    return status;
}

EXPORTED int ftruncate(int fd, off_t length)
{
    NEXT(ftruncate);
    int status = strikes(TRUNCATE) ? -1 : next(fd, length);
    if (status == 0 && tracing())
        trace("size", inode_of_fd(fd), (unsigned long)length, NULL, 0, "", "");
    return status;
}

EXPORTED int posix_fallocate(int fd, off_t offset, off_t length)
{
    NEXT(posix_fallocate);
    return strikes(TRUNCATE) ? wish.error : next(fd, offset, length);
}

EXPORTED int stat(const char *path, struct stat *info)
{
    NEXT(stat);
    return strikes(STAT) ? -1 : next(path, info);
}

EXPORTED int lstat(const char *path, struct stat *info)
{
    NEXT(lstat);
    return strikes(STAT) ? -1 : next(path, info);
}

EXPORTED int fstat(int fd, struct stat *info)
{
    NEXT(fstat);
    return strikes(STAT) ? -1 : next(fd, info);
}

EXPORTED int fstatat(int folder, const char *path, struct stat *info, int flags)
{
    NEXT(fstatat);
    return strikes(STAT) ? -1 : next(folder, path, info, flags);
}

EXPORTED int access(const char *path, int mode)
{
    NEXT(access);
    return strikes(STAT) ? -1 : next(path, mode);
}

EXPORTED int flock(int fd, int operation)
{
    NEXT(flock);
    return strikes(LOCK) ? -1 : next(fd, operation);
}

#endif
