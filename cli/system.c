/* System error messages, the environment, limits, and signals.
 *
 * The signal handler only sets a flag; the library reads it through its should_cancel callback,
 * cleans up, which removes temporary files, and returns a 6xx status. A second SIGINT or SIGTERM
 * ends the program in the handler; temporary files have no name where the system supports that
 * (util/new_file.h), so they disappear with it. SIGPIPE is ignored: writing to a closed pipe then
 * fails with EPIPE, which the output layer treats as a normal end. So is SIGXFSZ: writing beyond the
 * file size limit then fails with EFBIG, which is reported. SIGBUS ends
 * the program with a message. */
#include "system.h"

#include "exit_status.h"
#include "util/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

const char *system_error(int number)
{
    /* GNU's strerror_r, which returns a constant for every known error; and that of POSIX. */
    static _Thread_local char text[200];
#if defined(__GLIBC__)
    return strerror_r(number, text, sizeof text);
#else
    return strerror_r(number, text, sizeof text) == 0 ? text : "unknown error";
#endif
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

/* ---- SIGBUS --------------------------------------------------------------------------------
 *
 * Models and counts are mapped into memory. If another process truncates such a file, or its disk
 * fails, the next access raises SIGBUS in whatever thread reads it; there is nothing to return to.
 * The handler says which file it was and ends the program; temporary files have no name. It calls
 * only functions that are safe in a signal handler. */

enum { NAME = 512 };
static struct termios terminal_state;
static volatile sig_atomic_t has_terminal_state;

/* A hexadecimal digit, or -1. */
static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Finds the file that is mapped at the address, on systems with /proc: a line is "from-to
 * permissions offset device inode path", with the range in hexadecimal. */
static size_t find_mapped(uintptr_t address, char name[NAME])
{
    static char text[4096];
    uintptr_t ends[2] = {0};
    size_t length = 0, field = 0; /* 0, 1: from, to; 2 to 6: the others; 7: the path */
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t got;
    while ((got = fd < 0 ? 0 : read(fd, text, sizeof text)) > 0)
        for (ssize_t k = 0; k < got; k++) {
            char c = text[k];
            if (c == '\n') {
                if (length && ends[0] <= address && address < ends[1])
                    return length;
                ends[0] = ends[1] = length = field = 0;
            } else if (field < 2) {
                int value = digit(c);
                if (value < 0)
                    field++;
                else
                    ends[field] = ends[field] << 4 | (uintptr_t)value;
            } else if (field < 6)
                field += c == ' ';
            else if (length < NAME && (length || c != ' '))
                name[length++] = c;
        }
    return 0;
}

static void say(const char *text, size_t length)
{
    while (length) {
        ssize_t wrote = write(STDERR_FILENO, text, length);
        if (wrote <= 0)
            return;
        text += wrote;
        length -= (size_t)wrote;
    }
}

/* A name may contain anything but zeros. */
static void say_name(const char *name, size_t length)
{
    const unsigned char *at = (const unsigned char *)name, *end = at + length;
    while (at < end) {
        uint32_t code;
        int bytes = pv_utf8_decode(at, end, &code);
        if (bytes < 0 || pv_utf8_is_unsafe(code))
            say("?", 1);
        else
            say((const char *)at, (size_t)bytes);
        at += bytes < 0 ? 1 : bytes;
    }
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    static char name[NAME];
    static const char before[] = "psdvec: ", unknown[] = "a mapped file",
                      after[] =
                          ": cannot be read any more: it was truncated while it was in use, or "
                          "its disk failed; restore the file and run the command again\n";
    (void)context;
    if (info->si_code !=
        BUS_ADRERR) { /* a defect: the instruction runs again, and ends the program */
        struct sigaction usual = {.sa_handler = SIG_DFL};
        sigaction(number, &usual, NULL);
        return;
    }
    while (atomic_flag_test_and_set(&begun)) /* another thread is ending the program */
        pause();
    size_t length = find_mapped((uintptr_t)info->si_addr, name);
    if (isatty(STDERR_FILENO))
        say("\n", 1); /* there may be a progress line */
    say(before, sizeof before - 1);
    if (length)
        say_name(name, length);
    else
        say(unknown, sizeof unknown - 1);
    say(after, sizeof after - 1);
    if (has_terminal_state)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal_state);
    _exit(EXIT_FILE);
}

static void watch_bus_errors(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    has_terminal_state = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &terminal_state) == 0;
    sigaction(SIGBUS, &action, NULL);
}

/* ---- Stopping ------------------------------------------------------------------------------ */

void signals_start(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    watch_bus_errors();
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
