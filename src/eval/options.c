/* Options of evaluation. */
#include "eval/options.h"

const psdvec_choice pv_unknown_choices[] = {
    [PSDVEC_UNKNOWN_DROP] = {.name = "drop", .help = "omit questions with an unknown word"},
    [PSDVEC_UNKNOWN_ZERO] = {.name = "zero", .help = "count them as similarity 0, or as wrong"},
    [PSDVEC_UNKNOWN_MEAN] = {.name = "mean", .help = "use the mean of all vectors for the word"},
    [PSDVEC_UNKNOWN_SPELLING] = {.name = "spelling", .help = "use the spelling vector of the word"},
    {0}};
const psdvec_choice pv_half_choices[] = {
    [PSDVEC_HALF_BOTH] = {.name = "both", .help = "all questions"},
    [PSDVEC_HALF_FIRST] = {.name = "first", .help = "the first half, for choosing settings"},
    [PSDVEC_HALF_SECOND] = {.name = "second", .help = "the second half, for reporting results"},
    {0}};

#define PV_OPTIONS_STRUCT psdvec_eval_options
static const psdvec_option rows[] = {
#include <psdvec/options/eval.def>
    {0}};

const pv_options_table pv_eval_table = {
    .name = "eval", .rows = rows, .size = sizeof(psdvec_eval_options)};
