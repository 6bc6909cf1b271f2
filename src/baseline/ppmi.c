/* Positive mutual information, in place; and the system `ppmi`, whose vectors are its rows. */
#include "baseline/ppmi.h"

#include "base/memory.h"
#include "base/progress.h"
#include "base/thread.h"
#include "baseline/baseline.h"

#include <math.h>
#include <string.h>

enum { ROWS_A_TASK = 256 };

typedef struct ppmi_job {
    pv_cooccurrence *c;
    pv_scope memory;
    double constant;  /* log D' - log shift */
    double *contexts; /* n: power * log c_j */
    uint64_t *kept;   /* n: entries that are left at the start of each row */
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

/* Rows move towards the front, one after the other. */
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
                         "no pair of words was seen more than %g times as often as by chance, so "
                         "no vector has a number that is not 0; count more text or lower `shift`",
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
