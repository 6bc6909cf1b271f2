/* psdvec baseline svd: singular vectors of positive mutual information. */
#include "baseline.h"
#include "commands.h"

#include <stdint.h>

static const char *const description[] = {
    "Makes vectors by a truncated singular value decomposition of positive mutual information: of "
    "the logarithms of how much more often two words stand together than chance would have it. "
    "After Levy, Goldberg and Dagan (2015) and their program Hyperwords, with its weights of the "
    "directions and its sums of both vectors of a word. The matrix is never written out in full.",
    "An INPUT is text as psdvec count takes it, or one counts file, and then the options from "
    "Counting to Text are settled. The same input, options and seed give the same file, bit for "
    "bit, for any number of threads and any memory.",
    NULL};

static const struct example examples[] = {
    {"psdvec baseline svd wiki.txt -o svd.safetensors", "Text in, model out."},
    {"psdvec baseline svd wiki.counts.safetensors --dim 20 --eigenvalue-power 0 --add-contexts yes "
     "-o svd.safetensors",
     "From a counts file: all directions alike, words and contexts added."},
    {0}};

const struct command cmd_baseline_svd = {
    .name = "baseline svd",
    .group = "Other systems",
    .summary = "singular vectors of positive mutual information",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = description,
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE, .except = " restart "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT), COMMON_OPTIONS},
    .presets = {"svd"},
    .examples = examples,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to train on: text (files, folders, or - for standard input) or a counts "
               "file",
    .output_example = "svd.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
