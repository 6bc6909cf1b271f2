/* Exact counts of triples of words in a text, and of their pairs.
 *
 * A triple position is three tokens t < p < q of one document, all of them words of the model, with
 * q - t <= window. Every such position counts once, so P(a, b, c), its three pairs and its three
 * words belong to one probability space: the random choice of a position. The margins are the
 * numbers of positions in which a word is the first, the second or the third; they are counted over
 * the same positions, so that neither the ends of documents nor unknown words cause a bias.
 *
 * If the first word of a position has k known words after it within the window, it begins
 * k (k - 1) / 2 positions; such sums need no loop over pairs of distances.
 *
 * Requested triples are counted by iterating over the positions of their words.
 *
 * All sufficiently frequent triples are counted word by word. For the first word a, one pass over
 * its positions sums N(a, b) and N(a, c). The third words are summed only for second words b with
 * N(a, b) >= least: the positions of b after a are grouped by a counting sort, and one row of sums
 * is filled for each b. No triple is stored before it is known to be frequent. The remaining
 * N(b, c) is computed by a pass over the positions of b, for as many frequent triples as fit into
 * memory at a time.
 *
 * Sums are integers and triples are in the order of their words, so the result does not depend on
 * the number of threads or the memory.
 *
 * Cost: 8 bytes per token and 24 per word for the text, and `window` steps per token for its
 * margins; at most window^2 / 2 additions per token, most of which the threshold avoids, and about
 * 100 bytes per word and thread.
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
    uint64_t *margins[3];   /* words each: number of positions with the word as first, second,
                             * third */
    uint64_t places;        /* sum of each of them */
    uint64_t tokens, known; /* words of the text, and those that are in the model */
    pv_row_groups groups;   /* of words with about the same total frequency */
} pv_triple_text;

/* Reads inputs with the settings of the model. `window` 0: that of the model. Temporary files go to
 * `folder`. The caller frees it, even after a failure. */
psdvec_status pv_triple_text_open(pv_triple_text *x, psdvec_context *ctx, const psdvec_model *model,
                                  const char *const *inputs, size_t input_count, uint32_t window,
                                  const char *folder);
void pv_triple_text_free(pv_triple_text *x);

typedef struct pv_triple {
    uint32_t words[3];
    uint64_t count;
    uint64_t pairs[3]; /* first and second, first and third, second and third */
} pv_triple;

/* Counts `count` triples whose words are given. */
psdvec_status pv_triple_measure(const pv_triple_text *text, pv_triple *triples, size_t count);

/* Receives triples in the order of their words, in batches. */
typedef psdvec_status pv_triple_sink(void *user, const pv_triple *triples, size_t count);
/* Counts all triples that occur at least `least` times; least >= 1. */
psdvec_status pv_triple_count(const pv_triple_text *text, uint64_t least, pv_triple_sink *sink,
                              void *user);

#endif
