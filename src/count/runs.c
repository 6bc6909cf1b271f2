/* Packing, reading and merging runs. */
#include "count/runs.h"

#include <string.h>

enum { CURSOR_BLOCK = 32 << 10, LONGEST_NUMBER = 10 };

void pv_runs_init(pv_runs *runs, psdvec_context *ctx, const char *folder,
                  const pv_row_groups *groups, uint32_t columns)
{
    *runs = (pv_runs){.ctx = ctx, .folder = folder, .groups = groups, .columns = columns};
}

static void free_run(pv_runs *runs, pv_run *run)
{
    pv_spool_free(run->spool);
    pv_free(runs->ctx, run->group_end);
    *run = (pv_run){0};
}

void pv_runs_free(pv_runs *runs)
{
    for (size_t i = 0; i < PV_FAN_IN; i++)
        if (runs->runs[i].spool || runs->runs[i].group_end)
            free_run(runs, &runs->runs[i]);
}

/* ---- Packing ------------------------------------------------------------------ */

static char *put_number(char *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (char)(value | 0x80);
        value >>= 7;
    }
    *out++ = (char)value;
    return out;
}

static psdvec_status pack_rows(void *self, pv_rows *rows)
{
    (void)self;
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
    pv_runs *runs = self;
    pv_run *run = &runs->runs[runs->count];
    PV_TRY(pv_spool_append(run->spool, rows->packed.data, rows->packed.length, NULL));
    run->group_end[group + 1] = pv_spool_length(run->spool);
    return PSDVEC_OK;
}

static psdvec_status open_run(pv_runs *runs, pv_run *run)
{
    *run = (pv_run){0};
    run->group_end = pv_alloc_zero(runs->ctx, runs->groups->count + 1, sizeof *run->group_end,
                                   "the index of a sorted run");
    if (!run->group_end)
        return pv_failure(runs->ctx);
    return pv_spool_new(runs->ctx, runs->folder, "a sorted run", 0, &run->spool);
}

/* Makes one run of all. */
static psdvec_status compact(pv_runs *runs)
{
    pv_runs merged;
    pv_runs_init(&merged, runs->ctx, runs->folder, runs->groups, runs->columns);
    psdvec_status status = open_run(&merged, &merged.runs[0]);
    pv_row_sink sink = {.prepare = pack_rows, .take = store_group, .self = &merged};
    if (status == PSDVEC_OK)
        status = pv_runs_merge(runs, &sink, NULL);
    if (status != PSDVEC_OK) {
        pv_runs_free(&merged);
        return status;
    }
    for (size_t i = 0; i < runs->count; i++)
        free_run(runs, &runs->runs[i]);
    runs->runs[0] = merged.runs[0];
    runs->count = 1;
    runs->made++;
    runs->spilled += pv_spool_on_disk(runs->runs[0].spool);
    return PSDVEC_OK;
}

psdvec_status pv_runs_begin(pv_runs *runs, pv_row_sink *sink)
{
    if (runs->count == PV_FAN_IN - 1)
        PV_TRY(compact(runs));
    *sink = (pv_row_sink){.prepare = pack_rows, .take = store_group, .self = runs};
    return open_run(runs, &runs->runs[runs->count]);
}

void pv_runs_end(pv_runs *runs)
{
    runs->spilled += pv_spool_on_disk(runs->runs[runs->count].spool);
    runs->made++;
    runs->count++;
}

/* ---- Reading --------------------------------------------------------------------- */

/* Reads one group of one run. */
typedef struct cursor {
    pv_spool *spool;
    uint64_t next, end; /* what is not yet in the block */
    unsigned char *block, *at, *block_end;
    uint32_t row;  /* of the next entries */
    uint64_t left; /* entries of it */
    bool exhausted;
} cursor;

/* At least one whole number at `at`, unless the group ends. */
static psdvec_status refill(cursor *c)
{
    size_t rest = (size_t)(c->block_end - c->at);
    memmove(c->block, c->at, rest);
    size_t part = CURSOR_BLOCK - rest;
    if (part > c->end - c->next)
        part = (size_t)(c->end - c->next);
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

/* Goes to the next row that has entries. */
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

/* ---- Merging ----------------------------------------------------------------------- */

typedef struct merge_worker {
    cursor *cursors; /* one a run */
    unsigned char *blocks;
} merge_worker;

typedef struct merge_job {
    pv_runs *runs;
    merge_worker *workers;
} merge_job;

static psdvec_status merge_group(void *opaque, size_t group, int worker, pv_row_sum *sum,
                                 pv_rows *rows)
{
    merge_job *job = opaque;
    pv_runs *runs = job->runs;
    merge_worker *w = &job->workers[worker];
    for (size_t i = 0; i < runs->count; i++) {
        cursor *c = &w->cursors[i];
        *c = (cursor){.spool = runs->runs[i].spool,
                      .next = runs->runs[i].group_end[group],
                      .end = runs->runs[i].group_end[group + 1],
                      .block = w->blocks + i * CURSOR_BLOCK,
                      .row = rows->first};
        c->at = c->block_end = c->block;
        PV_TRY(next_row(c));
    }
    for (uint32_t row = rows->first; row < rows->first + rows->count; row++) {
        for (size_t i = 0; i < runs->count; i++)
            if (!w->cursors[i].exhausted && w->cursors[i].row == row)
                PV_TRY(add_entries(&w->cursors[i], sum));
        PV_TRY(pv_rows_add(rows, row, sum));
    }
    return PSDVEC_OK;
}

psdvec_status pv_runs_merge(pv_runs *runs, const pv_row_sink *sink, pv_progress *progress)
{
    psdvec_context *ctx = runs->ctx;
    size_t threads = (size_t)ctx->options.threads;
    pv_scope scope = {.ctx = ctx, .what = "merging sorted runs"};
    merge_job job = {.runs = runs};
    PV_TAKE_ZERO(&scope, job.workers, threads);
    for (size_t t = 0; job.workers && t < threads; t++) {
        PV_TAKE(&scope, job.workers[t].cursors, runs->count);
        PV_TAKE(&scope, job.workers[t].blocks, runs->count * CURSOR_BLOCK);
    }
    psdvec_status status = pv_scope_status(&scope);
    if (status == PSDVEC_OK)
        status = pv_rows_make(ctx, runs->columns, runs->groups, merge_group, &job, sink, progress);
    pv_scope_free(&scope);
    return status;
}
