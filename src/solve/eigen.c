/* Block Lanczos with thick restarts. */
#include "solve/eigen.h"

#include "base/blas.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "solve/tall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { purpose_start = 0x65696701, rows_a_task = PV_TILE_UNIT };

void pv_eigen_options_default(pv_eigen_options *options, size_t want)
{
    *options = (pv_eigen_options){.want = want, .tolerance = 1e-3, .block = 32, .restarts = 80};
}

size_t pv_eigen_basis(const pv_eigen_options *options, size_t n)
{
    size_t block = options->block;
    size_t basis = options->basis;
    if (basis == 0)
        basis = 5 * options->want / 2 + 2 * block;
    if (basis < options->want + 2 * block)
        basis = options->want + 2 * block;
    basis = (basis + block - 1) / block * block;
    return basis < n ? basis : n;
}

static size_t stride_of(const pv_eigen_options *options)
{
    return options->stride ? options->stride : options->want;
}

typedef struct lanczos {
    psdvec_context *ctx;
    const pv_operator *matrix;
    const pv_eigen_options *options;
    pv_eigen_report *report;
    size_t n, block;
    size_t first, rows;           /* of the matrix that are here */
    size_t capacity;              /* columns of Q */
    size_t filled;                /* columns of Q in use */
    size_t done;                  /* columns of Q already multiplied, for which H is known */
    float *Q;                     /* rows x capacity: the basis, orthonormal */
    double *H;                    /* capacity x capacity: Q' A Q, upper triangle of blocks */
    float *X, *Y;                 /* rows x block: input and output of a product with the matrix */
    double *coefficient, *second; /* capacity x block */
    double *gram;                 /* block x block */
    double *scale, *square;       /* block */
    float *small;                 /* capacity x block or block x block, in single precision */
    double norm;                  /* estimate of the norm of the matrix so far */
    pv_tall_workspace workspace;
    uint64_t drawn; /* random blocks drawn so far */
} lanczos;

static void to_float(float *to, const double *from, size_t count)
{
    for (size_t k = 0; k < count; k++)
        to[k] = (float)from[k];
}

/* A block as the functions of tall.h see it. */
static pv_tall tall(const lanczos *l, const float *W, size_t width)
{
    return (pv_tall){W, l->block, width, l->matrix->division};
}

/* Runs fn for all rows, a task at a time. */
static psdvec_status for_rows(const lanczos *l, pv_task_fn *fn, void *job)
{
    return pv_parallel_tasks(l->ctx, (l->rows + rows_a_task - 1) / rows_a_task, fn, job);
}

static size_t end_of_task(size_t rows, size_t task)
{
    return (task + 1) * rows_a_task < rows ? (task + 1) * rows_a_task : rows;
}

/* Removes from W (n x width, stride block) its projection on the first `columns` columns of Q;
 * writes the coefficients to `out` (columns x width). */
static psdvec_status remove_basis(lanczos *l, size_t columns, float *W, size_t width, double *out)
{
    if (columns == 0)
        return PSDVEC_OK;
    pv_tall basis = {l->Q, l->capacity, columns, l->matrix->division};
    PV_TRY(pv_tall_gram(l->ctx, l->n, basis, tall(l, W, width), &l->workspace, out));
    to_float(l->small, out, columns * width);
    return pv_tall_multiply(l->ctx, l->n, -1, basis, l->small, width, 1, W, l->block);
}

/* Orthonormalises the columns of W in place. map (*kept x width): W = W_new map. Drops columns
 * shorter than `least`, which are rounding error, and directions in which the normalised columns
 * have a sum of squares below `share` of the largest. */
static psdvec_status orthonormal(lanczos *l, float *W, size_t width, double least, double share,
                                 double *map, size_t *kept)
{
    *kept = 0;
    if (width == 0)
        return PSDVEC_OK;
    PV_TRY(
        pv_tall_gram(l->ctx, l->n, tall(l, W, width), tall(l, W, width), &l->workspace, l->gram));
    double *scale = l->scale, *values = l->square;
    for (size_t j = 0; j < width; j++) {
        double square = l->gram[j * width + j];
        if (!isfinite(square))
            return pv_fail(l->ctx, PSDVEC_ERR_NUMERIC,
                           "the eigenvectors are not finite after %zu products",
                           l->report->columns);
        scale[j] = square > least * least ? 1 / sqrt(square) : 0;
    }
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < width; j++)
            l->gram[i * width + j] *= scale[i] * scale[j];
    PV_TRY(pv_symmetric_eigen(l->ctx, l->gram, values, width));
    /* W S = W' with W'' = W' z / sqrt(value): rows of gram are the z. */
    size_t count = 0;
    float *change = l->small; /* width x count, filled column by column below */
    size_t first = 0;
    while (first < width && values[first] < share * values[width - 1])
        first++;
    if (values[width - 1] <= 0)
        first = width;
    count = width - first;
    for (size_t k = 0; k < count; k++) {
        const double *z = l->gram + (width - 1 - k) * width;
        double root = sqrt(values[width - 1 - k]);
        for (size_t j = 0; j < width; j++) {
            change[j * count + k] = (float)(scale[j] * z[j] / root);
            map[k * width + j] = scale[j] > 0 ? root * z[j] / scale[j] : 0;
        }
    }
    *kept = count;
    return pv_tall_transform(l->ctx, l->n, W, l->block, width, l->matrix->division, change, count);
}

/* The number of columns of the basis to remove from a block a second time. The first pass leaves
 * rounding errors of about 1e-6 of what it removes. Where it removes nearly everything, these are
 * too large for the tolerance, and the second pass covers all columns. Otherwise only the
 * directions of huge eigenvalues matter, because the next product multiplies the errors by these:
 * they are spanned by the first blocks and, after a restart, by the first Ritz vectors. R: what is
 * left of the columns. */
static size_t removed_again(const lanczos *l, size_t width, const double *R, size_t rows)
{
    size_t leading = 4 * l->block;
    double most_times = 3e3 * l->options->tolerance;
    /* From a guess, the wanted vectors converge long before the basis is full. Blocks after that
     * would multiply the error of those before them, so one pass is not enough. */
    if (rows < width || l->filled <= leading || l->options->guess)
        return l->filled;
    for (size_t j = 0; j < width; j++) {
        double taken = 0, left = 0;
        for (size_t i = 0; i < l->filled; i++)
            taken += l->coefficient[i * width + j] * l->coefficient[i * width + j];
        for (size_t i = 0; i < rows; i++)
            left += R[i * width + j] * R[i * width + j];
        if (!(taken <= most_times * most_times * left))
            return l->filled;
    }
    return leading;
}

/* W -= Q h, W = P R, in two passes where one is not enough in single precision: W = Q (h1 + h2 R1)
 * + P R2 R1. l->coefficient: filled x width, R: *kept x width. Columns as short as the rounding
 * error of a product are dropped: 1e-6 of the estimated norm of the matrix, or what the second pass
 * removes again. */
static psdvec_status orthogonalise(lanczos *l, float *W, size_t width, bool product, double *R,
                                   size_t *kept)
{
    double *R1 = NULL, *R2 = NULL;
    psdvec_status status;
    size_t first = 0, second = 0;
    R1 = pv_alloc(l->ctx, 2 * l->block * l->block, sizeof *R1, "orthogonalisation");
    if (!R1)
        return pv_failure(l->ctx);
    R2 = R1 + l->block * l->block;
    PV_TRY_DONE(remove_basis(l, l->filled, W, width, l->coefficient));
    for (size_t k = 0; product && k < l->filled * width; k++)
        if (fabs(l->coefficient[k]) > l->norm)
            l->norm = fabs(l->coefficient[k]);
    PV_TRY_DONE(orthonormal(l, W, width, 1e-6 * (product ? l->norm : 1), 1e-8, R1, &first));
    size_t again = product ? removed_again(l, width, R1, first) : l->filled;
    PV_TRY_DONE(remove_basis(l, again, W, first, l->second));
    PV_TRY_DONE(orthonormal(l, W, first, 0.5, 0.1, R2, &second));
    for (size_t i = 0; i < again; i++)
        for (size_t k = 0; k < first; k++)
            for (size_t j = 0; j < width; j++)
                l->coefficient[i * width + j] += l->second[i * first + k] * R1[k * width + j];
    for (size_t i = 0; i < second; i++)
        for (size_t j = 0; j < width; j++) {
            double sum = 0;
            for (size_t k = 0; k < first; k++)
                sum += R2[i * first + k] * R1[k * width + j];
            R[i * width + j] = sum;
        }
    *kept = second;
done:
    pv_free(l->ctx, R1);
    return status;
}

typedef struct copy_job {
    float *to;
    const float *from;
    size_t to_stride, from_stride, columns, rows;
} copy_job;

static psdvec_status copy_rows(void *arg, size_t task, int worker)
{
    copy_job *job = arg;
    (void)worker;
    for (size_t i = task * rows_a_task; i < end_of_task(job->rows, task); i++)
        memcpy(job->to + i * job->to_stride, job->from + i * job->from_stride,
               job->columns * sizeof *job->to);
    return PSDVEC_OK;
}

static psdvec_status copy_columns(lanczos *l, float *to, size_t to_stride, const float *from,
                                  size_t from_stride, size_t columns)
{
    copy_job job = {to, from, to_stride, from_stride, columns, l->rows};
    return for_rows(l, copy_rows, &job);
}

static psdvec_status draw_rows(void *arg, size_t task, int worker)
{
    lanczos *l = arg;
    (void)worker;
    for (size_t i = task * rows_a_task; i < end_of_task(l->rows, task); i++)
        for (size_t j = 0; j < l->block; j++)
            l->Y[i * l->block + j] =
                (float)(pv_random_unit(l->ctx->options.seed, purpose_start + (l->drawn << 32),
                                       (l->first + i) * l->block + j) -
                        0.5);
    return PSDVEC_OK;
}

/* A starting block: random, or random combinations of the guess. */
static psdvec_status draw_block(lanczos *l, bool guess)
{
    l->drawn++;
    PV_TRY(for_rows(l, draw_rows, l));
    size_t columns = l->options->guess_columns;
    if (!guess || !l->options->guess || columns == 0)
        return PSDVEC_OK;
    float *mix = pv_alloc(l->ctx, columns * l->block, sizeof *mix, "a start");
    if (!mix)
        return pv_failure(l->ctx);
    for (size_t k = 0; k < columns * l->block; k++)
        mix[k] = (float)(pv_random_unit(l->ctx->options.seed, purpose_start + 1, k) - 0.5);
    size_t stride = l->options->guess_stride;
    pv_tall given = {l->options->guess, stride ? stride : columns, columns, l->matrix->division};
    psdvec_status status =
        pv_tall_multiply(l->ctx, l->n, 1, given, mix, l->block, 0, l->Y, l->block);
    pv_free(l->ctx, mix);
    return status;
}

/* Appends the first `width` columns of Y to the basis. */
static psdvec_status append(lanczos *l, size_t width)
{
    PV_TRY(copy_columns(l, l->Q + l->filled, l->capacity, l->Y, l->block, width));
    l->filled += width;
    return PSDVEC_OK;
}

/* Draws a new block of at most `most` columns when the last one added no new directions because the
 * basis spans an invariant subspace. */
static psdvec_status start_block(lanczos *l, bool guess, size_t most)
{
    double *R = pv_alloc(l->ctx, l->block * l->block, sizeof *R, "a start");
    if (!R)
        return pv_failure(l->ctx);
    size_t kept = 0;
    psdvec_status status = draw_block(l, guess);
    if (status == PSDVEC_OK)
        status = orthogonalise(l, l->Y, l->block, false, R, &kept);
    pv_free(l->ctx, R);
    if (most > l->capacity - l->filled)
        most = l->capacity - l->filled;
    return status == PSDVEC_OK ? append(l, kept < most ? kept : most) : status;
}

/* Y = A X. Products use dense storage of `width` columns; all other blocks here have the stride of
 * a full block. */
static psdvec_status multiply(lanczos *l, size_t width)
{
    l->report->columns += width;
    if (width == l->block)
        return l->matrix->apply(l->matrix->self, l->X, l->Y, width);
    float *dense = pv_alloc(l->ctx, l->rows * width, sizeof *dense, "a product");
    if (!dense)
        return pv_failure(l->ctx);
    psdvec_status status = l->matrix->apply(l->matrix->self, l->X, dense, width);
    if (status == PSDVEC_OK)
        status = copy_columns(l, l->Y, l->block, dense, width, width);
    pv_free(l->ctx, dense);
    return status;
}

/* Multiplies the columns done .. filled of the basis and makes the next block from the new
 * directions in them. *last: how many columns were multiplied; *next: how many new ones were found
 * (they are in Y, not yet in the basis); R: *next x *last. */
static psdvec_status advance(lanczos *l, double *R, size_t *last, size_t *next)
{
    size_t width = l->filled - l->done, m = l->filled;
    PV_TRY(copy_columns(l, l->X, width, l->Q + l->done, l->capacity, width));
    PV_TRY(multiply(l, width));
    PV_TRY(orthogonalise(l, l->Y, width, true, R, next));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < width; j++)
            l->H[i * l->capacity + l->done + j] = l->coefficient[i * width + j];
    l->done = m;
    *last = width;
    return PSDVEC_OK;
}

/* Handles a first product dominated by one huge eigenvalue, in which only its direction and a few
 * others could be resolved. All later blocks would be as narrow, and the lost directions would
 * never return. So the iteration starts again from those directions and additional random ones,
 * from which the huge one is then removed to full precision. */
static psdvec_status begin_again(lanczos *l, size_t width, double *R)
{
    size_t kept;
    PV_TRY(multiply(l, width));
    l->filled = l->done = 0;
    PV_TRY(orthogonalise(l, l->Y, width, true, R, &kept));
    PV_TRY(append(l, kept));
    return kept < l->block ? start_block(l, false, l->block - kept) : PSDVEC_OK;
}

typedef struct ritz {
    double value;
    size_t row;
} ritz;

static int by_value(const void *a, const void *b)
{
    const ritz *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? 1 : -1)
                                : (x->row > y->row) - (x->row < y->row);
}

static int by_magnitude(const void *a, const void *b)
{
    const ritz *x = a, *y = b;
    double p = fabs(x->value), q = fabs(y->value);
    return p != q ? (p < q ? 1 : -1) : (x->row > y->row) - (x->row < y->row);
}

/* Solves the projected problem. Z (m x m): row k is the Ritz vector order[k].row. */
static psdvec_status project(lanczos *l, double *Z, double *values, ritz *order)
{
    size_t m = l->filled;
    for (size_t i = 0; i < m; i++)
        for (size_t j = i; j < m; j++) {
            /* Column j of H is complete down to the end of its block. */
            double h = l->H[i * l->capacity + j];
            Z[i * m + j] = Z[j * m + i] = h;
        }
    PV_TRY(pv_symmetric_eigen(l->ctx, Z, values, m));
    for (size_t k = 0; k < m; k++)
        order[k] = (ritz){values[k], k};
    qsort(order, m, sizeof *order, l->options->end == PV_EIGEN_LARGEST ? by_value : by_magnitude);
    return PSDVEC_OK;
}

/* The basis becomes the Ritz vectors order[0 .. keep): the thick restart. */
static psdvec_status keep_ritz(lanczos *l, const double *Z, const ritz *order, size_t keep)
{
    size_t m = l->filled;
    float *change = pv_alloc(l->ctx, m * keep, sizeof *change, "a change of basis");
    if (!change)
        return pv_failure(l->ctx);
    for (size_t k = 0; k < keep; k++)
        for (size_t i = 0; i < m; i++)
            change[i * keep + k] = (float)Z[order[k].row * m + i];
    psdvec_status status =
        pv_tall_transform(l->ctx, l->n, l->Q, l->capacity, m, l->matrix->division, change, keep);
    pv_free(l->ctx, change);
    PV_TRY(status);
    for (size_t i = 0; i < keep; i++)
        for (size_t j = 0; j < keep; j++)
            l->H[i * l->capacity + j] = i == j ? order[i].value : 0;
    l->filled = l->done = keep;
    return PSDVEC_OK;
}

/* Also keeps values at the unwanted end that are far larger than all wanted ones, placed first,
 * instead of the last of those kept beyond the wanted. Their vectors have converged; if they were
 * discarded, rounding would bring them back in every following block, where they would dominate. */
static void keep_far_end(ritz *order, size_t m, size_t want, size_t keep)
{
    double largest = fabs(order[0].value);
    for (size_t x = 0; keep < m - x && want < keep - x; x++) {
        ritz far = order[m - 1];
        if (!(fabs(far.value) > 4 * largest))
            return;
        memmove(order + 1, order, (m - 1) * sizeof *order);
        order[0] = far;
    }
}

/* Root mean square of the residuals of the wanted pairs, relative to the smallest wanted value: |A
 * q - theta q| = |R z_tail|, because the remainder of A Q lies in the span of Q. */
static double residual_of(const lanczos *l, const double *Z, const ritz *order, const double *R,
                          size_t last, size_t next)
{
    size_t m = l->filled, want = l->options->want < m ? l->options->want : m;
    if (want == 0)
        return 0;
    double sum = 0;
    for (size_t k = 0; k < want; k++) {
        const double *tail = Z + order[k].row * m + (m - last);
        for (size_t i = 0; i < next; i++) {
            double part = 0;
            for (size_t j = 0; j < last; j++)
                part += R[i * last + j] * tail[j];
            sum += part * part;
        }
    }
    double smallest = fabs(order[want - 1].value);
    double floor = 1e-6 * l->norm;
    return sqrt(sum / (double)want) / (smallest > floor ? smallest : floor > 0 ? floor : 1);
}

/* The element of largest magnitude of each column, the first if there are several, of all
 * members. */
static psdvec_status find_largest(psdvec_context *ctx, const pv_division *d, float *largest,
                                  size_t count)
{
    if (!d)
        return PSDVEC_OK;
    float *all = pv_alloc(ctx, d->members * count, sizeof *all, "eigenvectors");
    if (!all)
        return pv_failure(ctx);
    psdvec_status status = pv_group_meet(ctx, 0, NULL);
    for (uint32_t r = 0; r < d->members; r++) {
        pv_group_send(ctx, r, largest, count * sizeof *largest);
        pv_group_receive(ctx, r, all + r * count, count * sizeof *all);
    }
    if (status == PSDVEC_OK)
        status = pv_group_move(ctx);
    memcpy(all + d->rank * count, largest, count * sizeof *all);
    memset(largest, 0, count * sizeof *largest);
    for (uint32_t r = 0; r < d->members && status == PSDVEC_OK; r++)
        for (size_t k = 0; k < count; k++)
            if (fabsf(all[r * count + k]) > fabsf(largest[k]))
                largest[k] = all[r * count + k];
    pv_free(ctx, all);
    return status;
}

/* The sign of an eigenvector is arbitrary: make its element of largest magnitude positive. */
psdvec_status pv_eigen_fix_signs(psdvec_context *ctx, size_t n, const pv_division *division,
                                 float *vectors, size_t stride, size_t count)
{
    size_t rows = pv_rows_own(division, n);
    float *largest = pv_alloc_zero(ctx, count, sizeof *largest, "eigenvectors");
    if (!largest)
        return pv_failure(ctx);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < count; k++)
            if (fabsf(vectors[i * stride + k]) > fabsf(largest[k]))
                largest[k] = vectors[i * stride + k];
    psdvec_status status = find_largest(ctx, division, largest, count);
    for (size_t i = 0; i < rows && status == PSDVEC_OK; i++)
        for (size_t k = 0; k < count; k++)
            if (largest[k] < 0)
                vectors[i * stride + k] = -vectors[i * stride + k];
    pv_free(ctx, largest);
    return status;
}

/* Keeps some more vectors than wanted, so that those at the edge converge too. */
static size_t restart_size(const pv_eigen_options *options, size_t capacity)
{
    size_t keep = options->want + options->block;
    return keep + 2 * options->block > capacity ? capacity - 2 * options->block : keep;
}

/* Predicts how many columns to multiply before convergence is tested again, which costs a dense
 * eigenproblem: the logarithm of the residual falls about as fast as between the last two tests.
 * The first rate is that of a good guess, so that no time is lost if there is one. */
typedef struct forecast {
    double residual; /* at the last test; 0: there was none */
    size_t columns;
} forecast;

static size_t columns_to_go(forecast *f, const lanczos *l)
{
    double residual = l->report->residual;
    size_t columns = l->report->columns;
    double fast = 4 / (double)l->options->want, rate = fast; /* decades per column */
    if (f->residual > 0 && columns > f->columns)
        rate = log10(f->residual / residual) / (double)(columns - f->columns);
    f->residual = residual;
    f->columns = columns;
    double more = log10(residual / l->options->tolerance) / fmin(fast, fmax(rate, fast / 8));
    return more < (double)l->capacity ? (size_t)more + 1 : l->capacity;
}

static psdvec_status iterate(lanczos *l, double *values, float *vectors)
{
    psdvec_status status;
    size_t want = l->options->want, last = 0, next = 0;
    size_t capacity = l->capacity;
    /* The number of columns at which convergence is tested: from a guess, first when the basis
     * has enough columns to contain the wanted vectors. */
    size_t examined = l->options->guess ? 2 * want + 2 * l->block : capacity;
    forecast decrease = {0};
    pv_scope scope = {.ctx = l->ctx, .what = "eigenvectors"};
    double *R = pv_scope_alloc(&scope, l->block * l->block, sizeof *R, false);
    double *Z = pv_scope_alloc(&scope, capacity * capacity, sizeof *Z, false);
    double *theta = pv_scope_alloc(&scope, capacity, sizeof *theta, false);
    ritz *order = pv_scope_alloc(&scope, capacity, sizeof *order, false);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(start_block(l, true, l->block));
    for (;;) {
        PV_TRY_DONE(advance(l, R, &last, &next));
        PV_TRY_DONE(pv_check_cancel(l->ctx));
        if (l->report->columns == last && next > 0 && next < last) {
            PV_TRY_DONE(begin_again(l, last, R));
            continue;
        }
        if (next == 0 && l->filled < capacity) {
            PV_TRY_DONE(start_block(l, false, l->block));
            if (l->filled > l->done)
                continue;
        }
        bool full = next == 0 || l->filled + next > capacity;
        if (full || l->filled >= examined) {
            PV_TRY_DONE(project(l, Z, theta, order));
            l->report->residual = residual_of(l, Z, order, R, last, next);
            if (l->report->residual <= l->options->tolerance || next == 0 ||
                l->report->restarts >= l->options->restarts || l->filled <= want)
                break;
            examined = columns_to_go(&decrease, l);
            if (full) {
                size_t keep = restart_size(l->options, capacity);
                keep_far_end(order, l->filled, want, keep);
                PV_TRY_DONE(keep_ritz(l, Z, order, keep));
                l->report->restarts++;
            }
            examined += l->filled;
        }
        PV_TRY_DONE(append(l, next));
    }
    size_t found = want < l->filled ? want : l->filled;
    for (size_t k = 0; k < found; k++)
        values[k] = order[k].value;
    PV_TRY_DONE(keep_ritz(l, Z, order, found));
    size_t stride = stride_of(l->options);
    memset(vectors, 0, l->rows * stride * sizeof *vectors);
    PV_TRY_DONE(copy_columns(l, vectors, stride, l->Q, capacity, found));
    l->report->found = found;
    status = pv_eigen_fix_signs(l->ctx, l->n, l->matrix->division, vectors, stride, found);
done:
    pv_scope_free(&scope);
    return status;
}

/* Forms a small matrix explicitly, in every member, and solves it by LAPACK. */
static psdvec_status solve_dense(psdvec_context *ctx, const pv_operator *matrix,
                                 const pv_eigen_options *options, double *values, float *vectors,
                                 pv_eigen_report *report)
{
    size_t n = matrix->n, block = options->block;
    pv_tiles own = pv_tiles_own(matrix->division, n);
    psdvec_status status = PSDVEC_OK;
    pv_scope scope = {.ctx = ctx, .what = "a small matrix"};
    double *A = pv_scope_alloc(&scope, n * n, sizeof *A, false);
    double *theta = pv_scope_alloc(&scope, n, sizeof *theta, false);
    ritz *order = pv_scope_alloc(&scope, n, sizeof *order, false);
    float *X = pv_scope_alloc(&scope, n * block, sizeof *X, false);
    float *Y = pv_scope_alloc(&scope, n * block, sizeof *Y, false);
    float *all = Y;
    if (matrix->division)
        PV_TAKE(&scope, all, n * block);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t first = 0; first < n; first += block) {
        size_t width = n - first < block ? n - first : block;
        memset(X, 0, n * width * sizeof *X);
        for (size_t j = 0; j < width; j++)
            X[(first + j) * width + j] = 1;
        PV_TRY_DONE(matrix->apply(matrix->self, X + own.first * width, Y, width));
        if (matrix->division)
            PV_TRY_DONE(pv_tall_gather(n, (pv_tall){Y, width, width, matrix->division}, all));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < width; j++) {
                if (!isfinite(all[i * width + j])) {
                    status = pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                                     "the matrix of the eigenproblem is not finite in row %zu", i);
                    goto done;
                }
                A[i * n + first + j] = all[i * width + j];
            }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
    PV_TRY_DONE(pv_symmetric_eigen(ctx, A, theta, n));
    for (size_t k = 0; k < n; k++)
        order[k] = (ritz){theta[k], k};
    qsort(order, n, sizeof *order, options->end == PV_EIGEN_LARGEST ? by_value : by_magnitude);
    size_t found = options->want < n ? options->want : n, stride = stride_of(options);
    memset(vectors, 0, (own.end - own.first) * stride * sizeof *vectors);
    for (size_t k = 0; k < found; k++) {
        values[k] = order[k].value;
        for (size_t i = own.first; i < own.end; i++)
            vectors[(i - own.first) * stride + k] = (float)A[order[k].row * n + i];
    }
    *report = (pv_eigen_report){.found = found, .columns = n};
    status = pv_eigen_fix_signs(ctx, n, matrix->division, vectors, stride, found);
done:
    pv_scope_free(&scope);
    return status;
}

/* Whether the matrix is formed explicitly. */
static bool is_small(const pv_eigen_options *options, size_t n)
{
    return pv_eigen_basis(options, n) + 2 * options->block >= n || n <= 512;
}

uint64_t pv_eigen_bytes(const pv_eigen_options *options, uint64_t n, const pv_division *division,
                        uint64_t product, int threads)
{
    uint64_t block = options->block, basis = pv_eigen_basis(options, n);
    uint64_t rows = pv_rows_own(division, n), members = division ? division->members : 0;
    uint64_t signs = (members + 1) * options->want * sizeof(float);
    if (is_small(options, n))
        return n * n * sizeof(double) + n * (sizeof(double) + sizeof(ritz)) + signs +
               (division ? 3 : 2) * n * block * sizeof(float) +
               pv_larger(product, pv_symmetric_eigen_bytes(n));
    uint64_t arrays = rows * (basis + 2 * block) * sizeof(float) +
                      basis * block * (2 * sizeof(double) + sizeof(float)) +
                      2 * (block + 2 * block * block) * sizeof(double) +
                      2 * basis * basis * sizeof(double) + basis * (sizeof(double) + sizeof(ritz)) +
                      pv_tall_gram_bytes(n, division, basis, block) + signs;
    uint64_t narrow = rows * block * sizeof(float); /* a product with fewer columns than a block */
    uint64_t keep = restart_size(options, basis);
    uint64_t restart = basis * keep * sizeof(float) + pv_tall_transform_bytes(n, keep, threads);
    return arrays + product +
           pv_larger(narrow, pv_larger(pv_symmetric_eigen_bytes(basis), restart));
}

psdvec_status pv_eigen(psdvec_context *ctx, const pv_operator *matrix,
                       const pv_eigen_options *options, double *values, float *vectors,
                       pv_eigen_report *report)
{
    size_t n = matrix->n, block = options->block;
    size_t capacity = pv_eigen_basis(options, n);
    if (is_small(options, n))
        return solve_dense(ctx, matrix, options, values, vectors, report);
    pv_tiles own = pv_tiles_own(matrix->division, n);
    lanczos l = {.ctx = ctx,
                 .matrix = matrix,
                 .options = options,
                 .report = report,
                 .n = n,
                 .first = own.first,
                 .rows = own.end - own.first,
                 .block = block,
                 .capacity = capacity,
                 .norm = 0};
    *report = (pv_eigen_report){0};
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "a basis"};
    PV_TAKE(&scope, l.Q, l.rows * capacity);
    PV_TAKE_ZERO(&scope, l.H, capacity * capacity);
    PV_TAKE(&scope, l.X, l.rows * block);
    PV_TAKE(&scope, l.Y, l.rows * block);
    PV_TAKE_ZERO(&scope, l.coefficient, capacity * block);
    PV_TAKE_ZERO(&scope, l.second, capacity * block);
    PV_TAKE(&scope, l.gram, block * block);
    PV_TAKE(&scope, l.small, capacity * block);
    PV_TAKE(&scope, l.scale, 2 * block);
    l.square = l.scale ? l.scale + block : NULL;
    PV_TRY_DONE(pv_scope_status(&scope));
    status = iterate(&l, values, vectors);
done:
    pv_tall_workspace_free(ctx, &l.workspace);
    pv_scope_free(&scope);
    return status;
}
