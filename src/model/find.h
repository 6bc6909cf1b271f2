/* Looking up words, as stored or as written by a user. */
#ifndef PV_MODEL_FIND_H
#define PV_MODEL_FIND_H

#include "model/model_read.h"

/* Appends `word` in lower case to `out`, character by character. Invalid UTF-8 is copied. */
psdvec_status pv_lower_case(pv_buffer *out, const char *word, size_t length);

/* Looks up a word whose case and tokenisation may differ from the model's: as it is, as normalised
 * by the model's tokeniser if the model records it, in lower case, capitalised (new_york:
 * New_York), and in upper case. The first of these that is among the first `limit` words is used.
 * *i is PSDVEC_UNKNOWN_WORD if none is. `form` is overwritten. */
psdvec_status pv_model_find_forms(psdvec_context *ctx, const psdvec_model *model, const char *word,
                                  size_t length, uint32_t limit, pv_buffer *form, uint32_t *i);

/* Appends the only token that the model's tokeniser finds in a text to `token`; nothing if there is
 * none or more than one. `own`: the model records its tokeniser; otherwise the default tokeniser is
 * used. */
psdvec_status pv_model_tokenise(psdvec_context *ctx, const psdvec_model *model, const char *text,
                                size_t length, pv_buffer *token, bool *own);

#endif
