/* Sorting blocks of triples and summing their rows. */
#include "count/triples.h"

#include <string.h>

enum {
    GROUP_WORK = 1 << 16, /* approximate number of triples per group of rows */
    FEWEST_GROUPS = 256,
    WORKER_BYTES = 4 << 20 /* for a group's finished rows */
};

#define MOST_EXPECTED (UINT64_C(1) << 40)

static const char what[] = "sorting pairs";

psdvec_status pv_triples_init(pv_triples *t, psdvec_context *ctx, const char *folder,
                              uint32_t words, uint64_t expected, const uint64_t *work,
                              uint64_t reserve)
{
    *t = (pv_triples){.memory = {.ctx = ctx, .what = what},
                      .folder = folder,
                      .words = words,
                      .expected = expected,
                      .work = work};
    uint64_t threads = (uint64_t)ctx->options.threads;
    uint64_t fixed = reserve + threads * (pv_row_sum_bytes(words) + WORKER_BYTES) +
                     16 * (uint64_t)words;
    uint64_t left = pv_memory_left(ctx);
    uint64_t usable = left > fixed ? (left - fixed) / 10 * 9 : 0;
    uint64_t limit = usable / (PV_TRIPLE_SEGMENT * (sizeof(pv_triple) + sizeof(uint32_t)));
    if (limit > UINT32_MAX / PV_TRIPLE_SEGMENT)
        limit = UINT32_MAX / PV_TRIPLE_SEGMENT; /* positions are 32 bits wide */
    t->segment_limit = limit > 0 ? (size_t)limit : 1;
    PV_TAKE_ZERO(&t->memory, t->segments, t->segment_limit);
    return pv_scope_status(&t->memory);
}

static void free_segments(pv_triples *t)
{
    for (size_t i = 0; i < t->segment_count; i++)
        pv_free(t->memory.ctx, t->segments[i]);
    t->segment_count = 0;
    t->next = t->end = NULL;
}

void pv_triples_free(pv_triples *t)
{
    pv_spills_free(&t->spills);
    pv_row_groups_free(&t->groups, t->memory.ctx);
    free_segments(t);
    pv_scope_free(&t->memory);
    *t = (pv_triples){0};
}

psdvec_status pv_triples_overflow(pv_triples *t)
{
    return pv_fail(t->memory.ctx, PSDVEC_ERR_OVERFLOW,
                   "the sum of the counts does not fit into 64 bits; use a smaller scale");
}

static size_t held(const pv_triples *t)
{
    return t->segment_count * PV_TRIPLE_SEGMENT - (size_t)(t->end - t->next);
}

/* The same groups for all spills. They affect only speed and memory, so an estimate is good enough:
 * the words' frequencies, or else 1/rank. */
static psdvec_status make_groups(pv_triples *t)
{
    uint64_t triples = pv_larger(held(t), t->expected);
    if (triples > MOST_EXPECTED)
        triples = MOST_EXPECTED;
    uint64_t *guess = NULL;
    if (!t->work) {
        PV_TAKE(&t->memory, guess, t->words);
        PV_TRY(pv_scope_status(&t->memory));
        for (uint32_t i = 0; i < t->words; i++)
            guess[i] = triples / ((uint64_t)i + 8);
    }
    PV_TRY(pv_row_groups_init(&t->groups, t->memory.ctx, t->work ? t->work : guess, t->words,
                              pv_larger(triples / GROUP_WORK, FEWEST_GROUPS)));
    pv_scope_drop(&t->memory, guess);
    pv_spills_init(&t->spills, t->memory.ctx, t->folder, &t->groups, t->words);
    t->grouped = true;
    return PSDVEC_OK;
}

typedef struct block_job {
    pv_triples *triples;
    uint32_t *row_end; /* words + 1: row r has the positions row_end[r] .. row_end[r + 1] - 1 */
    uint32_t *order;   /* position -> triple; NULL: identity */
} block_job;

static size_t segment_length(const pv_triples *t, size_t segment)
{
    return segment + 1 < t->segment_count ? PV_TRIPLE_SEGMENT
                                          : PV_TRIPLE_SEGMENT - (size_t)(t->end - t->next);
}

/* row_end[r + 2] becomes the number of triples of row r, then the prefix sum. So row_end[r + 1] is
 * where row r begins until sort_by_row moves it to its end. */
static bool count_rows(const pv_triples *t, uint32_t *row_end)
{
    bool sorted = true;
    uint32_t last = 0;
    for (size_t s = 0; s < t->segment_count; s++) {
        size_t length = segment_length(t, s);
        const pv_triple *segment = t->segments[s];
        for (size_t i = 0; i < length; i++) {
            uint32_t row = segment[i].row;
            sorted &= row >= last;
            last = row;
            row_end[row + 2]++;
        }
    }
    for (uint32_t r = 0; r < t->words; r++)
        row_end[r + 2] += row_end[r + 1];
    return sorted;
}

static psdvec_status sort_by_row(block_job *job)
{
    pv_triples *t = job->triples;
    PV_TAKE_ZERO(&t->memory, job->row_end, (size_t)t->words + 2);
    PV_TRY(pv_scope_status(&t->memory));
    if (count_rows(t, job->row_end)) {
        memmove(job->row_end, job->row_end + 1, ((size_t)t->words + 1) * sizeof *job->row_end);
        return PSDVEC_OK;
    }
    PV_TAKE(&t->memory, job->order, held(t));
    PV_TRY(pv_scope_status(&t->memory));
    uint32_t *next = job->row_end + 1;
    uint32_t place = 0;
    for (size_t s = 0; s < t->segment_count; s++) {
        size_t length = segment_length(t, s);
        for (size_t i = 0; i < length; i++)
            job->order[next[t->segments[s][i].row]++] = place++;
        PV_TRY(pv_check_cancel(t->memory.ctx));
    }
    return PSDVEC_OK;
}

static psdvec_status add_group(void *opaque, size_t group, int worker, pv_row_sum *sum,
                               pv_rows *rows)
{
    (void)group, (void)worker;
    const block_job *job = opaque;
    PV_TRY(pv_rows_reserve(rows, 1)); /* empty rows need an array too */
    for (uint32_t row = rows->first; row < rows->first + rows->count; row++) {
        for (uint32_t k = job->row_end[row]; k < job->row_end[row + 1]; k++) {
            uint32_t i = job->order ? job->order[k] : k;
            const pv_triple *triple =
                &job->triples->segments[i / PV_TRIPLE_SEGMENT][i % PV_TRIPLE_SEGMENT];
            pv_row_sum_add(sum, triple->column, triple->value);
        }
        PV_TRY(pv_rows_add(rows, row, sum));
    }
    return PSDVEC_OK;
}

/* Sorts the block and sums its rows into the sink. */
static psdvec_status take_block(pv_triples *t, const pv_row_sink *sink)
{
    block_job job = {.triples = t};
    psdvec_status status = sort_by_row(&job);
    if (status == PSDVEC_OK)
        status = pv_rows_make(t->memory.ctx, t->words, &t->groups, add_group, &job, sink, NULL);
    pv_scope_drop(&t->memory, job.row_end);
    pv_scope_drop(&t->memory, job.order);
    return status;
}

/* Turns the block into a spill and frees its segments. */
static psdvec_status spill(pv_triples *t)
{
    pv_row_sink sink;
    if (!t->grouped)
        PV_TRY(make_groups(t));
    PV_TRY(pv_spills_begin(&t->spills, &sink));
    PV_TRY(take_block(t, &sink));
    pv_spills_end(&t->spills);
    free_segments(t);
    return PSDVEC_OK;
}

psdvec_status pv_triples_grow(pv_triples *t)
{
    psdvec_context *ctx = t->memory.ctx;
    PV_TRY(pv_check_cancel(ctx));
    pv_triple *segment = NULL;
    if (t->segment_count < t->segment_limit)
        segment =
            pv_alloc(ctx, PV_TRIPLE_SEGMENT, sizeof *segment, t->segment_count == 0 ? what : NULL);
    if (!segment) {
        if (t->segment_count == 0)
            return pv_failure(ctx);
        PV_TRY(spill(t));
        return pv_triples_grow(t);
    }
    t->segments[t->segment_count++] = segment;
    t->next = segment;
    t->end = segment + PV_TRIPLE_SEGMENT;
    return PSDVEC_OK;
}

psdvec_status pv_triples_finish(pv_triples *t, const pv_row_sink *sink)
{
    if (!t->grouped)
        PV_TRY(make_groups(t));
    if (t->spills.count == 0)
        return take_block(t, sink);
    PV_TRY(spill(t));
    return pv_spills_merge(&t->spills, sink, "merging");
}
