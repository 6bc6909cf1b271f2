/* Part of psdvec.h: word2vec, GloVe, SVD and other methods, for comparison.
 *
 * The baselines are independent implementations of the published methods with their published
 * defaults (docs/explanation/baselines.md). They use the same text, vocabulary and test sets as psdvec_train,
 * and write models that all other calls accept. Results are bit-for-bit reproducible for any number
 * of threads.
 *
 *     psdvec_baseline_options options;
 *     psdvec_count_options count;
 *     psdvec_baseline_options_default(&options, PSDVEC_METHOD_SGNS, &count);
 *     options.dim = 100;
 *
 *     const char *inputs[] = {"wiki.txt"};
 *     psdvec_baseline_text(ctx, &options, &count, inputs, 1, "sgns.safetensors", NULL, NULL);
 */
#ifndef PSDVEC_BASELINE_H
#define PSDVEC_BASELINE_H

#include <psdvec/counts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Baselines ----------------------------------------------------------------- */
typedef enum psdvec_method {
    PSDVEC_METHOD_PSD = 0, /* psdvec_train; not a baseline */
    PSDVEC_METHOD_PPMI,    /* positive PMI, as sparse vectors */
    PSDVEC_METHOD_SVD,     /* truncated SVD of the positive PMI */
    PSDVEC_METHOD_SGNS,    /* word2vec: skip-gram with negative sampling */
    PSDVEC_METHOD_CBOW,    /* word2vec: continuous bag of words with negative sampling */
    PSDVEC_METHOD_GLOVE,   /* GloVe: weighted least squares on log counts, by AdaGrad */
    PSDVEC_METHOD_CCA,     /* canonical correlation analysis of square roots of counts */
    PSDVEC_METHOD_SPARSE   /* sparse coding of other vectors */
} psdvec_method;
#define PSDVEC_METHODS 8

/* Returns the name of a method, "psd", "ppmi", ..., as a static string; "unknown" if there is no
 * such method. Never NULL. */
PSDVEC_API const char *psdvec_method_name(psdvec_method method);

/* Finds a method by name. Returns true and stores it in *method, or returns false. */
PSDVEC_API bool psdvec_method_find(const char *name, psdvec_method *method);

/* Each method uses only some of the members; the others are ignored. */
typedef struct psdvec_baseline_options {
    size_t size; /* set by psdvec_baseline_options_default */
#include <psdvec/options/baseline.def>
} psdvec_baseline_options;

/* Sets all members to the published defaults of a method. `count` (may be NULL) receives its
 * counting options. SGNS and CBOW read the text directly, but use `window` and `subsample` of them
 * too. */
static inline void psdvec_baseline_options_default(psdvec_baseline_options *options,
                                                   psdvec_method method,
                                                   psdvec_count_options *count)
{
    const char *name = psdvec_method_name(method);
    psdvec_options_init(PSDVEC_OPTIONS_BASELINE, options, sizeof *options, 0, name);
    if (count)
        psdvec_options_init(PSDVEC_OPTIONS_COUNT, count, sizeof *count, sizeof count->text, name);
}

/* Returns PSDVEC_OK, or PSDVEC_ERR_OPTION and an error message that names the invalid option. */
PSDVEC_API psdvec_status psdvec_baseline_options_check(psdvec_context *ctx,
                                                       const psdvec_baseline_options *options);

/* Statistics of a run. */
typedef struct psdvec_baseline_report {
    uint32_t words, dim;
    uint64_t entries; /* nonzero components of sparse vectors; 0 if the vectors are dense */
    uint64_t pairs;   /* word pairs used, per epoch if there are epochs; 0 if the method has none */
    uint32_t epochs;  /* including those of an interrupted run */
    double loss;      /* mean loss of the last epoch; NAN for methods without one */
    double seconds;
} psdvec_baseline_report;

/* Trains a baseline from a counts file (PPMI, SVD, GLOVE, CCA) or from vectors (SPARSE), and writes
 * a model file. PPMI and SPARSE write sparse models. If a run was interrupted, the same call
 * resumes it after the last complete epoch. `options` may be NULL for SVD; `report` may be NULL. */
PSDVEC_API psdvec_status psdvec_baseline(psdvec_context *ctx,
                                         const psdvec_baseline_options *options, const char *input,
                                         const char *output, psdvec_baseline_report *report);

/* The same from text, for all methods except SPARSE. Counts go to a temporary file beside the
 * output, which is deleted at the end. `options`, `count_report` and `report` may be NULL; `count`
 * may be NULL for the counting options of the method. */
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
