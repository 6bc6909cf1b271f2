/* Tiles of tall matrices, each for one call of BLAS or of a kernel for few columns. */
#include "solve/tall.h"

#include "base/blas.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/thread.h"
#include "solve/tall_kernels.h"

#include <string.h>

typedef struct tiling {
    size_t n, tile;
    pv_tiles own;
} tiling;

static tiling tiles_of(size_t n, const pv_division *division)
{
    return (tiling){n, pv_tile_rows(n), pv_tiles_own(division, n)};
}

/* The first row of a tile, among those that are here, and the number of its rows. */
static size_t first_of(const tiling *t, size_t task)
{
    return task * t->tile - t->own.first;
}

static size_t rows_of(const tiling *t, size_t task)
{
    return pv_tile_end(t->n, task) - task * t->tile;
}

static psdvec_status for_tiles(psdvec_context *ctx, const tiling *t, pv_task_fn *fn, void *job)
{
    return pv_parallel_range(ctx, t->own.first_tile, t->own.end_tile, fn, job);
}

typedef struct gram_job {
    psdvec_context *ctx;
    tiling tiles;
    pv_tall a, b;
    float *partial; /* tiles of this process in `batch` x (a.columns x b.columns) */
    size_t batch;   /* first tile of the partial sums */
    double *out;
    size_t count, batch_tiles;
    const pv_tall_kernels *kernels; /* NULL: BLAS */
} gram_job;

static psdvec_status gram_tile(void *arg, size_t task, int worker)
{
    gram_job *job = arg;
    (void)worker;
    size_t first = first_of(&job->tiles, task), rows = rows_of(&job->tiles, task);
    pv_tall a = job->a, b = job->b;
    a.data += first * a.stride;
    b.data += first * b.stride;
    float *out = job->partial + (task - job->batch) * job->count;
    if (job->kernels)
        job->kernels->gram(rows, a, b, out);
    else
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)a.columns, (int)b.columns,
                    (int)rows, 1, a.data, (int)a.stride, b.data, (int)b.stride, 0, out,
                    (int)b.columns);
    return PSDVEC_OK;
}

/* Adds the partial results of a range of cells, always in the order of the tiles. */
enum { sum_stretch = 8192 };
static psdvec_status sum_partials(void *arg, size_t task, int worker)
{
    gram_job *job = arg;
    (void)worker;
    size_t begin = task * sum_stretch;
    size_t end = job->count - begin < sum_stretch ? job->count : begin + sum_stretch;
    for (size_t t = 0; t < job->batch_tiles; t++) {
        const float *partial = job->partial + t * job->count;
        for (size_t k = begin; k < end; k++)
            job->out[k] += partial[k];
    }
    return PSDVEC_OK;
}

/* The tiles whose partial sums exist at the same time. */
enum { batch_most = 64 };

/* Without other members: a batch of tiles at a time. */
static psdvec_status sum_alone(gram_job *job)
{
    size_t tiles = job->tiles.own.end_tile;
    memset(job->out, 0, job->count * sizeof *job->out);
    for (job->batch = 0; job->batch < tiles; job->batch += job->batch_tiles) {
        job->batch_tiles = tiles - job->batch < batch_most ? tiles - job->batch : batch_most;
        PV_TRY(
            pv_parallel_range(job->ctx, job->batch, job->batch + job->batch_tiles, gram_tile, job));
        PV_TRY(pv_parallel_tasks(job->ctx, (job->count + sum_stretch - 1) / sum_stretch,
                                 sum_partials, job));
    }
    return PSDVEC_OK;
}

/* The cells that a member adds up. */
static size_t first_cell(const gram_job *job, uint32_t rank, uint32_t members)
{
    return (size_t)((uint64_t)job->count * rank / members);
}

/* The cells of this member, of all tiles in order, with what other members have sent. */
static void sum_cells(const gram_job *job, const float *packed, double *sums, size_t cells)
{
    memset(sums, 0, cells * sizeof *sums);
    for (size_t t = 0; t < pv_tile_count(job->tiles.n); t++)
        for (size_t k = 0; k < cells; k++)
            sums[k] += packed[t * cells + k];
}

/* With other members, each of which adds up a range of cells over all tiles and sends the sums to
 * the others. `packed` has the partial sums that are sent, member by member, then those that are
 * received, tile by tile. */
static psdvec_status sum_together(gram_job *job, float *packed)
{
    psdvec_context *ctx = job->ctx;
    const pv_division *d = job->a.division;
    pv_tiles mine = job->tiles.own;
    size_t own_tiles = mine.end_tile - mine.first_tile;
    size_t begin = first_cell(job, d->rank, d->members);
    size_t cells = first_cell(job, d->rank + 1, d->members) - begin;
    float *received = packed + own_tiles * job->count;
    job->batch = mine.first_tile;
    PV_TRY(for_tiles(ctx, &job->tiles, gram_tile, job));
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    for (uint32_t r = 0; r < d->members; r++) {
        size_t from = first_cell(job, r, d->members);
        size_t width = first_cell(job, r + 1, d->members) - from;
        float *out = r == d->rank ? received + mine.first_tile * cells : packed;
        for (size_t t = 0; t < own_tiles; t++)
            memcpy(out + t * width, job->partial + t * job->count + from, width * sizeof *out);
        pv_group_send(ctx, r, out, own_tiles * width * sizeof *out);
        packed += r == d->rank ? 0 : own_tiles * width;
        pv_tiles theirs = d->share[r];
        pv_group_receive(ctx, r, received + theirs.first_tile * cells,
                         (theirs.end_tile - theirs.first_tile) * cells * sizeof *received);
    }
    PV_TRY(pv_group_move(ctx));
    sum_cells(job, received, job->out + begin, cells);
    for (uint32_t r = 0; r < d->members; r++) {
        size_t from = first_cell(job, r, d->members);
        pv_group_send(ctx, r, job->out + begin, cells * sizeof *job->out);
        pv_group_receive(ctx, r, job->out + from,
                         (first_cell(job, r + 1, d->members) - from) * sizeof *job->out);
    }
    return pv_group_move(ctx);
}

void pv_tall_workspace_free(psdvec_context *ctx, pv_tall_workspace *workspace)
{
    pv_free(ctx, workspace->data);
    *workspace = (pv_tall_workspace){0};
}

/* Numbers of a workspace: partial sums and, if the matrix is divided, the same again to be sent,
 * and those of all members for this member's cells. */
static uint64_t gram_floats(uint64_t tiles, uint64_t own, uint32_t members, uint64_t count)
{
    if (members == 1)
        return (own < batch_most ? own : batch_most) * count;
    return 2 * own * count + tiles * (count / members + 1);
}

psdvec_status pv_tall_gram(psdvec_context *ctx, size_t n, pv_tall a, pv_tall b,
                           pv_tall_workspace *workspace, double *out)
{
    gram_job job = {.ctx = ctx, .tiles = tiles_of(n, a.division), .a = a, .b = b, .out = out};
    job.count = a.columns * b.columns;
    job.kernels = pv_tall_kernels_best(b.columns);
    if (job.count == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(ctx));
    pv_tall_workspace own = {0};
    if (!workspace)
        workspace = &own;
    size_t own_tiles = job.tiles.own.end_tile - job.tiles.own.first_tile;
    size_t needed = (size_t)gram_floats(pv_tile_count(n), own_tiles,
                                        a.division ? a.division->members : 1, job.count);
    if (workspace->count < needed) {
        pv_tall_workspace_free(ctx, workspace);
        workspace->data = pv_alloc(ctx, needed, sizeof *workspace->data, "inner products");
        if (!workspace->data)
            return pv_failure(ctx);
        workspace->count = needed;
    }
    job.partial = workspace->data;
    psdvec_status status = a.division ? sum_together(&job, job.partial + own_tiles * job.count)
                                      : sum_alone(&job);
    pv_tall_workspace_free(ctx, &own);
    return status;
}

uint64_t pv_tall_gram_bytes(uint64_t n, const pv_division *division, uint64_t a_columns,
                            uint64_t b_columns)
{
    pv_tiles own = pv_tiles_own(division, n);
    return gram_floats(pv_tile_count(n), own.end_tile - own.first_tile,
                       division ? division->members : 1, a_columns * b_columns) *
           sizeof(float);
}

typedef struct multiply_job {
    tiling tiles;
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
    size_t first = first_of(&job->tiles, task), rows = rows_of(&job->tiles, task);
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
    multiply_job job = {tiles_of(n, a.division),      a, M, alpha, beta, columns, Y, stride,
                        pv_tall_kernels_best(columns)};
    if (columns == 0 || a.columns == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(ctx));
    return for_tiles(ctx, &job.tiles, multiply_tile, &job);
}

typedef struct transform_job {
    psdvec_context *ctx;
    tiling tiles;
    float *A;
    size_t stride, columns, kept;
    const float *M;
} transform_job;

static psdvec_status transform_tile(void *arg, size_t task, int worker)
{
    transform_job *job = arg;
    (void)worker;
    size_t first = first_of(&job->tiles, task), rows = rows_of(&job->tiles, task);
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
                                size_t columns, const pv_division *division, const float *M,
                                size_t kept)
{
    transform_job job = {ctx, tiles_of(n, division), A, stride, columns, kept, M};
    if (columns == 0 || kept == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(ctx));
    return for_tiles(ctx, &job.tiles, transform_tile, &job);
}

uint64_t pv_tall_transform_bytes(uint64_t n, uint64_t kept, int threads)
{
    uint64_t workers = (uint64_t)threads, most = pv_tile_count(n);
    return (workers < most ? workers : most) * pv_tile_rows(n) * kept * sizeof(float);
}

typedef struct squares_job {
    tiling tiles;
    pv_tall a;
    double *partial; /* all tiles x columns */
} squares_job;

static psdvec_status squares_tile(void *arg, size_t task, int worker)
{
    squares_job *job = arg;
    (void)worker;
    double *sums = job->partial + task * job->a.columns;
    const float *row = job->a.data + first_of(&job->tiles, task) * job->a.stride;
    for (size_t r = 0; r < rows_of(&job->tiles, task); r++, row += job->a.stride)
        for (size_t k = 0; k < job->a.columns; k++)
            sums[k] += (double)row[k] * row[k];
    return PSDVEC_OK;
}

/* Gets the numbers of the other members' tiles, `bytes` for each tile. */
static psdvec_status gather_tiles(psdvec_context *ctx, const pv_division *d, void *numbers,
                                  size_t bytes)
{
    pv_tiles mine = d->share[d->rank];
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    for (uint32_t r = 0; r < d->members; r++) {
        pv_tiles theirs = d->share[r];
        pv_group_send(ctx, r, (char *)numbers + mine.first_tile * bytes,
                      (mine.end_tile - mine.first_tile) * bytes);
        pv_group_receive(ctx, r, (char *)numbers + theirs.first_tile * bytes,
                         (theirs.end_tile - theirs.first_tile) * bytes);
    }
    return pv_group_move(ctx);
}

psdvec_status pv_tall_squares(psdvec_context *ctx, size_t n, pv_tall a, double *squares)
{
    const pv_division *d = a.division;
    size_t tiles = pv_tile_count(n), row = a.columns * sizeof(double);
    squares_job job = {tiles_of(n, d), a, NULL};
    psdvec_status status;
    memset(squares, 0, row);
    job.partial = pv_alloc_zero(ctx, tiles * a.columns, sizeof *job.partial, "squares");
    if (!job.partial)
        return pv_failure(ctx);
    PV_TRY_DONE(for_tiles(ctx, &job.tiles, squares_tile, &job));
    if (d)
        PV_TRY_DONE(gather_tiles(ctx, d, job.partial, row));
    for (size_t t = 0; t < tiles; t++)
        for (size_t k = 0; k < a.columns; k++)
            squares[k] += job.partial[t * a.columns + k];
done:
    pv_free(ctx, job.partial);
    return status;
}

uint64_t pv_tall_squares_bytes(uint64_t n, uint64_t columns)
{
    return pv_tile_count(n) * columns * sizeof(double);
}

psdvec_status pv_tall_gather(size_t n, pv_tall own, float *all)
{
    size_t first = pv_tiles_own(own.division, n).first;
    for (size_t i = 0; i < pv_rows_own(own.division, n); i++)
        memcpy(all + (first + i) * own.columns, own.data + i * own.stride,
               own.columns * sizeof *all);
    return pv_division_complete(own.division, all, own.columns * sizeof *all);
}
