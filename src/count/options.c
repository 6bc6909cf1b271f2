/* Options of counting, with those of the text, and of importing counts. */
#include "count/options.h"

#include "corpus/options.h"

#include <math.h>
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

static bool count_rule(const void *options, char *why, size_t room)
{
    const psdvec_count_options *o = options;
    if (o->vocab_file && o->keep_words_count) {
        snprintf(why, room, "`vocab` and `keep` exclude each other; add the words to the list %s",
                 o->vocab_file);
        return false;
    }
    return pv_text_options_go_together(&o->text, why, room);
}

#undef PSDVEC_OPTION
#define PSDVEC_OPTION(KIND, type, member, key, ...)                                                \
    PV_OPTION_ROW(KIND, psdvec_count_options, member, key, __VA_ARGS__)
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

/* ---- Importing ------------------------------------------------------------------------------ */

static bool import_rule(const void *options, char *why, size_t room)
{
    const psdvec_import_options *o = options;
    bool has_words = o->format == PSDVEC_FORMAT_TOP2GRAMS;
    const char *format = pv_counts_format_choices[o->format].name;
    if (!has_words && !o->vocab_file) {
        snprintf(why, room, "the format %s has no words in it; name the file with them by `vocab`",
                 format);
        return false;
    }
    if (has_words && o->vocab_file) {
        snprintf(why, room, "the format %s has the words in it; leave out `vocab`", format);
        return false;
    }
    if (has_words && o->symmetric) {
        snprintf(why, room, "the format %s has each pair in one direction; leave out `symmetric`",
                 format);
        return false;
    }
    return true;
}

#undef PSDVEC_OPTION
#define PSDVEC_OPTION(KIND, type, member, key, ...)                                                \
    PV_OPTION_ROW(KIND, psdvec_import_options, member, key, __VA_ARGS__)
static const psdvec_option import_rows[] = {
#include <psdvec/options/import.def>
    {0}};

const pv_options_table pv_import_table = {.name = "import",
                                          .rows = import_rows,
                                          .size = sizeof(psdvec_import_options),
                                          .rule = import_rule};
