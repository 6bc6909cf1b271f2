/* GloVe: Pennington, Socher and Manning, "GloVe: global vectors for word representation", EMNLP
 * 2014.
 *
 * Vectors w, c and biases b, b' of words and contexts that minimise, over all pairs seen together,
 *
 *     sum of f(x_ij) (w_i . c_j + b_i + b'_j - log x_ij)^2,    f(x) = min(1, (x / x_max)^alpha),
 *
 * by AdaGrad, one cell at a time. What the paper leaves open is as in the authors' program as it
 * stands today: squares begin with 1 and take up steps, rate included; gradients of vectors are
 * clipped; biases have neither rate nor clipping; a word's vector is the sum of its two.
 *
 * An epoch costs about 20 flops for each number of each cell, and reads and writes the four rows of
 * a cell; glove_cells.h says in which order, and why the number of threads does not matter.
 * Memory: 16 bytes for each number of each word, and 12 bytes a cell.
 */
#include "baseline/glove.h"

#include "base/random.h"
#include "base/thread.h"
#include "baseline/baseline.h"
#include "baseline/cooccurrence.h"

#include <math.h>
#include <string.h>

enum {
    START = 0x676c6f76, /* purpose of random numbers */
    ROWS_A_TASK = 256,
    CELLS_A_REPORT = 1 << 16 /* after so many, progress is told and a wish to stop heard */
};

/* ---- Rows ---------------------------------------------------------------------------------------- */

static size_t row_bytes(uint32_t dim)
{
    return pv_glove_shape_of(dim, 0).stride * sizeof(float);
}

uint64_t pv_glove_bytes(uint32_t words, uint32_t dim)
{
    return 2 * (uint64_t)words * row_bytes(dim);
}

/* Row r of words and contexts together. */
static void start_row(const pv_glove *g, uint64_t r, float *row)
{
    uint64_t seed = g->ctx->options.seed, first = r * ((uint64_t)g->dim + 1);
    memset(row, 0, g->shape.stride * sizeof *row);
    for (size_t k = 0; k <= g->dim; k++) {
        float *to = k < g->dim ? row + k : row + 2 * g->shape.padded;
        *to = (float)((pv_random_unit(seed, START, first + k) - 0.5) / g->dim);
    }
}

static psdvec_status start_rows(void *arg, size_t task, int worker)
{
    const pv_glove *g = arg;
    (void)worker;
    for (uint32_t i = (uint32_t)task * ROWS_A_TASK; i < g->words && i / ROWS_A_TASK == task; i++) {
        start_row(g, i, g->word + i * g->shape.stride);
        start_row(g, (uint64_t)g->words + i, g->context + i * g->shape.stride);
    }
    return PSDVEC_OK;
}

psdvec_status pv_glove_open(const pv_glove_cells *cells, uint32_t dim, double rate, pv_glove *g)
{
    psdvec_context *ctx = cells->ctx;
    const pv_strata *strata = &cells->strata;
    *g = (pv_glove){.ctx = ctx,
                    .memory = {.ctx = ctx, .what = "the vectors"},
                    .cells = cells,
                    .steps = pv_glove_steps_best(),
                    .shape = pv_glove_shape_of(dim, rate),
                    .words = strata->words,
                    .dim = dim};
    size_t numbers;
    if (!pv_mul(g->words, g->shape.stride, &numbers))
        numbers = SIZE_MAX;
    PV_TAKE(&g->memory, g->word, numbers);
    PV_TAKE(&g->memory, g->context, numbers);
    PV_TAKE(&g->memory, g->cost, (size_t)strata->blocks * strata->blocks);
    PV_TRY(pv_scope_status(&g->memory));
    return pv_parallel_tasks(ctx, ((size_t)g->words + ROWS_A_TASK - 1) / ROWS_A_TASK, start_rows,
                             g);
}

void pv_glove_close(pv_glove *g)
{
    pv_scope_free(&g->memory);
    *g = (pv_glove){0};
}

/* ---- An epoch -------------------------------------------------------------------------------------- */

/* Says nothing of the word, so that it is the same sentence however many workers there are. */
static psdvec_status not_finite(const pv_glove *g)
{
    return pv_fail(g->ctx, PSDVEC_ERR_NUMERIC,
                   "the steps of glove lead to numbers that are not finite; a rate below %g "
                   "(`rate`) may help",
                   (double)g->shape.rate);
}

static psdvec_status run_tile(pv_glove *g, const pv_glove_tile *tile, double *cost)
{
    const pv_glove_cells *cells = g->cells;
    size_t stride = g->shape.stride, unheard = 0;
    const pv_glove_cell *cell = cells->cell + tile[0].cell;
    for (uint64_t s = tile[0].stretch; s < tile[1].stretch; s++) {
        const pv_glove_stretch *stretch = &cells->stretch[s];
        *cost += g->steps(&g->shape, g->word + stretch->word * stride, g->context, cell,
                          stretch->count, g->word + stretch[1].word * stride);
        cell += stretch->count;
        unheard += stretch->count;
        if (unheard < CELLS_A_REPORT && s + 1 < tile[1].stretch)
            continue;
        if (!isfinite(*cost))
            return not_finite(g);
        pv_progress_add(&g->progress, unheard);
        unheard = 0;
        if (pv_stopping(g->ctx))
            return pv_check_cancel(g->ctx);
    }
    return PSDVEC_OK;
}

static psdvec_status run_stratum(void *arg, uint32_t p, uint32_t q, int worker)
{
    pv_glove *g = arg;
    const pv_glove_cells *cells = g->cells;
    size_t stratum = (size_t)p * cells->strata.blocks + q;
    double cost = 0;
    (void)worker;
    for (size_t t = 0; t < cells->tiles; t++)
        PV_TRY(run_tile(g, cells->tile + stratum * cells->tiles + t, &cost));
    g->cost[stratum] = cost;
    return PSDVEC_OK;
}

psdvec_status pv_glove_epoch(pv_glove *g, uint32_t epoch, double *loss)
{
    const pv_strata *strata = &g->cells->strata;
    PV_TRY(pv_strata_run(strata, epoch, run_stratum, g));
    double sum = 0;
    for (size_t s = 0; s < (size_t)strata->blocks * strata->blocks; s++)
        sum += g->cost[s];
    *loss = sum / (double)g->cells->count;
    return PSDVEC_OK;
}

/* A row of vectors is shorter than a row here, so one that is moved to the front never covers one
 * that is still to come. */
psdvec_status pv_glove_vectors(pv_glove *g, bool add_contexts, const float **vectors)
{
    size_t stride = g->shape.stride, dim = g->dim;
    for (size_t i = 0; i < g->words; i++) {
        const float *word = g->word + i * stride, *context = g->context + i * stride;
        float *to = g->word + i * dim;
        bool finite = true;
        for (size_t k = 0; k < dim; k++) {
            to[k] = add_contexts ? word[k] + context[k] : word[k];
            finite = finite && isfinite(to[k]);
        }
        if (!finite)
            return not_finite(g);
    }
    *vectors = g->word;
    return PSDVEC_OK;
}

/* ---- A run ---------------------------------------------------------------------------------------- */

static psdvec_status run_epochs(pv_baseline_run *run, pv_glove *g)
{
    psdvec_baseline_report *report = run->report;
    const pv_learnt_rows learnt = {
        .words = g->words, .stride = g->shape.stride, .rows = {g->word, g->context}};
    uint32_t epochs = run->options->epochs;
    PV_TRY(pv_epochs_load(run, &learnt));
    report->pairs = g->cells->count;
    pv_progress_begin(&g->progress, run->ctx, "training", "pairs",
                      g->cells->count * (epochs - report->epochs));
    g->progress.objective = report->loss;
    while (report->epochs < epochs) {
        PV_TRY(pv_glove_epoch(g, report->epochs, &report->loss));
        report->epochs++;
        g->progress.objective = report->loss;
        pv_step(run->ctx, "epoch %u of %u: loss %.6g", report->epochs, epochs, report->loss);
        PV_TRY(pv_epochs_save(run, &learnt));
    }
    pv_progress_end(&g->progress);
    return PSDVEC_OK;
}

/* Before any work. What is large beside the rows may lie in files. */
static psdvec_status check_memory(const pv_baseline_run *run, uint32_t words)
{
    enum { BESIDES = 256 }; /* of a word: blocks, places, margins */
    uint32_t dim = run->options->dim;
    double mebibyte = 1024.0 * 1024.0, left = (double)pv_memory_left(run->ctx);
    double least = (double)pv_glove_bytes(words, dim) + (double)words * BESIDES + mebibyte;
    if (least <= left)
        return PSDVEC_OK;
    return pv_fail(
        run->ctx, PSDVEC_ERR_BUDGET,
        "glove needs at least %.0f MiB of memory for %u words with %u dimensions, and "
        "the budget has %.1f MiB left; give `memory=%.0fM`, or fewer dimensions (`dim`), "
        "or fewer words (`min_count`)",
        ceil(least / mebibyte), words, dim, left / mebibyte,
        ceil(((double)run->ctx->options.memory - left + least) / mebibyte));
}

psdvec_status pv_baseline_glove(pv_baseline_run *run, const psdvec_counts *counts)
{
    psdvec_context *ctx = run->ctx;
    const psdvec_baseline_options *o = run->options;
    uint32_t n = counts->info.words;
    pv_cooccurrence pairs = {0};
    pv_glove_cells cells = {0};
    pv_glove g = {0};
    psdvec_status status;
    PV_TRY_DONE(check_memory(run, n));
    uint64_t rows = pv_glove_bytes(n, o->dim);
    uint64_t most = 2 * counts->info.bigrams * sizeof(pv_glove_cell);
    PV_TRY_DONE(pv_cooccurrence_make(ctx, counts, run->output, rows + most, &pairs));
    PV_TRY_DONE(pv_glove_cells_make(&pairs.matrix, o->glove_max, o->glove_power, row_bytes(o->dim),
                                    ctx->options.seed, run->output, rows, &cells));
    pv_cooccurrence_free(&pairs);
    PV_TRY_DONE(pv_glove_open(&cells, o->dim, o->rate, &g));
    PV_TRY_DONE(run_epochs(run, &g));
    const float *vectors;
    PV_TRY_DONE(pv_glove_vectors(&g, o->add_contexts, &vectors));
    status = pv_baseline_write(run, o->dim, vectors, NULL);
done:
    pv_glove_close(&g);
    pv_glove_cells_free(&cells);
    pv_cooccurrence_free(&pairs);
    return status;
}
