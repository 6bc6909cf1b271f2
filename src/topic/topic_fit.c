/* The M-step. Work is divided into tiles of words; sums over tiles are added in order. */
#include "topic/topic_fit.h"

#include "base/blas.h"
#include "base/thread.h"
#include "document/exponential.h"

#include <math.h>
#include <string.h>

enum { TILE = 512, SHORTENINGS = 8, BISECTIONS = 40 };
#define MOST_RESIDUAL_STEP 2.0f
#define MOST_SHARE 0.2 /* of the length of a vector, for a step */
/* Vectors shorter than this may take steps as if they had length 1, as in the original program. */
#define SHORT_VECTOR 1e-2
#define PADDING 1e4f /* a log Z that makes the probabilities of columns without a topic 0 */
/* Axes with less than this share of the largest variance carry no information. */
#define LEAST_VARIANCE 1e-7

static size_t tiles_of(uint32_t words)
{
    return ((size_t)words + TILE - 1) / TILE;
}

static size_t tile_rows(uint32_t words, size_t tile)
{
    return words - tile * TILE < TILE ? words - tile * TILE : TILE;
}

/* ---- The space ------------------------------------------------------------------------------- */

psdvec_status pv_topic_space_init(pv_topic_space *s, psdvec_context *ctx, uint32_t words,
                                  uint32_t dim, const double *base)
{
    *s = (pv_topic_space){
        .memory = {.ctx = ctx, .what = "the words of the topics"}, .words = words, .dim = dim};
    PV_TAKE(&s->memory, s->features, (size_t)words * dim);
    PV_TAKE(&s->memory, s->log_base, words);
    PV_TAKE(&s->memory, s->scale, dim);
    PV_TAKE(&s->memory, s->axes, (size_t)dim * dim);
    PV_TRY(pv_scope_status(&s->memory));
    for (uint32_t w = 0; w < words; w++)
        s->log_base[w] = (float)log(base[w]);
    return PSDVEC_OK;
}

void pv_topic_space_free(pv_topic_space *s)
{
    pv_scope_free(&s->memory);
}

typedef struct space_job {
    pv_topic_space *space;
    const float *rotation; /* dim x dim: an axis per column, divided by its scale */
    float *rows;           /* workers x TILE x dim */
} space_job;

static psdvec_status rotate_tile(void *arg, size_t tile, int worker)
{
    space_job *job = arg;
    pv_topic_space *s = job->space;
    int dim = (int)s->dim, rows = (int)tile_rows(s->words, tile);
    float *features = s->features + tile * TILE * s->dim;
    float *copy = job->rows + (size_t)worker * TILE * s->dim;
    memcpy(copy, features, (size_t)rows * s->dim * sizeof *copy);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, dim, dim, 1, copy, dim,
                job->rotation, dim, 0, features, dim);
    return PSDVEC_OK;
}

psdvec_status pv_topic_space_prepare(pv_topic_space *s, const double *base)
{
    psdvec_context *ctx = s->memory.ctx;
    psdvec_status status;
    size_t dim = s->dim;
    pv_scope scope = {.ctx = ctx, .what = "the covariance of the word vectors"};
    double *mean, *row, *values;
    float *rotation;
    space_job job = {.space = s};
    PV_TAKE_ZERO(&scope, mean, dim);
    PV_TAKE(&scope, row, TILE * dim);
    PV_TAKE(&scope, values, dim);
    PV_TAKE(&scope, rotation, dim * dim);
    PV_TAKE(&scope, job.rows, (size_t)psdvec_threads(ctx) * TILE * dim);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_blas_ready(ctx));
    for (uint32_t w = 0; w < s->words; w++)
        for (size_t d = 0; d < dim; d++)
            mean[d] += base[w] * (double)s->features[w * dim + d];
    memset(s->axes, 0, dim * dim * sizeof *s->axes);
    for (size_t tile = 0; tile < tiles_of(s->words); tile++) {
        size_t rows = tile_rows(s->words, tile);
        for (size_t r = 0; r < rows; r++) {
            size_t w = tile * TILE + r;
            double root = sqrt(base[w]);
            for (size_t d = 0; d < dim; d++) {
                double x = (double)s->features[w * dim + d] - mean[d];
                s->features[w * dim + d] = (float)x;
                row[r * dim + d] = root * x;
            }
        }
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)dim, (int)rows, 1, row, (int)dim, 1,
                    s->axes, (int)dim);
        PV_TRY_DONE(pv_check_cancel(ctx));
    }
    for (size_t i = 0; i < dim; i++)
        for (size_t j = i + 1; j < dim; j++)
            s->axes[i * dim + j] = s->axes[j * dim + i];
    PV_TRY_DONE(pv_symmetric_eigen(ctx, s->axes, values, dim));
    double least = LEAST_VARIANCE * values[dim - 1];
    if (!(values[dim - 1] > 0)) {
        status = pv_fail(ctx, PSDVEC_ERR_NUMERIC,
                         "the word vectors of the documents are all equal; topics need a model "
                         "that distinguishes their words");
        goto done;
    }
    for (size_t i = 0; i < dim; i++) {
        s->scale[i] = values[i] > least ? sqrt(values[i]) : 0;
        for (size_t d = 0; d < dim; d++)
            rotation[d * dim + i] = s->scale[i] > 0 ? (float)(s->axes[i * dim + d] / s->scale[i])
                                                    : 0;
    }
    job.rotation = rotation;
    status = pv_parallel_tasks(ctx, tiles_of(s->words), rotate_tile, &job);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

psdvec_status pv_topic_fit_init(pv_topic_fit *f, const pv_topic_space *space,
                                const psdvec_topic_options *options)
{
    psdvec_context *ctx = space->memory.ctx;
    size_t stride = pv_topic_stride(options->topics), all = stride * space->words;
    size_t tiles = tiles_of(space->words);
    *f = (pv_topic_fit){.memory = {.ctx = ctx, .what = "the topics"},
                        .space = space,
                        .topics = options->topics,
                        .stride = stride,
                        .lambda = options->vector_precision,
                        .tau = options->residual_precision,
                        .radius = options->radius,
                        .null_topic = options->null_topic};
    PV_TAKE_ZERO(&f->memory, f->vectors, space->dim * stride);
    if (isfinite(f->tau))
        PV_TAKE_ZERO(&f->memory, f->residuals, all);
    PV_TAKE_ZERO(&f->memory, f->beta, all);
    PV_TAKE_ZERO(&f->memory, f->counts, all);
    PV_TAKE(&f->memory, f->logits, all);
    PV_TAKE(&f->memory, f->direction, all);
    PV_TAKE(&f->memory, f->partial, tiles * space->dim * stride);
    PV_TAKE(&f->memory, f->towards, space->dim * stride);
    PV_TAKE_ZERO(&f->memory, f->log_z, stride);
    PV_TAKE_ZERO(&f->memory, f->mass, stride);
    PV_TAKE_ZERO(&f->memory, f->pace, stride);
    PV_TAKE(&f->memory, f->work, 3 * stride);
    PV_TAKE(&f->memory, f->sums, tiles * stride * 2);
    PV_TAKE(&f->memory, f->slopes, tiles * stride * 3);
    return pv_scope_status(&f->memory);
}

void pv_topic_fit_free(pv_topic_fit *f)
{
    pv_scope_free(&f->memory);
}

static psdvec_status each_tile(pv_topic_fit *f, pv_task_fn *fn)
{
    return pv_parallel_tasks(f->memory.ctx, tiles_of(f->space->words), fn, f);
}

/* Products of features and the vectors in `from` (dim x stride) into rows of `to`. */
static void multiply(const pv_topic_fit *f, size_t tile, const float *from, float *to)
{
    const pv_topic_space *s = f->space;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)tile_rows(s->words, tile),
                (int)f->stride, (int)s->dim, 1, s->features + tile * TILE * s->dim, (int)s->dim,
                from, (int)f->stride, 0, to + tile * TILE * f->stride, (int)f->stride);
}

static psdvec_status logits_tile(void *arg, size_t tile, int worker)
{
    (void)worker;
    pv_topic_fit *f = arg;
    multiply(f, tile, f->vectors, f->logits);
    for (size_t r = 0; r < tile_rows(f->space->words, tile); r++) {
        size_t w = tile * TILE + r;
        float *row = f->logits + w * f->stride;
        const float *residual = f->residuals ? f->residuals + w * f->stride : NULL;
        for (size_t k = 0; k < f->stride; k++)
            row[k] += f->space->log_base[w] + (residual ? residual[k] : 0);
    }
    return PSDVEC_OK;
}

/* ---- Normalisers ----------------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

/* For each topic: the largest logit of some words after a step along the direction, and the sum of
 * exponentials relative to it. */
INLINE void exponentials(const float *logits, const float *direction, const float *pace,
                         size_t rows, size_t stride, float *largest, float *sums)
{
    for (size_t k = 0; k < stride; k++) {
        largest[k] = -INFINITY;
        sums[k] = 0;
    }
    for (size_t r = 0; r < rows * stride; r += stride)
        for (size_t k = 0; k < stride; k++) {
            float x = logits[r + k] + pace[k] * direction[r + k];
            largest[k] = x > largest[k] ? x : largest[k];
        }
    for (size_t r = 0; r < rows * stride; r += stride)
        for (size_t k = 0; k < stride; k++)
            sums[k] += pv_exponential(logits[r + k] + pace[k] * direction[r + k] - largest[k]);
}

/* P(word | topic) of some words. */
INLINE void probabilities(const float *logits, const float *log_z, size_t rows, size_t stride,
                          float *beta)
{
    for (size_t r = 0; r < rows * stride; r += stride)
        for (size_t k = 0; k < stride; k++)
            beta[r + k] = pv_exponential(logits[r + k] - log_z[k]);
}

typedef void exponentials_fn(const float *logits, const float *direction, const float *pace,
                             size_t rows, size_t stride, float *largest, float *sums);
typedef void probabilities_fn(const float *logits, const float *log_z, size_t rows, size_t stride,
                              float *beta);

/* The functions for one instruction set: the same code, compiled for it. */
#define FOR(attribute, set)                                                                        \
    attribute static void exponentials_##set(const float *logits, const float *direction,          \
                                             const float *pace, size_t rows, size_t stride,        \
                                             float *largest, float *sums)                          \
    {                                                                                              \
        exponentials(logits, direction, pace, rows, stride, largest, sums);                        \
    }                                                                                              \
    attribute static void probabilities_##set(const float *logits, const float *log_z,             \
                                              size_t rows, size_t stride, float *beta)             \
    {                                                                                              \
        probabilities(logits, log_z, rows, stride, beta);                                          \
    }
FOR(, plain)
#if PV_AVX2
FOR(__attribute__((target("avx2"))), avx2)
#define BEST(function) (__builtin_cpu_supports("avx2") ? function##_avx2 : function##_plain)
#else
#define BEST(function) function##_plain
#endif

static psdvec_status exponentials_tile(void *arg, size_t tile, int worker)
{
    (void)worker;
    pv_topic_fit *f = arg;
    size_t at = tile * TILE * f->stride;
    float *largest = f->sums + tile * 2 * f->stride;
    exponentials_fn *best = BEST(exponentials);
    best(f->logits + at, f->direction + at, f->pace, tile_rows(f->space->words, tile), f->stride,
         largest, largest + f->stride);
    return PSDVEC_OK;
}

/* log Z of each topic after a step of `pace` along the direction. */
static psdvec_status normalise(pv_topic_fit *f, double *log_z)
{
    PV_TRY(each_tile(f, exponentials_tile));
    for (size_t k = 0; k < f->stride; k++) {
        double largest = -INFINITY, sum = 0;
        for (size_t tile = 0; tile < tiles_of(f->space->words); tile++)
            largest = fmax(largest, (double)f->sums[tile * 2 * f->stride + k]);
        for (size_t tile = 0; tile < tiles_of(f->space->words); tile++) {
            const float *part = f->sums + tile * 2 * f->stride + k;
            sum += (double)part[f->stride] * exp((double)part[0] - largest);
        }
        /* cppcheck-suppress invalidFunctionArg ; there are words, so there is a tile */
        log_z[k] = largest + log(sum);
    }
    return PSDVEC_OK;
}

static psdvec_status probabilities_tile(void *arg, size_t tile, int worker)
{
    (void)worker;
    pv_topic_fit *f = arg;
    size_t at = tile * TILE * f->stride;
    probabilities_fn *best = BEST(probabilities);
    best(f->logits + at, f->pace, tile_rows(f->space->words, tile), f->stride, f->beta + at);
    return PSDVEC_OK;
}

/* beta from the logits and log_z. */
static psdvec_status exponentiate(pv_topic_fit *f)
{
    for (size_t k = 0; k < f->stride; k++)
        f->pace[k] = k < f->topics ? (float)f->log_z[k] : PADDING;
    return each_tile(f, probabilities_tile);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The partial gradient with respect to the vectors: F' (n - m beta). */
static psdvec_status gradient_tile(void *arg, size_t tile, int worker)
{
    (void)worker;
    pv_topic_fit *f = arg;
    const pv_topic_space *s = f->space;
    size_t rows = tile_rows(s->words, tile), at = tile * TILE * f->stride;
    for (size_t r = 0; r < rows * f->stride; r += f->stride)
        for (size_t k = 0; k < f->stride; k++)
            f->direction[at + r + k] = f->counts[at + r + k] - f->mass[k] * f->beta[at + r + k];
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)s->dim, (int)f->stride, (int)rows, 1,
                s->features + tile * TILE * s->dim, (int)s->dim, f->direction + at, (int)f->stride,
                0, f->partial + tile * s->dim * f->stride, (int)f->stride);
    return PSDVEC_OK;
}

static psdvec_status towards_tile(void *arg, size_t tile, int worker)
{
    (void)worker;
    pv_topic_fit *f = arg;
    multiply(f, tile, f->towards, f->direction);
    return PSDVEC_OK;
}

/* The precision of the prior along an axis: vectors have the prior in the space of the word
 * vectors. */
static double prior_along(const pv_topic_space *s, size_t d)
{
    return s->scale[d] > 0 ? 1 / (s->scale[d] * s->scale[d]) : 0;
}

double pv_topic_length(const pv_topic_fit *f, const float *vectors, uint32_t k)
{
    double square = 0;
    for (size_t d = 0; d < f->space->dim; d++)
        square += pow((double)vectors[d * f->stride + k], 2) * prior_along(f->space, d);
    return sqrt(square);
}

double pv_topic_longest_step(double length)
{
    return MOST_SHARE * (length < SHORT_VECTOR ? 1 : length);
}

/* Full steps are too long in the first iterations: words would be committed to topics that have
 * hardly begun to differ, and the bound would converge to a worse maximum. */
static void limit_steps(pv_topic_fit *f)
{
    for (uint32_t k = 0; k < f->topics; k++) {
        double most = pv_topic_longest_step(pv_topic_length(f, f->vectors, k));
        double length = pv_topic_length(f, f->towards, k);
        for (size_t d = 0; length > most && d < f->space->dim; d++)
            f->towards[d * f->stride + k] *= (float)(most / length);
    }
}

/* Component d of vector k after a step, drawn towards 0 by the multiplier of the radius; `mass`: m
 * of the quadratic approximation. */
static double within(const pv_topic_fit *f, size_t d, uint32_t k, double mass, double multiplier)
{
    double p = prior_along(f->space, d), h = mass + f->lambda * p;
    double x = (double)f->vectors[d * f->stride + k] + (double)f->towards[d * f->stride + k];
    return h > 0 ? x * h / (h + multiplier * p) : x;
}

static double length_within(const pv_topic_fit *f, uint32_t k, double mass, double multiplier)
{
    double square = 0;
    for (size_t d = 0; d < f->space->dim; d++)
        square += pow(within(f, d, k, mass, multiplier), 2) * prior_along(f->space, d);
    return sqrt(square);
}

/* Ends the step of each vector at the nearest point within the radius. Distances are those of the
 * quadratic approximation that determines the step: with others, steps along the limit could end
 * where the function still rises. */
static void stay_within_radius(pv_topic_fit *f)
{
    for (uint32_t k = 0; isfinite(f->radius) && k < f->topics; k++) {
        double mass = f->mass[k] > 0 ? (double)f->mass[k] : 1, least = 0, most = mass;
        if (length_within(f, k, mass, 0) <= f->radius)
            continue;
        while (length_within(f, k, mass, most) > f->radius)
            most *= 4;
        for (int step = 0; step < BISECTIONS; step++) {
            double middle = (least + most) / 2;
            if (length_within(f, k, mass, middle) > f->radius)
                least = middle;
            else
                most = middle;
        }
        for (size_t d = 0; d < f->space->dim; d++)
            f->towards[d * f->stride + k] =
                (float)(within(f, d, k, mass, most) - (double)f->vectors[d * f->stride + k]);
    }
}

psdvec_status pv_topic_fit_start(pv_topic_fit *f)
{
    PV_TRY(pv_blas_ready(f->memory.ctx));
    size_t size = f->space->dim * f->stride;
    memset(f->towards, 0, size * sizeof *f->towards);
    stay_within_radius(f);
    for (size_t i = 0; i < size; i++)
        f->vectors[i] += f->towards[i];
    PV_TRY(each_tile(f, logits_tile));
    memset(f->pace, 0, f->stride * sizeof *f->pace);
    memset(f->direction, 0, f->space->words * f->stride * sizeof *f->direction);
    PV_TRY(normalise(f, f->log_z));
    return exponentiate(f);
}

psdvec_status pv_topic_fit_resume(pv_topic_fit *f)
{
    PV_TRY(pv_blas_ready(f->memory.ctx));
    return exponentiate(f);
}

/* m from the counts. */
static void sum_counts(pv_topic_fit *f)
{
    double *sums = f->work;
    memset(sums, 0, f->stride * sizeof *sums);
    for (size_t i = 0; i < f->space->words * f->stride; i++)
        sums[i % f->stride] += (double)f->counts[i];
    for (size_t k = 0; k < f->stride; k++)
        f->mass[k] = (float)sums[k];
}

/* Element i of the gradient, after gradient_tile; 0 for what does not move. */
static double gradient_at(const pv_topic_fit *f, size_t i)
{
    const pv_topic_space *s = f->space;
    size_t k = i % f->stride, size = s->dim * f->stride;
    if ((f->null_topic && k == 0) || k >= f->topics || s->scale[i / f->stride] <= 0)
        return 0;
    double sum = 0;
    for (size_t tile = 0; tile < tiles_of(s->words); tile++)
        sum += (double)f->partial[tile * size + i];
    return sum - f->lambda * prior_along(s, i / f->stride) * (double)f->vectors[i];
}

psdvec_status pv_topic_fit_gradient(pv_topic_fit *f)
{
    sum_counts(f);
    PV_TRY(each_tile(f, gradient_tile));
    for (size_t i = 0; i < f->space->dim * f->stride; i++)
        f->towards[i] = (float)gradient_at(f, i);
    return PSDVEC_OK;
}

/* Sets `towards` and `direction`, and the derivatives of the prior along it. */
static psdvec_status aim_vectors(pv_topic_fit *f, double *slope, double *curve)
{
    const pv_topic_space *s = f->space;
    size_t size = s->dim * f->stride;
    PV_TRY(each_tile(f, gradient_tile));
    for (size_t i = 0; i < size; i++) {
        double lambda = f->lambda * prior_along(s, i / f->stride);
        double m = (double)f->mass[i % f->stride];
        f->towards[i] = m > 0 ? (float)(gradient_at(f, i) / (m + lambda)) : 0;
    }
    limit_steps(f);
    stay_within_radius(f);
    for (size_t i = 0; i < size; i++) {
        double lambda = f->lambda * prior_along(s, i / f->stride), to = (double)f->towards[i];
        slope[i % f->stride] += lambda * (double)f->vectors[i] * to;
        curve[i % f->stride] += lambda * to * to;
    }
    return each_tile(f, towards_tile);
}

static psdvec_status residuals_tile(void *arg, size_t tile, int worker)
{
    (void)worker;
    pv_topic_fit *f = arg;
    size_t at = tile * TILE * f->stride, rows = tile_rows(f->space->words, tile);
    float tau = (float)f->tau;
    for (size_t r = 0; r < rows * f->stride; r += f->stride)
        for (size_t k = 0; k < f->stride; k++) {
            size_t i = at + r + k;
            float expected = f->mass[k] * f->beta[i];
            float step = (f->counts[i] - expected - tau * f->residuals[i]) / (expected + tau);
            step = step > MOST_RESIDUAL_STEP ? MOST_RESIDUAL_STEP : step;
            f->direction[i] = step < -MOST_RESIDUAL_STEP ? -MOST_RESIDUAL_STEP : step;
        }
    for (size_t r = 0; f->null_topic && r < rows; r++)
        f->direction[at + r * f->stride] = 0;
    return PSDVEC_OK;
}

/* Sums over the words of a tile: n direction, a direction, direction^2. */
static psdvec_status slopes_tile(void *arg, size_t tile, int worker)
{
    (void)worker;
    pv_topic_fit *f = arg;
    size_t at = tile * TILE * f->stride, stride = f->stride;
    double *sums = f->slopes + tile * 3 * stride;
    memset(sums, 0, 3 * stride * sizeof *sums);
    for (size_t r = 0; r < tile_rows(f->space->words, tile) * stride; r += stride)
        for (size_t k = 0; k < stride; k++) {
            double d = (double)f->direction[at + r + k];
            sums[k] += (double)f->counts[at + r + k] * d;
            if (f->residuals) {
                sums[stride + k] += (double)f->residuals[at + r + k] * d;
                sums[2 * stride + k] += d * d;
            }
        }
    return PSDVEC_OK;
}

static psdvec_status advance_tile(void *arg, size_t tile, int worker)
{
    (void)worker;
    pv_topic_fit *f = arg;
    size_t at = tile * TILE * f->stride;
    float *residuals = f->moves_residuals ? f->residuals : NULL;
    for (size_t r = 0; r < tile_rows(f->space->words, tile) * f->stride; r += f->stride)
        for (size_t k = 0; k < f->stride; k++) {
            float move = f->pace[k] * f->direction[at + r + k];
            f->logits[at + r + k] += move;
            if (residuals)
                residuals[at + r + k] += move;
        }
    return PSDVEC_OK;
}

/* Finds a step along the direction for each topic that does not decrease the function, and takes
 * it. slope, curve: of the prior. */
static psdvec_status advance(pv_topic_fit *f, double *slope, double *curve, double *after)
{
    size_t stride = f->stride, tiles = tiles_of(f->space->words);
    PV_TRY(each_tile(f, slopes_tile));
    for (size_t k = 0; k < stride; k++) {
        double rise = 0, with_residuals = 0, squares = 0;
        for (size_t tile = 0; tile < tiles; tile++) {
            const double *sums = f->slopes + tile * 3 * stride + k;
            rise += sums[0];
            with_residuals += sums[stride];
            squares += sums[2 * stride];
        }
        if (f->moves_residuals) {
            slope[k] = f->tau * with_residuals;
            curve[k] = f->tau * squares;
        }
        slope[k] = rise - slope[k];
        f->pace[k] = k < f->topics && f->mass[k] > 0;
    }
    bool again = true;
    for (int trial = 0; again; trial++) {
        PV_TRY(normalise(f, after));
        again = false;
        for (size_t k = 0; k < f->topics; k++) {
            double s = (double)f->pace[k], m = (double)f->mass[k];
            double gain = s * slope[k] - s * s / 2 * curve[k] - m * (after[k] - f->log_z[k]);
            /* The normaliser is known to single precision only. */
            if (s > 0 && !(gain >= -1e-6 * m)) {
                f->pace[k] = trial < SHORTENINGS ? f->pace[k] / 3 : 0;
                again = true;
            }
        }
    }
    PV_TRY(each_tile(f, advance_tile));
    for (size_t i = 0; !f->moves_residuals && i < f->space->dim * stride; i++)
        f->vectors[i] += f->pace[i % stride] * f->towards[i];
    memcpy(f->log_z, after, stride * sizeof *after);
    return exponentiate(f);
}

psdvec_status pv_topic_fit_improve(pv_topic_fit *f, unsigned steps)
{
    double *slope = f->work, *curve = slope + f->stride, *after = curve + f->stride;
    sum_counts(f);
    for (unsigned step = 0; step < steps; step++) {
        memset(slope, 0, 2 * f->stride * sizeof *slope);
        f->moves_residuals = false;
        PV_TRY(aim_vectors(f, slope, curve));
        PV_TRY(advance(f, slope, curve, after));
        if (!f->residuals)
            continue;
        f->moves_residuals = true;
        PV_TRY(each_tile(f, residuals_tile));
        PV_TRY(advance(f, slope, curve, after));
    }
    return PSDVEC_OK;
}

double pv_topic_fit_prior(const pv_topic_fit *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->space->dim * f->stride; i++)
        sum += f->lambda * prior_along(f->space, i / f->stride) * (double)f->vectors[i] *
               (double)f->vectors[i];
    for (size_t i = 0; f->residuals && i < f->space->words * f->stride; i++)
        sum += f->tau * (double)f->residuals[i] * (double)f->residuals[i];
    return -sum / 2;
}

void pv_topic_fit_vector(const pv_topic_fit *f, uint32_t topic, float *vector)
{
    const pv_topic_space *s = f->space;
    for (size_t d = 0; d < s->dim; d++) {
        double sum = 0;
        for (size_t i = 0; i < s->dim; i++)
            if (s->scale[i] > 0)
                sum += s->axes[i * s->dim + d] / s->scale[i] *
                       (double)f->vectors[i * f->stride + topic];
        vector[d] = (float)sum;
    }
}
