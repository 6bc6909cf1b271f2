/* psdvec report: all about a model, as one HTML page, as JSON or as text. */
#include "commands.h"
#include "eval.h"
#include "exit_status.h"
#include "options.h"
#include "page.h"
#include "phrase.h"
#include "word_files.h"

#include <string.h>

enum kind { KIND_HTML, KIND_JSON, KIND_TEXT };
static const psdvec_choice kinds[] = {
    [KIND_HTML] = {.name = "html", .help = "a page that works offline and can be printed"},
    [KIND_JSON] = {.name = "json", .help = "the data of the page"},
    [KIND_TEXT] = {.name = "text", .help = "the main results, without the figures"},
    {0}};

static const psdvec_option options[] = {
    TEXT_OPTION("words", "WORD,...", .group = "Contents",
                .help = "sample words whose neighbours are listed"),
    FILES_OPTION("set", .group = "Contents",
                 .help = "a test set, or a folder of them, in addition to the built-in ones"),
    CHOICE_OPTION("format", kinds, .fallback = "html", .group = "Output", .help = "what to write:"),
    {0}};

/* The indices of the words of --words. */
static int find_words(struct run *run, const psdvec_model *model, uint32_t **words, size_t *count)
{
    const char *list = argument_text(run->arguments, "words");
    size_t most = 1;
    for (const char *at = list; at && *at; at++)
        most += *at == ',';
    *words = lasting_alloc(most, sizeof **words);
    for (size_t length; list && *list; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        if (!length)
            continue;
        int code =
            model_file_find(run, model, phrase("%.*s", (int)length, list), &(*words)[*count]);
        if (code)
            return code;
        ++*count;
    }
    return EXIT_FINE;
}

static void free_description(void *description)
{
    psdvec_description_free(description);
}

static int write_report(struct run *run, const psdvec_description *description)
{
    struct buffer json = {0}, text = {0}, page = {0};
    uint64_t kind = argument_integer(run->arguments, "format");
    size_t length;
    const char *part = psdvec_description_json(description, &length);
    buffer_add(&json, part, length);
    part = psdvec_description_text(description, &length);
    buffer_add(&text, part, length);
    if (kind == KIND_HTML)
        page_add(&page, page_report, &json, &text);
    else
        buffer_char(&json, '\n');
    const struct buffer *file = kind == KIND_HTML ? &page : kind == KIND_JSON ? &json : &text;
    int code = run_write(run, run_output(run), file);
    if (!code)
        talk_say(&run->talk,
                 phrase("written: %s (%s)%s\n", run_output(run), phrase_bytes((double)file->length),
                        kind == KIND_HTML ? "; open it in a browser" : ""));
    buffer_free(&json);
    buffer_free(&text);
    buffer_free(&page);
    return code;
}

static int act(struct run *run)
{
    const struct option_value *sets = argument(run->arguments, "set");
    const psdvec_describe_options *describe = options_take(run, PSDVEC_OPTIONS_DESCRIBE);
    struct eval eval = {.run = run, .spelling = 1};
    psdvec_description *description = NULL;
    psdvec_model *model;
    uint32_t *words;
    size_t count = 0;
    if (!describe)
        return run->refusal;
    int code = model_file_open(run, run->arguments->operands[0], &model);
    if (!code)
        code = find_words(run, model, &words, &count);
    if (!code && sets->text_count)
        code = eval_open_sets(&eval, sets->texts, sets->text_count, 0, false);
    if (!code) {
        psdvec_status status = psdvec_model_describe(
            run->ctx, describe, model, eval.sets, eval.set_files.count, words, count, &description);
        code = status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
    }
    eval_close(&eval);
    if (code)
        return code;
    lasting(description, free_description);
    talk_erase(&run->talk);
    return write_report(run, description);
}

const struct command cmd_report = {
    .name = "report",
    .group = "Vectors",
    .summary = "write a report on a model, as one HTML page",
    .synopsis = "MODEL -o PAGE [OPTION]...",
    .description = PARAGRAPHS(
        "Writes all that there is to know about a model as one HTML file, which works offline and "
        "prints well: how it was made, with the options that differ from the defaults; statistics "
        "of the text; the objective after each iteration; the eigenvalues; the frequencies of words "
        "and the lengths of their vectors; a map; scores on the built-in test sets and others, with "
        "confidence intervals; the neighbours of sample words; and what to cite.",
        "MODEL may also be vectors of another program, which carry less metadata; the report says "
        "what is missing. The same model and options give the same report for any number of "
        "threads."),
    .sources = {OWN_OPTIONS(options), LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_DESCRIBE),
                COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec report model.safetensors -o report.html", "A report with the default contents."},
        {"psdvec report model.safetensors --words king,music --set ws353.txt -o report.html",
         "With the neighbours of these words, and the scores of another test set."},
        {"psdvec report vectors.vec --map no --format json -o report.json",
         "Vectors of another program, without a map; JSON output for scripts."}),
    .notes = PARAGRAPHS("docs/how-to/report.md shows how to read a report, and "
                        "docs/reference/report.md lists the members of the JSON."),
    .operands = {1, 1},
    .missing = "give a model",
    .output_example = "report.html",
    .act = act};
