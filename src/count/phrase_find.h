/* Internal entry points of phrase detection. */
#ifndef PV_COUNT_PHRASE_FIND_H
#define PV_COUNT_PHRASE_FIND_H

#include "base/partial.h"
#include "corpus/phrases.h"

/* Fills `phrases` and, unless it is NULL, `list`, with the phrases in the format of a list file.
 * The phrases option of `text` is ignored. `folder` is for temporary files. `output` (may be NULL)
 * is skipped if it is in an input folder and is the output of an earlier run. Sets `phrases`,
 * `bytes`, `documents` and `tokens` of the report. */
psdvec_status pv_phrases_search(psdvec_context *ctx, const psdvec_phrases_options *options,
                                const psdvec_text_options *text, const char *const *inputs,
                                size_t input_count, const char *output, const char *folder,
                                pv_phrases *phrases, pv_buffer *list,
                                psdvec_phrases_report *report);

/* Implements the text option `phrases` auto: finds phrases in the inputs with the default options.
 * Inputs that cannot be read twice are rejected. `output` as above. */
psdvec_status pv_phrases_find_auto(psdvec_context *ctx, const psdvec_text_options *text,
                                   const char *const *inputs, size_t input_count,
                                   const char *output, const char *folder, pv_phrases *phrases);

/* The same for a resumable run: loads the phrases that an interrupted run found, or finds and saves
 * them. Without `phrases` auto it does nothing, and `phrases` stays empty. */
psdvec_status pv_phrases_on_the_way(pv_partial *partial, psdvec_context *ctx,
                                    const psdvec_text_options *text, const char *const *inputs,
                                    size_t input_count, const char *output, pv_phrases *phrases);

#endif
