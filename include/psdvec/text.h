/* Part of psdvec.h: how text becomes tokens. */
#ifndef PSDVEC_TEXT_H
#define PSDVEC_TEXT_H

#include <psdvec/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- From text to tokens ---------------------------------------------- */
typedef enum psdvec_tokenizer {
    PSDVEC_TOKENIZER_WORDS = 0,  /* Unicode letters and marks (docs/tokeniser.md) */
    PSDVEC_TOKENIZER_WHITESPACE, /* split at white space; nothing else is changed */
    PSDVEC_TOKENIZER_ORIGINAL,   /* the rules of the original PSDVec program */
    PSDVEC_TOKENIZER_ICU         /* ICU word boundaries: Chinese, Japanese, Thai, ... */
} psdvec_tokenizer;

typedef enum psdvec_case { PSDVEC_CASE_AUTO = 0, PSDVEC_CASE_FOLD, PSDVEC_CASE_KEEP } psdvec_case;
typedef enum psdvec_accents { PSDVEC_ACCENTS_KEEP = 0, PSDVEC_ACCENTS_STRIP } psdvec_accents;
typedef enum psdvec_digits {
    PSDVEC_DIGITS_DROP = 0, /* digits separate words */
    PSDVEC_DIGITS_KEEP,     /* digits are like letters */
    PSDVEC_DIGITS_ZERO      /* like letters, and each becomes 0 */
} psdvec_digits;
typedef enum psdvec_inner { PSDVEC_INNER_JOIN = 0, PSDVEC_INNER_SPLIT } psdvec_inner;

typedef enum psdvec_document {
    PSDVEC_DOCUMENT_LINE = 0,   /* every line (or record) is a document */
    PSDVEC_DOCUMENT_FILE,       /* every file or archive member */
    PSDVEC_DOCUMENT_BLANK_LINE, /* blank lines separate documents */
    PSDVEC_DOCUMENT_NONE        /* each input, folder or archive as a whole */
} psdvec_document;

typedef struct psdvec_text_options {
    size_t size; /* filled in by psdvec_text_options_default */
#include <psdvec/options/text.def>
} psdvec_text_options;

static inline void psdvec_text_options_default(psdvec_text_options *options)
{
    psdvec_options_init(PSDVEC_OPTIONS_TEXT, options, sizeof *options, 0, NULL);
}

/* ---- Tokens alone ---------------------------------------------------------- */
/* Calls `on_token` for every token, exactly as counting would see them. A NULL
 * word follows every document and, where asked for, every sentence. */
typedef void psdvec_token_fn(void *user, const char *word, size_t length);

/* Of one text in memory. */
PSDVEC_API psdvec_status psdvec_tokenize(psdvec_context *ctx, const psdvec_text_options *options,
                                         const char *text, size_t length, psdvec_token_fn *on_token,
                                         void *user);

/* Of inputs as for psdvec_count, in their order. */
PSDVEC_API psdvec_status psdvec_tokenize_inputs(psdvec_context *ctx,
                                                const psdvec_text_options *options,
                                                const char *const *inputs, size_t input_count,
                                                psdvec_token_fn *on_token, void *user);

#ifdef __cplusplus
}
#endif
#endif
