/* Rows, their groups, and how they are made. */
#include "count/rows.h"

#include "base/thread.h"

#include <string.h>

static const char what[] = "finished rows";

void pv_rows_init(pv_rows *rows, psdvec_context *ctx)
{
    *rows = (pv_rows){.ctx = ctx};
    pv_buffer_init(&rows->packed, ctx);
}

void pv_rows_free(pv_rows *rows)
{
    if (!rows->ctx)
        return;
    pv_free(rows->ctx, rows->lengths);
    pv_free(rows->ctx, rows->columns);
    pv_free(rows->ctx, rows->values);
    pv_buffer_free(&rows->packed);
    pv_rows_init(rows, rows->ctx);
}

uint64_t pv_rows_bytes(uint64_t entries)
{
    /* Columns and values, half as much again in reserve, an old copy of one
     * of them while growing; and the packed form, likewise. */
    return 40 * entries + (64 << 10);
}

psdvec_status pv_rows_begin(pv_rows *rows, uint32_t first, uint32_t count)
{
    rows->first = first;
    rows->count = count;
    rows->used = 0;
    rows->packed.length = 0;
    if (count > rows->length_capacity) {
        pv_free(rows->ctx, rows->lengths);
        rows->lengths = pv_alloc(rows->ctx, count, sizeof *rows->lengths, what);
        rows->length_capacity = rows->lengths ? count : 0;
        if (!rows->lengths)
            return pv_failure(rows->ctx);
    }
    memset(rows->lengths, 0, count * sizeof *rows->lengths);
    return PSDVEC_OK;
}

psdvec_status pv_rows_reserve(pv_rows *rows, size_t extra)
{
    if (rows->capacity - rows->used >= extra)
        return PSDVEC_OK;
    size_t capacity = rows->used + extra + rows->used / 4;
    uint32_t *columns = pv_resize(rows->ctx, rows->columns, capacity, sizeof *columns, what);
    if (!columns)
        return pv_failure(rows->ctx);
    rows->columns = columns;
    uint64_t *values = pv_resize(rows->ctx, rows->values, capacity, sizeof *values, what);
    if (!values)
        return pv_failure(rows->ctx);
    rows->values = values;
    rows->capacity = capacity;
    return PSDVEC_OK;
}

psdvec_status pv_rows_add(pv_rows *rows, uint32_t row, pv_row_sum *sum)
{
    PV_TRY(pv_rows_reserve(rows, sum->touched_count + 1)); /* never without an array */
    size_t count = pv_row_sum_take(sum, rows->columns + rows->used, rows->values + rows->used);
    rows->lengths[row - rows->first] = (uint32_t)count;
    rows->used += count;
    return PSDVEC_OK;
}

psdvec_status pv_row_groups_init(pv_row_groups *groups, psdvec_context *ctx, const uint64_t *work,
                                 uint32_t rows, size_t wanted)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < rows; i++)
        total += work[i] + 1;
    if (wanted > rows)
        wanted = rows;
    if (wanted < 1)
        wanted = 1;
    groups->start = pv_alloc(ctx, wanted + 2, sizeof *groups->start, "groups of rows");
    if (!groups->start)
        return pv_failure(ctx);
    groups->count = 0;
    groups->start[0] = 0;
    uint64_t target = total / wanted + 1, sum = 0;
    for (uint32_t i = 0; i < rows; i++) {
        sum += work[i] + 1;
        if (sum >= target && groups->count < wanted) {
            groups->start[++groups->count] = i + 1;
            sum = 0;
        }
    }
    if (groups->start[groups->count] < rows)
        groups->start[++groups->count] = rows;
    return PSDVEC_OK;
}

void pv_row_groups_free(pv_row_groups *groups, psdvec_context *ctx)
{
    pv_free(ctx, groups->start);
    *groups = (pv_row_groups){0};
}

/* ---- Making rows: workers pass a gate in order of their groups ------------ */

typedef struct making {
    psdvec_context *ctx;
    const pv_row_groups *groups;
    pv_fill_rows *fill;
    void *arg;
    const pv_row_sink *sink;
    pv_progress *progress;
    pv_row_sum *sums; /* per worker */
    pv_rows *rows;    /* per worker */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t next; /* the group that may pass */
    bool closed; /* somebody failed: nobody passes any more */
} making;

static psdvec_status pass_gate(making *m, size_t group, psdvec_status status, pv_rows *rows)
{
    pthread_mutex_lock(&m->lock);
    while (status == PSDVEC_OK && m->next != group && !m->closed)
        pthread_cond_wait(&m->moved, &m->lock);
    if (status == PSDVEC_OK)
        status = m->closed ? pv_failure(m->ctx) : m->sink->take(m->sink->self, group, rows);
    if (status == PSDVEC_OK)
        m->next++;
    else
        m->closed = true;
    pthread_cond_broadcast(&m->moved);
    pthread_mutex_unlock(&m->lock);
    return status;
}

static psdvec_status make_group(void *opaque, size_t group, int worker)
{
    making *m = opaque;
    pv_rows *rows = &m->rows[worker];
    uint32_t begin = m->groups->start[group], end = m->groups->start[group + 1];
    psdvec_status status = pv_rows_begin(rows, begin, end - begin);
    if (status == PSDVEC_OK)
        status = m->fill(m->arg, group, worker, &m->sums[worker], rows);
    if (status == PSDVEC_OK)
        status = m->sink->prepare(m->sink->self, rows);
    status = pass_gate(m, group, status, rows);
    if (status == PSDVEC_OK && m->sink->finish)
        status = m->sink->finish(m->sink->self, rows);
    if (m->progress)
        pv_progress_add(m->progress, 1);
    return status;
}

psdvec_status pv_rows_make(psdvec_context *ctx, uint32_t columns, const pv_row_groups *groups,
                           pv_fill_rows *fill, void *arg, const pv_row_sink *sink,
                           pv_progress *progress)
{
    size_t threads = (size_t)ctx->options.threads;
    psdvec_status status = PSDVEC_OK;
    making m = {
        .ctx = ctx, .groups = groups, .fill = fill, .arg = arg, .sink = sink, .progress = progress};
    pthread_mutex_init(&m.lock, NULL);
    pthread_cond_init(&m.moved, NULL);
    pv_scope scope = {.ctx = ctx, .what = what};
    PV_TAKE_ZERO(&scope, m.sums, threads);
    PV_TAKE_ZERO(&scope, m.rows, threads);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t t = 0; t < threads; t++) {
        pv_rows_init(&m.rows[t], ctx);
        PV_TRY_DONE(pv_row_sum_init(&m.sums[t], ctx, columns));
    }
    status = pv_parallel_tasks(ctx, groups->count, make_group, &m);
done:
    for (size_t t = 0; m.sums && m.rows && t < threads; t++) {
        pv_rows_free(&m.rows[t]);
        pv_row_sum_free(&m.sums[t]);
    }
    pv_scope_free(&scope);
    pthread_cond_destroy(&m.moved);
    pthread_mutex_destroy(&m.lock);
    return status;
}
