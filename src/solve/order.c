/* Order vectors. Each word is one worker's: its row of the counts are the words behind it, its
 * column, gathered a block at a time, those before it. */
#include "solve/order.h"

#include "base/memory.h"
#include "base/progress.h"
#include "base/thread.h"
#include "solve/kernels.h"
#include "sparse/columns.h"

#include <math.h>
#include <string.h>

enum { most_blocks = 128 };

typedef struct order_job {
    const pv_link *link;
    const pv_kernels *kernels;
    size_t dim;        /* directions */
    const float *Q;    /* words x dim */
    const float *mean; /* words: m_i / sqrt(T) */
    float *A;          /* words x dim */
    size_t stride;
    pv_column_blocks blocks;
    pv_progress progress;
} order_job;

/* The entries of one row of K, one direction after the other. */
typedef struct scratch {
    uint32_t *column;
    float *value;
    size_t count;
} scratch;

static void add_entry(const order_job *job, scratch *s, uint32_t i, uint32_t j, double x,
                      float sign)
{
    float expected = job->mean[i] * job->mean[j];
    s->column[s->count] = j;
    s->value[s->count++] = sign * log1pf((float)x / (expected + 1));
}

static void order_word(const order_job *job, scratch *s, uint32_t i, const pv_gathered *gathered,
                       uint32_t c)
{
    const pv_link *link = job->link;
    psdvec_row row;
    psdvec_counts_row(link->counts, i, &row);
    float *a = job->A + (size_t)i * job->stride;
    memset(a, 0, job->dim * sizeof *a);
    s->count = 0;
    for (size_t k = 0; k < row.length; k++)
        add_entry(job, s, i, row.focus[k],
                  pv_link_count(link, i, row.focus[k], psdvec_row_value(&row, k)), 1);
    for (size_t k = gathered->begin[c]; k < gathered->begin[c + 1]; k++)
        add_entry(job, s, i, gathered->row[k],
                  pv_link_count(link, gathered->row[k], i, gathered->value[k]), -1);
    job->kernels->row_product(s->column, s->value, s->count, job->Q, job->dim, a);
}

/* Room for the longest row of K among words first .. end-1. */
static psdvec_status make_scratch(const pv_link *link, const pv_gathered *gathered, uint32_t first,
                                  uint32_t end, scratch *s)
{
    size_t longest = 0;
    for (uint32_t i = first; i < end; i++) {
        psdvec_row row;
        psdvec_counts_row(link->counts, i, &row);
        size_t before = gathered->begin[i - first + 1] - gathered->begin[i - first];
        longest = row.length + before > longest ? row.length + before : longest;
    }
    s->column = pv_alloc(link->ctx, longest, sizeof *s->column, "the order of words");
    s->value = pv_alloc(link->ctx, longest, sizeof *s->value, "the order of words");
    return s->column && s->value ? PSDVEC_OK : pv_failure(link->ctx);
}

static psdvec_status order_block(void *arg, size_t task, int worker)
{
    order_job *job = arg;
    const pv_link *link = job->link;
    uint32_t first = job->blocks.edges[task], end = job->blocks.edges[task + 1];
    (void)worker;
    if (first == end)
        return PSDVEC_OK;
    scratch s = {0};
    pv_gathered gathered;
    psdvec_status status =
        pv_gather(link->ctx, &job->blocks, (uint32_t)task, 0, link->words, &gathered);
    if (status == PSDVEC_OK)
        status = make_scratch(link, &gathered, first, end, &s);
    for (uint32_t i = first; i < end && status == PSDVEC_OK; i++) {
        order_word(job, &s, i, &gathered, i - first);
        if ((i & 63) == 0)
            status = pv_check_cancel(link->ctx);
    }
    pv_gathered_free(link->ctx, &gathered);
    pv_free(link->ctx, s.column);
    pv_free(link->ctx, s.value);
    pv_progress_add(&job->progress, end - first);
    return status;
}

/* Q from V. Sums over words in double and in order: the bits must not depend on threads. */
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
                               float *A, size_t stride)
{
    psdvec_context *ctx = link->ctx;
    size_t words = link->words;
    psdvec_status status = PSDVEC_OK;
    order_job job = {
        .link = link, .kernels = pv_kernels_best(), .dim = directions, .A = A, .stride = stride};
    float *Q = pv_alloc(ctx, words * directions, sizeof *Q, "the order of words");
    float *mean = pv_alloc(ctx, words, sizeof *mean, "the order of words");
    if (!Q || !mean) {
        status = pv_failure(ctx);
        goto done;
    }
    PV_TRY_DONE(unit_columns(ctx, V, words, dim, directions, Q));
    for (size_t i = 0; i < words; i++)
        mean[i] = (float)((link->context[i] + link->focus[i]) / 2 / sqrt(link->total));
    job.Q = Q;
    job.mean = mean;
    PV_TRY_DONE(pv_column_blocks_make(ctx, link->counts->rows, 0, (uint32_t)words, most_blocks,
                                      &job.blocks));
    pv_progress_begin(&job.progress, ctx, "order of words", "words", words);
    status = pv_parallel_tasks(ctx, most_blocks, order_block, &job);
    pv_progress_end(&job.progress);
done:
    pv_column_blocks_free(ctx, &job.blocks);
    pv_free(ctx, Q);
    pv_free(ctx, mean);
    return status;
}

uint64_t pv_order_bytes(uint64_t words, uint64_t directions, uint64_t bigrams, int threads)
{
    /* Q and the means; where blocks begin, and what was counted to find that out; for each
     * worker a gathered block, which ends with a whole column, and the longest row of K. */
    return words * (directions + 1) * sizeof(float) +
           words * (most_blocks + 1 + (uint64_t)threads) * sizeof(uint32_t) +
           (uint64_t)threads * ((bigrams / most_blocks + words) * 12 + words * 8 + 2 * words * 8);
}
