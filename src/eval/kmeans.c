/* k-means by Lloyd's iteration, seeded by k-means++ (Arthur and Vassilvitskii, 2007).
 *
 * The restarts are the tasks of the workers. Each draws from its own stream of random
 * numbers and sums in a fixed order. Time: restarts x iterations x n x k x dim.
 */
#include "eval/kmeans.h"

#include "base/random.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

enum { RESTARTS = 10, MOST_ITERATIONS = 100 };

#define PURPOSE UINT64_C(0x6b6d65616e73) /* "kmeans" */

typedef struct clustering {
    psdvec_context *ctx;
    const float *points;          /* n x dim, or ... */
    const pv_sparse_unit *sparse; /* n */
    size_t n;
    uint32_t dim, k;
    float *squares;     /* n: squared lengths */
    uint32_t *clusters; /* restarts x n */
    double inertia[RESTARTS];
} clustering;

typedef struct attempt {
    float *centres;  /* k x dim */
    float *lengths;  /* k: squared */
    double *sums;    /* dim */
    double *nearest; /* n: squared distance to the nearest centre */
    uint32_t *sizes; /* k */
} attempt;

static const float *point(const clustering *c, size_t i)
{
    return c->points + i * c->dim;
}

/* The product of a point and a centre (dim); for sparse points in double precision and in order. */
static double product(const clustering *c, size_t i, const float *centre)
{
    if (!c->sparse)
        return (double)pv_dot(point(c, i), centre, c->dim);
    const pv_sparse_unit *unit = &c->sparse[i];
    double sum = 0;
    for (size_t k = 0; k < unit->row.count; k++)
        sum += (double)unit->row.value[k] * (double)centre[unit->row.column[k]];
    return sum * (double)unit->scale;
}

static void add_point(const clustering *c, size_t i, double *sums)
{
    if (!c->sparse) {
        for (uint32_t d = 0; d < c->dim; d++)
            sums[d] += (double)point(c, i)[d];
        return;
    }
    const pv_sparse_unit *unit = &c->sparse[i];
    for (size_t k = 0; k < unit->row.count; k++)
        sums[unit->row.column[k]] += (double)unit->row.value[k] * (double)unit->scale;
}

static double distance(const clustering *c, const attempt *a, size_t i, uint32_t j)
{
    double both = product(c, i, a->centres + (size_t)j * c->dim);
    double d = (double)c->squares[i] + (double)a->lengths[j] - 2 * both;
    return d > 0 ? d : 0;
}

static void set_centre(const clustering *c, attempt *a, uint32_t j, size_t i)
{
    float *centre = a->centres + (size_t)j * c->dim;
    if (c->sparse) {
        const pv_sparse_unit *unit = &c->sparse[i];
        pv_sparse_spread_out(unit->row, c->dim, centre);
        for (size_t k = 0; k < unit->row.count; k++)
            centre[unit->row.column[k]] *= unit->scale;
    } else {
        memcpy(centre, point(c, i), c->dim * sizeof *centre);
    }
    a->lengths[j] = pv_dot(centre, centre, c->dim);
}

/* Each further centre is a point drawn with probability proportional to its squared distance. */
static void seed_centres(const clustering *c, attempt *a, uint64_t restart)
{
    uint64_t seed = c->ctx->options.seed, index = restart << 32;
    size_t chosen = (size_t)(pv_random_unit(seed, PURPOSE, index) * (double)c->n);
    for (uint32_t j = 0; j < c->k; j++) {
        double all = 0;
        if (pv_stopping(c->ctx))
            return;
        set_centre(c, a, j, chosen);
        for (size_t i = 0; i < c->n; i++) {
            double d = distance(c, a, i, j);
            if (j == 0 || d < a->nearest[i])
                a->nearest[i] = d;
            all += a->nearest[i];
        }
        double mark = pv_random_unit(seed, PURPOSE, index + j + 1) * all;
        for (chosen = 0; chosen + 1 < c->n && mark >= a->nearest[chosen]; chosen++)
            mark -= a->nearest[chosen];
    }
}

/* Assigns every point to its nearest centre; returns how many changed. */
static size_t assign(const clustering *c, attempt *a, uint32_t *cluster, bool first)
{
    size_t changed = 0;
    for (size_t i = 0; i < c->n; i++) {
        uint32_t nearest = 0;
        if (i % 256 == 0 && pv_stopping(c->ctx))
            return 0;
        for (uint32_t j = 0; j < c->k; j++) {
            double d = distance(c, a, i, j);
            if (j == 0 || d < a->nearest[i]) {
                a->nearest[i] = d;
                nearest = j;
            }
        }
        changed += first || cluster[i] != nearest;
        cluster[i] = nearest;
    }
    return changed;
}

/* Centres are means; one without points stays where it was. */
static void move_centres(const clustering *c, attempt *a, const uint32_t *cluster)
{
    memset(a->sizes, 0, c->k * sizeof *a->sizes);
    for (size_t i = 0; i < c->n; i++)
        a->sizes[cluster[i]]++;
    for (uint32_t j = 0; j < c->k; j++) {
        float *centre = a->centres + (size_t)j * c->dim;
        if (a->sizes[j] == 0)
            continue;
        memset(a->sums, 0, c->dim * sizeof *a->sums);
        for (size_t i = 0; i < c->n; i++)
            if (cluster[i] == j)
                add_point(c, i, a->sums);
        for (uint32_t d = 0; d < c->dim; d++)
            centre[d] = (float)(a->sums[d] / a->sizes[j]);
        a->lengths[j] = pv_dot(centre, centre, c->dim);
    }
}

static psdvec_status try_once(void *arg, size_t restart, int worker)
{
    (void)worker;
    clustering *c = arg;
    psdvec_status status;
    uint32_t *cluster = c->clusters + restart * c->n;
    pv_scope scope = {.ctx = c->ctx, .what = "clusters"};
    attempt a;
    PV_TAKE(&scope, a.centres, (size_t)c->k * c->dim);
    PV_TAKE(&scope, a.lengths, c->k);
    PV_TAKE(&scope, a.sums, c->dim);
    PV_TAKE(&scope, a.nearest, c->n);
    PV_TAKE(&scope, a.sizes, c->k);
    PV_TRY_DONE(pv_scope_status(&scope));
    seed_centres(c, &a, restart);
    for (int round = 0; round < MOST_ITERATIONS; round++) {
        PV_TRY_DONE(pv_check_cancel(c->ctx));
        if (assign(c, &a, cluster, round == 0) == 0)
            break;
        move_centres(c, &a, cluster);
    }
    assign(c, &a, cluster, false);
    PV_TRY_DONE(pv_check_cancel(c->ctx));
    c->inertia[restart] = 0;
    for (size_t i = 0; i < c->n; i++)
        c->inertia[restart] += a.nearest[i];
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_kmeans(psdvec_context *ctx, const float *points, const pv_sparse_unit *sparse,
                        size_t n, uint32_t dim, uint32_t k, uint32_t *cluster)
{
    clustering c = {.ctx = ctx, .points = points, .sparse = sparse, .n = n, .dim = dim, .k = k};
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "clusters"};
    PV_TAKE(&scope, c.squares, n);
    PV_TAKE(&scope, c.clusters, RESTARTS * n);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t i = 0; i < n; i++) {
        double length = sparse ? pv_sparse_length(sparse[i].row) * (double)sparse[i].scale : 0;
        c.squares[i] = sparse ? (float)(length * length) : pv_dot(point(&c, i), point(&c, i), dim);
    }
    PV_TRY_DONE(pv_parallel_tasks(ctx, RESTARTS, try_once, &c));
    size_t best = 0;
    for (size_t r = 1; r < RESTARTS; r++)
        if (c.inertia[r] < c.inertia[best])
            best = r;
    memcpy(cluster, c.clusters + best * n, n * sizeof *cluster);
done:
    pv_scope_free(&scope);
    return status;
}
