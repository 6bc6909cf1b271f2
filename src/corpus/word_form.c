/* Unicode normalisation of one word: NFC, case folding, accents, digits. */
#include "corpus/word_form.h"

#include "util/utf8.h"

#include <stdlib.h>
#include <utf8proc.h>

void pv_word_form_init(pv_word_form *form, psdvec_context *ctx, const pv_text_rules *rules)
{
    *form = (pv_word_form){ctx, rules, .scratch = {.ctx = ctx}, .normal = {.ctx = ctx}};
}

void pv_word_form_free(pv_word_form *form)
{
    pv_buffer_free(&form->scratch);
    pv_buffer_free(&form->normal);
}

/* Letters become lower case one by one instead of by full case folding, which turns a sharp s into
 * ss: in German, Masse and Maße are different words. */
static bool lower_only(const psdvec_text_options *o)
{
    return o->tokenizer == PSDVEC_TOKENIZER_ORIGINAL || o->language == PSDVEC_LANGUAGE_GERMAN;
}

/* Unifies equivalent characters, and replaces invalid bytes by U+FFFD. */
static psdvec_status unify(pv_word_form *f, const pv_token *raw)
{
    const psdvec_text_options *o = &f->rules->options;
    bool whitespace = o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE;
    bool fold = o->letter_case == PSDVEC_CASE_FOLD;
    bool drops = !whitespace && pv_language_drops_marks(o->language);
    const unsigned char *p = (const unsigned char *)raw->text, *end = p + raw->length;
    f->scratch.length = 0;
    PV_TRY(pv_buffer_reserve(&f->scratch, 3 * (size_t)raw->length + 4));
    char *out = f->scratch.data;
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
            switch (pv_char_classify(f->rules, cp)) {
            case PV_CHAR_APOSTROPHE:
                cp = '\'';
                break;
            case PV_CHAR_HYPHEN:
                cp = '-';
                break;
            case PV_CHAR_UNDERSCORE:
                if (o->underscores == PSDVEC_INNER_JOIN)
                    cp = '_';
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
        if (drops && pv_language_drops(o->language, cp))
            continue;
        if (fold && pv_language_dotless_i(o->language)) {
            if (cp == 'I' && end - p >= 2 && p[0] == 0xCC && p[1] == 0x87) {
                cp = 'i'; /* I and U+0307, a dot above */
                p += 2;
            } else {
                cp = cp == 'I' ? 0x131 : cp == 0x130 ? 'i' : cp;
            }
        }
        if (fold && lower_only(o))
            cp = (uint32_t)utf8proc_tolower((utf8proc_int32_t)cp);
        out += pv_utf8_encode(cp, out);
    }
    f->scratch.length = (size_t)(out - f->scratch.data);
    return PSDVEC_OK;
}

psdvec_status pv_word_form_of(pv_word_form *f, const pv_token *raw, const char **word,
                              size_t *length)
{
    const psdvec_text_options *o = &f->rules->options;
    *word = "";
    *length = 0;
    /* A character has at most 4 bytes, and NFC joins at most a few of them. */
    if (raw->length / 16 > o->max_length)
        return PSDVEC_OK;
    PV_TRY(unify(f, raw));

    if (o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE && o->letter_case == PSDVEC_CASE_KEEP &&
        o->accents == PSDVEC_ACCENTS_KEEP) { /* only bad bytes were to be replaced */
        if (pv_word_fits(f->rules, pv_utf8_length(f->scratch.data, f->scratch.length))) {
            *word = f->scratch.data;
            *length = f->scratch.length;
        }
        return PSDVEC_OK;
    }
    int flags = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    if (o->letter_case == PSDVEC_CASE_FOLD && !lower_only(o))
        flags |= UTF8PROC_CASEFOLD;
    if (o->accents == PSDVEC_ACCENTS_STRIP)
        flags |= UTF8PROC_STRIPMARK;
    utf8proc_uint8_t *mapped = NULL;
    utf8proc_ssize_t size = utf8proc_map((const utf8proc_uint8_t *)f->scratch.data,
                                         (utf8proc_ssize_t)f->scratch.length, &mapped,
                                         (utf8proc_option_t)flags);
    if (size < 0)
        return pv_fail(f->ctx, PSDVEC_ERR_MEMORY, "normalising a word failed: %s",
                       utf8proc_errmsg(size));
    f->normal.length = 0;
    psdvec_status status = pv_buffer_append(&f->normal, mapped, (size_t)size);
    free(mapped);
    if (status == PSDVEC_OK &&
        pv_word_fits(f->rules, pv_utf8_length(f->normal.data, f->normal.length))) {
        *word = f->normal.data;
        *length = f->normal.length;
    }
    return status;
}
