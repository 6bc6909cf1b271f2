/* Products by rows. */
#include "baseline/sparse_matrix.h"

#include "base/thread.h"
#include "sparse/columns.h"

#include <string.h>

psdvec_status pv_sparse_matrix_open(psdvec_context *ctx, pv_csr rows, bool symmetric,
                                    const float *row_scale, const float *column_scale,
                                    const char *output, uint64_t besides, pv_sparse_matrix *out)
{
    *out = (pv_sparse_matrix){.ctx = ctx,
                              .kernels = pv_kernels_best(),
                              .across.rows = rows,
                              .down.rows = rows,
                              .row_scale = row_scale,
                              .column_scale = column_scale};
    if (!symmetric) {
        PV_TRY(pv_csr_transpose(ctx, &rows, output, besides, "the transposed matrix",
                                &out->transpose));
        out->down.rows = pv_csr_view(&out->transpose);
    }
    pv_divide_rows(out->across.rows.begin, out->across.rows.rows, 1, PV_SPARSE_TASKS,
                   out->across.edges);
    pv_divide_rows(out->down.rows.begin, out->down.rows.rows, 1, PV_SPARSE_TASKS, out->down.edges);
    return PSDVEC_OK;
}

void pv_sparse_matrix_close(pv_sparse_matrix *matrix)
{
    pv_csr_store_free(&matrix->transpose);
}

typedef struct product_job {
    psdvec_context *ctx;
    const pv_kernels *kernels;
    const pv_sparse_side *side;
    const float *X, *scale;
    float *Y;
    size_t k;
} product_job;

static void scale_row(float *to, const float *from, float factor, size_t k)
{
    for (size_t c = 0; c < k; c++)
        to[c] = factor * from[c];
}

static psdvec_status product_rows(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    const pv_csr *rows = &job->side->rows;
    (void)worker;
    for (uint32_t i = job->side->edges[task]; i < job->side->edges[task + 1]; i++) {
        pv_csr_row row = pv_csr_row_of(rows, i);
        float *y = job->Y + (size_t)i * job->k;
        memset(y, 0, job->k * sizeof *y);
        job->kernels->row_product(row.column, row.value, row.count, job->X, job->k, y);
        if (job->scale)
            scale_row(y, y, job->scale[i], job->k);
    }
    return pv_stopping(job->ctx) ? pv_check_cancel(job->ctx) : PSDVEC_OK;
}

/* Rows of the other side, as X has them. */
static psdvec_status scale_rows(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    (void)worker;
    for (uint32_t i = job->side->edges[task]; i < job->side->edges[task + 1]; i++)
        scale_row(job->Y + (size_t)i * job->k, job->X + (size_t)i * job->k, job->scale[i], job->k);
    return PSDVEC_OK;
}

/* Y = diag(after) S diag(before) X, S one side, `other` its transpose. */
static psdvec_status product(const pv_sparse_matrix *matrix, const pv_sparse_side *side,
                             const pv_sparse_side *other, const float *before, const float *after,
                             const float *X, float *Y, size_t k, float *room)
{
    product_job job = {.ctx = matrix->ctx, .kernels = matrix->kernels, .k = k};
    if (before) {
        job.side = other;
        job.X = X;
        job.scale = before;
        job.Y = room;
        PV_TRY(pv_parallel_tasks(matrix->ctx, PV_SPARSE_TASKS, scale_rows, &job));
        X = room;
    }
    job.side = side;
    job.X = X;
    job.scale = after;
    job.Y = Y;
    return pv_parallel_tasks(matrix->ctx, PV_SPARSE_TASKS, product_rows, &job);
}

psdvec_status pv_sparse_multiply(const pv_sparse_matrix *matrix, const float *X, float *Y, size_t k,
                                 float *room)
{
    return product(matrix, &matrix->across, &matrix->down, matrix->column_scale, matrix->row_scale,
                   X, Y, k, room);
}

psdvec_status pv_sparse_multiply_transposed(const pv_sparse_matrix *matrix, const float *X,
                                            float *Y, size_t k, float *room)
{
    return product(matrix, &matrix->down, &matrix->across, matrix->row_scale, matrix->column_scale,
                   X, Y, k, room);
}
