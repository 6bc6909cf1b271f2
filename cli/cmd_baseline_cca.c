/* psdvec baseline cca: canonical correlations of words and contexts. */
#include "baseline.h"
#include "commands.h"

#include <stdint.h>

const struct command cmd_baseline_cca = {
    .name = "baseline cca",
    .group = "Other systems",
    .summary = "canonical correlation analysis (CCA) of counts",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Trains vectors by canonical correlation analysis (CCA) of words and their contexts: a "
        "truncated singular value decomposition of the square roots of the counts, normalised by "
        "the frequencies of both words. After Stratos, Collins and Hsu (2015) and their program "
        "Singular, with its defaults except for 300 dimensions instead of 500. All vectors have "
        "length 1.",
        "An INPUT is text (see psdvec count) or one counts file. With a counts file, counting and "
        "text options are not accepted. Results are bit-for-bit reproducible for any number of "
        "threads and any memory limit."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE, .except = " restart "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT), COMMON_OPTIONS},
    .presets = {"cca"},
    .examples = EXAMPLES({"psdvec baseline cca wiki.txt -o cca.safetensors", "Text in, model out."},
                         {"psdvec baseline cca wiki.counts.safetensors --dim 20 -o cca.safetensors",
                          "From a counts file."}),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to train on: text (files, folders, or - for standard input) or a counts "
               "file",
    .output_example = "cca.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
