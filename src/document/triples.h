/* How often three words stand at the places of a text, exactly, and their pairs with them.
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
 * Triples that are asked for are counted by walking the places of their words.
 *
 * All triples that were seen often enough: word by word. For the first word a, one walk over its
 * places sums N(a, b) and N(a, c). Only for second words b with N(a, b) >= least the third words
 * are summed: the places of b behind a are brought together by counting, and one row of sums is
 * filled for each b. No triple is written down before it is known to be frequent. What is
 * missing, N(b, c), comes from a walk over the places of b, for all frequent triples that memory
 * holds at a time.
 *
 * Sums are of whole numbers and triples come in the order of their words: neither threads nor
 * memory can change anything.
 *
 * Cost: 8 bytes a token and 24 a word for the text, whose margins take `window` steps a token; at most
 * window^2 / 2 additions a token, of which the threshold saves most, and about 100 bytes a word for each
 * thread.
 */
#ifndef PV_DOCUMENT_TRIPLES_H
#define PV_DOCUMENT_TRIPLES_H

#include "count/rows.h"
#include "count/sequence.h"
#include "count/window.h"

typedef struct pv_triple_text {
    psdvec_context *ctx;
    pv_scope memory;
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

typedef struct pv_triple {
    uint32_t words[3];
    uint64_t count;
    uint64_t pairs[3]; /* first and second, first and third, second and third */
} pv_triple;

/* Fills in the counts of `count` triples whose words are given. */
psdvec_status pv_triple_measure(const pv_triple_text *text, pv_triple *triples, size_t count);

/* Receives triples in the order of their words, some at a time. */
typedef psdvec_status pv_triple_sink(void *user, const pv_triple *triples, size_t count);
/* All triples seen at least `least` times; least >= 1. */
psdvec_status pv_triple_count(const pv_triple_text *text, uint64_t least, pv_triple_sink *sink,
                              void *user);

#endif
