/* Threads: a pool owned by the context, and the two ways to use it.
 *
 * Work is divided into tasks that depend only on their own number, never on which worker runs them
 * or when; so results do not depend on the number of threads.
 */
#ifndef PV_BASE_THREAD_H
#define PV_BASE_THREAD_H

#include "base/context.h"

/* Runs fn(arg, worker) once on each of psdvec_threads(ctx) workers, the caller being worker 0, and
 * waits for all. Returns the recorded failure, if any; what a worker returns is recorded if it has
 * not done so itself. Workers must not call this function: nested calls fail with
 * PSDVEC_ERR_INTERNAL. */
typedef psdvec_status pv_worker_fn(void *arg, int worker);
psdvec_status pv_parallel(psdvec_context *ctx, pv_worker_fn *fn, void *arg);

/* Runs fn(arg, task, worker) for task 0 .. tasks-1, handed out in ascending
 * order. Stops handing out tasks after a failure or a request to stop. */
typedef psdvec_status pv_task_fn(void *arg, size_t task, int worker);
psdvec_status pv_parallel_tasks(psdvec_context *ctx, size_t tasks, pv_task_fn *fn, void *arg);

/* The same for task first .. end-1. */
psdvec_status pv_parallel_range(psdvec_context *ctx, size_t first, size_t end, pv_task_fn *fn,
                                void *arg);

void pv_pool_free(pv_pool *pool);

#endif
