/* Text options. The words of a choice stand in the order of the library's
 * enumeration, so that an index is a value; the assertions hold them to it. */
#include "text_options.h"

#include "json.h"

#include <assert.h>
#include <string.h>

static const char *const tokenizers[] = {[PSDVEC_TOKENIZER_WORDS] = "words",
                                         [PSDVEC_TOKENIZER_WHITESPACE] = "whitespace",
                                         [PSDVEC_TOKENIZER_ORIGINAL] = "original",
                                         [PSDVEC_TOKENIZER_ICU] = "icu",
                                         NULL};
static const char *const cases[] = {
    [PSDVEC_CASE_AUTO] = "auto", [PSDVEC_CASE_FOLD] = "fold", [PSDVEC_CASE_KEEP] = "keep", NULL};
static const char *const accents[] = {
    [PSDVEC_ACCENTS_KEEP] = "keep", [PSDVEC_ACCENTS_STRIP] = "strip", NULL};
static const char *const digits[] = {[PSDVEC_DIGITS_DROP] = "drop",
                                     [PSDVEC_DIGITS_KEEP] = "keep",
                                     [PSDVEC_DIGITS_ZERO] = "zero",
                                     NULL};
static const char *const inner[] = {
    [PSDVEC_INNER_JOIN] = "join", [PSDVEC_INNER_SPLIT] = "split", NULL};
static const char *const documents[] = {[PSDVEC_DOCUMENT_LINE] = "line",
                                        [PSDVEC_DOCUMENT_FILE] = "file",
                                        [PSDVEC_DOCUMENT_BLANK_LINE] = "blank-line",
                                        [PSDVEC_DOCUMENT_NONE] = "none",
                                        NULL};

const struct option_spec text_options[] = {
    {.name = "tokenizer",
     .kind = OPTION_CHOICE,
     .choices = tokenizers,
     .fallback = "words",
     .group = "Text",
     .help = "how text is cut into words: at what is not a letter; at white space only; by the "
             "rules of the original PSDVec program; by ICU for Chinese, Japanese, Thai"},
    {.name = "case",
     .kind = OPTION_CHOICE,
     .choices = cases,
     .fallback = "auto",
     .help = "fold letters to lower case or keep them; auto keeps them for whitespace and folds "
             "otherwise"},
    {.name = "accents",
     .kind = OPTION_CHOICE,
     .choices = accents,
     .fallback = "keep",
     .help = "keep accents or strip them: caf\xc3\xa9 or cafe"},
    {.name = "digits",
     .kind = OPTION_CHOICE,
     .choices = digits,
     .fallback = "drop",
     .help = "digits separate words, are like letters, or become 0 each"},
    {.name = "apostrophes",
     .kind = OPTION_CHOICE,
     .choices = inner,
     .fallback = "join",
     .help = "don't is one word or two"},
    {.name = "hyphens",
     .kind = OPTION_CHOICE,
     .choices = inner,
     .fallback = "split",
     .help = "well-known is one word or two"},
    {.name = "min-length",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 1000000,
     .fallback = "1",
     .help = "leave out words of fewer than N characters"},
    {.name = "max-length",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 0,
     .most = 1000000,
     .fallback = "0",
     .help = "leave out words of more than N characters; 0 is the tokenizer's own limit"},
    {.name = "document",
     .kind = OPTION_CHOICE,
     .choices = documents,
     .fallback = "line",
     .help = "what a document is; windows never cross its ends"},
    {.name = "sentences", .kind = OPTION_FLAG, .help = "end windows at sentence ends too"},
    {.name = "min-document-words",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 1000,
     .fallback = "1",
     .help = "leave out documents of fewer than N words"},
    {.name = "strict",
     .kind = OPTION_FLAG,
     .help = "stop at bad UTF-8 or a bad record, rather than mend it and warn"},
    {.name = "json-field",
     .kind = OPTION_TEXT,
     .argument = "NAME",
     .help = "the input is JSON lines; take the text from this member of each"},
    {0}};

const char *const text_options_of_model[] = {"tokenizer",   "case",      "accents",    "digits",
                                             "apostrophes", "hyphens",   "min-length", "max-length",
                                             "document",    "sentences", NULL};

static_assert(sizeof tokenizers / sizeof *tokenizers == PSDVEC_TOKENIZER_ICU + 2, "tokenizers");
static_assert(sizeof cases / sizeof *cases == PSDVEC_CASE_KEEP + 2, "cases");
static_assert(sizeof documents / sizeof *documents == PSDVEC_DOCUMENT_NONE + 2, "documents");

void text_options_read(const struct arguments *arguments, bool defaults,
                       psdvec_text_options *options)
{
    TAKE(options->tokenizer, psdvec_tokenizer, arguments, "tokenizer", defaults);
    TAKE(options->letter_case, psdvec_case, arguments, "case", defaults);
    TAKE(options->accents, psdvec_accents, arguments, "accents", defaults);
    TAKE(options->digits, psdvec_digits, arguments, "digits", defaults);
    TAKE(options->apostrophes, psdvec_inner, arguments, "apostrophes", defaults);
    TAKE(options->hyphens, psdvec_inner, arguments, "hyphens", defaults);
    TAKE(options->min_length, uint32_t, arguments, "min-length", defaults);
    TAKE(options->max_length, uint32_t, arguments, "max-length", defaults);
    TAKE(options->document, psdvec_document, arguments, "document", defaults);
    TAKE(options->sentences, bool, arguments, "sentences", defaults);
    TAKE(options->min_document_words, uint32_t, arguments, "min-document-words", defaults);
    TAKE(options->strict, bool, arguments, "strict", defaults);
    options->json_field = argument_text(arguments, "json-field");
}

/* The index of a JSON string among the words of a choice; `otherwise` if it is none. */
static int choice_of(const char *const *words, const char *text, size_t length, int otherwise)
{
    for (int k = 0; words[k]; k++)
        if (strlen(words[k]) + 2 == length && !strncmp(words[k], text + 1, length - 2))
            return k;
    return otherwise;
}

void text_options_of_settings(const char *json, psdvec_text_options *options)
{
    struct json_walk walk;
    struct buffer key = {0};
    const char *text;
    size_t length;
    psdvec_text_options_default(options);
    bool more = json && json_enter(&walk, json, '{');
    while (more && json_next(&walk, &key, &text, &length)) {
        const char *name = buffer_get(&key);
#define CHOOSE(member, type, field, words)                                                         \
    if (!strcmp(name, member))                                                                     \
    options->field = (type)choice_of(words, text, length, (int)options->field)
        CHOOSE("tokenizer", psdvec_tokenizer, tokenizer, tokenizers);
        CHOOSE("case", psdvec_case, letter_case, cases);
        CHOOSE("accents", psdvec_accents, accents, accents);
        CHOOSE("digits", psdvec_digits, digits, digits);
        CHOOSE("apostrophes", psdvec_inner, apostrophes, inner);
        CHOOSE("hyphens", psdvec_inner, hyphens, inner);
#undef CHOOSE
        if (!strcmp(name, "settings")) /* go on inside; what stands behind it is no option */
            more = json_enter(&walk, text, '{');
    }
    buffer_free(&key);
}
