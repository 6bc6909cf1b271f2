/* Rank correlation, purity, proportions, and the bootstrap. */
#include "eval/statistics.h"

#include "base/platform.h"
#include "base/random.h"
#include "base/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Spearman ------------------------------------------------------------------------- */

typedef struct placed {
    double value;
    size_t place;
} placed;

static int by_value(const void *a, const void *b)
{
    double x = ((const placed *)a)->value, y = ((const placed *)b)->value;
    return x < y ? -1 : x > y;
}

/* Ranks of the distinct values; returns how many there are. */
static uint32_t rank_values(const double *values, size_t n, placed *sorted, uint32_t *rank)
{
    uint32_t distinct = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (placed){values[i], i};
    qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t k = 0; k < n; k++) {
        distinct += k == 0 || sorted[k].value != sorted[k - 1].value;
        rank[sorted[k].place] = distinct - 1;
    }
    return distinct;
}

psdvec_status pv_ranked_make(pv_ranked *ranked, pv_scope *scope, const double *x, const double *y,
                             size_t n)
{
    *ranked = (pv_ranked){.n = n};
    placed *sorted;
    PV_TAKE(scope, sorted, n);
    PV_TAKE(scope, ranked->x, n);
    PV_TAKE(scope, ranked->y, n);
    PV_TRY(pv_scope_status(scope));
    ranked->x_distinct = rank_values(x, n, sorted, ranked->x);
    ranked->y_distinct = rank_values(y, n, sorted, ranked->y);
    pv_scope_drop(scope, sorted);
    return PSDVEC_OK;
}

size_t pv_spearman_numbers(const pv_ranked *ranked)
{
    return (size_t)ranked->x_distinct + ranked->y_distinct;
}

/* Turns the number of draws of each value into its centred average rank; returns the sum of
 * squares. Exact for up to 2^17 questions: all numbers are multiples of 1/4. */
static double centre_ranks(double *drawn, uint32_t distinct, double n)
{
    double below = 0, squares = 0;
    for (uint32_t v = 0; v < distinct; v++) {
        double count = drawn[v], rank = below + (count - n) / 2;
        drawn[v] = rank;
        squares += count * rank * rank;
        below += count;
    }
    return squares;
}

double pv_spearman(const pv_ranked *ranked, const uint32_t *times, double *workspace)
{
    double *x = workspace, *y = x + ranked->x_distinct, n = (double)ranked->n, products = 0;
    if (ranked->n < 2)
        return NAN;
    memset(workspace, 0, pv_spearman_numbers(ranked) * sizeof *workspace);
    for (size_t i = 0; i < ranked->n; i++) {
        double count = times ? times[i] : 1;
        x[ranked->x[i]] += count;
        y[ranked->y[i]] += count;
    }
    double xx = centre_ranks(x, ranked->x_distinct, n);
    double yy = centre_ranks(y, ranked->y_distinct, n);
    for (size_t i = 0; i < ranked->n; i++)
        products += (times ? times[i] : 1) * x[ranked->x[i]] * y[ranked->y[i]];
    return xx > 0 && yy > 0 ? products / sqrt(xx * yy) : NAN;
}

/* ---- Purity ----------------------------------------------------------------------------- */

typedef struct crossing {
    uint32_t cluster, group;
    size_t place;
} crossing;

static int by_cell(const void *a, const void *b)
{
    const crossing *x = a, *y = b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

psdvec_status pv_mark_commonest(psdvec_context *ctx, const uint32_t *cluster, const uint32_t *group,
                                size_t n, bool *right)
{
    crossing *sorted = pv_alloc(ctx, n, sizeof *sorted, "clusters");
    if (!sorted)
        return pv_failure(ctx);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (crossing){cluster[i], group[i], i};
    qsort(sorted, n, sizeof *sorted, by_cell);
    for (size_t first = 0, end; first < n; first = end) { /* a cluster */
        size_t most = 0, longest = 0;
        for (end = first; end < n && sorted[end].cluster == sorted[first].cluster;) {
            size_t cell = end;
            while (end < n && by_cell(&sorted[end], &sorted[cell]) == 0)
                end++;
            if (end - cell > longest) {
                longest = end - cell;
                most = cell;
            }
        }
        for (size_t k = first; k < end; k++)
            right[sorted[k].place] = sorted[k].cluster != PV_NO_CLUSTER &&
                                     sorted[k].group == sorted[most].group;
    }
    pv_free(ctx, sorted);
    return PSDVEC_OK;
}

/* ---- Proportions ----------------------------------------------------------------------------- */

static double log_choose(uint64_t n, uint64_t k)
{
    return pv_log_gamma((double)n + 1) - pv_log_gamma((double)k + 1) -
           pv_log_gamma((double)(n - k) + 1);
}

void pv_share_interval(uint64_t right, uint64_t n, double confidence, double *low, double *high)
{
    double size = (double)n, p = n ? (double)right / size : NAN, tail = (1 - confidence) / 2;
    *low = *high = p;
    if (n == 0 || right == 0 || right == n)
        return;
    /* The probability more than twelve standard deviations below the mean is negligible. */
    double first = size * p - 12 * sqrt(size * p * (1 - p)) - 12, below = 0;
    bool found = false;
    for (uint64_t k = first > 0 ? (uint64_t)first : 0; k <= n && below < 1 - tail; k++) {
        below += exp(log_choose(n, k) + (double)k * log(p) + (double)(n - k) * log1p(-p));
        *high = (double)k / size;
        if (!found && below >= tail) {
            *low = *high;
            found = true;
        }
    }
}

double pv_mcnemar(uint64_t first, uint64_t second)
{
    uint64_t n = first + second;
    double p = 0, term = 1;
    for (uint64_t k = (first < second ? first : second) + 1; k-- > 0 && term > 1e-18 * p;) {
        term = exp(log_choose(n, k) - (double)n * log(2));
        p += term;
    }
    return 2 * p < 1 ? 2 * p : 1;
}

double pv_quantile(const double *ascending, size_t count, double share)
{
    if (count == 0)
        return NAN;
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return ascending[count - 1];
    return ascending[below] + (place - (double)below) * (ascending[below + 1] - ascending[below]);
}

/* ---- The bootstrap ------------------------------------------------------------------------ */

enum { BATCH = 32 }; /* resamples per task */

#define PURPOSE UINT32_C(0x626f6f74) /* "boot" */

typedef struct resampling {
    uint64_t seed;
    size_t questions;
    uint32_t resamples;
    pv_statistic_fn *statistic;
    const void *arg;
    char *workspaces; /* per worker: times, then that of the statistic */
    size_t workspace_bytes, times_bytes;
    double *values;
} resampling;

static void draw(const resampling *job, uint32_t resample, uint32_t *times)
{
    uint32_t key[2] = {(uint32_t)job->seed, (uint32_t)(job->seed >> 32)}, words[4];
    memset(times, 0, job->questions * sizeof *times);
    for (size_t q = 0; q < job->questions; q += 4) {
        uint32_t counter[4] = {(uint32_t)(q / 4), resample, PURPOSE, 0};
        pv_philox4x32(counter, key, words);
        for (size_t k = 0; k < 4 && q + k < job->questions; k++)
            times[(uint64_t)words[k] * job->questions >> 32]++;
    }
}

static psdvec_status resample(void *arg, size_t task, int worker)
{
    const resampling *job = arg;
    char *workspace = job->workspaces + (size_t)worker * job->workspace_bytes;
    uint32_t *times = (uint32_t *)(void *)workspace;
    size_t end = (task + 1) * BATCH < job->resamples ? (task + 1) * BATCH : job->resamples;
    for (size_t r = task * BATCH; r < end; r++) {
        draw(job, (uint32_t)r, times);
        job->values[r] = job->statistic(job->arg, times, workspace + job->times_bytes);
    }
    return PSDVEC_OK;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

psdvec_status pv_bootstrap(psdvec_context *ctx, size_t questions, uint32_t resamples,
                           pv_statistic_fn *statistic, const void *arg, size_t workspace_bytes,
                           double *values)
{
    resampling job = {.seed = ctx->options.seed,
                      .questions = questions,
                      .resamples = resamples,
                      .statistic = statistic,
                      .arg = arg,
                      .times_bytes = round_up(questions * sizeof(uint32_t)),
                      .values = values};
    job.workspace_bytes = job.times_bytes + round_up(workspace_bytes) + 64;
    job.workspaces = pv_alloc(ctx, (size_t)psdvec_threads(ctx), job.workspace_bytes, "resampling");
    if (!job.workspaces)
        return pv_failure(ctx);
    psdvec_status status =
        pv_parallel_tasks(ctx, ((size_t)resamples + BATCH - 1) / BATCH, resample, &job);
    pv_free(ctx, job.workspaces);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void pv_interval(double *values, size_t count, double confidence, double *low, double *high)
{
    size_t there = 0;
    for (size_t k = 0; k < count; k++)
        if (!isnan(values[k]))
            values[there++] = values[k];
    *low = *high = NAN;
    if (2 * there < count || there == 0)
        return;
    qsort(values, there, sizeof *values, ascending);
    *low = pv_quantile(values, there, (1 - confidence) / 2);
    *high = pv_quantile(values, there, (1 + confidence) / 2);
}

double pv_paired_p(const double *differences, size_t count)
{
    size_t there = 0, down = 0, up = 0;
    for (size_t k = 0; k < count; k++)
        if (!isnan(differences[k])) {
            there++;
            down += differences[k] <= 0;
            up += differences[k] >= 0;
        }
    if (2 * there < count || there == 0)
        return NAN;
    double p = 2 * (double)((down < up ? down : up) + 1) / (double)(there + 1);
    return p < 1 ? p : 1;
}
