/* Part of psdvec.h: how a file was made, as typed values.
 *
 * psdvec_counts_info and psdvec_model_info have the same as JSON, for showing it to people. */
#ifndef PSDVEC_ORIGIN_H
#define PSDVEC_ORIGIN_H

#include <psdvec/document.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ---------------------------------------------------------------------- */
/* The options that a counts file was made with, a psdvec_count_options; to be freed.
 * PSDVEC_ERR_MISMATCH if the file does not say, as of imported counts. */
PSDVEC_API psdvec_status psdvec_counts_settings(psdvec_context *ctx, const psdvec_counts *counts,
                                                psdvec_settings **settings);
/* The options that a model was made with: PSDVEC_OPTIONS_COUNT, and PSDVEC_OPTIONS_TRAIN or, of
 * another system, PSDVEC_OPTIONS_BASELINE; to be freed. PSDVEC_ERR_MISMATCH if it does not say. */
PSDVEC_API psdvec_status psdvec_model_settings(psdvec_context *ctx, const psdvec_model *model,
                                               psdvec_options_kind kind,
                                               psdvec_settings **settings);

/* ---- Inputs, extensions, results ---------------------------------------------------- */
/* One of the inputs that were counted. */
typedef struct psdvec_input_info {
    const char *name; /* as it was given */
    uint64_t files, bytes, documents, tokens;
} psdvec_input_info;

/* One call of psdvec_extend. */
typedef struct psdvec_extension_info {
    uint32_t first;     /* number of its first word in the model */
    uint32_t words;     /* that it added */
    uint32_t replaced;  /* words whose vectors it replaced */
    uint64_t min_count; /* its options */
    double mu;
} psdvec_extension_info;

/* Later versions may add members at the end. */
typedef struct psdvec_origin {
    const psdvec_input_info *inputs;
    size_t input_count;
    const psdvec_extension_info *extensions; /* of models */
    size_t extension_count;
    uint64_t tokens, documents; /* of the text that was counted; 0: not known */
    bool imported;              /* the counts are another program's */
    bool has_joint;             /* of models: the joint probability after training */
    psdvec_joint joint;
    bool has_fit; /* of models: what psdvec_model_keep_fit kept; other members are NAN or 0 */
    psdvec_fit_report fit;
} psdvec_origin;

/* What the file says of it; what it does not say is empty. */
PSDVEC_API psdvec_status psdvec_counts_origin(psdvec_context *ctx, const psdvec_counts *counts,
                                              psdvec_origin **origin);
PSDVEC_API psdvec_status psdvec_model_origin(psdvec_context *ctx, const psdvec_model *model,
                                             psdvec_origin **origin);
PSDVEC_API void psdvec_origin_free(psdvec_origin *origin);

#ifdef __cplusplus
}
#endif
#endif
