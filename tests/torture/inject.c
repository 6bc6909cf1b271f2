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
 *   site CLASS FIRST COUNT ADDRESS...     the number of the first call from this site, and how many
 *   calls CLASS NUMBER                    calls in total
 *   unwritten BYTES                       main() ended with data in the buffer of standard output
 *
 * Only calls by dynamic symbols are seen: those that the C library makes internally, as fopen()
 * calls open(), are not; therefore functions of stdio are wrapped as well. Nothing in here allocates
 * memory, except that wrapped functions call the real ones. */
#define _GNU_SOURCE 1
#include <features.h>

#ifndef __GLIBC__
typedef int inject_needs_glibc; /* the driver finds that no call is seen */
#else

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#define EXPORTED __attribute__((visibility("default")))

typedef enum call_class {
    ALLOC,
    MAP,
    OPEN,
    READ,
    WRITE,
    STDIO,
    SYNC,
    CLOSE,
    RENAME,
    LINK,
    UNLINK,
    MKDIR,
    TRUNCATE,
    STAT,
    LOCK,
    THREAD,
    CLASSES
} call_class;

static const char *const class_names[CLASSES] = {
    [ALLOC] = "alloc",       [MAP] = "map",     [OPEN] = "open",     [READ] = "read",
    [WRITE] = "write",       [STDIO] = "stdio", [SYNC] = "sync",     [CLOSE] = "close",
    [RENAME] = "rename",     [LINK] = "link",   [UNLINK] = "unlink", [MKDIR] = "mkdir",
    [TRUNCATE] = "truncate", [STAT] = "stat",   [LOCK] = "lock",     [THREAD] = "thread"};

enum { DEPTH = 16, SITES = 1 << 15, LONGEST = 4096, SWEEPS = 64, FOREIGN = 40 };
enum kind { FAIL, SHORT, KILL };

typedef struct sweep_fault {
    int class, error;
    enum kind kind;
    bool again;
    long next; /* the other side does not want it before this call of the class */
} sweep_fault;

static struct {
    int log, trace; /* descriptors; -1: none. Open from the start: a sandbox may follow */
    int serve;      /* a socket; -1: none */
    int class;      /* -1: none */
    long at;
    int error;
    enum kind kind;
    bool again, sites;
    long cpu; /* seconds; 0: no limit */
    long from;
    int sweeps;
    sweep_fault sweep[SWEEPS];
} wish = {.log = -1, .trace = -1, .serve = -1, .class = -1};

static atomic_long counts[CLASSES];
static atomic_bool armed;
static atomic_bool hit_logged;
static uintptr_t program_base, program_begin, program_end;
static __thread volatile bool inside __attribute__((tls_model("initial-exec")));

/* ---- Text without stdio ---------------------------------------------------------------------- */

typedef struct line {
    char text[2048];
    size_t length;
} line;

static void add_text(line *to, const char *text)
{
    for (; *text && to->length < sizeof to->text - 1; text++)
        to->text[to->length++] = *text;
}

static void add_number(line *to, unsigned long number, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = "0123456789abcdef"[number % base];
    while (number /= base);
    add_text(to, " ");
    add_text(to, digits + at);
}

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

static void log_line(line *text)
{
    text->text[text->length++] = '\n';
    if (wish.log >= 0)
        syscall(SYS_write, wish.log, text->text, text->length);
}

/* ---- Call sites ------------------------------------------------------------------------------ */

typedef struct chain {
    uint32_t address[DEPTH]; /* relative to the program, the innermost first */
    int depth;
    const void *foreign[FOREIGN]; /* in libraries, before the program */
    int foreign_depth;
} chain;

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *opaque)
{
    chain *to = opaque;
    uintptr_t at = _Unwind_GetIP(context);
    if (at >= program_begin && at < program_end)
        to->address[to->depth++] = (uint32_t)(at - program_base);
    else if (to->depth == 0 && to->foreign_depth < FOREIGN)
        to->foreign[to->foreign_depth++] = (const void *)(at - 1);
    return to->depth < DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void add_chain(line *to, const chain *from)
{
    for (int i = 0; i < from->depth; i++)
        add_number(to, from->address[i], 16);
}

/* The exported functions of libraries between the program and the call. */
static void add_foreign(line *to, const chain *from)
{
    Dl_info info, own;
    dladdr((const void *)add_foreign, &own);
    for (int i = 0; i < from->foreign_depth; i++) {
        if (!dladdr(from->foreign[i], &info) || info.dli_fbase == own.dli_fbase || !info.dli_sname)
            continue;
        add_text(to, " ");
        add_text(to, info.dli_sname);
    }
}

typedef struct site {
    chain where;
    long first, count;
    int class;
} site;

static site sites[SITES]; /* a hash table; a count of 0 is an empty place */
static size_t site_count;
static pthread_mutex_t site_lock = PTHREAD_MUTEX_INITIALIZER;

static void note_site(call_class class, long number, const chain *where)
{
    uint64_t hash = (uint64_t) class + 1;
    for (int i = 0; i < where->depth; i++)
        hash = (hash ^ where->address[i]) * UINT64_C(0x9e3779b97f4a7c15);
    pthread_mutex_lock(&site_lock);
    for (size_t at = hash >> 49;; at = (at + 1) % SITES) {
        site *s = &sites[at];
        if (s->count == 0) {
            if (site_count < SITES / 2) {
                site_count++;
                *s = (site){.where = *where, .first = number, .count = 1, .class = (int)class};
            }
            break;
        }
        if (s->class == (int)class && s->where.depth == where->depth &&
            !memcmp(s->where.address, where->address,
                    (size_t)where->depth * sizeof where->address[0])) {
            s->count++;
            break;
        }
    }
    pthread_mutex_unlock(&site_lock);
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

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
static char saved_room[SAVED_BYTES]; /* pages that are not used take no memory */
static char entries_room[1 << 16];
static long sequence;
static atomic_bool shares_memory; /* there is a mapping of a file that can be written */

static bool save_files(void)
{
    size_t used = 0;
    saved_count = 0;
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
        if (file->size > sizeof saved_room - used)
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

static void limit_time(void)
{
    if (wish.cpu)
        setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)wish.cpu, (rlim_t)wish.cpu + 1});
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

/* Tries the faults of a call. Returns in the copies, in which the call fails, and at the end. */
static void sweep(call_class class, long number)
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
        answer(
            &wish.sweep
                 [i]); /* until now the other side may have killed it, so the number stays its own */
        waitid(P_PID, (id_t)child, &info, WEXITED);
        restore_files();
    }
    errno = error;
    inside = false;
}

/* ---- Whether a call fails -------------------------------------------------------------------- */

/* Counts the call. Returns what to do instead of it, or 0. */
enum { NOTHING, FAILS, HALF };
static int strikes(call_class class)
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

static void take_wish(const char *text)
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

/* Returns in a new process for every request, with its value of PSDVEC_FAULT. */
static const char *serve(void)
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
    for (size_t i = 0; wish.sites && i < SITES; i++) {
        const site *s = &sites[i];
        if (s->count == 0)
            continue;
        text.length = 0;
        add_text(&text, "site ");
        add_text(&text, class_names[s->class]);
        add_number(&text, (unsigned long)s->first, 10);
        add_number(&text, (unsigned long)s->count, 10);
        add_chain(&text, &s->where);
        log_line(&text);
    }
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

/* NEXT(name): the function that the program would have called without this library. */
#define NEXT(name)                                                                                 \
    static __typeof__(&(name)) next;                                                               \
    if (!next)                                                                                     \
    *(void **)&next = next_symbol(#name)

static void *next_symbol(const char *name)
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

/* ---- The trace of changes of files ----------------------------------------------------------- */

/* A record is a line, "OPERATION INODE NUMBER LENGTH NAME", and LENGTH bytes of data. Names are
 * absolute or relative to the folder in which the program started. */
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;

static bool tracing(void)
{
    return wish.trace >= 0 && !inside && atomic_load(&armed);
}

static void trace(const char *operation, unsigned long inode, unsigned long number,
                  const void *data, size_t length, const char *folder, const char *name)
{
    line text = {.length = 0};
    add_text(&text, operation);
    add_number(&text, inode, 10);
    add_number(&text, number, 10);
    add_number(&text, length, 10);
    add_text(&text, " ");
    if (name[0] != '/')
        add_text(&text, folder);
    add_text(&text, name);
    add_text(&text, "\n");
    pthread_mutex_lock(&trace_lock);
    syscall(SYS_write, wish.trace, text.text, text.length);
    if (length)
        syscall(SYS_write, wish.trace, data, length);
    pthread_mutex_unlock(&trace_lock);
}

/* The inode of a file or folder; 0 if it is neither. */
static unsigned long inode_of(int folder, const char *name, int flags)
{
    struct stat info;
    if (syscall(SYS_newfstatat, folder, name, &info, flags) != 0 ||
        !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
        return 0;
    return info.st_ino;
}

static unsigned long inode_of_fd(int fd)
{
    return inode_of(fd, "", AT_EMPTY_PATH);
}

/* "FOLDER/", or "" for the current folder. */
static const char *folder_text(int folder, char text[LONGEST])
{
    char link[64];
    text[0] = '\0';
    if (folder == AT_FDCWD)
        return text;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, text, LONGEST - 2);
    if (length < 0)
        length = 0;
    text[length] = '/';
    text[length + 1] = '\0';
    return text;
}

static void trace_name(const char *operation, int folder, const char *name)
{
    char text[LONGEST];
    if (tracing())
        trace(operation, inode_of(folder, name, AT_SYMLINK_NOFOLLOW), 0, NULL, 0,
              folder_text(folder, text), name);
}

static void trace_data(int fd, unsigned long offset, const void *data, ssize_t length)
{
    unsigned long inode = tracing() && length > 0 ? inode_of_fd(fd) : 0;
    if (inode)
        trace("data", inode, offset, data, (size_t)length, "", "");
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* While dlsym() looks for the real functions, it may itself allocate. */
static char spare[1 << 16] __attribute__((aligned(64)));
static atomic_size_t spare_used;
static __thread volatile bool looking __attribute__((tls_model("initial-exec")));

static void *take_spare(size_t size)
{
    size_t at = atomic_fetch_add(&spare_used, (size + 63) / 64 * 64);
    return at + size <= sizeof spare ? spare + at : NULL;
}

static bool is_spare(const void *block)
{
    return (const char *)block >= spare && (const char *)block < spare + sizeof spare;
}

#define NEXT_MEMORY(name, instead)                                                                 \
    static __typeof__(&(name)) next;                                                               \
    if (!next) {                                                                                   \
        if (looking)                                                                               \
            return instead;                                                                        \
        looking = true;                                                                            \
        *(void **)&next = next_symbol(#name);                                                      \
        looking = false;                                                                           \
    }

EXPORTED void *malloc(size_t size)
{
    NEXT_MEMORY(malloc, take_spare(size));
    return strikes(ALLOC) ? NULL : next(size);
}

EXPORTED void *calloc(size_t count, size_t size)
{
    NEXT_MEMORY(calloc, take_spare(count * size));
    return strikes(ALLOC) ? NULL : next(count, size);
}

EXPORTED void *realloc(void *block, size_t size)
{
    NEXT_MEMORY(realloc, NULL);
    if (is_spare(block)) {
        void *moved = malloc(size);
        if (moved)
            memcpy(moved, block,
                   size < (size_t)(spare + sizeof spare - (char *)block)
                       ? size
                       : (size_t)(spare + sizeof spare - (char *)block));
        return moved;
    }
    return strikes(ALLOC) ? NULL : next(block, size);
}

EXPORTED void *reallocarray(void *block, size_t count, size_t size)
{
    NEXT_MEMORY(reallocarray, NULL);
    return strikes(ALLOC) ? NULL : next(block, count, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    NEXT_MEMORY(aligned_alloc, NULL);
    return strikes(ALLOC) ? NULL : next(alignment, size);
}

EXPORTED void *memalign(size_t alignment, size_t size)
{
    NEXT_MEMORY(aligned_alloc, NULL);
    return strikes(ALLOC) ? NULL : next(alignment, size);
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t size)
{
    NEXT_MEMORY(posix_memalign, ENOMEM);
    return strikes(ALLOC) ? ENOMEM : next(block, alignment, size);
}

EXPORTED void free(void *block)
{
    static void (*next)(void *);
    if (is_spare(block))
        return;
    if (!next) {
        if (looking)
            return;
        looking = true;
        *(void **)&next = next_symbol("free");
        looking = false;
    }
    next(block);
}

/* The sanitizer's strdup() does not call malloc(). */
EXPORTED char *strdup(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);
    return copy ? memcpy(copy, text, length) : NULL;
}

EXPORTED char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

EXPORTED void *mmap(void *where, size_t size, int protection, int flags, int fd, off_t offset)
{
    NEXT(mmap);
    if (strikes(MAP))
        return MAP_FAILED;
    if ((flags & MAP_SHARED) && (protection & PROT_WRITE))
        atomic_store(&shares_memory, true);
    return next(where, size, protection, flags, fd, offset);
}

EXPORTED void *mmap64(void *where, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return mmap(where, size, protection, flags, fd, offset);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*start)(void *), void *argument)
{
    NEXT(pthread_create);
    return strikes(THREAD) ? wish.error : next(thread, attributes, start, argument);
}

/* ---- Files ----------------------------------------------------------------------------------- */

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
