/* Arranging the cells: once through the rows to count what each tile gets, once to fill it in. */
#include "baseline/glove_cells.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/thread.h"
#include "baseline/noise.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
    TILE_BYTES = 6 << 20,        /* rows of contexts that shall stay in the cache */
    MOST_TILES = 16,             /* of a block */
    ORDER_OF_WORDS = 0x676c6f77, /* purposes of random numbers */
    ORDER_OF_CELLS = 0x676c6f63
};

typedef struct cells_job {
    pv_glove_cells *cells;
    pv_scope memory;
    pv_csr_store *pairs;
    double x_max, power;
    uint64_t seed;
    uint16_t *tile;  /* words: of the context, in all blocks together */
    uint32_t *order; /* words: as strata.members, shuffled in each block */
    uint32_t tiles;  /* of all blocks */
} cells_job;

/* ---- Chance ---------------------------------------------------------------------------------- */
static void shuffle_words(uint32_t *words, size_t count, pv_random_stream stream)
{
    for (size_t k = count; k > 1; k--) {
        size_t other = pv_below((uint32_t)(pv_random_next(&stream) >> 32), (uint32_t)k);
        uint32_t word = words[k - 1];
        words[k - 1] = words[other];
        words[other] = word;
    }
}

static void shuffle_row(uint32_t *column, float *value, size_t count, pv_random_stream stream)
{
    for (size_t k = count; k > 1; k--) {
        size_t other = pv_below((uint32_t)(pv_random_next(&stream) >> 32), (uint32_t)k);
        uint32_t c = column[k - 1];
        float v = value[k - 1];
        column[k - 1] = column[other];
        value[k - 1] = value[other];
        column[other] = c;
        value[other] = v;
    }
}

/* ---- Which tile -------------------------------------------------------------------------------- */

static psdvec_status make_strata(const pv_csr_store *pairs, pv_glove_cells *cells)
{
    psdvec_context *ctx = cells->ctx;
    double *work = pv_alloc(ctx, pairs->rows, sizeof *work, "blocks of words");
    if (!work)
        return pv_failure(ctx);
    for (uint32_t i = 0; i < pairs->rows; i++)
        work[i] = (double)(pairs->begin[i + 1] - pairs->begin[i]);
    psdvec_status status =
        pv_strata_make(ctx, pairs->rows, work, pv_strata_blocks(pairs->rows), &cells->strata);
    pv_free(ctx, work);
    return status;
}

/* The contexts of a block in parts of about the same number. */
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
        shuffle_words(job->order + first, count, stream);
    }
    return PSDVEC_OK;
}

/* ---- What a tile gets ---------------------------------------------------------------------------- */

/* The cells of a row in each tile. */
static void count_row(const cells_job *job, uint32_t i, uint32_t *in_tile)
{
    const pv_csr_store *pairs = job->pairs;
    for (uint32_t t = 0; t < job->tiles; t++)
        in_tile[t] = 0;
    for (uint64_t e = pairs->begin[i]; e < pairs->begin[i + 1]; e++)
        in_tile[job->tile[pairs->column[e]]]++;
}

/* For one block of words: sizes of its tiles, as long as where they begin is not known. */
static psdvec_status count_block(void *arg, size_t task, int worker)
{
    cells_job *job = arg;
    const pv_strata *strata = &job->cells->strata;
    psdvec_context *ctx = job->cells->ctx;
    pv_glove_tile *tile = job->cells->tile + task * job->tiles;
    uint32_t *in_tile = pv_alloc(ctx, job->tiles, sizeof *in_tile, "blocks of words");
    psdvec_status status = in_tile ? PSDVEC_OK : pv_failure(ctx);
    (void)worker;
    for (uint32_t k = strata->start[task]; k < strata->start[task + 1] && !status; k++) {
        count_row(job, strata->members[k], in_tile);
        for (uint32_t t = 0; t < job->tiles; t++) {
            tile[t].cell += in_tile[t];
            tile[t].stretch += in_tile[t] > 0;
        }
        if (k % 64 == 0)
            status = pv_check_cancel(ctx);
    }
    pv_free(ctx, in_tile);
    return status;
}

/* From sizes to places. */
static pv_glove_tile place_tiles(pv_glove_tile *tile, size_t count)
{
    pv_glove_tile at = {0, 0};
    for (size_t t = 0; t <= count; t++) {
        pv_glove_tile size = tile[t];
        tile[t] = at;
        at.cell += size.cell;
        at.stretch += size.stretch;
    }
    return at;
}

/* ---- Filling in ------------------------------------------------------------------------------------ */

static pv_glove_cell make_cell(const cells_job *job, uint32_t context, float value)
{
    double x = value > FLT_MIN ? (double)value : (double)FLT_MIN;
    double weight = x < job->x_max ? pow(x / job->x_max, job->power) : 1;
    return (pv_glove_cell){context, (float)log(x), (float)weight};
}

static void fill_row(const cells_job *job, uint32_t i, pv_glove_tile *next, uint32_t *in_tile)
{
    pv_glove_cells *cells = job->cells;
    pv_csr_store *pairs = job->pairs;
    uint64_t first = pairs->begin[i];
    uint32_t *column = pairs->column + first;
    float *value = pairs->value + first;
    size_t count = (size_t)(pairs->begin[i + 1] - first);
    count_row(job, i, in_tile);
    for (uint32_t t = 0; t < job->tiles; t++)
        if (in_tile[t] > 0)
            cells->stretch[next[t].stretch++] = (pv_glove_stretch){i, in_tile[t]};
    shuffle_row(column, value, count,
                (pv_random_stream){pv_random_u64(job->seed, ORDER_OF_CELLS, i)});
    for (size_t e = 0; e < count; e++)
        cells->cell[next[job->tile[column[e]]].cell++] = make_cell(job, column[e], value[e]);
}

static psdvec_status fill_block(void *arg, size_t task, int worker)
{
    cells_job *job = arg;
    const pv_strata *strata = &job->cells->strata;
    psdvec_context *ctx = job->cells->ctx;
    pv_scope scope = {.ctx = ctx, .what = "blocks of words"};
    uint32_t *in_tile;
    pv_glove_tile *next;
    PV_TAKE(&scope, in_tile, job->tiles);
    PV_TAKE(&scope, next, job->tiles);
    psdvec_status status = pv_scope_status(&scope);
    (void)worker;
    for (uint32_t t = 0; t < job->tiles && !status; t++)
        next[t] = job->cells->tile[task * job->tiles + t];
    for (uint32_t k = strata->start[task]; k < strata->start[task + 1] && !status; k++) {
        fill_row(job, job->order[k], next, in_tile);
        if (k % 64 == 0)
            status = pv_check_cancel(ctx);
    }
    pv_scope_free(&scope);
    return status;
}

static psdvec_status make_room(pv_glove_cells *cells, uint64_t stretches, const char *output,
                               uint64_t besides)
{
    psdvec_context *ctx = cells->ctx;
    uint64_t bytes = cells->count * sizeof *cells->cell + stretches * sizeof *cells->stretch + 4096;
    bool spill = pv_large_spills(ctx, bytes, besides);
    char *folder = pv_folder_of(output);
    if (!folder)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "no memory for a path");
    psdvec_status status;
    PV_TRY_DONE(pv_large_alloc(ctx, cells->count + 1, sizeof *cells->cell, folder, spill,
                               "pairs of words", &cells->cells_room));
    PV_TRY_DONE(pv_large_alloc(ctx, stretches + 1, sizeof *cells->stretch, folder, spill,
                               "pairs of words", &cells->stretches_room));
    cells->cell = cells->cells_room.data;
    cells->stretch = cells->stretches_room.data;
    if (spill)
        pv_note(ctx, "the pairs do not fit the memory budget: a temporary file of %.0f MB has them",
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
    *cells = (pv_glove_cells){.ctx = ctx,
                              .memory = {.ctx = ctx, .what = "blocks of words"},
                              .count = pairs->begin[pairs->rows]};
    cells_job job = {.cells = cells,
                     .memory = cells->memory,
                     .pairs = pairs,
                     .x_max = x_max,
                     .power = power,
                     .seed = seed};
    psdvec_status status;
    PV_TRY_DONE(make_strata(pairs, cells));
    PV_TRY_DONE(divide_blocks(&job, row_bytes));
    uint32_t blocks = cells->strata.blocks;
    PV_TRY_DONE(pv_parallel_tasks(ctx, blocks, count_block, &job));
    pv_glove_tile end = place_tiles(cells->tile, (size_t)blocks * job.tiles);
    PV_TRY_DONE(make_room(cells, end.stretch, output, besides));
    status = pv_parallel_tasks(ctx, blocks, fill_block, &job);
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
    pv_large_free(cells->ctx, &cells->stretches_room);
    pv_large_free(cells->ctx, &cells->cells_room);
    *cells = (pv_glove_cells){0};
}
