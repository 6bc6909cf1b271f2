/* Gathering columns from rows, and iterating over both. */
#include "sparse/columns.h"

#include "base/thread.h"
#include "base/trim.h"
#include "sparse/transposed.h"

#include <string.h>

enum { rows_a_task = 512 };

/* The first row of a task; its rows end before *end. */
static uint32_t rows_of(const pv_csr *matrix, size_t task, uint32_t *end)
{
    uint32_t first = (uint32_t)task * rows_a_task;
    *end = matrix->rows - first < rows_a_task ? matrix->rows : first + rows_a_task;
    return first;
}

static size_t tasks_of(const pv_csr *matrix)
{
    return ((size_t)matrix->rows + rows_a_task - 1) / rows_a_task;
}

/* ---- Lengths of columns -------------------------------------------------------------------- */
typedef struct count_job {
    psdvec_context *ctx;
    const pv_csr *matrix;
    uint32_t first, end;
    uint32_t *entries; /* shared counters would cost more than the counting */
} count_job;

static psdvec_status count_entries(void *arg, size_t task, int worker)
{
    const count_job *job = arg;
    const pv_csr *matrix = job->matrix;
    uint32_t *entries = job->entries + (size_t)worker * (job->end - job->first), end;
    for (uint32_t i = rows_of(matrix, task, &end); i < end; i++) {
        uint64_t begin = matrix->begin[i], row_end = matrix->end[i];
        uint64_t k = begin + pv_lower_bound(matrix->column + begin, row_end - begin, job->first);
        for (; k < row_end && matrix->column[k] < job->end; k++)
            entries[matrix->column[k] - job->first]++;
        pv_trim(job->ctx);
    }
    return pv_trim_and_check(job->ctx);
}

psdvec_status pv_count_columns(psdvec_context *ctx, const pv_csr *matrix, uint32_t first,
                               uint32_t end, uint32_t *entries)
{
    count_job job = {ctx, matrix, first, end, entries};
    return pv_parallel_tasks(ctx, tasks_of(matrix), count_entries, &job);
}

/* ---- Blocks -------------------------------------------------------------------------------- */
typedef struct blocks_job {
    pv_column_blocks *blocks;
    uint32_t first, end;       /* columns */
    const pv_transposed *file; /* has columns, and the lengths of all; NULL: there is no file */
    uint32_t *entries;         /* workers x (end - first): per column; NULL with a file */
} blocks_job;

static uint64_t entries_of(const blocks_job *job, uint32_t column)
{
    uint64_t sum = 0;
    if (job->file)
        return job->file->length[column];
    for (int w = 0; w < psdvec_threads(job->blocks->memory.ctx); w++)
        sum += job->entries[(size_t)w * (job->end - job->first) + column - job->first];
    return sum;
}

static void choose_edges(blocks_job *job)
{
    pv_column_blocks *blocks = job->blocks;
    uint64_t total = 0, seen = 0;
    for (uint32_t j = job->first; j < job->end; j++)
        total += entries_of(job, j);
    uint32_t b = 0;
    blocks->edges[0] = job->first;
    for (uint32_t j = job->first; j < job->end; j++) {
        while (b + 1 < blocks->blocks && (double)seen >= (double)total * (b + 1) / blocks->blocks)
            blocks->edges[++b] = j;
        seen += entries_of(job, j);
    }
    while (b < blocks->blocks)
        blocks->edges[++b] = job->end;
}

static psdvec_status find_ranges(void *arg, size_t task, int worker)
{
    blocks_job *job = arg;
    pv_column_blocks *blocks = job->blocks;
    const pv_csr *matrix = &blocks->matrix;
    uint32_t end;
    (void)worker;
    for (uint32_t i = rows_of(matrix, task, &end); i < end; i++) {
        uint32_t *offset = blocks->offset + (size_t)i * (blocks->blocks + 1);
        const uint32_t *column = matrix->column + matrix->begin[i];
        uint64_t length = matrix->end[i] - matrix->begin[i], k = 0;
        for (uint32_t b = 0; b <= blocks->blocks; b++) {
            k += pv_lower_bound(column + k, length - k, blocks->edges[b]);
            offset[b] = (uint32_t)k;
        }
        pv_trim_probed(blocks->memory.ctx, i);
    }
    return pv_trim_and_check(blocks->memory.ctx);
}

static psdvec_status open_blocks(psdvec_context *ctx, pv_csr matrix, uint32_t blocks,
                                 pv_column_blocks *out)
{
    *out = (pv_column_blocks){
        .memory = {.ctx = ctx, .what = "blocks of columns"}, .matrix = matrix, .blocks = blocks};
    PV_TAKE(&out->memory, out->edges, (size_t)blocks + 1);
    if (!matrix.transposed)
        PV_TAKE(&out->memory, out->offset, (size_t)matrix.rows * ((size_t)blocks + 1));
    return pv_scope_status(&out->memory);
}

/* `totals`, if not NULL, receives the number of entries of each column. */
static psdvec_status make_blocks(psdvec_context *ctx, pv_csr matrix, uint32_t first, uint32_t end,
                                 uint32_t blocks, uint64_t *totals, pv_column_blocks *out)
{
    PV_TRY(open_blocks(ctx, matrix, blocks, out));
    blocks_job job = {.blocks = out, .first = first, .end = end, .file = matrix.transposed};
    if (!job.file) {
        PV_TAKE_ZERO(&out->memory, job.entries, (size_t)psdvec_threads(ctx) * (end - first));
        PV_TRY(pv_scope_status(&out->memory));
        PV_TRY(pv_count_columns(ctx, &matrix, first, end, job.entries));
    }
    choose_edges(&job);
    for (uint32_t j = first; totals && j < end; j++)
        totals[j - first] = entries_of(&job, j);
    if (job.file)
        return PSDVEC_OK;
    PV_TRY(pv_parallel_tasks(ctx, tasks_of(&matrix), find_ranges, &job));
    pv_scope_drop(&out->memory, job.entries);
    return PSDVEC_OK;
}

psdvec_status pv_column_blocks_make(psdvec_context *ctx, pv_csr matrix, uint32_t first,
                                    uint32_t end, uint32_t blocks, pv_column_blocks *out)
{
    return make_blocks(ctx, matrix, first, end, blocks, NULL, out);
}

psdvec_status pv_column_blocks_at(psdvec_context *ctx, pv_csr matrix, const uint32_t *edges,
                                  uint32_t blocks, pv_column_blocks *out)
{
    PV_TRY(open_blocks(ctx, matrix, blocks, out));
    memcpy(out->edges, edges, ((size_t)blocks + 1) * sizeof *edges);
    blocks_job job = {.blocks = out, .first = edges[0], .end = edges[blocks]};
    return pv_parallel_tasks(ctx, tasks_of(&matrix), find_ranges, &job);
}

void pv_column_blocks_free(pv_column_blocks *blocks)
{
    pv_scope_free(&blocks->memory);
    *blocks = (pv_column_blocks){0};
}

psdvec_status pv_gather(psdvec_context *ctx, const pv_column_blocks *blocks, uint32_t block,
                        uint32_t first_row, uint32_t end_row, pv_gathered *out)
{
    const uint32_t *column = blocks->matrix.column;
    uint32_t first = blocks->edges[block], width = blocks->edges[block + 1] - first;
    if (blocks->matrix.transposed)
        return pv_transposed_read(ctx, blocks->matrix.transposed, first, first + width, first_row,
                                  end_row, blocks->matrix.value32 || blocks->matrix.value64, out);
    *out = (pv_gathered){.memory = {.ctx = ctx, .what = "a block of columns"}};
    PV_TAKE_ZERO(&out->memory, out->begin, (size_t)width + 2);
    PV_TRY(pv_scope_status(&out->memory));
    /* begin[j + 2] counts column j; after the sums begin[j + 1] is where column j begins, and
     * while it is filled moves to its end: where column j + 1 begins. */
    uint64_t from, to;
    for (uint32_t i = first_row; i < end_row; i++) {
        pv_column_range(blocks, i, block, &from, &to);
        for (uint64_t k = from; k < to; k++)
            out->begin[column[k] - first + 2]++;
    }
    for (uint32_t j = 0; j < width; j++)
        out->begin[j + 2] += out->begin[j + 1];
    size_t entries = out->begin[width + 1];
    const uint32_t *value32 = blocks->matrix.value32;
    const uint64_t *value64 = blocks->matrix.value64;
    bool valued = value32 || value64;
    PV_TAKE(&out->memory, out->row, entries);
    if (valued)
        PV_TAKE(&out->memory, out->value, entries);
    PV_TRY(pv_scope_status(&out->memory));
    for (uint32_t i = first_row; i < end_row; i++) {
        pv_column_range(blocks, i, block, &from, &to);
        for (uint64_t k = from; k < to; k++) {
            size_t at = out->begin[column[k] - first + 1]++;
            out->row[at] = i;
            if (valued)
                out->value[at] = value32 ? value32[k] : value64[k];
        }
    }
    return PSDVEC_OK;
}

void pv_gathered_free(pv_gathered *gathered)
{
    pv_scope_free(&gathered->memory);
    *gathered = (pv_gathered){0};
}

psdvec_status pv_transpose_block(psdvec_context *ctx, const pv_column_blocks *blocks,
                                 uint32_t block, uint32_t end_row, uint32_t first_row,
                                 const uint64_t *begin, uint32_t *to_column, const float *value,
                                 float *to_value)
{
    const uint32_t *column = blocks->matrix.column;
    uint32_t first = blocks->edges[block], width = blocks->edges[block + 1] - first;
    if (width == 0)
        return PSDVEC_OK;
    uint64_t *next = pv_alloc(ctx, width, sizeof *next, "the transpose of a matrix");
    if (!next)
        return pv_failure(ctx);
    memcpy(next, begin, width * sizeof *next);
    for (uint32_t i = 0; i < end_row; i++) {
        uint64_t from, to;
        pv_column_range(blocks, i, block, &from, &to);
        if (to_column && to_value)
            for (uint64_t k = from; k < to; k++) {
                uint64_t at = next[column[k] - first]++;
                to_column[at] = first_row + i;
                to_value[at] = value[k];
            }
        else if (to_column)
            for (uint64_t k = from; k < to; k++)
                to_column[next[column[k] - first]++] = first_row + i;
        else
            for (uint64_t k = from; k < to; k++)
                to_value[next[column[k] - first]++] = value[k];
        pv_trim_again(ctx);
    }
    pv_free(ctx, next);
    return pv_check_cancel(ctx);
}

enum { transpose_blocks = 64 };

typedef struct transpose_job {
    pv_column_blocks blocks;
    pv_csr_store *to;
} transpose_job;

static psdvec_status transpose_task(void *arg, size_t task, int worker)
{
    const transpose_job *job = arg;
    (void)worker;
    return pv_transpose_block(job->to->ctx, &job->blocks, (uint32_t)task, job->blocks.matrix.rows,
                              0, job->to->begin + job->blocks.edges[task], job->to->column,
                              job->blocks.matrix.value, job->to->value);
}

psdvec_status pv_csr_transpose(psdvec_context *ctx, const pv_csr *matrix, const char *output,
                               uint64_t besides, const char *what, pv_csr_store *transpose)
{
    transpose_job job = {.to = transpose};
    psdvec_status status;
    PV_TRY_DONE(pv_csr_store_open(ctx, matrix->columns, matrix->rows, what, transpose));
    PV_TRY_DONE(make_blocks(ctx, *matrix, 0, matrix->columns, transpose_blocks,
                            transpose->begin + 1, &job.blocks));
    PV_TRY_DONE(pv_csr_store_reserve(transpose, output, besides));
    status = pv_parallel_tasks(ctx, transpose_blocks, transpose_task, &job);
done:
    pv_column_blocks_free(&job.blocks);
    return status;
}

uint64_t pv_column_blocks_bytes(uint64_t rows, uint64_t columns, uint64_t blocks, int threads)
{
    return (rows + 1) * (blocks + 1) * sizeof(uint32_t) +
           (uint64_t)threads * columns * sizeof(uint32_t);
}

uint64_t pv_gather_bytes(uint64_t rows, uint64_t columns, uint64_t entries, uint64_t blocks,
                         int threads)
{
    /* A block ends with a complete column, which may have an entry in every row. */
    uint64_t most = pv_larger(1, entries / blocks + (rows < entries ? rows : entries));
    return (uint64_t)threads * (most * (sizeof(uint32_t) + sizeof(uint64_t)) +
                                (columns + 2) * sizeof *((pv_gathered *)0)->begin);
}

static psdvec_status walk_block(void *arg, size_t task, int worker)
{
    const pv_pair_walk *walk = arg;
    const pv_column_blocks *blocks = walk->blocks;
    psdvec_context *ctx = blocks->memory.ctx;
    const pv_csr *matrix = &blocks->matrix;
    uint32_t block = walk->every ? walk->from + (uint32_t)task * walk->every : (uint32_t)task;
    uint32_t first = blocks->edges[block], end = blocks->edges[block + 1];
    pv_gathered columns = {0};
    psdvec_status status = PSDVEC_OK;
    if (first < end && !walk->row_only)
        status = pv_gather(ctx, blocks, block, walk->above ? first : walk->first_row,
                           walk->end_row ? walk->end_row : matrix->rows, &columns);
    for (uint32_t i = first; i < end && status == PSDVEC_OK; i++) {
        pv_pair_row row = {.i = i, .last = i + 1 == end, .after = pv_counts_row_of(matrix, i)};
        if (!walk->row_only) {
            size_t begin = columns.begin[i - first];
            row.before = (psdvec_row){.length = columns.begin[i - first + 1] - begin,
                                      .focus = columns.row + begin,
                                      .values64 = columns.value ? columns.value + begin : NULL};
        }
        status = walk->on_row(walk->arg, row, worker);
        /* Without a file of columns, the next block needs the same pages again. */
        if (matrix->transposed || walk->row_only)
            pv_trim(ctx);
        if ((i & 63) == 0 && status == PSDVEC_OK)
            status = pv_check_cancel(ctx);
    }
    pv_gathered_free(&columns);
    if (walk->progress && first < end)
        pv_progress_add(walk->progress, matrix->end[end - 1] - matrix->begin[first]);
    return status;
}

psdvec_status pv_walk_pairs(psdvec_context *ctx, const pv_pair_walk *walk)
{
    size_t blocks = walk->blocks->blocks;
    if (walk->every)
        blocks = walk->from < blocks ? (blocks - walk->from - 1) / walk->every + 1 : 0;
    return pv_parallel_tasks(ctx, blocks, walk_block, (void *)walk);
}
