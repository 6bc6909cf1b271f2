/* Contexts: what the words before a word leave behind (conditional.h has h, B and S), many at a
 * time, as rows of a matrix; and the trail of a document, from which they are made.
 */
#ifndef PV_DOCUMENT_CONTEXTS_H
#define PV_DOCUMENT_CONTEXTS_H

#include "document/conditional.h"

/* A context word of one row. */
typedef struct pv_context_link {
    uint32_t word;
    uint32_t back; /* places back in the document, unknown words included */
    double weight; /* b */
} pv_context_link;

typedef struct pv_contexts {
    pv_scope memory;
    uint32_t dim, count, capacity;
    float *h;               /* capacity x dim */
    double *weight;         /* capacity: B */
    double *constant;       /* capacity: S; with `replaced`, B log kappa */
    size_t *begin;          /* capacity + 1: a row's links, nearest first ... */
    pv_context_link *links; /* ... in this */
    size_t link_capacity;
} pv_contexts;

psdvec_status pv_contexts_init(pv_contexts *x, psdvec_context *ctx, uint32_t dim,
                               uint32_t capacity);
void pv_contexts_free(pv_contexts *x);
void pv_contexts_clear(pv_contexts *x);

/* The words of a document so far, as far back as they matter. */
typedef struct pv_trail {
    pv_scope memory;
    uint32_t *words;  /* or PSDVEC_UNKNOWN_WORD */
    uint64_t *places; /* in the document */
    size_t count, capacity;
} pv_trail;

psdvec_status pv_trail_init(pv_trail *trail, const pv_conditional *conditional);
void pv_trail_free(pv_trail *trail);
static inline void pv_trail_clear(pv_trail *trail)
{
    trail->count = 0;
}
/* A word of the document, known or not, at its place. */
void pv_trail_add(pv_trail *trail, const pv_conditional *conditional, uint32_t word,
                  uint64_t place);
/* The word before; PSDVEC_UNKNOWN_WORD if there is none or it is not known. */
static inline uint32_t pv_trail_last(const pv_trail *trail)
{
    return trail->count ? trail->words[trail->count - 1] : PSDVEC_UNKNOWN_WORD;
}

/* One more row: the context of a word at `place` after the trail. */
psdvec_status pv_contexts_add(pv_contexts *x, const pv_conditional *conditional,
                              const pv_trail *trail, uint64_t place);

/* The score s of a word in the context of a row; of PSDVEC_UNKNOWN_WORD that of an absent word.
 * `paper` (may be NULL): the same with a word's own product. */
double pv_contexts_score(const pv_contexts *x, const pv_conditional *conditional, uint32_t row,
                         uint32_t word, double *paper);
/* To products with h of the words from .. to-1 adds what the residuals say of them, and puts e in
 * the place of the context words' own products. `place`: where each word stands, UINT32_MAX for
 * nowhere; NULL: at its number. */
void pv_contexts_adjust(const pv_contexts *x, const pv_conditional *conditional, uint32_t row,
                        const uint32_t *place, uint32_t from, uint32_t to, float *scores);
/* b of all places of the context at which the word itself stands. */
double pv_contexts_repeats(const pv_contexts *x, uint32_t row, uint32_t word);

#endif
