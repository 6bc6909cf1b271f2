/* Many short steps that follow on each other, each divided into tasks.
 *
 * pv_parallel_tasks() waits for all workers after every step, which costs more than a step of a
 * tenth of a millisecond. Here a worker takes the next task whatever its phase, and begins it as soon
 * as all tasks of the phases before are done; so nobody waits for a worker that is not at work,
 * which on a busy machine may be long away.
 */
#ifndef PV_BASELINE_PHASES_H
#define PV_BASELINE_PHASES_H

#include "base/context.h"

typedef psdvec_status pv_phase_fn(void *arg, size_t phase, size_t task, int worker);

/* Phase k has the tasks starts[k] .. starts[k + 1] - 1, numbered from 0 for fn. All tasks of a phase
 * see what those of the phases before have done. Stops early after a failure or a request to stop. */
psdvec_status pv_phases_run(psdvec_context *ctx, size_t phases, const uint64_t *starts,
                            pv_phase_fn *fn, void *arg);

#endif
