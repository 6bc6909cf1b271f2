/* Summing rows, groups of rows, and the parallel loop that makes them. */
#include "count/rows.h"

#include "base/progress.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "finished rows";

enum { SMALL = 32, MOST_GROUPS = 1 << 16 };

uint64_t pv_row_sum_bytes(uint32_t columns)
{
    return 13 * ((uint64_t)columns + 128);
}

psdvec_status pv_row_sum_init(pv_row_sum *row, psdvec_context *ctx, uint32_t columns)
{
    size_t words = ((size_t)columns + 1 + 63) / 64;
    *row = (pv_row_sum){.memory = {.ctx = ctx, .what = "adding up a row"},
                        .columns = columns,
                        .group_words = (words + 63) / 64};
    PV_TAKE_ZERO(&row->memory, row->sum, (size_t)columns + 1);
    PV_TAKE(&row->memory, row->touched, (size_t)columns + 2);
    PV_TAKE_ZERO(&row->memory, row->bits, words);
    PV_TAKE_ZERO(&row->memory, row->groups, row->group_words);
    return pv_scope_status(&row->memory);
}

void pv_row_sum_free(pv_row_sum *row)
{
    pv_scope_free(&row->memory);
    *row = (pv_row_sum){0};
}

static void insertion_sort(uint32_t *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t value = list[i];
        size_t j = i;
        for (; j > 0 && list[j - 1] > value; j--)
            list[j] = list[j - 1];
        list[j] = value;
    }
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the touched columns; if they are few, sorting is faster than scanning all groups. */
static void order_touched(pv_row_sum *row)
{
    size_t count = row->touched_count;
    uint32_t *touched = row->touched;
    if (count <= SMALL) {
        insertion_sort(touched, count);
        return;
    }
    if (row->group_words > 8 * count) {
        qsort(touched, count, sizeof *touched, ascending);
        return;
    }
    uint64_t *bits = row->bits, *groups = row->groups;
    for (size_t i = 0; i < count; i++) {
        uint32_t column = touched[i];
        bits[column >> 6] |= UINT64_C(1) << (column & 63);
        groups[column >> 12] |= UINT64_C(1) << (column >> 6 & 63);
    }
    size_t used = 0;
    for (size_t g = 0; g < row->group_words; g++) {
        for (uint64_t group = groups[g]; group; group &= group - 1) {
            size_t word = g * 64 + (size_t)__builtin_ctzll(group);
            for (uint64_t rest = bits[word]; rest; rest &= rest - 1)
                touched[used++] = (uint32_t)(word * 64 + (size_t)__builtin_ctzll(rest));
            bits[word] = 0;
        }
        groups[g] = 0;
    }
}

size_t pv_row_sum_take(pv_row_sum *row, uint32_t *columns, uint64_t *values)
{
    order_touched(row);
    size_t count = row->touched_count;
    row->touched_count = 0;
    if (count > 0 && row->touched[count - 1] == row->columns) /* the discarded entries */
        row->sum[row->touched[--count]] = 0;
    if (count > 0)
        memcpy(columns, row->touched, count * sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        uint64_t *sum = &row->sum[row->touched[i]];
        values[i] = *sum;
        *sum = 0;
    }
    return count;
}

void pv_rows_init(pv_rows *rows, psdvec_context *ctx)
{
    *rows = (pv_rows){.memory = {.ctx = ctx, .what = what}, .packed = {.ctx = ctx}};
}

void pv_rows_free(pv_rows *rows)
{
    pv_scope_free(&rows->memory);
    pv_buffer_free(&rows->packed);
    pv_rows_init(rows, rows->memory.ctx);
}

uint64_t pv_rows_bytes(uint64_t entries)
{
    /* Columns and values with 50 % spare capacity, an old copy of one of them while growing; and
     * the same for the packed form. */
    return 40 * entries + (64 << 10);
}

psdvec_status pv_rows_begin(pv_rows *rows, uint32_t first, uint32_t count)
{
    rows->first = first;
    rows->count = count;
    rows->used = 0;
    rows->packed.length = 0;
    PV_TRY(PV_RESERVE(&rows->memory, rows->lengths, rows->length_capacity, count));
    memset(rows->lengths, 0, count * sizeof *rows->lengths);
    return PSDVEC_OK;
}

psdvec_status pv_rows_reserve(pv_rows *rows, size_t extra)
{
    if (rows->capacity - rows->used >= extra)
        return PSDVEC_OK;
    size_t capacity = rows->used + extra + rows->used / 4;
    PV_GROW(&rows->memory, rows->columns, capacity);
    PV_GROW(&rows->memory, rows->values, capacity);
    PV_TRY(pv_scope_status(&rows->memory));
    rows->capacity = capacity;
    return PSDVEC_OK;
}

psdvec_status pv_rows_add(pv_rows *rows, uint32_t row, pv_row_sum *sum)
{
    PV_TRY(pv_rows_reserve(rows, sum->touched_count + 1)); /* the arrays must exist */
    size_t count = pv_row_sum_take(sum, rows->columns + rows->used, rows->values + rows->used);
    rows->lengths[row - rows->first] = (uint32_t)count;
    rows->used += count;
    return PSDVEC_OK;
}

psdvec_status pv_row_groups_init(pv_row_groups *groups, psdvec_context *ctx, const uint64_t *work,
                                 uint32_t rows, uint64_t wanted)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < rows; i++)
        total += work[i] + 1;
    uint64_t most = rows < MOST_GROUPS ? rows : MOST_GROUPS;
    wanted = pv_larger(1, wanted < most ? wanted : most);
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

/* ---- Making rows: a gate passes workers in the order of their groups ------------ */

typedef struct making {
    psdvec_context *ctx;
    const pv_row_groups *groups;
    pv_fill_rows *fill;
    void *arg;
    const pv_row_sink *sink;
    pv_progress *progress; /* NULL: none */
    pv_row_sum *sums;      /* per worker */
    pv_rows *rows;         /* per worker */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t next; /* the group that may pass next */
    bool closed; /* a worker failed: no group passes any more */
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
                           const char *stage)
{
    size_t threads = (size_t)ctx->options.threads;
    psdvec_status status = PSDVEC_OK;
    pv_progress progress;
    making m = {.ctx = ctx,
                .groups = groups,
                .fill = fill,
                .arg = arg,
                .sink = sink,
                /* cppcheck-suppress uninitvar ; only its address is taken */
                .progress = stage ? &progress : NULL};
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
    if (stage)
        pv_progress_begin(&progress, ctx, stage, "groups", groups->count);
    PV_TRY_DONE(pv_parallel_tasks(ctx, groups->count, make_group, &m));
    if (stage)
        pv_progress_end(&progress);
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
