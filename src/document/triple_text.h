/* Text in which triples of words are counted.
 *
 * A place of a triple is three tokens t < p < q of one document, all of them words of the model,
 * with q - t <= window. Every such place counts once, so one probability space has all of
 * P(a, b, c), its three pairs and its three words: choose a place at random. How often a word is
 * the first, the second or the third of a place are the margins; they are measured at the same
 * places, so that neither the ends of documents nor unknown words bias anything.
 *
 * If a place's first word has k known words behind it within the window, it begins
 * k (k - 1) / 2 places; sums like this one need no loop over pairs of gaps.
 *
 * Cost: 8 bytes a token and 24 a word; the margins take `window` steps a token.
 */
#ifndef PV_DOCUMENT_TRIPLE_TEXT_H
#define PV_DOCUMENT_TRIPLE_TEXT_H

#include "count/rows.h"
#include "count/sequence.h"
#include "count/window.h"

typedef struct pv_triple_text {
    psdvec_context *ctx;
    uint32_t window;
    pv_sequence text;
    uint64_t *margins[3];   /* words each: how often it is the first, the second, the third */
    uint64_t places;        /* sum of each of them */
    uint64_t tokens, known; /* words of the text, and those that the model has */
    pv_row_groups groups;   /* of words that stand in the text about equally often */
} pv_triple_text;

/* Reads inputs with the settings of the model. `window` 0: the model's. `folder` takes temporary
 * files. Free it in any case. */
psdvec_status pv_triple_text_open(pv_triple_text *x, psdvec_context *ctx, const psdvec_model *model,
                                  const char *const *inputs, size_t input_count, uint32_t window,
                                  const char *folder);
void pv_triple_text_free(pv_triple_text *x);

/* The known words behind token `t` within the window, in order, and how far behind they are.
 * Room for window + 1 each. */
static inline uint32_t pv_triple_after(const pv_triple_text *x, size_t t, uint32_t *words,
                                       uint16_t *distances)
{
    const uint32_t *id = x->text.ids + t;
    uint32_t known = 0;
    for (uint32_t d = 1; d <= x->window && id[d] != PV_BORDER; d++) {
        words[known] = id[d];
        distances[known] = (uint16_t)d;
        known += id[d] < x->text.words;
    }
    return known;
}

/* before[r]: how many of the r tokens before `t` are known words of its document, r <= window. */
static inline void pv_triple_before(const pv_triple_text *x, size_t t, uint32_t *before)
{
    const uint32_t *id = x->text.ids + t;
    uint32_t known = 0, d = 1;
    before[0] = 0;
    for (; d <= x->window && id[-(ptrdiff_t)d] != PV_BORDER; d++)
        before[d] = known += id[-(ptrdiff_t)d] < x->text.words;
    for (; d <= x->window; d++)
        before[d] = known;
}

#endif
