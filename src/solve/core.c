/* Residuals and the objective of Algorithm 1. */
#include "solve/core.h"

#include "base/memory.h"
#include "base/thread.h"
#include "base/trim.h"
#include "solve/pair_products.h"
#include "solve/tall.h"

#include <math.h>
#include <string.h>

static uint64_t stride_of(uint64_t rank)
{
    return (rank + 7) / 8 * 8;
}

uint64_t pv_core_bytes(uint64_t n, const pv_division *division, uint64_t most_rank)
{
    uint64_t stride = stride_of(most_rank);
    return sizeof(pv_core) + stride * sizeof(float) +
           pv_rows_own(division, n) * stride * sizeof(float) +
           n * (4 * sizeof(float) + 2 * sizeof(double) + sizeof(uint64_t) + sizeof(uint32_t));
}

uint64_t pv_core_residual_bytes(uint64_t n, const pv_division *division, uint64_t rank, bool ratio,
                                int threads)
{
    uint64_t stride = stride_of(rank), rows = pv_rows_own(division, n);
    uint64_t objective = (rank + 1) * rank * sizeof(double) +
                         pv_tall_gram_bytes(n, division, rank, rank) +
                         (ratio ? rows * stride * sizeof(float) : 0);
    return pv_larger(pv_products_bytes(n, division, stride, threads), objective);
}

static psdvec_status set_background(pv_core *core)
{
    const pv_link *link = core->link;
    if (link->background <= 0)
        return PSDVEC_OK;
    PV_TAKE(&core->memory, core->level, core->n);
    PV_TRY(pv_scope_status(&core->memory));
    for (size_t i = 0; i < core->n; i++)
        core->level[i] = (float)(link->background_factor[i] / core->root[i]);
    if (!pv_background_has_ratio(&link->options))
        return PSDVEC_OK; /* z = m */
    PV_TAKE(&core->memory, core->ratio, core->n);
    PV_TRY(pv_scope_status(&core->memory));
    for (size_t i = 0; i < core->n; i++)
        core->ratio[i] = (float)(link->background_factor[i] / pv_link_majoriser(link, (uint32_t)i));
    return PSDVEC_OK;
}

/* Looks up what the joint probability needs from the rows of the counts. This happens before the
 * solver allocates its memory; later it would bring the pages of the counts back into memory. */
static void look_up_rows(pv_core *core)
{
    const psdvec_counts *counts = core->link->counts;
    uint32_t first = core->pairs->first;
    for (uint32_t i = first; i < first + core->pairs->matrix.rows; i++) {
        psdvec_row row;
        psdvec_counts_row(counts, i, &row);
        core->own[i] = psdvec_counts_get(counts, i, i);
        core->seen[i] = (uint32_t)pv_lower_bound(row.focus, row.length, core->link->core);
        pv_trim_probed(core->ctx, i);
    }
}

/* mu_i of section 3.1.1 */
double pv_core_prior(const pv_link *link, uint32_t i)
{
    const psdvec_train_options *options = &link->options;
    const uint64_t *frequency = link->counts->frequency;
    double last = (double)(frequency[link->core - 1] > 0 ? frequency[link->core - 1] : 1);
    double here = (double)(frequency[i] > 0 ? frequency[i] : 1);
    return fmin(options->core_mu * pow(last / here, options->mu_power), PV_MOST_PRIOR);
}

static psdvec_status set_priors(pv_core *core)
{
    const psdvec_train_options *options = &core->link->options;
    if (!(options->core_mu > 0))
        return PSDVEC_OK;
    PV_TAKE(&core->memory, core->mu, core->n);
    PV_TRY(pv_scope_status(&core->memory));
    for (size_t i = 0; i < core->n; i++)
        core->mu[i] = pv_core_prior(core->link, (uint32_t)i);
    return PSDVEC_OK;
}

psdvec_status pv_core_open(const pv_link *link, pv_pairs *pairs, size_t most_rank, pv_core **out)
{
    psdvec_context *ctx = link->ctx;
    pv_core *core = pv_alloc_zero(ctx, 1, sizeof *core, "the vectors");
    *out = core;
    if (!core)
        return pv_failure(ctx);
    core->ctx = ctx;
    core->memory = (pv_scope){.ctx = ctx, .what = "the vectors"};
    core->link = link;
    core->pairs = pairs;
    core->kernels = pv_kernels_best();
    core->n = pairs->n;
    core->stride = (size_t)stride_of(most_rank);
    PV_TAKE_ZERO(&core->memory, core->U, pairs->matrix.rows * core->stride);
    PV_TAKE_ZERO(&core->memory, core->sign, core->stride);
    PV_TAKE(&core->memory, core->root, core->n);
    PV_TAKE_ZERO(&core->memory, core->diagonal, core->n);
    PV_TAKE_ZERO(&core->memory, core->row_sum, core->n);
    PV_TAKE(&core->memory, core->own, core->n);
    PV_TAKE(&core->memory, core->seen, core->n);
    PV_TRY(pv_scope_status(&core->memory));
    for (size_t i = 0; i < core->n; i++)
        core->root[i] = (float)sqrt(pv_link_majoriser(link, (uint32_t)i));
    pv_divide_rows(pairs->upper, pairs->matrix.rows, 16, PV_CORE_TASKS, core->above_edges);
    look_up_rows(core);
    PV_TRY(set_background(core));
    return set_priors(core);
}

void pv_core_close(pv_core *core)
{
    if (!core)
        return;
    pv_scope_free(&core->memory);
    pv_free(core->ctx, core);
}

/* X_ii of a row from its vector. */
static double square_of(const pv_core *core, const float *u, float root)
{
    double sum = 0;
    for (size_t k = 0; k < core->rank; k++)
        sum += core->sign[k] * (double)u[k] * u[k];
    return sum / ((double)root * root);
}

static psdvec_status not_finite(const pv_core *core, uint32_t i)
{
    size_t length;
    const char *word = psdvec_counts_word(core->link->counts, i, &length);
    return pv_fail(core->ctx, PSDVEC_ERR_NUMERIC,
                   "the vector of the word \"%.*s\" (rank %lu) is not finite; a lower "
                   "`relaxation` or a higher `min_count` may help",
                   (int)length, word, (unsigned long)i + 1);
}

/* From X_ij to the residual, eq. 4, and the contribution of a range of rows to the objective, eq.
 * 14: the weighted squares of eq. 5 and the priors. */
static psdvec_status residual_rows(void *arg, size_t task, int worker)
{
    pv_core *core = arg;
    pv_pairs *pairs = core->pairs;
    const pv_link *link = core->link;
    (void)worker;
    for (uint32_t row = core->above_edges[task]; row < core->above_edges[task + 1]; row++) {
        uint32_t i = pairs->first + row;
        const float *u = core->U + (size_t)row * core->stride;
        float root = core->root[i];
        uint64_t begin = pairs->middle[row];
        size_t count = (size_t)(pairs->matrix.begin[row + 1] - begin);
        const uint32_t *column = pairs->matrix.column + begin;
        float *value = pairs->matrix.value + begin;
        const float *weight = pairs->weight + pairs->upper[row];
        const float *target = pairs->target + pairs->upper[row];
        double sum = 0;
        for (size_t k = 0; k < count; k++) {
            float other = core->root[column[k]];
            float residual = core->rank > 0 ? target[k] - value[k] / other : target[k];
            float pull = weight[k] * residual;
            sum += (double)pull * residual;
            value[k] = pull / (root * other);
        }
        double own = square_of(core, u, root), z = link->background_factor[i];
        double off = link->background * z * z * (link->background_target - own);
        core->diagonal[i] = (float)(-off / ((double)root * root));
        double prior = 0;
        if (core->mu)
            for (size_t k = 0; k < core->rank; k++)
                prior += (double)u[k] * u[k];
        core->row_sum[i] = 2 * sum + pairs->constant[row] - off * (link->background_target - own) +
                           (core->mu ? core->mu[i] * prior / ((double)root * root) : 0);
        if (!isfinite(core->row_sum[i]))
            return not_finite(core, i);
        pv_trim(core->ctx);
    }
    return pv_check_cancel(core->ctx);
}

/* sum over all i, j of b_ij (target - X_ij)^2, the diagonal included: with
 * y = z / s and B = U' diag(z / m) U it is
 * background * (target^2 (sum z)^2 - 2 target (U'y)' J (U'y) + tr(J B J B)). */
static psdvec_status background_sum(const pv_core *core, double *sum)
{
    const pv_link *link = core->link;
    const pv_division *division = core->pairs->division;
    size_t rank = core->rank, first = core->pairs->first, rows = core->pairs->matrix.rows;
    double all = 0;
    psdvec_status status;
    for (size_t i = 0; i < core->n; i++)
        all += link->background_factor[i];
    *sum = link->background_target * link->background_target * all * all;
    double *B = pv_alloc(core->ctx, rank * rank, sizeof *B, "the objective");
    double *inner = pv_alloc(core->ctx, rank, sizeof *inner, "the objective");
    float *scaled = NULL;
    if (!B || !inner) {
        status = pv_failure(core->ctx);
        goto done;
    }
    pv_tall vectors = {core->U, core->stride, rank, division}, weighted = vectors;
    if (core->ratio) {
        scaled = pv_alloc(core->ctx, rows * core->stride, sizeof *scaled, "the objective");
        if (!scaled) {
            status = pv_failure(core->ctx);
            goto done;
        }
        for (size_t i = 0; i < rows; i++)
            for (size_t k = 0; k < rank; k++)
                scaled[i * core->stride + k] = core->ratio[first + i] *
                                               core->U[i * core->stride + k];
        weighted.data = scaled;
    }
    PV_TRY_DONE(pv_tall_gram(core->ctx, core->n, vectors, weighted, NULL, B));
    PV_TRY_DONE(pv_tall_gram(core->ctx, core->n, vectors,
                             (pv_tall){core->level + first, 1, 1, division}, NULL, inner));
    for (size_t k = 0; k < rank; k++) {
        *sum -= 2 * link->background_target * core->sign[k] * inner[k] * inner[k];
        for (size_t l = 0; l < rank; l++)
            *sum += (double)core->sign[k] * core->sign[l] * B[k * rank + l] * B[l * rank + k];
    }
    *sum *= link->background;
done:
    pv_free(core->ctx, scaled);
    pv_free(core->ctx, inner);
    pv_free(core->ctx, B);
    return status;
}

psdvec_status pv_core_residual(pv_core *core, double *objective)
{
    PV_TRY(pv_products_on_pairs(core));
    PV_TRY(pv_parallel_tasks(core->ctx, PV_CORE_TASKS, residual_rows, core));
    PV_TRY(pv_pairs_mirror(core->pairs));
    double sum = 0;
    if (core->link->background > 0)
        PV_TRY(background_sum(core, &sum));
    PV_TRY(pv_division_complete(core->pairs->division, core->row_sum, sizeof *core->row_sum));
    for (size_t i = 0; i < core->n; i++)
        sum += core->row_sum[i];
    *objective = sum;
    return PSDVEC_OK;
}

typedef struct start_job {
    pv_core *core;
    double start, relaxation;
} start_job;

static psdvec_status start_rows(void *arg, size_t task, int worker)
{
    start_job *job = arg;
    pv_core *core = job->core;
    pv_pairs *pairs = core->pairs;
    const pv_link *link = core->link;
    (void)worker;
    double s = job->start, omega = job->relaxation;
    for (uint32_t row = core->above_edges[task]; row < core->above_edges[task + 1]; row++) {
        uint32_t i = pairs->first + row;
        uint64_t begin = pairs->middle[row], upper = pairs->upper[row];
        size_t count = (size_t)(pairs->matrix.begin[row + 1] - begin);
        for (size_t k = 0; k < count; k++) {
            double scale = (double)core->root[i] * core->root[pairs->matrix.column[begin + k]];
            double pull = (double)pairs->weight[upper + k] * pairs->target[upper + k];
            double above = pairs->matrix.value[begin + k] - link->unseen_target;
            /* A background that also applies to seen pairs has G as its target there, not log
             * kappa. */
            double b = link->background_only_unseen
                           ? 0
                           : pv_link_background(link, i, pairs->matrix.column[begin + k]);
            pairs->matrix.value[begin + k] =
                (float)(((1 - s) * pull - s * b * above) / scale + s * scale * above / omega);
        }
        double m = (double)core->root[i] * core->root[i];
        double z = link->background_factor[i];
        core->diagonal[i] =
            (float)(-link->background * z * z *
                        (link->background_target - s * link->unseen_target) / m +
                    s * m * (pv_link_diagonal(link, i) - link->unseen_target) / omega);
        pv_trim(core->ctx);
    }
    return pv_check_cancel(core->ctx);
}

psdvec_status pv_core_start(pv_core *core, double start, double relaxation)
{
    start_job job = {core, start, relaxation};
    PV_TRY(pv_parallel_tasks(core->ctx, PV_CORE_TASKS, start_rows, &job));
    return pv_pairs_mirror(core->pairs);
}
