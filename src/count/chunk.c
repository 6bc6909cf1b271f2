/* Counting one chunk. */
#include "count/chunk.h"

#include "count/sequence.h"

typedef struct chunk {
    const pv_chunk_job *job;
    pv_sequence text;
} chunk;

uint64_t pv_chunk_bytes(uint64_t tokens)
{
    return pv_sequence_bytes(tokens);
}

uint64_t pv_chunk_fixed_bytes(const psdvec_context *ctx, uint32_t words, uint64_t reach)
{
    uint64_t threads = (uint64_t)ctx->options.threads;
    return threads * (pv_row_sum_bytes(words) + 4 * (uint64_t)words + (2 << 20)) +
           8 * (uint64_t)words + 4 * reach + (1 << 20);
}

/* ---- The rows ------------------------------------------------------------------ */

/* Both loops work on a copy of the accumulator's fields: behind a pointer they
 * would have to be loaded and stored again for every pair. */

static void add_row_plain(const chunk *c, pv_row_sum *row, const uint32_t *place,
                          const uint32_t *end)
{
    pv_row_sum sum = *row;
    const uint32_t *sequence = c->text.ids;
    const uint32_t *weights = c->job->window->weights;
    const uint32_t span = c->job->window->span;
    for (; place < end; place++) {
        __builtin_prefetch(sequence + place[PV_PLACES_AHEAD]);
        __builtin_prefetch(sequence + place[PV_PLACES_AHEAD] + span);
        const uint32_t *word = sequence + *place;
        for (uint32_t d = 1; d <= span; d++) {
            uint32_t id = word[d];
            if (id == PV_BORDER)
                break;
            pv_row_sum_add(&sum, id, weights[d]);
        }
    }
    row->touched_count = sum.touched_count;
}

static void add_row_running(const chunk *c, pv_row_sum *row, const uint32_t *place,
                            const uint32_t *end)
{
    pv_row_sum sum = *row;
    const uint32_t *sequence = c->text.ids;
    const uint32_t *weights = c->job->window->weights;
    const uint16_t *steps = c->job->window->steps;
    const uint32_t limit = c->job->window->limit, span = c->job->window->span;
    for (; place < end; place++) {
        __builtin_prefetch(sequence + place[PV_PLACES_AHEAD]);
        __builtin_prefetch(sequence + place[PV_PLACES_AHEAD] + span);
        const uint32_t *word = sequence + *place;
        for (uint32_t d = PV_STEP_ONE; d < limit;) {
            uint32_t id = *++word;
            if (id == PV_BORDER)
                break;
            pv_row_sum_add(&sum, id, weights[d]);
            d += steps[id];
        }
    }
    row->touched_count = sum.touched_count;
}

static psdvec_status count_group(void *opaque, size_t group, int worker, pv_row_sum *sum,
                                 pv_rows *rows)
{
    (void)group, (void)worker;
    chunk *c = opaque;
    uint32_t end = rows->first + rows->count;
    for (uint32_t id = rows->first; id < end; id++) {
        const uint32_t *first = c->text.places + c->text.row_start[id];
        const uint32_t *last = c->text.places + c->text.row_start[id + 1];
        if (c->job->window->steps)
            add_row_running(c, sum, first, last);
        else
            add_row_plain(c, sum, first, last);
        PV_TRY(pv_rows_add(rows, id, sum));
    }
    pv_progress_add(c->job->progress, c->text.row_start[end] - c->text.row_start[rows->first]);
    return PSDVEC_OK;
}

psdvec_status pv_chunk_count(const pv_chunk_job *job, size_t first, size_t last,
                             const pv_row_sink *sink)
{
    chunk c = {.job = job};
    psdvec_status status;
    pv_sequence_init(&c.text, job->ctx, job->vocabulary->count);
    PV_TRY_DONE(pv_sequence_read(&c.text, job->store, job->oov, first, last,
                                 pv_window_reach(job->window), NULL));
    PV_TRY_DONE(pv_sequence_sort(&c.text, NULL));
    status = pv_rows_make(job->ctx, c.text.words, job->groups, count_group, &c, sink, NULL);
done:
    pv_sequence_free(&c.text);
    return status;
}
