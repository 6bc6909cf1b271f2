/* Text as skip-gram and CBOW see it: in chunks, thinned out, with a window for each word.
 *
 *     places of the text   | the cat sat on the mat | the dog ...      | : a document ends
 *     pieces               [2048 places][2048 places][...
 *     chunk                some pieces, drawn together
 *     kept words           | cat sat mat | dog ...                      frequent words are left out
 *     reach                  2   5   1     3                            words looked at on either side
 *
 * Which words are left out and how far each looks is drawn afresh in every epoch. What is drawn for
 * a piece depends on the seed, the epoch and the piece alone. As in word2vec, a sentence is a
 * document, or 1000 kept words of it; here it also ends with its piece.
 */
#ifndef PV_BASELINE_WORD2VEC_TEXT_H
#define PV_BASELINE_WORD2VEC_TEXT_H

#include "count/sequence.h"

enum {
    PV_W2V_PIECE = 2048,
    PV_W2V_SENTENCE = 1000,
    /* a piece and the borders before, in and behind it */
    PV_W2V_ROOM = PV_W2V_PIECE + PV_W2V_PIECE / PV_W2V_SENTENCE + 2
};

typedef struct pv_w2v_text {
    pv_scope memory;
    const uint32_t *ids; /* length: words and borders */
    size_t length;
    uint32_t window;
    uint32_t *keep; /* words: the chance of being kept, of 2^32 */
    size_t pieces, chunk_pieces, chunks;
    /* The chunk drawn last. Its piece k has kept + k * PV_W2V_ROOM, from a border to a border. */
    uint32_t *kept;
    uint16_t *reach;      /* as kept; of borders nothing */
    uint32_t *kept_count; /* chunk_pieces: borders included */
} pv_w2v_text;

/* `subsample` is t of keep = min(1, sqrt(t/f) + t/f), 0: all are kept. `epochs` tells how large
 * chunks may be, so that there are enough of them. */
psdvec_status pv_w2v_text_open(pv_w2v_text *text, psdvec_context *ctx, const uint32_t *ids,
                               size_t length, const uint64_t *frequency, uint32_t words,
                               uint32_t window, double subsample, uint32_t epochs);
void pv_w2v_text_close(pv_w2v_text *text);

/* Pieces of a chunk, the last of which may have fewer than the others. */
size_t pv_w2v_chunk_size(const pv_w2v_text *text, size_t chunk);
/* Words of a chunk before any is left out. */
uint64_t pv_w2v_chunk_words(const pv_w2v_text *text, size_t chunk);
/* Draws piece k of a chunk. */
void pv_w2v_draw(pv_w2v_text *text, uint32_t epoch, size_t chunk, size_t k);

#endif
