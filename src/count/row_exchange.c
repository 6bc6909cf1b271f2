/* Adding up the rows of the members of a group. */
#include "count/row_exchange.h"

#include "count/spills.h"

static uint32_t members_of(const pv_row_exchange *x)
{
    return pv_group_members(x->ctx);
}

static psdvec_status begin_rows(pv_row_exchange *x, size_t group)
{
    uint32_t first = x->groups->start[group];
    return pv_rows_begin(&x->rows, first, x->groups->start[group + 1] - first);
}

/* Adds up what the members sent of a group, if this round has one for this member. */
static psdvec_status add_up(pv_row_exchange *x, size_t group)
{
    uint32_t members = members_of(x);
    pv_packed *pieces;
    pv_scope scope = {.ctx = x->ctx, .what = "rows of other processes"};
    PV_TAKE(&scope, pieces, members);
    psdvec_status status = pv_scope_status(&scope);
    for (uint32_t r = 0; r < members && status == PSDVEC_OK; r++)
        pieces[r] = (pv_packed){x->in[r].data, x->in[r].length};
    if (status == PSDVEC_OK)
        status = begin_rows(x, group);
    if (status == PSDVEC_OK)
        status = pv_rows_unpack(x->ctx, pieces, members, &x->sum, &x->rows);
    if (status == PSDVEC_OK)
        status = pv_rows_pack(NULL, &x->rows);
    pv_scope_free(&scope);
    return status;
}

/* Passes the sum of a group to the target. */
static psdvec_status deliver(pv_row_exchange *x, size_t group, const pv_buffer *packed)
{
    const pv_row_sink *to = x->target;
    pv_packed piece = {packed->data, packed->length};
    PV_TRY(begin_rows(x, group));
    PV_TRY(pv_rows_unpack(x->ctx, &piece, 1, &x->sum, &x->rows));
    PV_TRY(to->prepare(to->self, &x->rows));
    PV_TRY(to->take(to->self, group, &x->rows));
    return to->finish ? to->finish(to->self, &x->rows) : PSDVEC_OK;
}

/* The round of `count` groups from `first`. */
static psdvec_status run_round(pv_row_exchange *x, size_t first, size_t count)
{
    uint32_t members = members_of(x), rank = pv_group_rank(x->ctx);
    PV_TRY(pv_group_exchange(x->ctx, x->out, x->in));
    for (uint32_t r = 0; r < members; r++)
        x->out[r].length = x->sums[r].length = 0;
    if (rank < count) {
        PV_TRY(add_up(x, first + rank));
        for (uint32_t r = 0; r < (x->everywhere ? members : 1); r++)
            PV_TRY(pv_buffer_append(&x->sums[r], x->rows.packed.data, x->rows.packed.length));
    }
    PV_TRY(pv_group_exchange(x->ctx, x->sums, x->got));
    for (size_t k = 0; k < count && (x->everywhere || rank == 0); k++)
        PV_TRY(deliver(x, first + k, &x->got[k]));
    return PSDVEC_OK;
}

static psdvec_status take(void *self, size_t group, pv_rows *rows)
{
    pv_row_exchange *x = self;
    size_t members = members_of(x), place = group % members;
    PV_TRY(pv_buffer_append(&x->out[place], rows->packed.data, rows->packed.length));
    if (place + 1 < members && group + 1 < x->groups->count)
        return PSDVEC_OK;
    return run_round(x, group - place, place + 1);
}

psdvec_status pv_row_exchange_open(pv_row_exchange *x, psdvec_context *ctx,
                                   const pv_row_groups *groups, uint32_t columns,
                                   const pv_row_sink *target, bool everywhere, pv_row_sink *sink)
{
    *x =
        (pv_row_exchange){.ctx = ctx, .groups = groups, .target = target, .everywhere = everywhere};
    *sink = (pv_row_sink){.prepare = pv_rows_pack, .take = take, .self = x};
    pv_rows_init(&x->rows, ctx);
    x->out = pv_group_buffers(ctx);
    x->in = pv_group_buffers(ctx);
    x->sums = pv_group_buffers(ctx);
    x->got = pv_group_buffers(ctx);
    if (!x->out || !x->in || !x->sums || !x->got)
        return pv_failure(ctx);
    return pv_row_sum_init(&x->sum, ctx, columns);
}

void pv_row_exchange_close(pv_row_exchange *x)
{
    if (!x->ctx)
        return;
    pv_group_buffers_free(x->ctx, x->out);
    pv_group_buffers_free(x->ctx, x->in);
    pv_group_buffers_free(x->ctx, x->sums);
    pv_group_buffers_free(x->ctx, x->got);
    pv_row_sum_free(&x->sum);
    pv_rows_free(&x->rows);
    *x = (pv_row_exchange){0};
}
