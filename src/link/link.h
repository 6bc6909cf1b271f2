/* The link function: from counts of word pairs to a target and a weight for each pair, to which the
 * vectors are fitted (section 3.1 of the paper).
 *
 * The target G_ij is the PMI of eq. 3 and eq. 4, in the paper's setting smoothed by eq. 6 and
 * estimated by eq. 11 and eq. 12; the weight f_ij is f(h_ij) of eq. 5. Both are in weights.c.
 *
 * Probabilities are always those of the complete counts file, even where only the core or one block
 * of words is used, so that all share one scale.
 *
 * A pair of different words enters the objective, eq. 14, in both directions:
 *     f_ij (G_ij - X_ij)^2 + f_ji (G_ji - X_ij)^2
 * which, up to a constant, is twice
 *     S (T - X_ij)^2,  S = (f_ij + f_ji) / 2,  T the weighted mean of the targets.
 * Unseen pairs must not be stored, so their weight must have the form
 *     b_ij = background z_i z_j with a constant target, background_target,
 * and the seen pairs store only the difference from it, w (g - X_ij):
 *     w = S - b,  w g = S T - b background_target.
 * docs/explanation/model.md derives all of this.
 */
#ifndef PV_LINK_LINK_H
#define PV_LINK_LINK_H

#include "base/context.h"
#include "count/counts_read.h"

/* Constants that are determined on the core and used for every block and every word that is added
 * later. */
typedef struct pv_link_constants {
    double cut;         /* C of the capped square roots */
    double factor_mean; /* mean of r^g over the core */
    double total;       /* T of the counts that the core was trained on */
} pv_link_constants;

/* Statistics of earlier counts, for words that are added later: word probabilities must not be
 * estimated from a few new sentences only. */
typedef struct pv_link_past {
    pv_link_constants constants;
    const double *focus; /* words of the counts: earlier Y_j; 0: a new word; NULL: all 0 */
    double absent;       /* sum of r^p over words that these counts lack, p the context_power */
} pv_link_past;

/* A prior of this strength reduces a vector to zero; larger values would overflow single
 * precision. */
#define PV_MOST_PRIOR 1e12

typedef struct pv_link pv_link;

/* A target and a weight of one direction. `sum` is x_ij + x_ji. */
typedef double pv_target_fn(const pv_link *link, uint32_t i, uint32_t j, double x, double sum);
typedef double pv_weight_fn(const pv_link *link, uint32_t i, uint32_t j, double x, double sum);

struct pv_link {
    psdvec_context *ctx;
    pv_scope memory;
    const psdvec_counts *counts;
    psdvec_train_options options;
    pv_link_constants constants;
    uint32_t words;      /* of the counts */
    uint32_t core;       /* the first ones */
    double unit;         /* of a stored value: 1 / scale */
    double total;        /* T: sum of all x */
    double *retention;   /* words: factors of subsampling; NULL: all 1 */
    double *context;     /* words: X_i */
    double *focus;       /* words: Y_j */
    double *unigram;     /* words: u_j = Y_j / T, the P(s_j) of the paper */
    double *factor;      /* words: a_i of factored weights, else 0 */
    double *background_factor; /* words: z_i of the background */
    double *shift;       /* words: subtracted from log(x + x') for either word; PMI target */
    double margin_total; /* R: sum over i of X_i + Y_i */
    bool directed;       /* pv_target_rule */
    bool factored;       /* the weights are at most factor_i factor_j; else at most 1 */
    bool background_only_unseen; /* seen pairs do not carry the background on top */
    double background;           /* 0: unseen pairs weigh nothing */
    double background_target;
    double unseen_target; /* G of a pair never seen in that direction */
    pv_target_fn *target;
    pv_weight_fn *weight;
};

/* Computes margins and, if `past` is NULL, the constants. With a past, the margins are those of old
 * and new text together; X_i of the past is approximated by Y_i, from which it differs only at
 * document ends. */
psdvec_status pv_link_open(psdvec_context *ctx, const psdvec_counts *counts,
                           const psdvec_train_options *options, const pv_link_past *past,
                           pv_link **link);
void pv_link_close(pv_link *link);
/* Bytes that a link function holds, and additional temporary bytes while it is opened. */
uint64_t pv_link_bytes(const psdvec_counts *counts);
uint64_t pv_link_open_bytes(const psdvec_counts *counts, int threads);
/* Fails with PSDVEC_ERR_EMPTY: there is no pair to learn from. */
psdvec_status pv_link_no_pairs(const pv_link *link);

/* x_ij of a stored value. */
static inline double pv_link_count(const pv_link *link, uint32_t i, uint32_t j, uint64_t value)
{
    double x = (double)value * link->unit;
    return link->retention ? x * link->retention[i] * link->retention[j] : x;
}

/* What a pair of words i != j contributes to eq. 14; x_ij and x_ji may be 0, but not both
 * unless the background's form does not hold for the pair. */
typedef struct pv_pair {
    double weight;   /* w, per direction */
    double target;   /* g */
    double constant; /* of the objective, per direction */
    double start;    /* the mean of G_ij and G_ji */
} pv_pair;

pv_pair pv_link_pair(const pv_link *link, uint32_t i, uint32_t j, double xij, double xji);

/* The background weight of an unseen pair. It differs from the weight function only where that is
 * capped. */
static inline double pv_link_background(const pv_link *link, uint32_t i, uint32_t j)
{
    const double *z = link->background_factor;
    return link->background > 0 ? link->background * z[i] * z[j] : 0;
}

/* Whether the factors of the background are not those of the majoriser. */
bool pv_background_has_ratio(const psdvec_train_options *options);

/* G_ii, computed like any other target. */
double pv_link_diagonal(const pv_link *link, uint32_t i);

/* m_i of the majoriser: S_ij + b_ij <= (1 + rho) m_i m_j. A word without pairs has factor 0; as its
 * weights are 0, any nonzero divisor will do. */
static inline double pv_link_majoriser(const pv_link *link, uint32_t i)
{
    return link->factored && link->factor[i] > 0 ? link->factor[i] : 1;
}

#endif
