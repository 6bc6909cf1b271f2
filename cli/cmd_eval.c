/* psdvec eval: scores vectors on test sets with human judgements. */
#include "commands.h"
#include "eval.h"
#include "exit_status.h"
#include "options.h"

static const psdvec_option own_options[] = {
    FILES_OPTION("model", .group = "Models and test sets",
                 .help = "read this file as a model, without detecting its kind"),
    FILES_OPTION("set", .help = "read this file as a test set, without detecting its kind"),
    FLAG_OPTION("builtin", .help = "use the built-in sets in addition to those given"),
    REAL_OPTION("spelling", "W", 0, 1, .fallback = "1", .group = "Scoring",
                .help = "weight of spelling in the vectors: 1 is as trained, 0 compares words by "
                        "their contexts only"),
    FLAG_OPTION("sections", .group = "Output",
                .help = "show the scores of sections; json and tsv always contain them"),
    {0}};

static int act(struct run *run)
{
    struct eval eval = {.run = run, .spelling = argument_real(run->arguments, "spelling")};
    const psdvec_eval_options *options = options_take(run, PSDVEC_OPTIONS_EVAL);
    if (!options)
        return run->refusal;
    eval.options = *options;
    int code = eval_open(&eval);
    if (!code) {
        psdvec_status status =
            psdvec_eval(run->ctx, &eval.options, (const psdvec_model *const *)eval.models,
                        eval.model_files.count, eval.sets, eval.set_files.count, &eval.report);
        if (status != PSDVEC_OK)
            code = run_failed(run, status);
    }
    if (!code) {
        struct show show;
        eval_make_rows(&eval);
        talk_erase(&run->talk);
        show_start(&show, run, false);
        eval_show(&show, &eval);
        show_end(&show);
    }
    eval_close(&eval);
    return code;
}

const struct command cmd_eval = {
    .name = "eval",
    .group = "Vectors",
    .summary = "score models on similarity, analogy and other tests",
    .synopsis = "MODEL... [SET]... [OPTION]...",
    .description = PARAGRAPHS(
        "Scores models on test sets: word similarity (Spearman correlation of cosines with human "
        "ratings), analogies (share answered correctly by 3CosAdd and by 3CosMul), synonym choice "
        "(share answered correctly) and categories (purity of k-means clusters). Each score is "
        "shown with its coverage: the number of questions whose words are all in the model. "
        "Without a SET, the built-in test sets are used.",
        "With several models, a mark shows which scores are significantly worse than the best "
        "one: by a paired bootstrap for correlations, by McNemar's exact test for shares and "
        "purity.",
        "Models and test sets may be given in any order; they are recognised by their first "
        "bytes. Models are psdvec files, npy, word2vec binary, and text whose first line is two "
        "whole numbers or most of whose first lines are a word and two or more numbers. "
        "Everything else is a set. In a folder each file is a set, also in folders below it; a "
        "folder of word pairs, such as BATS, is one set with a section per file. If detection "
        "fails, use --model and --set."),
    .sources = {OWN_OPTIONS(own_options), FORMAT_OPTIONS,
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_EVAL), COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec eval model.safetensors", "On the built-in sets, in seconds."},
        {"psdvec eval model.safetensors ws353.txt google.txt --sections",
         "On files, whose format is detected."},
        {"psdvec eval model.safetensors sets/", "On all files of a folder, one by one."},
        {"psdvec eval model.safetensors vectors.vec vectors.txt ws353.txt google.txt --common",
         "Several models, on the questions that are covered by all of them."},
        {"psdvec eval model.safetensors --half first --unknown zero --format json -o scores.json",
         "JSON output, for choosing settings by script."}),
    .notes = PARAGRAPHS(
        "For psdvec models, the read-out is scored, the vectors for comparing words; for vectors "
        "of other programs, those in the file. docs/how-to/evaluate.md describes the formats of sets, "
        "the formulas and the JSON output."),
    .operands = {0, SIZE_MAX},
    .act = act};
