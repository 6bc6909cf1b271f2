/* Products by rows, and the computation of singular vectors from the eigenpairs. */
#include "baseline/sparse_svd.h"

#include "base/progress.h"
#include "base/thread.h"
#include "solve/eigen.h"
#include "sparse/columns.h"

#include <math.h>
#include <string.h>

/* ---- Products ---------------------------------------------------------------------- */

psdvec_status pv_sparse_matrix_open(psdvec_context *ctx, pv_csr rows, bool symmetric,
                                    const float *row_scale, const float *column_scale,
                                    const char *output, uint64_t besides, pv_sparse_matrix *out)
{
    pv_csr_store transpose = {0};
    *out = (pv_sparse_matrix){.ctx = ctx};
    if (!symmetric) {
        psdvec_status status =
            pv_csr_transpose(ctx, &rows, output, besides, "the transposed matrix", &transpose);
        out->transpose = transpose;
        PV_TRY(status);
    }
    pv_sparse_matrix_divided(ctx, NULL, rows, symmetric ? rows : pv_csr_view(&transpose), row_scale,
                             column_scale, out);
    out->transpose = transpose;
    return PSDVEC_OK;
}

void pv_sparse_matrix_divided(psdvec_context *ctx, const pv_division *division, pv_csr rows,
                              pv_csr transposed, const float *row_scale, const float *column_scale,
                              pv_sparse_matrix *out)
{
    *out = (pv_sparse_matrix){.ctx = ctx,
                              .division = division,
                              .kernels = pv_kernels_best(),
                              .across = {.rows = rows, .scale = row_scale},
                              .down = {.rows = transposed, .scale = column_scale}};
    pv_divide_rows(rows.begin, rows.rows, 1, PV_SPARSE_TASKS, out->across.edges);
    pv_divide_rows(transposed.begin, transposed.rows, 1, PV_SPARSE_TASKS, out->down.edges);
}

void pv_sparse_matrix_close(pv_sparse_matrix *matrix)
{
    pv_csr_store_free(&matrix->transpose);
}

typedef struct product_job {
    const pv_sparse_matrix *matrix;
    const pv_sparse_side *side;
    size_t first; /* of all rows, the first that is here */
    const float *X;
    float *Y;
    size_t k;
} product_job;

static void scale_row(float *to, const float *from, float factor, size_t k)
{
    for (size_t c = 0; c < k; c++)
        to[c] = factor * from[c];
}

static psdvec_status product_rows(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    const pv_csr *rows = &job->side->rows;
    (void)worker;
    for (uint32_t i = job->side->edges[task]; i < job->side->edges[task + 1]; i++) {
        pv_csr_row row = pv_csr_row_of(rows, i);
        float *y = job->Y + (size_t)i * job->k;
        memset(y, 0, job->k * sizeof *y);
        job->matrix->kernels->row_product(row.column, row.value, row.count, job->X, job->k, y);
        if (job->side->scale)
            scale_row(y, y, job->side->scale[job->first + i], job->k);
    }
    return pv_stopping(job->matrix->ctx) ? pv_check_cancel(job->matrix->ctx) : PSDVEC_OK;
}

/* Copies the rows of X, scaled by the factors of the other side if it has some. */
static psdvec_status scale_rows(void *arg, size_t task, int worker)
{
    product_job *job = arg;
    (void)worker;
    for (uint32_t i = job->side->edges[task]; i < job->side->edges[task + 1]; i++) {
        const float *x = job->X + (size_t)i * job->k;
        float *y = job->Y + (size_t)i * job->k;
        if (job->side->scale)
            scale_row(y, x, job->side->scale[job->first + i], job->k);
        else
            memcpy(y, x, job->k * sizeof *y);
    }
    return PSDVEC_OK;
}

psdvec_status pv_sparse_multiply(const pv_sparse_matrix *matrix, bool transposed, const float *X,
                                 float *Y, size_t k, float *workspace)
{
    const pv_sparse_side *side = transposed ? &matrix->down : &matrix->across;
    const pv_sparse_side *other = transposed ? &matrix->across : &matrix->down;
    size_t first = pv_tiles_own(matrix->division, side->rows.columns).first;
    product_job job = {matrix, side, first, X, Y, k};
    if (other->scale || matrix->division) {
        product_job scaled = {matrix, other, first, X, workspace + first * k, k};
        PV_TRY(pv_parallel_tasks(matrix->ctx, PV_SPARSE_TASKS, scale_rows, &scaled));
        job.X = workspace;
    }
    PV_TRY(pv_division_complete(matrix->division, workspace, k * sizeof *workspace));
    return pv_parallel_tasks(matrix->ctx, PV_SPARSE_TASKS, product_rows, &job);
}

/* ---- The decomposition ------------------------------------------------------------- */

/* Eigenvalues below this fraction of the largest are rounding errors. */
static const double least_share = 1e-6;

/* Without a starting guess, a narrow block makes more progress with the same number of columns than
 * a wide one, which outweighs slightly slower products; and with half as many columns again as are
 * wanted, the basis is restarted only a few times. */
static pv_eigen_options solver_options(size_t dim)
{
    pv_eigen_options options;
    pv_eigen_options_default(&options, dim);
    options.block = 32;
    options.basis = dim + dim / 2 + 2 * options.block;
    return options;
}

typedef struct gram {
    const pv_sparse_matrix *matrix;
    float *inner;     /* columns x block: M' X */
    float *workspace; /* max(rows, columns) x block, for scales and rows of others; or NULL */
    pv_progress progress;
    uint64_t counted; /* columns reported as progress, of those expected */
} gram;

/* Y = M (M' X) */
static psdvec_status apply(void *self, const float *X, float *Y, size_t k)
{
    gram *g = self;
    PV_TRY(pv_sparse_multiply(g->matrix, true, X, g->inner, k, g->workspace));
    PV_TRY(pv_sparse_multiply(g->matrix, false, g->inner, Y, k, g->workspace));
    uint64_t left = g->progress.total - g->counted, more = k < left ? k : left;
    g->counted += more;
    pv_progress_add(&g->progress, more);
    return PSDVEC_OK;
}

static size_t all_rows(const pv_sparse_matrix *matrix)
{
    return matrix->division ? matrix->division->n : matrix->across.rows.rows;
}

static bool needs_workspace(const pv_sparse_matrix *matrix)
{
    return matrix->across.scale || matrix->down.scale || matrix->division;
}

static psdvec_status find_left(const pv_sparse_matrix *matrix, double tolerance, pv_singular *out)
{
    psdvec_context *ctx = matrix->ctx;
    pv_eigen_options options = solver_options(out->dim);
    options.tolerance = tolerance;
    gram g = {.matrix = matrix};
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "a block of vectors"};
    size_t n = all_rows(matrix);
    PV_TAKE(&scope, g.inner, out->columns * options.block);
    if (needs_workspace(matrix))
        PV_TAKE(&scope, g.workspace, pv_larger(n, matrix->across.rows.columns) * options.block);
    PV_TRY_DONE(pv_scope_status(&scope));
    pv_operator square = {.n = n, .division = matrix->division, .self = &g, .apply = apply};
    pv_eigen_report report;
    uint64_t usual = 7 * (uint64_t)options.want / 2; /* columns to multiply */
    pv_progress_begin(&g.progress, ctx, "decomposing", "columns", usual < n ? usual : n);
    PV_TRY_DONE(pv_eigen(ctx, &square, &options, out->value, out->U, &report));
    pv_progress_end(&g.progress);
    while (out->rank < report.found && out->value[out->rank] > 0 &&
           out->value[out->rank] >= least_share * out->value[0])
        out->rank++;
    if (out->rank < out->dim)
        pv_warn(ctx,
                "the matrix has only the rank %zu, so the last %zu of the %zu components of every "
                "vector are 0; fewer dimensions (`dim`) are enough",
                out->rank, out->dim - out->rank, out->dim);
    pv_note(ctx, "%zu columns multiplied, residual %.1e", report.columns, report.residual);
done:
    pv_scope_free(&scope);
    return status;
}

static psdvec_status find_right(const pv_sparse_matrix *matrix, pv_singular *s)
{
    psdvec_status status;
    pv_scope scope = {.ctx = matrix->ctx, .what = "vectors of contexts"};
    float *workspace = NULL, *scale;
    PV_TAKE(&s->memory, s->V, s->columns * s->dim);
    PV_TRY(pv_scope_status(&s->memory));
    PV_TAKE(&scope, scale, s->dim);
    if (matrix->across.scale || matrix->division)
        PV_TAKE(&scope, workspace, all_rows(matrix) * s->dim);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_sparse_multiply(matrix, true, s->U, s->V, s->dim, workspace));
    for (size_t k = 0; k < s->dim; k++)
        scale[k] = k < s->rank ? (float)(1 / s->value[k]) : 0;
    for (size_t j = 0; j < s->columns; j++)
        for (size_t k = 0; k < s->dim; k++)
            s->V[j * s->dim + k] *= scale[k];
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_sparse_svd(const pv_sparse_matrix *matrix, size_t dim, double tolerance,
                            bool contexts, pv_singular *out)
{
    psdvec_context *ctx = matrix->ctx;
    *out = (pv_singular){.memory = {.ctx = ctx, .what = "singular vectors"},
                         .rows = matrix->across.rows.rows,
                         .columns = matrix->down.rows.rows,
                         .dim = dim};
    PV_TAKE_ZERO(&out->memory, out->value, dim);
    PV_TAKE(&out->memory, out->U, out->rows * dim);
    PV_TRY(pv_scope_status(&out->memory));
    PV_TRY(find_left(matrix, tolerance, out));
    /* Takes square roots of the eigenvalues, and sets directions beyond the rank of M to 0. */
    for (size_t k = 0; k < dim; k++)
        out->value[k] = k < out->rank ? sqrt(out->value[k]) : 0;
    for (size_t i = 0; out->rank < dim && i < out->rows; i++)
        memset(out->U + i * dim + out->rank, 0, (dim - out->rank) * sizeof *out->U);
    return contexts ? find_right(matrix, out) : PSDVEC_OK;
}

void pv_singular_free(pv_singular *singular)
{
    pv_scope_free(&singular->memory);
    *singular = (pv_singular){0};
}

uint64_t pv_sparse_svd_bytes(uint64_t n, const pv_division *division, uint64_t dim, bool contexts,
                             int threads)
{
    pv_eigen_options options = solver_options((size_t)dim);
    uint64_t rows = pv_rows_own(division, n), vector = dim * sizeof(float);
    uint64_t blocks = (rows + n) * options.block * sizeof(float);
    uint64_t left = blocks + pv_eigen_bytes(&options, n, division, 0, threads);
    uint64_t right = contexts ? (rows + n + 1) * vector : 0;
    return rows * vector + dim * sizeof(double) + pv_larger(left, right);
}

void pv_singular_weigh(pv_singular *singular, double power)
{
    size_t dim = singular->dim;
    for (size_t k = 0; k < singular->rank; k++) {
        float factor = (float)pow(singular->value[k], power);
        for (size_t i = 0; i < singular->rows; i++) {
            float sum = singular->U[i * dim + k] + (singular->V ? singular->V[i * dim + k] : 0);
            singular->U[i * dim + k] = factor * sum;
        }
    }
}
