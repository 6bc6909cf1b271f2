/* Part of psdvec.h: calls whose interface may still change.
 *
 * psdvec.h includes this part only for programs that define PSDVEC_EXPERIMENTAL first. The calls are
 * tested like all others, but a later minor version may rename them, change their arguments, or
 * replace them. */
#ifndef PSDVEC_EXPERIMENTAL_H
#define PSDVEC_EXPERIMENTAL_H

#include <psdvec/document.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Residuals ------------------------------------------------------------------- */
/* A = G - V'JV where the counts say something of a pair: for smoothed targets the bigrams seen in
 * that direction (elsewhere G is log kappa), for PMI those seen in either. */
typedef struct psdvec_residual {
    uint32_t context, focus; /* words of the model */
    double count;            /* x of this direction; for PMI of both */
    double target, product;  /* G and v' J v */
    double weight;           /* f: how much training minded */
} psdvec_residual;

typedef enum psdvec_residual_order {
    PSDVEC_RESIDUAL_LOSS = 0, /* by f a^2: where training paid most */
    PSDVEC_RESIDUAL_MORE,     /* by a, largest first: seen more often than the vectors say */
    PSDVEC_RESIDUAL_LESS      /* by a, smallest first */
} psdvec_residual_order;

typedef struct psdvec_residual_report {
    uint64_t pairs;         /* with a residual */
    double mean, deviation; /* of a over them */
    double weighted_square; /* sum f a^2 */
    double explained;       /* 1 - sum f a^2 / sum f G^2; a background, which pulls all products
                               towards its target, may make it negative */
    double correlation;     /* of G and v' J v, weighted by f */
    double seconds;
} psdvec_residual_report;

/* Writes all residuals to a file (docs/residuals.md); `output` may be NULL, and so may `report`.
 * The `most` pairs that stand first in `order`, with i != j and a count of at least `least_count`,
 * go to `top` (may be NULL if `most` is 0); for PMI, whose residual has no direction, each pair
 * once, in the direction in which it was seen more often. Counts that are not those that the
 * model was trained on are warned of. */
PSDVEC_API psdvec_status psdvec_residuals(psdvec_context *ctx, const psdvec_model *model,
                                          const psdvec_counts *counts, const char *output,
                                          psdvec_residual_order order, double least_count,
                                          size_t most, psdvec_residual *top, size_t *found,
                                          psdvec_residual_report *report);

/* ---- The joint probability of corpus, vectors and residuals ------------------------ */
/* Of the words that both have; docs/model.md says what may be compared by it. */
PSDVEC_API psdvec_status psdvec_joint_compute(psdvec_context *ctx, const psdvec_model *model,
                                              const psdvec_counts *counts, psdvec_joint *joint);

/* ---- Drawing from the model --------------------------------------------------------- */
typedef struct psdvec_simulate_options {
    size_t size; /* filled in by psdvec_simulate_options_default */
#include <psdvec/options/simulate.def>
} psdvec_simulate_options;

static inline void psdvec_simulate_options_default(psdvec_simulate_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_SIMULATE, options, sizeof *options, 0, NULL);
}
/* PSDVEC_OK, or PSDVEC_ERR_OPTION with a sentence in the context. */
PSDVEC_API psdvec_status psdvec_simulate_options_check(psdvec_context *ctx,
                                                       const psdvec_simulate_options *options);

/* What was drawn; natural logarithms. */
typedef struct psdvec_simulate_report {
    uint64_t tokens, documents;
    uint64_t bytes;        /* of text */
    double mu;             /* of the vectors' prior: their numbers have the variance 1 / (2 mu) */
    double log_likelihood; /* of the text under the truth: sum of log P(w | before), normalised */
    double log_unigram;    /* of the text by p alone */
    double entropy;        /* of p: nats a word that has no word before it */
    double entropy_rate;   /* nats a word behind another one, exactly; NAN if the window is not 1 */
    uint32_t rounds;       /* of the scaling that gives the pairs the margins p */
    double seconds;
} psdvec_simulate_report;

/* Draws V and A, adjusts them so that for a window of 1 they are the mutual information of the
 * text exactly (docs/simulation.md), draws the text from the normalised conditional, and writes
 * into `folder` text.txt, truth.safetensors (a model), truth-residuals.safetensors and, last,
 * truth.json. The folder is made if it does not exist; files of these names are replaced only if
 * an earlier simulation wrote them. `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_simulate(psdvec_context *ctx,
                                         const psdvec_simulate_options *options, const char *folder,
                                         psdvec_simulate_report *report);

/* ---- Interaction of three words -------------------------------------------------------- */
/* The paper's Appendix B: the model takes PMI(c; a, b) to be PMI(c; a) + PMI(c; b). Their
 * difference, the pointwise interaction information, measured on text, for words a, b, c that
 * stand in this order within the window (docs/model.md). All probabilities are shares of the same
 * places: three words of the model, the last at most `window` words behind the first, counted
 * once each, without weights for distance or frequency. */
typedef struct psdvec_interaction {
    uint32_t words[3];
    uint64_t count;      /* of the triple */
    uint64_t pairs[3];   /* of a b, a c and b c at the same places */
    uint64_t singles[3]; /* of a, b and c at their places */
    double pmi[3];       /* of the three pairs; NAN: never seen */
    double joint;        /* PMI(c; a, b); NAN: never seen */
    double information; /* joint - pmi[1] - pmi[2], in nats; the model assumes 0. NAN: never seen */
    double error;       /* its standard error, as if the places were independent draws */
} psdvec_interaction;

/* Means, shares and quantiles are over triples by how often they occur. */
typedef struct psdvec_interaction_report {
    uint32_t window;        /* that was used */
    uint64_t tokens, known; /* words of the text, and those that the model has */
    uint64_t places;        /* triples of places looked at, over all gaps */
    uint64_t triples;       /* distinct ones seen often enough for the figures below */
    uint64_t occurrences;   /* of them */
    double mean, mean_absolute;
    double quantiles[5]; /* 5, 25, 50, 75 and 95 % */
    double within_half;  /* share of those between -0.5 and 0.5 */
    double sum_absolute; /* mean of |PMI(c; a) + PMI(c; b)|, to compare mean_absolute with */
    double slope; /* the factor on that sum which comes nearest to PMI(c; a, b), by squares */
    double seconds;
} psdvec_interaction_report;

/* `asked`: triples of words of the model, `asked_count` of them, for each of which `out` receives
 * what was measured; or none: the `most` most frequent triples, ties by the words' ranks, among
 * those seen at least `least_count` times, over all of which the report's figures are (NAN if
 * there are none, or triples were asked for). *found: how many `out` received; it may be NULL, as
 * may `report`. `window`: 2 to 1000; 0: the model's. The text is read with the model's own
 * settings, those of psdvec_count_options_default if it does not say. */
PSDVEC_API psdvec_status psdvec_interactions(psdvec_context *ctx, const psdvec_model *model,
                                             const char *const *inputs, size_t input_count,
                                             uint32_t window, const uint32_t (*asked)[3],
                                             size_t asked_count, size_t most, uint64_t least_count,
                                             psdvec_interaction *out, size_t *found,
                                             psdvec_interaction_report *report);

#ifdef __cplusplus
}
#endif
#endif
