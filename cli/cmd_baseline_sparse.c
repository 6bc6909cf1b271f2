/* psdvec baseline sparse: sparse codes of other vectors. */
#include "baseline.h"
#include "commands.h"

static const char *const description[] = {
    "Learns a dictionary of many more directions than the vectors of MODEL have numbers, and for "
    "each word a few of them that add up to its vector. Such directions are easier to give a name: "
    "psdvec vector shows those of a word. MODEL is a model or the vectors of another program; of a model, the "
    "read-out is taken. All commands that compare words take the result. After Faruqui, Tsvetkov, Yogatama, Dyer and Smith "
    "(2015).",
    "Vectors are first scaled, all by one number, to a mean squared length of 4, so that the "
    "penalties mean the same for all. The same MODEL, options and --seed give the same file, bit for bit, for "
    "any number of threads. If the run is interrupted, the same command goes on after the last "
    "epoch.",
    NULL};

static const struct example examples[] = {
    {"psdvec baseline sparse model.safetensors -o sparse.safetensors",
     "Ten times as many directions, few of them in each word."},
    {"psdvec baseline sparse model.safetensors --binary --l1 2 -o binary.safetensors",
     "Words as lists of directions, shorter ones."},
    {0}};

const struct command cmd_baseline_sparse = {
    .name = "baseline sparse",
    .group = "Other systems",
    .summary = "sparse codes of other vectors",
    .synopsis = "MODEL -o FILE [OPTION]...",
    .description = description,
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE), COMMON_OPTIONS},
    .presets = {"sparse"},
    .examples = examples,
    .least_operands = 1,
    .most_operands = 1,
    .missing = "say which model's vectors to code",
    .output_example = "sparse.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
