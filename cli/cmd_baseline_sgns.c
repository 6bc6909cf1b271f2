/* psdvec baseline sgns: word2vec's skip-gram and CBOW. */
#include "baseline.h"
#include "commands.h"

static const psdvec_option options[] = {
    FLAG_OPTION(
        "cbow", .group = "Model",
        .help = "continuous bag of words (CBOW) instead of skip-gram: faster, but often worse for "
                "rare words"),
    {0}};

const struct command cmd_baseline_sgns = {
    .name = "baseline sgns",
    .group = "Other systems",
    .summary = "word2vec: skip-gram with negative sampling, or CBOW",
    .synopsis = "INPUT... -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Trains vectors as word2vec does (Mikolov, Sutskever, Chen, Corrado and Dean, 2013), with "
        "negative sampling: a word predicts its context words (skip-gram), or with --cbow the "
        "context words predict the word.",
        "An INPUT is text (see psdvec count). Words outside the vocabulary are dropped before "
        "windows are formed. Results are bit-for-bit reproducible for any number of threads."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE), OWN_OPTIONS(options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT, .except = " distance oov resume "),
                COMMON_OPTIONS},
    .presets = {"sgns", "cbow"},
    .preset_option = "cbow",
    .examples =
        EXAMPLES({"psdvec baseline sgns wiki.txt --dim 20 --min-count 2 -o sgns.safetensors",
                  "Skip-gram with negative sampling."},
                 {"psdvec baseline sgns wiki.txt --cbow --window 8 --negative 15 --dim 20 "
                  "-o cbow.safetensors",
                  "CBOW, with a wider window and more negative samples."}),
    .notes = PARAGRAPHS(
        "After Ctrl-C, a crash or kill -9, run the same command again to resume. The state after "
        "the last complete epoch is kept in the folder FILE.partial beside the output, which is "
        "deleted at the end. A resumed run gives the same bits as an uninterrupted one."),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say what to learn from: text (files, folders, or - for standard input)",
    .output_example = "sgns.safetensors",
    .completes = PSDVEC_PATH_FILE,
    .act = baseline_act};
