/* Looking for phrases in text, for use inside other calls. */
#ifndef PV_COUNT_PHRASE_FIND_H
#define PV_COUNT_PHRASE_FIND_H

#include "corpus/phrases.h"

/* Fills `phrases` and, unless it is NULL, `list`, with the phrases as a list file has them. The
 * phrases of `text` are not joined. `folder` takes temporary files. The report has `phrases`,
 * `bytes`, `documents` and `tokens` afterwards. */
psdvec_status pv_phrases_search(psdvec_context *ctx, const psdvec_phrases_options *options,
                                const psdvec_text_options *text, const char *const *inputs,
                                size_t input_count, const char *folder, pv_phrases *phrases,
                                pv_buffer *list, psdvec_phrases_report *report);

#endif
