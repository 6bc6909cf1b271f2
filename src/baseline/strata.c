/* Dividing rows into blocks, and running the strata round by round; phases are implemented with two
 * counters, tasks assigned and tasks done. */
#include "baseline/strata.h"

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
