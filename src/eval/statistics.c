/* Correlation, purity, shares. */
#include "eval/statistics.h"

#include "base/memory.h"
#include "base/platform.h"

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

psdvec_status pv_ranked_make(pv_ranked *ranked, psdvec_context *ctx, const double *x,
                             const double *y, size_t n)
{
    *ranked = (pv_ranked){.n = n};
    placed *sorted = pv_alloc(ctx, n, sizeof *sorted, "ranks");
    ranked->x = pv_alloc(ctx, n, sizeof *ranked->x, "ranks");
    ranked->y = pv_alloc(ctx, n, sizeof *ranked->y, "ranks");
    if (!sorted || !ranked->x || !ranked->y) {
        pv_free(ctx, sorted);
        pv_ranked_free(ranked, ctx);
        return pv_failure(ctx);
    }
    ranked->x_distinct = rank_values(x, n, sorted, ranked->x);
    ranked->y_distinct = rank_values(y, n, sorted, ranked->y);
    pv_free(ctx, sorted);
    return PSDVEC_OK;
}

void pv_ranked_free(pv_ranked *ranked, psdvec_context *ctx)
{
    pv_free(ctx, ranked->x);
    pv_free(ctx, ranked->y);
    *ranked = (pv_ranked){0};
}

size_t pv_spearman_room(const pv_ranked *ranked)
{
    return (size_t)ranked->x_distinct + ranked->y_distinct;
}

/* How often each value was drawn becomes its average rank less that of all; returns the sum
 * of squares. Exact for up to 2^17 questions: all numbers are quarters. */
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

double pv_spearman(const pv_ranked *ranked, const uint32_t *times, double *room)
{
    double *x = room, *y = room + ranked->x_distinct, n = (double)ranked->n, products = 0;
    if (ranked->n < 2)
        return NAN;
    memset(room, 0, pv_spearman_room(ranked) * sizeof *room);
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
            size_t run = end;
            while (end < n && by_cell(&sorted[end], &sorted[run]) == 0)
                end++;
            if (end - run > longest) {
                longest = end - run;
                most = run;
            }
        }
        for (size_t k = first; k < end; k++)
            right[sorted[k].place] = sorted[k].cluster != PV_NO_CLUSTER &&
                                     sorted[k].group == sorted[most].group;
    }
    pv_free(ctx, sorted);
    return PSDVEC_OK;
}

/* ---- Shares ------------------------------------------------------------------------------- */

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
    /* Below twelve standard deviations there is nothing that could be noticed. */
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
