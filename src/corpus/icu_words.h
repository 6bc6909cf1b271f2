/* Word splitting by ICU's boundary analysis, for scripts without spaces between words: Chinese,
 * Japanese, Thai, Lao, Khmer, Burmese. Optional at build time.
 */
#ifndef PV_CORPUS_ICU_WORDS_H
#define PV_CORPUS_ICU_WORDS_H

#include "corpus/tokenizer.h"

bool pv_icu_available(void);
psdvec_status pv_icu_new(psdvec_context *ctx, pv_icu_breaker **breaker);
void pv_icu_free(pv_icu_breaker *breaker);

/* Starts with a span of text. A failure is recorded in the context, and the span has no words. */
void pv_icu_start(pv_icu_breaker *breaker, const char *text, size_t length);

/* Writes words to tokens[*count] onwards, all RAW; true if the span is used up. */
bool pv_icu_tokens(pv_tokenizer *tokenizer, pv_token *tokens, size_t capacity, size_t *count);

#endif
