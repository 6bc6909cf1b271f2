/* psdvec eval: how well vectors agree with what people say. */
#include "commands.h"
#include "eval_files.h"
#include "eval_print.h"
#include "exit_status.h"
#include "options.h"

static const psdvec_choice formats[] = {
    {"table", NULL}, {"json", NULL}, {"tsv", NULL}, {"markdown", NULL}, {0}};
enum { AS_TABLE, AS_JSON, AS_TSV, AS_MARKDOWN };

static const psdvec_option own_options[] = {
    {.name = "model",
     .type = PSDVEC_OPTION_TEXTS,
     .argument = "FILE",
     .group = "Models and sets",
     .path = PSDVEC_PATH_FILE,
     .help = "a model, whatever it looks like"},
    {.name = "set",
     .type = PSDVEC_OPTION_TEXTS,
     .argument = "FILE",
     .path = PSDVEC_PATH_FILE,
     .help = "a test set, whatever it looks like"},
    {.name = "builtin",
     .type = PSDVEC_OPTION_FLAG,
     .help = "the built-in sets, beside those named"},
    {.name = "format",
     .type = PSDVEC_OPTION_CHOICE,
     .choices = formats,
     .fallback = "table",
     .group = "Showing",
     .help = "a table; one JSON object; a line with tabs for each score; a table for a page"},
    {.name = "sections",
     .type = PSDVEC_OPTION_FLAG,
     .help = "show the sections of sets that have some; json and tsv always have them"},
    {0}};

static const char *const description[] = {
    "Scores models on test sets: judgements of similarity (Spearman's rank correlation with the "
    "cosines), analogies (the share that is answered rightly, by 3CosAdd and by 3CosMul), choices "
    "of the word that means the same (the share answered rightly) and groups of words (the purity "
    "of the clusters that k-means finds). Beside each score stands how many questions the model "
    "knows all words of. Without a SET, the sets that come with psdvec are used.",
    "Several models stand side by side, with a mark where one is worse than the best by more than "
    "chance: by a paired bootstrap for correlations, by McNemar's exact test for shares and "
    "purity.",
    "What a file is, its first bytes say, in any order. It is a model if it is one of psdvec's, "
    "npy, word2vec's binary, or text whose first line is two whole numbers or most of whose "
    "first lines are a word and two or more numbers. Anything else is a set, and so is a folder: "
    "each file in it is a section. Where that goes wrong, --model and --set say it.",
    NULL};

static const struct example examples[] = {
    {"psdvec eval model.safetensors", "On the built-in sets, in seconds."},
    {"psdvec eval model.safetensors ws353.txt google.txt --sections",
     "On files, whose form is recognised."},
    {"psdvec eval model.safetensors vectors.vec vectors.txt ws353.txt google.txt --common",
     "Several models, on the questions that all of them know."},
    {"psdvec eval model.safetensors --half first --unknown zero --format json -o scores.json",
     "For a program that chooses settings."},
    {0}};

static const char *const notes[] = {
    "Of psdvec's own models the read-out is used, which is made from the generative vectors for "
    "comparing words; of other programs' vectors, what is in the file. docs/evaluation.md has the "
    "forms of sets, the formulas, and what the JSON holds.",
    NULL};

static void print(const struct eval *eval)
{
    const struct arguments *arguments = eval->run->arguments;
    bool sections = argument_flag(arguments, "sections");
    struct buffer text = {0};
    switch (argument_integer(arguments, "format")) {
    case AS_JSON:
        eval_json(&text, eval);
        break;
    case AS_TSV:
        eval_tsv(&text, eval);
        break;
    case AS_MARKDOWN:
        eval_markdown(&text, eval, sections);
        break;
    default:
        eval_table(&text, eval, sections);
    }
    output_add(&eval->run->out, text.text, text.length);
    buffer_free(&text);
}

static int act(struct run *run)
{
    struct eval eval = {.run = run};
    const psdvec_eval_options *options = options_take(run, PSDVEC_OPTIONS_EVAL);
    if (!options)
        return run->refusal;
    eval.options = *options;
    int code = eval_open(&eval);
    if (!code) {
        psdvec_status status =
            psdvec_eval(run->ctx, &eval.options, (const psdvec_model *const *)eval.models,
                        eval.model_files.count, (const psdvec_test *const *)eval.sets,
                        eval.set_files.count, &eval.report);
        if (status != PSDVEC_OK)
            code = run_failed(run, status);
    }
    if (!code) {
        eval_make_rows(&eval);
        talk_erase(&run->talk);
        print(&eval);
    }
    eval_close(&eval);
    return code;
}

const struct command cmd_eval = {.name = "eval",
                                 .group = "Vectors",
                                 .summary = "score models on tests of similarity and analogy",
                                 .synopsis = "MODEL... [SET]... [OPTION]...",
                                 .description = description,
                                 .sources = {OWN_OPTIONS(own_options),
                                             LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_EVAL),
                                             COMMON_OPTIONS},
                                 .examples = examples,
                                 .notes = notes,
                                 .least_operands = 0,
                                 .most_operands = SIZE_MAX,
                                 .completes = PSDVEC_PATH_FILE,
                                 .act = act};
