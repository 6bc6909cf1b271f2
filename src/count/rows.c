/* Rows, their groups, and the gate. */
#include "count/rows.h"

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
    PV_TRY(pv_rows_reserve(rows, sum->touched_count));
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

void pv_gate_init(pv_gate *gate, psdvec_context *ctx)
{
    *gate = (pv_gate){.ctx = ctx};
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->moved, NULL);
}

void pv_gate_free(pv_gate *gate)
{
    pthread_cond_destroy(&gate->moved);
    pthread_mutex_destroy(&gate->lock);
}

psdvec_status pv_gate_pass(pv_gate *gate, size_t group, psdvec_status status,
                           const pv_row_sink *sink, pv_rows *rows)
{
    if (status == PSDVEC_OK)
        status = sink->prepare(sink->self, rows);
    pthread_mutex_lock(&gate->lock);
    while (status == PSDVEC_OK && gate->next != group && !gate->closed)
        pthread_cond_wait(&gate->moved, &gate->lock);
    if (status == PSDVEC_OK)
        status = gate->closed ? pv_failure(gate->ctx) : sink->take(sink->self, group, rows);
    if (status == PSDVEC_OK)
        gate->next++;
    else
        gate->closed = true;
    pthread_cond_broadcast(&gate->moved);
    pthread_mutex_unlock(&gate->lock);
    return status;
}
