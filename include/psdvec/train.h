/* Part of psdvec.h: training a model, and adding words to it.
 *
 * psdvec_train reads a counts file and writes a model; psdvec_train_text counts text first.
 * psdvec_extend adds new words to a model without retraining it.
 *
 *     psdvec_train_options train;
 *     psdvec_count_options count;
 *     psdvec_train_options_preset(&train, PSDVEC_PRESET_DEFAULT, &count);
 *     train.dim = 300;
 *
 *     const char *inputs[] = {"wiki.txt.zst"}, *more[] = {"news.txt"};
 *     if (psdvec_train_text(ctx, &train, &count, inputs, 1, "wiki.safetensors", NULL, NULL) ||
 *         psdvec_extend(ctx, NULL, "wiki.safetensors", more, 1, "both.safetensors", NULL))
 *         fprintf(stderr, "%s\n", psdvec_error_message(ctx));
 *
 * The model: the counts give a target G(i,j) and a weight W(i,j) for each pair of words, and the
 * vectors v minimise
 *
 *     sum W(i,j) (G(i,j) - v_i' J v_j)^2 + sum mu_i |v_i|^2
 *
 * The core words, the most frequent ones, are solved together; the vectors of noncore words follow
 * by regression on them. docs/explanation/model.md has every formula.
 */
#ifndef PSDVEC_TRAIN_H
#define PSDVEC_TRAIN_H

#include <psdvec/counts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* psdvec_train_options.start: random vectors, by the seed of the context. */
#define PSDVEC_START_RANDOM (-1)

/* ---- From counts to vectors -------------------------------------------- */
/* Which eigenvalues are kept; J has their signs. */
typedef enum psdvec_form {
    PSDVEC_FORM_SYMMETRIC = 0, /* those of largest magnitude: J = diag(+-1) */
    PSDVEC_FORM_PSD            /* the largest positive ones, as in the paper: J = I */
} psdvec_form;

/* The target G, which the products of vectors approximate. */
typedef enum psdvec_target {
    PSDVEC_TARGET_PMI = 0, /* PMI of x + x', with marginal totals raised to `context_power` */
    PSDVEC_TARGET_SMOOTHED /* the paper: log(P_smoothed(j|i) / P(j)), Jelinek-Mercer with kappa */
} psdvec_target;

/* The weight W of the squared error of a pair. */
typedef enum psdvec_weights {
    PSDVEC_WEIGHTS_FACTORED = 0, /* r_i^g r_j^g times the logistic function of the PMI */
    PSDVEC_WEIGHTS_RAW,          /* square root of the count, with a cutoff: the original program */
    PSDVEC_WEIGHTS_SMOOTHED,     /* square root of the smoothed probability, with a cutoff: the
                                    paper's text; unseen pairs have a weight too */
    PSDVEC_WEIGHTS_GLOVE         /* GloVe: (x / x_max)^power, at most 1 */
} psdvec_weights;

typedef enum psdvec_preset {
    PSDVEC_PRESET_DEFAULT = 0, /* the settings that give the best vectors */
    PSDVEC_PRESET_PAPER        /* the settings of Li, Zhu and Miao (2015) */
} psdvec_preset;

typedef struct psdvec_train_options {
    size_t size; /* set by psdvec_train_options_default */
#include <psdvec/options/train.def>
} psdvec_train_options;

/* Sets all members to their defaults. */
static inline void psdvec_train_options_default(psdvec_train_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_TRAIN, options, sizeof *options, 0, NULL);
}

/* Sets all members to the values of a preset. `count` (may be NULL) receives the preset's counting
 * options. */
static inline void psdvec_train_options_preset(psdvec_train_options *options, psdvec_preset preset,
                                               psdvec_count_options *count)
{
    const char *name = preset == PSDVEC_PRESET_PAPER ? "paper" : "default";
    psdvec_options_init(PSDVEC_OPTIONS_TRAIN, options, sizeof *options, 0, name);
    if (count)
        psdvec_options_init(PSDVEC_OPTIONS_COUNT, count, sizeof *count, sizeof count->text, name);
}

/* Returns PSDVEC_OK, or PSDVEC_ERR_OPTION and an error message that names the invalid option. */
PSDVEC_API psdvec_status psdvec_train_options_check(psdvec_context *ctx,
                                                    const psdvec_train_options *options);

/* The log of the joint probability of text, vectors and residuals, term by term: equation
 * (10) of the paper; see docs/explanation/model.md, "The joint probability". The log-likelihood of
 * the text is the sum of the first four members. Sums over pairs are over ordered pairs, i before
 * j. */
typedef struct psdvec_joint {
    double unigrams;            /* C0: sum of log P(w) over the text */
    double products;            /* sum x_ij v_i' J v_j */
    double residuals;           /* sum x_ij a_ij */
    double shifts;              /* sum x_ij (t_i + t_j): converts a PMI target with a context power
                                   to plain PMI; 0 for smoothed targets */
    double residual_prior;      /* - sum f_ij a_ij^2 */
    double background;          /* - sum of rho z_i z_j (g0 - v_i' J v_j)^2, z the factors of the
                                   background; not in the paper */
    double vector_prior;        /* - sum mu_i |v_i|^2 */
    double residual_normaliser; /* log normaliser of the Gaussians of residuals with f > 0 */
    double vector_normaliser;   /* log normaliser of the Gaussians of vectors with mu > 0 */
    uint64_t tokens, pairs;     /* number of terms of `unigrams` and of `products` */
    uint64_t weighed;           /* pairs with f > 0, the terms of `residual_prior` */
    uint64_t free_residuals;    /* seen pairs with f = 0, which have no prior */
    uint32_t words;             /* words that are both in the model and in the counts */
    uint32_t free_words;        /* those of them with mu = 0 */
} psdvec_joint;

/* Statistics of a training run. */
typedef struct psdvec_train_report {
    uint32_t words, core_words;
    uint32_t dim;           /* dimensions: as requested, but at most core_words */
    uint32_t positive;      /* positive eigenvalues kept ... */
    uint32_t negative;      /* ... and negative ones; together possibly fewer than dim */
    uint64_t pairs;         /* distinct pairs of core words seen, ignoring direction */
    uint32_t iterations;    /* including those of an interrupted run */
    double objective;       /* final value of the objective */
    uint64_t spilled_bytes; /* written to temporary files because memory was short */
    double link_seconds, solve_seconds, regression_seconds, readout_seconds;
    double seconds;
    psdvec_joint joint;
    double joint_seconds; /* not included in the times of the other stages */
} psdvec_train_report;

/* Trains a model from a counts file and writes it to `output`. If a run was interrupted, the same
 * call resumes it and gives the same bits. `options` and `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_train(psdvec_context *ctx, const psdvec_train_options *options,
                                      const char *counts, const char *output,
                                      psdvec_train_report *report);

/* Trains a model from text: counts the inputs as psdvec_count does, then trains. The counts go to a
 * temporary file beside the output, which is deleted at the end. `options`, `count_report` and
 * `report` may be NULL; `count` may be NULL for the counting options of the training preset. */
PSDVEC_API psdvec_status psdvec_train_text(psdvec_context *ctx, const psdvec_train_options *options,
                                           const psdvec_count_options *count,
                                           const char *const *inputs, size_t input_count,
                                           const char *output, psdvec_count_report *count_report,
                                           psdvec_train_report *report);

/* The resources a training run would need. Sizes are in bytes. */
typedef struct psdvec_train_plan {
    uint32_t words, core_words, dim;
    uint32_t core_in_memory; /* if `streamed`: the number of core words, in round figures, up to
                              * which the pairs fit into memory; 0: none */
    uint64_t pairs;          /* upper bound on the distinct pairs of core words */
    uint64_t memory;         /* with everything in memory */
    uint64_t memory_least;   /* with the pairs in a temporary file */
    uint64_t memory_budget;
    bool streamed; /* the pairs would be kept in a temporary file */
    uint64_t temporary_bytes;
    uint64_t output_bytes;
    double seconds; /* estimated from the amount of work and a short benchmark of this machine */
} psdvec_train_plan;

/* Estimates what psdvec_train would need, without training. `options` may be NULL. */
PSDVEC_API psdvec_status psdvec_train_plan_make(psdvec_context *ctx,
                                                const psdvec_train_options *options,
                                                const char *counts, psdvec_train_plan *plan);

/* ---- Adding words ---------------------------------------------------------- */
typedef struct psdvec_extend_options {
    size_t size; /* set by psdvec_extend_options_default */
#include <psdvec/options/extend.def>
} psdvec_extend_options;

/* Sets all members to their defaults. */
static inline void psdvec_extend_options_default(psdvec_extend_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_EXTEND, options, sizeof *options, 0, NULL);
}

typedef struct psdvec_extend_report {
    uint32_t old_words, new_words, replaced_words;
    uint32_t core_words_seen; /* core words of the model that occur in the new text */
    double seconds;
} psdvec_extend_report;

/* Adds the words of new text that the model does not have, and writes the result to `output`,
 * another file. The inputs are text, counted with the settings stored in the model, or one counts
 * file. Existing vectors keep their bits. `options` and `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_extend(psdvec_context *ctx, const psdvec_extend_options *options,
                                       const char *model, const char *const *inputs,
                                       size_t input_count, const char *output,
                                       psdvec_extend_report *report);

#ifdef __cplusplus
}
#endif
#endif
