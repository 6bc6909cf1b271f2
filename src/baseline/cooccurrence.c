/* Rows and columns of the counts, merged: once to count the entries, once to fill them in. */
#include "baseline/cooccurrence.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/thread.h"
#include "sparse/columns.h"

#include <stdlib.h>

enum { block_count = 64 };

typedef struct merge_job {
    const psdvec_counts *counts;
    pv_cooccurrence *out;
    pv_column_blocks blocks;
    double unit; /* of a stored value */
    bool fill;   /* else only count */
    pv_progress progress;
} merge_job;

/* Row i and column i, which is column c of the gathered block. */
static void merge_row(const merge_job *job, uint32_t i, const pv_gathered *gathered, uint32_t c)
{
    pv_cooccurrence *out = job->out;
    const double *keep = job->counts->keep;
    psdvec_row row;
    psdvec_counts_row(job->counts, i, &row);
    size_t r = 0, g = gathered->begin[c], g_end = gathered->begin[c + 1];
    uint64_t count = 0, at = job->fill ? out->begin[i] : 0; /* else others write it */
    double sum = 0;
    while (r < row.length || g < g_end) {
        uint32_t after = r < row.length ? row.focus[r] : UINT32_MAX;
        uint32_t before = g < g_end ? gathered->row[g] : UINT32_MAX;
        uint32_t j = after < before ? after : before;
        uint64_t stored = 0;
        if (after == j)
            stored += psdvec_row_value(&row, r++);
        if (before == j)
            stored += gathered->value[g++];
        if (job->fill) {
            double x = (double)stored * job->unit * (keep ? keep[i] * keep[j] : 1);
            out->column[at + count] = j;
            out->value[at + count] = (float)x;
            sum += x;
        }
        count++;
    }
    if (job->fill)
        out->margin[i] = sum;
    else
        out->begin[i + 1] = count;
}

static psdvec_status merge_block(void *arg, size_t task, int worker)
{
    merge_job *job = arg;
    psdvec_context *ctx = job->out->ctx;
    (void)worker;
    uint32_t first = job->blocks.edges[task], end = job->blocks.edges[task + 1];
    if (first == end)
        return PSDVEC_OK;
    pv_gathered gathered;
    psdvec_status status = pv_gather(ctx, &job->blocks, (uint32_t)task, 0, job->out->n, &gathered);
    for (uint32_t i = first; i < end && status == PSDVEC_OK; i++) {
        merge_row(job, i, &gathered, i - first);
        if ((i & 63) == 0)
            status = pv_check_cancel(ctx);
    }
    pv_gathered_free(ctx, &gathered);
    pv_progress_add(&job->progress, end - first);
    return status;
}

static psdvec_status count_entries(merge_job *job)
{
    pv_cooccurrence *out = job->out;
    PV_TRY(pv_parallel_tasks(out->ctx, block_count, merge_block, job));
    for (uint32_t i = 0; i < out->n; i++)
        out->begin[i + 1] += out->begin[i];
    out->entries = out->begin[out->n];
    if (out->entries == 0)
        return pv_fail(out->ctx, PSDVEC_ERR_EMPTY,
                       "no two words stand together in the counts, so there is nothing to learn; "
                       "count more text or a wider window");
    return PSDVEC_OK;
}

static psdvec_status make_room(merge_job *job, const char *output, uint64_t besides)
{
    pv_cooccurrence *out = job->out;
    psdvec_context *ctx = out->ctx;
    uint64_t bytes = out->entries * (sizeof *out->column + sizeof *out->value);
    uint64_t left = pv_memory_left(ctx);
    bool spill = besides > left || bytes > left - besides;
    char *folder = pv_folder_of(output);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "no memory for a path");
    psdvec_status status;
    PV_TRY_DONE(pv_large_alloc(ctx, out->entries, sizeof *out->column, folder, spill,
                               "pairs of words", &out->columns_room));
    PV_TRY_DONE(pv_large_alloc(ctx, out->entries, sizeof *out->value, folder, spill,
                               "pairs of words", &out->values_room));
    out->column = out->columns_room.data;
    out->value = out->values_room.data;
done:
    free(folder);
    return status;
}

psdvec_status pv_cooccurrence_make(psdvec_context *ctx, const psdvec_counts *counts,
                                   const char *output, uint64_t besides, pv_cooccurrence *out)
{
    uint32_t n = counts->info.words;
    *out = (pv_cooccurrence){.ctx = ctx, .n = n};
    merge_job job = {.counts = counts, .out = out, .unit = 1 / (double)counts->info.scale};
    psdvec_status status;
    out->begin = pv_alloc_zero(ctx, (size_t)n + 1, sizeof *out->begin, "pairs of words");
    out->margin = pv_alloc_zero(ctx, n, sizeof *out->margin, "pairs of words");
    if (!out->begin || !out->margin)
        return pv_failure(ctx);
    pv_progress_begin(&job.progress, ctx, "pairing", "words", 2 * (uint64_t)n);
    PV_TRY_DONE(pv_column_blocks_make(ctx, counts->rows, 0, n, block_count, &job.blocks));
    PV_TRY_DONE(count_entries(&job));
    PV_TRY_DONE(make_room(&job, output, besides));
    job.fill = true;
    PV_TRY_DONE(pv_parallel_tasks(ctx, block_count, merge_block, &job));
    pv_progress_end(&job.progress);
    for (uint32_t i = 0; i < n; i++)
        out->total += out->margin[i];
done:
    pv_column_blocks_free(ctx, &job.blocks);
    return status;
}

void pv_cooccurrence_free(pv_cooccurrence *c)
{
    pv_large_free(c->ctx, &c->columns_room);
    pv_large_free(c->ctx, &c->values_room);
    pv_free(c->ctx, c->begin);
    pv_free(c->ctx, c->margin);
    *c = (pv_cooccurrence){0};
}
