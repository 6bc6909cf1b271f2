/* A selection by counting, in two passes over the pairs.
 *
 * The bits of a positive float, read as an integer, have the order of the
 * numbers. The first pass counts how many numbers begin with each 16 bits, the
 * second, among those that begin as the k-th does, each ending. Counts are whole
 * numbers, so the result does not depend on how the rows were divided.
 */
#include "link/cutoff.h"

#include "base/memory.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

enum { buckets = 65536, rows_a_task = 256 };

typedef struct cutoff_job {
    const pv_link *link;
    pv_measure_fn *measure;
    uint64_t *counts; /* workers x buckets */
    bool second;
    uint32_t prefix;
} cutoff_job;

static psdvec_status count_rows(void *arg, size_t task, int worker)
{
    cutoff_job *job = arg;
    const pv_link *link = job->link;
    uint64_t *counts = job->counts + (size_t)worker * buckets;
    uint32_t first = (uint32_t)task * rows_a_task;
    uint32_t end = link->core - first < rows_a_task ? link->core : first + rows_a_task;
    for (uint32_t i = first; i < end; i++) {
        psdvec_row row;
        psdvec_counts_row(link->counts, i, &row);
        for (size_t k = 0; k < row.length && row.focus[k] < link->core; k++) {
            uint32_t j = row.focus[k];
            if (i == j)
                continue;
            float number = (float)job->measure(
                link, i, j, pv_link_count(link, i, j, psdvec_row_value(&row, k)));
            uint32_t bits;
            memcpy(&bits, &number, sizeof bits);
            if (!job->second)
                counts[bits >> 16]++;
            else if (bits >> 16 == job->prefix)
                counts[bits & 0xffff]++;
        }
    }
    return pv_check_cancel(link->ctx);
}

/* Counts, and finds the bucket in which the *rank-th largest lies (the last that
 * is not empty if there are fewer); *rank becomes its rank within the bucket. */
static psdvec_status count_and_find(cutoff_job *job, uint64_t *rank, uint32_t *bucket)
{
    psdvec_context *ctx = job->link->ctx;
    size_t workers = (size_t)psdvec_threads(ctx);
    memset(job->counts, 0, workers * buckets * sizeof *job->counts);
    size_t tasks = ((size_t)job->link->core + rows_a_task - 1) / rows_a_task;
    PV_TRY(pv_parallel_tasks(ctx, tasks, count_rows, job));
    uint64_t seen = 0;
    *bucket = 0;
    for (uint32_t b = buckets; b-- > 0;) {
        uint64_t here = 0;
        for (size_t w = 0; w < workers; w++)
            here += job->counts[w * buckets + b];
        if (here == 0)
            continue;
        *bucket = b;
        if (seen + here >= *rank)
            break;
        seen += here;
    }
    *rank = *rank > seen ? *rank - seen : 1;
    return PSDVEC_OK;
}

psdvec_status pv_cutoff(const pv_link *link, pv_measure_fn *measure, double *cut)
{
    psdvec_context *ctx = link->ctx;
    cutoff_job job = {.link = link, .measure = measure};
    job.counts = pv_alloc(ctx, (size_t)psdvec_threads(ctx) * buckets, sizeof *job.counts,
                          "the cut-off of the weights");
    if (!job.counts)
        return pv_failure(ctx);
    double share = ceil(link->options.cut * (double)link->core * (double)link->core);
    uint64_t rank = share < 1 ? 1 : (uint64_t)share;
    uint32_t high = 0, low = 0;
    psdvec_status status = count_and_find(&job, &rank, &high);
    if (status == PSDVEC_OK) {
        job.second = true;
        job.prefix = high;
        status = count_and_find(&job, &rank, &low);
    }
    pv_free(ctx, job.counts);
    PV_TRY(status);
    uint32_t bits = high << 16 | low;
    float number;
    memcpy(&number, &bits, sizeof number);
    if (!(number > 0) || !isfinite(number))
        return pv_link_no_pairs(link);
    *cut = sqrt((double)number);
    return PSDVEC_OK;
}

uint64_t pv_cutoff_bytes(int threads)
{
    return (uint64_t)threads * buckets * sizeof *((cutoff_job *)0)->counts;
}
