/* The true parameters of a simulated text.
 *
 * Vectors are drawn with independent normal components of variance 1/(2 mu_i), where mu_i is such
 * that v_i' J v_j of frequent words has the requested standard deviation. Residuals are drawn with
 * a variance proportional to 1/f(h_ij), with the weights f of the paper and h_ij = p_i p_j. For
 * these to be the pointwise mutual information of a text, the pair probabilities of eq. 1, p_i p_j
 * exp(G_ij), must have the margins p:
 *
 *     sum_j p_j exp(G_ij) = 1,    sum_i p_i exp(G_ij) = 1
 *
 * This is achieved by adding c_i + d_j to G; c and d are found by scaling rows and columns in turn
 * (Sinkhorn). In the symmetric form their symmetric part becomes two more dimensions,
 *
 *     c_i + c_j = (c_i + 1)(c_j + 1)/2 - (c_i - 1)(c_j - 1)/2
 *
 * which are the last two of the N; the psd form cannot represent them, so there they are residuals.
 * Finally V is rotated to the principal axes of V J V', as in training.
 *
 * Cost: n^2 N multiplications, a table of n^2 floats, and n^2 operations per round of scaling.
 */
#include "document/simulate.h"

#include "base/blas.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, COLUMNS = 256, MOST_ROUNDS = 2000 };

/* exp(MOST_LOG) is far below the largest float. */
#define MOST_LOG 70.0F

static size_t blocks_of(uint32_t words, size_t block)
{
    return (words + block - 1) / block;
}

/* ---- Margins --------------------------------------------------------------------------------- */
/* Sinkhorn scaling: factors of rows and columns are computed in turn, until the pairs p_i p_j
 * exp(G_ij + c_i + d_j) have the margins p in both directions. The table is positive, so this
 * always converges, quickly if its entries are close to 1. */

typedef struct scale_job {
    const pv_truth *truth;
    double *weights; /* n: p times the factors of the other side */
    double *factors; /* n: the factors of this side to compute */
} scale_job;

static psdvec_status scale_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    scale_job *job = arg;
    const pv_truth *t = job->truth;
    for (uint32_t i = (uint32_t)task * ROWS; i < t->words && i < (task + 1) * ROWS; i++) {
        const float *row = t->table + (size_t)i * t->stride;
        double sum[4] = {0};
        uint32_t j = 0;
        for (; j + 4 <= t->words; j += 4)
            for (uint32_t l = 0; l < 4; l++)
                sum[l] += (double)row[j + l] * job->weights[j + l];
        for (; j < t->words; j++)
            sum[0] += (double)row[j] * job->weights[j];
        job->factors[i] = 1 / ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    return PSDVEC_OK;
}

static psdvec_status scale_columns(void *arg, size_t task, int worker)
{
    (void)worker;
    scale_job *job = arg;
    const pv_truth *t = job->truth;
    double sum[COLUMNS] = {0};
    size_t begin = task * COLUMNS;
    size_t count = t->words - begin < COLUMNS ? t->words - begin : COLUMNS;
    for (uint32_t i = 0; i < t->words; i++) {
        const float *row = t->table + (size_t)i * t->stride + begin;
        double weight = job->weights[i];
        for (size_t j = 0; j < count; j++)
            sum[j] += (double)row[j] * weight;
    }
    for (size_t j = 0; j < count; j++)
        job->factors[begin + j] = 1 / sum[j];
    return PSDVEC_OK;
}

/* Half a round: computes the factors of one side from those of the other. */
static psdvec_status half_round(scale_job *job, const double *given, size_t block, pv_task_fn *fn)
{
    const pv_truth *t = job->truth;
    for (uint32_t i = 0; i < t->words; i++)
        job->weights[i] = t->unigram[i] * given[i];
    return pv_parallel_tasks(t->ctx, blocks_of(t->words, block), fn, job);
}

/* Computes c (rows) and d (columns), n each and with the same mean over p, that give the pairs of
 * the table the margins p. */
static psdvec_status scale_to_margins(pv_truth *t, double *c, double *d)
{
    psdvec_status status = PSDVEC_OK;
    pv_progress progress;
    pv_scope scope = {.ctx = t->ctx, .what = "margins"};
    double *weights, *last;
    PV_TAKE(&scope, weights, t->words);
    PV_TAKE(&scope, last, t->words);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t i = 0; i < t->words; i++)
        c[i] = d[i] = 1;
    scale_job rows = {t, weights, c}, columns = {t, weights, d};
    double error = 1;
    pv_progress_begin(&progress, t->ctx, "scaling to the margins", "rounds", 0);
    for (t->rounds = 0; error > 1e-9 && t->rounds < MOST_ROUNDS; t->rounds++) {
        memcpy(last, c, t->words * sizeof *last);
        PV_TRY_DONE(half_round(&rows, d, ROWS, scale_rows));
        PV_TRY_DONE(half_round(&columns, c, COLUMNS, scale_columns));
        error = 0; /* error of the row sums when the column sums are exact */
        for (uint32_t i = 0; i < t->words; i++)
            error = fmax(error, fabs(last[i] / c[i] - 1));
        pv_progress_add(&progress, 1);
        PV_TRY_DONE(pv_check_cancel(t->ctx));
    }
    pv_progress_end(&progress);
    if (!(error <= 1e-6))
        PV_TRY_DONE(
            pv_fail(t->ctx, PSDVEC_ERR_NUMERIC,
                    "no pair frequencies were found that match these vectors and word "
                    "frequencies; lower `strength` or `residual`, or raise `residual_cut`"));
    double shift = 0;
    for (uint32_t i = 0; i < t->words; i++) {
        c[i] = log(c[i]);
        d[i] = log(d[i]);
        shift += t->unigram[i] * (c[i] - d[i]) / 2;
    }
    for (uint32_t i = 0; i < t->words; i++) {
        c[i] -= shift;
        d[i] += shift;
    }
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- Principal axes -------------------------------------------------------------------------- */

typedef struct axis {
    double value;
    size_t number;
} axis;

static int by_magnitude(const void *a, const void *b)
{
    double x = fabs(((const axis *)a)->value), y = fabs(((const axis *)b)->value);
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Computes V with V J V' = B diag(signs) B' and orthogonal columns, the longest first, as in
 * training. B, V: n x N, row-major; eigenvalues: N, with the signs of J.
 *
 * With B'B = Q L Q' the columns of Y = B Q L^-1/2 are orthonormal, and B diag(signs) B' = Y K Y'
 * with K = L^1/2 Q' diag(signs) Q L^1/2 = U T U'. So V = B R = Y U |T|^1/2.
 */
static psdvec_status turn_to_axes(psdvec_context *ctx, const double *B, const float *signs,
                                  size_t n, size_t N, float *vectors, float *eigenvalues)
{
    pv_scope scope = {.ctx = ctx, .what = "the axes of the vectors"};
    double *Q, *K, *R, *values;
    axis *axes;
    psdvec_status status;
    PV_TAKE_ZERO(&scope, Q, N * N);
    PV_TAKE(&scope, K, N * N);
    PV_TAKE(&scope, R, N * N);
    PV_TAKE(&scope, values, N);
    PV_TAKE(&scope, axes, N);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < N; k++)
            for (size_t l = 0; l <= k; l++)
                Q[k * N + l] += B[i * N + k] * B[i * N + l];
    for (size_t k = 0; k < N; k++)
        for (size_t l = 0; l < k; l++)
            Q[l * N + k] = Q[k * N + l];
    PV_TRY_DONE(pv_symmetric_eigen(ctx, Q, values, N)); /* row a of Q: the a-th eigenvector */
    double least = values[N - 1] * 1e-13;
    for (size_t a = 0; a < N; a++)
        for (size_t b = 0; b < N; b++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++)
                sum += Q[a * N + k] * (double)signs[k] * Q[b * N + k];
            bool none = values[a] <= least || values[b] <= least;
            K[a * N + b] = none ? 0 : sum * sqrt(values[a]) * sqrt(values[b]);
        }
    for (size_t a = 0; a < N; a++)
        for (size_t k = 0; k < N; k++) /* L^-1/2 Q' */
            Q[a * N + k] *= values[a] <= least ? 0 : 1 / sqrt(values[a]);
    PV_TRY_DONE(pv_symmetric_eigen(ctx, K, values, N)); /* row c of K: column c of U */
    for (size_t c = 0; c < N; c++)
        axes[c] = (axis){values[c], c};
    qsort(axes, N, sizeof *axes, by_magnitude);
    for (size_t c = 0; c < N; c++) {
        eigenvalues[c] = (float)axes[c].value;
        for (size_t k = 0; k < N; k++) {
            double sum = 0;
            for (size_t a = 0; a < N; a++)
                sum += Q[a * N + k] * K[axes[c].number * N + a];
            R[k * N + c] = sum * sqrt(fabs(axes[c].value));
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < N; c++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++)
                sum += B[i * N + k] * R[k * N + c];
            vectors[i * N + c] = (float)sum;
        }
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- Unigrams and residuals ------------------------------------------------------------------ */

static void make_unigrams(pv_truth *t)
{
    double all = 0;
    for (uint32_t i = 0; i < t->words; i++)
        all += t->unigram[i] = pow(i + 1 + 2.7, -t->options.zipf);
    for (uint32_t i = 0; i < t->words; i++) {
        t->unigram[i] /= all;
        t->p[i] = (float)t->unigram[i];
        t->entropy -= t->unigram[i] * log(t->unigram[i]);
    }
}

/* The number of pairs with p_i p_j >= h. p decreases, so the partners of a word are the first
 * words, and their number decreases from word to word. */
static double pairs_above(const pv_truth *t, double h)
{
    double pairs = 0;
    uint32_t partners = t->words;
    for (uint32_t i = 0; i < t->words; i++) {
        while (partners > 0 && t->unigram[i] * t->unigram[partners - 1] < h)
            partners--;
        pairs += partners;
    }
    return pairs;
}

/* Finds the largest h that at least the requested share of all pairs reach, up to rounding. */
static void find_cut(pv_truth *t)
{
    double all = (double)t->words * t->words, share = t->options.residual_cut;
    if (share >= 1)
        return; /* the cut stays 0 */
    double low = log(t->unigram[t->words - 1]) * 2 - 1e-9, high = log(t->unigram[0]) * 2 + 1e-9;
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        if (pairs_above(t, exp(middle)) >= share * all)
            low = middle;
        else
            high = middle;
    }
    t->cut = exp(low);
}

double pv_truth_mu(const pv_truth *t, uint32_t i)
{
    return t->mu * pow(t->unigram[0] / t->unigram[i], t->options.mu_power);
}

double pv_truth_residual_deviation(const pv_truth *t, uint32_t i, uint32_t j)
{
    double h = t->unigram[i] * t->unigram[j];
    if (h >= t->cut)
        return t->options.residual;
    return t->options.residual * sqrt(sqrt(t->cut / h)); /* f = sqrt(h / cut) */
}

void pv_truth_residuals(const pv_truth *t, uint32_t i, float *row)
{
    for (uint32_t j = 0; j < t->words; j++) {
        double a = t->before[i] + t->after[j];
        if (t->options.residual > 0)
            a += pv_truth_residual_deviation(t, i, j) *
                 pv_random_normal(t->options.seed, PV_DRAW_RESIDUALS, (uint64_t)i * t->words + j);
        row[j] = (float)a;
    }
}

/* ---- The table exp(V J V' + A) --------------------------------------------------------------- */

typedef struct table_job {
    const pv_truth *truth;
    const float *left;  /* n x dim: V */
    const float *right; /* n x dim: V J */
    uint32_t dim;
    float *scratch; /* per worker: n */
    pv_progress progress;
    _Atomic int too_large;
} table_job;

static psdvec_status fill_rows(void *arg, size_t task, int worker)
{
    table_job *job = arg;
    const pv_truth *t = job->truth;
    uint32_t begin = (uint32_t)task * ROWS;
    uint32_t rows = t->words - begin < ROWS ? t->words - begin : ROWS;
    float *table = t->table + (size_t)begin * t->stride;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)t->words, (int)job->dim, 1,
                job->left + (size_t)begin * job->dim, (int)job->dim, job->right, (int)job->dim, 0,
                table, (int)t->stride);
    float *residual = job->scratch + (size_t)worker * t->words;
    for (uint32_t i = 0; i < rows; i++) {
        float *row = table + (size_t)i * t->stride;
        if (t->residuals)
            pv_truth_residuals(t, begin + i, residual);
        for (uint32_t j = 0; j < t->words; j++) {
            float g = row[j] + (t->residuals ? residual[j] : 0);
            if (!(fabsf(g) <= MOST_LOG))
                atomic_store(&job->too_large, 1);
            row[j] = expf(g);
        }
    }
    pv_progress_add(&job->progress, rows);
    return pv_check_cancel(t->ctx);
}

static psdvec_status fill_table(pv_truth *t, const float *vectors, uint32_t dim, const float *signs)
{
    PV_TRY(pv_blas_ready(t->ctx));
    psdvec_status status = PSDVEC_OK;
    table_job job = {.truth = t, .left = vectors, .dim = dim};
    pv_scope scope = {.ctx = t->ctx, .what = "vectors"};
    float *right;
    PV_TAKE(&scope, right, (size_t)t->words * dim);
    PV_TAKE(&scope, job.scratch, (size_t)t->words * (size_t)psdvec_threads(t->ctx));
    PV_TRY_DONE(pv_scope_status(&scope));
    for (uint32_t i = 0; i < t->words; i++)
        for (uint32_t k = 0; k < dim; k++)
            right[(size_t)i * dim + k] = signs[k] * vectors[(size_t)i * dim + k];
    job.right = right;
    atomic_init(&job.too_large, 0);
    pv_progress_begin(&job.progress, t->ctx, "making the table", "rows", t->words);
    PV_TRY_DONE(pv_parallel_tasks(t->ctx, blocks_of(t->words, ROWS), fill_rows, &job));
    pv_progress_end(&job.progress);
    if (atomic_load(&job.too_large))
        status = pv_fail(t->ctx, PSDVEC_ERR_OPTION,
                         "these vectors would make some pairs of words more than e^%g times as "
                         "frequent or as rare as expected by chance; lower `strength`, `residual` "
                         "or `dim`, or raise `residual_cut`",
                         (double)MOST_LOG);
done:
    pv_scope_free(&scope);
    return status;
}

/* ---- Drawing the parameters ------------------------------------------------------------------ */

/* The number of drawn dimensions; the symmetric form reserves two for the margins. */
static uint32_t drawn_dim(const pv_truth *t)
{
    return t->options.form == PSDVEC_FORM_SYMMETRIC ? t->dim - 2 : t->dim;
}

/* Fills the first columns of B (n x N), and t->vectors (n x D) with the same numbers as floats. */
static void draw_vectors(pv_truth *t, double *B)
{
    uint32_t D = drawn_dim(t);
    double largest = sqrt(t->options.strength / sqrt((double)D));
    t->mu = 1 / (2 * largest * largest);
    for (size_t i = 0; i < t->words; i++) {
        double deviation = largest / sqrt(pv_truth_mu(t, (uint32_t)i) / t->mu);
        for (size_t k = 0; k < D; k++) {
            double v = deviation *
                       pv_random_normal(t->options.seed, PV_DRAW_VECTORS, i * t->dim + k);
            B[i * t->dim + k] = v;
            t->vectors[i * D + k] = (float)v;
        }
    }
}

/* Stores the scaling in the last two dimensions (symmetric form) or in the residuals. */
static void place_scaling(pv_truth *t, double *B)
{
    if (t->options.form == PSDVEC_FORM_PSD)
        return; /* `before` and `after` already hold it as residuals */
    for (size_t i = 0; i < t->words; i++) {
        double both = (t->before[i] + t->after[i]) / 2, odd = (t->before[i] - t->after[i]) / 2;
        B[i * t->dim + t->dim - 2] = (both + 1) * M_SQRT1_2;
        B[i * t->dim + t->dim - 1] = (both - 1) * M_SQRT1_2;
        t->before[i] = t->residuals ? odd : 0;
        t->after[i] = t->residuals ? -odd : 0;
    }
}

typedef struct chain_job {
    pv_truth *truth;
    double *entropy; /* n: of the words after each word */
} chain_job;

/* Computes the sums of tiles after each word of a row block, and the entropy of the next word. */
static psdvec_status prepare_rows(void *arg, size_t task, int worker)
{
    (void)worker;
    chain_job *job = arg;
    pv_truth *t = job->truth;
    for (uint32_t i = (uint32_t)task * ROWS; i < t->words && i < (task + 1) * ROWS; i++) {
        const float *row = t->table + (size_t)i * t->stride;
        double *ends = t->ends + (size_t)i * t->tiles, sum = 0;
        pv_sample_ends(t->p, &row, 1, t->tiles, ends);
        double all = ends[t->tiles - 1];
        for (uint32_t j = 0; j < t->words; j++) {
            double weight = (double)(t->p[j] * row[j]) / all;
            sum -= weight > 0 ? weight * log(weight) : 0;
        }
        job->entropy[i] = sum;
    }
    return PSDVEC_OK;
}

/* For a window of 1 all distributions are computed in advance. */
static psdvec_status prepare_chain(pv_truth *t)
{
    pv_sample_ends(t->p, NULL, 0, t->tiles, t->start);
    t->entropy_rate = NAN;
    if (t->options.window != 1)
        return PSDVEC_OK;
    chain_job job = {.truth = t};
    PV_TAKE(&t->memory, job.entropy, t->words);
    PV_TAKE(&t->memory, t->ends, t->words * t->tiles);
    PV_TRY(pv_scope_status(&t->memory));
    PV_TRY(pv_parallel_tasks(t->ctx, blocks_of(t->words, ROWS), prepare_rows, &job));
    t->entropy_rate = 0;
    for (uint32_t i = 0; i < t->words; i++)
        t->entropy_rate += t->unigram[i] * job.entropy[i];
    pv_scope_drop(&t->memory, job.entropy);
    return PSDVEC_OK;
}

static psdvec_status make_with(pv_truth *t, double *B, float *signs)
{
    make_unigrams(t);
    find_cut(t);
    bool symmetric = t->options.form == PSDVEC_FORM_SYMMETRIC;
    for (uint32_t k = 0; k < t->dim; k++) /* the symmetric form makes half of them negative */
        signs[k] = symmetric && (k == t->dim - 1 || (k % 2 && k != t->dim - 2)) ? -1 : 1;
    draw_vectors(t, B);
    t->residuals = t->options.residual > 0;
    PV_TRY(fill_table(t, t->vectors, drawn_dim(t), signs));
    /* Until now pv_truth_residuals() has used no scaling. */
    PV_TRY(scale_to_margins(t, t->before, t->after));
    t->residuals |= t->options.form == PSDVEC_FORM_PSD;
    place_scaling(t, B);
    PV_TRY(turn_to_axes(t->ctx, B, signs, t->words, t->dim, t->vectors, t->eigenvalues));
    for (uint32_t k = 0; k < t->dim; k++)
        signs[k] = t->eigenvalues[k] < 0 ? -1 : 1;
    PV_TRY(fill_table(t, t->vectors, t->dim, signs));
    return prepare_chain(t);
}

static psdvec_status take_memory(pv_truth *t)
{
    size_t n = t->words;
    PV_TAKE(&t->memory, t->unigram, n);
    PV_TAKE_ZERO(&t->memory, t->p, t->stride);
    PV_TAKE(&t->memory, t->vectors, n * t->dim);
    PV_TAKE(&t->memory, t->eigenvalues, t->dim);
    PV_TAKE_ZERO(&t->memory, t->before, n);
    PV_TAKE_ZERO(&t->memory, t->after, n);
    PV_TAKE(&t->memory, t->start, t->tiles);
    t->memory.what = "the table of all pairs of words (fewer words need less)";
    PV_TAKE_ZERO(&t->memory, t->table, n * t->stride);
    return pv_scope_status(&t->memory);
}

psdvec_status pv_truth_make(psdvec_context *ctx, const psdvec_simulate_options *options,
                            pv_truth *t)
{
    psdvec_status status;
    pv_scope scope = {.ctx = ctx, .what = "vectors"};
    *t = (pv_truth){.ctx = ctx,
                    .memory = scope,
                    .options = *options,
                    .words = options->vocab,
                    .dim = options->dim};
    t->tiles = blocks_of(t->words, PV_SAMPLE_TILE);
    t->stride = t->tiles * PV_SAMPLE_TILE;
    double *B;
    float *signs;
    PV_TAKE(&scope, B, (size_t)t->words * t->dim);
    PV_TAKE(&scope, signs, t->dim);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(take_memory(t));
    status = make_with(t, B, signs);
done:
    pv_scope_free(&scope);
    return status;
}

void pv_truth_drop_table(pv_truth *t)
{
    pv_scope_drop(&t->memory, t->table);
    pv_scope_drop(&t->memory, t->ends);
    t->table = NULL;
    t->ends = NULL;
}

void pv_truth_free(pv_truth *t)
{
    pv_scope_free(&t->memory);
    *t = (pv_truth){0};
}
