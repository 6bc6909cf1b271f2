/* Order vectors. Each word is handled by one worker: its row of the counts has the words that
 * follow it, and its column, gathered a block at a time, those that precede it. */
#include "solve/order.h"

#include "base/memory.h"
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
    const float *Q;       /* words x dim */
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
    s->column[s->count] = j;
    s->value[s->count++] = sign * log1pf((float)x / (expected + 1));
}

static psdvec_status order_word(void *arg, pv_pair_row row, int worker)
{
    const order_job *job = arg;
    const pv_link *link = job->link;
    const psdvec_row *after = &row.after, *before = &row.before;
    scratch *s = &job->scratch[worker];
    uint32_t i = row.i;
    float *a = job->A + (i - job->first) * job->stride;
    if (after->length + before->length > s->capacity) {
        s->capacity = after->length + before->length;
        pv_scope_free(&s->memory);
        s->memory = (pv_scope){.ctx = link->ctx, .what = "the order of words"};
        PV_TAKE(&s->memory, s->column, s->capacity);
        PV_TAKE(&s->memory, s->value, s->capacity);
        PV_TRY(pv_scope_status(&s->memory));
    }
    memset(a, 0, job->dim * sizeof *a);
    s->count = 0;
    for (size_t k = 0; k < after->length; k++)
        add_entry(job, s, i, after->focus[k],
                  pv_link_count(link, i, after->focus[k], pv_pair_value(after, k)), 1);
    for (size_t k = 0; k < before->length; k++)
        add_entry(job, s, i, before->focus[k],
                  pv_link_count(link, before->focus[k], i, pv_pair_value(before, k)), -1);
    job->kernels->row_product(s->column, s->value, s->count, job->Q, job->dim, a);
    return PSDVEC_OK;
}

/* Q from V. Sums over words are in double precision and in order, so that the bits do not depend on
 * the number of threads. */
static psdvec_status unit_columns(psdvec_context *ctx, const float *V, size_t words, size_t dim,
                                  size_t directions, float *Q)
{
    double *square = pv_alloc_zero(ctx, directions, sizeof *square, "the order of words");
    if (!square)
        return pv_failure(ctx);
    for (size_t i = 0; i < words; i++)
        for (size_t k = 0; k < directions; k++)
            square[k] += (double)V[i * dim + k] * (double)V[i * dim + k];
    for (size_t k = 0; k < directions; k++)
        square[k] = square[k] > 0 ? 1 / sqrt(square[k]) : 0;
    for (size_t i = 0; i < words; i++)
        for (size_t k = 0; k < directions; k++)
            Q[i * directions + k] = (float)((double)V[i * dim + k] * square[k]);
    pv_free(ctx, square);
    return PSDVEC_OK;
}

psdvec_status pv_order_vectors(const pv_link *link, const float *V, size_t dim, size_t directions,
                               const pv_division *division, float *A, size_t stride)
{
    psdvec_context *ctx = link->ctx;
    size_t words = link->words;
    psdvec_status status = PSDVEC_OK;
    pv_tiles own = pv_tiles_own(division, words);
    order_job job = {.link = link,
                     .kernels = pv_kernels_best(),
                     .dim = directions,
                     .A = A,
                     .stride = stride,
                     .first = own.first};
    if (own.first == own.end)
        return PSDVEC_OK;
    pv_scope scope = {.ctx = ctx, .what = "the order of words"};
    float *Q = pv_scope_alloc(&scope, words * directions, sizeof *Q, false);
    float *mean = pv_scope_alloc(&scope, words, sizeof *mean, false);
    PV_TAKE_ZERO(&scope, job.scratch, (size_t)psdvec_threads(ctx));
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(unit_columns(ctx, V, words, dim, directions, Q));
    for (size_t i = 0; i < words; i++)
        mean[i] = (float)((link->context[i] + link->focus[i]) / 2 / sqrt(link->total));
    job.Q = Q;
    job.mean = mean;
    PV_TRY_DONE(pv_column_blocks_make(ctx, link->counts->rows, (uint32_t)own.first,
                                      (uint32_t)own.end, most_blocks, &job.blocks));
    const pv_csr *rows = &link->counts->rows;
    pv_progress_begin(&job.progress, ctx, "order of words", "pairs",
                      rows->end[own.end - 1] - rows->begin[own.first]);
    pv_pair_walk walk = {
        .blocks = &job.blocks, .progress = &job.progress, .on_row = order_word, .arg = &job};
    status = pv_walk_pairs(ctx, &walk);
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
    /* Q and the means; blocks of columns; the longest row of K for each worker. */
    return words * (directions + 1) * sizeof(float) + directions * sizeof(double) +
           pv_column_blocks_bytes(words, own, most_blocks, threads) +
           pv_gather_bytes(words, own, bigrams, most_blocks, threads) +
           (uint64_t)threads * 2 * words * (sizeof(uint32_t) + sizeof(float));
}
