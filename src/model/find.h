/* From a word, or from what a person wrote, to the number of a word. */
#ifndef PV_MODEL_FIND_H
#define PV_MODEL_FIND_H

#include "model/model_read.h"

/* `word` in lower case, character by character, after the end of `out`. What is not UTF-8 stays. */
psdvec_status pv_lower_case(pv_buffer *out, const char *word, size_t length);

/* The word as it is among the first `limit` words or, if `lower` is not NULL, in lower case, which
 * is written there. *i is PSDVEC_UNKNOWN_WORD if it is neither. */
psdvec_status pv_model_find_either(const psdvec_model *model, const char *word, size_t length,
                                   uint32_t limit, pv_buffer *lower, uint32_t *i);

/* The only token that the model's tokeniser finds in a text, after the end of `token`; nothing if
 * there is none, or more than one. `own`: the model says how its text was tokenised; otherwise the
 * tokeniser is that of the defaults. */
psdvec_status pv_model_tokenise(psdvec_context *ctx, const psdvec_model *model, const char *text,
                                size_t length, pv_buffer *token, bool *own);

#endif
