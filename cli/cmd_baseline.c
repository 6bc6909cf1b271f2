/* psdvec baseline NAME: trains vectors with other methods. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "summary.h"
#include "word_files.h"

/* Collects the options, and the counts file or the vectors among the operands; otherwise *input is
 * NULL: the operands are text. */
static int gather(struct run *run, const psdvec_baseline_options **options,
                  const psdvec_count_options **count, const char **input)
{
    const struct arguments *arguments = run->arguments;
    psdvec_method method = PSDVEC_METHOD_PSD; /* from the name of the command, and --cbow */
    psdvec_method_find(arguments->command->presets[arguments->preset], &method);
    *options = options_take(run, PSDVEC_OPTIONS_BASELINE);
    if (!*options)
        return run->refusal;
    if (method == PSDVEC_METHOD_SPARSE) {
        *input = arguments->operands[0];
        return EXIT_FINE;
    }
    *count = options_take_count(run);
    if (!*count)
        return run->refusal;
    int code = counts_file_among(run, input);
    if (code || !*input)
        return code;
    if (method == PSDVEC_METHOD_SGNS || method == PSDVEC_METHOD_CBOW)
        return run_use_error(run,
                             "%s contains counts or vectors, and %s trains on text only; give the "
                             "text",
                             *input, psdvec_method_name(method));
    return options_refuse_text(run, *input);
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const psdvec_baseline_options *options;
    const psdvec_count_options *count_options = NULL;
    const char *input = NULL, *output = argument_text(arguments, "output");
    psdvec_count_report count = {0};
    psdvec_baseline_report report = {0};
    psdvec_status status;
    int code = gather(run, &options, &count_options, &input);
    if (!code)
        code = run_library(run);
    if (code)
        return code;
    if (input) {
        status = psdvec_baseline(run->ctx, options, input, output, &report);
    } else {
        test_file_warn(run, 0);
        run_announce_terminal(run);
        status = psdvec_baseline_text(run->ctx, options, count_options, arguments->operands,
                                      arguments->operand_count, output, &count, &report);
    }
    if (status != PSDVEC_OK)
        return interrupted_failed(run, status);
    summary_baseline(run, input ? NULL : &count, &report);
    return EXIT_FINE;
}

/* Shared parts of the declarations. */
#define SYSTEM(name_)                                                                              \
    .name = "baseline " name_, .group = "Other systems", .output_example = name_ ".safetensors",   \
    .output_kind = OUTPUT_MODEL, .act = act
#define TEXT_OR_COUNTS                                                                             \
    "An INPUT is text (see psdvec count) or one counts file. With a counts file, counting and "    \
    "text options are not accepted. Results are bit-for-bit reproducible for any number of "       \
    "threads"
#define INPUTS .synopsis = "INPUT... -o FILE [OPTION]...", .operands = {1, SIZE_MAX}
#define WHAT_TO_TRAIN_ON                                                                           \
    "give an input: text (files, folders, or - for standard input) or a counts file"
#define ON_COUNTS                                                                                  \
    .sources = {                                                                                   \
        LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE, .except = " restart "),                   \
        LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT, .except = " hold_out" DETAIL_OPTIONS),       \
        COMMON_OPTIONS}

const struct command cmd_baseline_ppmi = {
    SYSTEM("ppmi"),
    .summary = "positive PMI (PPMI), as sparse vectors",
    INPUTS,
    .description = PARAGRAPHS(
        "Represents each word by its positive pointwise mutual information (PPMI) with every "
        "other word: the PMI, and 0 where it is negative. After Levy and Goldberg (2014), and "
        "Levy, Goldberg and Dagan (2015). The vectors are sparse and have one dimension per word "
        "of the vocabulary; psdvec vector and psdvec compare show which words they are. All "
        "commands that compare words accept such a model.",
        TEXT_OR_COUNTS " and any memory limit."),
    ON_COUNTS,
    .presets = {"ppmi"},
    .examples = EXAMPLES(
        {"psdvec baseline ppmi wiki.txt -o ppmi.safetensors", "Text in, sparse vectors out."},
        {"psdvec baseline ppmi wiki.counts.safetensors --shift 1.5 -o few.safetensors",
         "From a counts file; only pairs more than 1.5 times as frequent as expected by chance."}),
    .missing = "give an input: text (files, folders, or - for standard input) or a counts file"};

const struct command cmd_baseline_svd = {
    SYSTEM("svd"),
    .summary = "truncated SVD of positive PMI",
    INPUTS,
    .description = PARAGRAPHS(
        "Trains vectors by a truncated singular value decomposition (SVD) of positive pointwise "
        "mutual information (PPMI), after Levy, Goldberg and Dagan (2015) and their program "
        "Hyperwords, including its weighting of dimensions and its sum of word and context "
        "vectors. The PPMI matrix is never stored in full.",
        TEXT_OR_COUNTS " and any memory limit."),
    ON_COUNTS,
    .presets = {"svd"},
    .examples = EXAMPLES(
        {"psdvec baseline svd wiki.txt -o svd.safetensors", "Text in, model out."},
        {"psdvec baseline svd wiki.counts.safetensors --dim 20 --eigenvalue-power 0 "
         "--add-contexts yes "
         "-o svd.safetensors",
         "From a counts file, with equally weighted dimensions and context vectors added."}),
    .missing = WHAT_TO_TRAIN_ON};

static const psdvec_option sgns_options[] = {
    FLAG_OPTION(
        "cbow", .group = "Model",
        .help = "continuous bag of words (CBOW) instead of skip-gram: faster, but often worse for "
                "rare words"),
    {0}};

const struct command cmd_baseline_sgns = {
    SYSTEM("sgns"),
    .summary = "word2vec: skip-gram with negative sampling, or CBOW",
    INPUTS,
    .description = PARAGRAPHS(
        "Trains vectors as word2vec does (Mikolov, Sutskever, Chen, Corrado and Dean, 2013), with "
        "negative sampling: a word predicts its context words (skip-gram), or with --cbow the "
        "context words predict the word.",
        "An INPUT is text (see psdvec count). Words outside the vocabulary are dropped before "
        "windows are formed. Results are bit-for-bit reproducible for any number of threads."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE), OWN_OPTIONS(sgns_options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT,
                                .except = " distance oov resume hold_out" DETAIL_OPTIONS),
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
    .missing = "give a text: files, folders, or - for standard input"};

const struct command cmd_baseline_glove = {
    SYSTEM("glove"),
    .summary = "GloVe: weighted regression on log counts",
    INPUTS,
    .description = PARAGRAPHS(
        "Trains vectors as GloVe does (Pennington, Socher and Manning, 2014): the product of two "
        "vectors, plus a bias per word, is fitted to the logarithm of the words' co-occurrence "
        "count by weighted least squares with AdaGrad. The defaults are those of the authors' "
        "program, with 300 dimensions as in their paper.",
        TEXT_OR_COUNTS "."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT, .except = " hold_out" DETAIL_OPTIONS),
                COMMON_OPTIONS},
    .presets = {"glove"},
    .examples =
        EXAMPLES({"psdvec baseline glove wiki.txt -o glove.safetensors", "Text in, model out."},
                 {"psdvec baseline glove wiki.counts.safetensors --dim 10 --x-max 10 --epochs 15 "
                  "-o glove.safetensors",
                  "From a counts file, with settings for a small text."}),
    .notes = PARAGRAPHS(
        "After Ctrl-C, a crash or kill -9, run the same command again to resume. The state after "
        "each epoch is kept in the folder FILE.partial beside the output, which is deleted at the "
        "end. A resumed run gives the same bits as an uninterrupted one."),
    .missing = WHAT_TO_TRAIN_ON};

const struct command cmd_baseline_cca = {
    SYSTEM("cca"),
    .summary = "canonical correlation analysis (CCA) of counts",
    INPUTS,
    .description = PARAGRAPHS(
        "Trains vectors by canonical correlation analysis (CCA) of words and their contexts: a "
        "truncated singular value decomposition of the square roots of the counts, normalised by "
        "the frequencies of both words. After Stratos, Collins and Hsu (2015) and their program "
        "Singular, with its defaults except for 300 dimensions instead of 500. All vectors have "
        "length 1.",
        TEXT_OR_COUNTS " and any memory limit."),
    ON_COUNTS,
    .presets = {"cca"},
    .examples = EXAMPLES({"psdvec baseline cca wiki.txt -o cca.safetensors", "Text in, model out."},
                         {"psdvec baseline cca wiki.counts.safetensors --dim 20 -o cca.safetensors",
                          "From a counts file."}),
    .missing = WHAT_TO_TRAIN_ON};

const struct command cmd_baseline_sparse = {
    SYSTEM("sparse"),
    .summary = "sparse coding of other vectors",
    .synopsis = "MODEL -o FILE [OPTION]...",
    .description = PARAGRAPHS(
        "Learns a dictionary with many more directions than the vectors of MODEL have dimensions, "
        "and represents each word as a combination of a few of them (sparse coding), after "
        "Faruqui, Tsvetkov, Yogatama, Dyer and Smith (2015). Such dimensions are easier to "
        "interpret; psdvec vector shows those of a word. MODEL is a psdvec model, whose read-out "
        "is used, or vectors of another program. All commands that compare words accept the "
        "result.",
        "Vectors are first scaled by one common factor to a mean squared length of 4, so that the "
        "penalties have the same meaning for all models. Results are bit-for-bit reproducible for "
        "any number of threads. If a run is interrupted, the same command resumes it after the "
        "last complete epoch."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_BASELINE), COMMON_OPTIONS},
    .presets = {"sparse"},
    .examples =
        EXAMPLES({"psdvec baseline sparse model.safetensors -o sparse.safetensors",
                  "Ten times as many dimensions, few of them nonzero."},
                 {"psdvec baseline sparse model.safetensors --binary --l1 2 -o binary.safetensors",
                  "Binary codes with fewer ones."}),
    .operands = {1, 1},
    .missing = "give a model"};
