/* The context: resources, callbacks and error reporting of a call.
 *
 * Errors: pv_fail() stores a message and returns the status, so a failing function ends with
 * `return pv_fail(ctx, PSDVEC_ERR_..., "...")` and every caller passes it up with PV_TRY. The first
 * failure of a public call wins; later ones, often consequences of the first in other threads, are
 * ignored. Public entry points start with pv_begin(), which clears the last failure.
 */
#ifndef PV_BASE_CONTEXT_H
#define PV_BASE_CONTEXT_H

#include "util/compiler.h"

#include <psdvec/psdvec.h>

#include <pthread.h>
#include <stdatomic.h>

typedef struct pv_pool pv_pool;
struct pv_group;

struct psdvec_context {
    atomic_uint holders;            /* the host, and every object that was opened with it */
    psdvec_context_options options; /* zeros resolved; threads limited by memory */
    int threads_wanted;
    char *tempdir;    /* own copy, or NULL */
    char *input_name; /* own copy, or NULL */
    pv_pool *pool;
    atomic_bool parallel;   /* workers are running */
    struct pv_group *group; /* of processes (group.h); NULL: none */

    _Atomic uint64_t memory_used;
    _Atomic uint64_t memory_peak;

    /* Mapped files whose pages are released (trim.h), their bytes, the time of the next look, and
     * the bytes of files that were resident after the last release. */
    pthread_mutex_t trim_lock;
    struct pv_trimmed *trimmed;
    _Atomic uint64_t trim_bytes, trim_next, trim_rest;
    atomic_int trim_strict;

    atomic_int status;    /* of the first failure since pv_begin() */
    pthread_mutex_t lock; /* guards message, and calls of on_message */
    char *message;        /* heap; NULL if it could not be allocated */
};

/* Reference counting. Objects that outlive the call that created them hold their context for memory
 * accounting, because hosts may free the context before they close the objects. The last release
 * destroys the context. */
psdvec_context *pv_context_hold(psdvec_context *ctx);
void pv_context_release(psdvec_context *ctx);

/* Clears the last failure. */
void pv_begin(psdvec_context *ctx);

/* Records the failure unless one is recorded already; returns the recorded
 * status. Safe from any thread. */
psdvec_status pv_fail(psdvec_context *ctx, psdvec_status status, const char *format, ...)
    PV_PRINTF(3, 4);

/* As pv_fail for a system call on `path`: appends the error text and turns ENOSPC, EDQUOT and EFBIG
 * into PSDVEC_ERR_DISK_FULL, ENOENT of a read into PSDVEC_ERR_NOT_FOUND. `doing` reads like "cannot
 * open". */
psdvec_status pv_fail_errno(psdvec_context *ctx, psdvec_status status, const char *doing,
                            const char *path, int error_number);

/* Number of threads that this much memory allows. */
int pv_threads_within(const psdvec_context *ctx, uint64_t memory);

void pv_message(psdvec_context *ctx, psdvec_message_level level, const char *format, ...)
    PV_PRINTF(3, 4);
#define pv_note(ctx, ...) pv_message((ctx), PSDVEC_NOTE, __VA_ARGS__)
#define pv_warn(ctx, ...) pv_message((ctx), PSDVEC_WARNING, __VA_ARGS__)
#define pv_step(ctx, ...) pv_message((ctx), PSDVEC_STEP, __VA_ARGS__)

/* The recorded failure, for callers of functions that return NULL after one. */
static inline psdvec_status pv_failure(const psdvec_context *ctx)
{
    int status = atomic_load(&ctx->status);
    return status != PSDVEC_OK ? (psdvec_status)status : PSDVEC_ERR_INTERNAL;
}

/* The analysers cannot know that these never return PSDVEC_OK. */
#ifdef PV_ANALYZE
#define pv_fail(...) ((void)pv_fail(__VA_ARGS__), PSDVEC_ERR_INTERNAL)
#define pv_fail_errno(...) ((void)pv_fail_errno(__VA_ARGS__), PSDVEC_ERR_INTERNAL)
#define pv_failure(...) ((void)pv_failure(__VA_ARGS__), PSDVEC_ERR_INTERNAL)
#endif

/* True if the run was cancelled or another thread failed: return soon. */
bool pv_stopping(psdvec_context *ctx);

/* PSDVEC_OK, or the recorded failure, or PSDVEC_ERR_CANCELLED (recorded). */
psdvec_status pv_check_cancel(psdvec_context *ctx);

#define PV_TRY(expression)                                                                         \
    do {                                                                                           \
        psdvec_status pv_try_status_ = (expression);                                               \
        if (PV_UNLIKELY(pv_try_status_ != PSDVEC_OK))                                              \
            return pv_try_status_;                                                                 \
    } while (0)

/* The same for functions with one cleanup path: needs `psdvec_status status`
 * and a label `done`. */
#define PV_TRY_DONE(expression)                                                                    \
    do {                                                                                           \
        status = (expression);                                                                     \
        if (PV_UNLIKELY(status != PSDVEC_OK))                                                      \
            goto done;                                                                             \
    } while (0)

#endif
