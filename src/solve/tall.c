/* Tiles of tall matrices, each for one call of BLAS or of a kernel for few columns. */
#include "solve/tall.h"

#include "base/blas.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/thread.h"
#include "solve/tall_kernels.h"

#include <string.h>

/* Small enough that workers finish at about the same time, large enough for BLAS, and at most 64
 * tiles, because each has its own partial sum. */
size_t pv_tall_tile(size_t n)
{
    size_t tile = (n + 63) / 64;
    return tile < 2 * PV_TILE_ROWS ? 2 * PV_TILE_ROWS
                                   : (tile + PV_TILE_ROWS - 1) / PV_TILE_ROWS * PV_TILE_ROWS;
}

size_t pv_tall_tiles(size_t n)
{
    size_t tile = pv_tall_tile(n);
    return (n + tile - 1) / tile;
}

pv_tall_share pv_tall_share_of(const psdvec_context *ctx, size_t n, uint32_t rank)
{
    size_t tiles = pv_tall_tiles(n), tile = pv_tall_tile(n), members = pv_group_members(ctx);
    pv_tall_share s = {.first_tile = tiles * rank / members,
                       .end_tile = tiles * ((size_t)rank + 1) / members};
    s.first = s.first_tile * tile < n ? s.first_tile * tile : n;
    s.end = s.end_tile * tile < n ? s.end_tile * tile : n;
    return s;
}

pv_tall_share pv_tall_own(const psdvec_context *ctx, size_t n, bool divided)
{
    if (divided)
        return pv_tall_share_of(ctx, n, pv_group_rank(ctx));
    return (pv_tall_share){.end_tile = pv_tall_tiles(n), .end = n};
}

psdvec_status pv_tall_gather(psdvec_context *ctx, size_t n, float *A, size_t stride, size_t columns)
{
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    psdvec_status status = PSDVEC_OK;
    uint32_t own = pv_group_rank(ctx);
    pv_tall_share mine = pv_tall_own(ctx, n, true);
    size_t bytes = columns * sizeof *A;
    pv_buffer packed = {.ctx = ctx}, *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    PV_TRY_DONE(pv_buffer_reserve(&packed, (mine.end - mine.first) * bytes));
    for (size_t i = mine.first; i < mine.end; i++)
        memcpy(packed.data + (i - mine.first) * bytes, A + i * stride, bytes);
    packed.length = (mine.end - mine.first) * bytes;
    PV_TRY_DONE(pv_group_gather(ctx, packed.data, packed.length, in));
    for (uint32_t r = 0; r < pv_group_members(ctx); r++) {
        pv_tall_share theirs = pv_tall_share_of(ctx, n, r);
        for (size_t i = theirs.first; i < theirs.end && r != own; i++)
            memcpy(A + i * stride, in[r].data + (i - theirs.first) * bytes, bytes);
    }
done:
    pv_buffer_free(&packed);
    pv_group_buffers_free(ctx, in);
    return status;
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

/* Sums the partial results of all members. Each member sums a range of cells, over the tiles of all
 * members in order, and sends the sums to the others. */
static psdvec_status sum_over_members(psdvec_context *ctx, const gram_job *job)
{
    uint32_t members = pv_group_members(ctx), own = pv_group_rank(ctx);
    pv_tall_share mine = pv_tall_own(ctx, job->tiles.n, true);
    size_t begin = job->count * own / members, end = job->count * (own + 1) / members;
    psdvec_status status = PSDVEC_OK;
    pv_buffer *out = pv_group_buffers(ctx), *in = pv_group_buffers(ctx);
    double *sums = pv_alloc_zero(ctx, end - begin, sizeof *sums, "inner products");
    if (!out || !in || !sums) {
        status = pv_failure(ctx);
        goto done;
    }
    for (uint32_t r = 0; r < members; r++) {
        size_t from = job->count * r / members, to = job->count * ((size_t)r + 1) / members;
        for (size_t t = mine.first_tile; t < mine.end_tile; t++)
            PV_TRY_DONE(pv_buffer_append(&out[r], job->partial + t * job->count + from,
                                         (to - from) * sizeof *job->partial));
    }
    PV_TRY_DONE(pv_group_exchange(ctx, out, in));
    for (uint32_t r = 0; r < members; r++) {
        const float *partial = (const float *)(const void *)in[r].data;
        for (size_t t = 0; t < in[r].length / sizeof *partial / (end - begin + (end == begin)); t++)
            for (size_t k = 0; k < end - begin; k++)
                sums[k] += partial[t * (end - begin) + k];
    }
    PV_TRY_DONE(pv_group_gather(ctx, sums, (end - begin) * sizeof *sums, in));
    for (uint32_t r = 0, at = 0; r < members; r++) {
        memcpy(job->out + at, in[r].data, in[r].length);
        at += (uint32_t)(in[r].length / sizeof *sums);
    }
done:
    pv_free(ctx, sums);
    pv_group_buffers_free(ctx, out);
    pv_group_buffers_free(ctx, in);
    return status;
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
    bool shared = a.divided && pv_group_shares(ctx);
    pv_tall_share mine = pv_tall_own(ctx, n, shared);
    psdvec_status status = pv_parallel_range(ctx, mine.first_tile, mine.end_tile, gram_tile, &job);
    if (status == PSDVEC_OK)
        status = shared ? sum_over_members(ctx, &job)
                        : pv_parallel_tasks(ctx, (job.count + sum_stretch - 1) / sum_stretch,
                                            sum_partials, &job);
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
    pv_tall_share own = pv_tall_own(ctx, n, a.divided);
    return pv_parallel_range(ctx, own.first_tile, own.end_tile, multiply_tile, &job);
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
                                size_t columns, bool divided, const float *M, size_t kept)
{
    transform_job job = {ctx, {n, pv_tall_tile(n)}, A, stride, columns, kept, M};
    if (columns == 0 || kept == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(ctx));
    pv_tall_share own = pv_tall_own(ctx, n, divided);
    return pv_parallel_range(ctx, own.first_tile, own.end_tile, transform_tile, &job);
}

uint64_t pv_tall_transform_bytes(uint64_t n, uint64_t kept, int threads)
{
    uint64_t workers = (uint64_t)threads, most = pv_tall_tiles(n);
    return (workers < most ? workers : most) * pv_tall_tile(n) * kept * sizeof(float);
}
