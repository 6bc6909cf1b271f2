/* Neighbours of many vectors: matrix products find candidates, which are rescored by the kernel of
 * single queries.
 *
 *     queries (a batch of them)  x  a block of rows  ->  products  ->  candidates  ->  heaps
 *     batch x dim                   rows x dim           sgemm         margin          exact
 *
 * BLAS sums in a different order than the kernel of single queries (dot.h), so its products only
 * approximate the cosines of single queries. The error is bounded below, and the cosine of every
 * row whose product is within that bound of the worst neighbour so far is recomputed by the kernel.
 * So a batch gives the same words and bits as single queries, for any BLAS, any number of threads
 * and any batch size. Some tens of rows per query are computed twice.
 *
 * Each worker processes blocks of rows and has a heap for each query of the batch; at the end the
 * heaps are merged. Time: 2 count n dim operations by sgemm. Memory, in floats: batch x dim for the
 * queries; for each worker batch x rows for products, batch x most for heaps and, for models in
 * float16 and int8, rows x dim for a block as float32.
 */
#include "model/search.h"

#include "base/blas.h"
#include "base/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BATCH = 256,
    LEAST_BATCH = 4,         /* fewer queries are faster one by one */
    BLOCK_NUMBERS = 1 << 17, /* elements of a block of rows: about half of an L2 cache */
    LEAST_ROWS = 16,
    MOST_ROWS = 1024,
    GROUP = 16 /* products that are compared at a time */
};

/* ---- Error bound of a BLAS product -------------------------------------------------
 *
 * Let u = 2^-24. A dot product of n terms in single precision, summed in any order, has an error of
 * at most n u / (1 - n u) times the product of the two lengths (Higham, Accuracy and Stability of
 * Numerical Algorithms, section 3.1). That holds for BLAS and for our kernel, whose 16 partial sums
 * make its error smaller; dividing by the length, rounding the cosine, and the lengths of the
 * queries, which are 1 up to rounding, add a few u. The total is doubled, which costs a candidate
 * or two. */
static float margin_of(uint32_t dim)
{
    double u = 0x1p-24, n = (double)dim;
    double blas = n * u / (1 - n * u), kernel = (n / PV_DOT_LANES + PV_DOT_LANES) * u;
    return (float)(2 * (blas + kernel + 16 * u));
}

/* For more dimensions the bound would admit most rows, or not hold. */
static const uint32_t most_dim = 1 << 20;

typedef struct many_job {
    psdvec_context *ctx;
    const psdvec_model *model;
    const pv_vector_set *set;
    uint32_t words, dim; /* words that may be answers */
    const pv_query *query;
    float margin;
    size_t most; /* of neighbours, at most `words` */

    size_t first, count, batch; /* current queries: first .. first + count, count <= batch */
    float *units;               /* batch x dim */
    bool *asked;                /* batch: whether the query has a direction */
    uint32_t *except;           /* the lists of all queries, each sorted */

    size_t block_rows;
    _Atomic uint32_t bad;    /* as in search.c */
    float *inverse;          /* workers x block_rows: 1 / length; NAN: excluded */
    float *floats;           /* workers x block_rows x dim, unless the set is float32 */
    float *products;         /* workers x batch x block_rows */
    psdvec_neighbour *heaps; /* workers x batch x most */
    pv_best *bests;          /* workers x batch */
} many_job;

/* ---- Candidates ------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool is_excepted(const many_job *job, size_t q, uint32_t word)
{
    size_t count;
    const uint32_t *list = pv_query_except(job->query, job->first + q, &count);
    if (count == 0)
        return false;
    list = job->except + (list - job->query->options.except); /* its sorted copy */
    return bsearch(&word, list, count, sizeof word, by_number) != NULL;
}

/* The least value of a candidate's product divided by its length. */
static float needed(const many_job *job, const pv_best *best)
{
    float least = (float)job->query->options.min_score;
    if (best->count == best->most && best->heap[0].cosine > least)
        least = best->heap[0].cosine;
    return least - job->margin;
}

/* The first k >= from with products[k] * inverse[k] >= need, or n. */
static size_t next_candidate(const float *products, const float *inverse, size_t from, size_t n,
                             float need)
{
    for (; from < n && from % GROUP; from++)
        if (products[from] * inverse[from] >= need)
            return from;
    for (; from + GROUP <= n; from += GROUP) {
        int any = 0;
        for (size_t k = 0; k < GROUP; k++)
            any |= products[from + k] * inverse[from + k] >= need;
        if (any)
            break;
    }
    for (; from < n; from++)
        if (products[from] * inverse[from] >= need)
            return from;
    return n;
}

/* Row r of a block that begins with word `first`. */
static void try_row(const many_job *job, pv_best *best, size_t q, const pv_vector_set *block,
                    size_t first, size_t r)
{
    uint32_t word = (uint32_t)(first + r);
    const float *unit = job->units + q * job->dim;
    double cosine;
    if (is_excepted(job, q, word) || !pv_query_frequent(job->model, job->query, word) ||
        !pv_row_cosines(block, r, &unit, 1, &cosine))
        return;
    psdvec_neighbour here = {.word = word, .cosine = (float)cosine};
    if (here.cosine >= job->query->options.min_score)
        pv_best_try(best, here);
}

/* Scores one block of rows for all queries of the batch. */
static psdvec_status search_block(void *arg, size_t task, int worker)
{
    many_job *job = arg;
    size_t dim = job->dim, first = task * job->block_rows, left = job->words - first;
    size_t length = left < job->block_rows ? left : job->block_rows;
    float *floats = job->floats ? job->floats + (size_t)worker * job->block_rows * dim : NULL;
    const float *rows = pv_vector_set_floats_of(job->set, first, length, floats);
    const pv_vector_set block = pv_vector_set_floats((uint32_t)length, job->dim, rows);
    float *inverse = job->inverse + (size_t)worker * job->block_rows;
    float *products = job->products + (size_t)worker * job->batch * job->block_rows;
    pv_best *bests = job->bests + (size_t)worker * job->batch;

    for (size_t r = 0; r < length; r++) {
        float square = block.dots(rows + r * dim, 1, NULL, 0, dim, NULL);
        bool fine = pv_square_is_exact(square);
        inverse[r] = fine ? 1 / sqrtf(square) : NAN;
        if (!fine)
            pv_search_note_bad(&job->bad, pv_vector_set_length(&block, r), first + r);
        for (size_t q = 0; q < job->count && !fine; q++)
            if (job->asked[q])
                try_row(job, &bests[q], q, &block, first, r);
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)job->count, (int)length, (int)dim, 1,
                job->units, (int)dim, rows, (int)dim, 0, products, (int)job->block_rows);
    for (size_t q = 0; q < job->count; q++) {
        const float *here = products + q * job->block_rows;
        float need = needed(job, &bests[q]);
        for (size_t r = 0; job->asked[q]; r++) {
            r = next_candidate(here, inverse, r, length, need);
            if (r == length)
                break;
            try_row(job, &bests[q], q, &block, first, r);
            need = needed(job, &bests[q]);
        }
    }
    return PSDVEC_OK;
}

/* ---- Batches ----------------------------------------------------------------------------- */

static psdvec_status allocate(many_job *job, pv_scope *scope)
{
    const psdvec_query_options *o = &job->query->options;
    size_t workers = (size_t)psdvec_threads(job->ctx), cells = workers * job->batch;
    PV_TAKE(scope, job->units, job->batch * job->dim);
    PV_TAKE(scope, job->asked, job->batch);
    PV_TAKE(scope, job->except, o->except_count);
    PV_TAKE(scope, job->inverse, workers * job->block_rows);
    if (job->set->precision != PSDVEC_FLOAT32)
        job->floats =
            pv_scope_alloc(scope, workers * job->block_rows, job->dim * sizeof *job->floats, false);
    PV_TAKE(scope, job->products, cells * job->block_rows);
    PV_TAKE(scope, job->heaps, cells * job->most);
    PV_TAKE(scope, job->bests, cells);
    PV_TRY(pv_scope_status(scope));
    if (o->except_count == 0)
        return PSDVEC_OK;
    memcpy(job->except, o->except, o->except_count * sizeof *job->except);
    for (size_t q = 0; q < (o->except_begin ? job->query->count : 1); q++) {
        size_t count;
        const uint32_t *list = pv_query_except(job->query, q, &count);
        if (count)
            qsort(job->except + (list - o->except), count, sizeof *list, by_number);
    }
    return PSDVEC_OK;
}

/* neighbours: count x stride */
static psdvec_status search_batch(many_job *job, const float *vectors, size_t stride,
                                  psdvec_neighbour *neighbours, size_t *found)
{
    size_t workers = (size_t)psdvec_threads(job->ctx);
    PV_TRY(pv_blas_ready(job->ctx));
    for (size_t q = 0; q < job->count; q++)
        job->asked[q] = pv_unit_vector(vectors + q * job->dim, job->dim, job->units + q * job->dim);
    for (size_t k = 0; k < workers * job->batch; k++)
        job->bests[k] = (pv_best){.heap = job->heaps + k * job->most, .most = job->most};
    PV_TRY(pv_parallel_tasks(job->ctx, (job->words + job->block_rows - 1) / job->block_rows,
                             search_block, job));
    if (atomic_load(&job->bad) < job->words)
        PV_TRY(pv_model_check_word(job->ctx, job->model, atomic_load(&job->bad)));
    for (size_t q = 0; q < job->count; q++) {
        pv_best *all = &job->bests[q];
        for (size_t w = 1; w < workers; w++) {
            const pv_best *some = &job->bests[w * job->batch + q];
            for (size_t k = 0; k < some->count; k++)
                pv_best_try(all, some->heap[k]);
        }
        pv_best_sort(all);
        memcpy(neighbours + q * stride, all->heap, all->count * sizeof *neighbours);
        found[q] = all->count;
    }
    return PSDVEC_OK;
}

/* ---- Complete searches ----------------------------------------------------------------------- */

static size_t rows_of_block(uint32_t dim)
{
    size_t rows = BLOCK_NUMBERS / dim / LEAST_ROWS * LEAST_ROWS;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t pv_search_many_batch(psdvec_context *ctx, const psdvec_model *m, const pv_query *query,
                            size_t most)
{
    if (m->info.sparse || m->info.dim > most_dim || query->count < LEAST_BATCH)
        return 0;
    size_t rows = rows_of_block(m->info.dim), kept = at_most(most, query->words);
    uint64_t a_worker = sizeof(float) * rows + sizeof(psdvec_neighbour) * kept + sizeof(pv_best);
    uint64_t a_query = sizeof(float) * m->info.dim + (uint64_t)psdvec_threads(ctx) * a_worker;
    uint64_t fitting = pv_memory_left(ctx) / 2 / a_query;
    size_t batch = at_most(query->count, MOST_BATCH);
    batch = fitting < batch ? (size_t)fitting : batch;
    return batch < LEAST_BATCH ? 0 : batch;
}

psdvec_status pv_search_many(psdvec_context *ctx, const psdvec_model *m, const pv_query *query,
                             const float *vectors, size_t batch, size_t most,
                             psdvec_neighbour *neighbours, size_t *found)
{
    many_job job = {.ctx = ctx,
                    .model = m,
                    .set = &m->readout,
                    .words = query->words,
                    .dim = m->info.dim,
                    .query = query,
                    .margin = margin_of(m->info.dim),
                    .most = at_most(most, query->words),
                    .batch = batch,
                    .block_rows = rows_of_block(m->info.dim)};
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the search"};
    atomic_init(&job.bad, job.words);
    PV_TRY_DONE(allocate(&job, &scope));
    for (; job.first < query->count; job.first += job.count) {
        job.count = at_most(query->count - job.first, batch);
        PV_TRY_DONE(search_batch(&job, vectors + job.first * job.dim, most,
                                 neighbours + job.first * most, found + job.first));
    }
done:
    pv_scope_free(&scope);
    return status;
}
