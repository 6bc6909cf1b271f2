/* psdvec baseline glove: GloVe's vectors from text, or from counts. */
#include "baseline.h"
#include "commands.h"
#include "count_options.h"
#include "text_options.h"

#include <stdint.h>

static const char *const answers[] = {"no", "yes", NULL};

static const struct option_spec options[] = {
    BASELINE_DIM,
    {.name = "x-max",
     .kind = OPTION_REAL,
     .argument = "X",
     .real_least = 0,
     .real_most = 1e9,
     .fallback = "100",
     .help = "pairs seen X times or more weigh 1; for some ten million words of text, 10 is usual"},
    {.name = "alpha",
     .kind = OPTION_REAL,
     .argument = "A",
     .real_least = 0,
     .real_most = 10,
     .fallback = "0.75",
     .help = "pairs seen x times, fewer than X, weigh (x/X)^A"},
    {.name = "add-contexts",
     .kind = OPTION_CHOICE,
     .choices = answers,
     .fallback = "yes",
     .help = "the vector of a word is the sum of its vectors as a word and as a context"},
    {.name = "epochs",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 10000,
     .fallback = "25",
     .group = "Learning",
     .help = "go through all pairs N times"},
    {.name = "rate",
     .kind = OPTION_REAL,
     .argument = "R",
     .real_least = 0,
     .real_most = 10,
     .fallback = "0.05",
     .help = "of learning, at the start"},
    BASELINE_RESTART,
    {0}};

/* As its authors count. */
static const struct preset_default counting[] = {
    {"window", {"15"}}, {"distance", {"harmonic"}}, {"oov", {"drop"}}, {0}};

static const char *const description[] = {
    "Makes vectors as GloVe does (Pennington, Socher and Manning, 2014): the product of two "
    "vectors, with a bias for each word, comes near to the logarithm of how often the words stand "
    "together, by AdaGrad with weights. Defaults are those of the authors' program, with 300 "
    "dimensions as in their paper.",
    "An INPUT is text as psdvec count takes it, or one counts file, and then the options from "
    "Counting to Text are settled. The same input, options and seed give the same file, bit for "
    "bit, for any number of threads.",
    NULL};

static const struct example examples[] = {
    {"psdvec baseline glove wiki.txt -o glove.safetensors", "Text in, model out."},
    {"psdvec baseline glove wiki.counts.safetensors --dim 10 --x-max 10 --epochs 15 "
     "-o glove.safetensors",
     "From a counts file, with settings for little text."},
    {0}};

static const char *const notes[] = {
    "After Ctrl-C, a crash or kill -9, run the same command again: the state after each epoch is "
    "kept in the folder FILE.partial beside the result, and the run goes on from there to the same "
    "bits. The folder goes away at the end.",
    NULL};

const struct command cmd_baseline_glove = {
    .name = "baseline glove",
    .group = "Other systems",
    .summary = "GloVe: logarithms of counts, by AdaGrad",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = description,
    .tables = {options, window_options, vocabulary_options, resume_options, text_options,
               common_options},
    .presets = counting,
    .examples = examples,
    .notes = notes,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to train on: text (files, folders, or - for standard input) or a counts "
               "file",
    .output_example = "glove.safetensors",
    .completes = COMPLETES_FILES,
    .act = baseline_act};
