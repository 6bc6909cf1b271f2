/* The pairs of words whose distances PaCMAP optimises (Wang et al. 2021, section 5 and algorithm 1).
 *
 *     near pairs      with the nearest neighbours by the scaled distance d_ij^2 / (s_i s_j), where
 *                     s_i is the mean distance of i to its 4th to 6th neighbour; selected from the
 *                     nearest neighbours by distance, of which there are EXTRA more
 *     mid-near pairs  with the second nearest of six words drawn at random
 *     further pairs   with words drawn at random that are not neighbours
 *
 * Random numbers are counter-based, and every word draws its own. Time: count x pairs x dim.
 */
#include "map/layout.h"

#include "base/random.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

enum {
    EXTRA = 50,    /* candidates besides the near pairs */
    DRAWN = 6,     /* words from which a mid-near pair is selected */
    ATTEMPTS = 64, /* to draw a word; then the next one that is allowed is taken */
    TASK_ROWS = 256,
    PURPOSE_MID_NEAR = 0x6d61706d,
    PURPOSE_FURTHER = 0x6d617066,
    PURPOSE_NEARBY = 0x6d61706e,
    NEARBY_ATTEMPTS = 100 /* as LocalMAP does */
};

typedef struct pairs_job {
    psdvec_context *ctx;
    const pv_map_rows *rows;
    const pv_map_neighbours *neighbours;
    const pv_map_pairs *pairs;
    const float *sigma;             /* count */
    uint32_t *chosen[PV_MAP_KINDS]; /* count x own */
    const float *points;            /* LocalMAP */
    double radius;
    uint32_t round;
    double *scaled; /* workers x candidates */
} pairs_job;

/* ---- How many -------------------------------------------------------------------------------- */

void pv_map_pair_counts(uint32_t count, uint32_t neighbours, double mid_near, double further,
                        uint32_t own[PV_MAP_KINDS])
{
    memset(own, 0, PV_MAP_KINDS * sizeof *own);
    double n = count, near = neighbours;
    if (near == 0)
        near = n <= 10000 ? 10 : round(10 + 15 * (log10(n) - 4));
    if (near + floor(near * mid_near) + floor(near * further) >= n)
        near = floor(n / (1 + mid_near + further));
    if (near < 1)
        return;
    double mid = floor(near * mid_near), far = floor(near * further);
    near = near < n - 1 ? near : n - 1;
    own[PV_MAP_NEAR] = (uint32_t)near;
    own[PV_MAP_MID_NEAR] = (uint32_t)(mid < n - 1 ? mid : n - 1);
    own[PV_MAP_FURTHER] = (uint32_t)(far < n - 1 - near ? far : n - 1 - near);
}

uint32_t pv_map_candidates(uint32_t count, uint32_t near)
{
    return near == 0 ? 0 : near + EXTRA < count - 1 ? near + EXTRA : count - 1;
}

/* ---- Choosing --------------------------------------------------------------------------------- */

static float sigma_of(const float *distance, uint32_t most)
{
    uint32_t first = most > 3 ? 3 : most - 1, end = most < 6 ? most : 6;
    double sum = 0;
    for (uint32_t k = first; k < end; k++)
        sum += (double)distance[k];
    double mean = sum / (end - first);
    return (float)(mean > 1e-10 ? mean : 1e-10);
}

static bool is_in(const uint32_t *list, uint32_t count, uint32_t j)
{
    for (uint32_t k = 0; k < count; k++)
        if (list[k] == j)
            return true;
    return false;
}

static void choose_near(const pairs_job *job, uint32_t i, double *scaled)
{
    uint32_t most = job->neighbours->most, own = job->pairs->kinds[PV_MAP_NEAR].own;
    const uint32_t *list = job->neighbours->list + (size_t)i * most;
    const float *distance = job->neighbours->distance + (size_t)i * most;
    uint32_t *to = job->chosen[PV_MAP_NEAR] + (size_t)i * own;
    for (uint32_t k = 0; k < most; k++)
        scaled[k] = (double)distance[k] * (double)distance[k] /
                    ((double)job->sigma[i] * (double)job->sigma[list[k]]);
    for (uint32_t m = 0; m < own; m++) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < most; k++)
            best = scaled[k] < scaled[best] ? k : best;
        to[m] = list[best];
        scaled[best] = INFINITY;
    }
}

/* Draws a word that is not i and in none of the lists. If the words run out, i itself: a pair of a
 * word with itself has no force. */
static uint32_t draw(const pairs_job *job, uint64_t purpose, uint64_t index, uint32_t i,
                     const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    uint32_t n = job->pairs->count, j = 0;
    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        j = (uint32_t)(pv_random_u64(job->pairs->seed, purpose, index * ATTEMPTS + attempt) % n);
        if (j != i && !is_in(a, a_count, j) && !is_in(b, b_count, j))
            return j;
    }
    for (uint32_t step = 0; step < n; step++, j = j + 1 < n ? j + 1 : 0)
        if (j != i && !is_in(a, a_count, j) && !is_in(b, b_count, j))
            return j;
    return i;
}

static void choose_mid_near(const pairs_job *job, uint32_t i)
{
    uint32_t own = job->pairs->kinds[PV_MAP_MID_NEAR].own;
    uint32_t *to = job->chosen[PV_MAP_MID_NEAR] + (size_t)i * own;
    for (uint32_t m = 0; m < own; m++) {
        uint32_t drawn[DRAWN], nearest = i, second = i;
        double least = INFINITY, next = INFINITY;
        for (uint32_t t = 0; t < DRAWN; t++) {
            drawn[t] = draw(job, PURPOSE_MID_NEAR, ((uint64_t)i * own + m) * DRAWN + t, i, drawn, t,
                            to, m);
            if (drawn[t] == i)
                continue;
            double square = pv_map_square(job->rows, i, drawn[t]);
            if (square < least) {
                next = least;
                second = nearest;
                least = square;
                nearest = drawn[t];
            } else if (square < next) {
                next = square;
                second = drawn[t];
            }
        }
        to[m] = second != i ? second : nearest;
    }
}

static void choose_further(const pairs_job *job, uint32_t i)
{
    uint32_t own = job->pairs->kinds[PV_MAP_FURTHER].own, near = job->pairs->kinds[PV_MAP_NEAR].own;
    uint32_t *to = job->chosen[PV_MAP_FURTHER] + (size_t)i * own;
    const uint32_t *neighbours = job->chosen[PV_MAP_NEAR] + (size_t)i * near;
    for (uint32_t m = 0; m < own; m++)
        to[m] = draw(job, PURPOSE_FURTHER, (uint64_t)i * own + m, i, neighbours, near, to, m);
}

static psdvec_status choose_rows(void *arg, size_t task, int worker)
{
    pairs_job *job = arg;
    uint32_t n = job->pairs->count, first = (uint32_t)task * TASK_ROWS;
    for (uint32_t i = first; i < n && i < first + TASK_ROWS; i++) {
        choose_near(job, i, job->scaled + (size_t)worker * job->neighbours->most);
        choose_mid_near(job, i);
        choose_further(job, i);
    }
    return PSDVEC_OK;
}

/* ---- Lists of partners ------------------------------------------------------------------------ */

/* The size of a list of partners, at most. */
static uint64_t list_size(uint64_t count, uint64_t own)
{
    return 2 * count * own + count * (PV_MAP_LANES - 1);
}

static void list_partners(uint32_t count, const uint32_t *chosen, pv_map_partners *partners)
{
    size_t own = partners->own, all = (size_t)count * own;
    uint64_t *begin = partners->begin;
    for (size_t i = 0; i <= count; i++)
        begin[i] = 0;
    for (size_t k = 0; k < all; k++)
        begin[chosen[k]]++;
    for (uint64_t sum = 0, i = 0; i <= count; i++) {
        uint64_t size = i < count ? begin[i] + own : 0;
        begin[i] = sum;
        sum += (size + PV_MAP_LANES - 1) / PV_MAP_LANES * PV_MAP_LANES;
    }
    for (size_t i = 0; i < count; i++) {
        for (uint64_t k = begin[i]; k < begin[i + 1]; k++)
            partners->list[k] = (uint32_t)i;
        memcpy(partners->list + begin[i], chosen + i * own, own * sizeof *chosen);
    }
    for (size_t i = 0; i < count; i++)
        begin[i] += own; /* where the next row that chose it goes */
    for (size_t k = 0; k < all; k++)
        partners->list[begin[chosen[k]]++] = (uint32_t)(k / own);
    for (uint64_t sum = 0, i = 0; i < count; i++) {
        uint64_t size = begin[i] - sum;
        begin[i] = sum;
        sum += (size + PV_MAP_LANES - 1) / PV_MAP_LANES * PV_MAP_LANES;
    }
}

psdvec_status pv_map_pairs_make(psdvec_context *ctx, const pv_map_rows *rows,
                                const pv_map_neighbours *neighbours,
                                const uint32_t own[PV_MAP_KINDS], pv_map_pairs *pairs)
{
    size_t n = rows->count;
    pv_scope temp = {.ctx = ctx, .what = "the pairs of the map"};
    pairs_job job = {.ctx = ctx, .rows = rows, .neighbours = neighbours, .pairs = pairs};
    float *sigma;
    psdvec_status status;
    *pairs = (pv_map_pairs){.scope = {.ctx = ctx, .what = "the pairs of the map"},
                            .count = rows->count,
                            .seed = ctx->options.seed};
    PV_TAKE(&temp, sigma, n);
    PV_TAKE(&temp, job.scaled, (size_t)psdvec_threads(ctx) * neighbours->most);
    for (int kind = 0; kind < PV_MAP_KINDS; kind++) {
        pv_map_partners *partners = &pairs->kinds[kind];
        partners->own = own[kind];
        PV_TAKE(&temp, job.chosen[kind], n * own[kind]);
        PV_TAKE(&pairs->scope, partners->begin, n + 1);
        PV_TAKE(&pairs->scope, partners->list, list_size(n, own[kind]));
    }
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(pv_scope_status(&pairs->scope));
    for (size_t i = 0; i < n; i++)
        sigma[i] = sigma_of(neighbours->distance + i * neighbours->most, neighbours->most);
    job.sigma = sigma;
    PV_TRY_DONE(pv_parallel_tasks(ctx, (n + TASK_ROWS - 1) / TASK_ROWS, choose_rows, &job));
    PV_TRY_DONE(pv_check_cancel(ctx));
    for (int kind = 0; kind < PV_MAP_KINDS; kind++)
        list_partners(rows->count, job.chosen[kind], &pairs->kinds[kind]);
done:
    pv_scope_free(&temp);
    return status;
}

uint64_t pv_map_pairs_bytes(uint32_t count, const uint32_t own[PV_MAP_KINDS])
{
    uint64_t bytes = count * sizeof(float);
    for (int kind = 0; kind < PV_MAP_KINDS; kind++)
        bytes += (count + 1) * sizeof(uint64_t) +
                 (list_size(count, own[kind]) + (uint64_t)count * own[kind]) * sizeof(uint32_t);
    return bytes;
}

void pv_map_pairs_free(pv_map_pairs *pairs)
{
    pv_scope_free(&pairs->scope);
}

/* ---- LocalMAP --------------------------------------------------------------------------------- */

/* Draws words until one is near in the map; after too many attempts, the pair stays. */
static psdvec_status choose_nearby(void *arg, size_t task, int worker)
{
    pairs_job *job = arg;
    const pv_map_partners *near = &job->pairs->kinds[PV_MAP_NEAR];
    const pv_map_partners *further = &job->pairs->kinds[PV_MAP_FURTHER];
    uint32_t n = job->pairs->count, first = (uint32_t)task * TASK_ROWS, own = further->own;
    (void)worker;
    for (uint32_t i = first; i < n && i < first + TASK_ROWS; i++) {
        uint32_t *to = job->chosen[PV_MAP_FURTHER] + (size_t)i * own;
        memcpy(to, further->list + further->begin[i], own * sizeof *to);
        for (uint32_t m = 0; m < own; m++)
            for (uint64_t attempt = 0; attempt < NEARBY_ATTEMPTS; attempt++) {
                uint64_t index = (((uint64_t)job->round * n + i) * own + m) * NEARBY_ATTEMPTS;
                uint32_t j =
                    (uint32_t)(pv_random_u64(job->pairs->seed, PURPOSE_NEARBY, index + attempt) %
                               n);
                double dx = (double)job->points[2 * (size_t)i] - (double)job->points[2 * (size_t)j];
                double dy = (double)job->points[2 * (size_t)i + 1] -
                            (double)job->points[2 * (size_t)j + 1];
                if (j == i || dx * dx + dy * dy > job->radius * job->radius || is_in(to, m, j) ||
                    is_in(near->list + near->begin[i], near->own, j))
                    continue;
                to[m] = j;
                break;
            }
    }
    return PSDVEC_OK;
}

psdvec_status pv_map_pairs_nearby(psdvec_context *ctx, pv_map_pairs *pairs, const float *points,
                                  double radius, uint32_t round)
{
    pv_scope temp = {.ctx = ctx, .what = "the pairs of the map"};
    pairs_job job = {
        .ctx = ctx, .pairs = pairs, .points = points, .radius = radius, .round = round};
    pv_map_partners *further = &pairs->kinds[PV_MAP_FURTHER];
    size_t tasks = (pairs->count + TASK_ROWS - 1) / TASK_ROWS;
    psdvec_status status;
    PV_TAKE(&temp, job.chosen[PV_MAP_FURTHER], (size_t)pairs->count * further->own);
    PV_TRY_DONE(pv_scope_status(&temp));
    PV_TRY_DONE(pv_parallel_tasks(ctx, tasks, choose_nearby, &job));
    PV_TRY_DONE(pv_check_cancel(ctx));
    list_partners(pairs->count, job.chosen[PV_MAP_FURTHER], further);
done:
    pv_scope_free(&temp);
    return status;
}
