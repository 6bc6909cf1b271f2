/* Places the words: gradient descent on the loss of PaCMAP (Wang et al. 2021, section 5).
 *
 * With d = |y_i - y_j|^2 + 1, the loss of the map is
 *
 *     w_near  sum d / (10 + d)  +  w_mid  sum d / (10000 + d)  +  w_far  sum 1 / (1 + d)
 *
 * over near, mid-near and further pairs. The weights change in three phases: first mid-near pairs
 * dominate and form the global structure, then near pairs refine it, at last mid-near pairs have no
 * weight. In the last phase of LocalMAP (Wang, Sun, Huang and Rudin, 2025), the force of near pairs
 * is multiplied by RADIUS / (2 sqrt d), so that near pairs that are far apart on the map, which are
 * often false, attract each other less; and every ten iterations further pairs are drawn again among
 * points that are at most RADIUS apart, so that clusters separate.
 *
 * Each step is one of Adam with the whole gradient. The forces on a word are summed over its list of
 * partners, by one thread and in the order of the list, so the result does not depend on the number
 * of threads. Time: two visits per pair and iteration. Memory: six floats per word.
 */
#include "map/layout.h"

#include "base/progress.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

enum { TASK_ROWS = 1024, NEARBY_EVERY = 10 };

static const double radius = 10; /* of LocalMAP */

pv_map_weights pv_map_weights_at(const pv_map_descent *settings, uint32_t iteration)
{
    uint32_t phase = settings->iterations * 2 / 9;
    if (iteration < phase) {
        double t = (double)iteration / phase;
        return (pv_map_weights){2, (float)((1 - t) * 1000 + t * 3), 1, false};
    }
    if (iteration < 2 * phase)
        return (pv_map_weights){3, 3, 1, false};
    return (pv_map_weights){1, 0, 1, settings->local};
}

/* ---- The gradient ----------------------------------------------------------------------------- */

/* The loss of a pair is w d / (c + d), whose derivative is 2 w c / (c + d)^2 times the difference, or
 * w / (1 + d), whose derivative is -2 w / (1 + d)^2 times the difference. */
void pv_map_gradient(pv_map_forces_fn *forces, const pv_map_pairs *pairs, const float *points,
                     const pv_map_weights *weights, uint32_t i, float gradient[2])
{
    const pv_map_force kinds[PV_MAP_KINDS] = {
        [PV_MAP_NEAR] = {20 * weights->near * (weights->local ? (float)(radius / 2) : 1), 10,
                         weights->local},
        [PV_MAP_MID_NEAR] = {20000 * weights->mid_near, 10000, false},
        [PV_MAP_FURTHER] = {-2 * weights->further, 1, false}};
    gradient[0] = gradient[1] = 0;
    for (int kind = 0; kind < PV_MAP_KINDS; kind++) {
        const pv_map_partners *partners = &pairs->kinds[kind];
        uint64_t from = partners->begin[i];
        if (kinds[kind].factor != 0)
            forces(partners->list + from, partners->begin[i + 1] - from, points, i, &kinds[kind],
                   gradient);
    }
}

double pv_map_loss(const pv_map_pairs *pairs, const float *points, const pv_map_weights *weights)
{
    double loss = 0;
    for (int kind = 0; kind < PV_MAP_KINDS; kind++) {
        const pv_map_partners *partners = &pairs->kinds[kind];
        for (uint32_t i = 0; i < pairs->count; i++)
            for (uint64_t k = partners->begin[i]; k < partners->begin[i] + partners->own; k++) {
                size_t j = partners->list[k];
                double dx = (double)points[2 * (size_t)i] - (double)points[2 * j];
                double dy = (double)points[2 * (size_t)i + 1] - (double)points[2 * j + 1];
                double d = 1 + dx * dx + dy * dy;
                loss += kind == PV_MAP_NEAR       ? (double)weights->near * d / (10 + d)
                        : kind == PV_MAP_MID_NEAR ? (double)weights->mid_near * d / (10000 + d)
                                                  : (double)weights->further / (1 + d);
            }
    }
    return loss;
}

/* ---- Adam --------------------------------------------------------------------------------------- */

typedef struct descent_job {
    const pv_map_pairs *pairs;
    pv_map_forces_fn *forces;
    pv_map_weights weights;
    const float *from; /* count x 2: the points */
    float *to;         /* count x 2: the next points */
    float *mean;       /* count x 2: moments of the gradient */
    float *square;     /* count x 2 */
    float rate;
} descent_job;

static psdvec_status step_rows(void *arg, size_t task, int worker)
{
    descent_job *job = arg;
    size_t n = job->pairs->count, first = task * TASK_ROWS;
    (void)worker;
    for (size_t i = first; i < n && i < first + TASK_ROWS; i++) {
        float gradient[2];
        pv_map_gradient(job->forces, job->pairs, job->from, &job->weights, (uint32_t)i, gradient);
        for (size_t k = 2 * i; k < 2 * i + 2; k++) {
            float g = gradient[k - 2 * i];
            job->mean[k] += 0.1F * (g - job->mean[k]);
            job->square[k] += 0.001F * (g * g - job->square[k]);
            job->to[k] = job->from[k] - job->rate * job->mean[k] / (sqrtf(job->square[k]) + 1e-7F);
        }
    }
    return PSDVEC_OK;
}

psdvec_status pv_map_descend(psdvec_context *ctx, const pv_map_descent *settings,
                             pv_map_pairs *pairs, float *points)
{
    size_t n = pairs->count, tasks = (n + TASK_ROWS - 1) / TASK_ROWS;
    pv_scope scope = {.ctx = ctx, .what = "placing the words"};
    descent_job job = {.pairs = pairs, .forces = pv_map_forces_best()};
    float *from = points, *to, *spare;
    pv_progress progress;
    psdvec_status status;
    PV_TAKE(&scope, spare, 2 * n);
    PV_TAKE_ZERO(&scope, job.mean, 2 * n);
    PV_TAKE_ZERO(&scope, job.square, 2 * n);
    PV_TRY_DONE(pv_scope_status(&scope));
    to = spare;
    pv_progress_begin(&progress, ctx, "placing words", "iterations", settings->iterations);
    for (uint32_t t = 0; t < settings->iterations; t++) {
        job.weights = pv_map_weights_at(settings, t);
        job.rate =
            (float)(settings->rate * sqrt(1 - pow(0.999, t + 1.0)) / (1 - pow(0.9, t + 1.0)));
        job.from = from;
        job.to = to;
        PV_TRY_DONE(pv_parallel_tasks(ctx, tasks, step_rows, &job));
        PV_TRY_DONE(pv_check_cancel(ctx));
        from = to;
        to = from == spare ? points : spare;
        if (job.weights.local && t % NEARBY_EVERY == 0)
            PV_TRY_DONE(pv_map_pairs_nearby(ctx, pairs, from, radius, t));
        pv_progress_add(&progress, 1);
    }
    if (from != points)
        memcpy(points, from, 2 * n * sizeof *points);
    pv_progress_end(&progress);
done:
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_map_descent_bytes(uint32_t count)
{
    return 6 * (uint64_t)count * sizeof(float);
}
