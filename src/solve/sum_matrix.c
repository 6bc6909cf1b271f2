/* Products with the sum matrix. */
#include "solve/sum_matrix.h"

#include "base/blas.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/thread.h"
#include "base/trim.h"
#include "solve/tall.h"

#include <math.h>
#include <string.h>

_Static_assert(PV_TILE_UNIT % PV_HEAD_ROWS == 0, "members have whole blocks of the head");

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

enum { rows_a_task = PV_TILE_UNIT, largest_tasks = 64 };

typedef struct product_job {
    const pv_sum_matrix *matrix;
    const float *X;    /* the rows that are here ... */
    float *Y;          /* ... and of the product */
    const float *full; /* rows of X in single precision, from the first of all */
    size_t rows, k;
    float scale;             /* 1, or that of half_X: a power of 2 */
    float *largest;          /* largest magnitude in each part of X */
    const float *float_rows; /* to be converted to half precision ... */
    uint16_t *half_rows;     /* ... from here */
    size_t count;            /* so many numbers */
    size_t segment;
} product_job;

/* The largest value in half precision is 65504; X is scaled so that its largest element is near
 * 2^14. */
enum { half_exponent = 14 };

static psdvec_status largest_in_part(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    (void)worker;
    size_t count = job->rows * job->k, end = count * (task + 1) / largest_tasks;
    float largest = 0;
    for (size_t at = count * task / largest_tasks; at < end; at++)
        largest = fabsf(job->X[at]) > largest ? fabsf(job->X[at]) : largest;
    job->largest[task] = largest;
    return PSDVEC_OK;
}

/* The bits of positive floats, read as integers, have the same order as the floats. */
static uint64_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static float number_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float number;
    memcpy(&number, &low, sizeof number);
    return number;
}

/* Sets job->scale from the largest element in all members. Like pv_group_meet, after which the
 * rows are exchanged. */
static psdvec_status set_scale(const pv_sum_matrix *matrix, product_job *job, uint64_t *told)
{
    const pv_division *d = matrix->pairs->division;
    float largest[largest_tasks], most = 0;
    job->largest = largest;
    PV_TRY(pv_parallel_tasks(matrix->ctx, largest_tasks, largest_in_part, job));
    for (size_t t = 0; t < largest_tasks; t++)
        /* cppcheck-suppress uninitvar ; the tasks write it through job */
        most = largest[t] > most ? largest[t] : most;
    if (d) {
        PV_TRY(pv_group_meet(matrix->ctx, bits_of(most), told));
        for (uint32_t r = 0; r < d->members; r++)
            most = number_of(told[r]) > most ? number_of(told[r]) : most;
    }
    int exponent = 0;
    if (most > 0 && isfinite(most))
        frexpf(most, &exponent);
    job->scale = ldexpf(1, half_exponent - exponent);
    return PSDVEC_OK;
}

static psdvec_status half_part(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    (void)worker;
    size_t step = rows_a_task * job->k, first = task * step;
    job->matrix->kernels->to_half(job->float_rows + first,
                                  job->count - first < step ? job->count - first : step, job->scale,
                                  job->half_rows + first);
    return PSDVEC_OK;
}

/* Converts rows first .. end-1 of the matrix, which begin at `from`. */
static psdvec_status to_half(product_job *job, const float *from, size_t first, size_t end)
{
    job->float_rows = from;
    job->half_rows = job->matrix->half_X + first * job->k;
    job->count = (end - first) * job->k;
    return pv_parallel_tasks(job->matrix->ctx, (end - first + rows_a_task - 1) / rows_a_task,
                             half_part, job);
}

/* ---- All rows of X ---------------------------------------------------------------------------- */

/* The leading rows that the dense part of the matrix of a member needs, in single precision. */
static size_t dense_rows(const pv_pairs *pairs, uint32_t member)
{
    pv_tiles share = pairs->division->share[member];
    size_t most = 0;
    for (size_t b = share.first / PV_HEAD_ROWS; b * PV_HEAD_ROWS < share.end; b++)
        most = pairs->head_width[b] > most ? pairs->head_width[b] : most;
    return most;
}

/* Makes room for X: in half precision, and for rows of other members. */
static psdvec_status make_room(pv_sum_matrix *matrix, size_t k)
{
    const pv_pairs *pairs = matrix->pairs;
    size_t half = matrix->half ? pairs->n * k : 0;
    size_t full = 0;
    if (pairs->division)
        full = (matrix->half ? dense_rows(pairs, pairs->division->rank) : pairs->n) * k;
    if (matrix->half_count < half) {
        pv_free(matrix->ctx, matrix->half_X);
        matrix->half_X = pv_alloc(matrix->ctx, half, sizeof *matrix->half_X, "a product");
        matrix->half_count = matrix->half_X ? half : 0;
        if (!matrix->half_X)
            return pv_failure(matrix->ctx);
    }
    if (matrix->full_count < full) {
        pv_free(matrix->ctx, matrix->full_X);
        matrix->full_X = pv_alloc(matrix->ctx, full, sizeof *matrix->full_X, "a product");
        matrix->full_count = matrix->full_X ? full : 0;
        if (!matrix->full_X)
            return pv_failure(matrix->ctx);
    }
    return PSDVEC_OK;
}

static size_t clamp(size_t row, size_t least, size_t most)
{
    return row < least ? least : row > most ? most : row;
}

/* Prepares the exchange of the rows that the dense part of each member needs, or with `others` of all
 * other rows. own: the rows of this member; array: all rows. */
static void address_rows(const pv_sum_matrix *matrix, const void *own, void *array,
                         size_t row_bytes, bool others)
{
    const pv_pairs *pairs = matrix->pairs;
    const pv_division *d = pairs->division;
    pv_tiles mine = d->share[d->rank];
    for (uint32_t r = 0; r < d->members; r++) {
        size_t theirs = dense_rows(pairs, r), here = dense_rows(pairs, d->rank);
        size_t least = others ? theirs : 0, most = others ? pairs->n : theirs;
        size_t first = clamp(mine.first, least, most), end = clamp(mine.end, least, most);
        if (first < end)
            pv_group_send(matrix->ctx, r, (const char *)own + (first - mine.first) * row_bytes,
                          (end - first) * row_bytes);
        least = others ? here : 0;
        most = others ? pairs->n : here;
        first = clamp(d->share[r].first, least, most);
        end = clamp(d->share[r].end, least, most);
        if (first < end)
            pv_group_receive(matrix->ctx, r, (char *)array + first * row_bytes,
                             (end - first) * row_bytes);
    }
}

/* Gets the rows that the dense part of the matrix needs, in single precision, and starts the
 * exchange of the others. */
static psdvec_status exchange_rows(pv_sum_matrix *matrix, product_job *job)
{
    psdvec_context *ctx = matrix->ctx;
    const pv_division *d = matrix->pairs->division;
    size_t k = job->k, row = k * sizeof *matrix->full_X, dense = dense_rows(matrix->pairs, d->rank);
    size_t floats = matrix->half ? dense : matrix->pairs->n; /* rows in single precision */
    pv_tiles own = d->share[d->rank];
    uint64_t *told = pv_alloc(ctx, d->members, sizeof *told, "a product");
    if (!told)
        return pv_failure(ctx);
    psdvec_status status = matrix->half ? set_scale(matrix, job, told)
                                        : pv_group_meet(ctx, 0, NULL);
    pv_free(ctx, told);
    PV_TRY(status);
    size_t first = clamp(own.first, 0, floats), end = clamp(own.end, 0, floats);
    if (first < end)
        memcpy(matrix->full_X + first * k, job->X, (end - first) * row);
    job->full = matrix->full_X;
    address_rows(matrix, job->X, matrix->full_X, row, false);
    PV_TRY(pv_group_move(ctx));
    if (!matrix->half) {
        address_rows(matrix, job->X, matrix->full_X, row, true);
        return pv_group_start(ctx);
    }
    /* A failure is told at the next agreement; until then the others rely on this member. */
    status = to_half(job, job->X, own.first, own.end);
    address_rows(matrix, matrix->half_X + own.first * k, matrix->half_X, k * sizeof *matrix->half_X,
                 true);
    PV_TRY(pv_group_start(ctx));
    PV_TRY(status);
    /* The other rows of the dense part. The own rows are being sent and must not be written. */
    size_t before = clamp(own.first, 0, dense), after = clamp(own.end, 0, dense);
    PV_TRY(to_half(job, matrix->full_X, 0, before));
    return to_half(job, matrix->full_X + after * k, after, dense);
}

/* ---- The sparse part -------------------------------------------------------------------------- */

/* The rows of one block: dense parts by BLAS, the others entry by entry, of the columns of one
 * segment. */
static psdvec_status product_rows(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    const pv_sum_matrix *matrix = job->matrix;
    const pv_pairs *pairs = matrix->pairs;
    (void)worker;
    size_t k = job->k, block = pairs->first / PV_HEAD_ROWS + task, segment = job->segment;
    uint32_t first = (uint32_t)task * PV_HEAD_ROWS, width = pairs->head_width[block];
    uint32_t end = pairs->matrix.rows - first < PV_HEAD_ROWS ? pairs->matrix.rows
                                                             : first + PV_HEAD_ROWS;
    float *Y = job->Y + (size_t)first * k;
    if (segment == 0 && width > 0) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(end - first), (int)k,
                    (int)width, job->scale, pairs->head + pairs->head_begin[task], (int)width,
                    job->full, (int)k, 0, Y, (int)k);
    } else if (segment == 0)
        memset(Y, 0, (end - first) * k * sizeof *Y);
    float factor = matrix->sparse_factor / job->scale;
    for (uint32_t i = first; i < end; i++) {
        float *y = job->Y + (size_t)i * k;
        uint64_t begin = pairs->cut[(size_t)i * (pairs->segments + 1) + segment];
        const uint32_t *column = pairs->matrix.column + begin;
        const float *value = pairs->matrix.value + begin;
        size_t count =
            (size_t)(pairs->cut[(size_t)i * (pairs->segments + 1) + segment + 1] - begin);
        if (matrix->half)
            matrix->kernels->row_product_half(column, value, count, matrix->half_X, k, y);
        else
            matrix->kernels->row_product(column, value, count, job->full, k, y);
        if (segment + 1 < pairs->segments)
            continue;
        const float *x = job->X + (size_t)i * k;
        float diagonal = matrix->diagonal[pairs->first + i];
        for (size_t c = 0; c < k; c++)
            y[c] = factor * y[c] + diagonal * x[c];
    }
    pv_trim(matrix->ctx);
    return pv_stopping(matrix->ctx) ? pv_check_cancel(matrix->ctx) : PSDVEC_OK;
}

/* Multiplies a segment of columns at a time, when its rows of X have arrived. */
static psdvec_status multiply_pairs(product_job *job)
{
    const pv_pairs *pairs = job->matrix->pairs;
    psdvec_context *ctx = job->matrix->ctx;
    for (job->segment = 0; job->segment < pairs->segments; job->segment++) {
        uint32_t members = pairs->division ? pairs->division->members : 0;
        for (uint32_t r = 0; r < members; r++)
            if (pv_segment_of(pairs, r) == job->segment)
                PV_TRY(pv_group_wait(ctx, r));
        PV_TRY(pv_parallel_tasks(ctx, pairs->head_blocks, product_rows, job));
    }
    return PSDVEC_OK;
}

/* ---- The terms of low rank -------------------------------------------------------------------- */

typedef struct scale_job {
    const float *scale, *from;
    float *to;
    size_t rows, k;
    bool add;
} scale_job;

static psdvec_status scale_part(void *arg, size_t task, int worker)
{
    scale_job *job = arg;
    (void)worker;
    size_t end = (task + 1) * rows_a_task < job->rows ? (task + 1) * rows_a_task : job->rows;
    for (size_t i = task * rows_a_task; i < end; i++)
        for (size_t c = 0; c < job->k; c++) {
            float scaled = job->scale[i] * job->from[i * job->k + c];
            job->to[i * job->k + c] = job->add ? job->to[i * job->k + c] + scaled : scaled;
        }
    return PSDVEC_OK;
}

/* scale: all rows. */
static psdvec_status scale_rows(const pv_sum_matrix *matrix, size_t k, const float *scale,
                                const float *from, bool add, float *to)
{
    const pv_pairs *pairs = matrix->pairs;
    scale_job job = {scale + pairs->first, from, to, pairs->matrix.rows, k, add};
    return pv_parallel_tasks(matrix->ctx, (job.rows + rows_a_task - 1) / rows_a_task, scale_part,
                             &job);
}

static psdvec_status add_term(pv_sum_matrix *matrix, const pv_low_rank *term, const float *X,
                              float *Y, size_t k)
{
    psdvec_context *ctx = matrix->ctx;
    const pv_division *division = matrix->pairs->division;
    size_t n = matrix->pairs->n;
    psdvec_status status;
    pv_tall factor = {term->data, term->stride, term->columns, division};
    pv_scope scope = {.ctx = ctx, .what = "a product"};
    double *inner = pv_scope_alloc(&scope, term->columns * k, sizeof *inner, false);
    float *scaled = pv_scope_alloc(&scope, term->columns * k, sizeof *scaled, false);
    float *rows = NULL;
    if (term->row_scale)
        PV_TAKE(&scope, rows, matrix->pairs->matrix.rows * k);
    PV_TRY_DONE(pv_scope_status(&scope));
    if (term->row_scale)
        PV_TRY_DONE(scale_rows(matrix, k, term->row_scale, X, false, rows));
    PV_TRY_DONE(pv_tall_gram(ctx, n, factor, (pv_tall){rows ? rows : X, k, k, division},
                             &matrix->workspace, inner));
    for (size_t r = 0; r < term->columns; r++) {
        for (size_t j = 0; j < k; j++)
            scaled[r * k + j] = term->coefficient[r] * (float)inner[r * k + j];
    }
    if (!rows)
        status = pv_tall_multiply(ctx, n, 1, factor, scaled, k, 1, Y, k);
    else {
        PV_TRY_DONE(pv_tall_multiply(ctx, n, 1, factor, scaled, k, 0, rows, k));
        status = scale_rows(matrix, k, term->row_scale, rows, true, Y);
    }
done:
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_sum_matrix_bytes(uint64_t n, const pv_division *division, uint64_t rank,
                             uint64_t columns, bool scaled, bool half)
{
    uint64_t rows = pv_rows_own(division, n);
    return (half ? n * columns * sizeof(uint16_t) : 0) +
           (division ? n * columns * sizeof(float) + division->members * sizeof(uint64_t) : 0) +
           rank * columns * (sizeof(double) + sizeof(float)) +
           pv_tall_gram_bytes(n, division, rank, columns) +
           (scaled ? rows * columns * sizeof(float) : 0);
}

static psdvec_status apply(void *self, const float *X, float *Y, size_t k)
{
    pv_sum_matrix *matrix = self;
    const pv_pairs *pairs = matrix->pairs;
    PV_TRY(pv_blas_ready(matrix->ctx));
    product_job job = {.matrix = matrix,
                       .X = X,
                       .Y = Y,
                       .full = X,
                       .rows = pairs->matrix.rows,
                       .k = k,
                       .scale = 1};
    PV_TRY(make_room(matrix, k));
    psdvec_status status = PSDVEC_OK;
    if (pairs->division)
        status = exchange_rows(matrix, &job);
    else if (matrix->half)
        status = set_scale(matrix, &job, NULL);
    if (status == PSDVEC_OK && matrix->half && !pairs->division)
        status = to_half(&job, X, 0, job.rows);
    if (status == PSDVEC_OK)
        status = multiply_pairs(&job);
    /* What was started must end, whatever happened since. */
    psdvec_status ended = pairs->division ? pv_group_finish(matrix->ctx) : PSDVEC_OK;
    PV_TRY(status);
    PV_TRY(ended);
    for (size_t t = 0; t < matrix->term_count; t++)
        PV_TRY(add_term(matrix, &matrix->terms[t], X, Y, k));
    if (matrix->on_product)
        matrix->on_product(matrix->user, k);
    return PSDVEC_OK;
}

pv_operator pv_sum_matrix_operator(pv_sum_matrix *matrix)
{
    return (pv_operator){
        .n = matrix->pairs->n, .division = matrix->pairs->division, .self = matrix, .apply = apply};
}
