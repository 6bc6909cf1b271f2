/* Text options: their choices and compatibility rules. */
#include "corpus/options.h"

#include "corpus/columns.h"
#include "corpus/encoding.h"
#include "corpus/tokenizer.h"

#include <stdio.h>

const psdvec_choice pv_tokenizer_choices[] = {
    [PSDVEC_TOKENIZER_WORDS] = {.name = "words", .help = "Unicode letters and marks"},
    [PSDVEC_TOKENIZER_WHITESPACE] = {.name = "whitespace",
                                     .help = "split at white space; change nothing else"},
    [PSDVEC_TOKENIZER_ORIGINAL] = {.name = "original",
                                   .help = "the rules of the original PSDVec program"},
    [PSDVEC_TOKENIZER_ICU] = {.name = "icu",
                              .help = "ICU word boundaries, for Chinese, Japanese, Thai, ..."},
    {0}};
const psdvec_choice pv_case_choices[] = {
    [PSDVEC_CASE_AUTO] = {.name = "auto", .help = "fold, except with the whitespace tokenizer"},
    [PSDVEC_CASE_FOLD] = {.name = "fold", .help = "lower case"},
    [PSDVEC_CASE_KEEP] = {.name = "keep", .help = "as written"},
    {0}};
const psdvec_choice pv_accents_choices[] = {
    [PSDVEC_ACCENTS_KEEP] = {.name = "keep", .help = "as written"},
    [PSDVEC_ACCENTS_STRIP] = {.name = "strip", .help = "remove accents"},
    {0}};
const psdvec_choice pv_digits_choices[] = {
    [PSDVEC_DIGITS_DROP] = {.name = "drop", .help = "digits separate words"},
    [PSDVEC_DIGITS_KEEP] = {.name = "keep", .help = "digits are treated as letters"},
    [PSDVEC_DIGITS_ZERO] = {.name = "zero", .help = "digits are treated as letters and become 0"},
    [PSDVEC_DIGITS_MIXED] = {.name = "mixed",
                             .help = "kept in words with letters: H2O, covid19, but not 1999"},
    {0}};
const psdvec_choice pv_inner_choices[] = {
    [PSDVEC_INNER_JOIN] = {.name = "join", .help = "one word"},
    [PSDVEC_INNER_SPLIT] = {.name = "split", .help = "two words"},
    {0}};
const psdvec_choice pv_language_choices[] = {
    [PSDVEC_LANGUAGE_NONE] = {.name = "none", .help = "the same rules for all languages"},
    [PSDVEC_LANGUAGE_ARABIC] = {.name = "ar", .help = "Arabic: drop tatweel and vowel marks"},
    [PSDVEC_LANGUAGE_AZERBAIJANI] = {.name = "az", .help = "Azerbaijani: dotted and dotless i"},
    [PSDVEC_LANGUAGE_CATALAN] = {.name = "ca", .help = "Catalan: split elisions"},
    [PSDVEC_LANGUAGE_FRENCH] = {.name = "fr", .help = "French: split elisions"},
    [PSDVEC_LANGUAGE_GERMAN] = {.name = "de", .help = "German: \xc3\x9f stays \xc3\x9f"},
    [PSDVEC_LANGUAGE_HEBREW] = {.name = "he", .help = "Hebrew: drop vowel points"},
    [PSDVEC_LANGUAGE_ITALIAN] = {.name = "it", .help = "Italian: split elisions"},
    [PSDVEC_LANGUAGE_PERSIAN] = {.name = "fa", .help = "Persian: drop tatweel and vowel marks"},
    [PSDVEC_LANGUAGE_TURKISH] = {.name = "tr", .help = "Turkish: dotted and dotless i"},
    [PSDVEC_LANGUAGE_URDU] = {.name = "ur", .help = "Urdu: drop tatweel and vowel marks"},
    {0}};

bool pv_text_options_go_together(const void *options, char *why, size_t size)
{
    const psdvec_text_options *o = options;
    uint32_t longest = o->max_length ? o->max_length : pv_default_max_length(o->tokenizer);
    if (o->min_length > longest) {
        snprintf(why, size,
                 "`min_length` is %u and `max_length` is %u, which excludes words of every length",
                 (unsigned)o->min_length, (unsigned)longest);
        return false;
    }
    if (!pv_encoding_known(o->encoding)) {
        snprintf(why, size,
                 "`encoding` is \"%.40s\", which is not a known encoding; iconv -l "
                 "lists the names",
                 o->encoding);
        return false;
    }
    if (o->columns && o->json_field) {
        snprintf(why, size,
                 "`columns` describes tab-separated lines and `json_field` JSON lines; "
                 "give one of them");
        return false;
    }
    const char *field = o->label_field  ? "label_field"
                        : o->date_field ? "date_field"
                        : o->name_field ? "name_field"
                                        : NULL;
    if (field && !o->json_field) {
        snprintf(why, size,
                 "`%s` needs `json_field`, which names the text; for tab-separated lines, use "
                 "`columns`",
                 field);
        return false;
    }
    pv_columns columns;
    return !o->columns || pv_columns_parse(o->columns, &columns, why, size);
}

void pv_text_options_plain(psdvec_text_options *o)
{
    o->json_field = o->columns = o->label_field = o->date_field = o->name_field = NULL;
}

#define PV_OPTIONS_STRUCT psdvec_text_options
static const psdvec_option rows[] = {
#include <psdvec/options/text.def>
    {0}};

const pv_options_table pv_text_table = {.name = "text",
                                        .rows = rows,
                                        .size = sizeof(psdvec_text_options),
                                        .rule = pv_text_options_go_together};
