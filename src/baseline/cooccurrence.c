/* Rows and columns of the counts, merged in two passes, one to count the entries and one to fill
 * them in; their positive PMI, in place; and the method `ppmi`, whose vectors are the rows of that
 * matrix. In a group of processes, each member makes its rows, and the leader collects them. */
#include "baseline/cooccurrence.h"

#include "base/group.h"
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
    uint32_t i = row.i, here = i - job->out->first;
    uint64_t count = 0,
             at = job->fill ? out->begin[here] : 0; /* otherwise other workers write it */
    double sum = 0;
    (void)worker;
    if (job->fill && out->begin[here + 1] == at)
        return PSDVEC_OK;
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
        out->begin[here + 1] = count;
    return PSDVEC_OK;
}

/* The number of pairs of all members. */
static psdvec_status add_up_pairs(psdvec_context *ctx, pv_cooccurrence *out)
{
    for (uint32_t i = 0; i < out->matrix.rows; i++)
        out->pairs += out->matrix.begin[i + 1];
    if (out->division)
        PV_TRY(pv_group_add(ctx, &out->pairs, 1));
    if (out->pairs == 0)
        return pv_fail(
            ctx, PSDVEC_ERR_EMPTY,
            "no two words co-occur in the counts, so there is nothing to train on; count "
            "more text or use a larger window");
    return PSDVEC_OK;
}

psdvec_status pv_cooccurrence_make(psdvec_context *ctx, const psdvec_counts *counts,
                                   const pv_cooccurrence_part *part, const char *output,
                                   uint64_t besides, pv_cooccurrence *out)
{
    uint32_t n = counts->info.words;
    *out = (pv_cooccurrence){.division = part ? part->division : NULL};
    pv_tiles own = pv_tiles_own(out->division, n);
    uint32_t end = (uint32_t)own.end, rows = (uint32_t)pv_rows_own(out->division, n);
    out->first = (uint32_t)own.first;
    merge_job job = {.counts = counts, .out = out, .unit = 1 / (double)counts->info.scale};
    pv_pair_walk walk = {
        .blocks = &job.blocks, .progress = &job.progress, .on_row = merge_row, .arg = &job};
    psdvec_status status;
    PV_TRY(pv_csr_store_open(ctx, rows, n, "pairs of words", &out->matrix));
    out->margin = pv_alloc_zero(ctx, n, sizeof *out->margin, "pairs of words");
    if (!out->margin)
        return pv_failure(ctx);
    uint64_t entries = rows ? counts->rows.end[end - 1] - counts->rows.begin[own.first] : 0;
    pv_progress_begin(&job.progress, ctx, "pairing", "pairs", 2 * entries);
    PV_TRY_DONE(
        pv_column_blocks_make(ctx, counts->rows, out->first, end, block_count, &job.blocks));
    PV_TRY_DONE(pv_walk_pairs(ctx, &walk));
    PV_TRY_DONE(add_up_pairs(ctx, out));
    if (part && part->choose)
        PV_TRY_DONE(part->choose(part->self, out->matrix.begin + 1, rows));
    PV_TRY_DONE(pv_csr_store_reserve(&out->matrix, output, besides));
    job.fill = true;
    PV_TRY_DONE(pv_walk_pairs(ctx, &walk));
    pv_progress_end(&job.progress);
    PV_TRY_DONE(pv_division_complete(out->division, out->margin, sizeof *out->margin));
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
    const pv_cooccurrence *c;
    pv_csr_store *rows; /* of c, or those of the transpose */
    bool transposed;
    pv_scope memory;
    double *words;    /* n: log D' - log shift - log r_i */
    double *contexts; /* n: power * log c_j */
    uint64_t *kept;   /* rows: number of entries kept at the start of each row */
    pv_progress progress;
} ppmi_job;

static uint64_t keep_positive(const ppmi_job *job, uint32_t row)
{
    pv_csr_store *c = job->rows;
    uint32_t here = job->c->first + row;
    uint64_t to = c->begin[row];
    for (uint64_t k = c->begin[row]; k < c->begin[row + 1]; k++) {
        uint32_t j = c->column[k];
        float x = c->value[k];
        double word = job->words[job->transposed ? j : here];
        double context = job->contexts[job->transposed ? here : j];
        float m = x > 0 ? (float)(log((double)x) + word - context) : 0;
        if (m > 0) {
            c->column[to] = j;
            c->value[to++] = m;
        }
    }
    return to - c->begin[row];
}

static psdvec_status keep_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    ppmi_job *job = arg;
    uint64_t first = (uint64_t)task * ROWS_A_TASK, end = first + ROWS_A_TASK;
    end = end < job->rows->rows ? end : job->rows->rows;
    for (uint64_t i = first; i < end; i++)
        job->kept[i] = keep_positive(job, (uint32_t)i);
    pv_progress_add(&job->progress, end - first);
    return pv_check_cancel(job->rows->ctx);
}

/* Moves rows towards the front, one after the other. */
static void close_up(const ppmi_job *job)
{
    pv_csr_store *c = job->rows;
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

static psdvec_status keep(ppmi_job *job, pv_csr_store *rows, bool transposed)
{
    size_t tasks = ((size_t)rows->rows + ROWS_A_TASK - 1) / ROWS_A_TASK;
    job->rows = rows;
    job->transposed = transposed;
    PV_TRY(pv_parallel_tasks(rows->ctx, tasks, keep_rows, job));
    close_up(job);
    return PSDVEC_OK;
}

/* A copy of the rows, from which those of the transpose are made: the counts are symmetric. */
static psdvec_status copy_counts(const pv_csr_store *rows, const char *output, uint64_t besides,
                                 pv_csr_store *copy)
{
    PV_TRY(pv_csr_store_open(rows->ctx, rows->rows, rows->columns, "the transposed matrix", copy));
    for (uint32_t i = 0; i < rows->rows; i++)
        copy->begin[i + 1] = rows->begin[i + 1] - rows->begin[i];
    PV_TRY(pv_csr_store_reserve(copy, output, besides));
    memcpy(copy->column, rows->column, rows->begin[rows->rows] * sizeof *rows->column);
    memcpy(copy->value, rows->value, rows->begin[rows->rows] * sizeof *rows->value);
    return PSDVEC_OK;
}

/* transpose: its rows with the same numbers, a copy of those of the counts; NULL: only M. */
static psdvec_status make_ppmi(pv_cooccurrence *c, double context_power, double shift,
                               pv_csr_store *transpose)
{
    psdvec_context *ctx = c->matrix.ctx;
    uint32_t n = c->matrix.columns;
    psdvec_status status = PSDVEC_OK;
    ppmi_job job = {.c = c, .memory = {.ctx = ctx, .what = "mutual information"}};
    double smoothed = 0; /* D' */
    PV_TAKE(&job.memory, job.words, n);
    PV_TAKE_ZERO(&job.memory, job.contexts, n);
    PV_TAKE(&job.memory, job.kept, c->matrix.rows);
    PV_TRY_DONE(pv_scope_status(&job.memory));
    for (uint32_t j = 0; j < n; j++)
        if (c->margin[j] > 0) {
            job.contexts[j] = context_power * log(c->margin[j]);
            smoothed += exp(job.contexts[j]);
        }
    double constant = log(smoothed) - log(shift);
    for (uint32_t i = 0; i < n; i++)
        job.words[i] = constant - (c->margin[i] > 0 ? log(c->margin[i]) : 0);
    pv_progress_begin(&job.progress, ctx, "mutual information", "words",
                      (transpose ? 2 : 1) * (uint64_t)c->matrix.rows);
    PV_TRY_DONE(keep(&job, &c->matrix, false));
    if (transpose)
        PV_TRY_DONE(keep(&job, transpose, true));
    pv_progress_end(&job.progress);
    uint64_t left = c->matrix.begin[c->matrix.rows];
    if (c->division)
        PV_TRY_DONE(pv_group_add(ctx, &left, 1));
    if (left == 0)
        status = pv_fail(ctx, PSDVEC_ERR_EMPTY,
                         "no pair of words occurs more than %g times as often as expected by "
                         "chance, so all vectors are 0; count more text or lower `shift`",
                         shift);
done:
    pv_scope_free(&job.memory);
    return status;
}

psdvec_status pv_ppmi_make(pv_cooccurrence *c, double context_power, double shift)
{
    return make_ppmi(c, context_power, shift, NULL);
}

psdvec_status pv_ppmi_make_both(pv_cooccurrence *c, double context_power, double shift,
                                const char *output, uint64_t besides, pv_csr_store *transpose)
{
    PV_TRY(copy_counts(&c->matrix, output, besides, transpose));
    return make_ppmi(c, context_power, shift, transpose);
}

/* ---- The method ---------------------------------------------------------------------------- */

/* The entries of other members, in the leader; `all` has room for them. */
static psdvec_status collect_entries(const pv_cooccurrence *c, pv_csr_store *all)
{
    psdvec_context *ctx = c->matrix.ctx;
    const pv_division *d = c->division;
    uint64_t own = c->matrix.begin[c->matrix.rows];
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    for (int values = 0; values < 2; values++) {
        const void *from = values ? (const void *)c->matrix.value : c->matrix.column;
        char *to = values ? (char *)all->value : (char *)all->column;
        if (d->rank > 0)
            pv_group_send(ctx, 0, from, own * sizeof(float));
        else
            memcpy(to, from, own * sizeof(float));
        for (uint32_t r = 1; d->rank == 0 && r < d->members; r++) {
            uint64_t begin = all->begin[d->share[r].first], end = all->begin[d->share[r].end];
            pv_group_receive(ctx, r, to + begin * sizeof(float), (end - begin) * sizeof(float));
        }
        PV_TRY(pv_group_move(ctx));
    }
    return PSDVEC_OK;
}

/* All rows, in the leader. */
static psdvec_status collect_rows(const pv_cooccurrence *c, const char *output, pv_csr_store *all)
{
    psdvec_context *ctx = c->matrix.ctx;
    uint32_t n = c->matrix.columns;
    PV_TRY(pv_csr_store_open(ctx, n, n, "pairs of words", all));
    for (uint32_t i = 0; i < c->matrix.rows; i++)
        all->begin[c->first + i + 1] = c->matrix.begin[i + 1] - c->matrix.begin[i];
    PV_TRY(pv_division_complete(c->division, all->begin + 1, sizeof *all->begin));
    if (pv_group_leads(ctx))
        PV_TRY(pv_csr_store_reserve(all, output, 0));
    for (uint32_t i = 0; i < n && !pv_group_leads(ctx); i++)
        all->begin[i + 1] += all->begin[i];
    return collect_entries(c, all);
}

psdvec_status pv_baseline_ppmi(pv_baseline_run *run, const psdvec_counts *counts)
{
    const psdvec_baseline_options *o = run->options;
    psdvec_status status;
    const pv_cooccurrence_part part = {.division = run->division};
    pv_cooccurrence c;
    pv_csr_store all = {0};
    PV_TRY_DONE(pv_cooccurrence_make(run->ctx, counts, &part, run->output, 0, &c));
    run->report->pairs = c.pairs;
    PV_TRY_DONE(pv_ppmi_make(&c, o->context_power, o->shift));
    if (run->division)
        PV_TRY_DONE(collect_rows(&c, run->output, &all));
    const pv_csr rows = pv_csr_view(run->division ? &all : &c.matrix);
    status = pv_baseline_write(run, rows.columns, NULL, &rows);
done:
    pv_csr_store_free(&all);
    pv_cooccurrence_free(&c);
    return status;
}
