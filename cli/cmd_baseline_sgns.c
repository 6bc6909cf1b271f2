/* psdvec baseline sgns: word2vec's skip-gram and CBOW. */
#include "baseline.h"
#include "commands.h"

static const psdvec_option options[] = {
    {.name = "cbow",
     .type = PSDVEC_OPTION_FLAG,
     .group = "Model",
     .help =
         "continuous bag of words instead of skip-gram: faster, and often worse for rare words"},
    {0}};

static const char *const description[] = {
    "Makes vectors as word2vec does (Mikolov, Sutskever, Chen, Corrado and Dean, 2013): words are "
    "to tell which words stand near them, or with --cbow the words near them which word it is, from "
    "words drawn at random.",
    "An INPUT is text as psdvec count takes it; words outside the vocabulary are left out before "
    "windows are laid. The same input, options and seed give the same file, bit for bit, for any "
    "number of threads.",
    NULL};

static const struct example examples[] = {
    {"psdvec baseline sgns wiki.txt --dim 20 --min-count 2 -o sgns.safetensors",
     "Skip-gram with negative sampling."},
    {"psdvec baseline sgns wiki.txt --cbow --window 8 --negative 15 --dim 20 -o cbow.safetensors",
     "The continuous bag of words, with a wider window and more noise."},
    {0}};

static const char *const notes[] = {
    "After Ctrl-C, a crash or kill -9, run the same command again: what was learnt up to the last "
    "whole epoch is kept in the folder FILE.partial beside the result, and the run goes on from "
    "there to the same bits.",
    NULL};

const struct command cmd_baseline_sgns = {
    .name = "baseline sgns",
    .group = "Other systems",
    .summary = "word2vec: skip-gram with negative sampling, or CBOW",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = description,
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE), OWN_OPTIONS(options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT, .except = " distance oov resume "),
                COMMON_OPTIONS},
    .presets = {"sgns", "cbow"},
    .preset_option = "cbow",
    .examples = examples,
    .notes = notes,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to learn from: text (files, folders, or - for standard input)",
    .output_example = "sgns.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
