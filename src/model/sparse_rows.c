/* Sparse rows: products, lengths, and whether they are sound. */
#include "model/sparse_rows.h"

#include "base/thread.h"

#include <math.h>
#include <string.h>

enum { CHECK_ROWS = 1024 };

double pv_sparse_product(pv_sparse_row a, pv_sparse_row b)
{
    double sum = 0;
    size_t i = 0, j = 0;
    while (i < a.count && j < b.count) {
        uint32_t left = a.column[i], right = b.column[j];
        if (left == right)
            sum += (double)a.value[i] * (double)b.value[j];
        i += left <= right;
        j += right <= left;
    }
    return sum;
}

double pv_sparse_length(pv_sparse_row a)
{
    double sum = 0;
    for (size_t k = 0; k < a.count; k++)
        sum += (double)a.value[k] * (double)a.value[k];
    return sqrt(sum);
}

double pv_sparse_cosine(pv_sparse_row a, pv_sparse_row b)
{
    double xx = pv_sparse_product(a, a), yy = pv_sparse_product(b, b);
    bool fine = xx > 0 && yy > 0 && isfinite(xx) && isfinite(yy);
    return fine ? pv_sparse_product(a, b) / sqrt(xx * yy) : 0;
}

size_t pv_sparse_cut(pv_sparse_row a, uint32_t dim)
{
    size_t low = 0, high = a.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a.column[middle] < dim)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void pv_sparse_spread_out(pv_sparse_row a, uint32_t dim, float *to)
{
    memset(to, 0, dim * sizeof *to);
    for (size_t k = 0; k < a.count && a.column[k] < dim; k++)
        to[a.column[k]] = a.value[k];
}

typedef struct column_job {
    const pv_sparse_vectors *vectors;
    atomic_bool wrong;
} column_job;

static psdvec_status check_columns(void *arg, size_t task, int worker)
{
    (void)worker;
    column_job *job = arg;
    const pv_sparse_vectors *v = job->vectors;
    uint64_t end = ((uint64_t)task + 1) * CHECK_ROWS;
    bool fine = true;
    for (uint64_t i = end - CHECK_ROWS; i < end && i < v->words; i++) {
        uint64_t first = v->begin[i], last = v->begin[i + 1];
        for (uint64_t k = first + 1; k < last; k++)
            fine &= v->column[k - 1] < v->column[k];
        fine &= first == last || v->column[last - 1] < v->dim;
    }
    if (!fine)
        atomic_store(&job->wrong, true);
    return PSDVEC_OK;
}

psdvec_status pv_sparse_check_columns(psdvec_context *ctx, const pv_sparse_vectors *v, bool *fine)
{
    column_job job = {.vectors = v};
    atomic_init(&job.wrong, false);
    PV_TRY(pv_parallel_tasks(ctx, ((size_t)v->words + CHECK_ROWS - 1) / CHECK_ROWS, check_columns,
                             &job));
    *fine = !atomic_load(&job.wrong);
    return PSDVEC_OK;
}

uint64_t pv_sparse_longest(const pv_sparse_vectors *v)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < v->words; i++)
        if (v->begin[i + 1] - v->begin[i] > longest)
            longest = v->begin[i + 1] - v->begin[i];
    return longest;
}
