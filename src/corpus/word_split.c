/* Splitting of runs that are not plain ASCII words. */
#include "corpus/word_split.h"

#include "util/utf8.h"

typedef struct cursor {
    const unsigned char *at, *end;
    uint32_t cp;
    int length; /* of cp in bytes; negative: invalid bytes */
    pv_char_class class;
} cursor;

/* Looks at the code point at `at`; false at the end of the run. */
static bool look(const pv_text_rules *rules, cursor *c)
{
    if (c->at >= c->end)
        return false;
    c->length = pv_utf8_decode(c->at, c->end, &c->cp);
    c->class = c->length > 0 ? pv_char_classify(&rules->chars, c->cp) : PV_CHAR_OTHER;
    return true;
}

static void step(pv_tokenizer *t, cursor *c)
{
    if (c->length < 0)
        pv_tokenizer_count_bad(t, c->at, -c->length);
    c->at += c->length < 0 ? -c->length : c->length;
}

static bool is_letter(const psdvec_text_options *o, const cursor *c)
{
    if (c->class == PV_CHAR_LETTER)
        return true;
    if (o->tokenizer == PSDVEC_TOKENIZER_ORIGINAL)
        return c->cp == '_' && c->length == 1;
    return c->class == PV_CHAR_DIGIT && o->digits != PSDVEC_DIGITS_DROP;
}

/* True if the character at c stays in a word when a letter follows it. */
static bool joins(const psdvec_text_options *o, const cursor *c)
{
    switch (c->class) {
    case PV_CHAR_APOSTROPHE:
        return o->apostrophes == PSDVEC_INNER_JOIN;
    case PV_CHAR_HYPHEN:
        return o->hyphens == PSDVEC_INNER_JOIN;
    case PV_CHAR_SOFT_HYPHEN:
    case PV_CHAR_JOINER:
        return true;
    default:
        return false;
    }
}

/* After the letters of an original-style token: a possessive 's goes with it. */
static bool possessive_follows(const pv_text_rules *rules, const cursor *c)
{
    if (c->end - c->at < 2 || c->at[0] != '\'' || (c->at[1] | 0x20) != 's')
        return false;
    cursor after = {.at = c->at + 2, .end = c->end};
    return !look(rules, &after) || !is_letter(&rules->options, &after);
}

static bool split_words(pv_tokenizer *t, pv_token *token)
{
    const pv_text_rules *rules = t->rules;
    const psdvec_text_options *o = &rules->options;
    bool original = o->tokenizer == PSDVEC_TOKENIZER_ORIGINAL;
    cursor c = {.at = t->split, .end = t->split_end};
    bool more;

    while ((more = look(rules, &c)) && !is_letter(o, &c))
        step(t, &c);
    if (!more) {
        t->split = NULL;
        return false;
    }
    const unsigned char *begin = c.at;
    bool raw = false;
    while (more) {
        if (is_letter(o, &c)) {
            raw |= c.length != 1 || (c.class == PV_CHAR_DIGIT && o->digits == PSDVEC_DIGITS_ZERO);
        } else if (original) {
            if (possessive_follows(rules, &c))
                c.at += 2;
            break;
        } else if (c.class == PV_CHAR_MARK) {
            raw = true;
        } else if (joins(o, &c)) {
            cursor next = {.at = c.at + c.length, .end = c.end};
            if (!look(rules, &next) || !is_letter(o, &next))
                break;
            raw |= c.length != 1;
        } else {
            break;
        }
        step(t, &c);
        more = look(rules, &c);
    }
    t->split = c.at < c.end ? (unsigned char *)c.at : NULL;
    *token = (pv_token){.text = (const char *)begin,
                        .length = (uint32_t)(c.at - begin),
                        .kind = raw ? PV_TOKEN_RAW : PV_TOKEN_READY};
    return true;
}

/* For text already tokenised the whole run is the token. */
static bool split_whitespace(pv_tokenizer *t, pv_token *token)
{
    const unsigned char *begin = t->split, *end = t->split_end;
    bool raw = t->rules->options.letter_case == PSDVEC_CASE_FOLD ||
               t->rules->options.accents == PSDVEC_ACCENTS_STRIP;
    uint32_t cp;
    for (const unsigned char *p = begin; p < end;) {
        int length = pv_utf8_decode(p, end, &cp);
        if (length < 0) {
            pv_tokenizer_count_bad(t, p, -length);
            raw = true;
            length = -length;
        }
        p += length;
    }
    t->split = NULL;
    *token = (pv_token){.text = (const char *)begin,
                        .length = (uint32_t)(end - begin),
                        .kind = raw ? PV_TOKEN_RAW : PV_TOKEN_READY};
    return true;
}

bool pv_word_split_next(pv_tokenizer *t, pv_token *token)
{
    bool whitespace = t->rules->options.tokenizer == PSDVEC_TOKENIZER_WHITESPACE;
    while (t->split) {
        if (!(whitespace ? split_whitespace(t, token) : split_words(t, token)))
            return false;
        if (token->kind == PV_TOKEN_RAW ||
            pv_word_fits(t->rules, pv_utf8_length(token->text, token->length)))
            return true;
    }
    return false;
}
