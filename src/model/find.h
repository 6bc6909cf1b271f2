/* From a word, or from what a person wrote, to the number of a word. */
#ifndef PV_MODEL_FIND_H
#define PV_MODEL_FIND_H

#include "model/model_read.h"

/* `word` in lower case, character by character, after the end of `out`. What is not UTF-8 stays. */
psdvec_status pv_lower_case(pv_buffer *out, const char *word, size_t length);

/* A word of which neither the case nor the tokeniser is known to be the model's: looked for as it is,
 * as the model's tokeniser would write it if the model says which that was, in lower case, with
 * capitals (new_york: New_York), and in capitals; the first of these that is among the first `limit`
 * words. *i is PSDVEC_UNKNOWN_WORD if none is. `form` is overwritten. */
psdvec_status pv_model_find_forms(psdvec_context *ctx, const psdvec_model *model, const char *word,
                                  size_t length, uint32_t limit, pv_buffer *form, uint32_t *i);

/* The only token that the model's tokeniser finds in a text, after the end of `token`; nothing if
 * there is none, or more than one. `own`: the model says how its text was tokenised; otherwise the
 * tokeniser is that of the defaults. */
psdvec_status pv_model_tokenise(psdvec_context *ctx, const psdvec_model *model, const char *text,
                                size_t length, pv_buffer *token, bool *own);

#endif
