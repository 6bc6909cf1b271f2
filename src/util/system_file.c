/* O_TMPFILE of Linux; flock of Linux, the BSDs and macOS, or else the locks of POSIX. */
#if !defined(PV_PORTABLE) || !PV_PORTABLE
#define _GNU_SOURCE 1
#define _DARWIN_C_SOURCE 1
#define __BSD_VISIBLE 1
#endif

#include "util/system_file.h"
#include "util/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#if !PV_PORTABLE && (defined(__linux__) || defined(__APPLE__) || defined(__FreeBSD__))
#define HAS_FLOCK 1
#include <sys/file.h>
#else
#define HAS_FLOCK 0
#endif

#if !PV_PORTABLE && defined(__linux__) && defined(O_TMPFILE)
#define HAS_NAMELESS 1
#else
#define HAS_NAMELESS 0
#undef O_TMPFILE
#define O_TMPFILE 0
#endif

static int unsupported(void)
{
    errno = EOPNOTSUPP;
    return -1;
}

int pv_nameless_open(const char *folder)
{
    return HAS_NAMELESS ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : unsupported();
}

int pv_nameless_name(int fd, const char *name)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return HAS_NAMELESS ? linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) : unsupported();
}

/* Without /proc an unnamed file can never be given a name. */
bool pv_nameless_can_be_named(int fd)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return HAS_NAMELESS && access(self, F_OK) == 0;
}

int pv_file_lock(int fd)
{
#if HAS_FLOCK
    return flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
#else
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &lock) == 0)
        return 0;
    return errno == EACCES || errno == EAGAIN ? EWOULDBLOCK : errno;
#endif
}

bool pv_file_locks_are_per_file(void)
{
    return HAS_FLOCK;
}
