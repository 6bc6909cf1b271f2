/* The nearest neighbours of all rows, by Euclidean distance.
 *
 *     queries (a block)  x  a tile of rows  ->  products  ->  heaps  ->  exact distances
 *
 * |a - b|^2 = |a|^2 - 2 (a b - |b|^2 / 2), so the neighbours of a are the rows with the largest
 * a b - |b|^2 / 2. sgemm computes the products; the distances of those found are computed again in
 * double precision, because the formula loses the digits of small distances.
 *
 * Up to a number of words (`exact`), each row is compared with all others; the products of two
 * blocks of rows are computed once and tried for the rows of both. Above it, rows are divided into
 * cells by k-means, and the rows of a cell are compared with those of the cells whose centres are
 * nearest. Blocks, tiles and cells depend on the rows only, and what a heap keeps does not depend on
 * the order in which rows are tried, so the result is the same for any number of threads.
 *
 * Time: count^2 dim operations if exact, else about 2 count x PROBES x CELL_ROWS x dim.
 */
#include "map/layout.h"

#include "base/blas.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/thread.h"
#include "model/search.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SQUARE = 384,         /* rows of a block, if exact */
    BLOCK = 192,          /* queries, in cells */
    TILE = 512,           /* rows */
    GROUP = 32,           /* products that are compared at a time; compilers vectorise 32, not 16 */
    CELL_ROWS = 1000,     /* mean size of a cell */
    PROBES = 24,          /* cells that are searched */
    SAMPLE_ROWS = 64,     /* of each cell, from which its centre is found */
    SAMPLE_ROUNDS = 8,    /* of k-means */
    PURPOSE = 0x6d617063, /* of random numbers */
};

typedef struct query_block {
    uint32_t first, count, cell; /* queries: rows in the order of cells */
} query_block;

typedef struct search_job {
    psdvec_context *ctx;
    const pv_map_rows *rows;
    size_t n, dim, most;
    uint32_t *order;     /* n: rows in the order of cells; NULL: as they are */
    const float *sorted; /* n x dim: the rows in that order */
    float *bias;         /* n: -|b|^2 / 2 */
    uint32_t cells;
    uint32_t *begin;      /* cells + 1: of the rows of a cell, in the order of cells */
    uint32_t *near;       /* cells x cells: cells by the distance of their centres */
    uint32_t *near_count; /* cells: how many of them are searched */
    query_block *blocks;
    size_t block_count;
    float *products;         /* workers x BLOCK x TILE, or SQUARE x SQUARE if exact */
    psdvec_neighbour *heaps; /* workers x BLOCK x most, or n x most if exact */
    pv_best *bests;          /* workers x BLOCK, or n if exact */
    float *need;             /* n, if exact: the least score that a heap accepts */
    pthread_mutex_t *locks;  /* of the heaps of a block, if exact */
    pv_map_neighbours *out;
    pv_progress progress;
} search_job;

/* ---- Cells --------------------------------------------------------------------------------- */

typedef struct cells_job {
    psdvec_context *ctx;
    const pv_map_rows *rows;
    const uint32_t *sample; /* rows; NULL: all */
    size_t count, cells;
    float *centres;  /* cells x dim */
    float *bias;     /* cells */
    uint32_t *cell;  /* count: the nearest centre */
    float *products; /* workers x TILE x cells */
    float *tiles;    /* workers x TILE x dim */
} cells_job;

static psdvec_status assign_tile(void *arg, size_t task, int worker)
{
    cells_job *job = arg;
    size_t dim = job->rows->dim, first = task * TILE, left = job->count - first;
    size_t length = left < TILE ? left : TILE, cells = job->cells;
    float *products = job->products + (size_t)worker * TILE * cells;
    float *tile = job->tiles + (size_t)worker * TILE * dim;
    const float *from = job->rows->data + first * dim;
    if (job->sample) {
        for (size_t r = 0; r < length; r++)
            memcpy(tile + r * dim, job->rows->data + job->sample[first + r] * dim,
                   dim * sizeof *tile);
        from = tile;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)length, (int)cells, (int)dim, 1, from,
                (int)dim, job->centres, (int)dim, 0, products, (int)cells);
    for (size_t r = 0; r < length; r++) {
        const float *row = products + r * cells;
        size_t best = 0;
        for (size_t c = 1; c < cells; c++)
            best = row[c] + job->bias[c] > row[best] + job->bias[best] ? c : best;
        job->cell[first + r] = (uint32_t)best;
    }
    return PSDVEC_OK;
}

static float bias_of(const float *row, size_t dim)
{
    double square = 0;
    for (size_t k = 0; k < dim; k++)
        square += (double)row[k] * (double)row[k];
    return (float)(-square / 2);
}

static psdvec_status assign(cells_job *job)
{
    for (size_t c = 0; c < job->cells; c++)
        job->bias[c] = bias_of(job->centres + c * job->rows->dim, job->rows->dim);
    PV_TRY(pv_parallel_tasks(job->ctx, (job->count + TILE - 1) / TILE, assign_tile, job));
    return pv_check_cancel(job->ctx);
}

/* Centres by k-means on a sample of the rows; centres without rows stay where they are. */
static psdvec_status find_centres(cells_job *job, uint32_t *sample, double *sums, uint32_t *sizes)
{
    size_t n = job->rows->count, dim = job->rows->dim, cells = job->cells;
    size_t wanted = cells * SAMPLE_ROWS < n ? cells * SAMPLE_ROWS : n;
    for (size_t k = 0; k < wanted; k++) /* one of each of `wanted` ranges */
        sample[k] =
            (uint32_t)((k * n + pv_random_u64(job->ctx->options.seed, PURPOSE, k) % n) / wanted);
    for (size_t c = 0; c < cells; c++)
        memcpy(job->centres + c * dim, job->rows->data + sample[c * wanted / cells] * dim,
               dim * sizeof *job->centres);
    job->sample = sample;
    job->count = wanted;
    for (int round = 0; round < SAMPLE_ROUNDS; round++) {
        PV_TRY(assign(job));
        memset(sums, 0, cells * dim * sizeof *sums);
        memset(sizes, 0, cells * sizeof *sizes);
        for (size_t s = 0; s < wanted; s++) {
            const float *row = job->rows->data + sample[s] * dim;
            double *sum = sums + job->cell[s] * dim;
            sizes[job->cell[s]]++;
            for (size_t k = 0; k < dim; k++)
                sum[k] += (double)row[k];
        }
        for (size_t c = 0; c < cells; c++)
            for (size_t k = 0; k < dim && sizes[c]; k++)
                job->centres[c * dim + k] = (float)(sums[c * dim + k] / sizes[c]);
    }
    job->sample = NULL;
    job->count = n;
    return assign(job);
}

typedef struct near_cell {
    double square;
    uint32_t cell;
} near_cell;

static int by_square(const void *a, const void *b)
{
    const near_cell *x = a, *y = b;
    if (x->square != y->square)
        return x->square < y->square ? -1 : 1;
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* The cells that are searched for each cell: the nearest ones, with enough rows. */
static void find_near(search_job *job, const float *centres, near_cell *list)
{
    for (uint32_t c = 0; c < job->cells; c++) {
        const float *a = centres + c * job->dim;
        for (uint32_t d = 0; d < job->cells; d++) {
            const float *b = centres + d * job->dim;
            double square = 0;
            for (size_t k = 0; k < job->dim; k++)
                square += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
            list[d] = (near_cell){d == c ? -1 : square, d};
        }
        qsort(list, job->cells, sizeof *list, by_square);
        size_t rows = 0;
        uint32_t used = 0;
        while (used < job->cells && (used < PROBES || rows <= 4 * job->most)) {
            uint32_t d = list[used].cell;
            rows += job->begin[d + 1] - job->begin[d];
            job->near[(size_t)c * job->cells + used++] = d;
        }
        job->near_count[c] = used;
    }
}

static size_t cells_for(size_t n)
{
    return (n + CELL_ROWS - 1) / CELL_ROWS;
}

static psdvec_status make_cells(search_job *job, pv_scope *scope)
{
    size_t n = job->n, dim = job->dim, workers = (size_t)psdvec_threads(job->ctx);
    pv_scope temp = {.ctx = job->ctx, .what = "the cells of the map"};
    cells_job cells = {.ctx = job->ctx, .rows = job->rows, .cells = cells_for(n)};
    uint32_t *sample, *sizes;
    double *sums;
    near_cell *list;
    float *sorted;
    psdvec_status status;
    job->cells = (uint32_t)cells.cells;
    PV_TAKE(scope, job->order, n);
    PV_TAKE(scope, sorted, n * dim);
    PV_TAKE_ZERO(scope, job->begin, cells.cells + 2);
    PV_TAKE(scope, job->near, cells.cells * cells.cells);
    PV_TAKE(scope, job->near_count, cells.cells);
    PV_TRY_DONE(pv_scope_status(scope));
    PV_TAKE(&temp, cells.centres, cells.cells * dim);
    PV_TAKE(&temp, cells.bias, cells.cells);
    PV_TAKE(&temp, cells.cell, n);
    PV_TAKE(&temp, cells.products, workers * TILE * cells.cells);
    PV_TAKE(&temp, cells.tiles, workers * TILE * dim);
    PV_TAKE(&temp, sample, cells.cells * SAMPLE_ROWS);
    PV_TAKE(&temp, sizes, cells.cells);
    PV_TAKE(&temp, sums, cells.cells * dim);
    PV_TAKE(&temp, list, cells.cells);
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(find_centres(&cells, sample, sums, sizes));
    for (size_t i = 0; i < n; i++)
        job->begin[cells.cell[i] + 2]++;
    for (size_t c = 0; c < cells.cells; c++)
        job->begin[c + 2] += job->begin[c + 1];
    for (size_t i = 0; i < n; i++) {
        uint32_t at = job->begin[cells.cell[i] + 1]++;
        job->order[at] = (uint32_t)i;
        memcpy(sorted + at * dim, job->rows->data + i * dim, dim * sizeof *sorted);
    }
    job->sorted = sorted;
    find_near(job, cells.centres, list);
done:
    pv_scope_free(&temp);
    return status;
}

/* ---- Search ------------------------------------------------------------------------------------ */

static void multiply(const search_job *job, uint32_t first, size_t count, uint32_t other,
                     size_t length, float *products, size_t stride)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)length, (int)job->dim, 1,
                job->sorted + (size_t)first * job->dim, (int)job->dim,
                job->sorted + (size_t)other * job->dim, (int)job->dim, 0, products, (int)stride);
}

/* The least score that a heap accepts. */
static float need_of(const pv_best *best)
{
    return best->count == best->most ? best->heap[0].cosine : -INFINITY;
}

/* Tries the rows first .. first + length - 1 for a query, whose products with them are `row`. */
static void try_rows(pv_best *best, uint32_t query, const float *row, const float *bias,
                     uint32_t first, size_t length)
{
    float need = need_of(best);
    for (size_t r = 0; r < length; r++) {
        if (r % GROUP == 0 && r + GROUP <= length) {
            int any = 0;
            for (size_t k = 0; k < GROUP; k++)
                any |= row[r + k] + bias[r + k] >= need ? -1 : 0; /* a mask, as vectors have it */
            if (!any) {
                r += GROUP - 1;
                continue;
            }
        }
        float score = row[r] + bias[r];
        if (score >= need && first + r != query) {
            pv_best_try(best, (psdvec_neighbour){(uint32_t)(first + r), score});
            need = need_of(best);
        }
    }
}

/* The reverse: tries a row for the queries first .. first + length - 1, whose heaps are `bests`. */
static void try_row(pv_best *bests, float *need, uint32_t row, const float *products, float bias,
                    size_t length)
{
    for (size_t q = 0; q < length; q++) {
        if (q % GROUP == 0 && q + GROUP <= length) {
            int any = 0;
            for (size_t k = 0; k < GROUP; k++)
                any |= products[q + k] + bias >= need[q + k] ? -1 : 0;
            if (!any) {
                q += GROUP - 1;
                continue;
            }
        }
        float score = products[q] + bias;
        if (score >= need[q]) {
            pv_best_try(&bests[q], (psdvec_neighbour){row, score});
            need[q] = need_of(&bests[q]);
        }
    }
}

/* By exact distance, ties by index. */
static void sort_found(const search_job *job, uint32_t row, pv_best *best)
{
    uint32_t *list = job->out->list + (size_t)row * job->most;
    float *distance = job->out->distance + (size_t)row * job->most;
    for (size_t k = 0; k < best->count; k++) {
        uint32_t at = best->heap[k].word;
        best->heap[k].word = job->order ? job->order[at] : at;
        best->heap[k].cosine = (float)-pv_map_square(job->rows, row, best->heap[k].word);
    }
    size_t count = best->count;
    best->count = 0; /* inserted again, into a heap by distance */
    for (size_t k = 0; k < count; k++)
        pv_best_try(best, best->heap[k]);
    pv_best_sort(best);
    for (size_t k = 0; k < count; k++) {
        list[k] = best->heap[k].word;
        distance[k] = sqrtf(-best->heap[k].cosine);
    }
}

/* In cells. */
static psdvec_status search_block(void *arg, size_t task, int worker)
{
    search_job *job = arg;
    const query_block *b = &job->blocks[task];
    float *products = job->products + (size_t)worker * BLOCK * TILE;
    pv_best *bests = job->bests + (size_t)worker * BLOCK;
    for (size_t q = 0; q < b->count; q++)
        bests[q] = (pv_best){.heap = job->heaps + ((size_t)worker * BLOCK + q) * job->most,
                             .most = job->most};
    for (uint32_t c = 0; c < job->near_count[b->cell]; c++) {
        uint32_t cell = job->near[(size_t)b->cell * job->cells + c];
        for (uint32_t first = job->begin[cell]; first < job->begin[cell + 1]; first += TILE) {
            size_t left = job->begin[cell + 1] - first, length = left < TILE ? left : TILE;
            multiply(job, b->first, b->count, first, length, products, TILE);
            for (uint32_t q = 0; q < b->count; q++)
                try_rows(&bests[q], b->first + q, products + (size_t)q * TILE, job->bias + first,
                         first, length);
        }
        if (pv_stopping(job->ctx))
            return PSDVEC_OK;
    }
    for (uint32_t q = 0; q < b->count; q++)
        sort_found(job, job->order[b->first + q], &bests[q]);
    pv_progress_add(&job->progress, b->count);
    return PSDVEC_OK;
}

static size_t square_rows(const search_job *job, size_t block)
{
    size_t left = job->n - block * SQUARE;
    return left < SQUARE ? left : SQUARE;
}

/* Compares the rows of a block with those of all later ones, and with each other. */
static psdvec_status search_squares(void *arg, size_t block, int worker)
{
    search_job *job = arg;
    float *products = job->products + (size_t)worker * SQUARE * SQUARE;
    uint32_t first = (uint32_t)(block * SQUARE);
    size_t count = square_rows(job, block), blocks = (job->n + SQUARE - 1) / SQUARE;
    for (size_t other = block; other < blocks; other++) {
        uint32_t begin = (uint32_t)(other * SQUARE);
        size_t length = square_rows(job, other);
        multiply(job, first, count, begin, length, products, SQUARE);
        pthread_mutex_lock(&job->locks[block]);
        for (uint32_t q = 0; q < count; q++) {
            pv_best *best = &job->bests[first + q];
            try_rows(best, first + q, products + (size_t)q * SQUARE, job->bias + begin, begin,
                     length);
            job->need[first + q] = need_of(best);
        }
        pthread_mutex_unlock(&job->locks[block]);
        if (other > block) {
            pthread_mutex_lock(&job->locks[other]);
            for (uint32_t r = 0; r < count; r++)
                try_row(job->bests + begin, job->need + begin, first + r,
                        products + (size_t)r * SQUARE, job->bias[first + r], length);
            pthread_mutex_unlock(&job->locks[other]);
        }
        if (pv_stopping(job->ctx))
            return PSDVEC_OK;
        pv_progress_add(&job->progress, 1);
    }
    return PSDVEC_OK;
}

static psdvec_status sort_square(void *arg, size_t block, int worker)
{
    search_job *job = arg;
    (void)worker;
    for (size_t q = 0; q < square_rows(job, block); q++)
        sort_found(job, (uint32_t)(block * SQUARE + q), &job->bests[block * SQUARE + q]);
    return PSDVEC_OK;
}

static void take_biases(search_job *job)
{
    for (size_t i = 0; i < job->n; i++)
        job->bias[i] = bias_of(job->sorted + i * job->dim, job->dim);
}

static psdvec_status search_all(search_job *job, pv_scope *scope)
{
    size_t n = job->n, blocks = (n + SQUARE - 1) / SQUARE, made = 0;
    size_t workers = (size_t)psdvec_threads(job->ctx);
    psdvec_status status;
    job->sorted = job->rows->data;
    PV_TAKE(scope, job->bias, n);
    PV_TAKE(scope, job->products, workers * SQUARE * SQUARE);
    PV_TAKE(scope, job->heaps, n * job->most);
    PV_TAKE(scope, job->bests, n);
    PV_TAKE(scope, job->need, n);
    PV_TAKE(scope, job->locks, blocks);
    PV_TRY(pv_scope_status(scope));
    take_biases(job);
    for (size_t i = 0; i < n; i++) {
        job->bests[i] = (pv_best){.heap = job->heaps + i * job->most, .most = job->most};
        job->need[i] = -INFINITY;
    }
    for (; made < blocks; made++)
        pthread_mutex_init(&job->locks[made], NULL);
    pv_progress_begin(&job->progress, job->ctx, "neighbours", "blocks", blocks * (blocks + 1) / 2);
    PV_TRY_DONE(pv_parallel_tasks(job->ctx, blocks, search_squares, job));
    PV_TRY_DONE(pv_check_cancel(job->ctx));
    PV_TRY_DONE(pv_parallel_tasks(job->ctx, blocks, sort_square, job));
    status = pv_check_cancel(job->ctx);
done:
    while (made > 0)
        pthread_mutex_destroy(&job->locks[--made]);
    return status;
}

static psdvec_status search_cells(search_job *job, pv_scope *scope)
{
    size_t n = job->n, workers = (size_t)psdvec_threads(job->ctx);
    PV_TRY(make_cells(job, scope));
    PV_TAKE(scope, job->bias, n);
    PV_TAKE(scope, job->blocks, n / BLOCK + job->cells + 1);
    PV_TAKE(scope, job->products, workers * BLOCK * TILE);
    PV_TAKE(scope, job->heaps, workers * BLOCK * job->most);
    PV_TAKE(scope, job->bests, workers * BLOCK);
    PV_TRY(pv_scope_status(scope));
    take_biases(job);
    for (uint32_t cell = 0; cell < job->cells; cell++)
        for (uint32_t first = job->begin[cell]; first < job->begin[cell + 1]; first += BLOCK) {
            uint32_t left = job->begin[cell + 1] - first;
            job->blocks[job->block_count++] =
                (query_block){first, left < BLOCK ? left : BLOCK, cell};
        }
    pv_progress_begin(&job->progress, job->ctx, "neighbours", "words", n);
    PV_TRY(pv_parallel_tasks(job->ctx, job->block_count, search_block, job));
    return pv_check_cancel(job->ctx);
}

psdvec_status pv_map_neighbours_find(psdvec_context *ctx, const pv_map_rows *rows, uint32_t most,
                                     bool exact, pv_map_neighbours *neighbours)
{
    size_t n = rows->count;
    pv_scope scope = {.ctx = ctx, .what = "the search for neighbours"};
    search_job job = {
        .ctx = ctx, .rows = rows, .n = n, .dim = rows->dim, .most = most, .out = neighbours};
    psdvec_status status;
    *neighbours = (pv_map_neighbours){.scope = {.ctx = ctx, .what = "the neighbours of the words"},
                                      .most = most};
    PV_TAKE(&neighbours->scope, neighbours->list, n * most);
    PV_TAKE(&neighbours->scope, neighbours->distance, n * most);
    PV_TRY_DONE(pv_scope_status(&neighbours->scope));
    PV_TRY_DONE(pv_blas_ready(ctx));
    PV_TRY_DONE(exact ? search_all(&job, &scope) : search_cells(&job, &scope));
    pv_progress_end(&job.progress);
done:
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_map_neighbours_bytes(psdvec_context *ctx, uint32_t count, uint32_t dim, uint32_t most,
                                 bool exact)
{
    uint64_t n = count, workers = (uint64_t)psdvec_threads(ctx), cells = cells_for(n);
    uint64_t bytes = n * most * (sizeof(uint32_t) + sizeof(float)) + n * sizeof(float);
    if (exact)
        return bytes + workers * SQUARE * SQUARE * sizeof(float) +
               n * (most * sizeof(psdvec_neighbour) + sizeof(pv_best) + sizeof(float)) +
               (n / SQUARE + 1) * sizeof(pthread_mutex_t);
    return bytes + (n / BLOCK + cells + 1) * sizeof(query_block) +
           workers * BLOCK *
               (TILE * sizeof(float) + most * sizeof(psdvec_neighbour) + sizeof(pv_best)) +
           n * (2 * sizeof(uint32_t) + dim * sizeof(float)) +
           cells * (cells + 3) * sizeof(uint32_t) + cells * (dim + 1) * sizeof(float) +
           workers * TILE * (cells + dim) * sizeof(float) +
           cells *
               ((SAMPLE_ROWS + 1) * sizeof(uint32_t) + dim * sizeof(double) + sizeof(near_cell));
}

void pv_map_neighbours_free(pv_map_neighbours *neighbours)
{
    pv_scope_free(&neighbours->scope);
}
