/* Part of psdvec.h: status codes, the context, progress and messages. */
#ifndef PSDVEC_CONTEXT_H
#define PSDVEC_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PSDVEC_API __attribute__((visibility("default")))
#else
#define PSDVEC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status codes, in families of a hundred --------------------------
 * The numbers are part of the interface and never change their meaning. */
typedef enum psdvec_status {
    PSDVEC_OK = 0,

    /* 1xx: the call itself */
    PSDVEC_ERR_OPTION = 100, /* an option is out of range or contradicts another */

    /* 2xx: the text, or another input, cannot be used */
    PSDVEC_ERR_NOT_FOUND = 200, /* no such file or folder */
    PSDVEC_ERR_READ = 201,      /* it exists, but reading it failed */
    PSDVEC_ERR_NOT_TEXT = 202,  /* it does not look like text */
    PSDVEC_ERR_DAMAGED = 203,   /* truncated or encrypted archive, malformed record */
    PSDVEC_ERR_EMPTY = 204,     /* nothing countable in it */
    PSDVEC_ERR_UTF8 = 205,      /* bad UTF-8 where `strict` was asked for */

    /* 3xx: one of our own files cannot be used */
    PSDVEC_ERR_FORMAT = 300,   /* not a file of this kind */
    PSDVEC_ERR_CORRUPT = 301,  /* truncated, or a checksum does not match */
    PSDVEC_ERR_VERSION = 302,  /* written by a newer version */
    PSDVEC_ERR_MISMATCH = 303, /* files that do not belong together */

    /* 4xx: the result cannot be written */
    PSDVEC_ERR_WRITE = 400,     /* missing folder, no permission, I/O error */
    PSDVEC_ERR_DISK_FULL = 401, /* no room */
    PSDVEC_ERR_SAME_FILE = 402, /* the output is one of the inputs */

    /* 5xx: resources */
    PSDVEC_ERR_MEMORY = 500,   /* the system refused memory */
    PSDVEC_ERR_BUDGET = 501,   /* it does not fit the memory budget */
    PSDVEC_ERR_THREAD = 502,   /* the system refused a thread */
    PSDVEC_ERR_OVERFLOW = 503, /* a number would not fit its type */
    PSDVEC_ERR_NUMERIC = 504,  /* a number is not finite */

    /* 6xx: the host asked to stop */
    PSDVEC_ERR_CANCELLED = 600,

    /* 9xx: a defect of the library; please report it */
    PSDVEC_ERR_INTERNAL = 900
} psdvec_status;

/* The name of a status, such as "PSDVEC_ERR_NOT_FOUND". Never NULL. */
PSDVEC_API const char *psdvec_status_name(psdvec_status status);

/* The version of the library in use, "major.minor.patch". */
PSDVEC_API const char *psdvec_version(void);

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
    int threads;         /* 0: as many as the process may use. Fewer if memory is short */
    uint64_t memory;     /* budget in bytes; 0: half of the machine's memory */
    uint64_t seed;       /* of everything random */
    const char *tempdir; /* NULL: the folder of the output */
    psdvec_progress_fn *on_progress; /* at most about ten times a second */
    psdvec_message_fn *on_message;
    psdvec_cancel_fn *should_cancel;
    void *user; /* handed to the three callbacks */
} psdvec_context_options;

PSDVEC_API void psdvec_context_options_default(psdvec_context_options *options);

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
