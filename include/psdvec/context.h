/* Part of psdvec.h: the context, with threads, memory, progress, messages and cancellation.
 *
 * Every call runs in a context, which holds the number of threads, the memory budget, the callbacks
 * of the host and the message of the last error. A context serves one thread at a time.
 *
 *     psdvec_context_options options;
 *     psdvec_context_options_default(&options);
 *     options.threads = 4;
 *     options.on_message = print_message;
 *
 *     psdvec_context *ctx;
 *     if (psdvec_context_new(&options, &ctx) != PSDVEC_OK) return 1;
 *     ...
 *     psdvec_context_free(ctx);
 */
#ifndef PSDVEC_CONTEXT_H
#define PSDVEC_CONTEXT_H

#include <psdvec/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The context: resources, callbacks, the last error --------------- */
typedef struct psdvec_context psdvec_context;

/* The state of a long-running call, for a progress display. */
typedef struct psdvec_progress {
    const char *stage;    /* "reading", "counting", ... */
    const char *unit;     /* unit of `done` and `total`: "B", "words", "rows" */
    uint64_t done, total; /* `total` is 0 while it is not known */
    double elapsed;       /* seconds since the stage began */
    double rate;          /* units per second since the stage began */
    double remaining;     /* estimated seconds left in the stage; negative if not known */
    double objective;     /* current training objective; NAN if there is none yet */
    uint64_t memory;      /* bytes the library has allocated now */
} psdvec_progress;

typedef enum psdvec_message_level {
    PSDVEC_NOTE = 0,    /* detail, for verbose output */
    PSDVEC_WARNING = 1, /* a problem the user should know about; the call continues */
    PSDVEC_STEP = 2     /* a stage of a long-running call has finished; for normal output */
} psdvec_message_level;

/* Callbacks of the host; `user` is psdvec_context_options.user. The strings are valid during the
 * callback only. on_progress and on_message may run in a worker thread, but never at the same time.
 * should_cancel may run in several threads at once; if it returns true, the call soon returns
 * PSDVEC_ERR_CANCELLED. A callback must not start another call with the same context. */
typedef void psdvec_progress_fn(void *user, const psdvec_progress *progress);
typedef void psdvec_message_fn(void *user, psdvec_message_level level, const char *text);
typedef bool psdvec_cancel_fn(void *user);

/* A psdvec_cancel_fn for hosts whose own functions would be slow to call, such as interpreters:
 * returns true if the byte that `user` points to is not 0. Any thread may set the byte. */
PSDVEC_API bool psdvec_cancel_if_set(void *user);

typedef struct psdvec_context_options {
    size_t size;                     /* set by psdvec_context_options_default */
    psdvec_progress_fn *on_progress; /* called about ten times per second at most; may be NULL */
    psdvec_message_fn *on_message;   /* may be NULL */
    psdvec_cancel_fn *should_cancel; /* may be NULL */
    void *user;                      /* passed to the three callbacks */
#include <psdvec/options/context.def>
    const char *input_name; /* what counts files and models record as the name of an input that is a
                               descriptor, /dev/fd/N; NULL: "/dev/fd" */
} psdvec_context_options;

/* Sets all members to their defaults. */
static inline void psdvec_context_options_default(psdvec_context_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_CONTEXT, options, sizeof *options, 0, NULL);
}

/* Creates a context; free it with psdvec_context_free. `options` may be NULL for the defaults, and
 * need not outlive the call. On failure *ctx is NULL, and only the status explains the failure. */
PSDVEC_API psdvec_status psdvec_context_new(const psdvec_context_options *options,
                                            psdvec_context **ctx);

/* Frees a context. What was opened with it may be closed before or after. `ctx` may be NULL. */
PSDVEC_API void psdvec_context_free(psdvec_context *ctx);

/* Returns a message that explains the last failure in this context: file, location, cause and fix.
 * Empty if the last call succeeded; never NULL. Valid until the next call with `ctx`. */
PSDVEC_API const char *psdvec_error_message(const psdvec_context *ctx);

/* Returns the memory this process may use, in bytes: that of the machine, or the limit of the
 * container. */
PSDVEC_API uint64_t psdvec_machine_memory(void);

/* Returns the largest amount of memory, in bytes, that the library has held in this context. */
PSDVEC_API uint64_t psdvec_peak_memory(const psdvec_context *ctx);

/* Returns the number of threads in use, which is smaller than requested if memory is short. */
PSDVEC_API int psdvec_threads(const psdvec_context *ctx);

/* Returns the memory budget of the context, in bytes. */
PSDVEC_API uint64_t psdvec_memory_budget(const psdvec_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
