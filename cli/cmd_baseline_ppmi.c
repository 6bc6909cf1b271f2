/* psdvec baseline ppmi: positive mutual information itself, as sparse vectors. */
#include "baseline.h"
#include "commands.h"

const struct command cmd_baseline_ppmi = {
    .name = "baseline ppmi",
    .group = "Other systems",
    .summary = "positive PMI (PPMI), as sparse vectors",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Represents each word by its positive pointwise mutual information (PPMI) with every "
        "other word: the PMI, and 0 where it is negative. After Levy and Goldberg (2014), and "
        "Levy, Goldberg and Dagan (2015). The vectors are sparse and have one dimension per word "
        "of the vocabulary; psdvec vector and psdvec compare show which words they are. All "
        "commands that compare words accept such a model.",
        "An INPUT is text (see psdvec count) or one counts file. With a counts file, counting and "
        "text options are not accepted. Results are bit-for-bit reproducible for any number of "
        "threads and any memory limit."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE, .except = " restart "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT), COMMON_OPTIONS},
    .presets = {"ppmi"},
    .examples = EXAMPLES(
        {"psdvec baseline ppmi wiki.txt -o ppmi.safetensors", "Text in, sparse vectors out."},
        {"psdvec baseline ppmi wiki.counts.safetensors --shift 1.5 -o few.safetensors",
         "From a counts file; only pairs more than 1.5 times as frequent as by chance."}),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to count: text (files, folders, or - for standard input) or a counts file",
    .output_example = "ppmi.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
