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

/* ---- Sums over tiles ---------------------------------------------------------------------------
 * Partial sums of tiles are added in pairs, those sums in pairs again, and so on: a binary tree over
 * the numbers of the tiles, in double precision. A node of the tree is a number of tiles that is a
 * power of 2, beginning at a multiple of it. A member adds up the nodes that its tiles fill, and
 * sends only these; so the order of additions is the same for any division. */

/* Nodes have at most so many tiles, whose partial sums exist at the same time. */
enum { batch_most = 64, tree_levels = 22, tree_cells = 96 };
_Static_assert((UINT64_C(1) << tree_levels) > UINT32_MAX / 2048 + 1,
               "a word has a number of 32 bits");

/* Sums of nodes that wait for those beside them, for some cells. */
typedef struct tree {
    double sums[tree_levels][tree_cells];
} tree;

static unsigned level_of(size_t node)
{
    unsigned level = 0;
    while ((size_t)1 << level < node)
        level++;
    return level;
}

/* Adds the sums of the node of `node` tiles that begins with `first`, in the order of the tiles. */
static void tree_add(tree *t, size_t first, size_t node, const double *sums, size_t cells)
{
    double now[tree_cells];
    unsigned level = level_of(node);
    memcpy(now, sums, cells * sizeof *now);
    for (; first >> level & 1; level++)
        for (size_t k = 0; k < cells; k++)
            now[k] = t->sums[level][k] + now[k];
    memcpy(t->sums[level], now, cells * sizeof *now);
}

/* The sums of all tiles. */
static void tree_total(const tree *t, size_t tiles, double *out, size_t cells)
{
    unsigned level = 0;
    while (!(tiles >> level & 1))
        level++;
    memcpy(out, t->sums[level], cells * sizeof *out);
    for (level++; tiles >> level; level++)
        for (size_t k = 0; tiles >> level & 1 && k < cells; k++)
            out[k] = t->sums[level][k] + out[k];
}

/* The tiles of the first node of tiles first .. end-1. */
static size_t node_at(size_t first, size_t end)
{
    size_t node = 1;
    while (node < batch_most && first % (2 * node) == 0 && first + 2 * node <= end)
        node *= 2;
    return node;
}

static size_t node_count(size_t first, size_t end)
{
    size_t count = 0;
    for (; first < end; first += node_at(first, end))
        count++;
    return count;
}

typedef struct gram_job {
    psdvec_context *ctx;
    tiling tiles;
    pv_tall a, b;
    float *partial;   /* tiles of the batch x (a.columns x b.columns) */
    size_t batch;     /* its first tile ... */
    size_t batch_end; /* ... and its end, with whole nodes */
    double *nodes;    /* of this process x (a.columns x b.columns) */
    size_t done;      /* nodes before the batch */
    double *out;
    size_t count;
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

/* The sums of the nodes of a batch, for some cells. */
static psdvec_status sum_nodes(void *arg, size_t task, int worker)
{
    gram_job *job = arg;
    (void)worker;
    size_t from = task * tree_cells;
    size_t cells = job->count - from < tree_cells ? job->count - from : tree_cells;
    double *out = job->nodes + job->done * job->count + from, numbers[tree_cells];
    tree t;
    for (size_t tile = job->batch; tile < job->batch_end; out += job->count) {
        size_t node = node_at(tile, job->tiles.own.end_tile);
        for (size_t k = 0; k < node; k++, tile++) {
            const float *partial = job->partial + (tile - job->batch) * job->count + from;
            for (size_t c = 0; c < cells; c++)
                numbers[c] = (double)partial[c];
            tree_add(&t, k, 1, numbers, cells);
        }
        tree_total(&t, node, out, cells);
    }
    return PSDVEC_OK;
}

/* The sums of the nodes of this process, a batch of tiles at a time. */
static psdvec_status sum_own(gram_job *job)
{
    size_t end = job->tiles.own.end_tile;
    job->done = 0;
    for (job->batch = job->tiles.own.first_tile; job->batch < end; job->batch = job->batch_end) {
        size_t nodes = 0;
        job->batch_end = job->batch;
        while (job->batch_end < end &&
               job->batch_end + node_at(job->batch_end, end) - job->batch <= batch_most) {
            job->batch_end += node_at(job->batch_end, end);
            nodes++;
        }
        PV_TRY(pv_parallel_range(job->ctx, job->batch, job->batch_end, gram_tile, job));
        PV_TRY(pv_parallel_tasks(job->ctx, (job->count + tree_cells - 1) / tree_cells, sum_nodes,
                                 job));
        job->done += nodes;
    }
    return PSDVEC_OK;
}

/* Adds up the nodes of all members, which follow each other in the order of their tiles: `width`
 * numbers of each. */
static void sum_all(const gram_job *job, const double *nodes, size_t width, double *out)
{
    const pv_division *d = job->a.division;
    size_t tiles = pv_tile_count(job->tiles.n);
    for (size_t from = 0; from < width; from += tree_cells) {
        const double *at = nodes + from;
        size_t cells = width - from < tree_cells ? width - from : tree_cells;
        tree t;
        for (uint32_t r = 0; r < (d ? d->members : 1); r++) {
            pv_tiles share = d ? d->share[r] : job->tiles.own;
            size_t end = share.end_tile;
            for (size_t tile = share.first_tile; tile < end; tile += node_at(tile, end)) {
                tree_add(&t, tile, node_at(tile, end), at, cells);
                at += width;
            }
        }
        tree_total(&t, tiles, out + from, cells);
    }
}

/* The cells that a member adds up. */
static size_t first_cell(const gram_job *job, uint32_t rank, uint32_t members)
{
    return (size_t)((uint64_t)job->count * rank / members);
}

/* Each member adds up a range of cells over the nodes of all members, and sends the sums to the
 * others. packed: the numbers that are sent, then those that are received. */
static psdvec_status sum_together(gram_job *job, double *packed)
{
    psdvec_context *ctx = job->ctx;
    const pv_division *d = job->a.division;
    size_t own_nodes = node_count(job->tiles.own.first_tile, job->tiles.own.end_tile);
    size_t begin = first_cell(job, d->rank, d->members);
    size_t cells = first_cell(job, d->rank + 1, d->members) - begin;
    double *all = packed + own_nodes * job->count, *received = all;
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    for (uint32_t r = 0; r < d->members; r++) {
        size_t from = first_cell(job, r, d->members);
        size_t width = first_cell(job, r + 1, d->members) - from;
        size_t nodes = node_count(d->share[r].first_tile, d->share[r].end_tile);
        double *out = r == d->rank ? received : packed;
        for (size_t k = 0; k < own_nodes; k++)
            memcpy(out + k * width, job->nodes + k * job->count + from, width * sizeof *out);
        pv_group_send(ctx, r, out, own_nodes * width * sizeof *out);
        pv_group_receive(ctx, r, received, nodes * cells * sizeof *received);
        packed += r == d->rank ? 0 : own_nodes * width;
        received += nodes * cells;
    }
    PV_TRY(pv_group_move(ctx));
    sum_all(job, all, cells, job->out + begin);
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

/* The parts of a workspace, in numbers: of nodes, of what is sent and received, and of the partial
 * sums of a batch. */
typedef struct gram_room {
    size_t nodes, packed, batch;
} gram_room;

static gram_room room_of(size_t n, const pv_division *d, size_t count)
{
    pv_tiles own = pv_tiles_own(d, n);
    size_t tiles = own.end_tile - own.first_tile;
    gram_room room = {.nodes = node_count(own.first_tile, own.end_tile) * count,
                      .batch = (tiles < batch_most ? tiles : batch_most) * count};
    if (d)
        room.packed = room.nodes;
    for (uint32_t r = 0; d && r < d->members; r++)
        room.packed += node_count(d->share[r].first_tile, d->share[r].end_tile) *
                       (count / d->members + 1);
    return room;
}

static size_t bytes_of(gram_room room)
{
    return (room.nodes + room.packed) * sizeof(double) + room.batch * sizeof(float);
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
    gram_room room = room_of(n, a.division, job.count);
    if (workspace->bytes < bytes_of(room)) {
        pv_tall_workspace_free(ctx, workspace);
        workspace->data = pv_alloc(ctx, bytes_of(room), 1, "inner products");
        if (!workspace->data)
            return pv_failure(ctx);
        workspace->bytes = bytes_of(room);
    }
    job.nodes = workspace->data;
    job.partial = (float *)(void *)(job.nodes + room.nodes + room.packed);
    psdvec_status status = sum_own(&job);
    if (status == PSDVEC_OK && a.division)
        status = sum_together(&job, job.nodes + room.nodes);
    else if (status == PSDVEC_OK)
        sum_all(&job, job.nodes, job.count, out);
    pv_tall_workspace_free(ctx, &own);
    return status;
}

uint64_t pv_tall_gram_bytes(uint64_t n, const pv_division *division, uint64_t a_columns,
                            uint64_t b_columns)
{
    return bytes_of(room_of(n, division, a_columns * b_columns));
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
