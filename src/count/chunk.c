/* Counting one chunk. */
#include "count/chunk.h"

#include "base/thread.h"
#include "count/token_code.h"

static const uint32_t border = UINT32_MAX;

/* Places looked at ahead of time: their words are anywhere in memory. */
enum { AHEAD = 24 };

typedef struct chunk {
    const pv_chunk_job *job;
    psdvec_context *ctx;
    uint32_t words;     /* ids below are known; `words` itself is an unknown word */
    uint32_t *sequence; /* own tokens, then those looked at ahead, then a border */
    size_t own, length;
    size_t *piece_start; /* in the sequence, per piece; one more for the end */
    size_t first, last;  /* pieces */
    /* A slice is a contiguous part of the own tokens with a histogram. */
    size_t slices;
    uint32_t *histogram; /* slices x words: first counts, then next free place */
    size_t *row_start;   /* words + 1, in places */
    uint32_t *places;
} chunk;

uint64_t pv_chunk_bytes(uint64_t tokens)
{
    return 8 * tokens;
}

uint64_t pv_chunk_fixed_bytes(const psdvec_context *ctx, uint32_t words, uint64_t reach)
{
    uint64_t threads = (uint64_t)ctx->options.threads;
    return threads * (pv_row_sum_bytes(words) + 4 * (uint64_t)words + (2 << 20)) +
           8 * (uint64_t)words + 4 * reach + (1 << 20);
}

/* ---- The sequence --------------------------------------------------------- */

/* Final ids of a piece into `out`, at most `most`; *count tells how many. With
 * `at_border` not NULL it stops at the first border and tells so. */
static psdvec_status decode_piece(const chunk *c, const pv_token_piece *piece, uint32_t *out,
                                  size_t most, bool *at_border, size_t *count)
{
    const uint32_t *final = c->job->store->generations[piece->generation]->final;
    bool drop = c->job->oov == PSDVEC_OOV_DROP;
    uint16_t *units = pv_alloc(c->ctx, (size_t)piece->units + 1, sizeof *units, "a piece's tokens");
    if (!units)
        return pv_failure(c->ctx);
    psdvec_status status =
        pv_spool_read(c->job->store->tokens, piece->offset, units, piece->units * sizeof *units);
    size_t n = 0;
    for (size_t i = 0; status == PSDVEC_OK && i < piece->units && n < most;) {
        uint32_t token;
        i += pv_token_decode(units + i, &token);
        if (token < PV_TOKEN_FIRST_WORD) {
            if (at_border) {
                *at_border = true;
                break;
            }
            out[n++] = border;
            continue;
        }
        uint32_t id = final[token - PV_TOKEN_FIRST_WORD];
        if (id == PV_UNKNOWN_WORD) {
            if (drop)
                continue;
            id = c->words;
        }
        out[n++] = id;
    }
    pv_free(c->ctx, units);
    *count = n;
    return status;
}

static psdvec_status place_piece(void *opaque, size_t task, int worker)
{
    (void)worker;
    chunk *c = opaque;
    const pv_token_piece *piece = &c->job->store->pieces[c->first + task];
    size_t start = c->piece_start[task];
    if (!piece->continues)
        c->sequence[start++] = border;
    size_t count;
    PV_TRY(decode_piece(c, piece, c->sequence + start, piece->tokens, NULL, &count));
    /* Where unknown words vanish, a piece is shorter than its room. */
    for (size_t i = start + count; i < c->piece_start[task + 1]; i++)
        c->sequence[i] = c->words + 1;
    return PSDVEC_OK;
}

/* Takes out the rooms that unknown words left. */
static void close_up(chunk *c)
{
    size_t used = 0;
    for (size_t i = 0; i < c->own; i++) {
        c->sequence[used] = c->sequence[i];
        used += c->sequence[i] != c->words + 1;
    }
    c->own = used;
}

/* The words after the chunk that its last words still see. */
static psdvec_status look_ahead(chunk *c, uint64_t reach)
{
    const pv_token_store *store = c->job->store;
    c->length = c->own;
    bool at_border = false;
    for (size_t p = c->last; p < store->piece_count && reach > 0 && !at_border; p++) {
        const pv_token_piece *piece = &store->pieces[p];
        if (!piece->continues)
            break;
        size_t most = piece->tokens < reach ? piece->tokens : (size_t)reach, count;
        PV_TRY(decode_piece(c, piece, c->sequence + c->length, most, &at_border, &count));
        c->length += count;
        reach -= count;
    }
    c->sequence[c->length] = border;
    return PSDVEC_OK;
}

static psdvec_status build_sequence(chunk *c)
{
    const pv_token_store *store = c->job->store;
    size_t pieces = c->last - c->first;
    uint64_t reach = pv_window_reach(c->job->window);
    c->piece_start = pv_alloc(c->ctx, pieces + 1, sizeof *c->piece_start, "the list of pieces");
    if (!c->piece_start)
        return pv_failure(c->ctx);
    c->piece_start[0] = 0;
    for (size_t i = 0; i < pieces; i++) {
        const pv_token_piece *piece = &store->pieces[c->first + i];
        c->piece_start[i + 1] = c->piece_start[i] + piece->tokens + !piece->continues;
    }
    c->own = c->piece_start[pieces];
    c->sequence = pv_alloc(c->ctx, c->own + reach + 1, sizeof *c->sequence, "the text's words");
    if (!c->sequence)
        return pv_failure(c->ctx);
    PV_TRY(pv_parallel_tasks(c->ctx, pieces, place_piece, c));
    if (c->job->oov == PSDVEC_OOV_DROP)
        close_up(c);
    return look_ahead(c, reach);
}

/* ---- The places -------------------------------------------------------------- */

static size_t slice_begin(const chunk *c, size_t slice)
{
    return c->own / c->slices * slice;
}

static size_t slice_end(const chunk *c, size_t slice)
{
    return slice + 1 == c->slices ? c->own : slice_begin(c, slice + 1);
}

static psdvec_status count_slice(void *opaque, size_t slice, int worker)
{
    (void)worker;
    chunk *c = opaque;
    uint32_t *histogram = c->histogram + slice * ((size_t)c->words + 2);
    for (size_t i = slice_begin(c, slice), end = slice_end(c, slice); i < end; i++) {
        uint32_t id = c->sequence[i];
        histogram[id < c->words ? id : c->words]++; /* the last cell is never read */
    }
    return PSDVEC_OK;
}

static psdvec_status sort_slice(void *opaque, size_t slice, int worker)
{
    (void)worker;
    chunk *c = opaque;
    uint32_t *next = c->histogram + slice * ((size_t)c->words + 2);
    for (size_t i = slice_begin(c, slice), end = slice_end(c, slice); i < end; i++) {
        uint32_t id = c->sequence[i];
        if (id < c->words)
            c->places[next[id]++] = (uint32_t)i;
    }
    return PSDVEC_OK;
}

static psdvec_status sort_places(chunk *c)
{
    size_t stride = (size_t)c->words + 2;
    c->slices = (size_t)c->ctx->options.threads;
    c->histogram = pv_alloc_zero(c->ctx, c->slices * stride, sizeof *c->histogram,
                                 "sorting the words' places");
    c->row_start =
        pv_alloc(c->ctx, (size_t)c->words + 1, sizeof *c->row_start, "sorting the words' places");
    if (!c->histogram || !c->row_start)
        return pv_failure(c->ctx);
    PV_TRY(pv_parallel_tasks(c->ctx, c->slices, count_slice, c));
    size_t total = 0;
    for (uint32_t id = 0; id < c->words; id++) {
        c->row_start[id] = total;
        for (size_t s = 0; s < c->slices; s++) {
            uint32_t count = c->histogram[s * stride + id];
            c->histogram[s * stride + id] = (uint32_t)total;
            total += count;
        }
    }
    c->row_start[c->words] = total;
    c->places = pv_alloc(c->ctx, total + AHEAD, sizeof *c->places, "sorting the words' places");
    if (!c->places)
        return pv_failure(c->ctx);
    for (size_t i = 0; i < AHEAD; i++)
        c->places[total + i] = 0; /* read ahead, never used */
    PV_TRY(pv_parallel_tasks(c->ctx, c->slices, sort_slice, c));
    pv_free(c->ctx, c->histogram);
    c->histogram = NULL;
    return PSDVEC_OK;
}

/* ---- The rows ------------------------------------------------------------------ */

/* Both loops work on a copy of the accumulator's fields: behind a pointer they
 * would have to be loaded and stored again for every pair. */

static void add_row_plain(const chunk *c, pv_row_sum *row, const uint32_t *place,
                          const uint32_t *end)
{
    pv_row_sum sum = *row;
    const uint32_t *sequence = c->sequence;
    const uint32_t *weights = c->job->window->weights;
    const uint32_t span = c->job->window->span;
    for (; place < end; place++) {
        __builtin_prefetch(sequence + place[AHEAD]);
        __builtin_prefetch(sequence + place[AHEAD] + span);
        const uint32_t *word = sequence + *place;
        for (uint32_t d = 1; d <= span; d++) {
            uint32_t id = word[d];
            if (id == border)
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
    const uint32_t *sequence = c->sequence;
    const uint32_t *weights = c->job->window->weights;
    const uint16_t *steps = c->job->window->steps;
    const uint32_t limit = c->job->window->limit, span = c->job->window->span;
    for (; place < end; place++) {
        __builtin_prefetch(sequence + place[AHEAD]);
        __builtin_prefetch(sequence + place[AHEAD] + span);
        const uint32_t *word = sequence + *place;
        for (uint32_t d = PV_STEP_ONE; d < limit;) {
            uint32_t id = *++word;
            if (id == border)
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
        const uint32_t *first = c->places + c->row_start[id];
        const uint32_t *last = c->places + c->row_start[id + 1];
        if (c->job->window->steps)
            add_row_running(c, sum, first, last);
        else
            add_row_plain(c, sum, first, last);
        PV_TRY(pv_rows_add(rows, id, sum));
    }
    pv_progress_add(c->job->progress, c->row_start[end] - c->row_start[rows->first]);
    return PSDVEC_OK;
}

psdvec_status pv_chunk_count(const pv_chunk_job *job, size_t first, size_t last,
                             const pv_row_sink *sink)
{
    chunk c = {
        .job = job, .ctx = job->ctx, .words = job->vocabulary->count, .first = first, .last = last};
    psdvec_status status;
    PV_TRY_DONE(build_sequence(&c));
    PV_TRY_DONE(sort_places(&c));
    status = pv_rows_make(job->ctx, c.words, job->groups, count_group, &c, sink, NULL);
done:
    pv_free(job->ctx, c.piece_start);
    pv_free(job->ctx, c.sequence);
    pv_free(job->ctx, c.histogram);
    pv_free(job->ctx, c.row_start);
    pv_free(job->ctx, c.places);
    return status;
}
