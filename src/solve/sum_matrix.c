/* Products with the sum matrix. */
#include "solve/sum_matrix.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/thread.h"
#include "solve/tall.h"

#include <math.h>
#include <string.h>

_Static_assert(PV_TILE_ROWS % PV_HEAD_ROWS == 0, "members have whole blocks of the head");

void pv_sum_matrix_close(pv_sum_matrix *matrix)
{
    pv_tall_workspace_free(matrix->ctx, &matrix->workspace);
    pv_free(matrix->ctx, matrix->half_X);
    matrix->half_X = NULL;
    matrix->half_count = 0;
    pv_free(matrix->ctx, matrix->full_X);
    matrix->full_X = NULL;
    matrix->full_count = 0;
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
    float scale;    /* 1, or that of half_X: a power of 2 */
    float *largest; /* largest magnitude in each tile of X */
} product_job;

/* The largest value in half precision is 65504; X is scaled so that its largest element is near
 * 2^14. */
enum { half_exponent = 14 };

static psdvec_status largest_in_tile(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    (void)worker;
    size_t n = job->matrix->pairs->matrix.rows, tile = pv_tall_tile(n);
    size_t end = (task + 1) * tile < n ? (task + 1) * tile : n;
    float largest = 0;
    for (size_t at = task * tile * job->k; at < end * job->k; at++)
        largest = fabsf(job->X[at]) > largest ? fabsf(job->X[at]) : largest;
    job->largest[task] = largest;
    return PSDVEC_OK;
}

static psdvec_status half_tile(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    (void)worker;
    size_t n = job->matrix->pairs->matrix.rows, tile = pv_tall_tile(n);
    size_t end = (task + 1) * tile < n ? (task + 1) * tile : n, first = task * tile * job->k;
    job->matrix->kernels->to_half(job->X + first, end * job->k - first, job->scale,
                                  job->matrix->half_X + first);
    return PSDVEC_OK;
}

/* matrix->half_X = X * job->scale. */
static psdvec_status take_half(pv_sum_matrix *matrix, product_job *job)
{
    size_t n = matrix->pairs->matrix.rows, count = n * job->k, tiles = pv_tall_tiles(n);
    if (matrix->half_count < count) {
        pv_free(matrix->ctx, matrix->half_X);
        matrix->half_X = pv_alloc(matrix->ctx, count, sizeof *matrix->half_X, "a product");
        matrix->half_count = matrix->half_X ? count : 0;
        if (!matrix->half_X)
            return pv_failure(matrix->ctx);
    }
    float largest[64], most = 0; /* at most 64 tiles */
    job->largest = largest;
    PV_TRY(pv_parallel_tasks(matrix->ctx, tiles, largest_in_tile, job));
    for (size_t t = 0; t < tiles; t++)
        /* cppcheck-suppress uninitvar ; the tasks write it through job */
        most = largest[t] > most ? largest[t] : most;
    int exponent = 0;
    if (most > 0 && isfinite(most))
        frexpf(most, &exponent);
    job->scale = ldexpf(1, half_exponent - exponent);
    return pv_parallel_tasks(matrix->ctx, tiles, half_tile, job);
}

/* The rows of one block: dense parts by BLAS, the others entry by entry. */
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
                    (int)width, job->scale, pairs->head + pairs->head_begin[task], (int)width,
                    job->X, (int)k, 0, Y, (int)k);
    } else
        memset(Y, 0, (end - first) * k * sizeof *Y);
    float factor = matrix->sparse_factor / job->scale;
    for (uint32_t i = first; i < end; i++) {
        float *y = job->Y + (size_t)i * k;
        const float *x = job->X + (size_t)i * k;
        uint64_t tail = pairs->tail[i];
        const uint32_t *column = pairs->matrix.column + tail;
        const float *value = pairs->matrix.value + tail;
        size_t count = (size_t)(pairs->matrix.begin[i + 1] - tail);
        if (matrix->half)
            matrix->kernels->row_product_half(column, value, count, matrix->half_X, k, y);
        else
            matrix->kernels->row_product(column, value, count, job->X, k, y);
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

static psdvec_status scale_rows(const pv_sum_matrix *matrix, size_t n, size_t k, const float *scale,
                                const float *from, bool add, float *to)
{
    scale_job job = {scale, from, to, n, k, pv_tall_tile(n), add};
    pv_tall_share own = pv_tall_own(matrix->ctx, n, matrix->divided);
    return pv_parallel_range(matrix->ctx, own.first_tile, own.end_tile, scale_tile, &job);
}

static psdvec_status add_term(pv_sum_matrix *matrix, const pv_low_rank *term, const float *X,
                              float *Y, size_t k)
{
    psdvec_context *ctx = matrix->ctx;
    size_t n = matrix->pairs->matrix.rows;
    psdvec_status status;
    pv_tall factor = {term->data, term->stride, term->columns, matrix->divided};
    pv_scope scope = {.ctx = ctx, .what = "a product"};
    double *inner = pv_scope_alloc(&scope, term->columns * k, sizeof *inner, false);
    float *scaled = pv_scope_alloc(&scope, term->columns * k, sizeof *scaled, false);
    float *rows = NULL;
    if (term->row_scale)
        PV_TAKE(&scope, rows, n * k);
    PV_TRY_DONE(pv_scope_status(&scope));
    if (term->row_scale)
        PV_TRY_DONE(scale_rows(matrix, n, k, term->row_scale, X, false, rows));
    PV_TRY_DONE(pv_tall_gram(ctx, n, factor, (pv_tall){rows ? rows : X, k, k, matrix->divided},
                             &matrix->workspace, inner));
    for (size_t r = 0; r < term->columns; r++) {
        for (size_t j = 0; j < k; j++)
            scaled[r * k + j] = term->coefficient[r] * (float)inner[r * k + j];
    }
    if (!rows)
        status = pv_tall_multiply(ctx, n, 1, factor, scaled, k, 1, Y, k);
    else {
        PV_TRY_DONE(pv_tall_multiply(ctx, n, 1, factor, scaled, k, 0, rows, k));
        status = scale_rows(matrix, n, k, term->row_scale, rows, true, Y);
    }
done:
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_sum_matrix_bytes(uint64_t n, uint64_t rank, uint64_t columns, bool scaled, bool half)
{
    return (half ? n * columns * sizeof(uint16_t) : 0) +
           rank * columns * (sizeof(double) + sizeof(float)) +
           pv_tall_gram_bytes(n, rank, columns) + (scaled ? n * columns * sizeof(float) : 0);
}

/* Copies the rows of X that this member has to full_X and gets the others. */
static psdvec_status take_all_rows(pv_sum_matrix *matrix, product_job *job)
{
    size_t n = matrix->pairs->matrix.rows, k = job->k;
    if (matrix->full_count < n * k) {
        pv_free(matrix->ctx, matrix->full_X);
        matrix->full_X = pv_alloc(matrix->ctx, n * k, sizeof *matrix->full_X, "a product");
        matrix->full_count = matrix->full_X ? n * k : 0;
        if (!matrix->full_X)
            return pv_failure(matrix->ctx);
    }
    pv_tall_share own = pv_tall_own(matrix->ctx, n, true);
    memcpy(matrix->full_X + own.first * k, job->X + own.first * k,
           (own.end - own.first) * k * sizeof *job->X);
    job->X = matrix->full_X;
    return pv_tall_gather(matrix->ctx, n, matrix->full_X, k, k);
}

static psdvec_status apply(void *self, const float *X, float *Y, size_t k)
{
    pv_sum_matrix *matrix = self;
    PV_TRY(pv_blas_ready(matrix->ctx));
    product_job job = {.matrix = matrix, .X = X, .Y = Y, .k = k, .scale = 1};
    if (matrix->divided)
        PV_TRY(take_all_rows(matrix, &job));
    if (matrix->half)
        PV_TRY(take_half(matrix, &job));
    pv_tall_share own = pv_tall_own(matrix->ctx, matrix->pairs->matrix.rows, matrix->divided);
    size_t end_block = (own.end + PV_HEAD_ROWS - 1) / PV_HEAD_ROWS;
    PV_TRY(pv_parallel_range(matrix->ctx, own.first / PV_HEAD_ROWS, end_block, product_rows, &job));
    for (size_t t = 0; t < matrix->term_count; t++)
        PV_TRY(add_term(matrix, &matrix->terms[t], X, Y, k));
    if (matrix->on_product)
        matrix->on_product(matrix->user, k);
    return PSDVEC_OK;
}

pv_operator pv_sum_matrix_operator(pv_sum_matrix *matrix)
{
    return (pv_operator){.n = matrix->pairs->matrix.rows,
                         .divided = matrix->divided,
                         .self = matrix,
                         .apply = apply};
}
