/* Text as a sequence of final ids, and the positions of each word in it.
 *
 *     ids      | the cat sat | the dog ...   borders before, between and after documents
 *     places   the: 1 5 ...  cat: 2 ...      ascending for each word
 *
 * A border ends a document or, where windows end at sentences, a sentence. The option for unknown
 * words decides whether they keep their positions. Positions are sorted by counting sort.
 *
 * Cost: 8 bytes per token, in memory or in mapped temporary files.
 */
#ifndef PV_COUNT_SEQUENCE_H
#define PV_COUNT_SEQUENCE_H

#include "base/file.h"
#include "count/vocabulary.h"

#define PV_BORDER UINT32_MAX

/* Positions may be read this far beyond the last one: the ids at them are scattered in memory and
 * are prefetched. */
enum { PV_PLACES_AHEAD = 24 };

typedef struct pv_sequence {
    psdvec_context *ctx;
    pv_scope memory;
    uint32_t words;     /* ids below are known; `words` itself is an unknown word */
    uint32_t *ids;      /* borders, own tokens, look-ahead tokens, a border */
    size_t own, length; /* tokens from `own` on are look-ahead only; the last is a border */
    size_t *row_start;  /* words + 1: word i has places[row_start[i]] ... */
    uint32_t *places;   /* ... and PV_PLACES_AHEAD more */
    pv_large ids_memory, places_memory;
} pv_sequence;

void pv_sequence_init(pv_sequence *sequence, psdvec_context *ctx, uint32_t words);
void pv_sequence_free(pv_sequence *sequence);

/* Upper bound on the tokens and borders of parts [first, last). */
uint64_t pv_sequence_tokens(const pv_token_store *store, size_t first, size_t last);
/* Bytes for that many tokens. */
static inline uint64_t pv_sequence_bytes(uint64_t tokens)
{
    return 8 * tokens;
}

/* Reads parts [first, last) of a store whose words have final ids, and up to `reach` following
 * tokens of the last document. At most UINT32_MAX / 2 tokens. `spill`: a folder for temporary
 * files; NULL: in memory. */
psdvec_status pv_sequence_read(pv_sequence *sequence, pv_token_store *store, psdvec_oov oov,
                               size_t first, size_t last, uint64_t reach, const char *spill);
/* In a group: exchanges the first words of every member's text, so that pv_sequence_read finds those
 * that follow this member's last words. `words`: of the vocabulary. Call once, after pv_held_words. */
psdvec_status pv_sequence_share(psdvec_context *ctx, pv_token_store *store, uint32_t words,
                                psdvec_oov oov, uint64_t reach);
/* Gets the held-out words of a store, as uint32_t in the encoding of held_out.h. Call once, after
 * words have final ids and before pv_sequence_read. */
psdvec_status pv_held_words(pv_token_store *store, pv_buffer *words);
/* Fills in row_start and places. */
psdvec_status pv_sequence_sort(pv_sequence *sequence, const char *spill);

#endif
