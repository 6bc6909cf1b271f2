/* Splits a span of text into words, in batches.
 *
 * A span (tokens.h) is split into candidates, bytes that may belong to words (byte_scan.h), and a
 * candidate into words. Plain ASCII words are READY: their bytes are lower-cased in place. Other
 * words are RAW: counting caches the normalised form, so each distinct form is normalised only once
 * (word_form.h).
 *
 * The rules are documented for users in docs/reference/tokeniser.md.
 */
#ifndef PV_CORPUS_TOKENIZER_H
#define PV_CORPUS_TOKENIZER_H

#include "base/memory.h"
#include "corpus/byte_scan.h"

typedef enum pv_token_kind {
    PV_TOKEN_READY = 0,    /* the bytes are the word */
    PV_TOKEN_RAW,          /* pv_word_form_of makes the word */
    PV_TOKEN_SENTENCE_END, /* the driver adds these two */
    PV_TOKEN_DOCUMENT_END
} pv_token_kind;

typedef struct pv_token {
    const char *text; /* of a word; of PV_TOKEN_DOCUMENT_END the name of the file */
    uint32_t length;  /* bytes */
    uint32_t kind;    /* pv_token_kind */
} pv_token;

/* The class of a code point. */
typedef enum pv_char_class {
    PV_CHAR_OTHER = 0,   /* separates words */
    PV_CHAR_LETTER,      /* categories L* */
    PV_CHAR_MARK,        /* categories M*: continues a word */
    PV_CHAR_DIGIT,       /* category Nd */
    PV_CHAR_APOSTROPHE,  /* ' U+2019 U+02BC U+FF07 */
    PV_CHAR_HYPHEN,      /* - U+2010 U+2011 U+FF0D */
    PV_CHAR_SOFT_HYPHEN, /* U+00AD: removed inside a word */
    PV_CHAR_UNDERSCORE,  /* _ U+FF3F */
    PV_CHAR_JOINER       /* U+200C and U+200D: stay inside a word */
} pv_char_class;

enum { PV_DEFAULT_MAX_LENGTH = 256 };

/* Processing of tokens before they reach a sink. */
typedef struct pv_joining {
    const struct pv_phrases *phrases; /* to join; NULL: none (phrases.h) */
    struct pv_connectors *connectors; /* NULL, unless phrases are being detected (connectors.h) */
} pv_joining;

/* The options with the defaults of the tokenizer filled in. */
typedef struct pv_text_rules {
    psdvec_text_options options; /* letter_case FOLD or KEEP, max_length set */
    pv_joining joining;          /* empty unless set by the caller */
    pv_scan_rules scan;
    const unsigned char *plane0; /* classes of the first 0x10000 code points */
} pv_text_rules;

pv_char_class pv_char_class_of(uint32_t cp); /* by its Unicode category */
static inline pv_char_class pv_char_classify(const pv_text_rules *rules, uint32_t cp)
{
    return cp < 0x10000 ? (pv_char_class)rules->plane0[cp] : pv_char_class_of(cp);
}

uint32_t pv_default_max_length(psdvec_tokenizer tokenizer);
void pv_text_rules_init(pv_text_rules *rules, const psdvec_text_options *options);

/* True if a word's length is within the options. */
static inline bool pv_word_fits(const pv_text_rules *rules, size_t characters)
{
    return characters >= rules->options.min_length && characters <= rules->options.max_length;
}

typedef struct pv_icu_breaker pv_icu_breaker;

typedef struct pv_tokenizer {
    const pv_text_rules *rules; /* shared by all threads */
    unsigned char *text;        /* that contains the spans */
    unsigned char *end;         /* of the span */
    unsigned char *block;       /* the current 64 bytes */
    uint64_t edges, odd;        /* remaining edges of candidates in them, their odd bytes */
    bool in_candidate, candidate_odd;
    unsigned char *candidate;
    unsigned from_bit;                /* where the candidate begins in this block */
    unsigned char *split, *split_end; /* an odd candidate being split; NULL: none */
    uint64_t bad_bytes;               /* of invalid UTF-8 in this text */
    uint64_t first_bad;               /* offset in this text; UINT64_MAX: none */
    pv_icu_breaker *icu;
} pv_tokenizer;

static inline void pv_tokenizer_count_bad(pv_tokenizer *t, const unsigned char *at, int bytes)
{
    if (t->bad_bytes == 0)
        t->first_bad = (uint64_t)(at - t->text);
    t->bad_bytes += (uint64_t)bytes;
}

psdvec_status pv_tokenizer_init(pv_tokenizer *tokenizer, psdvec_context *ctx,
                                const pv_text_rules *rules);
void pv_tokenizer_free(pv_tokenizer *tokenizer);

/* `text` is changed in place and must be followed by 64 writable bytes. */
void pv_tokenizer_start(pv_tokenizer *tokenizer, char *text);
/* Starts with a span of the text. */
void pv_tokenizer_open(pv_tokenizer *tokenizer, unsigned char *begin, unsigned char *end);
/* Writes words of the span to tokens[*count] onwards. True if the span is used up, false if there
 * are `capacity` tokens. */
bool pv_tokenizer_next(pv_tokenizer *tokenizer, pv_token *tokens, size_t capacity, size_t *count);

#endif
