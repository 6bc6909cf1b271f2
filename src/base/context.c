/* The context and the recording of failures. */
#include "base/context.h"

#include "base/group.h"
#include "base/options.h"
#include "base/platform.h"
#include "base/thread.h"
#include "util/c_locale.h"
#include "util/new_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PV_OPTIONS_STRUCT psdvec_context_options
static const psdvec_option context_rows[] = {
#include <psdvec/options/context.def>
    {0}};

const pv_options_table pv_context_table = {
    .name = "context", .rows = context_rows, .size = sizeof(psdvec_context_options)};

const char *psdvec_version(void)
{
    return PSDVEC_VERSION;
}

const char *psdvec_status_name(psdvec_status status)
{
    switch (status) {
#define NAME(code)                                                                                 \
    case code:                                                                                     \
        return #code
        NAME(PSDVEC_OK);
        NAME(PSDVEC_ERR_OPTION);
        NAME(PSDVEC_ERR_NOT_FOUND);
        NAME(PSDVEC_ERR_READ);
        NAME(PSDVEC_ERR_NOT_TEXT);
        NAME(PSDVEC_ERR_DAMAGED);
        NAME(PSDVEC_ERR_EMPTY);
        NAME(PSDVEC_ERR_UTF8);
        NAME(PSDVEC_ERR_FORMAT);
        NAME(PSDVEC_ERR_CORRUPT);
        NAME(PSDVEC_ERR_VERSION);
        NAME(PSDVEC_ERR_MISMATCH);
        NAME(PSDVEC_ERR_WRITE);
        NAME(PSDVEC_ERR_DISK_FULL);
        NAME(PSDVEC_ERR_SAME_FILE);
        NAME(PSDVEC_ERR_MEMORY);
        NAME(PSDVEC_ERR_BUDGET);
        NAME(PSDVEC_ERR_THREAD);
        NAME(PSDVEC_ERR_OVERFLOW);
        NAME(PSDVEC_ERR_NUMERIC);
        NAME(PSDVEC_ERR_CANCELLED);
        NAME(PSDVEC_ERR_INTERNAL);
#undef NAME
    }
    return "unknown status";
}

static const uint64_t least_memory_a_thread = UINT64_C(16) << 20;

/* The options need not outlive the call: replaces a string of the host by the context's copy. */
static psdvec_status keep_text(const char **text, char **copy)
{
    if (!*text)
        return PSDVEC_OK;
    *text = *copy = strdup(*text);
    return *copy ? PSDVEC_OK : PSDVEC_ERR_MEMORY;
}

static psdvec_status set_up(psdvec_context *ctx, const psdvec_context_options *options)
{
    PV_TRY(pv_options_adopt(ctx, &pv_context_table, options, &ctx->options));
    if (ctx->options.threads <= 0)
        ctx->options.threads = pv_usable_cores();
    if (ctx->options.memory == 0)
        ctx->options.memory = psdvec_machine_memory() / 2;
    ctx->threads_wanted = ctx->options.threads;
    ctx->options.threads = pv_threads_within(ctx, ctx->options.memory);
    PV_TRY(keep_text(&ctx->options.tempdir, &ctx->tempdir));
    return keep_text(&ctx->options.input_name, &ctx->input_name);
}

psdvec_status psdvec_context_new(const psdvec_context_options *options, psdvec_context **ctx)
{
    if (!ctx)
        return PSDVEC_ERR_OPTION;
    *ctx = NULL;
    psdvec_context *made = calloc(1, sizeof *made);
    if (!made)
        return PSDVEC_ERR_MEMORY;
    atomic_init(&made->holders, 1);
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->trim_lock, NULL);
    psdvec_status status = set_up(made, options);
    if (status == PSDVEC_OK)
        *ctx = made;
    else
        psdvec_context_free(made);
    return status;
}

bool psdvec_cancel_if_set(void *user)
{
    return user && atomic_load((const _Atomic unsigned char *)user);
}

psdvec_context *pv_context_hold(psdvec_context *ctx)
{
    atomic_fetch_add(&ctx->holders, 1);
    return ctx;
}

void pv_context_release(psdvec_context *ctx)
{
    if (atomic_fetch_sub(&ctx->holders, 1) > 1)
        return;
    pv_pool_free(ctx->pool);
    pthread_mutex_destroy(&ctx->lock);
    pthread_mutex_destroy(&ctx->trim_lock);
    pv_group_free(ctx->group);
    free(ctx->tempdir);
    free(ctx->input_name);
    free(ctx->message);
    free(ctx);
}

/* Objects that still hold the context can no longer call the host, whose callbacks may be gone, and
 * no threads are left waiting. */
void psdvec_context_free(psdvec_context *ctx)
{
    if (!ctx)
        return;
    ctx->options.on_progress = NULL;
    ctx->options.on_message = NULL;
    ctx->options.should_cancel = NULL;
    pv_pool_free(ctx->pool);
    ctx->pool = NULL;
    pv_context_release(ctx);
}

const char *psdvec_error_message(const psdvec_context *ctx)
{
    if (!ctx)
        return "there is no context: its options were invalid, or memory ran out";
    int status = atomic_load(&ctx->status);
    if (status == PSDVEC_OK)
        return "";
    return ctx->message ? ctx->message : psdvec_status_name((psdvec_status)status);
}

uint64_t psdvec_peak_memory(const psdvec_context *ctx)
{
    return ctx ? atomic_load(&ctx->memory_peak) : 0;
}

int psdvec_threads(const psdvec_context *ctx)
{
    return ctx ? ctx->options.threads : 0;
}

/* Every worker needs some memory; results do not depend on the number of workers, so a small budget
 * reduces it. */
int pv_threads_within(const psdvec_context *ctx, uint64_t memory)
{
    uint64_t affordable = memory / least_memory_a_thread;
    if ((uint64_t)ctx->threads_wanted <= affordable)
        return ctx->threads_wanted;
    return affordable > 1 ? (int)affordable : 1;
}

uint64_t psdvec_memory_budget(const psdvec_context *ctx)
{
    return ctx ? ctx->options.memory : 0;
}

void pv_begin(psdvec_context *ctx)
{
    free(ctx->message);
    ctx->message = NULL;
    atomic_store(&ctx->status, PSDVEC_OK);
}

#undef pv_fail
#undef pv_fail_errno

psdvec_status pv_fail(psdvec_context *ctx, psdvec_status status, const char *format, ...)
{
    pthread_mutex_lock(&ctx->lock);
    if (atomic_load(&ctx->status) == PSDVEC_OK) {
        char *text = NULL;
        va_list args;
        va_start(args, format);
        if (pv_vasprintf(&text, format, args) < 0)
            text = NULL;
        va_end(args);
        ctx->message = text;
        atomic_store(&ctx->status, (int)status);
    }
    status = (psdvec_status)atomic_load(&ctx->status);
    pthread_mutex_unlock(&ctx->lock);
    return status;
}

psdvec_status pv_fail_errno(psdvec_context *ctx, psdvec_status status, const char *doing,
                            const char *path, int error_number)
{
    char text[256];
    const char *cause = pv_error_text(error_number, text, sizeof text);
    const char *remedy = "";
    if (error_number == ENOSPC || error_number == EDQUOT) {
        status = PSDVEC_ERR_DISK_FULL;
        remedy = "; free some space or choose another folder";
    } else if (error_number == EFBIG) {
        status = PSDVEC_ERR_DISK_FULL;
        remedy = "; raise the file size limit (ulimit -f) or choose another file system";
    } else if (error_number == ENOMEM) {
        status = PSDVEC_ERR_MEMORY;
        remedy = "; close other programs and try again";
    } else if (error_number == ENOENT && status == PSDVEC_ERR_READ) {
        status = PSDVEC_ERR_NOT_FOUND;
        if (pv_new_file_was_interrupted(path))
            remedy = "; the command that was replacing it was interrupted, run that command again";
    } else if (error_number == ENOENT && status == PSDVEC_ERR_WRITE) {
        remedy = "; create the folder first";
    } else if (error_number == EACCES || error_number == EROFS || error_number == EPERM) {
        remedy = status == PSDVEC_ERR_WRITE ? "; choose a folder you may write to"
                                            : "; check its permissions";
    }
    return pv_fail(ctx, status, "%s: %s: %s%s", path, doing, cause, remedy);
}

void pv_message(psdvec_context *ctx, psdvec_message_level level, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    bool leads = pv_group_leads(ctx);
    if ((ctx->options.on_message || !leads) && pv_vasprintf(&text, format, args) >= 0) {
        pthread_mutex_lock(&ctx->lock);
        if (pv_group_shares(ctx) && level == PSDVEC_WARNING)
            pv_group_keep_warning(ctx, text); /* for the host of the leader */
        if (ctx->options.on_message && (leads || level != PSDVEC_WARNING))
            ctx->options.on_message(ctx->options.user, level, text);
        pthread_mutex_unlock(&ctx->lock);
        free(text);
    }
    va_end(args);
}

bool pv_stopping(psdvec_context *ctx)
{
    return atomic_load_explicit(&ctx->status, memory_order_relaxed) != PSDVEC_OK ||
           (ctx->options.should_cancel && ctx->options.should_cancel(ctx->options.user));
}

psdvec_status pv_check_cancel(psdvec_context *ctx)
{
    int status = atomic_load(&ctx->status);
    if (status != PSDVEC_OK)
        return (psdvec_status)status;
    if (ctx->options.should_cancel && ctx->options.should_cancel(ctx->options.user))
        return pv_fail(ctx, PSDVEC_ERR_CANCELLED, "stopped on request; nothing was written");
    return PSDVEC_OK;
}
