/* Sorted runs. A merge reads each run in blocks and has a heap of the runs, with the run whose next
 * item comes first at the top. */
#include "base/sorted_runs.h"

#include "base/progress.h"

#include <string.h>

enum { BLOCK = 64 << 10, LEAST_FAN_IN = 2, MOST_FAN_IN = 4096 };

void pv_sorted_runs_init(pv_sorted_runs *runs)
{
    runs->memory = (pv_scope){.ctx = runs->ctx, .what = runs->what};
    pthread_mutex_init(&runs->lock, NULL);
}

void pv_sorted_runs_free(pv_sorted_runs *runs)
{
    if (!runs->memory.ctx)
        return;
    pv_spool_free(runs->spool);
    pv_scope_free(&runs->memory);
    pthread_mutex_destroy(&runs->lock);
    *runs = (pv_sorted_runs){0};
}

static psdvec_status add_run(pv_sorted_runs *runs, pv_sorted_run run)
{
    PV_TRY(PV_RESERVE(&runs->memory, runs->list, runs->capacity, runs->count + 1));
    runs->list[runs->count++] = run;
    return PSDVEC_OK;
}

psdvec_status pv_sorted_runs_append(pv_sorted_runs *runs, const void *items, uint64_t count)
{
    pv_sorted_run run = {.count = count};
    psdvec_status status = PSDVEC_OK;
    if (count == 0)
        return PSDVEC_OK;
    pthread_mutex_lock(&runs->lock);
    if (!runs->spool)
        status = pv_spool_new(runs->ctx, runs->folder, runs->what, 0, &runs->spool);
    pthread_mutex_unlock(&runs->lock);
    PV_TRY(status);
    PV_TRY(pv_spool_append(runs->spool, items, (size_t)count * runs->size, &run.begin));
    pthread_mutex_lock(&runs->lock);
    status = add_run(runs, run);
    pthread_mutex_unlock(&runs->lock);
    return status;
}

psdvec_status pv_sorted_runs_keep(pv_sorted_runs *runs, const void *items, uint64_t count)
{
    return count == 0 ? PSDVEC_OK : add_run(runs, (pv_sorted_run){.items = items, .count = count});
}

/* ---- The merge ------------------------------------------------------------------------- */

typedef struct source {
    const char *at, *end;      /* items in memory */
    char *block;               /* NULL: the whole run is in memory */
    uint64_t offset, in_spool; /* of the items that are not in the block yet, and their number */
} source;

static size_t block_items(const pv_sorted_runs *runs)
{
    return BLOCK > runs->size ? BLOCK / runs->size : 1;
}

static psdvec_status refill(const pv_sorted_runs *runs, source *s)
{
    uint64_t count = block_items(runs);
    count = s->in_spool < count ? s->in_spool : count;
    if (count == 0)
        return PSDVEC_OK;
    size_t bytes = (size_t)count * runs->size;
    PV_TRY(pv_spool_read(runs->spool, s->offset, s->block, bytes));
    s->offset += bytes;
    s->in_spool -= count;
    s->at = s->block;
    s->end = s->block + bytes;
    return PSDVEC_OK;
}

static void sift_down(const pv_sorted_runs *runs, source **heap, size_t count, size_t parent)
{
    source *moved = heap[parent];
    for (size_t child; (child = 2 * parent + 1) < count; parent = child) {
        if (child + 1 < count && runs->compare(heap[child + 1]->at, heap[child]->at, runs->arg) < 0)
            child++;
        if (runs->compare(moved->at, heap[child]->at, runs->arg) <= 0)
            break;
        heap[parent] = heap[child];
    }
    heap[parent] = moved;
}

static psdvec_status drain(const pv_sorted_runs *runs, source **heap, size_t count, uint64_t most,
                           pv_sorted_item_fn *on_item, void *arg)
{
    for (size_t k = count / 2; k-- > 0;)
        sift_down(runs, heap, count, k);
    for (uint64_t done = 0; count > 0 && done < most; done++) {
        source *first = heap[0];
        PV_TRY(on_item(arg, first->at));
        first->at += runs->size;
        if (first->at == first->end)
            PV_TRY(refill(runs, first));
        if (first->at == first->end)
            heap[0] = heap[--count];
        if (count > 1)
            sift_down(runs, heap, count, 0);
    }
    return PSDVEC_OK;
}

static psdvec_status merge_some(const pv_sorted_runs *runs, const pv_sorted_run *list, size_t count,
                                uint64_t most, pv_sorted_item_fn *on_item, void *arg)
{
    pv_scope scope = {.ctx = runs->ctx, .what = runs->what};
    source *sources, **heap;
    psdvec_status status;
    PV_TAKE_ZERO(&scope, sources, count);
    PV_TAKE(&scope, heap, count);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t k = 0; k < count; k++) {
        const pv_sorted_run *run = &list[k];
        source *s = heap[k] = &sources[k];
        if (run->items) {
            s->at = run->items;
            s->end = run->items + run->count * runs->size;
            continue;
        }
        s->block = pv_scope_alloc(&scope, block_items(runs), runs->size, false);
        PV_TRY_DONE(pv_scope_status(&scope));
        s->offset = run->begin;
        s->in_spool = run->count;
        PV_TRY_DONE(refill(runs, s));
    }
    status = drain(runs, heap, count, most, on_item, arg);
done:
    pv_scope_free(&scope);
    return status;
}

psdvec_status pv_sorted_runs_merge(pv_sorted_runs *runs, uint64_t most, pv_sorted_item_fn *on_item,
                                   void *arg)
{
    return merge_some(runs, runs->list, runs->count, most, on_item, arg);
}

/* ---- Fewer runs ------------------------------------------------------------------------ */

typedef struct writer {
    pv_sorted_runs *to;
    pv_spool *spool;
    char *block;
    size_t used, capacity; /* items */
    uint64_t written;
    pv_progress progress;
} writer;

static psdvec_status flush(writer *w)
{
    if (w->used == 0)
        return PSDVEC_OK;
    PV_TRY(pv_spool_append(w->spool, w->block, w->used * w->to->size, NULL));
    pv_progress_add(&w->progress, w->used);
    w->written += w->used;
    w->used = 0;
    return pv_check_cancel(w->to->ctx);
}

static psdvec_status write_item(void *arg, const void *item)
{
    writer *w = arg;
    memcpy(w->block + w->used++ * w->to->size, item, w->to->size);
    return w->used == w->capacity ? flush(w) : PSDVEC_OK;
}

/* Every `fan_in` runs become one, in a new file. */
static psdvec_status merge_pass(pv_sorted_runs *runs, size_t fan_in, uint64_t most, writer *w)
{
    size_t left = 0;
    for (size_t k = 0; k < runs->count; k += fan_in) {
        size_t count = runs->count - k < fan_in ? runs->count - k : fan_in;
        pv_sorted_run merged = {.begin = pv_spool_length(w->spool)};
        w->written = 0;
        PV_TRY(merge_some(runs, runs->list + k, count, most, write_item, w));
        PV_TRY(flush(w));
        merged.count = w->written;
        runs->list[left++] = merged; /* its place was read already */
    }
    runs->count = left;
    return PSDVEC_OK;
}

static uint64_t items_of(const pv_sorted_runs *runs)
{
    uint64_t items = 0;
    for (size_t k = 0; k < runs->count; k++)
        items += runs->list[k].count;
    return items;
}

psdvec_status pv_sorted_runs_reduce(pv_sorted_runs *runs, uint64_t most, const char *stage,
                                    const char *unit)
{
    psdvec_context *ctx = runs->ctx;
    uint64_t fan_in = runs->fan_in;
    if (fan_in == 0)
        fan_in = pv_memory_left(ctx) / 2 / (block_items(runs) * runs->size + 2 * sizeof(source));
    fan_in = fan_in < LEAST_FAN_IN ? LEAST_FAN_IN : fan_in > MOST_FAN_IN ? MOST_FAN_IN : fan_in;
    if (!runs->spool)
        return PSDVEC_OK; /* all are in memory */
    writer w = {.to = runs, .capacity = block_items(runs)};
    psdvec_status status = PSDVEC_OK;
    while (runs->count > fan_in) {
        pv_progress_begin(&w.progress, ctx, stage, unit, items_of(runs));
        if (!w.block)
            w.block = pv_alloc(ctx, w.capacity, runs->size, runs->what);
        if (!w.block)
            PV_TRY_DONE(pv_failure(ctx));
        PV_TRY_DONE(pv_spool_new(ctx, runs->folder, runs->what, 0, &w.spool));
        PV_TRY_DONE(merge_pass(runs, (size_t)fan_in, most, &w));
        pv_progress_end(&w.progress);
        pv_spool_free(runs->spool);
        runs->spool = w.spool;
        w.spool = NULL;
    }
done:
    pv_spool_free(w.spool);
    pv_free(ctx, w.block);
    return status;
}
