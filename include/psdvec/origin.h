/* Part of psdvec.h: how a counts file or a model was made.
 *
 * Files store the options and inputs they were made with. These calls give them as typed values;
 * psdvec_counts_info and psdvec_model_info have the same as JSON, for display.
 *
 *     psdvec_settings *settings;
 *     if (psdvec_model_settings(ctx, model, PSDVEC_OPTIONS_TRAIN, &settings) == PSDVEC_OK) {
 *         const psdvec_train_options *train = psdvec_settings_struct(settings);
 *         printf("trained with %u dimensions\n", train->dim);
 *         psdvec_settings_free(settings);
 *     }
 */
#ifndef PSDVEC_ORIGIN_H
#define PSDVEC_ORIGIN_H

#include <psdvec/document.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ---------------------------------------------------------------------- */
/* Gives the options that a counts file was made with; their struct is a psdvec_count_options. Free
 * them with psdvec_settings_free. PSDVEC_ERR_MISMATCH if the file does not have them, as for
 * imported counts. */
PSDVEC_API psdvec_status psdvec_counts_settings(psdvec_context *ctx, const psdvec_counts *counts,
                                                psdvec_settings **settings);

/* Gives the options that a model was made with. `kind` is PSDVEC_OPTIONS_COUNT for counting, and
 * PSDVEC_OPTIONS_TRAIN for training or, for a model of another method, PSDVEC_OPTIONS_BASELINE.
 * Free them with psdvec_settings_free. PSDVEC_ERR_MISMATCH if the model does not have options of
 * this kind. */
PSDVEC_API psdvec_status psdvec_model_settings(psdvec_context *ctx, const psdvec_model *model,
                                               psdvec_options_kind kind,
                                               psdvec_settings **settings);

/* ---- Inputs, extensions, results ---------------------------------------------------- */
/* One input of the counting run. */
typedef struct psdvec_input_info {
    const char *name; /* as given to psdvec_count */
    uint64_t files, bytes, documents, tokens;
} psdvec_input_info;

/* One call of psdvec_extend. */
typedef struct psdvec_extension_info {
    uint32_t first;     /* index of the first word that it added */
    uint32_t words;     /* number of words added */
    uint32_t replaced;  /* number of words whose vectors were replaced */
    uint64_t min_count; /* its options */
    double mu;
} psdvec_extension_info;

/* Later versions may add members at the end. */
typedef struct psdvec_origin {
    const psdvec_input_info *inputs;
    size_t input_count;
    const psdvec_extension_info *extensions; /* models only */
    size_t extension_count;
    uint64_t tokens, documents; /* of the text that was counted; 0 if not known */
    bool imported;              /* the counts were imported from another program */
    bool has_joint;             /* models only: `joint` is set, as computed after training */
    psdvec_joint joint;
    bool
        has_fit; /* models only: `fit` is set, as psdvec_model_write_fit stored it; members that are
                     not stored are NAN or 0 */
    psdvec_fit_report fit;
} psdvec_origin;

/* Give the origin of a counts file or a model; free it with psdvec_origin_free. It is a copy and
 * does not depend on the file. Members the file has no value for are empty. */
PSDVEC_API psdvec_status psdvec_counts_origin(psdvec_context *ctx, const psdvec_counts *counts,
                                              psdvec_origin **origin);
PSDVEC_API psdvec_status psdvec_model_origin(psdvec_context *ctx, const psdvec_model *model,
                                             psdvec_origin **origin);

/* Frees an origin and everything it points to. `origin` may be NULL. */
PSDVEC_API void psdvec_origin_free(psdvec_origin *origin);

/* Computes a checksum of the content of a file, for caches: files with the same checksum have the
 * same content, whatever their names and times. For files of psdvec, it is the checksum that they
 * store over those of all their parts, so the file is not read completely, and damage is not
 * detected (see psdvec_model_verify). For other files, it is the XXH3 of all bytes. */
PSDVEC_API psdvec_status psdvec_file_checksum(psdvec_context *ctx, const char *path,
                                              uint64_t *checksum);

#ifdef __cplusplus
}
#endif
#endif
