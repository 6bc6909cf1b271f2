/* psdvec baseline glove: GloVe's vectors from text, or from counts. */
#include "baseline.h"
#include "commands.h"

#include <stdint.h>

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
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT), COMMON_OPTIONS},
    .presets = {"glove"},
    .examples = examples,
    .notes = notes,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to train on: text (files, folders, or - for standard input) or a counts "
               "file",
    .output_example = "glove.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
