/* Ridge regressions, word by word, on matrices that fit the cache. */
#include "solve/regression.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/thread.h"
#include "solve/regression_kernels.h"
#include "solve/tall.h"
#include "sparse/columns.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct pv_regression {
    psdvec_context *ctx;
    pv_scope memory;
    const pv_link *link;
    const uint32_t *row_of;
    const pv_regression_kernels *kernels; /* NULL: BLAS is the fastest */
    size_t core, dim;
    size_t stride;  /* of V: pv_regression_stride(dim) */
    float *V;       /* core x stride: J v_j in the basis where C is diagonal; padded with zeros */
    float *P;       /* dim x dim: row k is the k-th direction of that basis; NULL: unchanged */
    float *level;   /* dim: C's diagonal */
    float *pull;    /* dim: sum z_j J v_j, in that basis */
    double largest; /* largest z_j of the core if it is capped; otherwise 0 */
    pv_progress *progress; /* of several calls; NULL: each has its own */
};

/* Rows of A that are processed at a time. Few words have more pairs. */
enum {
    chunk_rows = 2048,
    words_a_task = 32,
    most_blocks = 128,
    first_pairs = 1024,
    most_passes = 8, /* maximum number of refinement passes */
};
static const double tolerance = 3e-6; /* relative error of a vector */
static const double most_error = 0.1; /* of the eigenvalues of a packed matrix, which are >= 1 */
static const double spread_error = 1.5e-3; /* of a packed matrix, per dimension: so that the spread
                                              is accurate to about 1e-4 */
static const double most_trace = 1e4; /* condition number up to which single precision is enough */
static const double least_share = 1e-10; /* of the trace: eigenvalues below it count as 0 */
/* Below this pivot, such eigenvalues are possible. */
static const double pivot_share = 1e-7;

/* z_j in the sum over all core words: the factors of the background, or 1 where all unseen pairs
 * have the same weight. */
static double shared_factor(const pv_link *link, uint32_t word)
{
    return link->background > 0 ? link->background_factor[word] : 1;
}

/* c_w. */
static double word_share(const pv_link *link, uint32_t word)
{
    if (link->background > 0)
        return 2 * link->background * link->background_factor[word];
    return link->options.unseen_weight;
}

static bool has_shared(const pv_link *link)
{
    return link->background > 0 || link->options.unseen_weight > 0;
}

/* Computes C and its eigenvectors, and transforms everything into their basis. */
static psdvec_status set_basis(pv_regression *r)
{
    psdvec_context *ctx = r->ctx;
    size_t n = r->core, dim = r->dim;
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "the regression"};
    float *weighted = pv_scope_alloc(&scope, n * dim, sizeof *weighted, false);
    float *ones = pv_scope_alloc(&scope, n, sizeof *ones, false);
    float *change = pv_scope_alloc(&scope, dim * dim, sizeof *change, false);
    double *C = pv_scope_alloc(&scope, dim * dim, sizeof *C, false);
    double *values = pv_scope_alloc(&scope, 2 * dim, sizeof *values, false);
    PV_TAKE(&r->memory, r->P, dim * dim);
    PV_TRY_DONE(pv_scope_status(&r->memory));
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t j = 0; j < n; j++)
        ones[j] = 0;
    for (uint32_t w = 0; w < r->link->words; w++)
        if (r->row_of[w] != UINT32_MAX)
            ones[r->row_of[w]] = (float)shared_factor(r->link, w);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < dim; k++)
            weighted[j * dim + k] = ones[j] * r->V[j * r->stride + k];
    pv_tall vectors = {r->V, r->stride, dim, NULL};
    PV_TRY_DONE(pv_tall_gram(ctx, n, vectors, (pv_tall){weighted, dim, dim, NULL}, NULL, C));
    for (size_t a = 0; a < dim; a++)
        for (size_t b = 0; b < a; b++)
            C[a * dim + b] = C[b * dim + a] = 0.5 * (C[a * dim + b] + C[b * dim + a]);
    PV_TRY_DONE(pv_symmetric_eigen(ctx, C, values, dim));
    for (size_t k = 0; k < dim; k++) {
        r->level[k] = (float)(values[k] > 0 ? values[k] : 0);
        for (size_t a = 0; a < dim; a++) {
            r->P[k * dim + a] = (float)C[k * dim + a];
            change[a * dim + k] = (float)C[k * dim + a];
        }
    }
    PV_TRY_DONE(pv_tall_transform(ctx, n, r->V, r->stride, dim, NULL, change, dim));
    double *sum = values + dim;
    PV_TRY_DONE(pv_tall_gram(ctx, n, vectors, (pv_tall){ones, 1, 1, NULL}, NULL, sum));
    for (size_t k = 0; k < dim; k++)
        r->pull[k] = (float)sum[k];
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_regression_open(const pv_link *link, const float *vectors, size_t core_count,
                                 size_t dim, const float *sign, const uint32_t *row_of,
                                 pv_regression **out)
{
    psdvec_context *ctx = link->ctx;
    *out = NULL;
    PV_TRY(pv_blas_ready(ctx));
    pv_regression *r = pv_alloc_zero(ctx, 1, sizeof *r, "the regression");
    *out = r;
    if (!r)
        return pv_failure(ctx);
    *r = (pv_regression){.ctx = ctx,
                         .memory = {.ctx = ctx, .what = "the regression"},
                         .link = link,
                         .row_of = row_of,
                         .kernels = pv_regression_kernels_at(0),
                         .core = core_count,
                         .dim = dim,
                         .stride = pv_regression_stride(dim)};
    PV_TAKE_ZERO(&r->memory, r->V, core_count * r->stride);
    PV_TAKE_ZERO(&r->memory, r->level, dim);
    PV_TAKE_ZERO(&r->memory, r->pull, dim);
    PV_TRY(pv_scope_status(&r->memory));
    for (size_t j = 0; j < core_count; j++)
        for (size_t k = 0; k < dim; k++)
            r->V[j * r->stride + k] = sign[k] * vectors[j * dim + k];
    for (uint32_t w = 0; w < link->words && link->background_only_unseen; w++)
        if (row_of[w] != UINT32_MAX && link->background_factor[w] > r->largest)
            r->largest = link->background_factor[w];
    return has_shared(link) ? set_basis(r) : PSDVEC_OK;
}

void pv_regression_report_to(pv_regression *r, pv_progress *progress)
{
    r->progress = progress;
}

void pv_regression_close(pv_regression *r)
{
    if (!r)
        return;
    pv_scope_free(&r->memory);
    pv_free(r->ctx, r);
}

/* ---- One word -------------------------------------------------------------------- */
typedef struct seen_pair {
    uint32_t row; /* of V */
    float weight; /* f */
    float target; /* g */
} seen_pair;

typedef struct scratch {
    pv_scope memory;
    seen_pair *pairs;
    size_t pair_room;
    float *A; /* chunk_rows x stride: B's rows */
    float *K; /* dim x stride */
    int8_t *packed;
    int32_t *sums;                   /* stride */
    float *base;                     /* stride: the diagonal c_w C + mu */
    float *scale;                    /* stride: base^-½ */
    float *square, *largest, *step;  /* stride: of the columns of B; `step` of the packed matrix */
    float *shared;                   /* stride: right-hand side of the shared part */
    float *solution, *change, *work; /* stride: y; all in the scaled coordinates */
    float *miss;                     /* chunk_rows */
    struct exact_scratch {           /* allocated at the first use */
        double *A;                   /* dim x dim: rows of A */
        double *S;                   /* dim x dim */
        double *values, *right, *solution, *miss; /* dim each */
    } exact;
} scratch;

static size_t packed_bytes(size_t dim)
{
    size_t stride = pv_regression_stride(dim), rows = pv_larger(chunk_rows, stride);
    return rows * stride + PV_REGRESSION_SLACK;
}

enum { strides_of_floats = 9, exact_vectors = 4 };

static psdvec_status scratch_open(pv_regression *r, scratch *s)
{
    size_t stride = r->stride;
    *s = (scratch){.memory = {.ctx = r->ctx, .what = "a regression"}, .pair_room = first_pairs};
    PV_TAKE(&s->memory, s->pairs, s->pair_room);
    PV_TAKE(&s->memory, s->A, chunk_rows * stride);
    PV_TAKE(&s->memory, s->K, r->dim * stride + PV_REGRESSION_SLACK);
    PV_TAKE(&s->memory, s->packed, packed_bytes(r->dim));
    PV_TAKE(&s->memory, s->sums, stride);
    PV_TAKE_ZERO(&s->memory, s->base, strides_of_floats * stride);
    PV_TAKE(&s->memory, s->miss, chunk_rows);
    PV_TRY(pv_scope_status(&s->memory));
    s->scale = s->base + stride;
    s->square = s->scale + stride;
    s->largest = s->square + stride;
    s->step = s->largest + stride;
    s->shared = s->step + stride;
    s->solution = s->shared + stride;
    s->change = s->solution + stride;
    s->work = s->change + stride;
    return PSDVEC_OK;
}

static psdvec_status exact_open(const pv_regression *r, scratch *s)
{
    struct exact_scratch *x = &s->exact;
    if (x->A)
        return PSDVEC_OK;
    PV_TAKE(&s->memory, x->A, r->dim * r->dim);
    PV_TAKE(&s->memory, x->S, r->dim * r->dim);
    PV_TAKE(&s->memory, x->values, exact_vectors * r->dim);
    PV_TRY(pv_scope_status(&s->memory));
    x->right = x->values + r->dim;
    x->solution = x->right + r->dim;
    x->miss = x->solution + r->dim;
    return PSDVEC_OK;
}

typedef struct equations {
    const pv_regression *r;
    scratch *s;
    size_t pairs;
    bool negative; /* some weights are negative, for corrections of the shared part */
    bool dual;
    double share, mu, level; /* c_w; the prior; the factor of the shared part */
    double log_det;
} equations;

static double log_product(const float *numbers, size_t step, size_t count)
{
    double sum = 0, product = 1;
    for (size_t k = 0; k < count; k++) {
        product *= numbers[k * step];
        if (k % 4 == 3 || k + 1 == count) {
            sum += log(product);
            product = 1;
        }
    }
    return sum;
}

/* ---- Scaled ------------------------------------------------------------------------
 * With y = base^½ v and B = A base^-½ the equations are (I + B'B) y = ..., where the
 * eigenvalues of I + B'B are between 1 and 1 + |B|^2. */

/* Fills in rows of B from `first` on and returns how many. Adds their squares to s->square. */
static size_t fill_rows(const equations *e, size_t first)
{
    const pv_regression *r = e->r;
    const scratch *s = e->s;
    size_t rows = e->pairs - first < chunk_rows ? e->pairs - first : chunk_rows;
    const pv_regression_kernels *kernels = r->kernels ? r->kernels : &pv_regression_kernels_plain;
    for (size_t t = 0; t < rows; t += 4) {
        const float *v[4];
        float root[4];
        size_t some = rows - t < 4 ? rows - t : 4;
        for (size_t i = 0; i < some; i++) {
            const seen_pair *pair = &s->pairs[first + t + i];
            v[i] = r->V + (size_t)pair->row * r->stride;
            root[i] = sqrtf(fabsf(pair->weight));
        }
        for (size_t i = t + 8; i < t + 12 && i < rows; i++)
            for (size_t k = 0; k < r->stride; k += 16)
                __builtin_prefetch(r->V + (size_t)s->pairs[first + i].row * r->stride + k);
        kernels->scale_rows(v, root, some, s->scale, r->stride, s->A + t * r->stride, s->square,
                            s->largest);
    }
    return rows;
}

/* s->miss[t] = sqrt|f| (g - v'x), for the rows of B that are in s->A; y: base^½ x, or NULL for
 * 0. */
static void set_misses(const equations *e, size_t first, size_t rows, const float *y)
{
    const scratch *s = e->s;
    for (size_t t = 0; t < rows; t++) {
        const seen_pair *pair = &s->pairs[first + t];
        s->miss[t] = sqrtf(fabsf(pair->weight)) * pair->target;
    }
    if (rows > 0 && y) /* BLAS rejects empty matrices */
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)rows, (int)e->r->dim, -1, s->A,
                    (int)e->r->stride, y, 1, 1, s->miss, 1);
}

/* to += B'x, for the rows of B that are in s->A. */
static void add_rows(const equations *e, size_t rows, const float *x, float *to)
{
    if (rows > 0)
        cblas_sgemv(CblasRowMajor, CblasTrans, (int)rows, (int)e->r->dim, 1, e->s->A,
                    (int)e->r->stride, x, 1, 1, to, 1);
}

static void set_dual_solution(const equations *e, float *y)
{
    memcpy(y, e->s->shared, e->r->dim * sizeof *y);
    add_rows(e, e->pairs, e->s->solution, y);
}

/* Fills s->A if B fits, and returns |B|^2. */
static double measure_rows(const equations *e)
{
    scratch *s = e->s;
    double trace = 0;
    memset(s->square, 0, e->r->stride * sizeof *s->square);
    memset(s->largest, 0, e->r->stride * sizeof *s->largest);
    for (size_t first = 0; first < e->pairs; first += chunk_rows)
        fill_rows(e, first);
    for (size_t k = 0; k < e->r->dim; k++)
        trace += s->square[k];
    return trace;
}

/* The factor of I + B'B, or I + BB' in the dual form, from packed integers. Returns false if these
 * are too coarse. The largest eigenvalue of the error E of the matrix is about 2 |E| / sqrt(side),
 * where |E|^2 = |B|^2 sum of step^2 / 6, as each element of B has an error of step / sqrt(12). */
static bool factor_packed(equations *e, double trace)
{
    const pv_regression_kernels *kernels = e->r->kernels;
    scratch *s = e->s;
    size_t side = e->dual ? e->pairs : e->r->dim, stride = pv_regression_stride(side), groups;
    if (!kernels || e->negative || e->pairs > chunk_rows || side == 0)
        return false;
    if (e->dual) {
        kernels->pack_rows(s->A, e->pairs, e->r->stride, kernels->levels, s->packed, s->step,
                           s->sums, s->miss);
        groups = e->r->stride / 4;
    } else {
        kernels->pack_columns(s->A, e->pairs, e->r->stride, s->largest, kernels->levels, s->packed,
                              s->step, s->sums);
        groups = (e->pairs + 3) / 4;
    }
    double squares = 0;
    for (size_t k = 0; k < side; k++)
        squares += (double)s->step[k] * s->step[k];
    double error = sqrt(trace * squares / 6);
    if (!(error < spread_error * (double)e->r->dim && 2 * error < most_error * sqrt((double)side)))
        return false;
    kernels->gram(s->packed, s->sums, groups, side, s->step, s->K);
    const float *square = e->dual ? s->miss : s->square;
    for (size_t k = 0; k < side; k++)
        s->K[k * stride + k] = 1 + square[k];
    return kernels->cholesky(s->K, side, stride);
}

static bool factor_float(equations *e)
{
    scratch *s = e->s;
    size_t side = e->dual ? e->pairs : e->r->dim, stride = pv_regression_stride(side);
    memset(s->K, 0, side * stride * sizeof *s->K);
    if (e->dual && side > 0)
        cblas_ssyrk(CblasRowMajor, CblasUpper, CblasNoTrans, (int)side, (int)e->r->dim, 1, s->A,
                    (int)e->r->stride, 0, s->K, (int)stride);
    for (size_t first = 0; first < e->pairs && !e->dual; first += chunk_rows) {
        size_t rows = e->pairs <= chunk_rows ? e->pairs : fill_rows(e, first);
        /* Negative weights are rare and usually isolated. */
        for (size_t t = 0; t < rows;) {
            bool negative = s->pairs[first + t].weight < 0;
            size_t run = t;
            while (run < rows && (s->pairs[first + run].weight < 0) == negative)
                run++;
            cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)side, (int)(run - t),
                        negative ? -1 : 1, s->A + t * e->r->stride, (int)e->r->stride, 1, s->K,
                        (int)stride);
            t = run;
        }
    }
    for (size_t k = 0; k < side; k++)
        s->K[k * stride + k] += 1;
    return e->r->kernels ? e->r->kernels->cholesky(s->K, side, stride)
                         : pv_cholesky(s->K, side, stride);
}

static void solve_factored(const scratch *s, size_t side, float *b)
{
    int n = (int)side, stride = (int)pv_regression_stride(side);
    if (n == 0)
        return;
    cblas_strsv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, n, s->K, stride, b, 1);
    cblas_strsv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, s->K, stride, b, 1);
}

/* s->change: the correction of s->solution that the factor gives. The solution is y, or z in the
 * dual form,
 *     (I + BB') z = sqrt|f| g - B shared,  y = shared + B'z,
 * which avoids cancellation if the prior is small. */
static void set_change(const equations *e, bool first_time)
{
    const pv_regression *r = e->r;
    scratch *s = e->s;
    if (e->dual) {
        set_dual_solution(e, s->work);
        set_misses(e, 0, e->pairs, first_time && e->level == 0 ? NULL : s->work);
        for (size_t t = 0; t < e->pairs; t++)
            s->change[t] = s->miss[t] - s->solution[t];
        solve_factored(s, e->pairs, s->change);
        return;
    }
    for (size_t k = 0; k < r->dim; k++)
        s->change[k] = s->shared[k] - s->solution[k];
    for (size_t first = 0; first < e->pairs; first += chunk_rows) {
        size_t rows = e->pairs <= chunk_rows ? e->pairs : fill_rows(e, first);
        set_misses(e, first, rows, first_time ? NULL : s->solution);
        for (size_t t = 0; t < rows && e->negative; t++)
            if (s->pairs[first + t].weight < 0)
                s->miss[t] = -s->miss[t];
        add_rows(e, rows, s->miss, s->change);
    }
    solve_factored(s, r->dim, s->change);
}

/* Returns false if the factor is too inaccurate. Corrections shrink from pass to pass by the same
 * ratio, so the last one predicts the size of the next. */
static bool refine(const equations *e)
{
    scratch *s = e->s;
    size_t side = e->dual ? e->pairs : e->r->dim;
    double before = 0;
    memset(s->solution, 0, side * sizeof *s->solution);
    for (int pass = 0; pass < most_passes; pass++) {
        double moved = 0, size = 0;
        set_change(e, pass == 0);
        for (size_t k = 0; k < side; k++) {
            s->solution[k] += s->change[k];
            moved += (double)s->change[k] * s->change[k];
            size += (double)s->solution[k] * s->solution[k];
        }
        double rest = pass > 0 && before > 0 ? moved * (moved / before) : moved;
        if (rest <= tolerance * tolerance * size)
            return true;
        if (!(pass == 0 || moved < before / 4))
            return false;
        before = moved;
    }
    return false;
}

/* Computes the vector, in the basis of C, in s->work. Returns false if single precision is not
 * enough. */
static bool solve_scaled(equations *e)
{
    const pv_regression *r = e->r;
    scratch *s = e->s;
    for (size_t k = 0; k < r->dim; k++) {
        double base = e->share * r->level[k] + e->mu;
        if (!(base > 0 && base < FLT_MAX))
            return false;
        s->base[k] = (float)base;
        s->scale[k] = 1 / sqrtf(s->base[k]);
        s->shared[k] = (float)(e->level * r->pull[k]) * s->scale[k];
    }
    double trace = measure_rows(e);
    if (!(trace < most_trace))
        return false;
    if (!(factor_packed(e, trace) && refine(e)) && !(factor_float(e) && refine(e)))
        return false;
    size_t side = e->dual ? e->pairs : r->dim;
    e->log_det = log_product(s->base, 1, r->dim) +
                 2 * log_product(s->K, pv_regression_stride(side) + 1, side);
    if (e->dual)
        set_dual_solution(e, s->work);
    else
        memcpy(s->work, s->solution, r->dim * sizeof *s->work);
    for (size_t k = 0; k < r->dim; k++)
        s->work[k] *= s->scale[k];
    return true;
}

/* ---- In double precision -------------------------------------------------------------
 * Used where the prior and the shared part are so weak that the equations are nearly singular, or
 * are absent. S is H, or without a shared part AA' + mu in the dual form. Directions in which S is
 * less than least_share of its trace count as undetermined: the vector has no component in them. So
 * for mu = 0 it is the minimum-norm least-squares solution. */

/* Fills in rows of A from `first` on, at most dim. */
static size_t fill_exact(const equations *e, size_t first)
{
    const pv_regression *r = e->r;
    size_t rows = e->pairs - first < r->dim ? e->pairs - first : r->dim;
    for (size_t t = 0; t < rows; t++) {
        const seen_pair *pair = &e->s->pairs[first + t];
        const float *v = r->V + (size_t)pair->row * r->stride;
        double root = sqrt(fabs((double)pair->weight)), *a = e->s->exact.A + t * r->dim;
        for (size_t k = 0; k < r->dim; k++)
            a[k] = root * v[k];
    }
    return rows;
}

/* S (side x side), both triangles, and the right-hand side. */
static void set_exact(const equations *e, size_t side)
{
    const pv_regression *r = e->r;
    struct exact_scratch *x = &e->s->exact;
    int dim = (int)r->dim, n = (int)side;
    memset(x->S, 0, side * side * sizeof *x->S);
    for (size_t k = 0; k < side; k++) {
        x->S[k * side + k] = e->dual ? e->mu : e->share * r->level[k] + e->mu;
        x->right[k] = e->dual ? 0 : e->level * r->pull[k];
    }
    for (size_t first = 0; first < e->pairs; first += r->dim) {
        size_t rows = fill_exact(e, first);
        for (size_t t = 0; t < rows; t++) {
            const seen_pair *pair = &e->s->pairs[first + t];
            double root = sqrt(fabs((double)pair->weight)), *a = x->A + t * r->dim;
            if (e->dual)
                x->right[t] = root * pair->target;
            else
                for (size_t k = 0; k < r->dim; k++)
                    x->right[k] += copysign(root, pair->weight) * pair->target * a[k];
        }
        if (e->dual)
            cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, n, dim, 1, x->A, dim, 1, x->S, n);
        for (size_t t = 0; t < rows && !e->dual;) {
            bool negative = e->s->pairs[first + t].weight < 0;
            size_t run = t;
            while (run < rows && (e->s->pairs[first + run].weight < 0) == negative)
                run++;
            cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, (int)(run - t), negative ? -1 : 1,
                        x->A + t * r->dim, dim, 1, x->S, n);
            t = run;
        }
    }
    for (size_t k = 0; k < side; k++) {
        x->values[k] = x->S[k * side + k];
        for (size_t l = 0; l < k; l++)
            x->S[k * side + l] = x->S[l * side + k];
    }
}

/* x->solution = S^-1 x->right by the Cholesky factor, in the upper triangle. Returns false if a
 * pivot is so small that S may be singular; S is then unchanged. */
static bool solve_exact_factored(equations *e, size_t side, double least)
{
    struct exact_scratch *x = &e->s->exact;
    double *S = x->S, *y = x->solution;
    bool fine = pv_cholesky_double(S, side, side);
    for (size_t k = 0; k < side && fine; k++)
        fine = S[k * side + k] * S[k * side + k] > least;
    for (size_t k = 0; k < side && !fine; k++) {
        S[k * side + k] = x->values[k];
        for (size_t l = k + 1; l < side; l++)
            S[k * side + l] = S[l * side + k];
    }
    if (!fine)
        return false;
    memcpy(y, x->right, side * sizeof *y);
    for (size_t k = 0; k < side; k++) {
        y[k] /= S[k * side + k];
        e->log_det += 2 * log(S[k * side + k]);
        for (size_t l = k + 1; l < side; l++)
            y[l] -= S[k * side + l] * y[k];
    }
    for (size_t k = side; k-- > 0;) {
        for (size_t l = k + 1; l < side; l++)
            y[k] -= S[k * side + l] * y[l];
        y[k] /= S[k * side + k];
    }
    return true;
}

static psdvec_status solve_exact_eigen(equations *e, size_t side, double least)
{
    struct exact_scratch *x = &e->s->exact;
    PV_TRY(pv_symmetric_eigen(e->r->ctx, x->S, x->values, side));
    memset(x->solution, 0, side * sizeof *x->solution);
    for (size_t k = 0; k < side; k++) {
        const double *q = x->S + k * side;
        double value = x->values[k], dot = 0;
        e->log_det += log(value > least ? value : least);
        if (!(value > least))
            continue;
        for (size_t l = 0; l < side; l++)
            dot += q[l] * x->right[l];
        for (size_t l = 0; l < side; l++)
            x->solution[l] += dot / value * q[l];
    }
    return PSDVEC_OK;
}

/* Computes the vector in s->work, like solve_scaled; NAN if there is none. */
static psdvec_status solve_exact(equations *e)
{
    const pv_regression *r = e->r;
    scratch *s = e->s;
    PV_TRY(exact_open(r, s));
    struct exact_scratch *x = &s->exact;
    e->dual = e->dual && !r->P;
    size_t side = e->dual ? e->pairs : r->dim;
    double trace = 0;
    e->log_det = 0;
    set_exact(e, side);
    for (size_t k = 0; k < side; k++)
        trace += x->values[k];
    for (size_t k = 0; k < r->dim; k++)
        s->work[k] = isfinite(trace) ? 0 : NAN;
    if (!isfinite(trace) || !(trace > 0))
        return PSDVEC_OK;
    if (!solve_exact_factored(e, side, pivot_share * trace))
        PV_TRY(solve_exact_eigen(e, side, least_share * trace));
    if (!e->dual) {
        for (size_t k = 0; k < r->dim; k++)
            s->work[k] = (float)x->solution[k];
        return PSDVEC_OK;
    }
    /* The other eigenvalues of H are mu. */
    e->log_det += (double)(r->dim - side) * log(fmax(e->mu, least_share * trace));
    for (size_t k = 0; k < r->dim; k++) {
        double sum = 0;
        for (size_t t = 0; t < side; t++)
            sum += x->A[t * r->dim + k] * x->solution[t];
        s->work[k] = (float)sum;
    }
    return PSDVEC_OK;
}

static psdvec_status solve_word(pv_regression *r, scratch *s, uint32_t word, size_t pairs,
                                double mu, float *out, float *spread)
{
    size_t dim = r->dim;
    equations e = {.r = r, .s = s, .pairs = pairs, .mu = mu};
    e.share = has_shared(r->link) ? word_share(r->link, word) : 0;
    e.level = r->link->background > 0 ? e.share * r->link->background_target : 0;
    for (size_t t = 0; t < pairs; t++)
        e.negative |= s->pairs[t].weight < 0;
    e.dual = pairs < dim && pairs <= chunk_rows && !e.negative;
    if (!solve_scaled(&e))
        PV_TRY(solve_exact(&e));
    if (r->P)
        cblas_sgemv(CblasRowMajor, CblasTrans, (int)dim, (int)dim, 1, r->P, (int)dim, s->work, 1, 0,
                    out, 1);
    else
        memcpy(out, s->work, dim * sizeof *out);
    bool fine = true;
    for (size_t k = 0; k < dim; k++)
        fine = fine && isfinite(out[k]);
    if (!fine) {
        size_t length;
        const char *text = psdvec_counts_word(r->link->counts, word, &length);
        return pv_fail(r->ctx, PSDVEC_ERR_NUMERIC,
                       "the regression of the word \"%.*s\" on %zu core words has no finite "
                       "solution; a larger `mu` may help",
                       (int)length, text, pairs);
    }
    if (spread)
        *spread = (float)(sqrt(0.5) * exp(-e.log_det / (2 * (double)dim)));
    return PSDVEC_OK;
}

/* ---- Gathering a word's pairs ------------------------------------------------------- */
typedef struct solve_job {
    pv_regression *r;
    const uint32_t *words;
    size_t count;
    const double *mu;
    float *out, *spread;
    scratch *scratch; /* one per worker */
    pv_column_blocks blocks;
    pv_progress *progress;
} solve_job;

static psdvec_status add_pair(pv_regression *r, scratch *s, size_t *pairs, uint32_t word,
                              uint32_t other, uint64_t after, uint64_t before)
{
    const pv_link *link = r->link;
    if (r->row_of[other] == UINT32_MAX || other == word)
        return PSDVEC_OK;
    if (*pairs == s->pair_room) {
        PV_GROW(&s->memory, s->pairs, 2 * s->pair_room);
        PV_TRY(pv_scope_status(&s->memory));
        s->pair_room *= 2;
    }
    pv_pair pair = pv_link_pair(link, word, other, pv_link_count(link, word, other, after),
                                pv_link_count(link, other, word, before));
    double weight = 2 * pair.weight, pull = weight * pair.target;
    if (link->background <= 0)
        weight -= link->options.unseen_weight;
    if (weight == 0)
        return PSDVEC_OK;
    s->pairs[(*pairs)++] = (seen_pair){r->row_of[other], (float)weight, (float)(pull / weight)};
    return PSDVEC_OK;
}

/* The seen pairs of a word and, where possible, those unseen pairs whose weight is capped, for
 * which the shared part is too large. */
static psdvec_status gather_word(pv_regression *r, scratch *s, pv_pair_row row, size_t *pairs)
{
    const pv_link *link = r->link;
    uint32_t word = row.i;
    bool capped = link->background * link->background_factor[word] * r->largest > 1;
    uint32_t next = capped ? 0 : link->words;
    *pairs = 0;
    for (bool more = true; more;) {
        more = pv_pair_next(&row);
        uint32_t end = more ? row.j : link->words;
        for (; next < end; next++)
            if (pv_link_background(link, word, next) > 1)
                PV_TRY(add_pair(r, s, pairs, word, next, 0, 0));
        if (more)
            PV_TRY(add_pair(r, s, pairs, word, row.j, row.xij, row.xji));
        next += next == end;
    }
    return PSDVEC_OK;
}

static psdvec_status solve_row(void *arg, pv_pair_row row, int worker)
{
    solve_job *job = arg;
    pv_regression *r = job->r;
    scratch *s = &job->scratch[worker];
    size_t at = pv_lower_bound(job->words, job->count, row.i), pairs;
    if (at == job->count || job->words[at] != row.i)
        return PSDVEC_OK;
    if (!s->pairs)
        PV_TRY(scratch_open(r, s));
    PV_TRY(gather_word(r, s, row, &pairs));
    PV_TRY(solve_word(r, s, row.i, pairs, job->mu[at], job->out + at * r->dim,
                      job->spread ? job->spread + at : NULL));
    pv_progress_add(job->progress, 1);
    return pv_check_cancel(r->ctx);
}

psdvec_status pv_regression_solve(pv_regression *r, const uint32_t *words, size_t count,
                                  const double *mu, float *out, float *spread)
{
    if (count == 0)
        return PSDVEC_OK;
    pv_progress own;
    solve_job job = {.r = r,
                     .words = words,
                     .count = count,
                     .mu = mu,
                     .out = out,
                     .spread = spread,
                     .progress = r->progress ? r->progress : &own};
    /* Only rows of core words are needed; in training they come first. */
    uint32_t last = r->link->words;
    while (last > 0 && r->row_of[last - 1] == UINT32_MAX)
        last--;
    pv_csr rows = r->link->counts->rows;
    rows.rows = last;
    size_t blocks = (count + words_a_task - 1) / words_a_task;
    if (blocks > most_blocks)
        blocks = most_blocks;
    psdvec_status status;
    int workers = psdvec_threads(r->ctx);
    job.scratch = pv_alloc_zero(r->ctx, (size_t)workers, sizeof *job.scratch, "a regression");
    if (!job.scratch)
        return pv_failure(r->ctx);
    if (!r->progress)
        pv_progress_begin(&own, r->ctx, "regressing", "words", count);
    PV_TRY_DONE(pv_column_blocks_make(r->ctx, rows, words[0], words[count - 1] + 1,
                                      (uint32_t)blocks, &job.blocks));
    pv_pair_walk walk = {.blocks = &job.blocks, .on_row = solve_row, .arg = &job};
    PV_TRY_DONE(pv_walk_pairs(r->ctx, &walk));
done:
    for (int w = 0; w < workers; w++)
        pv_scope_free(&job.scratch[w].memory);
    pv_free(r->ctx, job.scratch);
    pv_column_blocks_free(&job.blocks);
    if (!r->progress)
        pv_progress_end(&own);
    return status;
}

uint64_t pv_regression_bytes(uint64_t core_count, uint64_t dim, uint64_t words, uint64_t bigrams,
                             int threads)
{
    uint64_t stride = pv_regression_stride(dim);
    uint64_t kept = sizeof(pv_regression) +
                    (core_count * stride + 2 * dim + dim * dim) * sizeof(float);
    uint64_t basis = (core_count * (dim + 1) + dim * dim) * sizeof(float) +
                     (dim + 2) * dim * sizeof(double) +
                     pv_larger(pv_tall_gram_bytes(core_count, NULL, dim, dim),
                               pv_larger(pv_symmetric_eigen_bytes(dim),
                                         pv_tall_transform_bytes(core_count, dim, threads)));
    /* A list of pairs grows by doubling, during which both copies exist. */
    uint64_t pairs = core_count > first_pairs ? 3 * core_count : first_pairs;
    uint64_t floats = chunk_rows * (stride + 1) + dim * stride + PV_REGRESSION_SLACK +
                      strides_of_floats * stride;
    uint64_t scratch_bytes = pairs * sizeof(seen_pair) + floats * sizeof(float) +
                             packed_bytes(dim) + stride * sizeof(int32_t) +
                             (2 * dim + exact_vectors) * dim * sizeof(double) +
                             pv_symmetric_eigen_bytes(dim);
    uint64_t solving = pv_column_blocks_bytes(core_count, words, most_blocks, threads) +
                       pv_gather_bytes(core_count, words, bigrams, most_blocks, threads) +
                       (uint64_t)threads * scratch_bytes;
    return kept + pv_larger(basis, solving);
}
