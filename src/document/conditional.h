/* The probability of a word given the preceding words, by one model
 * (docs/explanation/documents.md): eq. 8 of the paper (section 3.2) divided by its partition
 * function Z:
 *
 *     log P(w | before) = log p_w + T sum_k b_k (v_k' J v_w + a_kw + t_k + t_w) - log Z
 *
 * pv_conditional holds everything that does not depend on the text: p, t, the weights of the
 * window, J and the residuals. A context summarises the preceding words:
 *
 *     h = J sum_k b_k v_k      B = sum_k b_k      S = sum_k b_k t_k
 *
 * so that the score of w is s_w = h' v_w + B t_w + S + sum_k b_k a_kw. With one preceding word this
 * is eq. 2.
 *
 * With counts and smoothed targets, v_k' J v_w + a_kw equals the target G of the pair, seen or not,
 * and the vectors cancel: `replaced`.
 */
#ifndef PV_DOCUMENT_CONDITIONAL_H
#define PV_DOCUMENT_CONDITIONAL_H

#include "base/memory.h"
#include "count/window.h"
#include "document/residuals.h"

typedef struct pv_conditional {
    psdvec_context *ctx;
    pv_scope memory;
    const psdvec_model *model;   /* referenced, like `counts` */
    const psdvec_counts *counts; /* or NULL */
    uint32_t words, dim;
    const float *vectors;          /* words x dim: the vectors of the model, as float32 */
    psdvec_count_options counting; /* the options with which the model's counts were made */
    pv_buffer strings;             /* storage of the strings of `counting` */
    pv_window window;
    bool pmi;             /* PMI targets; false: smoothed targets */
    double kappa;         /* of the smoothed targets */
    double interpolation; /* fitted weight of unigrams in the bigram baseline; NAN: not fitted */
    double temperature;
    double self;         /* e: replaces the product of a word with itself; used only if `own` is
                          * set */
    float *own;          /* words: v_w' J v_w + 2 t_w; NULL: self-products are not replaced */
    double *log_unigram; /* words: log p */
    float *log_p;        /* the same as float32, for the kernel */
    float *shift;        /* words: t; NULL: all 0 */
    float *sign;         /* dim: the diagonal of J */
    /* Words that are in other models but not in this one: the log p of each, and the total
     * probability of all of them. They have no vectors. */
    double log_absent, absent_share;
    pv_residual_matrix *residuals; /* a, or G if `replaced`; NULL: 0 */
    bool replaced;
    uint32_t *counted; /* words: word number in the counts, or UINT32_MAX; NULL without counts */
} pv_conditional;

/* Uses the options `temperature`, `self` and `interpolation`. `counts` may be NULL. */
psdvec_status pv_conditional_open(psdvec_context *ctx, const psdvec_model *model,
                                  const psdvec_counts *counts, const psdvec_scorer_options *options,
                                  pv_conditional **out);
void pv_conditional_close(pv_conditional *conditional);

/* Adds `occurrences` to the frequency of each of the `union_words` words, whether they are in the
 * model or not. */
void pv_conditional_share(pv_conditional *conditional, uint64_t union_words, double occurrences);

/* b: the weight of a context word at `distance` (see pv_window_distance). */
static inline double pv_conditional_weight(const pv_conditional *c, uint32_t word,
                                           uint32_t distance)
{
    double weight = (double)c->window.weights[distance] / (double)c->window.scale;
    return c->window.retention ? weight * c->window.retention[word] : weight;
}

/* Sets e, which replaces the product of a word with itself; NAN: products are not replaced. */
psdvec_status pv_conditional_set_self(pv_conditional *conditional, double self);
/* The change of a context word's own score per unit of its weight. */
static inline double pv_conditional_self_change(const pv_conditional *c, uint32_t word)
{
    return c->self - (double)c->own[word];
}

/* a of a pair; if `replaced`, G. */
double pv_conditional_residual(const pv_conditional *conditional, uint32_t context, uint32_t focus);

/* log((1 - weight) P(focus | context) + weight p), where P is the bigram probability in the counts;
 * log p if there is no preceding word (PSDVEC_UNKNOWN_WORD) or nothing ever followed it. */
double pv_conditional_bigram(const pv_conditional *conditional, uint32_t context, uint32_t focus,
                             double weight);
/* P(focus | context) in the counts; negative if it is undefined. */
double pv_conditional_bigram_share(const pv_conditional *conditional, uint32_t context,
                                   uint32_t focus);

/* ---- Contexts and trails ------------------------------------------------------------------------
 *
 * Contexts hold h, B and S of many words, as rows of a matrix. They are computed from the trail of
 * a document: its most recent words. */

/* A context word of one row. */
typedef struct pv_context_link {
    uint32_t word;
    uint32_t back; /* distance in the document, unknown words included */
    double weight; /* b */
} pv_context_link;

typedef struct pv_contexts {
    pv_scope memory;
    uint32_t dim, count, capacity;
    float *h;               /* capacity x dim */
    double *weight;         /* capacity: B */
    double *constant;       /* capacity: S; with `replaced`, B log kappa */
    size_t *begin;          /* capacity + 1: index of a row's first link; nearest first */
    pv_context_link *links; /* of all rows */
    size_t link_capacity;
} pv_contexts;

psdvec_status pv_contexts_init(pv_contexts *x, psdvec_context *ctx, uint32_t dim,
                               uint32_t capacity);
void pv_contexts_free(pv_contexts *x);
void pv_contexts_clear(pv_contexts *x);

/* The words of a document that can still be in a context. */
typedef struct pv_trail {
    pv_scope memory;
    uint32_t *words;  /* or PSDVEC_UNKNOWN_WORD */
    uint64_t *places; /* positions in the document */
    size_t count, capacity;
    /* The word directly before, and the last known word; PSDVEC_UNKNOWN_WORD: none. */
    uint32_t last, last_known;
} pv_trail;

psdvec_status pv_trail_init(pv_trail *trail, const pv_conditional *conditional);
void pv_trail_free(pv_trail *trail);
static inline void pv_trail_clear(pv_trail *trail)
{
    trail->count = 0;
    trail->last = trail->last_known = PSDVEC_UNKNOWN_WORD;
}
/* Adds a word of the document, known or not. */
void pv_trail_add(pv_trail *trail, const pv_conditional *conditional, uint32_t word,
                  uint64_t place);
/* The last word; PSDVEC_UNKNOWN_WORD if there is none or it is unknown. */
static inline uint32_t pv_trail_last(const pv_trail *trail)
{
    return trail->count ? trail->words[trail->count - 1] : PSDVEC_UNKNOWN_WORD;
}

/* Adds a row: the context of a word at `place` after the trail. */
psdvec_status pv_contexts_add(pv_contexts *x, const pv_conditional *conditional,
                              const pv_trail *trail, uint64_t place);

/* The score s of a word in the context of a row; for PSDVEC_UNKNOWN_WORD, the score of an absent
 * word. `paper` (may be NULL) receives the score in which self-products are not replaced. */
double pv_contexts_score(const pv_contexts *x, const pv_conditional *conditional, uint32_t row,
                         uint32_t word, double *paper);
/* Adds the residuals to the products of h with the words from .. to-1, and replaces self-products
 * of context words by e. `place`: the index of each word in `scores`, UINT32_MAX if it has none;
 * NULL: the word number. */
void pv_contexts_adjust(const pv_contexts *x, const pv_conditional *conditional, uint32_t row,
                        const uint32_t *place, uint32_t from, uint32_t to, float *scores);
/* The sum of b over the positions of the context that hold the word itself. */
double pv_contexts_repeats(const pv_contexts *x, uint32_t row, uint32_t word);

#endif
