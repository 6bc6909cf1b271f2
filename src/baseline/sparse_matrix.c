/* The transpose, and products by rows. */
#include "baseline/sparse_matrix.h"

#include "base/memory.h"
#include "base/thread.h"
#include "sparse/columns.h"

#include <string.h>

/* ---- The transpose ------------------------------------------------------------------ */
enum { transpose_blocks = 64 };

typedef struct transpose_job {
    psdvec_context *ctx;
    pv_column_blocks blocks;
    const float *value;
    uint64_t *begin; /* columns + 1 */
    uint32_t *column;
    float *to;
    bool fill; /* else only count */
} transpose_job;

/* The columns of one block become rows. Rows are gone through in order, so entries of a column
 * come in order too. */
static psdvec_status transpose_block(void *arg, size_t task, int worker)
{
    transpose_job *job = arg;
    const pv_column_blocks *blocks = &job->blocks;
    (void)worker;
    uint32_t first = blocks->edges[task], width = blocks->edges[task + 1] - first;
    if (width == 0)
        return PSDVEC_OK;
    uint64_t *next = pv_alloc_zero(job->ctx, width, sizeof *next, "the transposed matrix");
    if (!next)
        return pv_failure(job->ctx);
    if (job->fill)
        memcpy(next, job->begin + first, width * sizeof *next);
    for (uint32_t i = 0; i < blocks->matrix.rows; i++) {
        uint64_t from, to;
        pv_column_run(blocks, i, (uint32_t)task, &from, &to);
        for (uint64_t k = from; k < to; k++) {
            uint64_t at = next[blocks->matrix.column[k] - first]++;
            if (job->fill) {
                job->column[at] = i;
                job->to[at] = job->value[k];
            }
        }
    }
    if (!job->fill)
        memcpy(job->begin + first + 1, next, width * sizeof *next);
    pv_free(job->ctx, next);
    return pv_check_cancel(job->ctx);
}

uint64_t pv_sparse_transpose_bytes(uint64_t entries)
{
    return entries * (sizeof(uint32_t) + sizeof(float));
}

static psdvec_status transpose(pv_sparse_matrix *matrix, const char *folder, uint64_t besides)
{
    psdvec_context *ctx = matrix->ctx;
    pv_float_rows rows = matrix->across.rows;
    uint64_t entries = rows.begin[rows.rows];
    transpose_job job = {.ctx = ctx, .value = rows.value};
    pv_csr pattern = pv_csr_of(rows.rows, rows.columns, rows.begin, rows.column, NULL);
    psdvec_status status;
    matrix->begin = pv_alloc_zero(ctx, (size_t)rows.columns + 1, sizeof *matrix->begin,
                                  "the transposed matrix");
    if (!matrix->begin)
        return pv_failure(ctx);
    job.begin = matrix->begin;
    PV_TRY_DONE(
        pv_column_blocks_make(ctx, pattern, 0, rows.columns, transpose_blocks, &job.blocks));
    uint64_t bytes = pv_sparse_transpose_bytes(entries), left = pv_memory_left(ctx);
    bool spill = besides > left || bytes > left - besides;
    PV_TRY_DONE(pv_large_alloc(ctx, entries, sizeof *job.column, folder, spill,
                               "the transposed matrix", &matrix->columns_room));
    PV_TRY_DONE(pv_large_alloc(ctx, entries, sizeof *job.to, folder, spill, "the transposed matrix",
                               &matrix->values_room));
    job.column = matrix->columns_room.data;
    job.to = matrix->values_room.data;
    PV_TRY_DONE(pv_parallel_tasks(ctx, transpose_blocks, transpose_block, &job));
    for (uint32_t j = 0; j < rows.columns; j++)
        job.begin[j + 1] += job.begin[j];
    job.fill = true;
    PV_TRY_DONE(pv_parallel_tasks(ctx, transpose_blocks, transpose_block, &job));
    matrix->down.rows = (pv_float_rows){.rows = rows.columns,
                                        .columns = rows.rows,
                                        .begin = job.begin,
                                        .column = job.column,
                                        .value = job.to};
done:
    pv_column_blocks_free(ctx, &job.blocks);
    return status;
}

psdvec_status pv_sparse_matrix_open(psdvec_context *ctx, pv_float_rows rows, bool symmetric,
                                    const float *row_scale, const float *column_scale,
                                    const char *folder, uint64_t besides, pv_sparse_matrix *out)
{
    *out = (pv_sparse_matrix){.ctx = ctx,
                              .kernels = pv_kernels_best(),
                              .across.rows = rows,
                              .down.rows = rows,
                              .row_scale = row_scale,
                              .column_scale = column_scale};
    if (!symmetric)
        PV_TRY(transpose(out, folder, besides));
    pv_divide_rows(out->across.rows.begin, out->across.rows.rows, 1, PV_SPARSE_TASKS,
                   out->across.edges);
    pv_divide_rows(out->down.rows.begin, out->down.rows.rows, 1, PV_SPARSE_TASKS, out->down.edges);
    return PSDVEC_OK;
}

void pv_sparse_matrix_close(pv_sparse_matrix *matrix)
{
    pv_large_free(matrix->ctx, &matrix->columns_room);
    pv_large_free(matrix->ctx, &matrix->values_room);
    pv_free(matrix->ctx, matrix->begin);
    matrix->begin = NULL;
}

/* ---- Products --------------------------------------------------------------------------- */
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
    const pv_float_rows *rows = &job->side->rows;
    (void)worker;
    for (uint32_t i = job->side->edges[task]; i < job->side->edges[task + 1]; i++) {
        uint64_t from = rows->begin[i];
        float *y = job->Y + (size_t)i * job->k;
        memset(y, 0, job->k * sizeof *y);
        job->kernels->row_product(rows->column + from, rows->value + from,
                                  (size_t)(rows->begin[i + 1] - from), job->X, job->k, y);
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
