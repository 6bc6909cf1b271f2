/* Text as a sequence of ids, and the positions of its words. */
#include "count/sequence.h"

#include "base/thread.h"
#include "count/shared_text.h"

/* Borders before the first word. The random numbers that word2vec draws for a word depend on its
 * position, so this number must not change. */
enum { LEADING = 2 };

void pv_sequence_init(pv_sequence *s, psdvec_context *ctx, uint32_t words)
{
    *s = (pv_sequence){
        .ctx = ctx, .memory = {.ctx = ctx, .what = "the text's words"}, .words = words};
}

void pv_sequence_free(pv_sequence *s)
{
    pv_large_free(s->ctx, &s->ids_memory);
    pv_large_free(s->ctx, &s->places_memory);
    pv_scope_free(&s->memory);
    pv_sequence_init(s, s->ctx, s->words);
}

uint64_t pv_sequence_tokens(const pv_token_store *store, size_t first, size_t last)
{
    uint64_t tokens = LEADING;
    for (size_t i = first; i < last; i++)
        tokens += store->parts[i].tokens;
    return tokens;
}

/* Unlike pv_large_alloc, does not zero the memory. */
static psdvec_status allocate(psdvec_context *ctx, size_t count, const char *spill,
                              const char *what, pv_large *memory, uint32_t **array)
{
    if (spill)
        PV_TRY(pv_large_alloc(ctx, count, sizeof **array, spill, true, what, memory));
    else
        memory->data = pv_alloc(ctx, count, sizeof **array, what);
    *array = memory->data;
    return *array ? PSDVEC_OK : pv_failure(ctx);
}

typedef struct reading {
    pv_sequence *s;
    pv_token_store *store;
    psdvec_oov oov;
    size_t first, last; /* parts */
    size_t *part_start; /* in the sequence, per part; one more for the end */
} reading;

static bool same_segment(const pv_piece *piece, const pv_token_part *part)
{
    return piece->file == part->file && piece->sequence == part->sequence;
}

/* Writes final ids of a part to `out`, at most `most`; *count is their number. If `at_border` is
 * not NULL, stops at the first border and sets it. Held-out tokens become borders. */
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
    const pv_pieces *held = &r->store->held;
    const pv_piece *piece = held->list, *end = held->count ? piece + held->count : piece;
    if (held->count)
        piece += pv_pieces_from(held, part->file, part->sequence, part->before);
    size_t n = 0;
    uint32_t place = part->before;
    for (size_t i = 0; status == PSDVEC_OK && i < part->units && n < most; place++) {
        uint32_t token;
        i += pv_token_decode(units + i, &token);
        while (piece < end && same_segment(piece, part) && place >= piece->first + piece->tokens)
            piece++;
        bool out_of_it = piece < end && same_segment(piece, part) && place >= piece->first;
        if (token < PV_TOKEN_FIRST_WORD || out_of_it) {
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
    /* If unknown words are dropped, a part is shorter than the space reserved for it. */
    for (size_t i = start + count; i < r->part_start[task + 1]; i++)
        s->ids[i] = s->words + 1;
    return PSDVEC_OK;
}

/* Reads the words after the last part that are still in the window of its last words. */
static psdvec_status read_ahead(reading *r, uint64_t reach)
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
    const uint32_t *ahead = (const uint32_t *)(const void *)store->ahead.data;
    for (size_t k = 0; k < store->ahead.length / sizeof *ahead && reach > 0 && !at_border; k++) {
        at_border = ahead[k] == PV_BORDER;
        if (!at_border) {
            s->ids[s->length++] = ahead[k];
            reach--;
        }
    }
    s->ids[s->length++] = PV_BORDER;
    return PSDVEC_OK;
}

psdvec_status pv_sequence_share(psdvec_context *ctx, pv_token_store *store, uint32_t words,
                                psdvec_oov oov, uint64_t reach)
{
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    pv_sequence none;
    pv_sequence_init(&none, ctx, words);
    reading r = {.s = &none, .store = store, .oov = oov};
    pv_buffer head = {.ctx = ctx};
    psdvec_status status = pv_buffer_reserve(&head, (size_t)(reach + 1) * sizeof(uint32_t));
    uint32_t *ids = (uint32_t *)(void *)head.data;
    size_t length = 0;
    bool at_border = false;
    for (size_t p = 0; status == PSDVEC_OK && p < store->part_count && length < reach && !at_border;
         p++) {
        const pv_token_part *part = &store->parts[p];
        size_t left = (size_t)reach - length, most = part->tokens < left ? part->tokens : left;
        size_t count = 0;
        status = decode_part(&r, part, ids + length, most, &at_border, &count);
        length += count;
    }
    if (at_border)
        ids[length++] = PV_BORDER;
    head.length = length * sizeof *ids;
    if (status == PSDVEC_OK)
        status = pv_shared_ahead(store, &head, reach, PV_BORDER);
    pv_buffer_free(&head);
    return status;
}

psdvec_status pv_sequence_read(pv_sequence *s, pv_token_store *store, psdvec_oov oov, size_t first,
                               size_t last, uint64_t reach, const char *spill)
{
    reading r = {.s = s, .store = store, .oov = oov, .first = first, .last = last};
    psdvec_status status;
    size_t parts = last - first;
    PV_TAKE(&s->memory, r.part_start, parts + 1);
    PV_TRY(pv_scope_status(&s->memory));
    r.part_start[0] = LEADING;
    for (size_t i = 0; i < parts; i++)
        r.part_start[i + 1] = r.part_start[i] + store->parts[first + i].tokens;
    s->own = r.part_start[parts];
    if (s->own > UINT32_MAX / 2)
        PV_TRY_DONE(pv_fail(s->ctx, PSDVEC_ERR_OVERFLOW,
                            "the text has more than 2 billion words; give a part of it"));
    PV_TRY_DONE(allocate(s->ctx, s->own + (size_t)reach + 1, spill, "the text's words",
                         &s->ids_memory, &s->ids));
    for (size_t i = 0; i < LEADING; i++)
        s->ids[i] = PV_BORDER;
    PV_TRY_DONE(pv_parallel_tasks(s->ctx, parts, place_part, &r));
    if (oov == PSDVEC_OOV_DROP) { /* close the gaps that unknown words left */
        size_t used = 0;
        for (size_t i = 0; i < s->own; i++) {
            s->ids[used] = s->ids[i];
            used += s->ids[i] != s->words + 1;
        }
        s->own = used;
    }
    status = read_ahead(&r, reach);
done:
    pv_scope_drop(&s->memory, r.part_start);
    return status;
}

/* Appends the tokens of a piece that are in a part, as final ids. */
static psdvec_status append_piece(const pv_token_store *store, const pv_token_part *part,
                                  const pv_piece *piece, pv_buffer *words)
{
    const uint32_t *final = store->generations[part->generation]->final;
    uint16_t *units =
        pv_alloc(store->ctx, (size_t)part->units + 1, sizeof *units, "a segment's tokens");
    if (!units)
        return pv_failure(store->ctx);
    psdvec_status status =
        pv_spool_read(store->tokens, part->offset, units, part->units * sizeof *units);
    uint32_t place = part->before, token;
    for (size_t i = 0; status == PSDVEC_OK && i < part->units; place++) {
        i += pv_token_decode(units + i, &token);
        if (place < piece->first || place >= piece->first + piece->tokens)
            continue;
        uint32_t id = PV_HELD_END;
        if (token >= PV_TOKEN_FIRST_WORD) {
            id = final[token - PV_TOKEN_FIRST_WORD];
            id = id == PV_UNKNOWN_WORD ? PV_HELD_UNKNOWN : id;
        }
        status = pv_buffer_append(words, &id, sizeof id);
    }
    pv_free(store->ctx, units);
    return status;
}

psdvec_status pv_held_words(pv_token_store *store, pv_buffer *words)
{
    const uint32_t end = PV_HELD_END;
    psdvec_status status;
    pv_scope scope = {.ctx = store->ctx, .what = "text that is held out"};
    size_t *lengths; /* bytes of each piece; 0 if another member of the group has it */
    PV_TAKE_ZERO(&scope, lengths, store->held.count);
    PV_TRY_DONE(pv_scope_status(&scope));
    for (size_t k = 0; k < store->held.count; k++) {
        const pv_piece *piece = &store->held.list[k];
        size_t before = words->length;
        for (size_t p = 0; p < store->part_count; p++) {
            const pv_token_part *part = &store->parts[p];
            if (same_segment(piece, part) && part->before < piece->first + piece->tokens &&
                part->before + part->tokens > piece->first)
                PV_TRY_DONE(append_piece(store, part, piece, words));
        }
        if (words->length > before)
            PV_TRY_DONE(pv_buffer_append(words, &end, sizeof end));
        lengths[k] = words->length - before;
    }
    status = pv_shared_held_words(store, lengths, words);
    pv_pieces_by_place(&store->held);
done:
    pv_scope_free(&scope);
    return status;
}

typedef struct sorting {
    pv_sequence *s;
    size_t ranges;       /* of the own tokens */
    uint32_t *histogram; /* ranges x (words + 2): first counts, then next free position */
} sorting;

/* Counts the words of a range or, in the second pass, writes their positions in order. */
static psdvec_status sort_range(void *opaque, size_t range, int worker)
{
    (void)worker;
    const sorting *o = opaque;
    pv_sequence *s = o->s;
    uint32_t *histogram = o->histogram + range * ((size_t)s->words + 2);
    size_t step = s->own / o->ranges, first = range * step;
    size_t end = range + 1 == o->ranges ? s->own : first + step;
    if (!s->places) {
        for (size_t i = first; i < end; i++) {
            uint32_t id = s->ids[i];
            histogram[id < s->words ? id : s->words]++; /* the last cell is never read */
        }
        return PSDVEC_OK;
    }
    for (size_t i = first; i < end; i++) {
        uint32_t id = s->ids[i];
        if (id < s->words)
            s->places[histogram[id]++] = (uint32_t)i;
    }
    return PSDVEC_OK;
}

psdvec_status pv_sequence_sort(pv_sequence *s, const char *spill)
{
    pv_scope scope = {.ctx = s->ctx, .what = "sorting the words' places"};
    sorting o = {.s = s, .ranges = (size_t)s->ctx->options.threads};
    psdvec_status status;
    size_t stride = (size_t)s->words + 2, total = 0;
    PV_TAKE_ZERO(&scope, o.histogram, o.ranges * stride);
    PV_TAKE(&s->memory, s->row_start, (size_t)s->words + 1);
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_scope_status(&s->memory));
    PV_TRY_DONE(pv_parallel_tasks(s->ctx, o.ranges, sort_range, &o));
    for (uint32_t id = 0; id < s->words; id++) {
        s->row_start[id] = total;
        for (size_t k = 0; k < o.ranges; k++) {
            uint32_t count = o.histogram[k * stride + id];
            o.histogram[k * stride + id] = (uint32_t)total;
            total += count;
        }
    }
    s->row_start[s->words] = total;
    PV_TRY_DONE(allocate(s->ctx, total + PV_PLACES_AHEAD, spill, scope.what, &s->places_memory,
                         &s->places));
    for (size_t i = 0; i < PV_PLACES_AHEAD; i++)
        s->places[total + i] = 0; /* prefetched, never used */
    status = pv_parallel_tasks(s->ctx, o.ranges, sort_range, &o);
done:
    pv_scope_free(&scope);
    return status;
}
