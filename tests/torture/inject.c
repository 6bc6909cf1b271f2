/* A library for LD_PRELOAD that makes chosen calls of a program fail.
 *
 * It stands between the program with its libraries and the C library (or the sanitizer, which then
 * stands between the two), counts the calls of each class from the start of main() to its end, and
 * makes the k-th call of one class fail. PSDVEC_FAULT says what to do, as NAME=VALUE with semicolons
 * between:
 *
 *   log=FILE      write what happened there; without any other entry, only count
 *   class=NAME    the class of calls that fails; see class_names
 *   at=K          the first call that fails, counted from 1
 *   error=NUMBER  its errno
 *   kind=short    reads and writes transfer half of what was asked instead of failing
 *   kind=kill     the process is killed before the call, as by kill -9
 *   again=1       all calls from the K-th on fail; with EINTR, every second one
 *   sites=1       log every distinct call site
 *   trace=FILE    log all changes of files, with their data, for the simulation of power loss
 *   cpu=SECONDS   the process is killed when it has used so much processor time
 *   serve=FD      run main() many times, each time in a new process with its own PSDVEC_FAULT
 *   sweep=CLASS:ERROR:KIND:AGAIN   only in the request to a server, as often as needed: at every call
 *                 of the class, try the fault in a copy of the process, and go on without it
 *   from=K        a sweep leaves out the first K - 1 calls of its classes
 *
 * A server starts no program anew, so that a run takes a fraction of the time. FD is a socket of
 * packets. A request has five lines: the folder in which to run, the files that become standard
 * input, output and error, and the value of PSDVEC_FAULT. The server forks before main() and answers
 * with the process, then with its status as waitpid() gives it, each an int. It ends when the other
 * side closes the socket.
 *
 * A sweep runs main() once for all its faults, instead of once for each. Before every call that can
 * fail it asks the other side of the socket whether to try the fault there (struct question), and
 * forks if the answer is 'f'. The copy has the fault and ends; then the process undoes what the copy
 * did to the files that both have open, waits for the other side to undo the rest, and goes on. It
 * cannot copy threads and mappings that the copy would share, and says so.
 *
 * A call site is the chain of return addresses inside the program itself. The lines of the log:
 *
 *   hit CLASS NUMBER ADDRESS...           this call failed; addresses from the innermost
 *   through NAME...                       the functions of libraries that made the call, if known
 *   site CLASS FIRST COUNT ADDRESS...     the number of the first call from this site, and how many;
 *                                         sites that differ in a library have the same addresses
 *   calls CLASS NUMBER                    calls in total
 *   unwritten BYTES                       main() ended with data in the buffer of standard output
 *
 * Only calls by dynamic symbols are seen: those that the C library makes internally, as fopen()
 * calls open(), are not; therefore functions of stdio are wrapped as well. Nothing in here allocates
 * memory, except that wrapped functions call the real ones. */
#include "inject.h"

#ifdef __GLIBC__

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const class_names[CLASSES] = {
    [ALLOC] = "alloc",       [MAP] = "map",     [OPEN] = "open",     [READ] = "read",
    [WRITE] = "write",       [STDIO] = "stdio", [SYNC] = "sync",     [CLOSE] = "close",
    [RENAME] = "rename",     [LINK] = "link",   [UNLINK] = "unlink", [MKDIR] = "mkdir",
    [TRUNCATE] = "truncate", [STAT] = "stat",   [LOCK] = "lock",     [THREAD] = "thread"};

wishes wish = {.log = -1, .trace = -1, .serve = -1, .class = -1};
atomic_long counts[CLASSES];
atomic_bool armed;
static atomic_bool hit_logged;
uintptr_t program_base, program_begin, program_end;
__thread volatile bool inside __attribute__((tls_model("initial-exec")));

/* ---- Whether a call fails -------------------------------------------------------------------- */

int strikes(call_class class)
{
    if (!atomic_load_explicit(&armed, memory_order_relaxed) || inside)
        return NOTHING;
    long number = atomic_fetch_add(&counts[class], 1) + 1;
    if (wish.sweeps > 0)
        sweep(class, number);
    bool here = wish.class == (int)class && number >= wish.at;
    if (here && number > wish.at)
        here = wish.again && (wish.error != EINTR || (number - wish.at) % 2 == 0);
    if (!here && !wish.sites)
        return NOTHING;
    inside = true;
    int error = errno;
    chain where = {.depth = 0};
    _Unwind_Backtrace(take_frame, &where);
    if (where.depth == 0) /* the start of a thread, inside the C library or the sanitizer */
        here = false;
    if (wish.sites)
        note_site(class, number, &where);
    if (here && !atomic_exchange(&hit_logged, true)) {
        line text = {.length = 0};
        add_text(&text, "hit ");
        add_text(&text, class_names[class]);
        add_number(&text, (unsigned long)number, 10);
        add_chain(&text, &where);
        log_line(&text);
        text.length = 0;
        add_text(&text, "through");
        add_foreign(&text, &where);
        log_line(&text);
    }
    errno = error;
    inside = false;
    if (!here)
        return NOTHING;
    if (wish.kind == KILL) {
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
        for (;;)
            pause();
    }
    if (wish.kind == SHORT)
        return HALF;
    errno = wish.error;
    return FAILS;
}

/* ---- Start and end --------------------------------------------------------------------------- */

static int find_program(struct dl_phdr_info *info, size_t size, void *opaque)
{
    (void)size, (void)opaque;
    program_base = info->dlpi_addr;
    program_begin = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (begin < program_begin)
            program_begin = begin;
        if (begin + part->p_memsz > program_end)
            program_end = begin + part->p_memsz;
    }
    return 1; /* the first one is the program */
}

static void begin(void)
{
    const char *text = getenv("PSDVEC_FAULT");
    if (!text)
        return;
    take_wish(text);
    /* Not for the programs that this one starts, such as the symbolizer of the sanitizer. */
    unsetenv("PSDVEC_FAULT");
    unsetenv("LD_PRELOAD");
    dl_iterate_phdr(find_program, NULL);
    chain warm = {.depth = 0}; /* the unwinder may initialise itself on first use */
    _Unwind_Backtrace(take_frame, &warm);
    if (wish.serve >= 0)
        take_wish(serve());
    if (wish.sweeps == 0) { /* a sweep needs the socket, and its copies have the limit */
        if (wish.serve >= 0)
            syscall(SYS_close, wish.serve);
        limit_time();
    }
    atomic_store(&armed, true);
}

static void end(void)
{
    if (!atomic_exchange(&armed, false))
        return;
    line text;
    if (wish.sites)
        log_sites();
    for (int c = 0; c < CLASSES; c++) {
        long count = atomic_load(&counts[c]);
        if (count == 0)
            continue;
        text.length = 0;
        add_text(&text, "calls ");
        add_text(&text, class_names[c]);
        add_number(&text, (unsigned long)count, 10);
        log_line(&text);
    }
    if (__fpending(stdout) > 0) {
        text.length = 0;
        add_text(&text, "unwritten");
        add_number(&text, __fpending(stdout), 10);
        log_line(&text);
    }
}

void *next_symbol(const char *name)
{
    bool was = inside;
    inside = true; /* the loader may allocate */
    void *found = dlsym(RTLD_NEXT, name);
    inside = was;
    return found;
}

typedef int main_function(int, char **, char **);
static main_function *program_main;

static int wrapped_main(int argc, char **argv, char **environment)
{
    begin();
    int status = program_main(argc, argv, environment);
    end();
    return status;
}

int __libc_start_main(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                      void *);
EXPORTED int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                               void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    NEXT(__libc_start_main);
    program_main = main;
    return next(wrapped_main, argc, argv, init, fini, rtld_fini, stack_end);
}

EXPORTED void exit(int status)
{
    NEXT(exit);
    end();
    next(status);
    __builtin_unreachable();
}

EXPORTED void _exit(int status)
{
    NEXT(_exit);
    end();
    next(status);
    __builtin_unreachable();
}

#endif
