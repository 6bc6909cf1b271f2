/* Rows and columns of the counts, merged in two passes, one to count the entries and one to fill
 * them in; their positive PMI, in place; and the method `ppmi`, whose vectors are the rows of that
 * matrix. */
#include "baseline/cooccurrence.h"

#include "base/thread.h"
#include "baseline/baseline.h"
#include "sparse/columns.h"

#include <math.h>
#include <string.h>

enum { block_count = 64, ROWS_A_TASK = 256 };

typedef struct merge_job {
    const psdvec_counts *counts;
    pv_cooccurrence *out;
    pv_column_blocks blocks;
    double unit; /* value of a stored integer */
    bool fill;   /* false: only count */
    pv_progress progress;
} merge_job;

static psdvec_status merge_row(void *arg, pv_pair_row row, int worker)
{
    const merge_job *job = arg;
    pv_csr_store *out = &job->out->matrix;
    const double *retention = job->counts->retention;
    uint32_t i = row.i;
    uint64_t count = 0, at = job->fill ? out->begin[i] : 0; /* otherwise other workers write it */
    double sum = 0;
    (void)worker;
    for (; pv_pair_next(&row); count++) {
        if (!job->fill)
            continue;
        double x = (double)(row.xij + row.xji) * job->unit *
                   (retention ? retention[i] * retention[row.j] : 1);
        out->column[at + count] = row.j;
        out->value[at + count] = (float)x;
        sum += x;
    }
    if (job->fill)
        job->out->margin[i] = sum;
    else
        out->begin[i + 1] = count;
    return PSDVEC_OK;
}

psdvec_status pv_cooccurrence_make(psdvec_context *ctx, const psdvec_counts *counts,
                                   const char *output, uint64_t besides, pv_cooccurrence *out)
{
    uint32_t n = counts->info.words;
    *out = (pv_cooccurrence){0};
    merge_job job = {.counts = counts, .out = out, .unit = 1 / (double)counts->info.scale};
    pv_pair_walk walk = {
        .blocks = &job.blocks, .progress = &job.progress, .on_row = merge_row, .arg = &job};
    psdvec_status status;
    PV_TRY(pv_csr_store_open(ctx, n, n, "pairs of words", &out->matrix));
    out->margin = pv_alloc_zero(ctx, n, sizeof *out->margin, "pairs of words");
    if (!out->margin)
        return pv_failure(ctx);
    pv_progress_begin(&job.progress, ctx, "pairing", "pairs", 2 * counts->info.bigrams);
    PV_TRY_DONE(pv_column_blocks_make(ctx, counts->rows, 0, n, block_count, &job.blocks));
    PV_TRY_DONE(pv_walk_pairs(ctx, &walk));
    PV_TRY_DONE(pv_csr_store_reserve(&out->matrix, output, besides));
    if (out->matrix.begin[n] == 0)
        PV_TRY_DONE(
            pv_fail(ctx, PSDVEC_ERR_EMPTY,
                    "no two words co-occur in the counts, so there is nothing to train on; count "
                    "more text or use a larger window"));
    job.fill = true;
    PV_TRY_DONE(pv_walk_pairs(ctx, &walk));
    pv_progress_end(&job.progress);
    for (uint32_t i = 0; i < n; i++)
        out->total += out->margin[i];
done:
    pv_column_blocks_free(&job.blocks);
    return status;
}

void pv_cooccurrence_free(pv_cooccurrence *c)
{
    if (c->matrix.ctx)
        pv_free(c->matrix.ctx, c->margin);
    pv_csr_store_free(&c->matrix);
    *c = (pv_cooccurrence){0};
}

/* ---- Positive PMI ------------------------------------------------------------------------ */

typedef struct ppmi_job {
    pv_cooccurrence *c;
    pv_scope memory;
    double constant;  /* log D' - log shift */
    double *contexts; /* n: power * log c_j */
    uint64_t *kept;   /* n: number of entries kept at the start of each row */
    pv_progress progress;
} ppmi_job;

static uint64_t keep_positive(const ppmi_job *job, uint32_t i)
{
    pv_csr_store *c = &job->c->matrix;
    double margin = job->c->margin[i], here = job->constant - (margin > 0 ? log(margin) : 0);
    uint64_t to = c->begin[i];
    for (uint64_t k = c->begin[i]; k < c->begin[i + 1]; k++) {
        uint32_t j = c->column[k];
        float x = c->value[k];
        float m = x > 0 ? (float)(log((double)x) + here - job->contexts[j]) : 0;
        if (m > 0) {
            c->column[to] = j;
            c->value[to++] = m;
        }
    }
    return to - c->begin[i];
}

static psdvec_status keep_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    ppmi_job *job = arg;
    uint64_t first = (uint64_t)task * ROWS_A_TASK, end = first + ROWS_A_TASK;
    end = end < job->c->matrix.rows ? end : job->c->matrix.rows;
    for (uint64_t i = first; i < end; i++)
        job->kept[i] = keep_positive(job, (uint32_t)i);
    pv_progress_add(&job->progress, end - first);
    return pv_check_cancel(job->c->matrix.ctx);
}

/* Moves rows towards the front, one after the other. */
static void close_up(const ppmi_job *job)
{
    pv_csr_store *c = &job->c->matrix;
    uint64_t to = 0;
    for (uint32_t i = 0; i < c->rows; i++) {
        uint64_t from = c->begin[i], count = job->kept[i];
        c->begin[i] = to;
        if (to != from) {
            memmove(c->column + to, c->column + from, count * sizeof *c->column);
            memmove(c->value + to, c->value + from, count * sizeof *c->value);
        }
        to += count;
    }
    c->begin[c->rows] = to;
}

psdvec_status pv_ppmi_make(pv_cooccurrence *c, double context_power, double shift)
{
    psdvec_context *ctx = c->matrix.ctx;
    uint32_t n = c->matrix.rows;
    psdvec_status status = PSDVEC_OK;
    ppmi_job job = {.c = c, .memory = {.ctx = ctx, .what = "mutual information"}};
    double smoothed = 0; /* D' */
    PV_TAKE_ZERO(&job.memory, job.contexts, n);
    PV_TAKE(&job.memory, job.kept, n);
    PV_TRY_DONE(pv_scope_status(&job.memory));
    for (uint32_t j = 0; j < n; j++)
        if (c->margin[j] > 0) {
            job.contexts[j] = context_power * log(c->margin[j]);
            smoothed += exp(job.contexts[j]);
        }
    job.constant = log(smoothed) - log(shift);
    pv_progress_begin(&job.progress, ctx, "mutual information", "words", n);
    PV_TRY_DONE(
        pv_parallel_tasks(ctx, ((size_t)n + ROWS_A_TASK - 1) / ROWS_A_TASK, keep_rows, &job));
    pv_progress_end(&job.progress);
    close_up(&job);
    if (c->matrix.begin[n] == 0)
        status = pv_fail(ctx, PSDVEC_ERR_EMPTY,
                         "no pair of words occurs more than %g times as often as expected by "
                         "chance, so all vectors are 0; count more text or lower `shift`",
                         shift);
done:
    pv_scope_free(&job.memory);
    return status;
}

psdvec_status pv_baseline_ppmi(pv_baseline_run *run, const psdvec_counts *counts)
{
    const psdvec_baseline_options *o = run->options;
    psdvec_status status;
    pv_cooccurrence c;
    PV_TRY_DONE(pv_cooccurrence_make(run->ctx, counts, run->output, 0, &c));
    run->report->pairs = c.matrix.begin[c.matrix.rows];
    PV_TRY_DONE(pv_ppmi_make(&c, o->context_power, o->shift));
    const pv_csr rows = pv_csr_view(&c.matrix);
    status = pv_baseline_write(run, rows.columns, NULL, &rows);
done:
    pv_cooccurrence_free(&c);
    return status;
}
