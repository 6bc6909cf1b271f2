/* Bigrams of adjacent words, mixed with the conditional probability of a model (interpolated
 * absolute discounting, the modified Kneser-Ney smoothing of Chen and Goodman, with the model's
 * probability as the lower order):
 *
 *     P(w | before) = (x_cw - D(x_cw) + m_c P_model(w | before)) / X_c
 *
 *     c     the word directly before w
 *     x_cw  how often w follows c in the counts; X_c = sum_w x_cw over the words of the model
 *     D     discount: D_1 for pairs seen once, D_2 for those seen twice, D_3 for all others
 *     m_c   sum of the discounts of all words that follow c
 *
 * It sums to one over the words because P_model does. If c is not known or nothing follows it,
 * P = P_model.
 */
#ifndef PV_DOCUMENT_BIGRAMS_H
#define PV_DOCUMENT_BIGRAMS_H

#include "document/conditional.h"

enum { PV_DISCOUNTS = 3 };

typedef struct pv_bigrams {
    psdvec_context *ctx;
    pv_scope memory;
    const psdvec_counts *counts; /* referenced */
    uint32_t words;              /* of the model */
    bool skip_unknown;           /* c is the last known word; else the word directly before */
    uint64_t scale;
    uint32_t *counted; /* words: word number in the counts, or UINT32_MAX */
    uint64_t *total;   /* words: X_c */
    uint32_t *kinds;   /* words x PV_DISCOUNTS: the number of words that follow c once, twice, and
                        * more often */
    double discounts[PV_DISCOUNTS];
} pv_bigrams;

/* The parts of the probability of one word: P = seen + rest * P_model. */
typedef struct pv_bigram_parts {
    double seen, rest;
} pv_bigram_parts;

/* Checks that the counts are counts of adjacent words and share words with the model. `discounts`:
 * PV_DISCOUNTS numbers; NULL, or one is not above 0: estimated from the counts. */
psdvec_status pv_bigrams_open(psdvec_context *ctx, const psdvec_model *model,
                              const psdvec_counts *counts, const double *discounts,
                              pv_bigrams **out);
void pv_bigrams_close(pv_bigrams *bigrams);

/* c for the word after the trail; PSDVEC_UNKNOWN_WORD: none. */
uint32_t pv_bigrams_before(const pv_bigrams *bigrams, const pv_trail *trail);
/* How often `word` follows `before`. */
uint64_t pv_bigrams_count(const pv_bigrams *bigrams, uint32_t before, uint32_t word);
/* `word` may be PSDVEC_UNKNOWN_WORD: a word that only other models have. */
pv_bigram_parts pv_bigrams_parts(const pv_bigrams *bigrams, uint32_t before, uint32_t word);
/* log P, given log P_model. */
double pv_bigrams_mix(const pv_bigram_parts *parts, double log_model);

/* The index of the discount of a pair that was seen x > 0 times. */
static inline int pv_discount_of(uint64_t x)
{
    return x < PV_DISCOUNTS ? (int)x - 1 : PV_DISCOUNTS - 1;
}

#endif
