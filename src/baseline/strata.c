/* Dividing rows into blocks, and running the strata round by round. */
#include "baseline/strata.h"

#include "base/sort.h"
#include "base/thread.h"

#include <string.h>

static int heavier(const void *a, const void *b, void *arg)
{
    const double *work = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (work[i] != work[j])
        return work[i] > work[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

/* A heap of blocks, the one with the least work on top; of equals the first. */
typedef struct lightest {
    double *load;
    uint32_t *heap;
    uint32_t count;
} lightest;

static bool before(const lightest *h, uint32_t a, uint32_t b)
{
    return h->load[a] < h->load[b] || (h->load[a] == h->load[b] && a < b);
}

static void sink_top(lightest *h)
{
    uint32_t at = 0, block = h->heap[0];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && before(h, h->heap[child + 1], h->heap[child]))
            child++;
        if (before(h, block, h->heap[child]))
            break;
        h->heap[at] = h->heap[child];
        at = child;
    }
    h->heap[at] = block;
}

static psdvec_status assign_blocks(pv_strata *strata, const double *work, uint32_t *order)
{
    uint32_t blocks = strata->blocks;
    pv_scope scope = {.ctx = strata->memory.ctx, .what = strata->memory.what};
    lightest h = {.count = blocks};
    psdvec_status status;
    PV_TAKE_ZERO(&scope, h.load, blocks);
    PV_TAKE(&scope, h.heap, blocks);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_sort(scope.ctx, order, strata->words, sizeof *order, heavier, (void *)work));
    for (uint32_t b = 0; b < blocks; b++)
        h.heap[b] = b;
    for (uint32_t k = 0; k < strata->words; k++) {
        uint32_t block = h.heap[0];
        strata->block[order[k]] = (uint16_t)block;
        h.load[block] += work[order[k]];
        sink_top(&h);
    }
done:
    pv_scope_free(&scope);
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
    for (uint32_t i = strata->words; i-- > 0;) /* from behind, so that `start` ends as it should */
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
        strata->members[i] = i; /* the order of work, until the blocks are known */
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
    enum { words_a_block = 128, most_blocks = 16 };
    uint32_t blocks = words / words_a_block;
    return blocks < 1 ? 1 : blocks > most_blocks ? most_blocks : blocks;
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
