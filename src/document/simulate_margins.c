/* Scaling to the margins (Sinkhorn): factors of rows and columns in turn, until pairs
 * p_i p_j exp(G_ij + c_i + d_j) add up to p in both directions. The table is positive, so this
 * always ends, and soon if its entries are not far from 1. */
#include "document/simulate.h"

#include "base/progress.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

enum { ROWS = 64, COLUMNS = 256, MOST_ROUNDS = 2000 };

static size_t blocks_of(uint32_t words, size_t block)
{
    return (words + block - 1) / block;
}

typedef struct scale_job {
    const pv_truth *truth;
    double *weights; /* n: p times the factors of the other side */
    double *factors; /* n: of this side, to be found */
} scale_job;

static psdvec_status scale_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    scale_job *job = arg;
    const pv_truth *t = job->truth;
    for (uint32_t i = (uint32_t)task * ROWS; i < t->words && i < (task + 1) * ROWS; i++) {
        const float *row = t->table + (size_t)i * t->stride;
        double sum[4] = {0};
        uint32_t j = 0;
        for (; j + 4 <= t->words; j += 4)
            for (uint32_t l = 0; l < 4; l++)
                sum[l] += (double)row[j + l] * job->weights[j + l];
        for (; j < t->words; j++)
            sum[0] += (double)row[j] * job->weights[j];
        job->factors[i] = 1 / ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    return PSDVEC_OK;
}

static psdvec_status scale_columns(void *arg, size_t task, int worker)
{
    (void)worker;
    scale_job *job = arg;
    const pv_truth *t = job->truth;
    double sum[COLUMNS] = {0};
    size_t begin = task * COLUMNS;
    size_t count = t->words - begin < COLUMNS ? t->words - begin : COLUMNS;
    for (uint32_t i = 0; i < t->words; i++) {
        const float *row = t->table + (size_t)i * t->stride + begin;
        double weight = job->weights[i];
        for (size_t j = 0; j < count; j++)
            sum[j] += (double)row[j] * weight;
    }
    for (size_t j = 0; j < count; j++)
        job->factors[begin + j] = 1 / sum[j];
    return PSDVEC_OK;
}

/* One half of a round: the factors of one side from those of the other. */
static psdvec_status half_round(scale_job *job, const double *given, size_t block, pv_task_fn *fn)
{
    const pv_truth *t = job->truth;
    for (uint32_t i = 0; i < t->words; i++)
        job->weights[i] = t->unigram[i] * given[i];
    return pv_parallel_tasks(t->ctx, blocks_of(t->words, block), fn, job);
}

psdvec_status pv_truth_scale(pv_truth *t, double *c, double *d)
{
    psdvec_status status = PSDVEC_OK;
    pv_progress progress;
    double *weights = pv_alloc(t->ctx, t->words, sizeof *weights, "margins");
    double *last = pv_alloc(t->ctx, t->words, sizeof *last, "margins");
    if (!weights || !last) {
        status = pv_failure(t->ctx);
        goto done;
    }
    for (uint32_t i = 0; i < t->words; i++)
        c[i] = d[i] = 1;
    scale_job rows = {t, weights, c}, columns = {t, weights, d};
    double error = 1;
    pv_progress_begin(&progress, t->ctx, "scaling to the margins", "rounds", 0);
    for (t->rounds = 0; error > 1e-9 && t->rounds < MOST_ROUNDS; t->rounds++) {
        memcpy(last, c, t->words * sizeof *last);
        PV_TRY_DONE(half_round(&rows, d, ROWS, scale_rows));
        PV_TRY_DONE(half_round(&columns, c, COLUMNS, scale_columns));
        error = 0; /* how far the rows were off when the columns were right */
        for (uint32_t i = 0; i < t->words; i++)
            error = fmax(error, fabs(last[i] / c[i] - 1));
        pv_progress_add(&progress, 1);
        PV_TRY_DONE(pv_check_cancel(t->ctx));
    }
    pv_progress_end(&progress);
    if (!(error <= 1e-6)) {
        status = pv_fail(t->ctx, PSDVEC_ERR_NUMERIC,
                         "no frequencies of pairs were found that go with these vectors and "
                         "these frequencies of words; ask for less strength or residual");
        goto done;
    }
    double shift = 0;
    for (uint32_t i = 0; i < t->words; i++) {
        c[i] = log(c[i]);
        d[i] = log(d[i]);
        shift += t->unigram[i] * (c[i] - d[i]) / 2;
    }
    for (uint32_t i = 0; i < t->words; i++) {
        c[i] -= shift;
        d[i] += shift;
    }
done:
    pv_free(t->ctx, weights);
    pv_free(t->ctx, last);
    return status;
}
