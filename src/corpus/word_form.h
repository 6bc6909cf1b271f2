/* The form in which a word is counted: NFC, with case, accents and digits according to the
 * options. */
#ifndef PV_CORPUS_WORD_FORM_H
#define PV_CORPUS_WORD_FORM_H

#include "corpus/language.h"
#include "corpus/tokenizer.h"

typedef struct pv_word_form {
    psdvec_context *ctx;
    const pv_text_rules *rules;
    pv_buffer scratch, normal;
} pv_word_form;

void pv_word_form_init(pv_word_form *form, psdvec_context *ctx, const pv_text_rules *rules);
void pv_word_form_free(pv_word_form *form);

/* The word of a RAW token, valid until the next call. Length 0: it is not a word, because of its
 * length or because nothing is left of it. */
psdvec_status pv_word_form_of(pv_word_form *form, const pv_token *raw, const char **word,
                              size_t *length);

/* True if a RAW token is certainly a word. The words tokenizer starts a word with a letter or
 * digit, which is never removed, and no byte becomes more than two characters. */
static inline bool pv_word_form_remains(const pv_text_rules *rules, const pv_token *raw)
{
    const psdvec_text_options *o = &rules->options;
    return o->tokenizer == PSDVEC_TOKENIZER_WORDS && o->min_length == 1 &&
           raw->length <= o->max_length / 2 && !pv_language_drops_marks(o->language);
}

#endif
