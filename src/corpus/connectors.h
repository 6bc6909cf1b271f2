/* Connectors: words that may occur inside a phrase but not at its ends, as in "bank of america".
 *
 * Phrase detection counts pairs of adjacent words. With connectors, "bank" and "america" with "of"
 * between them are also a pair, distinct from "bank america". So connectors are removed from the
 * token stream that is counted, and for each pair with connectors in between an extra token is
 * inserted. It contains blanks, which ordinary tokens never do:
 *
 *     the bank of america opened     ->   bank | "bank of" america opened
 *
 * The bar is a sentence end, so that nothing is paired across it. The frequencies of words and
 * pairs are then those of ordinary counting.
 */
#ifndef PV_CORPUS_CONNECTORS_H
#define PV_CORPUS_CONNECTORS_H

#include "base/word_index.h"
#include "corpus/tokenizer.h"

typedef struct pv_connectors {
    pv_scope memory;
    pv_buffer bytes;
    uint64_t *offsets;
    pv_word_index index;
    uint32_t most;                /* connectors in a row */
    atomic_uint_fast64_t skipped; /* connectors in the text */
    atomic_uint_fast64_t added;   /* tokens with blanks */
} pv_connectors;

psdvec_status pv_connectors_make(pv_connectors *connectors, psdvec_context *ctx,
                                 const char *const *words, size_t count, uint32_t most);
void pv_connectors_free(pv_connectors *connectors);

/* State of one reader between batches. */
typedef struct pv_connecting {
    pv_buffer last;    /* the last word, and the connectors after it */
    uint32_t in_a_row; /* connectors in `last` */
    bool open;         /* there is a last word */
    pv_buffer texts;   /* of the tokens added in this batch */
} pv_connecting;

/* Writes at most 3 * count tokens to `out`, valid until the next call; all words are READY. */
psdvec_status pv_connectors_mark(pv_connectors *connectors, pv_connecting *state,
                                 const pv_token *in, size_t count, pv_token *out,
                                 size_t *out_count);

#endif
