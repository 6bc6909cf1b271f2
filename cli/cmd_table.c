/* psdvec table: the comparison table of the paper, on any text. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "table.h"
#include "word_files.h"

#include <stdlib.h>
#include <string.h>

const psdvec_choice counting_words[] = {
    [COUNTING_SAME] = {.name = "same"}, [COUNTING_OWN] = {.name = "own"}, {0}};
#define COUNTING_DEFAULT "same"

static const psdvec_option options[] = {
    TEXT_OPTION("methods", "NAME,...", .group = "Systems",
                .otherwise = "all but cbow; psd-unreg and psd-25k with --counting own",
                .help =
                    "systems to train: psd, psd-paper, psd-unreg, psd-25k, ppmi, svd, sgns, cbow, "
                    "glove, cca, sparse; sparse codes the vectors of psd, sparse-glove those of "
                    "glove, and so on"),
    CHOICE_OPTION(
        "counting", counting_words, .fallback = COUNTING_DEFAULT,
        .help =
            "all systems count in the same way, or each as its authors did; counting options on "
            "the command line apply to all"),
    {.name = "sets",
     .type = PSDVEC_OPTION_TEXTS,
     .argument = "FILE|DIR",
     .group = "Scores",
     .path = PSDVEC_PATH_FILE,
     .otherwise = "the built-in sets",
     .help = "a test set, or a folder in which each file is a test set"},
    {0}};

static const char *const own_defaults[] = {"window", "distance", "oov", "subsample", NULL};

/* ---- The complete command -------------------------------------------------------------------- */

static int score(struct table *table)
{
    struct eval *eval = &table->eval;
    struct run *run = table->run;
    for (size_t k = 0; k < table->system_count; k++)
        if (table->systems[k].item.done)
            eval_add_file(&eval->model_files, table->systems[k].item.file);
    if (!eval->model_files.count)
        return EXIT_FINE;
    int code = eval_open_models(eval);
    if (code)
        return code;
    eval->apart = lasting_alloc(eval->model_files.count, sizeof *eval->apart);
    uint32_t most = psdvec_model_get_info(eval->models[0])->words;
    for (size_t k = 0; k < eval->model_files.count; k++)
        eval->apart[k] = psdvec_model_get_info(eval->models[k])->words < most;
    psdvec_status status =
        psdvec_eval(run->ctx, &eval->options, (const psdvec_model *const *)eval->models,
                    eval->model_files.count, eval->sets, eval->set_files.count, &eval->report);
    if (status == PSDVEC_ERR_CANCELLED)
        return table_stopped(table);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    eval_make_rows(eval);
    talk_erase(&run->talk);
    uint32_t known = 0;
    for (size_t r = 0; r < eval->row_count; r++)
        known |= eval->rows[r].scores->known;
    if (!known)
        talk_warning(&run->talk, "the vocabulary of the text covers none of the questions, so "
                                 "there are no scores; give suitable test sets with --sets");
    return EXIT_FINE;
}

static void table_free(struct table *table)
{
    eval_close(&table->eval);
    table_folder_close(table);
    for (size_t k = 0; k < table->system_count; k++)
        buffer_free(&table->systems[k].item.settings);
    for (size_t k = 0; k < table->counts_count; k++)
        buffer_free(&table->counts[k].item.settings);
    free(table->systems);
    free(table->counts);
}

/* The folder of -o; or, in the current folder, one named after the first input. */
static const char *folder_of(const struct arguments *arguments)
{
    const char *given = argument_text(arguments, "output");
    if (given)
        return given;
    const char *input = arguments->operands[0];
    size_t end = strlen(input);
    while (end > 1 && input[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && input[begin - 1] != '/')
        begin--;
    size_t length = strcspn(input + begin, "."); /* news.txt.gz is news */
    if (length == 0 || length > end - begin)
        length = end - begin;
    return phrase("%.*s.table", (int)length, input + begin);
}

/* Scores on a test set that is part of the training text are meaningless. */
static int refuse_tests(struct run *run)
{
    const char *kind, *path = test_file_among(run, 0, &kind);
    if (!path)
        return EXIT_FINE;
    return run_use_error(run,
                         "%s is a test set (%s), but was given as training text; to score on it, "
                         "write --sets %s",
                         path, kind, path);
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    struct table table = {.run = run,
                          .folder = folder_of(arguments),
                          .lock = -1,
                          .eval = {.run = run, .spelling = 1}};
    const psdvec_eval_options *eval = options_take(run, PSDVEC_OPTIONS_EVAL);
    if (!eval) {
        table_free(&table);
        return run->refusal;
    }
    table.eval.options = *eval;
    run->talk.terse = true;
    int code = table_gather(&table);
    if (!code)
        code = run_library(run);
    if (!code)
        code = refuse_tests(run);
    const struct option_value *sets = argument(arguments, "sets");
    if (!code) /* before any training */
        code = eval_open_sets(&table.eval, sets->texts, sets->text_count, 0, false);
    if (!code)
        code = table_folder_open(&table);
    if (!code)
        code = table_make(&table);
    if (!code)
        code = table_text_same(&table);
    if (!code)
        code = score(&table);
    if (!code && table.eval.model_files.count)
        code = table_write_all(&table);
    for (size_t k = 0; !code && k < table.system_count; k++)
        if (table.systems[k].item.failure)
            code = exit_for(table.systems[k].item.status);
    table_free(&table);
    return code;
}

const struct command cmd_table = {
    .name = "table",
    .group = "Vectors",
    .summary = "train several systems on a text and compare them",
    .synopsis = "INPUT... [-o DIR] [OPTION]...",
    .description = PARAGRAPHS(
        "Trains several systems on the same text, with the same vocabulary and the same number of "
        "dimensions, scores them on test sets, and prints a table with a row per system, a column "
        "per test set, the coverage, and the time and memory of each system. Marks show the best "
        "score of each column and those that are not significantly worse.",
        "The output folder receives the models (NAME.safetensors), the counts that they share, "
        "and the table as table.md, table.json and table.html, a page with intervals and charts "
        "that works offline. The default folder is NAME.table in the current folder if the first "
        "INPUT is NAME.txt. It is created if it does not exist; files that psdvec table did not "
        "write are never replaced.",
        "After Ctrl-C, a crash or kill -9, run the same command again to resume: finished systems "
        "are kept, and an interrupted one continues where possible. With other options, only the "
        "systems that they affect are trained again; other test sets only require scoring again. "
        "If a system fails, it has no scores, the table shows the error, and the exit status is "
        "that of the error."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS,
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TRAIN, .only = " dim restart "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_EVAL, .only = " resamples confidence "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_COUNT,
                                .except = " resume hold_out" DETAIL_OPTIONS),
                COMMON_OPTIONS},
    .presets = {"default"},
    .inherited = own_defaults,
    .inherited_from = "that of psdvec train; with --counting own, that of each system",
    .examples = EXAMPLES(
        {"psdvec table wiki.txt -o out/ --dim 5",
         "All default systems, on the built-in test sets."},
        {"psdvec table wiki.txt --methods psd,glove,sgns --dim 5 --sets ws353.txt --sets google.txt "
         "-o three/",
         "Three systems, on two test sets from files."},
        {"psdvec table books notes.txt --methods svd,cbow,sparse-svd --dim 5 --counting own -o own/",
         "Each system counts as its authors did; sparse codes of the vectors of svd."}),
    .notes = PARAGRAPHS(
        "docs/how-to/compare-systems.md describes the files in the folder, the JSON and the page; "
        "docs/explanation/baselines.md describes the systems."),
    .operands = {1, SIZE_MAX},
    .missing = "give a text: files or folders",
    .output_example = "out/",
    .output_optional = true,
    .act = act};
