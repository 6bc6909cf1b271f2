/* The Nystroem approximation from one product with the old vectors.
 *
 * With H = Z' diag(theta) Z, rows of Z orthonormal, Y H^-1 Y' = U J U' for
 *     U = Y F',  F = |theta|^-1/2 Z,  J = sign(theta).
 * The columns of U are not orthogonal. With U'U = F (Y'Y) F' = E' diag(gamma) E, those of P = U E'
 * gamma^-1/2 are, and U J U' = P C P' with C = L J L', L = gamma^1/2 E: the eigenvectors w of C
 * give those of the approximation, P w. All small matrices are in double precision, and Y is
 * transformed once, in place.
 */
#include "solve/refine.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/thread.h"
#include "solve/tall.h"

#include <math.h>
#include <string.h>

typedef struct refinement {
    psdvec_context *ctx;
    const pv_refine_options *options;
    size_t n;
    float *inverse; /* columns: 1 / length of each old vector */
    float *own;     /* columns */
    float *X, *Y;   /* n x block */
    float *vectors;
    size_t first, width; /* of the current columns */
    const pv_division *division;
    size_t rows; /* that are here */
} refinement;

enum { rows_a_task = PV_TILE_UNIT };

static size_t end_of_task(const refinement *r, size_t task)
{
    return (task + 1) * rows_a_task < r->rows ? (task + 1) * rows_a_task : r->rows;
}

/* X = columns of Q. */
static psdvec_status take_columns(void *arg, size_t task, int worker)
{
    refinement *r = arg;
    (void)worker;
    for (size_t i = task * rows_a_task; i < end_of_task(r, task); i++)
        for (size_t c = 0; c < r->width; c++)
            r->X[i * r->width + c] = r->options->old[i * r->options->stride + r->first + c] *
                                     r->inverse[r->first + c];
    return PSDVEC_OK;
}

/* Stores the product in its columns. */
static psdvec_status put_columns(void *arg, size_t task, int worker)
{
    refinement *r = arg;
    (void)worker;
    for (size_t i = task * rows_a_task; i < end_of_task(r, task); i++)
        for (size_t c = 0; c < r->width; c++) {
            size_t at = i * r->width + c;
            r->vectors[i * r->options->stride + r->first + c] = r->Y[at] +
                                                                r->own[r->first + c] * r->X[at];
        }
    return PSDVEC_OK;
}

/* vectors = A Q. */
static psdvec_status multiply_all(refinement *r, const pv_operator *matrix)
{
    size_t columns = r->options->columns;
    size_t tasks = (r->rows + rows_a_task - 1) / rows_a_task;
    for (r->first = 0; r->first < columns; r->first += r->width) {
        size_t left = columns - r->first;
        r->width = left < r->options->block ? left : r->options->block;
        PV_TRY(pv_parallel_tasks(r->ctx, tasks, take_columns, r));
        PV_TRY(matrix->apply(matrix->self, r->X, r->Y, r->width));
        PV_TRY(pv_parallel_tasks(r->ctx, tasks, put_columns, r));
        PV_TRY(pv_check_cancel(r->ctx));
    }
    return PSDVEC_OK;
}

static psdvec_status set_lengths(refinement *r)
{
    const pv_refine_options *o = r->options;
    double *square = pv_alloc(r->ctx, o->columns, sizeof *square, "eigenvectors");
    if (!square)
        return pv_failure(r->ctx);
    pv_tall old = {o->old, o->stride, o->columns, r->division};
    psdvec_status status = pv_tall_squares(r->ctx, r->n, old, square);
    for (size_t k = 0; k < o->columns && status == PSDVEC_OK; k++) {
        r->inverse[k] = square[k] > 0 ? (float)(1 / sqrt(square[k])) : 0;
        r->own[k] = o->own ? (float)(o->own[k] * square[k]) : 0;
    }
    pv_free(r->ctx, square);
    return status;
}

/* out = A B, or A B' */
static void product(const double *A, const double *B, bool transposed, size_t m, double *out)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, (int)m, (int)m,
                (int)m, 1, A, (int)m, B, (int)m, 0, out, (int)m);
}

static void scale_rows(double *A, size_t m, const double *by)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            A[i * m + j] *= by[i];
}

typedef struct small_matrices {
    double *H, *K, *third, *fourth; /* columns x columns */
    double *values, *factor, *sign; /* columns */
} small_matrices;

/* The largest |Y z|^2 / theta^2 of an eigenvector z of H for which the approximation is used. A z that
 * is an eigenvector of A has 1. Otherwise Y z = theta Q z + r, r orthogonal to Q, has 1 + |r|^2 /
 * theta^2, and the approximation has an eigenvalue that is too large by about this factor. It is below
 * 1.2 in ordinary trainings. */
static const double most_amplified = 4;

/* H becomes F, and `sign` J; `values` are theta. */
static psdvec_status invert(psdvec_context *ctx, small_matrices *s, size_t m)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < i; j++)
            s->H[i * m + j] = s->H[j * m + i] = 0.5 * (s->H[i * m + j] + s->H[j * m + i]);
    PV_TRY(pv_symmetric_eigen(ctx, s->H, s->values, m));
    for (size_t k = 0; k < m; k++) {
        s->factor[k] = s->values[k] != 0 ? 1 / sqrt(fabs(s->values[k])) : 0;
        s->sign[k] = s->values[k] < 0 ? -1 : 1;
    }
    scale_rows(s->H, m, s->factor);
    return PSDVEC_OK;
}

/* Whether no eigenvector of H is amplified too much: the diagonal of G is |Y z|^2 / |theta|. */
static bool is_sound(const small_matrices *s, const double *G, size_t m)
{
    for (size_t k = 0; k < m; k++)
        if (!(G[k * m + k] > 0 && G[k * m + k] <= most_amplified * fabs(s->values[k])))
            return false;
    return true;
}

/* Computes from H = Q'Y and K = Y'Y the values, ascending, and the rows of `third`: vectors = Y
 * third'. */
static psdvec_status approximate(psdvec_context *ctx, small_matrices *s, size_t m, bool *sound)
{
    PV_TRY(pv_blas_ready(ctx));
    PV_TRY(invert(ctx, s, m));
    double *F = s->H, *G = s->fourth, *L = s->fourth, *C = s->third, *gamma = s->values;
    product(F, s->K, false, m, s->third);
    product(s->third, F, true, m, G);
    *sound = is_sound(s, G, m);
    if (!*sound)
        return PSDVEC_OK;
    /* G = E' gamma E, rows of E orthonormal; L = gamma^1/2 E, C = L J L'. */
    PV_TRY(pv_symmetric_eigen(ctx, G, gamma, m));
    *sound = gamma[0] > 1e-5 * gamma[m - 1];
    if (!*sound)
        return PSDVEC_OK;
    for (size_t k = 0; k < m; k++)
        s->factor[k] = sqrt(gamma[k]);
    scale_rows(L, m, s->factor);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            s->K[i * m + j] = L[i * m + j] * s->sign[j];
    product(s->K, L, true, m, C);
    for (size_t k = 0; k < m; k++)
        s->factor[k] = 1 / gamma[k];
    scale_rows(L, m, s->factor);
    PV_TRY(pv_symmetric_eigen(ctx, C, s->values, m));
    product(C, L, false, m, s->K);
    product(s->K, F, false, m, s->third);
    return PSDVEC_OK;
}

/* Selects the wanted values and columns of change (columns x want), at the requested end. */
static void choose(const small_matrices *s, const pv_refine_options *o, double *values,
                   float *change)
{
    size_t m = o->columns, low = 0, high = m;
    for (size_t k = 0; k < o->want; k++) {
        bool upper = o->end == PV_EIGEN_LARGEST || s->values[high - 1] >= -s->values[low];
        size_t row = upper ? --high : low++;
        values[k] = s->values[row];
        for (size_t i = 0; i < m; i++)
            change[i * o->want + k] = (float)s->third[row * m + i];
    }
}

/* H = Q'Y and K = Y'Y. */
static psdvec_status inner_products(refinement *r, const small_matrices *s)
{
    const pv_refine_options *o = r->options;
    size_t m = o->columns;
    pv_tall old = {o->old, o->stride, m, r->division};
    pv_tall image = {r->vectors, o->stride, m, r->division};
    PV_TRY(pv_tall_gram(r->ctx, r->n, image, image, NULL, s->K));
    PV_TRY(pv_tall_gram(r->ctx, r->n, old, image, NULL, s->H));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            if (!isfinite(s->K[i * m + j]))
                return pv_fail(r->ctx, PSDVEC_ERR_NUMERIC,
                               "the eigenvectors are not finite after %zu products", m);
            s->H[i * m + j] *= (double)r->inverse[i];
        }
    return PSDVEC_OK;
}

psdvec_status pv_refine(psdvec_context *ctx, const pv_operator *matrix,
                        const pv_refine_options *options, double *values, float *vectors,
                        bool *sound)
{
    size_t n = matrix->n, m = options->columns, block = options->block;
    refinement r = {.ctx = ctx,
                    .options = options,
                    .n = n,
                    .vectors = vectors,
                    .division = matrix->division,
                    .rows = pv_rows_own(matrix->division, n)};
    small_matrices s;
    psdvec_status status;
    float *change;
    pv_scope blocks = {.ctx = ctx, .what = "eigenvectors"}, small = blocks;
    *sound = false;
    PV_TAKE(&small, r.inverse, m);
    PV_TAKE(&small, r.own, m);
    PV_TAKE(&small, change, m * options->want);
    PV_TAKE(&blocks, r.X, r.rows * block);
    PV_TAKE(&blocks, r.Y, r.rows * block);
    PV_TRY_DONE(pv_scope_status(&small));
    PV_TRY_DONE(pv_scope_status(&blocks));
    PV_TRY_DONE(set_lengths(&r));
    PV_TRY_DONE(multiply_all(&r, matrix));
    pv_scope_free(&blocks);
    PV_TAKE(&small, s.H, m * m);
    PV_TAKE(&small, s.K, m * m);
    PV_TAKE(&small, s.third, m * m);
    PV_TAKE(&small, s.fourth, m * m);
    PV_TAKE(&small, s.values, m);
    PV_TAKE(&small, s.factor, m);
    PV_TAKE(&small, s.sign, m);
    PV_TRY_DONE(pv_scope_status(&small));
    PV_TRY_DONE(inner_products(&r, &s));
    PV_TRY_DONE(approximate(ctx, &s, m, sound));
    if (!*sound)
        goto done;
    choose(&s, options, values, change);
    PV_TRY_DONE(
        pv_tall_transform(ctx, n, vectors, options->stride, m, r.division, change, options->want));
    status = pv_eigen_fix_signs(ctx, n, r.division, vectors, options->stride, options->want);
done:
    pv_scope_free(&blocks);
    pv_scope_free(&small);
    return status;
}

uint64_t pv_refine_bytes(uint64_t n, const pv_division *division, uint64_t columns, uint64_t block,
                         uint64_t product, int threads)
{
    uint64_t rows = pv_rows_own(division, n), members = division ? division->members : 0;
    uint64_t kept = columns * (columns + 2) * sizeof(float);
    uint64_t multiplying =
        2 * rows * block * sizeof(float) +
        pv_larger(product, columns * sizeof(double) + pv_tall_squares_bytes(n, columns));
    uint64_t small = (4 * columns * columns + 3 * columns) * sizeof(double) +
                     (members + 1) * columns * sizeof(float) +
                     pv_larger(pv_tall_gram_bytes(n, division, columns, columns),
                               pv_larger(pv_symmetric_eigen_bytes(columns),
                                         pv_tall_transform_bytes(n, columns, threads)));
    return kept + pv_larger(multiplying, small);
}
