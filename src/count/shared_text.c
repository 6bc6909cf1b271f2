/* What the members of a group tell each other about a text. */
#include "count/shared_text.h"

#include <inttypes.h>
#include <string.h>

/* The range of segments of a member, and whether its last document has words. */
typedef struct extent {
    uint64_t first_sequence, last_sequence;
    uint32_t first_file, last_file;
    uint32_t parts; /* 0: no segments; otherwise at least 1 */
    uint32_t last;  /* as in pv_token_part */
} extent;

static extent extent_of(const pv_token_store *store)
{
    extent e = {.last = PV_AS_BEFORE};
    if (store->part_count == 0)
        return e;
    const pv_token_part *first = store->parts, *last = first + store->part_count - 1;
    e = (extent){.first_sequence = first->sequence,
                 .last_sequence = last->sequence,
                 .first_file = first->file,
                 .last_file = last->file,
                 .parts = 1,
                 .last = PV_AS_BEFORE};
    for (const pv_token_part *part = first; part <= last; part++)
        if (part->last != PV_AS_BEFORE)
            e.last = part->last;
    return e;
}

/* Whether the segments of one member may be followed by those of the next. */
static bool follows(const extent *before, const extent *after)
{
    if (before->last_file == after->first_file)
        return after->first_sequence == before->last_sequence + 1;
    return after->first_file > before->last_file && after->first_sequence == 0;
}

psdvec_status pv_shared_order(pv_token_store *store, bool *has_words)
{
    psdvec_context *ctx = store->ctx;
    if (!pv_group_shares(ctx))
        return PSDVEC_OK;
    pv_buffer *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    extent own = extent_of(store), before = {0};
    psdvec_status status = pv_group_gather(ctx, &own, sizeof own, in);
    for (uint32_t r = 0; status == PSDVEC_OK && r < pv_group_members(ctx); r++) {
        extent e;
        memcpy(&e, in[r].data, sizeof e);
        if (e.parts == 0)
            continue;
        if (before.parts > 0 && !follows(&before, &e))
            status = pv_fail(ctx, PSDVEC_ERR_READ,
                             "process %" PRIu32 " does not continue where the process before it "
                             "ended; the inputs must be the same for all processes and must not "
                             "change while they are read",
                             r);
        if (r < pv_group_rank(ctx) && e.last != PV_AS_BEFORE)
            *has_words = e.last == PV_WORDS;
        before = e;
    }
    pv_group_buffers_free(ctx, in);
    return status;
}

psdvec_status pv_shared_notes(pv_token_store *store, size_t input_count)
{
    for (size_t i = 0; i < input_count; i++) {
        pv_input_note *note = &store->inputs[i];
        uint64_t numbers[] = {note->files, note->bytes, note->documents, note->tokens};
        PV_TRY(pv_group_add(store->ctx, numbers, sizeof numbers / sizeof *numbers));
        *note = (pv_input_note){.files = numbers[0],
                                .bytes = numbers[1],
                                .documents = numbers[2],
                                .tokens = numbers[3]};
    }
    return PSDVEC_OK;
}

psdvec_status pv_shared_pieces(pv_token_store *store)
{
    psdvec_context *ctx = store->ctx;
    if (!pv_group_shares(ctx) || store->held.wanted == 0)
        return PSDVEC_OK;
    pv_buffer *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    psdvec_status status =
        pv_group_gather(ctx, store->held.list, store->held.count * sizeof *store->held.list, in);
    for (uint32_t r = 0; status == PSDVEC_OK && r < pv_group_members(ctx); r++) {
        if (r == pv_group_rank(ctx))
            continue;
        pv_pieces more = {.list = (pv_piece *)(void *)in[r].data,
                          .count = in[r].length / sizeof(pv_piece)};
        status = pv_pieces_add(&store->held, &more);
    }
    pv_group_buffers_free(ctx, in);
    return status;
}

psdvec_status pv_shared_held_words(pv_token_store *store, const size_t *lengths, pv_buffer *words)
{
    psdvec_context *ctx = store->ctx;
    size_t pieces = store->held.count;
    if (!pv_group_shares(ctx) || pieces == 0)
        return PSDVEC_OK;
    uint32_t members = pv_group_members(ctx);
    psdvec_status status;
    pv_buffer *all = pv_group_buffers(ctx), *sizes = pv_group_buffers(ctx), merged = {.ctx = ctx};
    pv_scope scope = {.ctx = ctx, .what = "text that is held out"};
    size_t *at;
    PV_TAKE_ZERO(&scope, at, members);
    if (!all || !sizes)
        PV_TRY_DONE(pv_failure(ctx));
    PV_TRY_DONE(pv_scope_status(&scope));
    PV_TRY_DONE(pv_group_gather(ctx, lengths, pieces * sizeof *lengths, sizes));
    PV_TRY_DONE(pv_group_gather(ctx, words->data, words->length, all));
    for (size_t k = 0; k < pieces; k++)
        for (uint32_t r = 0; r < members; r++) {
            size_t length;
            memcpy(&length, sizes[r].data + k * sizeof length, sizeof length);
            PV_TRY_DONE(pv_buffer_append(&merged, all[r].data + at[r], length));
            at[r] += length;
        }
    words->length = 0;
    status = pv_buffer_append(words, merged.data, merged.length);
done:
    pv_buffer_free(&merged);
    pv_scope_free(&scope);
    pv_group_buffers_free(ctx, all);
    pv_group_buffers_free(ctx, sizes);
    return status;
}

psdvec_status pv_shared_ahead(pv_token_store *store, const pv_buffer *head, uint64_t reach,
                              uint32_t border)
{
    psdvec_context *ctx = store->ctx;
    pv_buffer *in = pv_group_buffers(ctx);
    if (!in)
        return pv_failure(ctx);
    psdvec_status status = pv_group_gather(ctx, head->data, head->length, in);
    store->ahead.length = 0;
    bool ended = false;
    for (uint32_t r = pv_group_rank(ctx) + 1;
         r < pv_group_members(ctx) && status == PSDVEC_OK && !ended; r++) {
        status = pv_buffer_append(&store->ahead, in[r].data, in[r].length);
        uint32_t last = 0;
        if (in[r].length > 0)
            memcpy(&last, in[r].data + in[r].length - sizeof last, sizeof last);
        ended = (in[r].length > 0 && last == border) || store->ahead.length >= reach * sizeof last;
    }
    pv_group_buffers_free(ctx, in);
    return status;
}
