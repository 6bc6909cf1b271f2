/* Tiles of tall matrices, each for one call of BLAS or of a kernel for few columns. */
#include "solve/tall.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/thread.h"
#include "solve/tall_kernels.h"

#include <string.h>

/* Small enough that workers finish at about the same time, large enough for BLAS, and at most 64
 * tiles, because each has its own partial sum. */
size_t pv_tall_tile(size_t n)
{
    size_t tile = (n + 63) / 64;
    return tile < 512 ? 512 : (tile + 15) / 16 * 16;
}

size_t pv_tall_tiles(size_t n)
{
    size_t tile = pv_tall_tile(n);
    return (n + tile - 1) / tile;
}

typedef struct tiles {
    size_t n, tile;
} tiles;

static size_t rows_of(const tiles *t, size_t task)
{
    size_t first = task * t->tile;
    return t->n - first < t->tile ? t->n - first : t->tile;
}

typedef struct gram_job {
    tiles tiles;
    pv_tall a, b;
    float *partial; /* tiles x (a.columns x b.columns) */
    double *out;
    size_t count;
    const pv_tall_kernels *kernels; /* NULL: BLAS */
} gram_job;

static psdvec_status gram_tile(void *arg, size_t task, int worker)
{
    gram_job *job = arg;
    (void)worker;
    size_t first = task * job->tiles.tile, rows = rows_of(&job->tiles, task);
    pv_tall a = job->a, b = job->b;
    a.data += first * a.stride;
    b.data += first * b.stride;
    float *out = job->partial + task * job->count;
    if (job->kernels)
        job->kernels->gram(rows, a, b, out);
    else
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)a.columns, (int)b.columns,
                    (int)rows, 1, a.data, (int)a.stride, b.data, (int)b.stride, 0, out,
                    (int)b.columns);
    return PSDVEC_OK;
}

/* Sums the partial results of a range of cells, always in the order of the tiles. */
enum { sum_stretch = 8192 };
static psdvec_status sum_partials(void *arg, size_t task, int worker)
{
    gram_job *job = arg;
    (void)worker;
    size_t begin = task * sum_stretch;
    size_t end = job->count - begin < sum_stretch ? job->count : begin + sum_stretch;
    for (size_t k = begin; k < end; k++)
        job->out[k] = 0;
    for (size_t t = 0; t < pv_tall_tiles(job->tiles.n); t++) {
        const float *partial = job->partial + t * job->count;
        for (size_t k = begin; k < end; k++)
            job->out[k] += partial[k];
    }
    return PSDVEC_OK;
}

void pv_tall_workspace_free(psdvec_context *ctx, pv_tall_workspace *workspace)
{
    pv_free(ctx, workspace->data);
    *workspace = (pv_tall_workspace){0};
}

psdvec_status pv_tall_gram(psdvec_context *ctx, size_t n, pv_tall a, pv_tall b,
                           pv_tall_workspace *workspace, double *out)
{
    gram_job job = {.tiles = {n, pv_tall_tile(n)}, .a = a, .b = b, .out = out};
    job.count = a.columns * b.columns;
    job.kernels = pv_tall_kernels_best(b.columns);
    if (job.count == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(ctx));
    pv_tall_workspace own = {0};
    if (!workspace)
        workspace = &own;
    size_t needed = pv_tall_tiles(n) * job.count;
    if (workspace->count < needed) {
        pv_tall_workspace_free(ctx, workspace);
        workspace->data = pv_alloc(ctx, needed, sizeof *workspace->data, "inner products");
        if (!workspace->data)
            return pv_failure(ctx);
        workspace->count = needed;
    }
    job.partial = workspace->data;
    psdvec_status status = pv_parallel_tasks(ctx, pv_tall_tiles(n), gram_tile, &job);
    if (status == PSDVEC_OK)
        status =
            pv_parallel_tasks(ctx, (job.count + sum_stretch - 1) / sum_stretch, sum_partials, &job);
    pv_tall_workspace_free(ctx, &own);
    return status;
}

uint64_t pv_tall_gram_bytes(uint64_t n, uint64_t a_columns, uint64_t b_columns)
{
    return pv_tall_tiles(n) * a_columns * b_columns * sizeof(float);
}

typedef struct multiply_job {
    tiles tiles;
    pv_tall a;
    const float *M;
    float alpha, beta;
    size_t columns;
    float *Y;
    size_t stride;
    const pv_tall_kernels *kernels; /* NULL: BLAS */
} multiply_job;

static psdvec_status multiply_tile(void *arg, size_t task, int worker)
{
    multiply_job *job = arg;
    (void)worker;
    size_t first = task * job->tiles.tile, rows = rows_of(&job->tiles, task);
    pv_tall a = job->a;
    a.data += first * a.stride;
    float *Y = job->Y + first * job->stride;
    if (job->kernels)
        job->kernels->multiply(rows, job->alpha, a, job->M, job->columns, job->beta, Y,
                               job->stride);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)job->columns,
                    (int)a.columns, job->alpha, a.data, (int)a.stride, job->M, (int)job->columns,
                    job->beta, Y, (int)job->stride);
    return PSDVEC_OK;
}

psdvec_status pv_tall_multiply(psdvec_context *ctx, size_t n, float alpha, pv_tall a,
                               const float *M, size_t columns, float beta, float *Y, size_t stride)
{
    multiply_job job = {{n, pv_tall_tile(n)},         a, M, alpha, beta, columns, Y, stride,
                        pv_tall_kernels_best(columns)};
    if (columns == 0 || a.columns == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(ctx));
    return pv_parallel_tasks(ctx, pv_tall_tiles(n), multiply_tile, &job);
}

typedef struct transform_job {
    psdvec_context *ctx;
    tiles tiles;
    float *A;
    size_t stride, columns, kept;
    const float *M;
} transform_job;

static psdvec_status transform_tile(void *arg, size_t task, int worker)
{
    transform_job *job = arg;
    (void)worker;
    size_t first = task * job->tiles.tile, rows = rows_of(&job->tiles, task);
    float *fresh = pv_alloc(job->ctx, rows * job->kept, sizeof *fresh, "a change of basis");
    if (!fresh)
        return pv_failure(job->ctx);
    float *old = job->A + first * job->stride;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)job->kept,
                (int)job->columns, 1, old, (int)job->stride, job->M, (int)job->kept, 0, fresh,
                (int)job->kept);
    for (size_t r = 0; r < rows; r++)
        memcpy(old + r * job->stride, fresh + r * job->kept, job->kept * sizeof *fresh);
    pv_free(job->ctx, fresh);
    return PSDVEC_OK;
}

psdvec_status pv_tall_transform(psdvec_context *ctx, size_t n, float *A, size_t stride,
                                size_t columns, const float *M, size_t kept)
{
    transform_job job = {ctx, {n, pv_tall_tile(n)}, A, stride, columns, kept, M};
    if (columns == 0 || kept == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(ctx));
    return pv_parallel_tasks(ctx, pv_tall_tiles(n), transform_tile, &job);
}

uint64_t pv_tall_transform_bytes(uint64_t n, uint64_t kept, int threads)
{
    uint64_t workers = (uint64_t)threads, most = pv_tall_tiles(n);
    return (workers < most ? workers : most) * pv_tall_tile(n) * kept * sizeof(float);
}
