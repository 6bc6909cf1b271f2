/* Dividing rows into blocks, and running the strata round by round; phases are implemented with two
 * counters, tasks assigned and tasks done. */
#include "baseline/strata.h"

#include "base/group.h"
#include "base/platform.h"
#include "base/sort.h"
#include "base/thread.h"

#include <sched.h>
#include <string.h>

static int heavier(const void *a, const void *b, void *arg)
{
    const double *work = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (work[i] != work[j])
        return work[i] > work[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

/* Assigns each word to the block with the least work so far, the first of equal ones. */
static psdvec_status assign_blocks(pv_strata *strata, const double *work, uint32_t *order)
{
    psdvec_context *ctx = strata->memory.ctx;
    double *load = pv_alloc_zero(ctx, strata->blocks, sizeof *load, strata->memory.what);
    if (!load)
        return pv_failure(ctx);
    psdvec_status status = pv_sort(ctx, order, strata->words, sizeof *order, heavier, (void *)work);
    for (uint32_t k = 0; k < strata->words && status == PSDVEC_OK; k++) {
        uint32_t least = 0;
        for (uint32_t b = 1; b < strata->blocks; b++)
            least = load[b] < load[least] ? b : least;
        strata->block[order[k]] = (uint16_t)least;
        load[least] += work[order[k]];
    }
    pv_free(ctx, load);
    return status;
}

void pv_strata_list(pv_strata *strata)
{
    uint32_t *start = strata->start;
    memset(start, 0, ((size_t)strata->blocks + 1) * sizeof *start);
    for (uint32_t i = 0; i < strata->words; i++)
        start[strata->block[i]]++;
    for (uint32_t b = 1; b <= strata->blocks; b++)
        start[b] += start[b - 1];
    /* Backwards, so that `start` has its final values at the end. */
    for (uint32_t i = strata->words; i-- > 0;)
        strata->members[--start[strata->block[i]]] = i;
}

psdvec_status pv_strata_make(psdvec_context *ctx, uint32_t words, const double *work,
                             uint32_t blocks, pv_strata *strata)
{
    *strata = (pv_strata){
        .memory = {.ctx = ctx, .what = "blocks of words"}, .words = words, .blocks = blocks};
    PV_TAKE(&strata->memory, strata->block, words);
    PV_TAKE(&strata->memory, strata->start, (size_t)blocks + 1);
    PV_TAKE(&strata->memory, strata->members, words);
    PV_TRY(pv_scope_status(&strata->memory));
    for (uint32_t i = 0; i < words; i++)
        strata->members[i] = i; /* sorted by work, until the blocks are known */
    PV_TRY(assign_blocks(strata, work, strata->members));
    pv_strata_list(strata);
    return PSDVEC_OK;
}

void pv_strata_free(pv_strata *strata)
{
    pv_scope_free(&strata->memory);
    *strata = (pv_strata){0};
}

uint32_t pv_strata_blocks(uint32_t words)
{
    enum { words_a_block = 128 };
    uint32_t blocks = words / words_a_block;
    return blocks < 1 ? 1 : blocks > PV_STRATA_BLOCKS ? PV_STRATA_BLOCKS : blocks;
}

typedef struct round_job {
    const pv_strata *strata;
    uint32_t shift;
    pv_stratum_fn *fn;
    void *arg;
} round_job;

static psdvec_status run_stratum(void *arg, size_t task, int worker)
{
    const round_job *job = arg;
    uint32_t p = (uint32_t)task;
    PV_TRY(job->fn(job->arg, p, (p + job->shift) % job->strata->blocks, worker));
    return pv_check_cancel(job->strata->memory.ctx);
}

psdvec_status pv_strata_run(const pv_strata *strata, uint32_t shift, pv_stratum_fn *fn, void *arg)
{
    for (uint32_t r = 0; r < strata->blocks; r++) {
        round_job job = {strata, (shift % strata->blocks + r) % strata->blocks, fn, arg};
        PV_TRY(pv_parallel_tasks(strata->memory.ctx, strata->blocks, run_stratum, &job));
    }
    return PSDVEC_OK;
}

/* ---- In a group of processes --------------------------------------------------------------- */

void pv_strata_share(const psdvec_context *ctx, uint32_t blocks, uint32_t rank, uint32_t *first,
                     uint32_t *end)
{
    uint64_t members = pv_group_members(ctx);
    *first = (uint32_t)(blocks * (uint64_t)rank / members);
    *end = (uint32_t)(blocks * ((uint64_t)rank + 1) / members);
}

/* The member that runs the strata of a block of contexts in the round of this shift. */
static uint32_t holder(const pv_strata *strata, uint32_t shift, uint32_t q)
{
    const psdvec_context *ctx = strata->memory.ctx;
    uint32_t p = (q + strata->blocks - shift % strata->blocks) % strata->blocks, first, end;
    for (uint32_t r = 0;; r++) {
        pv_strata_share(ctx, strata->blocks, r, &first, &end);
        if (p < end)
            return r;
    }
}

static size_t block_rows(const pv_strata *strata, uint32_t b)
{
    return strata->start[b + 1] - strata->start[b];
}

/* Copies the rows of a block to `packed`, or from there. Returns the number of rows. */
static size_t copy_block(const pv_strata_rows *c, float *rows, uint32_t b, float *packed, bool pack)
{
    const pv_strata *strata = c->strata;
    for (uint32_t k = strata->start[b]; k < strata->start[b + 1]; k++, packed += c->stride) {
        float *row = rows + strata->members[k] * c->stride;
        memcpy(pack ? packed : row, pack ? row : packed, c->stride * sizeof *row);
    }
    return block_rows(strata, b);
}

static psdvec_status make_room(pv_strata_rows *c, size_t rows)
{
    if (rows <= c->capacity)
        return PSDVEC_OK;
    pv_scope_free(&c->memory);
    c->memory = (pv_scope){.ctx = c->strata->memory.ctx, .what = "rows for other processes"};
    c->capacity = 0;
    PV_TAKE(&c->memory, c->out, rows * c->stride);
    PV_TAKE(&c->memory, c->in, rows * c->stride);
    PV_TRY(pv_scope_status(&c->memory));
    c->capacity = rows;
    return PSDVEC_OK;
}

/* The rows that one member sends another when the blocks move on to the round of shift `to`. With
 * `at`, they are packed there or, with `arrived`, taken from there. */
static size_t moved_rows(const pv_strata_rows *c, uint32_t to, uint32_t sender, uint32_t receiver,
                         float *at, bool arrived)
{
    size_t rows = 0;
    for (uint32_t q = 0; q < c->strata->blocks; q++)
        if (holder(c->strata, c->shift, q) == sender && holder(c->strata, to, q) == receiver)
            rows += at ? copy_block(c, c->rows, q, at + rows * c->stride, !arrived)
                       : block_rows(c->strata, q);
    return rows;
}

/* Moves the rows to the members that run the round of shift `to`. */
static psdvec_status move_on(pv_strata_rows *c, uint32_t to)
{
    psdvec_context *ctx = c->strata->memory.ctx;
    uint32_t members = pv_group_members(ctx), own = pv_group_rank(ctx);
    size_t out = 0, in = 0, row = c->stride * sizeof *c->rows;
    if (!c->placed || c->shift == to) {
        c->placed = true;
        c->shift = to;
        return PSDVEC_OK;
    }
    for (uint32_t r = 0; r < members; r++) {
        out += r == own ? 0 : moved_rows(c, to, own, r, NULL, false);
        in += r == own ? 0 : moved_rows(c, to, r, own, NULL, false);
    }
    PV_TRY(make_room(c, out > in ? out : in));
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    out = in = 0;
    for (uint32_t r = 0; r < members; r++) {
        if (r == own)
            continue;
        size_t sent = moved_rows(c, to, own, r, c->out + out * c->stride, false);
        size_t received = moved_rows(c, to, r, own, NULL, false);
        pv_group_send(ctx, r, c->out + out * c->stride, sent * row);
        pv_group_receive(ctx, r, c->in + in * c->stride, received * row);
        out += sent;
        in += received;
    }
    PV_TRY(pv_group_move(ctx));
    in = 0;
    for (uint32_t r = 0; r < members; r++)
        in += r == own ? 0 : moved_rows(c, to, r, own, c->in + in * c->stride, true);
    c->shift = to;
    return PSDVEC_OK;
}

psdvec_status pv_strata_run_shared(pv_strata_rows *contexts, uint32_t shift, pv_stratum_fn *fn,
                                   void *arg)
{
    const pv_strata *strata = contexts->strata;
    psdvec_context *ctx = strata->memory.ctx;
    uint32_t first, end;
    pv_strata_share(ctx, strata->blocks, pv_group_rank(ctx), &first, &end);
    for (uint32_t r = 0; r < strata->blocks; r++) {
        round_job job = {strata, (shift % strata->blocks + r) % strata->blocks, fn, arg};
        PV_TRY(move_on(contexts, job.shift));
        PV_TRY(pv_parallel_range(ctx, first, end, run_stratum, &job));
    }
    return PSDVEC_OK;
}

/* The leader gets the rows of block b of one matrix from the member that has them. */
static psdvec_status collect_block(pv_strata_rows *c, float *rows, uint32_t b, uint32_t sender)
{
    psdvec_context *ctx = c->strata->memory.ctx;
    size_t bytes = block_rows(c->strata, b) * c->stride * sizeof *rows;
    if (sender == 0)
        return PSDVEC_OK;
    if (sender == pv_group_rank(ctx)) {
        copy_block(c, rows, b, c->out, true);
        pv_group_send(ctx, 0, c->out, bytes);
    } else if (pv_group_leads(ctx))
        pv_group_receive(ctx, sender, c->in, bytes);
    PV_TRY(pv_group_move(ctx));
    if (pv_group_leads(ctx))
        copy_block(c, rows, b, c->in, false);
    return PSDVEC_OK;
}

psdvec_status pv_strata_collect(pv_strata_rows *contexts, float *words)
{
    const pv_strata *strata = contexts->strata;
    psdvec_context *ctx = strata->memory.ctx;
    size_t most = 0;
    if (!pv_group_shares(ctx) || !contexts->placed)
        return PSDVEC_OK;
    for (uint32_t b = 0; b < strata->blocks; b++)
        most = block_rows(strata, b) > most ? block_rows(strata, b) : most;
    PV_TRY(make_room(contexts, most));
    PV_TRY(pv_group_meet(ctx, 0, NULL));
    for (uint32_t b = 0; b < strata->blocks; b++) {
        PV_TRY(collect_block(contexts, words, b, holder(strata, 0, b)));
        PV_TRY(collect_block(contexts, contexts->rows, b, holder(strata, contexts->shift, b)));
    }
    return PSDVEC_OK;
}

void pv_strata_rows_free(pv_strata_rows *contexts)
{
    pv_scope_free(&contexts->memory);
    *contexts = (pv_strata_rows){0};
}

uint64_t pv_strata_rows_bytes(const psdvec_context *ctx, uint32_t words, size_t stride)
{
    /* Between two epochs, two blocks move on; blocks have about the same work, not size. */
    uint64_t blocks = pv_strata_blocks(words), most = blocks > 2 ? 4 : 1;
    return pv_group_shares(ctx) ? 2 * most * (words / blocks + 1) * stride * sizeof(float) : 0;
}

/* ---- Phases --------------------------------------------------------------------------- */

enum {
    SPINS = 1000,     /* reads of the counter before yielding the processor */
    TASKS_A_LOOK = 64 /* between checks for cancellation */
};

typedef struct phase_run {
    psdvec_context *ctx;
    size_t phases;
    const uint64_t *starts;
    pv_phase_fn *fn;
    void *arg;
    /* on separate cache lines */
    _Alignas(64) _Atomic uint64_t next;
    _Alignas(64) _Atomic uint64_t done;
} phase_run;

/* Waits until this many tasks are done. */
static psdvec_status wait_for(phase_run *run, uint64_t tasks)
{
    for (unsigned looks = 0; atomic_load_explicit(&run->done, memory_order_acquire) < tasks;
         looks++) {
        if (looks < SPINS) {
#if PV_SSE2
            __builtin_ia32_pause();
#endif
            continue;
        }
        if (pv_stopping(run->ctx))
            return pv_check_cancel(run->ctx);
        sched_yield();
    }
    return PSDVEC_OK;
}

static psdvec_status run_worker(void *opaque, int worker)
{
    phase_run *run = opaque;
    size_t phase = 0;
    uint64_t end = run->starts[run->phases];
    for (unsigned taken = 0;; taken++) {
        if (taken % TASKS_A_LOOK == 0)
            PV_TRY(pv_check_cancel(run->ctx));
        uint64_t task = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
        if (task >= end)
            return PSDVEC_OK;
        while (task >= run->starts[phase + 1])
            phase++;
        PV_TRY(wait_for(run, run->starts[phase]));
        PV_TRY(run->fn(run->arg, phase, task - run->starts[phase], worker));
        atomic_fetch_add_explicit(&run->done, 1, memory_order_acq_rel);
    }
}

psdvec_status pv_phases_run(psdvec_context *ctx, size_t phases, const uint64_t *starts,
                            pv_phase_fn *fn, void *arg)
{
    phase_run run = {.ctx = ctx, .phases = phases, .starts = starts, .fn = fn, .arg = arg};
    return pv_parallel(ctx, run_worker, &run);
}
