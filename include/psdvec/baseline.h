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
    size_t size; /* filled in by psdvec_baseline_options_default */
#include <psdvec/options/baseline.def>
} psdvec_baseline_options;

/* The published defaults of a method. `count` (may be NULL) receives its way of counting, of which
 * window and subsample apply to SGNS and CBOW too. */
static inline void psdvec_baseline_options_default(psdvec_baseline_options *options,
                                                   psdvec_method method,
                                                   psdvec_count_options *count)
{
    const char *name = psdvec_method_name(method);
    psdvec_options_init(PSDVEC_OPTIONS_BASELINE, options, sizeof *options, 0, name);
    if (count)
        psdvec_options_init(PSDVEC_OPTIONS_COUNT, count, sizeof *count, sizeof count->text, name);
}
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
 * NULL for `count`: the method's way of counting. `count_report` may be NULL. */
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
