/* A pool of threads that sleep between jobs. Started on first use. */
#include "base/thread.h"

#include "util/c_locale.h"

#include <stdlib.h>

typedef struct pool_worker {
    pv_pool *pool;
    pthread_t thread;
    int number;
} pool_worker;

struct pv_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake;     /* a new job, or shutdown */
    pthread_cond_t finished; /* running fell to 0 */
    uint64_t job;            /* its serial number */
    int running;             /* workers that have not finished it */
    bool ending;
    psdvec_status failure; /* the first failure in this job */
    pv_worker_fn *fn;
    void *arg;
    int started; /* threads created */
    pool_worker workers[];
};

static void *worker_main(void *opaque)
{
    pool_worker *self = opaque;
    pv_pool *pool = self->pool;
    uint64_t last = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->job == last && !pool->ending)
            pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->ending)
            break;
        last = pool->job;
        pv_worker_fn *fn = pool->fn;
        void *arg = pool->arg;
        pthread_mutex_unlock(&pool->lock);
        psdvec_status status = fn(arg, self->number);
        pthread_mutex_lock(&pool->lock);
        if (pool->failure == PSDVEC_OK)
            pool->failure = status;
        if (--pool->running == 0)
            pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

void pv_pool_free(pv_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->finished);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* The default would be the limit of the process (`ulimit -s`), which may be too small for a thread,
 * or so large that many threads exhaust the address space. Calls of BLAS and the decompressors use
 * less than a tenth of this; instrumented code uses more. */
static const size_t stack_size = (size_t)2 << 20;

/* Starts a thread. Returns 0 or an errno value. */
static int start_worker(pool_worker *worker)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    error = pthread_attr_setstacksize(&attributes, stack_size);
    if (!error)
        error = pthread_create(&worker->thread, &attributes, worker_main, worker);
    pthread_attr_destroy(&attributes);
    return error;
}

static psdvec_status ensure_pool(psdvec_context *ctx)
{
    if (ctx->pool)
        return PSDVEC_OK;
    int helpers = ctx->options.threads - 1;
    pv_pool *pool = calloc(1, sizeof *pool + (size_t)helpers * sizeof pool->workers[0]);
    if (!pool)
        return pv_fail(ctx, PSDVEC_ERR_MEMORY, "out of memory while starting %d threads", helpers);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (int i = 0; i < helpers; i++) {
        pool->workers[i] = (pool_worker){.pool = pool, .number = i + 1};
        int error = start_worker(&pool->workers[i]);
        if (error) {
            char text[100];
            pv_pool_free(pool);
            return pv_fail(ctx, PSDVEC_ERR_THREAD,
                           "thread %d of %d could not be started: %s; use fewer threads", i + 2,
                           ctx->options.threads, pv_error_text(error, text, sizeof text));
        }
        pool->started = i + 1;
    }
    ctx->pool = pool;
    return PSDVEC_OK;
}

/* Runs a job on all workers and returns their first failure. */
static psdvec_status run_pool(pv_pool *pool, pv_worker_fn *fn, void *arg)
{
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->arg = arg;
    pool->running = pool->started;
    pool->failure = PSDVEC_OK;
    pool->job++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    psdvec_status own = fn(arg, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->running > 0)
        pthread_cond_wait(&pool->finished, &pool->lock);
    psdvec_status failure = pool->failure;
    pthread_mutex_unlock(&pool->lock);
    return own != PSDVEC_OK ? own : failure;
}

psdvec_status pv_parallel(psdvec_context *ctx, pv_worker_fn *fn, void *arg)
{
    if (atomic_exchange(&ctx->parallel, true))
        return pv_fail(ctx, PSDVEC_ERR_INTERNAL,
                       "the context is in use by another thread; use one context per thread");
    psdvec_status status = ctx->options.threads > 1 ? ensure_pool(ctx) : PSDVEC_OK;
    if (status == PSDVEC_OK)
        status = ctx->options.threads > 1 ? run_pool(ctx->pool, fn, arg) : fn(arg, 0);
    atomic_store(&ctx->parallel, false);
    /* A failure without a message must not be lost. */
    if (status != PSDVEC_OK)
        return pv_fail(ctx, status, "a part of the work failed: %s", psdvec_status_name(status));
    return (psdvec_status)atomic_load(&ctx->status);
}

typedef struct task_queue {
    psdvec_context *ctx;
    pv_task_fn *fn;
    void *arg;
    size_t tasks;
    _Atomic size_t next;
} task_queue;

static psdvec_status run_tasks(void *opaque, int worker)
{
    task_queue *queue = opaque;
    for (;;) {
        PV_TRY(pv_check_cancel(queue->ctx));
        size_t task = atomic_fetch_add(&queue->next, 1);
        if (task >= queue->tasks)
            return PSDVEC_OK;
        PV_TRY(queue->fn(queue->arg, task, worker));
    }
}

psdvec_status pv_parallel_tasks(psdvec_context *ctx, size_t tasks, pv_task_fn *fn, void *arg)
{
    task_queue queue = {.ctx = ctx, .fn = fn, .arg = arg, .tasks = tasks};
    return pv_parallel(ctx, run_tasks, &queue);
}

typedef struct task_range {
    pv_task_fn *fn;
    void *arg;
    size_t first;
} task_range;

static psdvec_status run_in_range(void *arg, size_t task, int worker)
{
    const task_range *range = arg;
    return range->fn(range->arg, range->first + task, worker);
}

psdvec_status pv_parallel_range(psdvec_context *ctx, size_t first, size_t end, pv_task_fn *fn,
                                void *arg)
{
    task_range range = {fn, arg, first};
    return pv_parallel_tasks(ctx, end > first ? end - first : 0, run_in_range, &range);
}
