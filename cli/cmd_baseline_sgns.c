/* psdvec baseline sgns: word2vec's skip-gram and CBOW. */
#include "baseline.h"
#include "commands.h"
#include "count_options.h"
#include "text_options.h"

static const struct option_spec options[] = {
    BASELINE_DIM,
    {.name = "cbow",
     .kind = OPTION_FLAG,
     .help = "the continuous bag of words instead of skip-gram: faster, and often worse at rare "
             "words"},
    {.name = "epochs",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 10000,
     .fallback = "5",
     .group = "Learning",
     .help = "times that the text is gone through"},
    {.name = "rate",
     .kind = OPTION_REAL,
     .argument = "R",
     .real_least = 1e-9,
     .real_most = 10,
     .fallback = "0.025",
     .help = "rate of learning at the start, falling linearly; with --cbow it is 0.05 unless said "
             "otherwise"},
    {.name = "negative",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 1000,
     .fallback = "5",
     .help = "noise words for each pair"},
    {.name = "noise-power",
     .kind = OPTION_REAL,
     .argument = "P",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0.75",
     .help = "noise words are drawn by their frequency to this power"},
    {.name = "window",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .least = 1,
     .most = 1000,
     .fallback = "5",
     .group = "Windows",
     .help = "look at up to N words on either side; how many is drawn for each word"},
    {.name = "subsample",
     .kind = OPTION_REAL,
     .argument = "T",
     .real_least = 0,
     .real_most = 1,
     .fallback = "0.001",
     .help =
         "of words of a share f above T keep only sqrt(T/f) + T/f, drawn afresh in each epoch; 0 "
         "is off"},
    BASELINE_RESTART,
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
    .tables = {options, vocabulary_options, text_options, common_options},
    .examples = examples,
    .notes = notes,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to learn from: text (files, folders, or - for standard input)",
    .output_example = "sgns.safetensors",
    .completes = COMPLETES_FILES,
    .act = baseline_act};
