/* Part of psdvec.h: comparisons, residuals, simulation and other calls whose interface may still
 * change.
 *
 * psdvec.h includes this part only if PSDVEC_EXPERIMENTAL is defined. These calls are tested like
 * all others, but a later minor version may rename them, change their arguments, or replace
 * them. */
#ifndef PSDVEC_EXPERIMENTAL_H
#define PSDVEC_EXPERIMENTAL_H

#include <psdvec/baseline.h>
#include <psdvec/document.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The words around a word ------------------------------------------------------ */
/* A word that occurs before or after another one, within the window. */
typedef struct psdvec_association {
    uint32_t word; /* index in the counts */
    double count;  /* of the pair in this order */
    double lift;   /* ratio of the count to the count expected by chance; of expected counts, if
                      frequent words were subsampled */
    double score;  /* ln(lift) ln(1 + count): high for pairs that are both specific and frequent;
                      negative if the words occur together less often than by chance */
} psdvec_association;

typedef enum psdvec_association_order {
    PSDVEC_ASSOCIATION_SCORE = 0, /* by score, highest first; only words with a positive score */
    PSDVEC_ASSOCIATION_COUNT      /* by count, highest first */
} psdvec_association_order;

/* Receives the words before and after a word; they are valid during the call only. */
typedef void psdvec_association_fn(void *user, uint32_t word, const psdvec_association *before,
                                   size_t before_count, const psdvec_association *after,
                                   size_t after_count);

/* Finds the words that occur before and after each of `words`, indices in the counts, and passes
 * them to `on_word`, at most `most` on either side, with a count of at least `least_count`. Ties are
 * in the order of the counts. */
PSDVEC_API psdvec_status psdvec_counts_associations(psdvec_context *ctx,
                                                    const psdvec_counts *counts,
                                                    const uint32_t *words, size_t word_count,
                                                    psdvec_association_order order,
                                                    double least_count, size_t most,
                                                    psdvec_association_fn *on_word, void *user);

/* ---- Why two words are similar ------------------------------------------------------ */
/* A word near which the model expects both words. For sparse models whose dimensions are words, a
 * dimension in which both vectors have a component. */
typedef struct psdvec_shared_context {
    uint32_t word;
    double with[2]; /* v'Jv with each of the two words; or the component of each */
    double seen[2]; /* how often it occurs with each, in either order; 0 without counts */
    double part;    /* contribution to the cosine; NAN unless contexts are dimensions */
} psdvec_shared_context;

#define PSDVEC_DIMENSION_WORDS 4

/* A dimension of the read-out that contributes to the cosine of two words. */
typedef struct psdvec_shared_dimension {
    uint32_t dimension;
    double part; /* contribution; those of all dimensions add up to the cosine */
    uint32_t words[PSDVEC_DIMENSION_WORDS]; /* words with the largest components in this dimension,
                                               with the sign of the first of the two words */
    uint32_t word_count;
} psdvec_shared_dimension;

typedef struct psdvec_comparison {
    double cosine;                /* of the read-out */
    double product;               /* v_i' J v_j */
    bool products_are_pmi;        /* products estimate PMI; otherwise there are no contexts, unless
                                     they are dimensions */
    bool contexts_are_dimensions; /* contexts are dimensions of sparse vectors */
    size_t context_count;
    size_t dimension_count;
    psdvec_pair_explanation explanation; /* with counts; otherwise zeros */
} psdvec_comparison;

/* Compares words i and j of the model. `contexts` receives the words near which the model expects
 * both, at most `most_contexts`, largest contribution first; with `counts`, only words that occur
 * with both. `dimensions` receives the dimensions that contribute most to the cosine, at most
 * `most_dimensions`. Contexts and words of dimensions are among the 20,000 most frequent words.
 * `counts` may be NULL, and so may the arrays if their size is 0. */
PSDVEC_API psdvec_status psdvec_model_compare(psdvec_context *ctx, const psdvec_model *model,
                                              const psdvec_counts *counts, uint32_t i, uint32_t j,
                                              size_t most_contexts, psdvec_shared_context *contexts,
                                              size_t most_dimensions,
                                              psdvec_shared_dimension *dimensions,
                                              psdvec_comparison *comparison);

/* ---- Systems to compare --------------------------------------------------------------- */
/* A method with its settings, as a comparison of systems names it. */
typedef struct psdvec_system {
    const char *name;  /* "psd-paper", "glove", ... */
    const char *title; /* "PSD-Reg, the paper's model" */
    const char *paper; /* "Pennington, Socher and Manning 2014" */
    psdvec_method method;
    psdvec_preset preset; /* of PSD */
    bool no_prior;        /* PSD: `mu` is 0 */
    const char *source;   /* name of the system whose vectors it is made from; NULL: it starts from
                             text or counts. "psd" for sparse codes, which take any dense vectors */
    uint32_t words;       /* it is the first `words` words of `source`; 0: it is trained */
    bool reads_text;      /* it reads the text itself; others start from counts */
    bool usual;           /* part of a comparison by default ... */
    bool usual_with_own;  /* ... or if each system counts with its own settings */
} psdvec_system;

/* Returns system i, from 0; NULL after the last one. */
PSDVEC_API const psdvec_system *psdvec_system_at(size_t i);
/* Returns the system with this name, or NULL. */
PSDVEC_API const psdvec_system *psdvec_system_find(const char *name);

/* Sets `window`, `distance`, `oov` and `subsample` of the counting options to the values that the
 * authors of a system used. */
PSDVEC_API void psdvec_system_counting(const psdvec_system *system, psdvec_count_options *count);

/* Trains a system with `dim` dimensions and writes a model. It starts from `source`: a counts file
 * or, if system->source is not NULL, vectors. A system with `reads_text` starts from the inputs
 * instead, read with the options `count`; then `source` is ignored. If a run was interrupted, the
 * same call resumes it, unless `restart` is set. `count` and `report` may be NULL, and so may
 * `source` and `inputs` if the system does not use them. */
PSDVEC_API psdvec_status psdvec_system_train(psdvec_context *ctx, const psdvec_system *system,
                                             uint32_t dim, bool restart, const char *source,
                                             const psdvec_count_options *count,
                                             const char *const *inputs, size_t input_count,
                                             const char *output, psdvec_count_report *report);

/* ---- Residuals ------------------------------------------------------------------- */
/* The residuals a = G - v_i' J v_j are what the vectors do not explain. They are defined for pairs
 * whose target depends on the counts: for smoothed targets, pairs seen in that direction (for all
 * others G is log kappa); for PMI, pairs seen in either direction. */
typedef struct psdvec_residual {
    uint32_t context, focus; /* word indices in the model */
    double count;            /* x of this direction; for PMI, of both directions */
    double target, product;  /* G and v_i' J v_j */
    double weight;           /* f, the weight of the pair in training */
} psdvec_residual;

typedef enum psdvec_residual_order {
    PSDVEC_RESIDUAL_LOSS = 0, /* by f a^2, the loss in training, largest first */
    PSDVEC_RESIDUAL_MORE,     /* by a, largest first: seen more often than the vectors predict */
    PSDVEC_RESIDUAL_LESS      /* by a, smallest first: seen less often */
} psdvec_residual_order;

typedef struct psdvec_residual_report {
    uint64_t pairs;         /* number of residuals */
    double mean, deviation; /* mean and standard deviation of a */
    double weighted_square; /* sum f a^2 */
    double explained;       /* 1 - sum f a^2 / sum f G^2; can be negative if a background (`rho`)
                               pulls all products towards its target */
    double correlation;     /* of G and v_i' J v_j, weighted by f */
    double seconds;
} psdvec_residual_report;

/* Computes the residuals of a model. All residuals are written to `output` (docs/explanation/residuals.md),
 * which may be NULL. `top` receives the *found first pairs in `order`, at most `most`, of two
 * different words with a count of at least `least_count`; it may be NULL if `most` is 0. For PMI,
 * whose residuals are symmetric, each pair appears once, in its more frequent direction. `found`
 * and `report` may be NULL. Warns if the model was not trained on these counts. */
PSDVEC_API psdvec_status psdvec_residuals(psdvec_context *ctx, const psdvec_model *model,
                                          const psdvec_counts *counts, const char *output,
                                          psdvec_residual_order order, double least_count,
                                          size_t most, psdvec_residual *top, size_t *found,
                                          psdvec_residual_report *report);

typedef void psdvec_residual_fn(void *user, const psdvec_residual *residual);

/* Like psdvec_residuals, but passes the pairs to `on_residual` one at a time, in order, in the
 * thread of the caller; UINT64_MAX for `most` passes all of them. `on_residual` may be NULL if
 * `most` is 0. Before its first call, `output` is complete and `report` has all members but
 * `seconds`. Lists that do not fit into the memory budget are sorted in a nameless temporary file,
 * with 40 bytes per pair, in the context's `tempdir`, or else in the folder of `output` or, without
 * one, of the model. If `should_cancel` returns true after the first call, the list ends early with
 * PSDVEC_ERR_CANCELLED. */
PSDVEC_API psdvec_status psdvec_residuals_each(psdvec_context *ctx, const psdvec_model *model,
                                               const psdvec_counts *counts, const char *output,
                                               psdvec_residual_order order, double least_count,
                                               uint64_t most, psdvec_residual_fn *on_residual,
                                               void *user, psdvec_residual_report *report);

/* ---- The joint probability of corpus, vectors and residuals ------------------------ */
/* Computes the joint probability for a model and counts, over the words that both have.
 * docs/explanation/model.md explains which comparisons it allows. */
PSDVEC_API psdvec_status psdvec_joint_compute(psdvec_context *ctx, const psdvec_model *model,
                                              const psdvec_counts *counts, psdvec_joint *joint);

/* ---- Simulation --------------------------------------------------------------------- */
typedef struct psdvec_simulate_options {
    size_t size; /* set by psdvec_simulate_options_default */
#include <psdvec/options/simulate.def>
} psdvec_simulate_options;

/* Sets all members to their defaults. */
static inline void psdvec_simulate_options_default(psdvec_simulate_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_SIMULATE, options, sizeof *options, 0, NULL);
}

/* Returns PSDVEC_OK, or PSDVEC_ERR_OPTION and an error message that names the invalid option. */
PSDVEC_API psdvec_status psdvec_simulate_options_check(psdvec_context *ctx,
                                                       const psdvec_simulate_options *options);

/* Statistics of a simulation. Natural logarithms; entropies in nats. */
typedef struct psdvec_simulate_report {
    uint64_t tokens, documents;
    uint64_t bytes;        /* of text */
    double mu;             /* prior of the vectors: their components have variance 1 / (2 mu) */
    double log_likelihood; /* of the text under the truth: sum of normalised log P(w | before) */
    double log_unigram;    /* of the text under the unigram distribution p */
    double entropy;        /* of p: per word without a word before it */
    double entropy_rate;   /* exact, per word after another word; NAN if the window is not 1 */
    uint32_t rounds;       /* iterations of the scaling that gives the pairs the marginals p */
    double seconds;
} psdvec_simulate_report;

/* Draws random vectors V and residuals A, and a text from that model, so that training on the text
 * can be compared with the truth. V and A are adjusted so that for a window of 1 they are exactly
 * the PMI of the text (docs/explanation/simulation.md); words are drawn from the normalised conditional
 * distribution. Writes text.txt, truth.safetensors (a model), truth-residuals.safetensors and,
 * last, truth.json to `folder`, which is created if it does not exist. Files with these names are
 * replaced only if an earlier simulation wrote them. `options` and `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_simulate(psdvec_context *ctx,
                                         const psdvec_simulate_options *options, const char *folder,
                                         psdvec_simulate_report *report);

/* ---- Interaction of three words -------------------------------------------------------- */
/* The model assumes PMI(c; a, b) = PMI(c; a) + PMI(c; b) (Appendix B of the paper). The difference
 * of the two sides, the pointwise interaction information, is measured on text for words a, b, c
 * that occur in this order within a window (docs/explanation/interaction.md). All probabilities are relative
 * frequencies over the same set of positions: triples of words of the model, the last at most
 * `window` words after the first, each counted once, without weights for distance or frequency. */
typedef struct psdvec_interaction {
    uint32_t words[3];   /* a, b, c: word indices in the model */
    uint64_t count;      /* of the triple */
    uint64_t pairs[3];   /* of (a, b), (a, c) and (b, c) in these positions */
    uint64_t singles[3]; /* of a, b and c in these positions */
    double pmi[3];       /* of the three pairs; NAN if never seen */
    double joint;        /* PMI(c; a, b); NAN if never seen */
    double information;  /* joint - pmi[1] - pmi[2], in nats; 0 in theory, NAN if never seen */
    double error;        /* its standard error, if positions were independent */
} psdvec_interaction;

/* Means, shares and quantiles are over triples, weighted by their counts. */
typedef struct psdvec_interaction_report {
    uint32_t window;        /* window used */
    uint64_t tokens, known; /* words of the text, and those in the model */
    uint64_t places;        /* triples of positions, over all gaps */
    uint64_t triples;       /* distinct triples with at least `least_count` occurrences */
    uint64_t occurrences;   /* of these triples */
    double mean, mean_absolute;
    double quantiles[5]; /* 5, 25, 50, 75 and 95 % */
    double within_half;  /* share between -0.5 and 0.5 */
    double sum_absolute; /* mean of |PMI(c; a) + PMI(c; b)|, for comparison with mean_absolute */
    double slope;        /* least-squares factor from PMI(c; a) + PMI(c; b) to PMI(c; a, b) */
    double seconds;
} psdvec_interaction_report;

/* Measures interaction information on text.
 *
 * If `asked_count` is not 0, `out` receives the result for each of the `asked` triples of word
 * indices. Otherwise it receives the `most` most frequent triples with at least `least_count`
 * occurrences, ties by word index, and the report summarises all such triples; its figures are NAN
 * if there are none, or if triples were asked for. *found is the number of results in `out`.
 * `found` and `report` may be NULL, and so may `asked` if `asked_count` is 0. `window` is 2 to
 * 1000, or 0 for the window of the model. The text is tokenized with the settings of the model, or
 * with those of psdvec_count_options_default if it has none. */
PSDVEC_API psdvec_status psdvec_interactions(psdvec_context *ctx, const psdvec_model *model,
                                             const char *const *inputs, size_t input_count,
                                             uint32_t window, const uint32_t (*asked)[3],
                                             size_t asked_count, size_t most, uint64_t least_count,
                                             psdvec_interaction *out, size_t *found,
                                             psdvec_interaction_report *report);

/* The quantities of Appendix B about a third word c and two words a, b before it, in nats.
 * Of one triple they are pointwise: PMI(c; a), PMI(c; b), PMI(c; a, b), PRdn, PSyn and PInt. Of many
 * triples they are expectations, weighted by counts: the mutual information I, and
 *
 *     Rdn(c; a, b) = sum over c of P(c) min(E[PMI(c; a) | c], E[PMI(c; b) | c])
 *     Int(a, b, c) = I(c; a, b) - I(c; a) - I(c; b)
 *     Syn(c; a, b) = Int(a, b, c) + Rdn(c; a, b)
 *
 * PRdn is the smaller of PMI(c; a) and PMI(c; b), and PSyn = PInt + PRdn. NAN if not known. */
typedef struct psdvec_information {
    double first;       /* I(c; a) */
    double second;      /* I(c; b) */
    double both;        /* I(c; a, b) */
    double redundant;   /* Rdn(c; a, b) */
    double synergistic; /* Syn(c; a, b) */
    double interaction; /* Int(a, b, c) */
} psdvec_information;

/* The pointwise quantities of one triple. */
PSDVEC_API void psdvec_interaction_pointwise(const psdvec_interaction *triple,
                                             psdvec_information *information);

/* Like psdvec_interactions; `information`, which may be NULL, receives the expectations over all
 * triples with at least `least_count` occurrences. With a `least_count` of 1 these are all triples
 * of the text, and the expectations are those of Appendix B, estimated by relative frequencies;
 * that overestimates I(c; a, b) and Syn if most triples are rare. NAN if triples were asked for. */
PSDVEC_API psdvec_status psdvec_interactions_full(psdvec_context *ctx, const psdvec_model *model,
                                                  const char *const *inputs, size_t input_count,
                                                  uint32_t window, const uint32_t (*asked)[3],
                                                  size_t asked_count, size_t most,
                                                  uint64_t least_count, psdvec_interaction *out,
                                                  size_t *found, psdvec_interaction_report *report,
                                                  psdvec_information *information);

#ifdef __cplusplus
}
#endif
#endif
