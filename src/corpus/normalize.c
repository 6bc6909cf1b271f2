/* Unicode normalisation of one word: NFC, case folding, accents, digits. */
#include "corpus/tokenizer.h"
#include "corpus/word_split.h"
#include "util/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* Characters that stand for one another become one; invalid bytes U+FFFD. */
static psdvec_status unify(pv_tokenizer *t, const pv_token *raw)
{
    const psdvec_text_options *o = &t->rules->options;
    bool whitespace = o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE;
    const unsigned char *p = (const unsigned char *)raw->text, *end = p + raw->length;
    t->scratch.length = 0;
    PV_TRY(pv_buffer_reserve(&t->scratch, 3 * (size_t)raw->length + 4));
    char *out = t->scratch.data;
    while (p < end) {
        uint32_t cp;
        int length = pv_utf8_decode(p, end, &cp);
        if (length < 0) {
            out += pv_utf8_encode(0xFFFD, out);
            p -= length;
            continue;
        }
        p += length;
        if (!whitespace) {
            switch (pv_char_classify(&t->rules->chars, cp)) {
            case PV_CHAR_APOSTROPHE:
                cp = '\'';
                break;
            case PV_CHAR_HYPHEN:
                cp = '-';
                break;
            case PV_CHAR_SOFT_HYPHEN:
                continue;
            case PV_CHAR_DIGIT:
                if (o->digits == PSDVEC_DIGITS_ZERO)
                    cp = '0';
                break;
            default:
                break;
            }
        }
        if (o->tokenizer == PSDVEC_TOKENIZER_ORIGINAL && o->letter_case == PSDVEC_CASE_FOLD)
            cp = (uint32_t)utf8proc_tolower((utf8proc_int32_t)cp);
        out += pv_utf8_encode(cp, out);
    }
    t->scratch.length = (size_t)(out - t->scratch.data);
    return PSDVEC_OK;
}

psdvec_status pv_tokenizer_normalize(pv_tokenizer *t, const pv_token *raw, const char **word,
                                     size_t *length)
{
    const psdvec_text_options *o = &t->rules->options;
    *word = "";
    *length = 0;
    /* A character has at most 4 bytes, and NFC joins at most a few of them. */
    if (raw->length / 16 > o->max_length)
        return PSDVEC_OK;
    PV_TRY(unify(t, raw));

    if (o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE && o->letter_case == PSDVEC_CASE_KEEP &&
        o->accents == PSDVEC_ACCENTS_KEEP) { /* only bad bytes were to be replaced */
        if (pv_word_fits(t->rules, pv_utf8_length(t->scratch.data, t->scratch.length))) {
            *word = t->scratch.data;
            *length = t->scratch.length;
        }
        return PSDVEC_OK;
    }
    int flags = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    if (o->letter_case == PSDVEC_CASE_FOLD && o->tokenizer != PSDVEC_TOKENIZER_ORIGINAL)
        flags |= UTF8PROC_CASEFOLD;
    if (o->accents == PSDVEC_ACCENTS_STRIP)
        flags |= UTF8PROC_STRIPMARK;
    utf8proc_uint8_t *mapped = NULL;
    utf8proc_ssize_t size = utf8proc_map((const utf8proc_uint8_t *)t->scratch.data,
                                         (utf8proc_ssize_t)t->scratch.length, &mapped,
                                         (utf8proc_option_t)flags);
    if (size < 0)
        return pv_fail(t->ctx, PSDVEC_ERR_MEMORY, "normalising a word failed: %s",
                       utf8proc_errmsg(size));
    t->normal.length = 0;
    psdvec_status status = pv_buffer_append(&t->normal, mapped, (size_t)size);
    free(mapped);
    if (status == PSDVEC_OK &&
        pv_word_fits(t->rules, pv_utf8_length(t->normal.data, t->normal.length))) {
        *word = t->normal.data;
        *length = t->normal.length;
    }
    return status;
}
