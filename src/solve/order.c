/* Order vectors. Each word is handled by one worker: its row of the counts has the words that
 * follow it, and its column, gathered a block at a time, those that precede it.
 *
 * The members of a group have the rows of Q of their words, and send them to the others one after
 * the other, first for the rows of the counts and then for the columns. So a member holds the rows
 * of one other member at a time, and adds the same products in the same order as one process. */
#include "solve/order.h"

#include "base/group.h"
#include "solve/kernels.h"
#include "sparse/columns.h"

#include <math.h>
#include <string.h>

enum { most_blocks = 128 };

/* The entries of one row of K, first one direction, then the other. */
typedef struct scratch {
    pv_scope memory;
    uint32_t *column;
    float *value;
    size_t count, capacity;
} scratch;

typedef struct order_job {
    const pv_link *link;
    const pv_kernels *kernels;
    size_t dim;           /* directions */
    const float *Q;       /* (end - begin) x dim: the rows of words begin .. end-1 */
    uint32_t begin, end;  /* the pass is over pairs with these words: ... */
    bool after, before;   /* ... those that follow, those that precede */
    const float *mean;    /* words: m_i / sqrt(T) */
    float *A;             /* words of this member x dim */
    size_t stride, first; /* word of this member */
    scratch *scratch;     /* one per worker */
    pv_column_blocks blocks;
    pv_progress progress;
} order_job;

static void add_entry(const order_job *job, scratch *s, uint32_t i, uint32_t j, double x,
                      float sign)
{
    float expected = job->mean[i] * job->mean[j];
    s->column[s->count] = j - job->begin;
    s->value[s->count++] = sign * log1pf((float)x / (expected + 1));
}

static psdvec_status order_word(void *arg, pv_pair_row row, int worker)
{
    order_job *job = arg;
    const pv_link *link = job->link;
    const psdvec_row *after = &row.after, *before = &row.before;
    size_t first = 0, last = 0; /* of the words that follow */
    scratch *s = &job->scratch[worker];
    uint32_t i = row.i;
    float *a = job->A + (i - job->first) * job->stride;
    if (job->after) {
        first = pv_lower_bound(after->focus, after->length, job->begin);
        last = pv_lower_bound(after->focus, after->length, job->end);
    }
    if (last - first + before->length > s->capacity) {
        s->capacity = last - first + before->length;
        pv_scope_free(&s->memory);
        s->memory = (pv_scope){.ctx = link->ctx, .what = "the order of words"};
        PV_TAKE(&s->memory, s->column, s->capacity);
        PV_TAKE(&s->memory, s->value, s->capacity);
        PV_TRY(pv_scope_status(&s->memory));
    }
    s->count = 0;
    for (size_t k = first; k < last; k++)
        add_entry(job, s, i, after->focus[k],
                  pv_link_count(link, i, after->focus[k], pv_pair_value(after, k)), 1);
    for (size_t k = 0; k < before->length; k++)
        add_entry(job, s, i, before->focus[k],
                  pv_link_count(link, before->focus[k], i, pv_pair_value(before, k)), -1);
    job->kernels->row_product(s->column, s->value, s->count, job->Q, job->dim, a);
    pv_progress_add(&job->progress, s->count);
    return PSDVEC_OK;
}

typedef struct square_sum {
    const float *V;
    size_t rows, dim, directions;
} square_sum;

static void add_squares(const void *arg, double *sum)
{
    const square_sum *of = arg;
    for (size_t i = 0; i < of->rows; i++)
        for (size_t k = 0; k < of->directions; k++)
            sum[k] += (double)of->V[i * of->dim + k] * (double)of->V[i * of->dim + k];
}

/* The rows of Q that belong to the rows of V that are here. Sums over words are in double precision
 * and in order, so that the bits do not depend on the number of threads, and that of members. */
static psdvec_status unit_columns(psdvec_context *ctx, const float *V, size_t words, size_t dim,
                                  size_t directions, const pv_division *division, float *Q)
{
    square_sum of = {V, pv_rows_own(division, words), dim, directions};
    psdvec_status status;
    double *square = pv_alloc_zero(ctx, directions, sizeof *square, "the order of words");
    if (!square)
        return pv_failure(ctx);
    PV_TRY_DONE(pv_division_sum(division, add_squares, &of, square, directions));
    for (size_t k = 0; k < directions; k++)
        square[k] = square[k] > 0 ? 1 / sqrt(square[k]) : 0;
    for (size_t i = 0; i < of.rows; i++)
        for (size_t k = 0; k < directions; k++)
            Q[i * directions + k] = (float)((double)V[i * dim + k] * square[k]);
done:
    pv_free(ctx, square);
    return status;
}

/* Adds the products with the rows of Q that the job has. */
static psdvec_status add_products(order_job *job)
{
    pv_pair_walk walk = {.blocks = &job->blocks,
                         .row_only = !job->before,
                         .first_row = job->begin,
                         .end_row = job->end,
                         .on_row = order_word,
                         .arg = job};
    return pv_walk_pairs(job->link->ctx, &walk);
}

/* own: the rows of Q of this member; other: room for those of another. */
static psdvec_status add_in_turn(order_job *job, const pv_division *d, bool before,
                                 const float *own, float *other)
{
    size_t row = job->dim * sizeof *own, own_rows = pv_rows_own(d, d->n);
    job->after = !before;
    job->before = before;
    for (uint32_t r = 0; r < d->members; r++) {
        pv_tiles rows = d->share[r];
        if (rows.first == rows.end)
            continue;
        PV_TRY(pv_group_meet(d->ctx, 0, NULL));
        for (uint32_t to = 0; r == d->rank && to < d->members; to++)
            if (d->share[to].first < d->share[to].end)
                pv_group_send(d->ctx, to, own, (rows.end - rows.first) * row);
        if (r != d->rank && own_rows > 0)
            pv_group_receive(d->ctx, r, other, (rows.end - rows.first) * row);
        PV_TRY(pv_group_move(d->ctx));
        job->Q = r == d->rank ? own : other;
        job->begin = (uint32_t)rows.first;
        job->end = (uint32_t)rows.end;
        if (own_rows > 0)
            PV_TRY(add_products(job));
    }
    return PSDVEC_OK;
}

/* The largest number of rows of another member. */
static size_t most_rows(const pv_division *division)
{
    size_t most = 0;
    for (uint32_t r = 0; division && r < division->members; r++)
        if (r != division->rank)
            most = pv_larger(most, division->share[r].end - division->share[r].first);
    return most;
}

psdvec_status pv_order_vectors(const pv_link *link, const float *V, size_t dim, size_t directions,
                               const pv_division *division, float *A, size_t stride)
{
    psdvec_context *ctx = link->ctx;
    size_t words = link->words;
    psdvec_status status = PSDVEC_OK;
    pv_tiles own = pv_tiles_own(division, words);
    size_t rows = own.end - own.first;
    order_job job = {.link = link,
                     .kernels = pv_kernels_best(),
                     .dim = directions,
                     .A = A,
                     .stride = stride,
                     .first = own.first};
    pv_scope scope = {.ctx = ctx, .what = "the order of words"};
    float *Q = pv_scope_alloc(&scope, rows * directions, sizeof *Q, false);
    float *other = pv_scope_alloc(&scope, most_rows(division) * directions, sizeof *Q, false);
    float *mean = pv_scope_alloc(&scope, words, sizeof *mean, false);
    PV_TAKE_ZERO(&scope, job.scratch, (size_t)psdvec_threads(ctx));
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(unit_columns(ctx, V, words, dim, directions, division, Q));
    for (size_t i = 0; i < words; i++)
        mean[i] = (float)((link->context[i] + link->focus[i]) / 2 / sqrt(link->total));
    job.mean = mean;
    for (size_t i = 0; i < rows; i++)
        memset(A + i * stride, 0, directions * sizeof *A);
    if (rows > 0)
        PV_TRY_DONE(pv_column_blocks_make(ctx, link->counts->rows, (uint32_t)own.first,
                                          (uint32_t)own.end, most_blocks, &job.blocks));
    /* Pairs in both directions; a part of the words has about as many in either. */
    const pv_csr *counts = &link->counts->rows;
    pv_progress_begin(&job.progress, ctx, "order of words", "pairs",
                      rows > 0 ? 2 * (counts->end[own.end - 1] - counts->begin[own.first]) : 0);
    if (division) {
        PV_TRY_DONE(add_in_turn(&job, division, false, Q, other));
        PV_TRY_DONE(add_in_turn(&job, division, true, Q, other));
    } else {
        job.after = job.before = true;
        job.Q = Q;
        job.end = (uint32_t)words;
        PV_TRY_DONE(add_products(&job));
    }
    pv_progress_end(&job.progress);
done:
    pv_column_blocks_free(&job.blocks);
    for (int w = 0; job.scratch && w < psdvec_threads(ctx); w++)
        pv_scope_free(&job.scratch[w].memory);
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_order_bytes(uint64_t words, uint64_t directions, const pv_division *division,
                        uint64_t bigrams, int threads)
{
    uint64_t own = pv_rows_own(division, words);
    /* Rows of Q, the means, sums; blocks of columns; the longest row of K for each worker. */
    return ((own + most_rows(division)) * directions + words) * sizeof(float) +
           directions * sizeof(double) + pv_column_blocks_bytes(words, own, most_blocks, threads) +
           pv_gather_bytes(words, own, bigrams, most_blocks, threads) +
           (uint64_t)threads * 2 * words * (sizeof(uint32_t) + sizeof(float));
}
