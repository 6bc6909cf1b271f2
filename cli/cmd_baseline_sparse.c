/* psdvec baseline sparse: sparse codes of other vectors. */
#include "baseline.h"
#include "commands.h"

static const struct option_spec options[] = {
    {.name = "factor",
     .kind = OPTION_REAL,
     .argument = "F",
     .real_least = 0,
     .real_most = 1000,
     .fallback = "10",
     .group = "Model",
     .help = "F times as many directions as the vectors have numbers"},
    {.name = "l1",
     .kind = OPTION_REAL,
     .argument = "X",
     .real_least = 0,
     .real_most = 1e6,
     .fallback = "0.5",
     .help = "penalty of codes; larger ones leave fewer that are not 0"},
    {.name = "l2",
     .kind = OPTION_REAL,
     .argument = "X",
     .real_least = 0,
     .real_most = 1e6,
     .fallback = "1e-5",
     .help = "penalty of the dictionary; larger ones leave fewer codes too"},
    {.name = "ridge",
     .kind = OPTION_REAL,
     .argument = "X",
     .real_least = 0,
     .real_most = 1e6,
     .fallback = "0.3",
     .help = "penalty of squares of codes, which keeps those of similar words similar; 0 is the "
             "paper's objective"},
    {.name = "nonnegative",
     .kind = OPTION_FLAG,
     .help = "only codes that are not negative: a word has a direction, or it has not"},
    {.name = "binary",
     .kind = OPTION_FLAG,
     .help = "1 where a code with --nonnegative is positive, else 0"},
    {.name = "epochs",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 10000,
     .fallback = "5",
     .help = "go through all words N times"},
    BASELINE_RESTART,
    {0}};

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

const struct command cmd_baseline_sparse = {.name = "baseline sparse",
                                            .group = "Other systems",
                                            .summary = "sparse codes of other vectors",
                                            .synopsis = "MODEL -o FILE [OPTION]...",
                                            .description = description,
                                            .tables = {options, common_options},
                                            .examples = examples,
                                            .least_operands = 1,
                                            .most_operands = 1,
                                            .missing = "say which model's vectors to code",
                                            .output_example = "sparse.safetensors",
                                            .completes = COMPLETES_FILES,
                                            .act = baseline_act};
