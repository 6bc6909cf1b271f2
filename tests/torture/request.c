/* What the library is asked to do: by PSDVEC_FAULT, or by requests to a server. */
#include "inject.h"

#ifdef __GLIBC__

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Gives a descriptor a large number, so that the program gets those that it would get otherwise. */
static int move_away(long fd)
{
    enum { LARGE = 500 };
    long moved = fd < 0 ? -1 : syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, LARGE);
    if (fd >= 0)
        syscall(SYS_close, fd);
    return (int)moved;
}

static int open_log(const char *path)
{
    return move_away(
        syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
}

static int open_named_log(const char *name, size_t length)
{
    char path[LONGEST];
    if (length >= LONGEST)
        return -1;
    memcpy(path, name, length);
    path[length] = '\0';
    return open_log(path);
}

static int class_of(const char *name, size_t length)
{
    for (int c = 0; c < CLASSES; c++) {
        if (strlen(class_names[c]) == length && !strncmp(name, class_names[c], length))
            return c;
    }
    return -1;
}

static enum kind kind_of(const char *name)
{
    return !strncmp(name, "short", 5) ? SHORT : !strncmp(name, "kill", 4) ? KILL : FAIL;
}

static void take_sweep(const char *text)
{
    if (wish.sweeps == SWEEPS)
        return;
    sweep_fault *fault = &wish.sweep[wish.sweeps++];
    fault->class = class_of(text, strcspn(text, ":"));
    text += strcspn(text, ":") + 1;
    fault->error = atoi(text);
    text += strcspn(text, ":") + 1;
    fault->kind = kind_of(text);
    text += strcspn(text, ":") + 1;
    fault->again = *text == '1';
}

void take_wish(const char *text)
{
    while (*text) {
        size_t whole = strcspn(text, ";");
        size_t name = strcspn(text, "=");
        const char *value = text + name + 1;
        size_t length = whole > name ? whole - name - 1 : 0;
        if (!strncmp(text, "log=", 4))
            wish.log = open_named_log(value, length);
        else if (!strncmp(text, "trace=", 6))
            wish.trace = open_named_log(value, length);
        else if (!strncmp(text, "serve=", 6))
            wish.serve = move_away(atol(value));
        else if (!strncmp(text, "class=", 6))
            wish.class = class_of(value, length);
        else if (!strncmp(text, "at=", 3))
            wish.at = atol(value);
        else if (!strncmp(text, "error=", 6))
            wish.error = atoi(value);
        else if (!strncmp(text, "kind=", 5))
            wish.kind = kind_of(value);
        else if (!strncmp(text, "again=", 6))
            wish.again = *value == '1';
        else if (!strncmp(text, "sites=", 6))
            wish.sites = *value == '1';
        else if (!strncmp(text, "cpu=", 4))
            wish.cpu = atol(value);
        else if (!strncmp(text, "from=", 5))
            wish.from = atol(value);
        else if (!strncmp(text, "sweep=", 6))
            take_sweep(value);
        text += whole + (text[whole] == ';');
    }
}

static bool become(int fd, const char *path, int flags)
{
    long opened = syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
    bool done = opened >= 0 && dup2((int)opened, fd) == fd;
    if (opened >= 0)
        syscall(SYS_close, opened);
    return done;
}

/* Takes the first line of *text. */
static const char *take_line(char **text)
{
    char *taken = *text, *stop = strchr(taken, '\n');
    if (stop) {
        *stop = '\0';
        *text = stop + 1;
    }
    return taken;
}

const char *serve(void)
{
    static char request[4 * LONGEST];
    int child = 0, status;
    for (;;) {
        long length = syscall(SYS_read, wish.serve, request, sizeof request - 1);
        if (child > 0)
            waitpid(child, &status, 0);
        if (length <= 0)
            syscall(SYS_exit_group, 0);
        request[length] = '\0';
        child = fork();
        if (child == 0)
            break;
        /* Until the next request, its number stays its own: the other side may kill it. */
        siginfo_t info;
        memset(&info, 0, sizeof info);
        waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
        status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
        syscall(SYS_write, wish.serve, &status, sizeof status);
    }
    /* The new process answers, because a sweep goes on to ask: its number must come first. */
    child = (int)syscall(SYS_getpid);
    syscall(SYS_write, wish.serve, &child, sizeof child);
    char *rest = request;
    if (chdir(take_line(&rest)) != 0 || !become(STDIN_FILENO, take_line(&rest), O_RDONLY) ||
        !become(STDOUT_FILENO, take_line(&rest), O_WRONLY | O_CREAT | O_TRUNC) ||
        !become(STDERR_FILENO, take_line(&rest), O_WRONLY | O_CREAT | O_TRUNC))
        syscall(SYS_exit_group, 98);
    return rest;
}

void limit_time(void)
{
    if (wish.cpu)
        setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)wish.cpu, (rlim_t)wish.cpu + 1});
}

#endif
