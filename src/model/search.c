/* One pass over the read-out, or over the entries of a sparse model.
 *
 * The query vectors are normalised to length 1, and a row's length is computed along with its
 * products, so a search is one pass over n * dim elements at nearly memory bandwidth
 * (bench/neighbours.c measures it). Rows are processed in fixed blocks, each product is summed in a
 * fixed order (dot.h), and one thread selects the best of the n scores, so the answer does not
 * depend on the number of threads.
 */
#include "model/search.h"

#include "base/thread.h"

#include <math.h>

enum { BLOCK_ROWS = 1024 };

/* Squared lengths outside these limits may have lost precision in float32. */
static const float least_square = 1e-30F, most_square = 1e30F;

typedef struct row_job {
    uint32_t words;
    const pv_vector_set *set;             /* the read-out, unless it is sparse */
    const float *squares;                 /* words: squared lengths of the rows, if known ... */
    float *measured;                      /* ... or where to store them; or NULL */
    const float *queries[PV_DOT_QUERIES]; /* dim, of length 1 */
    const pv_csr *sparse;                 /* else */
    const float *panel;                   /* dim x count: the same queries, for sparse rows */
    size_t count;
    pv_score_fn *score;
    float *scores;        /* words */
    _Atomic uint32_t bad; /* the first word whose vector is not finite; `words`: none */
} row_job;

/* The same for a row that is too long or too short for single precision. */
static bool careful_cosines(const pv_vector_set *set, uint64_t i, const float *const *units,
                            size_t count, double *cosines)
{
    double length = pv_vector_set_length(set, i);
    if (!(length > 0) || !isfinite(length))
        return false;
    for (size_t q = 0; q < count; q++) {
        const pv_vector_set unit = pv_vector_set_floats(1, set->dim, units[q]);
        cosines[q] = pv_vector_set_product(set, i, &unit, 0, NULL) / length;
    }
    return true;
}

static void clamp(double *cosines, size_t count)
{
    for (size_t q = 0; q < count; q++)
        cosines[q] = cosines[q] > 1 ? 1 : cosines[q] < -1 ? -1 : cosines[q];
}

bool pv_square_is_exact(float square)
{
    return square > least_square && square < most_square;
}

/* The cosines of a row whose squared length, as computed by set->dots, is given or, with `measure`,
 * computed. */
static bool cosines_of(const pv_vector_set *set, uint64_t i, bool measure, float *square,
                       const float *const *units, size_t count, double *cosines)
{
    float products[PV_DOT_QUERIES], scale;
    const void *row = pv_vector_set_row(set, i, &scale);
    if (measure)
        *square = set->dots(row, scale, units, count, set->dim, products);
    else
        set->products(row, scale, units, count, set->dim, products);
    if (pv_square_is_exact(*square)) {
        double length = sqrt((double)*square);
        for (size_t q = 0; q < count; q++)
            cosines[q] = (double)products[q] / length;
    } else if (!careful_cosines(set, i, units, count, cosines)) {
        return false;
    }
    clamp(cosines, count);
    return true;
}

bool pv_row_cosines(const pv_vector_set *set, uint64_t i, const float *const *units, size_t count,
                    double *cosines)
{
    float square;
    return cosines_of(set, i, true, &square, units, count, cosines);
}

void pv_search_note_bad(_Atomic uint32_t *bad, double length, uint64_t i)
{
    uint32_t first = atomic_load(bad);
    while (!isfinite(length) && i < first &&
           !atomic_compare_exchange_weak(bad, &first, (uint32_t)i)) {
    }
}

static psdvec_status score_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    row_job *job = arg;
    uint64_t end = ((uint64_t)task + 1) * BLOCK_ROWS;
    for (uint64_t i = end - BLOCK_ROWS; i < end && i < job->words; i++) {
        double cosines[PV_DOT_QUERIES];
        float square = job->squares ? job->squares[i] : 0;
        bool fine =
            cosines_of(job->set, i, !job->squares, &square, job->queries, job->count, cosines);
        if (job->measured)
            job->measured[i] = square;
        job->scores[i] = fine ? (float)job->score(cosines) : NAN; /* excluded */
        if (!fine)
            pv_search_note_bad(&job->bad, pv_vector_set_length(job->set, i), i);
    }
    return PSDVEC_OK;
}

static psdvec_status score_sparse_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    row_job *job = arg;
    uint64_t end = ((uint64_t)task + 1) * BLOCK_ROWS;
    for (uint64_t i = end - BLOCK_ROWS; i < end && i < job->words; i++) {
        pv_csr_row row = pv_csr_row_of(job->sparse, (uint32_t)i);
        double cosines[PV_DOT_QUERIES] = {0}, square = 0;
        for (size_t k = 0; k < row.count; k++) {
            const float *at = job->panel + row.column[k] * job->count;
            double value = (double)row.value[k];
            for (size_t q = 0; q < job->count; q++)
                cosines[q] += value * (double)at[q];
            square += value * value;
        }
        double length = sqrt(square);
        job->scores[i] = NAN; /* excluded */
        pv_search_note_bad(&job->bad, length, i);
        if (!(length > 0) || !isfinite(length))
            continue;
        for (size_t q = 0; q < job->count; q++)
            cosines[q] /= length;
        clamp(cosines, job->count);
        job->scores[i] = (float)job->score(cosines);
    }
    return PSDVEC_OK;
}

/* ---- The best answers -------------------------------------------------------------- */

/* `heap` is in order except perhaps at `k`. */
static void sift_down(psdvec_neighbour *heap, size_t count, size_t k)
{
    psdvec_neighbour moved = heap[k];
    for (size_t child; (child = 2 * k + 1) < count; k = child) {
        if (child + 1 < count && pv_best_is_worse(&heap[child + 1], &heap[child]))
            child++;
        if (!pv_best_is_worse(&heap[child], &moved))
            break;
        heap[k] = heap[child];
    }
    heap[k] = moved;
}

void pv_best_keep(pv_best *b, psdvec_neighbour answer)
{
    if (b->count < b->most) {
        size_t k = b->count++;
        for (; k > 0 && pv_best_is_worse(&answer, &b->heap[(k - 1) / 2]); k = (k - 1) / 2)
            b->heap[k] = b->heap[(k - 1) / 2];
        b->heap[k] = answer;
    } else {
        b->heap[0] = answer;
        sift_down(b->heap, b->count, 0);
    }
}

void pv_best_sort(pv_best *b)
{
    for (size_t left = b->count; left-- > 1;) { /* the worst goes to the end */
        psdvec_neighbour worst = b->heap[0];
        b->heap[0] = b->heap[left];
        b->heap[left] = worst;
        sift_down(b->heap, left, 0);
    }
}

/* ---- Squares of rows ----------------------------------------------------------------
 *
 * The first search over all words stores them for later searches, which then need half of the
 * arithmetic; with fast memory, arithmetic is the bottleneck. */

/* ---- Complete searches ------------------------------------------------------------------- */

/* Normalises the query vectors to length 1; interleaves them for sparse rows, so that each entry
 * accesses one place in memory. False: one of them has no direction. */
static bool make_units(const pv_search *search, uint32_t dim, float *units, row_job *job)
{
    size_t stride = job->sparse ? job->count : 1;
    for (size_t q = 0; q < job->count; q++) {
        double length = pv_length(search->vectors[q], dim);
        float *to = job->sparse ? units + q : units + q * dim;
        if (!(length > 0) || !isfinite(length))
            return false;
        for (uint32_t k = 0; k < dim; k++)
            to[k * stride] = (float)((double)search->vectors[q][k] / length);
        job->queries[q] = to;
    }
    job->panel = units;
    return true;
}

psdvec_status pv_model_search(psdvec_context *ctx, const psdvec_model *model,
                              const pv_search *search, const pv_query *query, size_t q,
                              psdvec_neighbour *answers, size_t *found)
{
    psdvec_model *m = (psdvec_model *)model; /* the squares are a cache */
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the search"};
    float *units;
    row_job job = {.words = query->words,
                   .set = &m->readout,
                   .sparse = m->info.sparse ? &m->sparse : NULL,
                   .count = search->vector_count,
                   .score = search->score};
    *found = 0;
    atomic_init(&job.bad, job.words);
    if (search->most == 0)
        return PSDVEC_OK;
    PV_TAKE(&scope, units, PV_DOT_QUERIES * (size_t)m->info.dim);
    PV_TAKE(&scope, job.scores, job.words);
    PV_TRY_DONE(pv_scope_status(&scope));
    if (!make_units(search, m->info.dim, units, &job))
        goto done;
    if (!job.sparse) {
        pthread_mutex_lock(&m->lock);
        job.squares = m->squares;
        pthread_mutex_unlock(&m->lock);
        if (!job.squares && job.words == m->info.words) /* optional: skipped if out of memory */
            job.measured = pv_alloc(m->ctx, job.words, sizeof *job.measured, NULL);
    }
    PV_TRY_DONE(pv_parallel_tasks(ctx, ((size_t)job.words + BLOCK_ROWS - 1) / BLOCK_ROWS,
                                  job.sparse ? score_sparse_rows : score_rows, &job));
    if (atomic_load(&job.bad) < job.words)
        PV_TRY_DONE(pv_model_check_word(ctx, m, atomic_load(&job.bad)));
    if (job.measured) {
        pthread_mutex_lock(&m->lock);
        if (!m->squares) { /* otherwise another thread set them first */
            m->squares = job.measured;
            job.measured = NULL;
        }
        pthread_mutex_unlock(&m->lock);
    }
    size_t except_count;
    const uint32_t *except = pv_query_except(query, q, &except_count);
    for (size_t k = 0; k < except_count; k++)
        if (except[k] < job.words)
            job.scores[except[k]] = NAN;
    pv_best best = {.heap = answers, .most = search->most};
    float least = (float)query->options.min_score;
    for (uint32_t i = 0; i < job.words; i++)
        if (job.scores[i] >= least && /* false for NAN */
            pv_query_frequent(m, query, i))
            pv_best_try(&best, (psdvec_neighbour){.word = i, .cosine = job.scores[i]});
    pv_best_sort(&best);
    *found = best.count;
done:
    pv_scope_free(&scope);
    pv_free(m->ctx, job.measured);
    return status;
}
