/* How likely a word is after the words before it, by one model (docs/explanation/documents.md), eq. 8 of the
 * paper (section 3.2) divided by its partition function Z:
 *
 *     log P(w | before) = log p_w + T sum_k b_k (v_k' J v_w + a_kw + t_k + t_w) - log Z
 *
 * Here is everything of it that does not depend on the text: p, t, the window's weights, J, the
 * residuals. A context is what the words before a word leave behind:
 *
 *     h = J sum_k b_k v_k      B = sum_k b_k      S = sum_k b_k t_k
 *
 * so that the score of w is s_w = h' v_w + B t_w + S + sum_k b_k a_kw. For one word before it this
 * is eq. 2.
 *
 * With counts and smoothed targets v_k' J v_w + a_kw is G of the pair itself, seen or not, and the
 * vectors cancel: `replaced`.
 */
#ifndef PV_DOCUMENT_CONDITIONAL_H
#define PV_DOCUMENT_CONDITIONAL_H

#include "base/memory.h"
#include "count/window.h"
#include "document/residuals.h"

typedef struct pv_conditional {
    psdvec_context *ctx;
    pv_scope memory;
    const psdvec_model *model;   /* held, as is the next */
    const psdvec_counts *counts; /* or NULL */
    uint32_t words, dim;
    const float *vectors;          /* words x dim: the model's, as float32 */
    psdvec_count_options counting; /* as the model's counts were made */
    pv_buffer strings;             /* of `counting` */
    pv_window window;
    bool pmi;             /* else smoothed targets */
    double kappa;         /* of the smoothing */
    double interpolation; /* of the bigrams, as fitted; NAN: it was not */
    double temperature;
    double self;         /* e: what stands for a word's product with itself; only if `own` */
    float *own;          /* words: v_w' J v_w + 2 t_w; NULL: it stands for itself */
    double *log_unigram; /* words: log p */
    float *log_p;        /* the same for the kernel */
    float *shift;        /* words: t; NULL: all 0 */
    float *sign;         /* dim: the diagonal of J */
    /* Words that other models know and this one does not: each has this log p, no vector, and all
     * of them this share of the probability. */
    double log_absent, absent_share;
    pv_residual_matrix *residuals; /* a, or G if `replaced`; NULL: 0 */
    bool replaced;
    uint32_t *counted; /* words: number in the counts, or UINT32_MAX; NULL without counts */
} pv_conditional;

/* Of the options temperature, self and interpolation are used. `counts` may be NULL. */
psdvec_status pv_conditional_open(psdvec_context *ctx, const psdvec_model *model,
                                  const psdvec_counts *counts, const psdvec_scorer_options *options,
                                  pv_conditional **out);
void pv_conditional_close(pv_conditional *conditional);

/* Of all words of `union_words`, known or not, each had so many occurrences more. */
void pv_conditional_share(pv_conditional *conditional, uint64_t union_words, double occurrences);

/* b of a context word at a distance, in units of the window (pv_window_distance). */
static inline double pv_conditional_weight(const pv_conditional *c, uint32_t word,
                                           uint32_t distance)
{
    double weight = (double)c->window.weights[distance] / (double)c->window.scale;
    return c->window.retention ? weight * c->window.retention[word] : weight;
}

/* From now on e stands for a word's product with itself; NAN: it stands for itself. */
psdvec_status pv_conditional_set_self(pv_conditional *conditional, double self);
/* What to add to the score of a context word itself, per weight. */
static inline double pv_conditional_self_change(const pv_conditional *c, uint32_t word)
{
    return c->self - (double)c->own[word];
}

/* a of a pair; with `replaced`, G. */
double pv_conditional_residual(const pv_conditional *conditional, uint32_t context, uint32_t focus);

/* log((1 - weight) P(focus | context) + weight p) of the counts' own bigrams; log p if there is no
 * word before, PSDVEC_UNKNOWN_WORD, or it was never followed by any. */
double pv_conditional_bigram(const pv_conditional *conditional, uint32_t context, uint32_t focus,
                             double weight);
/* P(focus | context) of it; negative if there is none. */
double pv_conditional_bigram_share(const pv_conditional *conditional, uint32_t context,
                                   uint32_t focus);

/* ---- Contexts: h, B and S of many words, as rows of a matrix; and the trail of a document, from which
 * they are made ------------------------------------------------------------------------------------- */

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
