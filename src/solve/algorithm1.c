/* Block coordinate descent by repeated eigendecomposition (section 5.2): minimises the weighted
 * squares of eq. 14. With the settings of the paper an iteration is that of its Algorithm 1,
 *     G_t = W o G* + (1 - W) o X,   X = PSD_Approximate(G_t, N):
 * step_matrix describes the matrix G_t, and take_step decomposes it.
 *
 * One iteration majorises the objective at X: with all weights raised to m_i m_j and the targets
 * moved so that value and slope agree, it becomes
 *     sum m_i m_j (Y_ij - X_ij)^2,   Y = X + omega R / (m m'),
 * whose best X of rank N comes from an eigendecomposition of D^½ Y D^½. omega = 1 is the method of
 * the paper. With omega up to 2 a step usually still lowers the objective, but the bound above no
 * longer guarantees it, so a step that raises the objective is undone and repeated with a smaller
 * omega. A refinement (refine.h) has no such guarantee for any omega: if it raises the objective with
 * the smallest, the full eigenproblem is solved.
 */
#include "solve/algorithm1.h"

#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "link/weights.h"
#include "solve/eigen.h"
#include "solve/refine.h"
#include "solve/sum_matrix.h"

#include <math.h>
#include <string.h>

enum { purpose_start = 0x616c6701 };

/* A relative increase below this is rounding error. */
static const double rise_tolerance = 1e-6;

size_t pv_rank_at(const psdvec_train_options *options, size_t n, uint32_t t)
{
    uint64_t rank = options->dim + (uint64_t)options->rank_extra * (options->iterations - t);
    return rank < n ? (size_t)rank : n;
}

size_t pv_rank_most(const psdvec_train_options *options, size_t n)
{
    return pv_rank_at(options, n, 1);
}

/* The relaxation for which a step cannot raise the objective: the weights are at most (1 + rho) m_i
 * m_j. */
static double safe_length(const psdvec_train_options *options)
{
    return pv_weight_rules[options->weights].factored ? 1 / (1 + options->rho) : 1;
}

static bool may_rise(const psdvec_train_options *options)
{
    return options->relaxation > safe_length(options);
}

/* Whether iteration t only refines the vectors of the previous iteration. Refinement cannot recover
 * an eigenvector that was lost, so long runs solve the full eigenproblem periodically, and a small
 * decrease of the objective during refinement is not a reason to stop. */
static bool may_refine(const psdvec_train_options *options, uint32_t t)
{
    uint32_t exact = options->exact_iterations;
    return exact > 0 && !(options->tolerance > 0) &&
           (t - 1) % (exact + PV_REFINED_ITERATIONS) >= exact;
}

/* Whether some iteration may refine vectors. */
static bool ever_refines(const psdvec_train_options *options)
{
    return may_refine(options, options->exact_iterations + 1) &&
           options->iterations > options->exact_iterations;
}

/* About how many columns iteration t multiplies. Without a refinement it is 4 to 7 times the
 * rank. */
static uint64_t likely_columns(const psdvec_train_options *options, size_t n, uint32_t t)
{
    return pv_rank_at(options, n, t) * (may_refine(options, t) ? 1 : 5);
}

/* Whether a step needs a copy of U from before it. */
static bool keeps_old(const psdvec_train_options *options)
{
    return may_rise(options) || ever_refines(options);
}

/* The rounding error of products in half precision is about 1e-4 of the smallest eigenvalue
 * kept. */
static bool in_half(const psdvec_train_options *options)
{
    return options->eigen_tolerance >= 1e-3;
}

typedef struct stepper {
    pv_core *core;
    psdvec_context *ctx;
    const psdvec_train_options *options;
    size_t most;         /* maximum number of eigenvectors of a decomposition */
    double *values;      /* most */
    float *coefficients; /* 3 x stride; also the signs before a step */
    size_t rows;         /* of U */
    float *old;          /* rows x stride: U before a step that may be undone or that refines it */
    double *own;         /* stride: coefficients of U in the matrix of a refinement */
    float *shifted;      /* n: the diagonal including the prior */
    pv_eigen_report eigen;
    bool refined;         /* whether the last step was a refinement */
    pv_progress progress; /* in columns multiplied; the number per iteration is an estimate */
    uint64_t share;       /* columns budgeted for this iteration */
    uint64_t used;        /* columns used in this iteration */
} stepper;

static void count_columns(void *user, size_t columns)
{
    stepper *s = user;
    uint64_t left = s->share - s->used, more = columns < left ? columns : left;
    s->used += more;
    pv_progress_add(&s->progress, more);
}

/* The matrix of the next step, A = D^½ Y D^½, in the psd form less the prior. U: the vectors.
 * refine: omit the term U diag(s->own) U'. */
static void step_matrix(stepper *s, bool first, double omega, const float *U, bool refine,
                        pv_sum_matrix *matrix)
{
    pv_core *core = s->core;
    const pv_link *link = core->link;
    *matrix = (pv_sum_matrix){.ctx = s->ctx,
                              .kernels = core->kernels,
                              .pairs = core->pairs,
                              .sparse_factor = (float)omega,
                              .half = in_half(s->options),
                              .diagonal = s->shifted,
                              .on_product = count_columns,
                              .user = s};
    double start = first ? fmax(s->options->start, 0) : 0;
    for (size_t i = 0; i < core->n; i++) {
        double m = (double)core->root[i] * core->root[i];
        double prior = core->mu ? 0.5 * core->mu[i] / m : 0;
        s->shifted[i] = (float)(omega * (core->diagonal[i] - prior));
    }
    float *own = s->coefficients, *constant = own + core->stride, *faded = constant + core->stride;
    double beta = omega * link->background;
    for (size_t k = 0; k < core->rank; k++) {
        own[k] = (float)(core->ratio ? core->sign[k] : core->sign[k] - beta * core->sign[k]);
        if (refine)
            s->own[k] = own[k];
        faded[k] = (float)(-beta * core->sign[k]);
    }
    if (!refine)
        pv_sum_matrix_add(matrix, (pv_low_rank){U, core->stride, core->rank, own, NULL});
    if (link->background > 0) {
        constant[0] = (float)(beta * (link->background_target - start * link->unseen_target));
        pv_sum_matrix_add(matrix,
                          (pv_low_rank){core->level + core->pairs->first, 1, 1, constant, NULL});
        if (core->ratio)
            pv_sum_matrix_add(matrix,
                              (pv_low_rank){U, core->stride, core->rank, faded, core->ratio});
    }
    if (start != 0) {
        constant[1] = (float)(start * link->unseen_target);
        pv_sum_matrix_add(matrix,
                          (pv_low_rank){core->root + core->pairs->first, 1, 1, constant + 1, NULL});
    }
}

static psdvec_status decompose(stepper *s, pv_sum_matrix *matrix, size_t want, pv_eigen_end end,
                               size_t *found)
{
    pv_eigen_options options;
    pv_eigen_options_default(&options, want);
    options.end = end;
    options.tolerance = s->options->eigen_tolerance;
    options.guess = s->core->rank > 0 ? s->core->U : NULL;
    options.guess_columns = s->core->rank;
    options.guess_stride = options.stride = s->core->stride;
    pv_operator operator= pv_sum_matrix_operator(matrix);
    psdvec_status status = pv_eigen(s->ctx, &operator, & options, s->values, s->core->U, &s->eigen);
    pv_sum_matrix_close(matrix);
    *found = s->eigen.found;
    return status;
}

/* Replaces U by the refined eigenvectors of the old ones, which are in s->old. Leaves U unchanged
 * if that is not possible. */
static psdvec_status refine(stepper *s, double omega, size_t want, pv_eigen_end end, bool *done)
{
    pv_core *core = s->core;
    pv_sum_matrix matrix;
    pv_eigen_options usual;
    pv_eigen_options_default(&usual, want);
    step_matrix(s, false, omega, s->old, true, &matrix);
    pv_refine_options options = {.end = end,
                                 .want = want,
                                 .block = usual.block,
                                 .old = s->old,
                                 .columns = core->rank,
                                 .stride = core->stride,
                                 .own = s->own};
    pv_operator operator= pv_sum_matrix_operator(&matrix);
    psdvec_status status = pv_refine(s->ctx, &operator, & options, s->values, core->U, done);
    pv_sum_matrix_close(&matrix);
    s->eigen = (pv_eigen_report){.found = want, .columns = core->rank};
    if (status == PSDVEC_OK && !*done)
        memcpy(core->U, s->old, s->rows * core->stride * sizeof *core->U);
    return status;
}

/* U = Q |Lambda|^½ of the first `kept` pairs, where U holds Q on entry; sets the remaining columns
 * to 0. */
static void take_vectors(stepper *s, size_t kept)
{
    pv_core *core = s->core;
    float *scale = s->coefficients;
    for (size_t k = 0; k < core->stride; k++)
        core->sign[k] = k >= kept ? 0 : s->values[k] < 0 ? -1 : 1;
    for (size_t k = 0; k < kept; k++)
        scale[k] = (float)sqrt(fabs(s->values[k]));
    for (size_t i = 0; i < s->rows; i++) {
        float *u = core->U + i * core->stride;
        for (size_t k = 0; k < kept; k++)
            u[k] *= scale[k];
        for (size_t k = kept; k < core->stride; k++)
            u[k] = 0;
    }
    core->rank = kept;
}

/* One iteration: computes the new U from the residual in the pairs. refining: whether it may refine
 * the old vectors. */
static psdvec_status take_step(stepper *s, uint32_t t, double omega, bool refining)
{
    pv_core *core = s->core;
    bool psd = s->options->form == PSDVEC_FORM_PSD;
    size_t want = pv_rank_at(s->options, core->n, t), kept;
    pv_eigen_end end = psd ? PV_EIGEN_LARGEST : PV_EIGEN_MAGNITUDE;
    s->refined = false;
    if (refining && core->rank >= want)
        PV_TRY(refine(s, omega, want, end, &s->refined));
    kept = want;
    if (!s->refined) {
        pv_sum_matrix matrix;
        step_matrix(s, t == 1, omega, core->U, false, &matrix);
        PV_TRY(decompose(s, &matrix, want, end, &kept));
    }
    while (kept > 0 && (psd ? !(s->values[kept - 1] > 0) : s->values[kept - 1] == 0))
        kept--;
    take_vectors(s, kept);
    return PSDVEC_OK;
}

static psdvec_status record(stepper *s, pv_course *course, uint32_t t, double objective,
                            double omega)
{
    const pv_core *core = s->core;
    psdvec_iteration *it = &course->iterations[t - 1];
    *it = (psdvec_iteration){.iteration = t,
                             .rank = (uint32_t)core->rank,
                             .objective = objective,
                             .relaxation = omega,
                             .residual = s->eigen.residual};
    for (size_t k = 0; k < core->rank; k++) {
        it->positive += core->sign[k] > 0;
        course->values[k] = (float)s->values[k];
    }
    it->smallest = core->rank > 0 ? s->values[core->rank - 1] : 0;
    course->done = t;
    size_t want = pv_rank_at(s->options, core->n, t);
    if (core->rank < want && s->options->form == PSDVEC_FORM_PSD)
        pv_note(s->ctx,
                "iteration %u: only %zu of the %zu largest eigenvalues are positive; the other "
                "dimensions are 0",
                t, core->rank, want);
    pv_step(s->ctx, "iteration %u of %u: objective %.6g, %zu eigenvalues, %zu of them negative", t,
            s->options->iterations, objective, core->rank, core->rank - it->positive);
    if (s->refined)
        pv_note(s->ctx, "the smallest eigenvalue is %.4g, refined by a product with %zu columns",
                it->smallest, s->eigen.columns);
    else
        pv_note(s->ctx, "the smallest eigenvalue is %.4g, residual %.1e, %zu columns multiplied",
                it->smallest, s->eigen.residual, s->eigen.columns);
    return PSDVEC_OK;
}

/* X(0) of Algorithm 1 as printed in the paper: random vectors of length 1 on average. */
static void start_randomly(stepper *s)
{
    pv_core *core = s->core;
    core->rank = pv_rank_at(s->options, core->n, 1);
    for (size_t k = 0; k < core->rank; k++)
        core->sign[k] = 1;
    for (size_t row = 0; row < s->rows; row++) {
        size_t i = core->pairs->first + row;
        double scale = core->root[i] / sqrt((double)core->rank);
        for (size_t k = 0; k < core->rank; k++)
            core->U[row * core->stride + k] =
                (float)(scale * pv_random_normal(s->ctx->options.seed, purpose_start,
                                                 (uint64_t)i << 32 | k));
    }
}

static psdvec_status run_course(stepper *s, pv_course *course, pv_iteration_fn *on_iteration,
                                void *user)
{
    pv_core *core = s->core;
    double objective = NAN;
    bool from_targets = course->done == 0 && s->options->start > 0;
    if (course->done == 0 && s->options->start < 0)
        start_randomly(s);
    if (!from_targets)
        PV_TRY(pv_core_residual(core, &objective));
    uint64_t columns = 0;
    for (uint32_t t = course->done + 1; t <= s->options->iterations; t++)
        columns += likely_columns(s->options, core->n, t);
    pv_progress_begin(&s->progress, s->ctx, "solving", "columns", columns);
    s->progress.objective = objective;
    while (course->done < s->options->iterations && !course->finished) {
        uint32_t t = course->done + 1;
        double omega = s->options->relaxation, before = objective;
        s->share = likely_columns(s->options, core->n, t);
        if (t == 1 && from_targets)
            PV_TRY(pv_core_start(core, s->options->start, omega));
        size_t rank = core->rank;
        if (s->old)
            memcpy(s->old, core->U, s->rows * core->stride * sizeof *s->old);
        float *sign = s->coefficients + 3 * core->stride;
        memcpy(sign, core->sign, core->stride * sizeof *sign);
        /* Keeping fewer eigenvalues than before, as the schedule demands, may raise the
         * objective. */
        bool comparable = isfinite(before) && pv_rank_at(s->options, core->n, t) >= rank;
        for (bool refining = may_refine(s->options, t);;) {
            PV_TRY(take_step(s, t, omega, refining));
            PV_TRY(pv_core_residual(core, &objective));
            if (!comparable || !(may_rise(s->options) || s->refined) ||
                objective <= before * (1 + rise_tolerance))
                break;
            double shorter = omega > 1 ? 1 : safe_length(s->options);
            if (shorter < omega) {
                pv_note(
                    s->ctx,
                    "iteration %u: a step of length %g would raise the objective to %.6g; it is "
                    "repeated with length %g",
                    t, omega, objective, shorter);
                omega = shorter;
            } else if (s->refined) {
                pv_note(s->ctx,
                        "iteration %u: a refinement would raise the objective to %.6g; the full "
                        "eigenproblem is solved",
                        t, objective);
                refining = false;
            } else {
                break;
            }
            memcpy(core->U, s->old, s->rows * core->stride * sizeof *s->old);
            memcpy(core->sign, sign, core->stride * sizeof *sign);
            core->rank = rank;
            PV_TRY(pv_core_residual(core, &objective));
        }
        PV_TRY(record(s, course, t, objective, omega));
        course->finished = s->options->tolerance > 0 && comparable &&
                           before - objective < s->options->tolerance * fabs(before);
        s->progress.objective = objective;
        pv_progress_add(&s->progress, s->share - s->used);
        s->used = 0;
        if (on_iteration)
            PV_TRY(on_iteration(user, core, course));
    }
    pv_progress_end(&s->progress);
    return PSDVEC_OK;
}

uint64_t pv_algorithm1_bytes(const psdvec_train_options *options, uint64_t n,
                             const pv_division *division, int threads)
{
    uint64_t rank = pv_rank_most(options, n), stride = (rank + 7) / 8 * 8;
    bool ratio = pv_background_has_ratio(options);
    pv_eigen_options eigen;
    pv_eigen_options_default(&eigen, rank);
    uint64_t product = pv_sum_matrix_bytes(n, division, rank, eigen.block, ratio, in_half(options));
    uint64_t solving = pv_larger(pv_eigen_bytes(&eigen, n, division, product, threads),
                                 pv_core_residual_bytes(n, division, rank, ratio, threads));
    if (ever_refines(options))
        solving =
            pv_larger(solving, pv_refine_bytes(n, division, rank, eigen.block, product, threads));
    return n * sizeof(float) + rank * sizeof(double) +
           stride * (4 * sizeof(float) + sizeof(double)) +
           (keeps_old(options) ? pv_rows_own(division, n) * stride * sizeof(float) : 0) + solving;
}

psdvec_status pv_algorithm1(pv_core *core, pv_course *course, pv_iteration_fn *on_iteration,
                            void *user)
{
    psdvec_context *ctx = core->ctx;
    const psdvec_train_options *options = &core->link->options;
    stepper s = {.core = core, .ctx = ctx, .options = options, .rows = core->pairs->matrix.rows};
    pv_scope scope = {.ctx = ctx, .what = "eigenvectors"};
    s.most = pv_rank_most(options, core->n);
    PV_TAKE(&scope, s.values, s.most);
    PV_TAKE(&scope, s.coefficients, 4 * core->stride);
    PV_TAKE(&scope, s.shifted, core->n);
    if (keeps_old(options))
        PV_TAKE(&scope, s.old, s.rows * core->stride);
    PV_TAKE(&scope, s.own, core->stride);
    psdvec_status status = pv_scope_status(&scope);
    if (status == PSDVEC_OK)
        status = run_course(&s, course, on_iteration, user);
    pv_scope_free(&scope);
    return status;
}
