/* Held-out text: text that is not counted, for fitting parameters to text that the vectors have not
 * seen (docs/explanation/documents.md).
 *
 * The text of a segment is divided into pieces: a document of at most PV_PIECE_WORDS words is one
 * piece, a longer one has a piece every PV_PIECE_WORDS words. The pieces with the smallest hashes
 * of their words are held out, up to the wanted number of words and one word in PV_HOLD_OUT_SHARE.
 * A piece that occurs several times is counted. So the choice depends only on the text, not on
 * threads, memory or the order of the inputs.
 *
 * Pieces are held out instead of complete documents, because a text may be one document. The model
 * then knows other words of the same document, and the fitted T is slightly too large;
 * docs/explanation/documents.md quantifies the effect.
 */
#ifndef PV_COUNT_HELD_OUT_H
#define PV_COUNT_HELD_OUT_H

#include "base/memory.h"

enum {
    PV_PIECE_WORDS = 100,
    PV_HOLD_OUT_SHARE = 200,
    PV_HOLD_OUT_LEAST = 250 /* with fewer words, nothing is held out */
};

/* In the list of held-out words, besides word numbers: a word outside the vocabulary, and the end
 * of a piece, sentence or document. */
#define PV_HELD_UNKNOWN UINT32_MAX
#define PV_HELD_END (UINT32_MAX - 1)

typedef struct pv_piece {
    uint64_t hash, sequence;
    uint32_t file;          /* file and sequence of its segment */
    uint32_t first, tokens; /* in the segment, words and marks */
    uint32_t words;
} pv_piece;

/* The pieces with the smallest hashes that a reader has found. */
typedef struct pv_pieces {
    pv_scope memory;
    uint32_t wanted; /* words to be held out; 0: nothing is recorded */
    pv_piece *list;
    size_t count, capacity;
    pv_piece open; /* the piece being read, if it has words */
} pv_pieces;

void pv_pieces_init(pv_pieces *pieces, psdvec_context *ctx, uint32_t wanted);
void pv_pieces_free(pv_pieces *pieces);

/* Ends the open piece, before token `end` of its segment. */
psdvec_status pv_pieces_close(pv_pieces *pieces, uint32_t end);
/* Adds a word, token `at` of a segment. */
static inline psdvec_status pv_pieces_word(pv_pieces *pieces, uint64_t hash, uint32_t file,
                                           uint64_t sequence, uint32_t at)
{
    pv_piece *p = &pieces->open;
    if (p->words == PV_PIECE_WORDS)
        PV_TRY(pv_pieces_close(pieces, at));
    if (p->words == 0)
        *p = (pv_piece){.file = file, .sequence = sequence, .first = at};
    p->words++;
    p->hash = (p->hash ^ hash) * UINT64_C(0x9E3779B97F4A7C15);
    return PSDVEC_OK;
}

/* Adds the pieces that a reader has found to `pieces`. */
psdvec_status pv_pieces_add(pv_pieces *pieces, const pv_pieces *more);
/* Keeps only the pieces to be held out of a text of that many words, in the order of their
 * hashes. */
void pv_pieces_choose(pv_pieces *pieces, uint64_t text_words);
/* Sorts by position, for pv_pieces_from. */
void pv_pieces_by_place(pv_pieces *pieces);
/* The first piece, in a list sorted by position, that ends after token `at` of a segment. */
size_t pv_pieces_from(const pv_pieces *pieces, uint32_t file, uint64_t sequence, uint32_t at);

#endif
