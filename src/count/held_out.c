/* Choosing the pieces of held-out text. */
#include "count/held_out.h"

#include <stdlib.h>
#include <string.h>

void pv_pieces_init(pv_pieces *p, psdvec_context *ctx, uint32_t wanted)
{
    *p = (pv_pieces){.memory = {.ctx = ctx, .what = "text that is held out"}, .wanted = wanted};
}

void pv_pieces_free(pv_pieces *p)
{
    pv_scope_free(&p->memory);
}

static int compare_places(const pv_piece *x, const pv_piece *y)
{
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int by_place(const void *a, const void *b)
{
    return compare_places(a, b);
}

static int by_hash(const void *a, const void *b)
{
    const pv_piece *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return compare_places(x, y);
}

/* Keeps the smallest hashes, at most two pieces of each: the second indicates a duplicate. A piece
 * has at least one word, so twice as many pieces as words are wanted are enough. */
static void drop_large(pv_pieces *p)
{
    size_t used = 0;
    if (p->count)
        qsort(p->list, p->count, sizeof *p->list, by_hash);
    for (size_t k = 0; k < p->count && used < 2 * (size_t)p->wanted; k++)
        if (used < 2 || p->list[k].hash != p->list[used - 2].hash)
            p->list[used++] = p->list[k];
    p->count = used;
}

static psdvec_status add_piece(pv_pieces *p, const pv_piece *piece)
{
    if (p->count >= 4 * (size_t)p->wanted)
        drop_large(p);
    PV_TRY(PV_RESERVE(&p->memory, p->list, p->capacity, p->count + 1));
    p->list[p->count++] = *piece;
    return PSDVEC_OK;
}

psdvec_status pv_pieces_close(pv_pieces *p, uint32_t end)
{
    pv_piece piece = p->open;
    p->open.words = 0;
    if (piece.words == 0)
        return PSDVEC_OK;
    piece.tokens = end - piece.first;
    piece.hash ^= piece.hash >> 29;
    piece.hash *= UINT64_C(0xBF58476D1CE4E5B9);
    piece.hash ^= piece.hash >> 32;
    return add_piece(p, &piece);
}

psdvec_status pv_pieces_add(pv_pieces *p, const pv_pieces *more)
{
    for (size_t k = 0; k < more->count; k++)
        PV_TRY(add_piece(p, &more->list[k]));
    return PSDVEC_OK;
}

void pv_pieces_choose(pv_pieces *p, uint64_t text_words)
{
    uint64_t most = text_words / PV_HOLD_OUT_SHARE, words = 0;
    size_t used = 0;
    most = most < p->wanted ? most : p->wanted;
    drop_large(p);
    size_t count = p->count;
    p->count = 0;
    if (most < PV_HOLD_OUT_LEAST)
        return;
    for (size_t k = 0; k < count; k++) {
        bool again = (k > 0 && p->list[k - 1].hash == p->list[k].hash) ||
                     (k + 1 < count && p->list[k + 1].hash == p->list[k].hash);
        if (again || words + p->list[k].words > most)
            continue;
        words += p->list[k].words;
        p->list[used++] = p->list[k];
    }
    p->count = used;
}

void pv_pieces_by_place(pv_pieces *p)
{
    if (p->count)
        qsort(p->list, p->count, sizeof *p->list, by_place);
}

size_t pv_pieces_from(const pv_pieces *p, uint32_t file, uint64_t sequence, uint32_t at)
{
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const pv_piece *x = &p->list[middle];
        bool before = x->file != file           ? x->file < file
                      : x->sequence != sequence ? x->sequence < sequence
                                                : x->first + x->tokens <= at;
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    return low;
}
