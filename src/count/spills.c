/* Packing, reading and merging spills. */
#include "count/spills.h"

#include <string.h>

enum { CURSOR_BLOCK = 32 << 10, LONGEST_NUMBER = 10 };

void pv_spills_init(pv_spills *spills, psdvec_context *ctx, const char *folder,
                    const pv_row_groups *groups, uint32_t columns)
{
    *spills = (pv_spills){.memory = {.ctx = ctx, .what = "the index of a spill"},
                          .folder = folder,
                          .groups = groups,
                          .columns = columns};
}

static void free_spill(pv_spills *spills, pv_spill *spill)
{
    pv_spool_free(spill->spool);
    pv_scope_drop(&spills->memory, spill->group_end);
    *spill = (pv_spill){0};
}

void pv_spills_free(pv_spills *spills)
{
    for (size_t i = 0; i < PV_FAN_IN; i++)
        free_spill(spills, &spills->list[i]);
}

static char *put_number(char *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (char)(value | 0x80);
        value >>= 7;
    }
    *out++ = (char)value;
    return out;
}

psdvec_status pv_rows_pack(void *unused, pv_rows *rows)
{
    (void)unused;
    pv_buffer *packed = &rows->packed;
    uint64_t all_bits = 1;
    for (size_t i = 0; i < rows->used; i++)
        all_bits |= rows->values[i];
    size_t value_bytes = (70 - (size_t)__builtin_clzll(all_bits)) / 7;
    PV_TRY(pv_buffer_reserve(packed, (5 + value_bytes) * rows->used + 10 * (size_t)rows->count));
    char *out = packed->data;
    uint32_t last_row = rows->first;
    size_t at = 0;
    for (uint32_t r = 0; r < rows->count; r++) {
        if (rows->lengths[r] == 0)
            continue;
        out = put_number(out, rows->first + r - last_row);
        out = put_number(out, rows->lengths[r]);
        last_row = rows->first + r;
        uint32_t last_column = 0;
        for (size_t end = at + rows->lengths[r]; at < end; at++) {
            out = put_number(out, rows->columns[at] - last_column);
            out = put_number(out, rows->values[at]);
            last_column = rows->columns[at];
        }
    }
    packed->length = (size_t)(out - packed->data);
    return PSDVEC_OK;
}

static psdvec_status store_group(void *self, size_t group, pv_rows *rows)
{
    pv_spills *spills = self;
    pv_spill *spill = &spills->list[spills->count];
    PV_TRY(pv_spool_append(spill->spool, rows->packed.data, rows->packed.length, NULL));
    spill->group_end[group + 1] = pv_spool_length(spill->spool);
    return PSDVEC_OK;
}

static psdvec_status open_spill(pv_spills *spills, pv_row_sink *sink)
{
    pv_spill *spill = &spills->list[spills->count];
    *sink = (pv_row_sink){.prepare = pv_rows_pack, .take = store_group, .self = spills};
    PV_TAKE_ZERO(&spills->memory, spill->group_end, spills->groups->count + 1);
    PV_TRY(pv_scope_status(&spills->memory));
    return pv_spool_new(spills->memory.ctx, spills->folder, "a spill", 0, &spill->spool);
}

void pv_spills_end(pv_spills *spills)
{
    spills->written += pv_spool_on_disk(spills->list[spills->count].spool);
    spills->made++;
    spills->count++;
}

/* Merges all spills into one. */
static psdvec_status compact(pv_spills *spills)
{
    pv_row_sink sink;
    PV_TRY(open_spill(spills, &sink));
    PV_TRY(pv_spills_merge(spills, &sink, NULL));
    pv_spills_end(spills);
    for (size_t i = 0; i + 1 < spills->count; i++)
        free_spill(spills, &spills->list[i]);
    spills->list[0] = spills->list[spills->count - 1];
    spills->list[spills->count - 1] = (pv_spill){0};
    spills->count = 1;
    return PSDVEC_OK;
}

psdvec_status pv_spills_begin(pv_spills *spills, pv_row_sink *sink)
{
    if (spills->count == PV_FAN_IN - 1)
        PV_TRY(compact(spills));
    return open_spill(spills, sink);
}

/* Reads one packed group, of a spill or in memory. */
typedef struct cursor {
    pv_spool *spool;
    uint64_t next, end; /* range not yet in the block */
    unsigned char *block, *at, *block_end;
    uint32_t row;  /* of the next entries */
    uint64_t left; /* entries left in the row */
    bool exhausted;
} cursor;

/* Ensures that at least one complete number is at `at`, unless the group ends. */
static psdvec_status refill(cursor *c)
{
    size_t rest = (size_t)(c->block_end - c->at);
    memmove(c->block, c->at, rest);
    uint64_t left = c->end - c->next;
    size_t part = left < CURSOR_BLOCK - rest ? (size_t)left : CURSOR_BLOCK - rest;
    PV_TRY(pv_spool_read(c->spool, c->next, c->block + rest, part));
    c->next += part;
    c->at = c->block;
    c->block_end = c->block + rest + part;
    return PSDVEC_OK;
}

static inline uint64_t take_number(cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = *c->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
}

static inline psdvec_status ensure(cursor *c)
{
    if (c->block_end - c->at < 2 * LONGEST_NUMBER && c->next < c->end)
        return refill(c);
    return PSDVEC_OK;
}

/* Advances to the next row that has entries. */
static psdvec_status next_row(cursor *c)
{
    PV_TRY(ensure(c));
    if (c->at == c->block_end) {
        c->exhausted = true;
        return PSDVEC_OK;
    }
    c->row += (uint32_t)take_number(c);
    c->left = take_number(c);
    return PSDVEC_OK;
}

static psdvec_status add_entries(cursor *c, pv_row_sum *sum)
{
    uint32_t column = 0;
    for (; c->left > 0; c->left--) {
        PV_TRY(ensure(c));
        column += (uint32_t)take_number(c);
        pv_row_sum_add(sum, column, take_number(c));
    }
    return next_row(c);
}

/* Adds up the rows of all cursors. */
static psdvec_status add_rows(cursor *cursors, size_t count, pv_row_sum *sum, pv_rows *rows)
{
    for (size_t i = 0; i < count; i++)
        PV_TRY(next_row(&cursors[i]));
    for (uint32_t row = rows->first; row < rows->first + rows->count; row++) {
        for (size_t i = 0; i < count; i++)
            if (!cursors[i].exhausted && cursors[i].row == row)
                PV_TRY(add_entries(&cursors[i], sum));
        PV_TRY(pv_rows_add(rows, row, sum));
    }
    return PSDVEC_OK;
}

psdvec_status pv_rows_unpack(psdvec_context *ctx, const pv_packed *pieces, size_t count,
                             pv_row_sum *sum, pv_rows *rows)
{
    cursor *cursors;
    pv_scope scope = {.ctx = ctx, .what = "rows of other processes"};
    PV_TAKE(&scope, cursors, count);
    psdvec_status status = pv_scope_status(&scope);
    for (size_t i = 0; i < count && status == PSDVEC_OK; i++) {
        unsigned char *data = (unsigned char *)(uintptr_t)pieces[i].data;
        cursors[i] = (cursor){
            .block = data, .at = data, .block_end = data + pieces[i].length, .row = rows->first};
    }
    if (status == PSDVEC_OK)
        status = add_rows(cursors, count, sum, rows);
    pv_scope_free(&scope);
    return status;
}

typedef struct merge_job {
    const pv_spills *spills;
    cursor *cursors; /* workers x spills */
    unsigned char *blocks;
} merge_job;

static psdvec_status merge_group(void *opaque, size_t group, int worker, pv_row_sum *sum,
                                 pv_rows *rows)
{
    const merge_job *job = opaque;
    const pv_spills *spills = job->spills;
    size_t first = (size_t)worker * spills->count;
    cursor *cursors = job->cursors + first;
    for (size_t i = 0; i < spills->count; i++) {
        cursor *c = &cursors[i];
        *c = (cursor){.spool = spills->list[i].spool,
                      .next = spills->list[i].group_end[group],
                      .end = spills->list[i].group_end[group + 1],
                      .block = job->blocks + (first + i) * CURSOR_BLOCK,
                      .row = rows->first};
        c->at = c->block_end = c->block;
    }
    return add_rows(cursors, spills->count, sum, rows);
}

psdvec_status pv_spills_merge(const pv_spills *spills, const pv_row_sink *sink, const char *stage)
{
    psdvec_context *ctx = spills->memory.ctx;
    size_t cursors = (size_t)ctx->options.threads * spills->count;
    pv_scope scope = {.ctx = ctx, .what = "merging spills"};
    merge_job job = {.spills = spills};
    PV_TAKE(&scope, job.cursors, cursors);
    PV_TAKE(&scope, job.blocks, cursors * CURSOR_BLOCK);
    psdvec_status status = pv_scope_status(&scope);
    if (status == PSDVEC_OK)
        status = pv_rows_make(ctx, spills->columns, spills->groups, merge_group, &job, sink, stage);
    pv_scope_free(&scope);
    return status;
}
