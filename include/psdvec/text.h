/* Part of psdvec.h: tokenization, how text is split into tokens.
 *
 * Counting and training tokenize their input themselves; the calls in this part show the result:
 *
 *     static void print_token(void *user, const char *word, size_t length)
 *     {
 *         if (word) printf("%.*s\n", (int)length, word);
 *     }
 *     psdvec_tokenize(ctx, NULL, "Hello, world!", 13, print_token, NULL); // hello world
 */
#ifndef PSDVEC_TEXT_H
#define PSDVEC_TEXT_H

#include <psdvec/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- From text to tokens ---------------------------------------------- */
typedef enum psdvec_tokenizer {
    PSDVEC_TOKENIZER_WORDS =
        0, /* runs of Unicode letters and marks (docs/reference/tokeniser.md) */
    PSDVEC_TOKENIZER_WHITESPACE, /* split at white space; tokens are not changed */
    PSDVEC_TOKENIZER_ORIGINAL,   /* the rules of the original PSDVec program */
    PSDVEC_TOKENIZER_ICU         /* ICU word boundaries: Chinese, Japanese, Thai, ... */
} psdvec_tokenizer;

/* AUTO keeps upper case with the whitespace tokenizer and folds it to lower case otherwise. */
typedef enum psdvec_case { PSDVEC_CASE_AUTO = 0, PSDVEC_CASE_FOLD, PSDVEC_CASE_KEEP } psdvec_case;
typedef enum psdvec_accents { PSDVEC_ACCENTS_KEEP = 0, PSDVEC_ACCENTS_STRIP } psdvec_accents;
typedef enum psdvec_digits {
    PSDVEC_DIGITS_DROP = 0, /* digits separate words */
    PSDVEC_DIGITS_KEEP,     /* digits are treated as letters */
    PSDVEC_DIGITS_ZERO,     /* digits are treated as letters, and each becomes 0 */
    PSDVEC_DIGITS_MIXED     /* kept in words that have letters too (H2O), dropped otherwise */
} psdvec_digits;
/* Apostrophes, hyphens and underscores inside words: part of the word, or a separator. */
typedef enum psdvec_inner { PSDVEC_INNER_JOIN = 0, PSDVEC_INNER_SPLIT } psdvec_inner;

/* Rules of a language for splitting and normalizing words (docs/reference/tokeniser.md#languages). */
typedef enum psdvec_language {
    PSDVEC_LANGUAGE_NONE = 0,
    PSDVEC_LANGUAGE_ARABIC,      /* no tatweel, no vowel marks; also Persian and Urdu */
    PSDVEC_LANGUAGE_AZERBAIJANI, /* dotted and dotless i */
    PSDVEC_LANGUAGE_CATALAN,     /* elision: l'home is l' and home */
    PSDVEC_LANGUAGE_FRENCH,      /* elision */
    PSDVEC_LANGUAGE_GERMAN,      /* sharp s is not ss */
    PSDVEC_LANGUAGE_HEBREW,      /* no vowel points */
    PSDVEC_LANGUAGE_ITALIAN,     /* elision */
    PSDVEC_LANGUAGE_PERSIAN,
    PSDVEC_LANGUAGE_TURKISH, /* dotted and dotless i */
    PSDVEC_LANGUAGE_URDU
} psdvec_language;

/* What a document is. Context windows never cross document boundaries. */
typedef enum psdvec_document {
    PSDVEC_DOCUMENT_LINE = 0,   /* each line or record */
    PSDVEC_DOCUMENT_FILE,       /* each file or archive member */
    PSDVEC_DOCUMENT_BLANK_LINE, /* blank lines separate documents */
    PSDVEC_DOCUMENT_NONE,       /* each input, folder or archive as a whole */
    PSDVEC_DOCUMENT_AUTO,       /* BLANK_LINE in files whose lines are cut at a width, else LINE */
    PSDVEC_DOCUMENT_MODEL       /* as in the text of a model; only for psdvec_extend */
} psdvec_document;

typedef struct psdvec_text_options {
    size_t size; /* set by psdvec_text_options_default */
#include <psdvec/options/text.def>
} psdvec_text_options;

/* Sets all members to their defaults. */
static inline void psdvec_text_options_default(psdvec_text_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_TEXT, options, sizeof *options, 0, NULL);
}

/* ---- Tokenizing ------------------------------------------------------------ */
/* Receives each token: `length` bytes of UTF-8, not null-terminated, valid during the call only.
 * `word` is NULL at the end of each document that has tokens and, with the option `sentences`, of
 * each sentence. `user` is the argument of the call. */
typedef void psdvec_token_fn(void *user, const char *word, size_t length);

/* Tokenizes `length` bytes of text and calls `on_token` for every token, exactly as counting sees
 * them. `options` may be NULL for the defaults. */
PSDVEC_API psdvec_status psdvec_tokenize(psdvec_context *ctx, const psdvec_text_options *options,
                                         const char *text, size_t length, psdvec_token_fn *on_token,
                                         void *user);

/* The same for files, folders and archives, in the given order; see psdvec_count for what an input
 * may be. */
PSDVEC_API psdvec_status psdvec_tokenize_inputs(psdvec_context *ctx,
                                                const psdvec_text_options *options,
                                                const char *const *inputs, size_t input_count,
                                                psdvec_token_fn *on_token, void *user);

#ifdef __cplusplus
}
#endif
#endif
