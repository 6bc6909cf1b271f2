/* What the core's pairs give to the joint probability, while Algorithm 1 has them: one pass over
 * the arrays of the pairs instead of one over the counts and all products.
 *
 * The residual is there, w (g - X) / (s s'), beside w and g. With PMI targets and factored weights,
 * as in the default preset, both directions of a pair share w = f and g = G, and the count of
 * both together follows from the target: x + x' = exp(G + shift + shift').
 */
#include "train/joint_sums.h"

#include "base/thread.h"
#include "sparse/csr.h"

typedef struct core_job {
    const pv_joint_of *of;
    const pv_core *core;
    pv_joint_sums *rows; /* core->n */
    double *shift;       /* NULL: all 0 */
} core_job;

bool pv_joint_core_serves(const pv_core *core, size_t dim)
{
    const pv_link *link = core->link;
    return core->rank > 0 && core->rank <= dim && link->factored && !link->directed;
}

/* Pairs above the diagonal. */
static void take_pairs(const core_job *job, uint32_t i, pv_joint_sums *sums)
{
    const pv_core *core = job->core;
    const pv_pairs *pairs = core->pairs;
    const double *off = core->link->shift, *shift = job->shift;
    const float *weight = pairs->weight + pairs->upper[i],
                *target = pairs->target + pairs->upper[i];
    pv_log_sum logs = {1, 0};
    uint64_t begin = pairs->middle[i];
    size_t count = (size_t)(pairs->matrix.begin[i + 1] - begin);
    for (size_t k = 0; k < count; k++) {
        uint32_t j = pairs->matrix.column[begin + k];
        double w = weight[k], g = target[k];
        double a = (double)pairs->matrix.value[begin + k] * core->root[i] * core->root[j] / w;
        if (PV_UNLIKELY(!(w > 0)))
            a = g - pv_joint_product(job->of, i, j);
        double both = exp(g + off[i] + off[j]);
        sums->products += both * (g - a);
        sums->residuals += both * a;
        sums->prior += 2 * w * a * a;
        if (shift)
            sums->shifts += both * (shift[i] + shift[j]);
        if (w > 0) {
            sums->weighed += 2;
            pv_log_add(&logs, w);
        }
    }
    sums->log_weights = 2 * (logs.sum + log(logs.product));
}

static psdvec_status take_rows(void *arg, size_t task, int worker)
{
    const core_job *job = arg;
    const pv_core *core = job->core;
    const pv_link *link = core->link;
    (void)worker;
    for (uint32_t i = core->above_edges[task]; i < core->above_edges[task + 1]; i++) {
        pv_joint_sums sums = {0};
        psdvec_row row;
        psdvec_counts_row(link->counts, i, &row);
        take_pairs(job, i, &sums);
        sums.pairs = (int64_t)pv_lower_bound(row.focus, row.length, link->core);
        uint64_t own = psdvec_counts_get(link->counts, i, i);
        if (own > 0) {
            double x = pv_link_count(link, i, i, own);
            pv_joint_own(link, i, x, pv_joint_product(job->of, i, i), &sums);
            sums.pairs--; /* it is one of the row */
            if (job->shift)
                sums.shifts += 2 * x * job->shift[i];
        }
        job->rows[i] = sums;
    }
    return pv_check_cancel(link->ctx);
}

psdvec_status pv_joint_core(const pv_joint_of *of, const pv_core *core, psdvec_joint *joint)
{
    psdvec_context *ctx = core->ctx;
    core_job job = {.of = of, .core = core};
    psdvec_status status = PSDVEC_OK;
    job.rows = pv_alloc_zero(ctx, core->n, sizeof *job.rows, "the joint probability");
    if (!job.rows) {
        status = pv_failure(ctx);
        goto done;
    }
    PV_TRY_DONE(pv_joint_shifts(core->link, &job.shift));
    PV_TRY_DONE(pv_parallel_tasks(ctx, PV_CORE_TASKS, take_rows, &job));
    pv_joint_add_rows(job.rows, (uint32_t)core->n, joint);
done:
    pv_free(ctx, job.shift);
    pv_free(ctx, job.rows);
    return status;
}

uint64_t pv_joint_core_bytes(uint64_t words)
{
    return words * (sizeof(pv_joint_sums) + sizeof(double) + sizeof(uint32_t));
}
