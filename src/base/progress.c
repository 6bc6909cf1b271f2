/* Progress reports. */
#include "base/progress.h"

#include <math.h>

static const uint64_t report_interval = 100 * 1000 * 1000; /* ns */

static void report(pv_progress *progress)
{
    psdvec_context *ctx = progress->ctx;
    uint64_t done = atomic_load(&progress->done);
    psdvec_progress info = {
        .stage = progress->stage,
        .unit = progress->unit,
        .done = done,
        .total = progress->total,
        .elapsed = pv_now() - progress->began,
        .remaining = -1,
        .objective = progress->objective,
        .memory = atomic_load(&ctx->memory_used),
    };
    if (info.elapsed > 0)
        info.rate = (double)done / info.elapsed;
    if (info.total >= done && info.total > 0 && info.rate > 0 && info.elapsed > 0.2)
        info.remaining = (double)(info.total - done) / info.rate;
    pthread_mutex_lock(&ctx->lock);
    ctx->options.on_progress(ctx->options.user, &info);
    pthread_mutex_unlock(&ctx->lock);
}

void pv_progress_begin(pv_progress *progress, psdvec_context *ctx, const char *stage,
                       const char *unit, uint64_t total)
{
    progress->ctx = ctx;
    progress->stage = stage;
    progress->unit = unit;
    progress->total = total;
    progress->began = pv_now();
    progress->objective = NAN;
    atomic_init(&progress->done, 0);
    atomic_init(&progress->next_report, pv_now_ns() + report_interval);
}

void pv_progress_add(pv_progress *progress, uint64_t units)
{
    atomic_fetch_add(&progress->done, units);
    if (!progress->ctx->options.on_progress)
        return;
    uint64_t now = pv_now_ns(), due = atomic_load(&progress->next_report);
    if (now >= due &&
        atomic_compare_exchange_strong(&progress->next_report, &due, now + report_interval))
        report(progress);
}

void pv_progress_end(pv_progress *progress)
{
    if (progress->ctx->options.on_progress)
        report(progress);
}
