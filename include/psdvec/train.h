/* Part of psdvec.h: from counts to vectors, and vectors for new words. */
#ifndef PSDVEC_TRAIN_H
#define PSDVEC_TRAIN_H

#include <psdvec/counts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- From counts to vectors -------------------------------------------- */
/* docs/model.md has every formula. In short: the counts give a target G(i,j)
 * and a weight W(i,j) for each pair of words, and the vectors minimise
 *     sum W(i,j) (G(i,j) - v_i' J v_j)^2 + sum mu_i |v_i|^2. */
typedef enum psdvec_form {
    PSDVEC_FORM_SYMMETRIC = 0, /* J = diag(+-1): eigenvalues largest in magnitude */
    PSDVEC_FORM_PSD            /* J = I: the paper; the largest positive eigenvalues */
} psdvec_form;

typedef enum psdvec_target {
    PSDVEC_TARGET_PMI = 0, /* pointwise mutual information of x + x', margins raised to a power */
    PSDVEC_TARGET_SMOOTHED /* the paper: log(P_smoothed(j|i) / P(j)), Jelinek-Mercer with kappa */
} psdvec_target;

typedef enum psdvec_weights {
    PSDVEC_WEIGHTS_FACTORED = 0, /* r_i^g r_j^g times the logistic function of PMI */
    PSDVEC_WEIGHTS_RAW,          /* the original program: sqrt of the count, cut off */
    PSDVEC_WEIGHTS_SMOOTHED,     /* the paper's text: sqrt of the smoothed probability, cut off;
                                    unseen pairs weigh too */
    PSDVEC_WEIGHTS_GLOVE         /* GloVe: (x / x_max)^power, at most 1 */
} psdvec_weights;

typedef enum psdvec_preset {
    PSDVEC_PRESET_DEFAULT = 0, /* what gives the best vectors */
    PSDVEC_PRESET_PAPER        /* Li, Zhu and Miao 2015 */
} psdvec_preset;

typedef struct psdvec_train_options {
    psdvec_preset preset; /* what the rest was filled in from; stored, not used */
    uint32_t dim;         /* N: numbers in a vector */
    psdvec_form form;
    uint32_t core; /* words solved by Algorithm 1, the most frequent ones; 0: all. The others follow
                      by regression */

    /* Targets */
    psdvec_target target;
    double kappa;         /* SMOOTHED: weight of the unigram distribution, in (0, 1) */
    double context_power; /* PMI: margins are raised to it; 1: plain PMI */

    /* Weights */
    psdvec_weights weights;
    double cut;          /* RAW, SMOOTHED: share of the core's n*n pairs at weight 1 */
    double factor_power; /* FACTORED: g */
    double glove_max;    /* GLOVE: x_max */
    double glove_power;  /* GLOVE */
    double rho;          /* FACTORED: weight of every pair, seen or not, towards rho_target */
    double rho_target;
    double unseen_weight; /* in the regression of noncore words on the core: weight of an unseen
                             pair towards 0, as in the original program (0.001); 0: none */

    /* Algorithm 1 */
    uint32_t iterations;    /* T, at most */
    double tolerance;       /* stop when the objective falls by less than this share; 0: never */
    double relaxation;      /* length of a step; 1: the paper, below 2; a step that would raise the
                            objective is taken back and made shorter */
    double start;           /* X(0) = start * G; 0.5 in the paper */
    uint32_t rank_extra;    /* iteration t keeps N + rank_extra * (T - t) eigenvalues */
    double eigen_tolerance; /* of the eigenvectors' residuals, relative to the smallest kept */

    /* Priors: mu_i = MU * (frequency of the last core word / frequency of word i)^mu_power. For core
     * words MU is core_mu; for the others mu[band], where band b ends before rank
     * mu_edges[b]; without edges the bands divide the noncore words evenly. */
    double core_mu;
    double mu_power;
    const double *mu;
    size_t mu_count;
    const uint32_t *mu_edges; /* mu_count - 1, ascending; NULL: even */

    /* The read-out: additions to the paper's model, by which words are compared (docs/model.md). */
    bool centre;     /* take the mean of all vectors off each */
    double order;    /* share of what stands before and what behind a word; 0: none */
    double spelling; /* share of what a word's n-grams of letters say; 0: none */

    bool restart; /* forget what an interrupted run with the same options left beside the output */
} psdvec_train_options;

PSDVEC_API void psdvec_train_options_default(psdvec_train_options *options);
/* As default, with the values of a preset. `count` (may be NULL) receives the
 * preset's way of counting; of its text options only min_document_words is the preset's. */
PSDVEC_API void psdvec_train_options_preset(psdvec_train_options *options, psdvec_preset preset,
                                            psdvec_count_options *count);
PSDVEC_API psdvec_status psdvec_train_options_check(psdvec_context *ctx,
                                                    const psdvec_train_options *options);

/* The logarithm of the joint probability of text, vectors and residuals, equation (logjointcorpus2)
 * of the paper, term by term (docs/model.md, "The joint probability"). The text's own is the sum
 * of the first four. Pairs are ordered: i before j. */
typedef struct psdvec_joint {
    double unigrams;            /* C0: sum of log P(w) over the text */
    double products;            /* sum x_ij v_i' J v_j */
    double residuals;           /* sum x_ij a_ij */
    double shifts;              /* sum x_ij (t_i + t_j): from a PMI target with a context power to
                                   mutual information; 0 for smoothed targets */
    double residual_prior;      /* - sum f_ij a_ij^2 */
    double background;          /* - sum rho a_i a_j (g0 - v_i' J v_j)^2, which the paper lacks */
    double vector_prior;        /* - sum mu_i |v_i|^2 */
    double residual_normaliser; /* log of the residuals' Gaussian factors, those with f > 0 */
    double vector_normaliser;   /* the same of the vectors', those with mu > 0 */
    uint64_t tokens, pairs;     /* that the first and the second sum are over */
    uint64_t weighed;           /* pairs with f > 0, that the residuals' prior is over */
    uint64_t free_residuals;    /* seen pairs with f = 0, which the prior says nothing of */
    uint32_t words;             /* that model and counts both have */
    uint32_t free_words;        /* of them with mu = 0 */
} psdvec_joint;

typedef struct psdvec_train_report {
    uint32_t words, core_words;
    uint32_t dim;           /* as asked for, but at most core_words */
    uint32_t positive;      /* eigenvalues kept that are positive ... */
    uint32_t negative;      /* ... and negative; both together may be fewer than dim */
    uint64_t pairs;         /* of core words, seen in either direction, each once */
    uint32_t iterations;    /* carried out, those of an interrupted run included */
    double objective;       /* at the end */
    uint64_t spilled_bytes; /* of temporary files, where memory did not do */
    double link_seconds, solve_seconds, regression_seconds, readout_seconds;
    double seconds;
    psdvec_joint joint;
    double joint_seconds; /* not in any of the other parts */
} psdvec_train_report;

/* From a counts file to a model file. Interrupted, the same call goes on where
 * the last one stopped and ends with the same bits. `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_train(psdvec_context *ctx, const psdvec_train_options *options,
                                      const char *counts, const char *output,
                                      psdvec_train_report *report);

/* The same from text; the counts go to a file beside the output and vanish at
 * the end. `count_report` may be NULL. */
PSDVEC_API psdvec_status psdvec_train_text(psdvec_context *ctx, const psdvec_train_options *options,
                                           const psdvec_count_options *count,
                                           const char *const *inputs, size_t input_count,
                                           const char *output, psdvec_count_report *count_report,
                                           psdvec_train_report *report);

/* What psdvec_train would need. */
typedef struct psdvec_train_plan {
    uint32_t words, core_words, dim;
    uint64_t pairs;        /* of core words, at most */
    uint64_t memory;       /* with everything in memory */
    uint64_t memory_least; /* with the pairs in a temporary file */
    uint64_t memory_budget;
    bool streamed; /* the pairs would go to a temporary file */
    uint64_t temporary_bytes;
    uint64_t output_bytes;
    double seconds; /* a guess: from the work, and a short measurement of this machine */
} psdvec_train_plan;

PSDVEC_API psdvec_status psdvec_train_plan_make(psdvec_context *ctx,
                                                const psdvec_train_options *options,
                                                const char *counts, psdvec_train_plan *plan);

/* ---- Words that arrive later --------------------------------------------- */
typedef struct psdvec_extend_options {
    uint64_t min_count; /* of new words, in the new text */
    const double *mu;   /* NULL: that of the model's rarest words */
    bool replace;       /* new vectors for words that an extension before gave already */
} psdvec_extend_options;

PSDVEC_API void psdvec_extend_options_default(psdvec_extend_options *options);

typedef struct psdvec_extend_report {
    uint32_t old_words, new_words, replaced_words;
    uint32_t core_words_seen; /* core words of the model that the new text has */
    double seconds;
} psdvec_extend_report;

/* Vectors for the words of new text, or of a counts file, that the model does
 * not know. Old vectors keep their bits. Text is read with the model's own
 * settings. `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_extend(psdvec_context *ctx, const psdvec_extend_options *options,
                                       const char *model, const char *const *inputs,
                                       size_t input_count, const char *output,
                                       psdvec_extend_report *report);

#ifdef __cplusplus
}
#endif
#endif
