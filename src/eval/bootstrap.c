/* Resampling. */
#include "eval/bootstrap.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "eval/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 32 }; /* resamples a task */

#define PURPOSE UINT32_C(0x626f6f74) /* "boot" */

typedef struct resampling {
    uint64_t seed;
    size_t questions;
    uint32_t resamples;
    pv_statistic_fn *statistic;
    const void *arg;
    char *rooms; /* a piece for each worker: times, then the statistic's own */
    size_t room_bytes, times_bytes;
    double *values;
} resampling;

static void draw(const resampling *job, uint32_t resample, uint32_t *times)
{
    uint32_t key[2] = {(uint32_t)job->seed, (uint32_t)(job->seed >> 32)}, words[4];
    memset(times, 0, job->questions * sizeof *times);
    for (size_t q = 0; q < job->questions; q += 4) {
        uint32_t counter[4] = {(uint32_t)(q / 4), resample, PURPOSE, 0};
        pv_philox4x32(counter, key, words);
        for (size_t k = 0; k < 4 && q + k < job->questions; k++)
            times[(uint64_t)words[k] * job->questions >> 32]++;
    }
}

static psdvec_status resample(void *arg, size_t task, int worker)
{
    const resampling *job = arg;
    char *room = job->rooms + (size_t)worker * job->room_bytes;
    uint32_t *times = (uint32_t *)(void *)room;
    size_t end = (task + 1) * BATCH < job->resamples ? (task + 1) * BATCH : job->resamples;
    for (size_t r = task * BATCH; r < end; r++) {
        draw(job, (uint32_t)r, times);
        job->values[r] = job->statistic(job->arg, times, room + job->times_bytes);
    }
    return PSDVEC_OK;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

psdvec_status pv_bootstrap(psdvec_context *ctx, size_t questions, uint32_t resamples,
                           pv_statistic_fn *statistic, const void *arg, size_t room_bytes,
                           double *values)
{
    resampling job = {.seed = ctx->options.seed,
                      .questions = questions,
                      .resamples = resamples,
                      .statistic = statistic,
                      .arg = arg,
                      .times_bytes = round_up(questions * sizeof(uint32_t))};
    job.values = values;
    job.room_bytes = job.times_bytes + round_up(room_bytes) + 64;
    job.rooms = pv_alloc(ctx, (size_t)psdvec_threads(ctx), job.room_bytes, "resampling");
    if (!job.rooms)
        return pv_failure(ctx);
    psdvec_status status =
        pv_parallel_tasks(ctx, ((size_t)resamples + BATCH - 1) / BATCH, resample, &job);
    pv_free(ctx, job.rooms);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void pv_interval(double *values, size_t count, double confidence, double *low, double *high)
{
    size_t there = 0;
    for (size_t k = 0; k < count; k++)
        if (!isnan(values[k]))
            values[there++] = values[k];
    *low = *high = NAN;
    if (2 * there < count || there == 0)
        return;
    qsort(values, there, sizeof *values, ascending);
    *low = pv_quantile(values, there, (1 - confidence) / 2);
    *high = pv_quantile(values, there, (1 + confidence) / 2);
}

double pv_paired_p(const double *differences, size_t count)
{
    size_t there = 0, down = 0, up = 0;
    for (size_t k = 0; k < count; k++)
        if (!isnan(differences[k])) {
            there++;
            down += differences[k] <= 0;
            up += differences[k] >= 0;
        }
    if (2 * there < count || there == 0)
        return NAN;
    double p = 2 * (double)((down < up ? down : up) + 1) / (double)(there + 1);
    return p < 1 ? p : 1;
}
