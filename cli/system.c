/* System error messages, the environment, limits, and signals.
 *
 * The signal handler only sets a flag; the library reads it through its should_cancel callback,
 * cleans up, which removes temporary files, and returns a 6xx status. A second SIGINT or SIGTERM
 * ends the program in the handler; temporary files have no name where the system supports that
 * (util/new_file.h), so they disappear with it. SIGPIPE is ignored: writing to a closed pipe then
 * fails with EPIPE, which the output layer treats as a normal end. So is SIGXFSZ: writing beyond the
 * file size limit then fails with EFBIG, which is reported. */
#include "system.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

const char *system_error(int number)
{
    return strerror(number); /* NOLINT(concurrency-mt-unsafe): main thread only */
}

const char *system_remedy(int number)
{
    return number == ENOSPC || number == EDQUOT ? "; free some space and run it again"
           : number == EFBIG ? "; raise the file size limit (ulimit -f) or choose another file "
                               "system"
                             : "";
}

const char *system_variable(const char *name)
{
    return getenv(name); /* NOLINT(concurrency-mt-unsafe): nothing here calls setenv */
}

unsigned long stack_too_small(unsigned long needed_kib)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur / 1024 >= needed_kib)
        return 0;
    /* The kernel applies the new limit when the stack grows. */
    struct rlimit raised = {.rlim_cur = (rlim_t)needed_kib * 1024, .rlim_max = limit.rlim_max};
    if (setrlimit(RLIMIT_STACK, &raised) == 0)
        return 0;
    unsigned long kib = (unsigned long)(limit.rlim_cur / 1024);
    return kib > 0 ? kib : 1;
}

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
static const int terminal_numbers[] = {SIGWINCH, SIGCONT};
static volatile sig_atomic_t caught, changed;

static void on_signal(int number)
{
    if (caught && number != SIGHUP)
        _exit(128 + number);
    if (!caught)
        caught = number;
}

void signals_start(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        struct sigaction old;
        /* A signal that the parent chose to ignore (nohup) stays ignored. */
        if (sigaction(numbers[k], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
            continue;
        sigaction(numbers[k], &action, NULL);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

int signals_caught(void)
{
    return caught;
}

void signals_clear(void)
{
    caught = 0;
}

static void on_change(int number)
{
    (void)number;
    changed = 1;
}

void signals_watch_terminal(void)
{
    /* pselect() returns nevertheless; other calls are restarted. */
    struct sigaction action = {.sa_handler = on_change, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof terminal_numbers / sizeof *terminal_numbers; k++)
        sigaction(terminal_numbers[k], &action, NULL);
}

bool signals_wait(int fd)
{
    sigset_t awaited, before;
    sigemptyset(&awaited);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        sigaddset(&awaited, numbers[k]);
    for (size_t k = 0; k < sizeof terminal_numbers / sizeof *terminal_numbers; k++)
        sigaddset(&awaited, terminal_numbers[k]);
    /* Unblocked only during pselect(), so that none is lost between the test and the wait. */
    pthread_sigmask(SIG_BLOCK, &awaited, &before);
    int ready = -1;
    errno = EINTR;
    while (!caught && !changed && ready < 0 && errno == EINTR) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(fd, &set);
        ready = pselect(fd + 1, &set, NULL, NULL, NULL, &before);
    }
    int error = ready < 0 && !caught && changed ? EAGAIN : errno;
    if (error == EAGAIN)
        changed = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return ready >= 0;
}
