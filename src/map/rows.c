/* The words of a map as rows of a matrix: vectors of length 1, centred, in their leading principal
 * components.
 *
 * PaCMAP reduces vectors to 100 components before it looks for neighbours; the first two are where
 * the words start. The covariance is a sum over at most PARTS ranges of words, which depend on the
 * problem only, in single precision within a tile and in double precision across tiles.
 *
 * Time: count x dim x (dim + 2 components) operations. Memory: count x components floats, and a few
 * matrices of dim x dim.
 */
#include "map/layout.h"

#include "base/blas.h"
#include "base/progress.h"
#include "base/thread.h"

#include <math.h>
#include <string.h>

enum { TILE = 512, PARTS = 16, PART_NUMBERS = 1 << 24 };

typedef struct rows_job {
    psdvec_context *ctx;
    const psdvec_model *model;
    const uint32_t *words;
    pv_map_rows *rows;
    size_t count, dim, components;
    size_t parts, part_words;
    double *moments; /* parts x dim x dim: sums of x x', upper triangle */
    double *sums;    /* parts x dim */
    float *tiles;    /* workers x TILE x dim */
    float *squares;  /* workers x dim x dim */
    double *values;  /* dim: eigenvalues, ascending */
    float *axes;     /* components x dim */
    float *centre;   /* components: the mean in the components */
    pv_progress *progress;
} rows_job;

static size_t parts_for(size_t dim)
{
    size_t parts = PART_NUMBERS / (dim * dim);
    return parts < 1 ? 1 : parts > PARTS ? PARTS : parts;
}

/* Vectors `first` to first + length - 1 of the list, divided by their lengths. */
static psdvec_status take_tile(rows_job *job, size_t first, size_t length, float *tile)
{
    for (size_t r = 0; r < length; r++) {
        float *row = tile + r * job->dim;
        uint32_t word = job->words[first + r];
        double square = 0;
        psdvec_model_copy(job->model, word, row);
        for (size_t k = 0; k < job->dim; k++)
            square += (double)row[k] * (double)row[k];
        if (!isfinite(square))
            return pv_model_check_word(job->ctx, job->model, word);
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (size_t k = 0; k < job->dim; k++)
            row[k] = (float)((double)row[k] * scale);
    }
    return PSDVEC_OK;
}

static psdvec_status add_part(void *arg, size_t part, int worker)
{
    rows_job *job = arg;
    size_t dim = job->dim, first = part * job->part_words;
    size_t end = first + job->part_words < job->count ? first + job->part_words : job->count;
    float *tile = job->tiles + (size_t)worker * TILE * dim;
    float *square = job->squares + (size_t)worker * dim * dim;
    double *moments = job->moments + part * dim * dim, *sums = job->sums + part * dim;
    for (; first < end; first += TILE) {
        size_t length = end - first < TILE ? end - first : TILE;
        if (pv_stopping(job->ctx))
            return PSDVEC_OK;
        PV_TRY(take_tile(job, first, length, tile));
        cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)dim, (int)length, 1, tile, (int)dim,
                    0, square, (int)dim);
        for (size_t i = 0; i < dim; i++)
            for (size_t k = i; k < dim; k++)
                moments[i * dim + k] += (double)square[i * dim + k];
        for (size_t r = 0; r < length; r++)
            for (size_t k = 0; k < dim; k++)
                sums[k] += (double)tile[r * dim + k];
        pv_progress_add(job->progress, length);
    }
    return PSDVEC_OK;
}

static psdvec_status project_tile(void *arg, size_t task, int worker)
{
    rows_job *job = arg;
    size_t dim = job->dim, m = job->components, first = task * TILE, left = job->count - first;
    size_t length = left < TILE ? left : TILE;
    float *tile = job->tiles + (size_t)worker * TILE * dim, *to = job->rows->data + first * m;
    PV_TRY(take_tile(job, first, length, tile));
    for (size_t r = 0; r < length; r++)
        for (size_t k = 0; k < m; k++)
            to[r * m + k] = -job->centre[k];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)length, (int)m, (int)dim, 1, tile,
                (int)dim, job->axes, (int)dim, 1, to, (int)m);
    pv_progress_add(job->progress, length);
    return PSDVEC_OK;
}

/* The leading eigenvectors of the covariance, the largest component of each being positive. */
static psdvec_status find_axes(rows_job *job)
{
    size_t dim = job->dim, m = job->components;
    double *cov = job->moments, *mean = job->sums, n = (double)job->count;
    for (size_t part = 1; part < job->parts; part++) {
        for (size_t k = 0; k < dim * dim; k++)
            cov[k] += job->moments[part * dim * dim + k];
        for (size_t k = 0; k < dim; k++)
            mean[k] += job->sums[part * dim + k];
    }
    for (size_t k = 0; k < dim; k++)
        mean[k] /= n;
    for (size_t i = 0; i < dim; i++)
        for (size_t k = i; k < dim; k++)
            cov[k * dim + i] = cov[i * dim + k] = cov[i * dim + k] / n - mean[i] * mean[k];
    PV_TRY(pv_symmetric_eigen(job->ctx, cov, job->values, dim));
    double all = 0, kept = 0;
    for (size_t k = 0; k < dim; k++) {
        double value = job->values[k] > 0 ? job->values[k] : 0;
        all += value;
        kept += k >= dim - m ? value : 0;
    }
    job->rows->variance = all > 0 ? kept / all : 1;
    for (size_t c = 0; c < m; c++) {
        const double *axis = cov + (dim - 1 - c) * dim;
        size_t largest = 0;
        double centre = 0;
        for (size_t k = 1; k < dim; k++)
            largest = fabs(axis[k]) > fabs(axis[largest]) ? k : largest;
        for (size_t k = 0; k < dim; k++) {
            double value = axis[largest] < 0 ? -axis[k] : axis[k];
            job->axes[c * dim + k] = (float)value;
            centre += value * mean[k];
        }
        job->centre[c] = (float)centre;
    }
    return PSDVEC_OK;
}

psdvec_status pv_map_rows_make(psdvec_context *ctx, const psdvec_model *model,
                               const uint32_t *words, uint32_t count, uint32_t components,
                               pv_map_rows *rows)
{
    size_t dim = model->info.dim, workers = (size_t)psdvec_threads(ctx);
    size_t m = components < dim ? components : dim;
    pv_scope scope = {.ctx = ctx, .what = "the principal components of the map"};
    pv_progress progress;
    rows_job job = {.ctx = ctx,
                    .model = model,
                    .words = words,
                    .rows = rows,
                    .count = count,
                    .dim = dim,
                    .components = m,
                    .parts = parts_for(dim),
                    .progress = &progress};
    psdvec_status status;
    *rows = (pv_map_rows){
        .scope = {.ctx = ctx, .what = "the words of the map"}, .count = count, .dim = (uint32_t)m};
    job.part_words = (count + job.parts - 1) / job.parts;
    job.parts = (count + job.part_words - 1) / job.part_words;
    PV_TAKE(&rows->scope, rows->data, count * m);
    PV_TRY_DONE(pv_scope_status(&rows->scope));
    PV_TAKE_ZERO(&scope, job.moments, job.parts * dim * dim);
    PV_TAKE_ZERO(&scope, job.sums, job.parts * dim);
    PV_TAKE(&scope, job.tiles, workers * TILE * dim);
    PV_TAKE(&scope, job.squares, workers * dim * dim);
    PV_TAKE(&scope, job.values, dim);
    PV_TAKE(&scope, job.axes, m * dim);
    PV_TAKE(&scope, job.centre, m);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_blas_ready(ctx));
    pv_progress_begin(&progress, ctx, "principal components", "words", 2 * (uint64_t)count);
    PV_TRY_DONE(pv_parallel_tasks(ctx, job.parts, add_part, &job));
    PV_TRY_DONE(pv_check_cancel(ctx));
    PV_TRY_DONE(find_axes(&job));
    PV_TRY_DONE(pv_parallel_tasks(ctx, (count + TILE - 1) / TILE, project_tile, &job));
    PV_TRY_DONE(pv_check_cancel(ctx));
    pv_progress_end(&progress);
done:
    pv_scope_free(&scope);
    return status;
}

uint64_t pv_map_rows_bytes(psdvec_context *ctx, uint32_t count, uint32_t dim, uint32_t components)
{
    uint64_t workers = (uint64_t)psdvec_threads(ctx), d = dim, m = components < d ? components : d;
    uint64_t workspace = parts_for(dim) * (d * d + d) * sizeof(double) +
                         workers * (TILE * d + d * d) * sizeof(float) + d * sizeof(double) +
                         (m * d + m) * sizeof(float) + pv_symmetric_eigen_bytes(d);
    return count * m * sizeof(float) + workspace;
}

void pv_map_rows_free(pv_map_rows *rows)
{
    pv_scope_free(&rows->scope);
}

double pv_map_square(const pv_map_rows *rows, uint32_t i, uint32_t j)
{
    enum { LANES = 4 }; /* sums that are independent, for vector instructions */
    const float *a = rows->data + (size_t)i * rows->dim, *b = rows->data + (size_t)j * rows->dim;
    double sums[LANES] = {0}, difference;
    uint32_t k = 0;
    for (; k + LANES <= rows->dim; k += LANES)
        for (uint32_t l = 0; l < LANES; l++) {
            difference = (double)a[k + l] - (double)b[k + l];
            sums[l] += difference * difference;
        }
    for (; k < rows->dim; k++) {
        difference = (double)a[k] - (double)b[k];
        sums[0] += difference * difference;
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
