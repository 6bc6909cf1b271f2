/* Options of counting, including text options, and of importing counts. */
#include "count/options.h"

#include "corpus/options.h"
#include "count/formats.h"
#include "util/c_locale.h"

#include <stdio.h>

const psdvec_choice pv_distance_choices[] = {
    [PSDVEC_DISTANCE_UNIFORM] = {.name = "uniform", .help = "every pair in the window counts 1"},
    [PSDVEC_DISTANCE_LINEAR] = {.name = "linear", .help = "(window + 1 - d) / window"},
    [PSDVEC_DISTANCE_HARMONIC] = {.name = "harmonic", .help = "1 / d"},
    {0}};
const psdvec_choice pv_oov_choices[] = {
    [PSDVEC_OOV_KEEP] = {.name = "keep", .help = "unknown words keep their place in the window"},
    [PSDVEC_OOV_DROP] = {.name = "drop",
                         .help = "unknown words are dropped before windows are formed"},
    {0}};

static bool count_rule(const void *options, char *why, size_t capacity)
{
    const psdvec_count_options *o = options;
    if (o->vocab_file && o->keep_words_count) {
        snprintf(why, capacity,
                 "`vocab` and `keep` cannot be combined; add the words to the list %s",
                 o->vocab_file);
        return false;
    }
    return pv_text_options_go_together(&o->text, why, capacity);
}

const psdvec_choice pv_counts_format_choices[] = {
    [PSDVEC_FORMAT_GLOVE] = {.name = "glove",
                             .help = "GloVe's cooccurrence.bin, with a vocab.txt file"},
    [PSDVEC_FORMAT_MATRIX_MARKET] = {.name = "matrix-market",
                                     .help =
                                         "Matrix Market coordinate format, with a list of words"},
    [PSDVEC_FORMAT_TOP2GRAMS] = {.name = "top2grams",
                                 .help = "text format of the original PSDVec program"},
    {0}};

const pv_counts_format *const pv_counts_formats[] = {
    [PSDVEC_FORMAT_GLOVE] = &pv_format_glove,
    [PSDVEC_FORMAT_MATRIX_MARKET] = &pv_format_matrix_market,
    [PSDVEC_FORMAT_TOP2GRAMS] = &pv_format_top2grams};

static bool import_rule(const void *options, char *why, size_t capacity)
{
    const psdvec_import_options *o = options;
    bool has_words = pv_counts_formats[o->format]->has_words;
    const char *format = pv_counts_format_choices[o->format].name;
    const char *wrong = NULL;
    if (!has_words && !o->vocab_file)
        wrong = "does not contain the words; give the file with the words as `vocab`";
    else if (has_words && o->symmetric)
        wrong = "has each pair in one direction; omit `symmetric`";
    if (wrong)
        snprintf(why, capacity, "the format %s %s", format, wrong);
    return !wrong;
}

#define PV_OPTIONS_STRUCT psdvec_import_options
static const psdvec_option import_rows[] = {
#include <psdvec/options/import.def>
    {0}};

const pv_options_table pv_import_table = {.name = "import",
                                          .rows = import_rows,
                                          .size = sizeof(psdvec_import_options),
                                          .rule = import_rule};

const psdvec_choice pv_phrase_score_choices[] = {
    [PSDVEC_PHRASE_WORD2PHRASE] =
        {.name = "word2phrase",
         .help = "(n(a b) - min_count) N / (n(a) n(b)), with N words of text"},
    [PSDVEC_PHRASE_NPMI] = {.name = "npmi",
                            .help = "normalised pointwise mutual information, from -1 to 1"},
    {0}};

static bool phrases_rule(const void *options, char *why, size_t capacity)
{
    const psdvec_phrases_options *o = options;
    if (o->score != PSDVEC_PHRASE_NPMI || o->threshold < 1)
        return true;
    pv_snprintf(why, capacity, "`threshold` is %g, but the maximum of `score=npmi` is 1; lower it",
                o->threshold);
    return false;
}

#undef PV_OPTIONS_STRUCT
#define PV_OPTIONS_STRUCT psdvec_phrases_options
static const psdvec_option phrases_rows[] = {
#include <psdvec/options/phrases.def>
    {0}};

const pv_options_table pv_phrases_table = {.name = "phrases",
                                           .rows = phrases_rows,
                                           .size = sizeof(psdvec_phrases_options),
                                           .rule = phrases_rule};

#undef PV_OPTIONS_STRUCT
#define PV_OPTIONS_STRUCT psdvec_count_options
static const psdvec_option count_rows[] = {
#include <psdvec/options/count.def>
#undef PSDVEC_OPTION
#define PSDVEC_OPTION(KIND, type, member, key, ...)                                                \
    PV_OPTION_ROW(KIND, psdvec_count_options, text.member, key, __VA_ARGS__)
#include <psdvec/options/text.def>
    {0}};

const pv_options_table pv_count_table = {.name = "count",
                                         .rows = count_rows,
                                         .size = sizeof(psdvec_count_options),
                                         .inner_offset = offsetof(psdvec_count_options, text),
                                         .inner_size = sizeof(psdvec_text_options),
                                         .rule = count_rule};
