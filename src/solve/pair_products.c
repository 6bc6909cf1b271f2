/* Products of vectors for the stored pairs only.
 *
 * Computed one by one, products of two rows of U are limited by how fast rows arrive from the
 * cache, at about a tenth of the speed of a matrix product. So if more than an eighth of the
 * entries of a tile, some rows by some columns, are pairs, BLAS computes all of it, and the
 * required entries are picked from the result. Between frequent words, where most pairs are, nearly
 * all tiles are dense. Which method a tile uses depends only on the pairs.
 *
 * In a group of processes, each member has the pairs of its rows above the diagonal. It receives the
 * vectors of the members after it, some tiles of rows at a time, and computes the products of its own
 * with them.
 */
#include "solve/pair_products.h"

#include "base/blas.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/thread.h"
#include "base/trim.h"

#include <string.h>

enum { rows_a_task = 256, dense_share = 8, step_bytes = 1 << 21 };
_Static_assert(PV_TILE_UNIT % rows_a_task == 0, "no task has rows of two members");
_Static_assert(PV_TILE_UNIT % PV_TILE_COLUMNS == 0, "no dense tile has columns of two tiles");

typedef struct tile_space {
    float *rows; /* rows_a_task x stride: u_i J / s_i */
    float *tile; /* rows_a_task x widest */
} tile_space;

/* Consecutive rows of U, which are columns of the pairs. */
typedef struct vectors {
    const float *data;
    uint32_t first, end;
} vectors;

typedef struct product_job {
    pv_core *core;
    size_t widest;     /* columns of a dense tile */
    tile_space *space; /* one per worker */
    vectors others;
} product_job;

/* The entries of a row in a tile that are columns of `others`. */
static void range_of(const product_job *job, uint32_t row, uint32_t tile, uint64_t *from,
                     uint64_t *to)
{
    const pv_pairs *pairs = job->core->pairs;
    const uint32_t *column = pairs->matrix.column;
    pv_column_range(&pairs->tiles, row, tile, from, to);
    if (pairs->tiles.edges[tile] < job->others.first)
        *from += pv_lower_bound(column + *from, *to - *from, job->others.first);
    if (pairs->tiles.edges[tile + 1] > job->others.end)
        *to = *from + pv_lower_bound(column + *from, *to - *from, job->others.end);
}

static uint64_t pairs_in_tile(const product_job *job, uint32_t first, uint32_t end, uint32_t tile)
{
    uint64_t count = 0, from, to;
    for (uint32_t i = first; i < end; i++) {
        range_of(job, i, tile, &from, &to);
        count += to - from;
    }
    return count;
}

static void dense_tile(const product_job *job, const tile_space *space, uint32_t first,
                       uint32_t end, uint32_t tile)
{
    const pv_core *core = job->core;
    const pv_pairs *pairs = core->pairs;
    uint32_t left = pairs->tiles.edges[tile], width = pairs->tiles.edges[tile + 1] - left;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - first), (int)width,
                (int)core->rank, 1, space->rows, (int)core->stride,
                job->others.data + (size_t)(left - job->others.first) * core->stride,
                (int)core->stride, 0, space->tile, (int)width);
    for (uint32_t i = first; i < end; i++) {
        const float *row = space->tile + (size_t)(i - first) * width;
        uint64_t from, to;
        range_of(job, i, tile, &from, &to);
        for (uint64_t k = from; k < to; k++)
            pairs->matrix.value[k] = row[pairs->matrix.column[k] - left];
    }
}

static void sparse_tile(const product_job *job, const tile_space *space, uint32_t first,
                        uint32_t end, uint32_t tile)
{
    const pv_core *core = job->core;
    const pv_pairs *pairs = core->pairs;
    size_t dim = (core->rank + 7) / 8 * 8;
    for (uint32_t i = first; i < end; i++) {
        uint64_t from, to;
        range_of(job, i, tile, &from, &to);
        core->kernels->row_dots(pairs->matrix.column + from, (size_t)(to - from),
                                space->rows + (size_t)(i - first) * core->stride, job->others.data,
                                job->others.first, core->stride, dim, pairs->matrix.value + from);
    }
}

/* Whether the columns are few enough, and those of one tile of rows. */
static bool may_be_dense(const product_job *job, uint32_t left, uint32_t right)
{
    return right - left <= job->widest && left % PV_TILE_COLUMNS == 0;
}

static psdvec_status product_rows(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    pv_core *core = job->core;
    pv_pairs *pairs = core->pairs;
    tile_space *space = &job->space[worker];
    uint32_t first = (uint32_t)task * rows_a_task, rows = pairs->matrix.rows;
    uint32_t end = rows - first < rows_a_task ? rows : first + rows_a_task;
    for (uint32_t i = first; i < end; i++)
        for (size_t k = 0; k < core->stride; k++)
            space->rows[(i - first) * core->stride + k] =
                core->U[i * core->stride + k] * core->sign[k] / core->root[pairs->first + i];
    for (uint32_t tile = 0; tile < pairs->tiles.blocks; tile++) {
        uint32_t left = pairs->tiles.edges[tile], right = pairs->tiles.edges[tile + 1];
        if (right <= pairs->first + first || right <= job->others.first || left >= job->others.end)
            continue;
        uint64_t count = pairs_in_tile(job, first, end, tile);
        uint64_t cells = (uint64_t)(end - first) * (right - left);
        if (count > cells / dense_share && may_be_dense(job, left, right))
            dense_tile(job, space, first, end, tile);
        else if (count > 0)
            sparse_tile(job, space, first, end, tile);
        pv_trim(core->ctx);
    }
    return pv_check_cancel(core->ctx);
}

/* The products of the vectors of this member with `others`. */
static psdvec_status multiply(product_job *job)
{
    size_t rows = job->core->pairs->matrix.rows;
    return pv_parallel_tasks(job->core->ctx, (rows + rows_a_task - 1) / rows_a_task, product_rows,
                             job);
}

/* Rows that are sent at a time: whole tiles. */
static size_t rows_a_step(size_t n, size_t stride)
{
    size_t tile = pv_tile_rows(n), tiles = step_bytes / (tile * stride * sizeof(float));
    return tiles > 1 ? tiles * tile : tile;
}

/* The rows that a member sends in a step, if it has so many. */
static vectors rows_of_step(const pv_core *core, uint32_t member, size_t step)
{
    pv_tiles share = core->pairs->division->share[member];
    size_t rows = rows_a_step(core->n, core->stride), first = share.first + step * rows;
    if (first >= share.end)
        return (vectors){0};
    return (vectors){.first = (uint32_t)first,
                     .end = (uint32_t)(share.end - first < rows ? share.end : first + rows)};
}

/* Sends vectors of this member to the one `distance` before it, and multiplies those of the
 * one `distance` after it. */
static psdvec_status multiply_step(product_job *job, uint32_t distance, size_t step,
                                   float *received)
{
    const pv_core *core = job->core;
    psdvec_context *ctx = core->ctx;
    const pv_division *d = core->pairs->division;
    size_t row = core->stride * sizeof *received;
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    vectors own = rows_of_step(core, d->rank, step);
    if (d->rank >= distance && own.end > own.first)
        pv_group_send(ctx, d->rank - distance,
                      core->U + (size_t)(own.first - core->pairs->first) * core->stride,
                      (own.end - own.first) * row);
    job->others = (vectors){0};
    if (d->rank + distance < d->members) {
        job->others = rows_of_step(core, d->rank + distance, step);
        pv_group_receive(ctx, d->rank + distance, received,
                         (job->others.end - job->others.first) * row);
    }
    job->others.data = received;
    PV_TRY(pv_group_move(ctx));
    return job->others.end > job->others.first ? multiply(job) : PSDVEC_OK;
}

/* The products with the vectors of later members. */
static psdvec_status multiply_others(product_job *job, float *received)
{
    const pv_core *core = job->core;
    const pv_division *d = core->pairs->division;
    size_t most = 0, rows = rows_a_step(core->n, core->stride);
    for (uint32_t r = 0; d && r < d->members; r++)
        if (d->share[r].end - d->share[r].first > most)
            most = d->share[r].end - d->share[r].first;
    for (uint32_t distance = 1; d && distance < d->members; distance++)
        for (size_t step = 0; step * rows < most; step++)
            PV_TRY(multiply_step(job, distance, step, received));
    return PSDVEC_OK;
}

psdvec_status pv_products_on_pairs(pv_core *core)
{
    pv_pairs *pairs = core->pairs;
    if (core->rank == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(core->ctx));
    product_job job = {.core = core, .widest = pairs->tiles.edges[1]};
    int threads = psdvec_threads(core->ctx);
    pv_scope scope = {.ctx = core->ctx, .what = "products of vectors"};
    float *received = NULL;
    psdvec_status status;
    PV_TAKE_ZERO(&scope, job.space, (size_t)threads);
    for (int w = 0; job.space && w < threads; w++) {
        PV_TAKE(&scope, job.space[w].rows, rows_a_task * core->stride);
        PV_TAKE(&scope, job.space[w].tile, rows_a_task * job.widest);
    }
    if (pairs->division)
        PV_TAKE(&scope, received, rows_a_step(core->n, core->stride) * core->stride);
    PV_TRY_DONE(pv_scope_status(&scope));
    job.others = (vectors){core->U, pairs->first, pairs->first + pairs->matrix.rows};
    PV_TRY_DONE(multiply(&job));
    status = multiply_others(&job, received);
done:
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_products_bytes(uint64_t n, const pv_division *division, uint64_t stride, int threads)
{
    return (uint64_t)threads *
               (sizeof(tile_space) + rows_a_task * (stride + PV_TILE_COLUMNS) * sizeof(float)) +
           (division ? rows_a_step(n, stride) * stride * sizeof(float) : 0);
}
