/* psdvec baseline svd: singular vectors of positive mutual information. */
#include "baseline.h"
#include "commands.h"

#include <stdint.h>

const struct command cmd_baseline_svd = {
    .name = "baseline svd",
    .group = "Other systems",
    .summary = "truncated SVD of positive PMI",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Trains vectors by a truncated singular value decomposition (SVD) of positive pointwise "
        "mutual information (PPMI), after Levy, Goldberg and Dagan (2015) and their program "
        "Hyperwords, including its weighting of dimensions and its sum of word and context "
        "vectors. The PPMI matrix is never stored in full.",
        "An INPUT is text (see psdvec count) or one counts file. With a counts file, counting and "
        "text options are not accepted. Results are bit-for-bit reproducible for any number of "
        "threads and any memory limit."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE, .except = " restart "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT), COMMON_OPTIONS},
    .presets = {"svd"},
    .examples = EXAMPLES(
        {"psdvec baseline svd wiki.txt -o svd.safetensors", "Text in, model out."},
        {"psdvec baseline svd wiki.counts.safetensors --dim 20 --eigenvalue-power 0 "
         "--add-contexts yes "
         "-o svd.safetensors",
         "From a counts file, with equally weighted dimensions and context vectors added."}),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to train on: text (files, folders, or - for standard input) or a counts "
               "file",
    .output_example = "svd.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
