/* GloVe: Pennington, Socher and Manning, "GloVe: global vectors for word representation", EMNLP
 * 2014.
 *
 * Vectors w, c and biases b, b' of words and contexts that minimise, over all pairs that co-occur,
 *
 *     sum of f(x_ij) (w_i . c_j + b_i + b'_j - log x_ij)^2,    f(x) = min(1, (x / x_max)^alpha),
 *
 * by AdaGrad, one cell at a time. Where the paper leaves details open, this follows the current
 * version of the authors' program: sums of squares start at 1 and accumulate squared steps
 * including the learning rate; gradients of vectors are clipped; biases use neither learning rate
 * nor clipping; a word's vector is the sum of its two vectors.
 *
 * An epoch costs about 20 flops per cell and dimension, and reads and writes the four rows of a
 * cell; glove.h describes the order of the cells, and why the number of threads does not affect the
 * result. Memory: 16 bytes per word and dimension, and 12 bytes per cell.
 *
 * In a group of processes, each member has the cells of its blocks of words, and the rows of the
 * contexts move from member to member (strata.h). The leader collects all rows after each epoch.
 */
#include "baseline/glove.h"

#include "base/group.h"
#include "base/random.h"
#include "base/thread.h"
#include "baseline/baseline.h"
#include "baseline/cooccurrence.h"
#include "baseline/noise.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    START = 0x676c6f76, /* purposes of random numbers */
    ORDER_OF_WORDS = 0x676c6f77,
    ORDER_OF_CELLS = 0x676c6f63,
    TILE_BYTES = 6 << 20, /* rows of contexts that should stay in the cache */
    MOST_TILES = 16,      /* maximum number of tiles per block */
    ROWS_A_TASK = 256,
    CELLS_A_REPORT = 1 << 16 /* cells between progress reports and checks for cancellation */
};

/* ---- The cells: counted per tile in one pass over the rows, filled in by a second one ------ */

typedef struct cells_job {
    pv_glove_cells *cells;
    pv_scope memory;
    pv_csr_store *pairs;
    double x_max, power;
    uint64_t seed;
    uint16_t *tile;  /* words: tile of the context, numbered over all blocks */
    uint32_t *order; /* words: as strata.members, shuffled within each block */
    uint32_t tiles;  /* of all blocks */
    bool fill;       /* false: only count */
} cells_job;

/* Also permutes `value` in the same way, if it is not NULL. */
static void shuffle(uint32_t *word, float *value, size_t count, pv_random_stream stream)
{
    for (size_t k = count; k > 1; k--) {
        size_t other = pv_below((uint32_t)(pv_random_next(&stream) >> 32), (uint32_t)k);
        uint32_t w = word[k - 1];
        word[k - 1] = word[other];
        word[other] = w;
        if (value) {
            float v = value[k - 1];
            value[k - 1] = value[other];
            value[other] = v;
        }
    }
}

/* ---- Assigning tiles ----------------------------------------------------------------------- */

psdvec_status pv_glove_choose(void *self, uint64_t *entries, uint32_t rows)
{
    pv_glove_cells *cells = self;
    psdvec_context *ctx = cells->ctx;
    uint32_t blocks = pv_strata_blocks(rows), first, end;
    double *work = pv_alloc(ctx, rows, sizeof *work, "blocks of words");
    if (!work)
        return pv_failure(ctx);
    for (uint32_t i = 0; i < rows; i++) {
        work[i] = (double)entries[i];
        cells->all += entries[i];
    }
    psdvec_status status = pv_strata_make(ctx, rows, work, blocks, &cells->strata);
    pv_free(ctx, work);
    PV_TRY(status);
    pv_strata_share(ctx, blocks, pv_group_rank(ctx), &first, &end);
    for (uint32_t i = 0; i < rows; i++)
        if (cells->strata.block[i] < first || cells->strata.block[i] >= end)
            entries[i] = 0;
    return PSDVEC_OK;
}

/* Divides the contexts of a block into tiles of about the same number. */
static psdvec_status divide_blocks(cells_job *job, size_t row_bytes)
{
    pv_glove_cells *cells = job->cells;
    const pv_strata *strata = &cells->strata;
    uint64_t block = (uint64_t)strata->words / strata->blocks * row_bytes;
    uint64_t tiles = block / TILE_BYTES + 1;
    cells->tiles = (uint32_t)(tiles < MOST_TILES ? tiles : MOST_TILES);
    job->tiles = strata->blocks * cells->tiles;
    PV_TAKE(&job->memory, job->tile, strata->words);
    PV_TAKE(&job->memory, job->order, strata->words);
    PV_TAKE_ZERO(&cells->memory, cells->tile, (size_t)strata->blocks * job->tiles + 1);
    PV_TRY(pv_scope_status(&job->memory));
    PV_TRY(pv_scope_status(&cells->memory));
    for (uint32_t b = 0; b < strata->blocks; b++) {
        uint32_t first = strata->start[b], count = strata->start[b + 1] - first;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t part = (uint32_t)((uint64_t)k * cells->tiles / count);
            job->tile[strata->members[first + k]] = (uint16_t)(b * cells->tiles + part);
            job->order[first + k] = strata->members[first + k];
        }
        pv_random_stream stream = {pv_random_u64(job->seed, ORDER_OF_WORDS, b)};
        shuffle(job->order + first, NULL, count, stream);
    }
    return PSDVEC_OK;
}

/* ---- Counting the cells of each tile ------------------------------------------------------- */

/* Counts the cells of a row in each tile. */
static void count_row(const cells_job *job, uint32_t i, uint32_t *in_tile)
{
    const pv_csr_store *pairs = job->pairs;
    for (uint32_t t = 0; t < job->tiles; t++)
        in_tile[t] = 0;
    for (uint64_t e = pairs->begin[i]; e < pairs->begin[i + 1]; e++)
        in_tile[job->tile[pairs->column[e]]]++;
}

/* Converts sizes to offsets. */
static pv_glove_tile place_tiles(pv_glove_tile *tile, size_t count)
{
    pv_glove_tile at = {0, 0};
    for (size_t t = 0; t <= count; t++) {
        pv_glove_tile size = tile[t];
        tile[t] = at;
        at.cell += size.cell;
        at.range += size.range;
    }
    return at;
}

/* ---- Filling in ------------------------------------------------------------------------------ */

/* Fills in a row whose cells in each tile were counted. */
static void fill_row(const cells_job *job, uint32_t i, pv_glove_tile *next, const uint32_t *in_tile)
{
    pv_glove_cells *cells = job->cells;
    pv_csr_store *pairs = job->pairs;
    uint64_t first = pairs->begin[i];
    uint32_t *column = pairs->column + first;
    float *value = pairs->value + first;
    size_t count = (size_t)(pairs->begin[i + 1] - first);
    for (uint32_t t = 0; t < job->tiles; t++)
        if (in_tile[t] > 0)
            cells->range[next[t].range++] = (pv_glove_range){i, in_tile[t]};
    shuffle(column, value, count, (pv_random_stream){pv_random_u64(job->seed, ORDER_OF_CELLS, i)});
    for (size_t e = 0; e < count; e++) {
        double x = value[e] > FLT_MIN ? (double)value[e] : (double)FLT_MIN;
        double weight = x < job->x_max ? pow(x / job->x_max, job->power) : 1;
        cells->cell[next[job->tile[column[e]]].cell++] =
            (pv_glove_cell){column[e], (float)log(x), (float)weight};
    }
}

/* Handles one block of words: counts the cells of its tiles or, when the offsets are known, fills
 * them in. */
static psdvec_status take_block(void *arg, size_t task, int worker)
{
    cells_job *job = arg;
    const pv_strata *strata = &job->cells->strata;
    psdvec_context *ctx = job->cells->ctx;
    pv_glove_tile *tile = job->cells->tile + task * job->tiles, *next;
    pv_scope scope = {.ctx = ctx, .what = "blocks of words"};
    uint32_t *in_tile;
    PV_TAKE(&scope, in_tile, job->tiles);
    PV_TAKE(&scope, next, job->tiles);
    psdvec_status status;
    (void)worker;
    PV_TRY_DONE(pv_scope_status(&scope));
    memcpy(next, tile, job->tiles * sizeof *next);
    for (uint32_t k = strata->start[task]; k < strata->start[task + 1]; k++) {
        count_row(job, job->order[k], in_tile);
        if (job->fill)
            fill_row(job, job->order[k], next, in_tile);
        for (uint32_t t = 0; t < job->tiles && !job->fill; t++) {
            tile[t].cell += in_tile[t];
            tile[t].range += in_tile[t] > 0;
        }
        if (k % 64 == 0)
            PV_TRY_DONE(pv_check_cancel(ctx));
    }
done:
    pv_scope_free(&scope);
    return status;
}

static psdvec_status reserve_cells(pv_glove_cells *cells, uint64_t ranges, const char *output,
                                   uint64_t besides)
{
    psdvec_context *ctx = cells->ctx;
    uint64_t bytes = cells->count * sizeof *cells->cell + ranges * sizeof *cells->range + 4096;
    bool spill = pv_large_spills(ctx, bytes, besides);
    char *folder = pv_folder_of(output);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "no memory for a path");
    psdvec_status status;
    PV_TRY_DONE(pv_large_alloc(ctx, cells->count + 1, sizeof *cells->cell, folder, spill,
                               "pairs of words", &cells->cell_memory));
    PV_TRY_DONE(pv_large_alloc(ctx, ranges + 1, sizeof *cells->range, folder, spill,
                               "pairs of words", &cells->range_memory));
    cells->cell = cells->cell_memory.data;
    cells->range = cells->range_memory.data;
    if (spill)
        pv_note(ctx,
                "the pairs do not fit into the memory limit and are kept in a temporary file "
                "of %.0f MB",
                (double)bytes / 1e6);
done:
    free(folder);
    return status;
}

psdvec_status pv_glove_cells_make(pv_csr_store *pairs, double x_max, double power, size_t row_bytes,
                                  uint64_t seed, const char *output, uint64_t besides,
                                  pv_glove_cells *cells)
{
    psdvec_context *ctx = pairs->ctx;
    cells->memory = (pv_scope){.ctx = ctx, .what = "blocks of words"};
    cells->count = pairs->begin[pairs->rows];
    cells_job job = {.cells = cells,
                     .memory = cells->memory,
                     .pairs = pairs,
                     .x_max = x_max,
                     .power = power,
                     .seed = seed};
    psdvec_status status;
    PV_TRY_DONE(divide_blocks(&job, row_bytes));
    uint32_t blocks = cells->strata.blocks;
    PV_TRY_DONE(pv_parallel_tasks(ctx, blocks, take_block, &job));
    pv_glove_tile end = place_tiles(cells->tile, (size_t)blocks * job.tiles);
    PV_TRY_DONE(reserve_cells(cells, end.range, output, besides));
    job.fill = true;
    status = pv_parallel_tasks(ctx, blocks, take_block, &job);
done:
    pv_scope_free(&job.memory);
    return status;
}

void pv_glove_cells_free(pv_glove_cells *cells)
{
    if (!cells->ctx)
        return;
    pv_strata_free(&cells->strata);
    pv_scope_free(&cells->memory);
    pv_large_free(cells->ctx, &cells->range_memory);
    pv_large_free(cells->ctx, &cells->cell_memory);
    *cells = (pv_glove_cells){0};
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static size_t row_bytes(uint32_t dim)
{
    return pv_glove_shape_of(dim, 0).stride * sizeof(float);
}

uint64_t pv_glove_bytes(uint32_t words, uint32_t dim)
{
    return 2 * (uint64_t)words * row_bytes(dim);
}

/* Initialises row r of words and contexts together. */
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
    g->contexts = (pv_strata_rows){.strata = strata, .rows = g->context, .stride = g->shape.stride};
    return pv_parallel_tasks(ctx, ((size_t)g->words + ROWS_A_TASK - 1) / ROWS_A_TASK, start_rows,
                             g);
}

void pv_glove_close(pv_glove *g)
{
    pv_strata_rows_free(&g->contexts);
    pv_scope_free(&g->memory);
    *g = (pv_glove){0};
}

/* ---- An epoch -------------------------------------------------------------------------------- */

/* The message does not name the word, so that it is the same for any number of workers. */
static psdvec_status not_finite(const pv_glove *g)
{
    return pv_fail(g->ctx, PSDVEC_ERR_NUMERIC,
                   "the training of glove diverges; a learning rate below %g (`rate`) may help",
                   (double)g->shape.rate);
}

static psdvec_status run_tile(pv_glove *g, const pv_glove_tile *tile, double *cost)
{
    const pv_glove_cells *cells = g->cells;
    size_t stride = g->shape.stride, unheard = 0;
    const pv_glove_cell *cell = cells->cell + tile[0].cell;
    for (uint64_t s = tile[0].range; s < tile[1].range; s++) {
        const pv_glove_range *range = &cells->range[s];
        *cost += g->steps(&g->shape, g->word + range->word * stride, g->context, cell, range->count,
                          g->word + range[1].word * stride);
        cell += range->count;
        unheard += range->count;
        if (unheard < CELLS_A_REPORT && s + 1 < tile[1].range)
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

/* The costs of the strata of other members. */
static psdvec_status share_costs(pv_glove *g)
{
    psdvec_context *ctx = g->ctx;
    uint32_t blocks = g->cells->strata.blocks, own, own_end, first, end;
    size_t row = blocks * sizeof *g->cost;
    pv_strata_share(ctx, blocks, pv_group_rank(ctx), &own, &own_end);
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    for (uint32_t r = 0; r < pv_group_members(ctx); r++) {
        pv_strata_share(ctx, blocks, r, &first, &end);
        pv_group_send(ctx, r, g->cost + (size_t)own * blocks, (own_end - own) * row);
        pv_group_receive(ctx, r, g->cost + (size_t)first * blocks, (end - first) * row);
    }
    return pv_group_move(ctx);
}

psdvec_status pv_glove_epoch(pv_glove *g, uint32_t epoch, double *loss)
{
    const pv_strata *strata = &g->cells->strata;
    if (pv_group_shares(g->ctx)) {
        PV_TRY(pv_strata_run_shared(&g->contexts, epoch, run_stratum, g));
        PV_TRY(share_costs(g));
        PV_TRY(pv_strata_collect(&g->contexts, g->word));
    } else {
        PV_TRY(pv_strata_run(strata, epoch, run_stratum, g));
    }
    double sum = 0;
    for (size_t s = 0; s < (size_t)strata->blocks * strata->blocks; s++)
        sum += g->cost[s];
    *loss = sum / (double)g->cells->all;
    return PSDVEC_OK;
}

/* A row of vectors is shorter than a row here, so moving one to the front never overwrites one that
 * has not been moved. */
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

/* ---- A run ----------------------------------------------------------------------------------- */

static psdvec_status run_epochs(pv_baseline_run *run, pv_glove *g)
{
    psdvec_baseline_report *report = run->report;
    const pv_learnt_rows learnt = {
        .words = g->words, .stride = g->shape.stride, .rows = {g->word, g->context}};
    uint32_t epochs = run->options->epochs;
    PV_TRY(pv_epochs_load(run, &learnt));
    report->pairs = g->cells->all;
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

/* Checks the memory before any work. The large arrays other than the rows may be in files. */
static psdvec_status check_memory(const pv_baseline_run *run, uint32_t words)
{
    enum { BESIDES = 256 }; /* bytes per word: blocks, positions, margins */
    uint32_t dim = run->options->dim;
    double mebibyte = 1024.0 * 1024.0, left = (double)pv_memory_left(run->ctx);
    double least = (double)pv_glove_bytes(words, dim) + (double)words * BESIDES + mebibyte +
                   (double)pv_strata_rows_bytes(run->ctx, words, row_bytes(dim) / sizeof(float));
    if (least <= left)
        return PSDVEC_OK;
    return pv_fail(
        run->ctx, PSDVEC_ERR_BUDGET,
        "glove needs at least %.0f MiB of memory for %u words with %u dimensions, and %.1f MiB of "
        "the limit are left; set `memory=%.0fM`, or use fewer dimensions (`dim`) or fewer words "
        "(`min_count`)",
        ceil(least / mebibyte), words, dim, left / mebibyte,
        ceil(((double)run->ctx->options.memory - left + least) / mebibyte));
}

psdvec_status pv_baseline_glove(pv_baseline_run *run, const psdvec_counts *counts)
{
    psdvec_context *ctx = run->ctx;
    const psdvec_baseline_options *o = run->options;
    uint32_t n = counts->info.words;
    pv_cooccurrence pairs = {0};
    pv_glove_cells cells = {.ctx = ctx};
    pv_glove g = {0};
    const pv_cooccurrence_part part = {.choose = pv_glove_choose, .self = &cells};
    psdvec_status status;
    PV_TRY_DONE(check_memory(run, n));
    uint64_t rows = pv_glove_bytes(n, o->dim) +
                    pv_strata_rows_bytes(ctx, n, row_bytes(o->dim) / sizeof(float));
    uint64_t most = 2 * counts->info.bigrams * sizeof(pv_glove_cell) / pv_group_members(ctx);
    PV_TRY_DONE(pv_cooccurrence_make(ctx, counts, &part, run->output, rows + most, &pairs));
    PV_TRY_DONE(pv_glove_cells_make(&pairs.matrix, o->glove_max, o->glove_power, row_bytes(o->dim),
                                    ctx->options.seed, run->output, rows, &cells));
    pv_cooccurrence_free(&pairs);
    PV_TRY_DONE(pv_glove_open(&cells, o->dim, o->rate, &g));
    PV_TRY_DONE(run_epochs(run, &g));
    const float *vectors = NULL;
    if (pv_group_leads(ctx))
        PV_TRY_DONE(pv_glove_vectors(&g, o->add_contexts, &vectors));
    status = pv_baseline_write(run, o->dim, vectors, NULL);
done:
    pv_glove_close(&g);
    pv_glove_cells_free(&cells);
    pv_cooccurrence_free(&pairs);
    return status;
}
