/* Products with the sum matrix. */
#include "solve/sum_matrix.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/thread.h"
#include "solve/tall.h"

#include <string.h>

void pv_sum_matrix_close(pv_sum_matrix *matrix)
{
    pv_tall_room_free(matrix->ctx, &matrix->room);
}

void pv_sum_matrix_add(pv_sum_matrix *matrix, pv_low_rank term)
{
    if (term.columns > 0)
        matrix->terms[matrix->term_count++] = term;
}

typedef struct product_job {
    const pv_sum_matrix *matrix;
    const float *X;
    float *Y;
    size_t k;
} product_job;

/* The rows of one block: what is dense by BLAS, the rest entry by entry. */
static psdvec_status product_rows(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    const pv_sum_matrix *matrix = job->matrix;
    const pv_pairs *pairs = matrix->pairs;
    (void)worker;
    size_t k = job->k;
    uint32_t first = (uint32_t)task * PV_HEAD_ROWS, width = pairs->head_width[task];
    uint32_t end = pairs->matrix.rows - first < PV_HEAD_ROWS ? pairs->matrix.rows
                                                             : first + PV_HEAD_ROWS;
    float *Y = job->Y + (size_t)first * k;
    if (width > 0) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(end - first), (int)k,
                    (int)width, 1, pairs->head + pairs->head_begin[task], (int)width, job->X,
                    (int)k, 0, Y, (int)k);
    } else
        memset(Y, 0, (end - first) * k * sizeof *Y);
    float factor = matrix->sparse_factor;
    for (uint32_t i = first; i < end; i++) {
        float *y = job->Y + (size_t)i * k;
        const float *x = job->X + (size_t)i * k;
        uint64_t tail = pairs->tail[i];
        matrix->kernels->row_product(pairs->matrix.column + tail, pairs->matrix.value + tail,
                                     (size_t)(pairs->matrix.begin[i + 1] - tail), job->X, k, y);
        float diagonal = matrix->diagonal[i];
        for (size_t c = 0; c < k; c++)
            y[c] = factor * y[c] + diagonal * x[c];
    }
    return pv_stopping(matrix->ctx) ? pv_check_cancel(matrix->ctx) : PSDVEC_OK;
}

typedef struct scale_job {
    const float *scale, *from;
    float *to;
    size_t n, k, tile;
    bool add;
} scale_job;

static psdvec_status scale_tile(void *arg, size_t task, int worker)
{
    scale_job *job = arg;
    (void)worker;
    size_t end = (task + 1) * job->tile < job->n ? (task + 1) * job->tile : job->n;
    for (size_t i = task * job->tile; i < end; i++)
        for (size_t c = 0; c < job->k; c++) {
            float scaled = job->scale[i] * job->from[i * job->k + c];
            job->to[i * job->k + c] = job->add ? job->to[i * job->k + c] + scaled : scaled;
        }
    return PSDVEC_OK;
}

static psdvec_status scale_rows(psdvec_context *ctx, size_t n, size_t k, const float *scale,
                                const float *from, bool add, float *to)
{
    scale_job job = {scale, from, to, n, k, pv_tall_tile(n), add};
    return pv_parallel_tasks(ctx, pv_tall_tiles(n), scale_tile, &job);
}

static psdvec_status add_term(pv_sum_matrix *matrix, const pv_low_rank *term, const float *X,
                              float *Y, size_t k)
{
    psdvec_context *ctx = matrix->ctx;
    size_t n = matrix->pairs->matrix.rows;
    psdvec_status status;
    pv_tall factor = {term->data, term->stride, term->columns};
    pv_scope scope = {.ctx = ctx, .what = "a product"};
    double *inner = pv_scope_alloc(&scope, term->columns * k, sizeof *inner, false);
    float *scaled = pv_scope_alloc(&scope, term->columns * k, sizeof *scaled, false);
    float *rows = NULL;
    if (term->row_scale)
        PV_TAKE(&scope, rows, n * k);
    PV_TRY_DONE(pv_scope_status(&scope));
    if (term->row_scale)
        PV_TRY_DONE(scale_rows(ctx, n, k, term->row_scale, X, false, rows));
    PV_TRY_DONE(
        pv_tall_gram(ctx, n, factor, (pv_tall){rows ? rows : X, k, k}, &matrix->room, inner));
    for (size_t r = 0; r < term->columns; r++) {
        for (size_t j = 0; j < k; j++)
            scaled[r * k + j] = term->coefficient[r] * (float)inner[r * k + j];
    }
    if (!rows)
        status = pv_tall_multiply(ctx, n, 1, factor, scaled, k, 1, Y, k);
    else {
        PV_TRY_DONE(pv_tall_multiply(ctx, n, 1, factor, scaled, k, 0, rows, k));
        status = scale_rows(ctx, n, k, term->row_scale, rows, true, Y);
    }
done:
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_sum_matrix_bytes(uint64_t n, uint64_t rank, uint64_t columns, bool scaled)
{
    return rank * columns * (sizeof(double) + sizeof(float)) +
           pv_tall_gram_bytes(n, rank, columns) + (scaled ? n * columns * sizeof(float) : 0);
}

static psdvec_status apply(void *self, const float *X, float *Y, size_t k)
{
    pv_sum_matrix *matrix = self;
    product_job job = {matrix, X, Y, k};
    PV_TRY(pv_parallel_tasks(matrix->ctx, matrix->pairs->head_blocks, product_rows, &job));
    for (size_t t = 0; t < matrix->term_count; t++)
        PV_TRY(add_term(matrix, &matrix->terms[t], X, Y, k));
    if (matrix->on_product)
        matrix->on_product(matrix->user, k);
    return PSDVEC_OK;
}

pv_operator pv_sum_matrix_operator(pv_sum_matrix *matrix)
{
    return (pv_operator){.n = matrix->pairs->matrix.rows, .self = matrix, .apply = apply};
}
