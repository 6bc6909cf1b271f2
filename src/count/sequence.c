/* Text in a row, and the places of its words. */
#include "count/sequence.h"

#include "base/thread.h"
#include "count/token_code.h"

/* Borders in front of the first word. What word2vec draws for a word depends on its place, so their
 * number must stay as it is. */
enum { LEADING = 2 };

void pv_sequence_init(pv_sequence *s, psdvec_context *ctx, uint32_t words)
{
    *s = (pv_sequence){.ctx = ctx, .words = words};
}

void pv_sequence_free(pv_sequence *s)
{
    if (!s->ctx)
        return;
    pv_large_free(s->ctx, &s->ids_room);
    pv_large_free(s->ctx, &s->places_room);
    pv_free(s->ctx, s->row_start);
    pv_sequence_init(s, s->ctx, s->words);
}

uint64_t pv_sequence_tokens(const pv_token_store *store, size_t first, size_t last)
{
    uint64_t tokens = LEADING;
    for (size_t i = first; i < last; i++)
        tokens += store->parts[i].tokens;
    return tokens;
}

uint64_t pv_sequence_bytes(uint64_t tokens)
{
    return 8 * tokens;
}

static psdvec_status make_room(psdvec_context *ctx, size_t count, const char *spill,
                               const char *what, pv_large *room)
{
    if (spill)
        return pv_large_alloc(ctx, count, sizeof(uint32_t), spill, true, what, room);
    room->data = pv_alloc(ctx, count, sizeof(uint32_t), what);
    return room->data ? PSDVEC_OK : pv_failure(ctx);
}

/* ---- The sequence --------------------------------------------------------- */

typedef struct reading {
    pv_sequence *s;
    pv_token_store *store;
    psdvec_oov oov;
    size_t first, last; /* parts */
    size_t *part_start; /* in the sequence, per part; one more for the end */
} reading;

/* Final ids of a part into `out`, at most `most`; *count tells how many. With
 * `at_border` not NULL it stops at the first border and tells so. */
static psdvec_status decode_part(const reading *r, const pv_token_part *part, uint32_t *out,
                                 size_t most, bool *at_border, size_t *count)
{
    psdvec_context *ctx = r->s->ctx;
    const uint32_t *final = r->store->generations[part->generation]->final;
    bool drop = r->oov == PSDVEC_OOV_DROP;
    uint16_t *units = pv_alloc(ctx, (size_t)part->units + 1, sizeof *units, "a segment's tokens");
    if (!units)
        return pv_failure(ctx);
    psdvec_status status =
        pv_spool_read(r->store->tokens, part->offset, units, part->units * sizeof *units);
    size_t n = 0;
    for (size_t i = 0; status == PSDVEC_OK && i < part->units && n < most;) {
        uint32_t token;
        i += pv_token_decode(units + i, &token);
        if (token < PV_TOKEN_FIRST_WORD) {
            if (at_border) {
                *at_border = true;
                break;
            }
            out[n++] = PV_BORDER;
            continue;
        }
        uint32_t id = final[token - PV_TOKEN_FIRST_WORD];
        if (id == PV_UNKNOWN_WORD) {
            if (drop)
                continue;
            id = r->s->words;
        }
        out[n++] = id;
    }
    pv_free(ctx, units);
    *count = n;
    return status;
}

static psdvec_status place_part(void *opaque, size_t task, int worker)
{
    (void)worker;
    reading *r = opaque;
    pv_sequence *s = r->s;
    const pv_token_part *part = &r->store->parts[r->first + task];
    size_t start = r->part_start[task], count;
    PV_TRY(decode_part(r, part, s->ids + start, part->tokens, NULL, &count));
    /* Where unknown words vanish, a part is shorter than its room. */
    for (size_t i = start + count; i < r->part_start[task + 1]; i++)
        s->ids[i] = s->words + 1;
    return PSDVEC_OK;
}

/* Takes out the rooms that unknown words left. */
static void close_up(pv_sequence *s)
{
    size_t used = 0;
    for (size_t i = 0; i < s->own; i++) {
        s->ids[used] = s->ids[i];
        used += s->ids[i] != s->words + 1;
    }
    s->own = used;
}

/* The words behind the parts that their last words still see. */
static psdvec_status look_ahead(reading *r, uint64_t reach)
{
    pv_sequence *s = r->s;
    const pv_token_store *store = r->store;
    s->length = s->own;
    bool at_border = s->ids[s->own - 1] == PV_BORDER;
    if (at_border)
        return PSDVEC_OK;
    for (size_t p = r->last; p < store->part_count && reach > 0 && !at_border; p++) {
        const pv_token_part *part = &store->parts[p];
        size_t most = part->tokens < reach ? part->tokens : (size_t)reach, count;
        PV_TRY(decode_part(r, part, s->ids + s->length, most, &at_border, &count));
        s->length += count;
        reach -= count;
    }
    s->ids[s->length++] = PV_BORDER;
    return PSDVEC_OK;
}

psdvec_status pv_sequence_read(pv_sequence *s, pv_token_store *store, psdvec_oov oov, size_t first,
                               size_t last, uint64_t reach, const char *spill)
{
    reading r = {.s = s, .store = store, .oov = oov, .first = first, .last = last};
    psdvec_status status;
    size_t parts = last - first;
    r.part_start = pv_alloc(s->ctx, parts + 1, sizeof *r.part_start, "the list of tokens");
    if (!r.part_start)
        return pv_failure(s->ctx);
    r.part_start[0] = LEADING;
    for (size_t i = 0; i < parts; i++)
        r.part_start[i + 1] = r.part_start[i] + store->parts[first + i].tokens;
    s->own = r.part_start[parts];
    if (s->own > UINT32_MAX / 2) {
        status = pv_fail(s->ctx, PSDVEC_ERR_OVERFLOW,
                         "the text has more than 2 billion words; give a part of it");
        goto done;
    }
    PV_TRY_DONE(
        make_room(s->ctx, s->own + (size_t)reach + 1, spill, "the text's words", &s->ids_room));
    s->ids = s->ids_room.data;
    for (size_t i = 0; i < LEADING; i++)
        s->ids[i] = PV_BORDER;
    PV_TRY_DONE(pv_parallel_tasks(s->ctx, parts, place_part, &r));
    if (oov == PSDVEC_OOV_DROP)
        close_up(s);
    status = look_ahead(&r, reach);
done:
    pv_free(s->ctx, r.part_start);
    return status;
}

/* ---- The places -------------------------------------------------------------- */

/* A slice is a contiguous part of the own tokens with a histogram. */
typedef struct sorting {
    pv_sequence *s;
    size_t slices;
    uint32_t *histogram; /* slices x (words + 2): first counts, then next free place */
} sorting;

static size_t slice_begin(const sorting *o, size_t slice)
{
    return o->s->own / o->slices * slice;
}

static size_t slice_end(const sorting *o, size_t slice)
{
    return slice + 1 == o->slices ? o->s->own : slice_begin(o, slice + 1);
}

static psdvec_status count_slice(void *opaque, size_t slice, int worker)
{
    (void)worker;
    sorting *o = opaque;
    const pv_sequence *s = o->s;
    uint32_t *histogram = o->histogram + slice * ((size_t)s->words + 2);
    for (size_t i = slice_begin(o, slice), end = slice_end(o, slice); i < end; i++) {
        uint32_t id = s->ids[i];
        histogram[id < s->words ? id : s->words]++; /* the last cell is never read */
    }
    return PSDVEC_OK;
}

static psdvec_status sort_slice(void *opaque, size_t slice, int worker)
{
    (void)worker;
    sorting *o = opaque;
    pv_sequence *s = o->s;
    uint32_t *next = o->histogram + slice * ((size_t)s->words + 2);
    for (size_t i = slice_begin(o, slice), end = slice_end(o, slice); i < end; i++) {
        uint32_t id = s->ids[i];
        if (id < s->words)
            s->places[next[id]++] = (uint32_t)i;
    }
    return PSDVEC_OK;
}

psdvec_status pv_sequence_sort(pv_sequence *s, const char *spill)
{
    static const char what[] = "sorting the words' places";
    sorting o = {.s = s, .slices = (size_t)s->ctx->options.threads};
    psdvec_status status;
    size_t stride = (size_t)s->words + 2;
    o.histogram = pv_alloc_zero(s->ctx, o.slices * stride, sizeof *o.histogram, what);
    s->row_start = pv_alloc(s->ctx, (size_t)s->words + 1, sizeof *s->row_start, what);
    if (!o.histogram || !s->row_start) {
        status = pv_failure(s->ctx);
        goto done;
    }
    PV_TRY_DONE(pv_parallel_tasks(s->ctx, o.slices, count_slice, &o));
    size_t total = 0;
    for (uint32_t id = 0; id < s->words; id++) {
        s->row_start[id] = total;
        for (size_t k = 0; k < o.slices; k++) {
            uint32_t count = o.histogram[k * stride + id];
            o.histogram[k * stride + id] = (uint32_t)total;
            total += count;
        }
    }
    s->row_start[s->words] = total;
    PV_TRY_DONE(make_room(s->ctx, total + PV_PLACES_AHEAD, spill, what, &s->places_room));
    s->places = s->places_room.data;
    for (size_t i = 0; i < PV_PLACES_AHEAD; i++)
        s->places[total + i] = 0; /* read ahead, never used */
    status = pv_parallel_tasks(s->ctx, o.slices, sort_slice, &o);
done:
    pv_free(s->ctx, o.histogram);
    return status;
}
