/* Products of vectors for the stored pairs only.
 *
 * Computed one by one, products of two rows of U are limited by how fast rows arrive from the
 * cache, at about a tenth of the speed of a matrix product. So if more than an eighth of the
 * entries of a tile, some rows by some columns, are pairs, BLAS computes all of it, and the
 * required entries are picked from the result. Between frequent words, where most pairs are, nearly
 * all tiles are dense. Which method a tile uses depends only on the pairs.
 */
#include "solve/pair_products.h"

#include "base/blas.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/thread.h"

#include <string.h>

enum { rows_a_task = 192, dense_share = 8 };

typedef struct tile_space {
    float *rows; /* rows_a_task x stride: u_i J / s_i */
    float *tile; /* rows_a_task x widest */
} tile_space;

typedef struct product_job {
    pv_core *core;
    uint32_t rank, members; /* of the group, whose members do every members-th task */
    size_t widest;          /* columns of a dense tile */
    tile_space *space;      /* one per worker */
} product_job;

static uint64_t pairs_in_tile(const pv_pairs *pairs, uint32_t first, uint32_t end, uint32_t tile)
{
    uint64_t count = 0, from, to;
    for (uint32_t i = first; i < end; i++) {
        pv_column_range(&pairs->tiles, i, tile, &from, &to);
        count += to - from;
    }
    return count;
}

static void dense_tile(const pv_core *core, const tile_space *space, uint32_t first, uint32_t end,
                       uint32_t tile)
{
    const pv_pairs *pairs = core->pairs;
    uint32_t left = pairs->tiles.edges[tile], width = pairs->tiles.edges[tile + 1] - left;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - first), (int)width,
                (int)core->rank, 1, space->rows, (int)core->stride,
                core->U + (size_t)left * core->stride, (int)core->stride, 0, space->tile,
                (int)width);
    for (uint32_t i = first; i < end; i++) {
        const float *row = space->tile + (size_t)(i - first) * width;
        uint64_t from, to;
        pv_column_range(&pairs->tiles, i, tile, &from, &to);
        for (uint64_t k = from; k < to; k++)
            pairs->matrix.value[k] = row[pairs->matrix.column[k] - left];
    }
}

static void sparse_tile(const pv_core *core, const tile_space *space, uint32_t first, uint32_t end,
                        uint32_t tile)
{
    const pv_pairs *pairs = core->pairs;
    size_t dim = (core->rank + 7) / 8 * 8;
    for (uint32_t i = first; i < end; i++) {
        uint64_t from, to;
        pv_column_range(&pairs->tiles, i, tile, &from, &to);
        core->kernels->row_dots(pairs->matrix.column + from, (size_t)(to - from),
                                space->rows + (size_t)(i - first) * core->stride, core->U,
                                core->stride, dim, pairs->matrix.value + from);
    }
}

static psdvec_status product_rows(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    pv_core *core = job->core;
    pv_pairs *pairs = core->pairs;
    tile_space *space = &job->space[worker];
    uint32_t first = (uint32_t)task * rows_a_task;
    uint32_t end = core->n - first < rows_a_task ? (uint32_t)core->n : first + rows_a_task;
    for (uint32_t i = first; i < end; i++)
        for (size_t k = 0; k < core->stride; k++)
            space->rows[(i - first) * core->stride + k] = core->U[i * core->stride + k] *
                                                          core->sign[k] / core->root[i];
    for (uint32_t tile = 0; tile < pairs->tiles.blocks; tile++) {
        uint32_t left = pairs->tiles.edges[tile], right = pairs->tiles.edges[tile + 1];
        if (right <= first)
            continue;
        uint64_t count = pairs_in_tile(pairs, first, end, tile);
        uint64_t cells = (uint64_t)(end - first) * (right - left);
        if (count > cells / dense_share && right - left <= job->widest)
            dense_tile(core, space, first, end, tile);
        else if (count > 0)
            sparse_tile(core, space, first, end, tile);
    }
    for (uint32_t i = first; i < end; i++)
        for (uint64_t k = pairs->middle[i]; k < pairs->matrix.begin[i + 1]; k++)
            pairs->matrix.value[k] /= core->root[pairs->matrix.column[k]];
    return pv_check_cancel(core->ctx);
}

static psdvec_status own_task(void *arg, size_t task, int worker)
{
    const product_job *job = arg;
    return product_rows(arg, task * job->members + job->rank, worker);
}

static size_t task_count(const pv_core *core)
{
    return (core->n + rows_a_task - 1) / rows_a_task;
}

/* Number of tasks of a member. */
static size_t share_of(const pv_core *core, uint32_t rank, uint32_t members)
{
    return (task_count(core) + members - 1 - rank) / members;
}

/* The stored products of a task, which are consecutive, but with those below the diagonal between
 * them: appends them to `out`, or takes them from `in` at *at. */
static psdvec_status carry(pv_core *core, size_t task, pv_buffer *out, const pv_buffer *in,
                           size_t *at)
{
    pv_pairs *pairs = core->pairs;
    size_t first = task * rows_a_task;
    size_t end = core->n - first < rows_a_task ? core->n : first + rows_a_task;
    for (size_t i = first; i < end; i++) {
        float *value = pairs->matrix.value + pairs->middle[i];
        size_t bytes = (size_t)(pairs->matrix.begin[i + 1] - pairs->middle[i]) * sizeof *value;
        if (out)
            PV_TRY(pv_buffer_append(out, value, bytes));
        else
            memcpy(value, in->data + *at, bytes);
        *at += bytes;
    }
    return PSDVEC_OK;
}

/* Gets the products that other members have computed. */
static psdvec_status gather_products(pv_core *core)
{
    psdvec_context *ctx = core->ctx;
    uint32_t members = pv_group_members(ctx), own = pv_group_rank(ctx);
    psdvec_status status = PSDVEC_OK;
    size_t at = 0;
    pv_buffer out = {.ctx = ctx}, *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    for (size_t k = 0; k < share_of(core, own, members); k++)
        PV_TRY_DONE(carry(core, k * members + own, &out, NULL, &at));
    PV_TRY_DONE(pv_group_gather(ctx, out.data, out.length, in));
    for (uint32_t r = 0; r < members; r++) {
        at = 0;
        for (size_t k = 0; r != own && k < share_of(core, r, members); k++)
            PV_TRY_DONE(carry(core, k * members + r, NULL, &in[r], &at));
    }
done:
    pv_buffer_free(&out);
    pv_group_buffers_free(ctx, in);
    return status;
}

psdvec_status pv_products_on_pairs(pv_core *core)
{
    pv_pairs *pairs = core->pairs;
    if (core->rank == 0)
        return PSDVEC_OK;
    PV_TRY(pv_blas_ready(core->ctx));
    product_job job = {.core = core,
                       .rank = pv_group_rank(core->ctx),
                       .members = pv_group_members(core->ctx),
                       .widest = pairs->tiles.edges[1]};
    int threads = psdvec_threads(core->ctx);
    pv_scope scope = {.ctx = core->ctx, .what = "products of vectors"};
    psdvec_status status;
    PV_TAKE_ZERO(&scope, job.space, (size_t)threads);
    for (int w = 0; job.space && w < threads; w++) {
        PV_TAKE(&scope, job.space[w].rows, rows_a_task * core->stride);
        PV_TAKE(&scope, job.space[w].tile, rows_a_task * job.widest);
    }
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(
        pv_parallel_tasks(core->ctx, share_of(core, job.rank, job.members), own_task, &job));
    if (job.members > 1)
        status = gather_products(core);
done:
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_products_bytes(uint64_t stride, int threads)
{
    return (uint64_t)threads *
           (sizeof(tile_space) + rows_a_task * (stride + PV_TILE_COLUMNS) * sizeof(float));
}
