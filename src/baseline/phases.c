/* Phases by two counters: tasks given out, tasks done. */
#include "baseline/phases.h"

#include "base/platform.h"
#include "base/thread.h"

#include <sched.h>

enum {
    SPINS = 1000,     /* looks at the counter before others may have the processor */
    TASKS_A_LOOK = 64 /* between questions whether to stop */
};

typedef struct phase_run {
    psdvec_context *ctx;
    size_t phases;
    const uint64_t *starts;
    pv_phase_fn *fn;
    void *arg;
    /* each on its own cache line */
    _Alignas(64) _Atomic uint64_t next;
    _Alignas(64) _Atomic uint64_t done;
} phase_run;

static inline void pause_a_little(void)
{
#if PV_SSE2
    __builtin_ia32_pause();
#endif
}

/* Until so many tasks are done. */
static psdvec_status wait_for(phase_run *run, uint64_t tasks)
{
    for (unsigned looks = 0; atomic_load_explicit(&run->done, memory_order_acquire) < tasks;
         looks++) {
        if (looks < SPINS) {
            pause_a_little();
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
