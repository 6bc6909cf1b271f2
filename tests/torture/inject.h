/* What the parts of the library for LD_PRELOAD share; inject.c describes it. */
#ifndef TORTURE_INJECT_H
#define TORTURE_INJECT_H

#define _GNU_SOURCE 1
#include <features.h>

#ifndef __GLIBC__
typedef int inject_needs_glibc; /* the driver finds that no call is seen */
#else

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
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

extern const char *const class_names[CLASSES];

enum { DEPTH = 16, LONGEST = 4096, SWEEPS = 64, FOREIGN = 40 };
enum kind { FAIL, SHORT, KILL };

typedef struct sweep_fault {
    int class, error;
    enum kind kind;
    bool again;
    long next; /* the other side does not want it before this call of the class */
} sweep_fault;

typedef struct wishes {
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
} wishes;

extern wishes wish;
extern atomic_long counts[CLASSES];
extern atomic_bool armed;
extern uintptr_t program_base, program_begin, program_end;
/* This thread is in this library: its calls do not count. */
extern __thread volatile bool inside __attribute__((tls_model("initial-exec")));

/* Counts the call. Returns what to do instead of it, or 0. */
enum { NOTHING, FAILS, HALF };
int strikes(call_class class);

/* NEXT(name): the function that the program would have called without this library. */
#define NEXT(name)                                                                                 \
    static __typeof__(&(name)) next;                                                               \
    if (!next)                                                                                     \
    *(void **)&next = next_symbol(#name)
void *next_symbol(const char *name);

/* ---- Text without stdio, and the log (sites.c) ----------------------------------------------- */

typedef struct line {
    char text[2048];
    size_t length;
} line;

void add_text(line *to, const char *text);
void add_number(line *to, unsigned long number, unsigned base);
void log_line(line *text);
/* Memory filled with zeros, for ever. Not a static array: the leak sanitizer searches those for
 * pointers at the end of every process, which takes longer than most processes. */
void *take_pages(size_t size);

/* ---- Call sites (sites.c) -------------------------------------------------------------------- */

typedef struct chain {
    uint32_t address[DEPTH]; /* relative to the program, the innermost first */
    int depth;
    const void *foreign[FOREIGN]; /* in libraries, before the program */
    int foreign_depth;
} chain;

_Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *opaque);
void add_chain(line *to, const chain *from);
/* The exported functions of libraries between the program and the call. */
void add_foreign(line *to, const chain *from);
void note_site(call_class class, long number, const chain *where);
/* Logs all sites. */
void log_sites(void);

/* ---- Requests (request.c) -------------------------------------------------------------------- */

void take_wish(const char *text);
/* Returns in a new process for every request, with its value of PSDVEC_FAULT. */
const char *serve(void);
void limit_time(void);

/* ---- Sweeps (sweep.c) ------------------------------------------------------------------------ */

extern atomic_bool shares_memory; /* there is a mapping of a file that can be written */
/* Tries the faults of a call. Returns in the copies, in which the call fails, and at the end. */
void sweep(call_class class, long number);

/* ---- The trace of changes of files (trace.c) ------------------------------------------------- */

bool tracing(void);
void trace(const char *operation, unsigned long inode, unsigned long number, const void *data,
           size_t length, const char *folder, const char *name);
/* The inode of a file or folder; 0 if it is neither. */
unsigned long inode_of(int folder, const char *name, int flags);
unsigned long inode_of_fd(int fd);
/* "FOLDER/", or "" for the current folder. */
const char *folder_text(int folder, char text[LONGEST]);
void trace_name(const char *operation, int folder, const char *name);
void trace_data(int fd, unsigned long offset, const void *data, ssize_t length);

#endif
#endif
