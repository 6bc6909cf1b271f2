/* psdvec baseline ppmi: positive mutual information itself, as sparse vectors. */
#include "baseline.h"
#include "commands.h"

static const char *const description[] = {
    "Gives each word the vector of its positive mutual information with every other: the logarithm "
    "of how much more often the two stand together than chance would have it, and 0 where it is not "
    "more often. A vector has as many numbers as there are words; only those that are not 0 are "
    "kept. All commands that compare words take such a model; each number is about a word, which "
    "psdvec vector and psdvec compare show. After Levy and Goldberg (2014), and Levy, Goldberg and "
    "Dagan (2015).",
    "An INPUT is text as psdvec count takes it, or one counts file, and then the options from "
    "Counting to Text are settled. The same input and options give the same file, bit for bit, "
    "for any number of threads and any memory.",
    NULL};

static const struct example examples[] = {
    {"psdvec baseline ppmi wiki.txt -o ppmi.safetensors", "Text in, sparse vectors out."},
    {"psdvec baseline ppmi wiki.counts.safetensors --shift 1.5 -o few.safetensors",
     "From a counts file; only what is more than half as frequent again as by chance."},
    {0}};

const struct command cmd_baseline_ppmi = {
    .name = "baseline ppmi",
    .group = "Other systems",
    .summary = "positive mutual information itself, as sparse vectors",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = description,
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE, .except = " restart "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT), COMMON_OPTIONS},
    .presets = {"ppmi"},
    .examples = examples,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to count: text (files, folders, or - for standard input) or a counts file",
    .output_example = "ppmi.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
