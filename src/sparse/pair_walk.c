/* Rows and columns, block by block. */
#include "sparse/pair_walk.h"

#include "base/thread.h"

static psdvec_status walk_block(void *arg, size_t task, int worker)
{
    const pv_pair_walk *walk = arg;
    const pv_column_blocks *blocks = walk->blocks;
    psdvec_context *ctx = blocks->memory.ctx;
    const pv_csr *matrix = &blocks->matrix;
    uint32_t first = blocks->edges[task], end = blocks->edges[task + 1];
    pv_gathered columns = {0};
    psdvec_status status = PSDVEC_OK;
    if (first < end && !walk->row_only)
        status =
            pv_gather(ctx, blocks, (uint32_t)task, walk->above ? first : 0, matrix->rows, &columns);
    for (uint32_t i = first; i < end && status == PSDVEC_OK; i++) {
        pv_pair_row row = {.i = i, .last = i + 1 == end, .after = pv_counts_row_of(matrix, i)};
        if (!walk->row_only) {
            size_t begin = columns.begin[i - first];
            row.before = (psdvec_row){.length = columns.begin[i - first + 1] - begin,
                                      .focus = columns.row + begin,
                                      .values64 = columns.value ? columns.value + begin : NULL};
        }
        status = walk->on_row(walk->arg, row, worker);
        if ((i & 63) == 0 && status == PSDVEC_OK)
            status = pv_check_cancel(ctx);
    }
    pv_gathered_free(&columns);
    if (walk->progress)
        pv_progress_add(walk->progress, end - first);
    return status;
}

psdvec_status pv_walk_pairs(psdvec_context *ctx, const pv_pair_walk *walk)
{
    return pv_parallel_tasks(ctx, walk->blocks->blocks, walk_block, (void *)walk);
}
