/* Sweeps: every fault of a run is tried in a copy of the process. */
#include "inject.h"

#ifdef __GLIBC__

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a sweep tells the other side of the socket. */
typedef struct question {
    long what;     /* 'a': may the fault be tried here? 'p': the copy is process `number`; 'e': it
                    * ended with status `number` */
    long number;   /* of the call in its class */
    long sequence; /* of the call in all classes of the sweep */
    long fault;    /* index in wish.sweep */
    long changes;  /* grows with every call made that may change a file or folder */
    long able;     /* 0: the process cannot be copied */
} question;

/* A descriptor that both processes use, with what a copy may change. */
typedef struct saved_file {
    int fd;
    bool content;
    long offset;
    size_t size;
    char *data;
} saved_file;

enum { SAVED = 256, SAVED_BYTES = 1 << 24 };
static saved_file saved[SAVED];
static int saved_count;
static char *saved_room; /* of SAVED_BYTES */
static char entries_room[1 << 16];
static long sequence;
atomic_bool shares_memory;

static bool save_files(void)
{
    size_t used = 0;
    saved_count = 0;
    if (!saved_room)
        saved_room = take_pages(SAVED_BYTES);
    for (int fd = 0; fd < SAVED; fd++) {
        long flags = syscall(SYS_fcntl, fd, F_GETFL);
        struct stat info;
        if (flags < 0 || (flags & O_PATH) ||
            syscall(SYS_newfstatat, fd, "", &info, AT_EMPTY_PATH) != 0 ||
            !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
            continue;
        saved_file *file = &saved[saved_count++];
        *file = (saved_file){.fd = fd, .offset = syscall(SYS_lseek, fd, 0L, SEEK_CUR)};
        if (!S_ISREG(info.st_mode) || (flags & O_ACCMODE) == O_RDONLY)
            continue;
        file->content = true;
        file->size = (size_t)info.st_size;
        file->data = saved_room + used;
        if (file->size > SAVED_BYTES - used)
            return false;
        if ((flags & O_ACCMODE) == O_WRONLY) {
            char link[64]; /* read it by another descriptor */
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            long other = syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
            long got = other < 0 ? -1 : syscall(SYS_pread64, other, file->data, file->size, 0L);
            if (other >= 0)
                syscall(SYS_close, other);
            if (got != (long)file->size)
                return false;
        } else if (syscall(SYS_pread64, fd, file->data, file->size, 0L) != (long)file->size)
            return false;
        used += file->size;
    }
    return true;
}

static void restore_files(void)
{
    for (int i = 0; i < saved_count; i++) {
        const saved_file *file = &saved[i];
        if (file->content) {
            syscall(SYS_pwrite64, file->fd, file->data, file->size, 0L);
            syscall(SYS_ftruncate, file->fd, file->size);
        }
        if (file->offset >= 0)
            syscall(SYS_lseek, file->fd, file->offset, SEEK_SET);
    }
}

static bool has_threads(void)
{
    if (atomic_load(&counts[THREAD]) == 0)
        return false;
    long folder =
        syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long bytes = syscall(SYS_getdents64, folder, entries_room, sizeof entries_room);
    syscall(SYS_close, folder);
    int entries = 0;
    for (long at = 0; at < bytes; entries++)
        at += ((const struct dirent64 *)(entries_room + at))->d_reclen;
    return entries != 3; /* ".", ".." and the main thread */
}

/* Returns the letter of the answer, and takes the next call that the other side wants. */
static long answer(sweep_fault *about)
{
    long words[2];
    if (syscall(SYS_read, wish.serve, words, sizeof words) != (long)sizeof words)
        syscall(SYS_exit_group, 98);
    about->next = words[1];
    return words[0];
}

static void tell(const question *what)
{
    if (syscall(SYS_write, wish.serve, what, sizeof *what) != (long)sizeof *what)
        syscall(SYS_exit_group, 98);
}

/* Whether the call comes from functions of the C library that hold the lock of the locales, which
 * knows the process that has it. */
static bool in_locales(void)
{
    static const char *const names[] = {"locale", "mbr", "wcr", "wcs", "btowc", "iconv"};
    chain where = {.depth = 0};
    Dl_info info;
    _Unwind_Backtrace(take_frame, &where);
    for (int i = 0; i < where.foreign_depth; i++) {
        if (!dladdr(where.foreign[i], &info) || !info.dli_sname || !info.dli_fname ||
            !strstr(info.dli_fname, "libc.so"))
            continue;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strstr(info.dli_sname, names[k]))
                return true;
    }
    return false;
}

void sweep(call_class class, long number)
{
    bool swept = false, wanted = false;
    for (int i = 0; i < wish.sweeps; i++) {
        swept |= wish.sweep[i].class == (int)class;
        wanted |= wish.sweep[i].class == (int)class && number >= wish.sweep[i].next;
    }
    sequence += swept;
    if (!wanted || sequence < wish.from)
        return;
    int error = errno;
    inside = true;
    question about = {.number = number, .sequence = sequence};
    for (int c = 0; c < CLASSES; c++)
        about.changes += c == ALLOC || c == MAP ? 0 : atomic_load(&counts[c]) - (c == (int)class);
    bool single = !has_threads() && !atomic_load(&shares_memory) && !in_locales();
    for (int i = 0; i < wish.sweeps; i++) {
        if (wish.sweep[i].class != (int)class || number < wish.sweep[i].next)
            continue;
        about.what = 'a';
        about.number = number;
        about.fault = i;
        about.able = single && save_files();
        tell(&about);
        if (answer(&wish.sweep[i]) != 'f')
            continue;
        int child = fork();
        if (child == 0) {
            syscall(SYS_close, wish.serve);
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            wish.class = (int)class;
            wish.at = number;
            wish.error = wish.sweep[i].error;
            wish.kind = wish.sweep[i].kind;
            wish.again = wish.sweep[i].again;
            wish.sweeps = 0;
            limit_time();
            break;
        }
        about.what = 'p';
        about.number = child;
        tell(&about);
        siginfo_t info;
        memset(&info, 0, sizeof info);
        waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
        about.what = 'e';
        about.number = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
        tell(&about);
        answer(&wish.sweep[i]); /* until now it may be killed, so its number stays its own */
        waitid(P_PID, (id_t)child, &info, WEXITED);
        restore_files();
    }
    errno = error;
    inside = false;
}

#endif
