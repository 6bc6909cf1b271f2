/* Exact nearest neighbours by cosine.
 *
 * The query is brought to length 1 once and the lengths of all vectors are kept, so
 * a search is one product for each word: n * dim multiplications in one pass over the
 * vectors, as fast as memory delivers them. Rows are shared out in fixed blocks, each
 * product is summed in a fixed order (dot.h), and one thread picks the best from the n
 * results: so the answer does not depend on the number of threads.
 */
#include "base/thread.h"
#include "model/dot.h"
#include "model/model_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 1024 };

typedef struct row_job {
    const psdvec_model *model;
    const float *rows;  /* words x dim: the read-out */
    double *lengths;    /* words */
    const float *query; /* dim, of length 1 */
    float *cosines;     /* words */
} row_job;

static uint32_t block_end(const row_job *job, size_t task)
{
    uint64_t end = ((uint64_t)task + 1) * BLOCK_ROWS, words = job->model->info.words;
    return (uint32_t)(end < words ? end : words);
}

static size_t block_count(const psdvec_model *m)
{
    return ((size_t)m->info.words + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

static const float *row_of(const row_job *job, uint32_t i)
{
    return job->rows + (size_t)i * job->model->info.dim;
}

static psdvec_status measure_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    row_job *job = arg;
    for (uint32_t i = (uint32_t)task * BLOCK_ROWS; i < block_end(job, task); i++)
        job->lengths[i] = pv_length(row_of(job, i), job->model->info.dim);
    return PSDVEC_OK;
}

/* The lengths of all vectors, made once. */
static psdvec_status ensure_lengths(psdvec_context *ctx, psdvec_model *m, const float *rows)
{
    psdvec_status status = PSDVEC_OK;
    pthread_mutex_lock(&m->lock);
    if (!m->lengths) {
        row_job job = {.model = m, .rows = rows};
        /* It is the model's, which may have been opened with another context. */
        job.lengths = pv_alloc(m->ctx, m->info.words, sizeof *job.lengths, NULL);
        status = job.lengths ? pv_parallel_tasks(ctx, block_count(m), measure_rows, &job)
                             : pv_fail(ctx, PSDVEC_ERR_BUDGET,
                                       "no memory for the lengths of %u vectors; allow more memory",
                                       m->info.words);
        if (status == PSDVEC_OK)
            m->lengths = job.lengths;
        else
            pv_free(m->ctx, job.lengths);
    }
    pthread_mutex_unlock(&m->lock);
    return status;
}

/* A vector of length 0 has no direction; NAN keeps it out, as it does what a damaged
 * file may hold. */
static psdvec_status compare_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    row_job *job = arg;
    for (uint32_t i = (uint32_t)task * BLOCK_ROWS; i < block_end(job, task); i++) {
        double length = job->model->lengths[i];
        const float *row = row_of(job, i);
        float cosine = NAN;
        if (length > 0 && isfinite(length))
            cosine = (float)((double)pv_dot(row, job->query, job->model->info.dim) / length);
        job->cosines[i] = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
    }
    return PSDVEC_OK;
}

/* ---- The best ------------------------------------------------------------------- */

/* True if a comes after b: a smaller cosine, or the same and a later word. */
static bool is_worse(const psdvec_neighbour *a, const psdvec_neighbour *b)
{
    return a->cosine != b->cosine ? a->cosine < b->cosine : a->word > b->word;
}

/* `heap` has its worst at the top, except perhaps at `k`. */
static void sift_down(psdvec_neighbour *heap, size_t count, size_t k)
{
    psdvec_neighbour moved = heap[k];
    for (size_t child; (child = 2 * k + 1) < count; k = child) {
        if (child + 1 < count && is_worse(&heap[child + 1], &heap[child]))
            child++;
        if (!is_worse(&heap[child], &moved))
            break;
        heap[k] = heap[child];
    }
    heap[k] = moved;
}

static void sift_up(psdvec_neighbour *heap, size_t k)
{
    psdvec_neighbour moved = heap[k];
    for (; k > 0 && is_worse(&moved, &heap[(k - 1) / 2]); k = (k - 1) / 2)
        heap[k] = heap[(k - 1) / 2];
    heap[k] = moved;
}

static size_t pick(const float *cosines, uint32_t words, size_t most, psdvec_neighbour *heap)
{
    size_t count = 0;
    for (uint32_t i = 0; i < words; i++) {
        psdvec_neighbour here = {.word = i, .cosine = cosines[i]};
        if (isnan(here.cosine))
            continue;
        if (count < most) {
            heap[count] = here;
            sift_up(heap, count++);
        } else if (is_worse(&heap[0], &here)) {
            heap[0] = here;
            sift_down(heap, count, 0);
        }
    }
    for (size_t left = count; left-- > 1;) { /* the worst goes to the end */
        psdvec_neighbour worst = heap[0];
        heap[0] = heap[left];
        heap[left] = worst;
        sift_down(heap, left, 0);
    }
    return count;
}

/* The query with length 1 in `unit`; false if it has no direction. */
static bool bring_to_one(const float *vector, uint32_t dim, float *unit)
{
    double length = pv_length(vector, dim);
    if (!(length > 0))
        return false;
    for (uint32_t k = 0; k < dim; k++)
        unit[k] = (float)((double)vector[k] / length);
    return true;
}

psdvec_status psdvec_model_similar(psdvec_context *ctx, const psdvec_model *model,
                                   const float *vector, const uint32_t *except, size_t except_count,
                                   size_t most, psdvec_neighbour *neighbours, size_t *found)
{
    psdvec_model *m = (psdvec_model *)model; /* the lengths are a cache */
    psdvec_status status = PSDVEC_OK;
    *found = 0;
    pv_begin(ctx);
    for (uint32_t k = 0; k < m->info.dim; k++)
        if (!isfinite(vector[k]))
            return pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                           "number %u of the vector to be compared is not finite", k + 1);
    for (size_t k = 0; k < except_count; k++)
        if (except[k] >= m->info.words)
            return pv_fail(ctx, PSDVEC_ERR_OPTION, "there is no word %u to be left out", except[k]);
    if (most == 0)
        return PSDVEC_OK;
    const float *rows;
    PV_TRY(pv_model_readout(ctx, m, &rows));
    PV_TRY(ensure_lengths(ctx, m, rows));
    float *unit = pv_alloc(ctx, m->info.dim, sizeof *unit, "the search");
    float *cosines = pv_alloc(ctx, m->info.words, sizeof *cosines, "the search");
    if (!unit || !cosines) {
        status = pv_failure(ctx);
        goto done;
    }
    if (!bring_to_one(vector, m->info.dim, unit))
        goto done;
    row_job job = {.model = m, .rows = rows, .query = unit, .cosines = cosines};
    PV_TRY_DONE(pv_parallel_tasks(ctx, block_count(m), compare_rows, &job));
    for (size_t k = 0; k < except_count; k++)
        cosines[except[k]] = NAN;
    *found = pick(cosines, m->info.words, most, neighbours);
done:
    pv_free(ctx, unit);
    pv_free(ctx, cosines);
    return status;
}
