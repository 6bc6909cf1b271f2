/* Looking for phrases in text, for use inside other calls. */
#ifndef PV_COUNT_PHRASE_FIND_H
#define PV_COUNT_PHRASE_FIND_H

#include "base/partial.h"
#include "corpus/phrases.h"

/* Fills `phrases` and, unless it is NULL, `list`, with the phrases as a list file has them. The
 * phrases of `text` are not joined. `folder` takes temporary files. A file of that name in a folder
 * of the inputs, `output`, is passed over if it is what an earlier run left there; it may be NULL.
 * The report has `phrases`, `bytes`, `documents` and `tokens` afterwards. */
psdvec_status pv_phrases_search(psdvec_context *ctx, const psdvec_phrases_options *options,
                                const psdvec_text_options *text, const char *const *inputs,
                                size_t input_count, const char *output, const char *folder,
                                pv_phrases *phrases, pv_buffer *list,
                                psdvec_phrases_report *report);

/* The text option `phrases` auto: finds phrases in the inputs with the default options of finding.
 * Inputs that cannot be read twice are refused. `output` as above. */
psdvec_status pv_phrases_find_auto(psdvec_context *ctx, const psdvec_text_options *text,
                                   const char *const *inputs, size_t input_count,
                                   const char *output, const char *folder, pv_phrases *phrases);

/* The same for a run that keeps its states: takes the phrases that an interrupted run found, or finds
 * them and keeps them. Nothing without `phrases` auto: then `phrases` stays empty. */
psdvec_status pv_phrases_on_the_way(pv_partial *partial, psdvec_context *ctx,
                                    const psdvec_text_options *text, const char *const *inputs,
                                    size_t input_count, const char *output, pv_phrases *phrases);

#endif
