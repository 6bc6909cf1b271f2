/* How often three words stand at the places of a text, exactly, and their pairs with them.
 *
 * A few triples that are asked for: by walking the places of their words.
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
 * Cost: at most window^2 / 2 additions a token, of which the threshold saves most; about 100 bytes
 * a word for each thread.
 */
#ifndef PV_DOCUMENT_TRIPLE_COUNT_H
#define PV_DOCUMENT_TRIPLE_COUNT_H

#include "document/triple_text.h"

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
