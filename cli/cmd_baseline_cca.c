/* psdvec baseline cca: canonical correlations of words and contexts. */
#include "baseline.h"
#include "commands.h"

#include <stdint.h>

static const char *const description[] = {
    "Makes vectors by the canonical correlations of words and the words around them: a truncated "
    "singular value decomposition of the square roots of counts, divided by what the frequencies of "
    "both words make of them. After Stratos, Collins and Hsu (2015) and their program Singular, "
    "with its defaults but for 300 dimensions, where it has 500. All vectors have length 1.",
    "An INPUT is text as psdvec count takes it, or one counts file, and then the options from "
    "Counting to Text are settled. The same input, options and seed give the same file, bit for "
    "bit, for any number of threads and any memory.",
    NULL};

static const struct example examples[] = {
    {"psdvec baseline cca wiki.txt -o cca.safetensors", "Text in, model out."},
    {"psdvec baseline cca wiki.counts.safetensors --dim 20 -o cca.safetensors",
     "From a counts file."},
    {0}};

const struct command cmd_baseline_cca = {
    .name = "baseline cca",
    .group = "Other systems",
    .summary = "canonical correlations of square roots of counts",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = description,
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE, .except = " restart "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT), COMMON_OPTIONS},
    .presets = {"cca"},
    .examples = examples,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to train on: text (files, folders, or - for standard input) or a counts "
               "file",
    .output_example = "cca.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
