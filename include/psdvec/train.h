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
    size_t size; /* filled in by psdvec_train_options_default */
#include <psdvec/options/train.def>
} psdvec_train_options;

static inline void psdvec_train_options_default(psdvec_train_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_TRAIN, options, sizeof *options, 0, NULL);
}
/* The values of a preset. `count` (may be NULL) receives the preset's way of counting. */
static inline void psdvec_train_options_preset(psdvec_train_options *options, psdvec_preset preset,
                                               psdvec_count_options *count)
{
    const char *name = preset == PSDVEC_PRESET_PAPER ? "paper" : "default";
    psdvec_options_init(PSDVEC_OPTIONS_TRAIN, options, sizeof *options, 0, name);
    if (count)
        psdvec_options_init(PSDVEC_OPTIONS_COUNT, count, sizeof *count, sizeof count->text, name);
}
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
 * the end. NULL for `count`: the preset's way of counting. `count_report` may be NULL. */
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
    size_t size; /* filled in by psdvec_extend_options_default */
#include <psdvec/options/extend.def>
} psdvec_extend_options;

static inline void psdvec_extend_options_default(psdvec_extend_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_EXTEND, options, sizeof *options, 0, NULL);
}

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
