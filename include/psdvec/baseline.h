/* Part of psdvec.h: other systems, to compare with. */
#ifndef PSDVEC_BASELINE_H
#define PSDVEC_BASELINE_H

#include <psdvec/counts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Other systems ------------------------------------------------------------- */
/* What people compare with (docs/baselines.md): each written from its paper, with its published
 * defaults, on the same text, vocabulary and tests. Same input, options and seed: same bits, for
 * any number of threads. */
typedef enum psdvec_method {
    PSDVEC_METHOD_PSD = 0, /* psdvec_train */
    PSDVEC_METHOD_PPMI,    /* positive mutual information itself, as sparse vectors */
    PSDVEC_METHOD_SVD,     /* singular vectors of it */
    PSDVEC_METHOD_SGNS,    /* word2vec: skip-gram with negative sampling */
    PSDVEC_METHOD_CBOW,    /* word2vec: continuous bag of words, with negative sampling */
    PSDVEC_METHOD_GLOVE,   /* weighted regression of logarithms of counts, by AdaGrad */
    PSDVEC_METHOD_CCA,     /* canonical correlations of square roots of counts */
    PSDVEC_METHOD_SPARSE   /* sparse codes of other vectors */
} psdvec_method;
#define PSDVEC_METHODS 8

/* "psd", "ppmi", ...; never NULL. */
PSDVEC_API const char *psdvec_method_name(psdvec_method method);
/* True and *method if there is one of that name. */
PSDVEC_API bool psdvec_method_find(const char *name, psdvec_method *method);

/* Only what a method uses is looked at. */
typedef struct psdvec_baseline_options {
    psdvec_method method;
    uint32_t dim; /* SVD, SGNS, CBOW, GLOVE, CCA: numbers in a vector */

    double context_power;    /* PPMI, SVD, CCA: counts of contexts are raised to it */
    double shift;            /* PPMI, SVD: the logarithm of it is taken off; 1: nothing */
    double count_power;      /* CCA: counts are raised to it; 0.5: square roots */
    double eigenvalue_power; /* SVD, CCA: vectors are U S^power */
    double eigen_tolerance;  /* SVD, CCA: of the residuals, relative to the smallest kept */
    bool add_contexts;       /* SVD, GLOVE: a word's vector is the sum of its two */

    uint32_t epochs;    /* SGNS, CBOW, GLOVE, SPARSE: passes over the data */
    double rate;        /* SGNS, CBOW, GLOVE: of learning, at the start */
    uint32_t negative;  /* SGNS, CBOW: noise words for each pair */
    double noise_power; /* SGNS, CBOW: frequencies are raised to it */
    double glove_max;   /* GLOVE: x_max; pairs seen as often weigh 1 */
    double glove_power; /* GLOVE: alpha */

    double factor;    /* SPARSE: so many times the numbers of the vectors that it is made from */
    double l1, l2;    /* SPARSE: penalties of codes, and of the dictionary */
    double ridge;     /* SPARSE: penalty of squares of codes; 0: none, as in the paper */
    bool nonnegative; /* SPARSE */
    bool binary;      /* SPARSE: 1 where a code is positive, else 0 */

    bool restart; /* forget what an interrupted run with the same options left beside the output */
} psdvec_baseline_options;

/* The published defaults of a method. `count` (may be NULL) receives its way of counting, of which
 * window and subsample are those of SGNS and CBOW too; its text options are left alone. */
PSDVEC_API void psdvec_baseline_options_default(psdvec_baseline_options *options,
                                                psdvec_method method, psdvec_count_options *count);
PSDVEC_API psdvec_status psdvec_baseline_options_check(psdvec_context *ctx,
                                                       const psdvec_baseline_options *options);

typedef struct psdvec_baseline_report {
    uint32_t words, dim;
    uint64_t entries; /* numbers of sparse vectors that are not 0; else 0 */
    uint64_t pairs;   /* what an epoch goes through: pairs of words; else 0 */
    uint32_t epochs;  /* carried out, those of an interrupted run included */
    double loss;      /* mean of the last epoch; NAN: the method has none */
    double seconds;
} psdvec_baseline_report;

/* From a counts file (PPMI, SVD, GLOVE, CCA) or vectors (SPARSE) to a model file. PPMI and SPARSE
 * write sparse models. `report` may be NULL. Interrupted, the same call goes on from the last
 * epoch that was finished. */
PSDVEC_API psdvec_status psdvec_baseline(psdvec_context *ctx,
                                         const psdvec_baseline_options *options, const char *input,
                                         const char *output, psdvec_baseline_report *report);
/* The same from text; not for SPARSE. Counts go to a file beside the output and vanish at the end.
 * `count_report` may be NULL. */
PSDVEC_API psdvec_status psdvec_baseline_text(psdvec_context *ctx,
                                              const psdvec_baseline_options *options,
                                              const psdvec_count_options *count,
                                              const char *const *inputs, size_t input_count,
                                              const char *output, psdvec_count_report *count_report,
                                              psdvec_baseline_report *report);

#ifdef __cplusplus
}
#endif
#endif
