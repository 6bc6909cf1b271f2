/* Part of psdvec.h: the context, progress and messages. */
#ifndef PSDVEC_CONTEXT_H
#define PSDVEC_CONTEXT_H

#include <psdvec/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The context: resources, callbacks, the last error --------------- */
typedef struct psdvec_context psdvec_context;

/* What is going on, for a progress line. `total` is 0 while unknown. */
typedef struct psdvec_progress {
    const char *stage;    /* "reading", "counting", ... */
    const char *unit;     /* "B", "words", "rows" */
    uint64_t done, total; /* in units */
    double elapsed;       /* seconds since the stage began */
    double rate;          /* units a second, recent */
    double remaining;     /* seconds left; negative while unknown */
    double objective;     /* of training, so far; NAN: there is none yet */
    uint64_t memory;      /* bytes held by the library now */
} psdvec_progress;

typedef enum psdvec_message_level {
    PSDVEC_NOTE = 0,    /* worth telling with --verbose */
    PSDVEC_WARNING = 1, /* worth telling always; the work goes on */
    PSDVEC_STEP = 2     /* a part of long work is done; worth telling unless quiet */
} psdvec_message_level;

typedef void psdvec_progress_fn(void *user, const psdvec_progress *progress);
typedef void psdvec_message_fn(void *user, psdvec_message_level level, const char *text);
typedef bool psdvec_cancel_fn(void *user); /* true: stop soon. Called from any thread. */

typedef struct psdvec_context_options {
    size_t size;                     /* filled in by psdvec_context_options_default */
    psdvec_progress_fn *on_progress; /* at most about ten times a second */
    psdvec_message_fn *on_message;
    psdvec_cancel_fn *should_cancel;
    void *user; /* handed to the three callbacks */
#include <psdvec/options/context.def>
} psdvec_context_options;

static inline void psdvec_context_options_default(psdvec_context_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_CONTEXT, options, sizeof *options, 0, NULL);
}

/* `options` may be NULL for the defaults. On failure *ctx is NULL. */
PSDVEC_API psdvec_status psdvec_context_new(const psdvec_context_options *options,
                                            psdvec_context **ctx);
PSDVEC_API void psdvec_context_free(psdvec_context *ctx);

/* The sentence for the last failure in this context: file, place, cause and
 * remedy. Empty if there was none. Valid until the next call with `ctx`. */
PSDVEC_API const char *psdvec_error_message(const psdvec_context *ctx);

/* Memory this process may use, in bytes: the machine's, or less in a container. */
PSDVEC_API uint64_t psdvec_machine_memory(void);

/* Largest amount of memory, in bytes, the library has held at one time. */
PSDVEC_API uint64_t psdvec_peak_memory(const psdvec_context *ctx);
PSDVEC_API int psdvec_threads(const psdvec_context *ctx);
PSDVEC_API uint64_t psdvec_memory_budget(const psdvec_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
