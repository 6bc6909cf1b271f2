/* The icu tokenizer: ICU's word break iterator straight over the UTF-8. */
#include "corpus/icu_words.h"

#ifdef PV_HAVE_ICU

#include "util/utf8.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>

struct pv_icu_breaker {
    psdvec_context *ctx;
    UBreakIterator *iterator;
    UText text;
    const char *begin;
    int64_t position; /* of the last boundary */
    bool open;
};

bool pv_icu_available(void)
{
    return true;
}

psdvec_status pv_icu_new(psdvec_context *ctx, pv_icu_breaker **out)
{
    pv_icu_breaker *breaker = pv_alloc_zero(ctx, 1, sizeof *breaker, "the icu tokenizer");
    *out = breaker;
    if (!breaker)
        return pv_failure(ctx);
    breaker->ctx = ctx;
    breaker->text = (UText)UTEXT_INITIALIZER;
    UErrorCode error = U_ZERO_ERROR;
    breaker->iterator = ubrk_open(UBRK_WORD, "", NULL, 0, &error);
    if (U_FAILURE(error))
        return pv_fail(ctx, PSDVEC_ERR_INTERNAL, "ICU's word boundaries cannot be loaded: %s",
                       u_errorName(error));
    return PSDVEC_OK;
}

void pv_icu_free(pv_icu_breaker *breaker)
{
    if (!breaker)
        return;
    ubrk_close(breaker->iterator);
    utext_close(&breaker->text);
    pv_free(breaker->ctx, breaker);
}

void pv_icu_start(pv_icu_breaker *breaker, const char *text, size_t length)
{
    UErrorCode error = U_ZERO_ERROR;
    breaker->begin = text;
    utext_openUTF8(&breaker->text, text, (int64_t)length, &error);
    ubrk_setUText(breaker->iterator, &breaker->text, &error);
    breaker->open = U_SUCCESS(error);
    breaker->position = breaker->open ? ubrk_first(breaker->iterator) : 0;
}

/* Counts invalid bytes between two boundaries, words or not. */
static void validate(pv_tokenizer *t, const unsigned char *p, const unsigned char *end)
{
    while (p < end) {
        uint32_t cp;
        int length = *p < 0x80 ? 1 : pv_utf8_decode(p, end, &cp);
        if (length < 0) {
            length = -length;
            pv_tokenizer_count_bad(t, p, length);
        }
        p += length;
    }
}

bool pv_icu_tokens(pv_tokenizer *t, pv_token *tokens, size_t capacity, size_t *count)
{
    pv_icu_breaker *breaker = t->icu;
    while (breaker->open && *count < capacity) {
        int32_t next = ubrk_next(breaker->iterator);
        if (next == UBRK_DONE) {
            breaker->open = false;
            break;
        }
        const char *word = breaker->begin + breaker->position;
        size_t length = (size_t)(next - breaker->position);
        breaker->position = next;
        validate(t, (const unsigned char *)word, (const unsigned char *)word + length);
        int32_t kind = ubrk_getRuleStatus(breaker->iterator);
        bool number = kind >= UBRK_WORD_NUMBER && kind < UBRK_WORD_NUMBER_LIMIT;
        bool letters = kind >= UBRK_WORD_LETTER;
        if (letters || (number && t->rules->options.digits != PSDVEC_DIGITS_DROP))
            tokens[(*count)++] =
                (pv_token){.text = word, .length = (uint32_t)length, .kind = PV_TOKEN_RAW};
    }
    return !breaker->open;
}

#else

bool pv_icu_available(void)
{
    return false;
}

psdvec_status pv_icu_new(psdvec_context *ctx, pv_icu_breaker **breaker)
{
    *breaker = NULL;
    return pv_fail(ctx, PSDVEC_ERR_OPTION, "this build has no ICU");
}

void pv_icu_free(pv_icu_breaker *breaker)
{
    (void)breaker;
}

void pv_icu_start(pv_icu_breaker *breaker, const char *text, size_t length)
{
    (void)breaker, (void)text, (void)length;
}

bool pv_icu_tokens(pv_tokenizer *tokenizer, pv_token *tokens, size_t capacity, size_t *count)
{
    (void)tokenizer, (void)tokens, (void)capacity, (void)count;
    return true;
}

#endif
