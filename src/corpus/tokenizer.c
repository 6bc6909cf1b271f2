/* Character classes, and the tokenizer's loop over blocks of 64 bytes. */
#include "corpus/tokenizer.h"

#include "corpus/icu_words.h"
#include "corpus/language.h"
#include "util/utf8.h"

#include <pthread.h>
#include <utf8proc.h>

pv_char_class pv_char_class_of(uint32_t cp)
{
    switch (cp) {
    case '\'':
    case 0x2019: /* right single quotation mark */
    case 0x02BC: /* modifier letter apostrophe */
    case 0xFF07: /* full width */
        return PV_CHAR_APOSTROPHE;
    case '-':
    case 0x2010: /* hyphen */
    case 0x2011: /* non-breaking hyphen */
    case 0xFF0D: /* full width */
        return PV_CHAR_HYPHEN;
    case '_':
    case 0xFF3F: /* full width */
        return PV_CHAR_UNDERSCORE;
    case 0x00AD:
        return PV_CHAR_SOFT_HYPHEN;
    case 0x200C:
    case 0x200D:
        return PV_CHAR_JOINER;
    default:
        break;
    }
    switch (utf8proc_category((utf8proc_int32_t)cp)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return PV_CHAR_LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return PV_CHAR_MARK;
    case UTF8PROC_CATEGORY_ND:
        return PV_CHAR_DIGIT;
    default:
        return PV_CHAR_OTHER;
    }
}

uint32_t pv_default_max_length(psdvec_tokenizer tokenizer)
{
    return tokenizer == PSDVEC_TOKENIZER_ORIGINAL ? 15 : PV_DEFAULT_MAX_LENGTH;
}

/* Classes of code points, which depend on nothing else: made once per process, in a millisecond. */
static unsigned char plane0[0x10000];
static pthread_once_t plane0_once = PTHREAD_ONCE_INIT;

static void make_plane0(void)
{
    for (uint32_t cp = 0; cp < sizeof plane0; cp++)
        plane0[cp] = (unsigned char)pv_char_class_of(cp);
}

void pv_text_rules_init(pv_text_rules *rules, const psdvec_text_options *options)
{
    rules->options = *options;
    rules->joining = (pv_joining){0};
    psdvec_text_options *o = &rules->options;
    bool words = o->tokenizer == PSDVEC_TOKENIZER_WORDS;
    bool original = o->tokenizer == PSDVEC_TOKENIZER_ORIGINAL;
    if (o->letter_case == PSDVEC_CASE_AUTO)
        o->letter_case = o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE ? PSDVEC_CASE_KEEP
                                                                     : PSDVEC_CASE_FOLD;
    if (original) { /* fixed by its rules */
        if (o->min_length <= 1)
            o->min_length = 2;
        o->digits = PSDVEC_DIGITS_DROP;
    }
    if (o->max_length == 0)
        o->max_length = pv_default_max_length(o->tokenizer);
    if (o->min_length == 0)
        o->min_length = 1;
    if (o->min_document_words == 0)
        o->min_document_words = 1;
    rules->scan = (pv_scan_rules){
        .whitespace = o->tokenizer == PSDVEC_TOKENIZER_WHITESPACE,
        .fold = o->letter_case == PSDVEC_CASE_FOLD,
        .digits = words && o->digits == PSDVEC_DIGITS_KEEP,
        .odd_digits = words &&
                      (o->digits == PSDVEC_DIGITS_ZERO || o->digits == PSDVEC_DIGITS_MIXED),
        .apostrophe = original || (words && o->apostrophes == PSDVEC_INNER_JOIN),
        .hyphen = words && o->hyphens == PSDVEC_INNER_JOIN,
        .underscore = original || (words && o->underscores == PSDVEC_INNER_JOIN),
        .odd_capital_i = o->letter_case == PSDVEC_CASE_FOLD && pv_language_dotless_i(o->language),
    };
    pv_scan_rules_finish(&rules->scan);
    pthread_once(&plane0_once, make_plane0);
    rules->plane0 = plane0;
}

psdvec_status pv_tokenizer_init(pv_tokenizer *t, psdvec_context *ctx, const pv_text_rules *rules)
{
    *t = (pv_tokenizer){.rules = rules};
    return rules->options.tokenizer == PSDVEC_TOKENIZER_ICU ? pv_icu_new(ctx, &t->icu) : PSDVEC_OK;
}

void pv_tokenizer_free(pv_tokenizer *t)
{
    pv_icu_free(t->icu);
    t->icu = NULL;
}

void pv_tokenizer_start(pv_tokenizer *t, char *text)
{
    t->text = t->block = (unsigned char *)text;
    t->bad_bytes = 0;
    t->first_bad = UINT64_MAX;
}

/* ---- Candidates with odd bytes: split code point by code point -------------------------- */

typedef struct cursor {
    const unsigned char *at, *end;
    uint32_t cp;
    int length; /* of cp in bytes; negative: invalid bytes */
    pv_char_class class;
} cursor;

/* Looks at the code point at `at`; false at the end of the candidate. */
static bool look(const pv_text_rules *rules, cursor *c)
{
    if (c->at >= c->end)
        return false;
    c->length = pv_utf8_decode(c->at, c->end, &c->cp);
    c->class = c->length > 0 ? pv_char_classify(rules, c->cp) : PV_CHAR_OTHER;
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
    case PV_CHAR_UNDERSCORE:
        return o->underscores == PSDVEC_INNER_JOIN;
    case PV_CHAR_SOFT_HYPHEN:
    case PV_CHAR_JOINER:
        return true;
    default:
        return false;
    }
}

/* After the letters of an original-style token: a possessive 's belongs to it. */
static bool possessive_follows(const pv_text_rules *rules, const cursor *c)
{
    if (c->end - c->at < 2 || c->at[0] != '\'' || (c->at[1] | 0x20) != 's')
        return false;
    cursor after = {.at = c->at + 2, .end = c->end};
    return !look(rules, &after) || !is_letter(&rules->options, &after);
}

/* Gets the next word of an odd candidate; a word of length 0 is a number that is left out. */
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
    bool raw = false, number = o->digits == PSDVEC_DIGITS_MIXED; /* no letters so far */
    while (more) {
        if (is_letter(o, &c)) {
            number &= c.class == PV_CHAR_DIGIT;
            raw |= c.length != 1 || (c.class == PV_CHAR_DIGIT && o->digits == PSDVEC_DIGITS_ZERO) ||
                   (c.cp == 'I' && rules->scan.odd_capital_i);
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
            if (c.class == PV_CHAR_APOSTROPHE &&
                pv_language_elided(o->language, (const char *)begin, (size_t)(c.at - begin))) {
                step(t, &c);
                break;
            }
        } else {
            break;
        }
        step(t, &c);
        more = look(rules, &c);
    }
    t->split = c.at < c.end ? (unsigned char *)c.at : NULL;
    *token = (pv_token){.text = (const char *)begin,
                        .length = number ? 0 : (uint32_t)(c.at - begin),
                        .kind = raw && !number ? PV_TOKEN_RAW : PV_TOKEN_READY};
    return true;
}

/* For pre-tokenised text, the complete candidate is the token. Only the paragraph separators of
 * records (U+2029) can be inside a candidate and are not part of a token. */
static bool split_whitespace(pv_tokenizer *t, pv_token *token)
{
    const unsigned char *begin = t->split, *p = begin, *next, *end = t->split_end;
    bool raw = t->rules->options.letter_case == PSDVEC_CASE_FOLD ||
               t->rules->options.accents == PSDVEC_ACCENTS_STRIP;
    for (; p < end; p = next) {
        uint32_t cp = 0;
        int length = pv_utf8_decode(p, end, &cp);
        if (length < 0) {
            pv_tokenizer_count_bad(t, p, -length);
            raw = true;
            length = -length;
        }
        next = p + length;
        if (cp != 0x2029)
            continue;
        if (p > begin)
            break;
        begin = next;
    }
    t->split = p < end ? (unsigned char *)p : NULL;
    *token = (pv_token){.text = (const char *)begin,
                        .length = (uint32_t)(p - begin),
                        .kind = raw ? PV_TOKEN_RAW : PV_TOKEN_READY};
    return p > begin;
}

/* Gets the next word from [t->split, t->split_end) and advances `split`; false when the candidate
 * is used up. Invalid bytes are counted. */
static bool split_next(pv_tokenizer *t, pv_token *token)
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

/* ---- Blocks and candidates ------------------------------------------------------------------- */

static uint64_t low_bits(size_t n)
{
    return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/* Scans the 64 bytes at t->block. */
static void load_block(pv_tokenizer *t)
{
    uint64_t word;
    pv_scan_block(&t->rules->scan, t->block, &word, &t->odd);
    word &= low_bits((size_t)(t->end - t->block));
    t->edges = word ^ (word << 1 | (uint64_t)t->in_candidate);
    t->from_bit = 0;
}

void pv_tokenizer_open(pv_tokenizer *t, unsigned char *begin, unsigned char *end)
{
    t->block = begin;
    t->end = end;
    t->in_candidate = false;
    t->candidate_odd = false;
    t->edges = 0;
    t->split = NULL;
    if (t->icu)
        pv_icu_start(t->icu, (const char *)begin, (size_t)(end - begin));
    else if (begin < end)
        load_block(t);
}

/* A candidate ended before `end`: emits one READY token, or passes it to the splitter. */
static size_t finish_candidate(pv_tokenizer *t, unsigned char *end, pv_token *token)
{
    size_t length = (size_t)(end - t->candidate);
    if (t->candidate_odd) {
        t->split = t->candidate;
        t->split_end = end;
        return 0;
    }
    if (!pv_word_fits(t->rules, length))
        return 0;
    *token = (pv_token){.text = (const char *)t->candidate, .length = (uint32_t)length};
    return 1;
}

/* Reads words of the span until it ends, the array is full, or an odd candidate is pending in
 * t->split. True if the span is used up. */
static bool scan_span(pv_tokenizer *t, pv_token *tokens, size_t capacity, size_t *count)
{
    size_t n = *count;
    for (;;) {
        while (t->edges) {
            if (n == capacity) {
                *count = n;
                return false;
            }
            unsigned bit = (unsigned)__builtin_ctzll(t->edges);
            t->edges &= t->edges - 1;
            if (!t->in_candidate) {
                t->in_candidate = true;
                t->candidate_odd = false;
                t->candidate = t->block + bit;
                t->from_bit = bit;
                continue;
            }
            t->in_candidate = false;
            t->candidate_odd |= (t->odd & low_bits(bit) & ~low_bits(t->from_bit)) != 0;
            n += finish_candidate(t, t->block + bit, &tokens[n]);
            if (t->split) {
                *count = n;
                return false;
            }
        }
        if (t->in_candidate)
            t->candidate_odd |=
                (t->odd & low_bits((size_t)(t->end - t->block)) & ~low_bits(t->from_bit)) != 0;
        if (t->end - t->block <= 64)
            break;
        t->block += 64;
        load_block(t);
    }
    t->block = t->end;
    *count = n;
    if (t->in_candidate) {
        if (n == capacity) {
            t->edges = 0; /* resume at this candidate only */
            return false;
        }
        t->in_candidate = false;
        *count = n + finish_candidate(t, t->end, &tokens[n]);
        return t->split == NULL;
    }
    return true;
}

bool pv_tokenizer_next(pv_tokenizer *t, pv_token *tokens, size_t capacity, size_t *count)
{
    if (t->icu)
        return pv_icu_tokens(t, tokens, capacity, count);
    while (*count < capacity) {
        if (t->split)
            *count += split_next(t, &tokens[*count]);
        else if ((t->block >= t->end && !t->in_candidate) || scan_span(t, tokens, capacity, count))
            return true;
    }
    return false;
}
