/* Rows and columns of the counts, merged: once to count the entries, once to fill them in. */
#include "baseline/cooccurrence.h"

#include "base/memory.h"
#include "sparse/columns.h"

enum { block_count = 64 };

typedef struct merge_job {
    const psdvec_counts *counts;
    pv_cooccurrence *out;
    pv_column_blocks blocks;
    double unit; /* of a stored value */
    bool fill;   /* else only count */
    pv_progress progress;
} merge_job;

static psdvec_status merge_row(void *arg, pv_pair_row row, int worker)
{
    const merge_job *job = arg;
    pv_csr_store *out = &job->out->matrix;
    const double *retention = job->counts->retention;
    uint32_t i = row.i;
    uint64_t count = 0, at = job->fill ? out->begin[i] : 0; /* else others write it */
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

static psdvec_status merge_rows(merge_job *job)
{
    pv_pair_walk walk = {
        .blocks = &job->blocks, .progress = &job->progress, .on_row = merge_row, .arg = job};
    return pv_walk_pairs(job->out->matrix.ctx, &walk);
}

psdvec_status pv_cooccurrence_make(psdvec_context *ctx, const psdvec_counts *counts,
                                   const char *output, uint64_t besides, pv_cooccurrence *out)
{
    uint32_t n = counts->info.words;
    *out = (pv_cooccurrence){0};
    merge_job job = {.counts = counts, .out = out, .unit = 1 / (double)counts->info.scale};
    psdvec_status status;
    PV_TRY(pv_csr_store_open(ctx, n, n, "pairs of words", &out->matrix));
    out->margin = pv_alloc_zero(ctx, n, sizeof *out->margin, "pairs of words");
    if (!out->margin)
        return pv_failure(ctx);
    pv_progress_begin(&job.progress, ctx, "pairing", "words", 2 * (uint64_t)n);
    PV_TRY_DONE(pv_column_blocks_make(ctx, counts->rows, 0, n, block_count, &job.blocks));
    PV_TRY_DONE(merge_rows(&job));
    PV_TRY_DONE(pv_csr_store_reserve(&out->matrix, output, besides));
    if (out->matrix.begin[n] == 0) {
        status = pv_fail(ctx, PSDVEC_ERR_EMPTY,
                         "no two words stand together in the counts, so there is nothing to learn; "
                         "count more text or a wider window");
        goto done;
    }
    job.fill = true;
    PV_TRY_DONE(merge_rows(&job));
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
