/* A library for LD_PRELOAD that kills the program before the k-th call that changes the names of
 * files or syncs one; k is the value of KILL_AT. For tests of what a killed command leaves behind. A
 * program with fewer such calls ends as usual. With NO_TMPFILE there are no unnamed files, as on
 * NFS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void next_call(void)
{
    static atomic_long calls;
    const char *at = getenv("KILL_AT");
    if (at && atomic_fetch_add(&calls, 1) + 1 == strtol(at, NULL, 10))
        kill(getpid(), SIGKILL);
}

#define WRAP(name, parameters, arguments)                                                          \
    int name parameters                                                                            \
    {                                                                                              \
        int(*real) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name);                        \
        next_call();                                                                               \
        return real arguments;                                                                     \
    }

WRAP(rename, (const char *from, const char *to), (from, to))
WRAP(link, (const char *from, const char *to), (from, to))
WRAP(linkat, (int at, const char *from, int to_at, const char *to, int flags),
     (at, from, to_at, to, flags))
WRAP(unlink, (const char *path), (path))
WRAP(fsync, (int fd), (fd))

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    if ((flags & O_TMPFILE) == O_TMPFILE && getenv("NO_TMPFILE")) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return real(path, flags, mode);
}
