/* psdvec generate: samples text from a model, word by word. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "scoring.h"
#include "word_files.h"

#include <string.h>
#include <unistd.h>

static const psdvec_option options[] = {
    TEXT_OPTION("prompt", "TEXT", .group = "Text",
                .help = "continue TEXT, which is tokenised as the model's text was"),
    FLAG_OPTION("json", .help = "print one JSON object"),
    {0}};

struct writer {
    struct run *run;
    const psdvec_model *model;
    size_t column, width;
};

static void write_word(struct writer *writer, const char *word, size_t length, const char *style)
{
    struct buffer text = {0};
    cell_text(&text, word, length);
    size_t columns = utf8_columns(buffer_get(&text), text.length);
    bool fits = writer->column + 1 + columns <= writer->width;
    output_text(&writer->run->out, writer->column == 0 ? "" : fits ? " " : "\n");
    writer->column = (writer->column && fits ? writer->column + 1 : 0) + columns;
    output_format(&writer->run->out, "%s%s%s", style, buffer_get(&text),
                  *style ? writer->run->palette.plain : "");
    buffer_free(&text);
}

static void on_draw(void *user, uint32_t word)
{
    struct writer *writer = user;
    size_t length;
    const char *text = psdvec_model_form(writer->model, word, &length);
    write_word(writer, text, length, "");
    run_flush(writer->run);
}

static void print_json(struct run *run, const struct scoring *scoring,
                       const struct context_words *prompt, const uint32_t *words, uint32_t count)
{
    struct buffer list = {0};
    struct show show;
    for (uint32_t k = 0; k < count; k++) {
        struct cell word = model_word_cell(scoring->models[0], words[k]);
        list_add(&list, word.text, word.length);
    }
    show_start_as(&show, run, false, FORMAT_JSON);
    show_open(&show);
    context_words_show(&show, "prompt", prompt);
    show_data(&show, "seed", whole_cell(argument_integer(run->arguments, "seed")));
    show_data(&show, "temperature", real_cell(psdvec_scorer_temperature(scoring->scorer, 0)));
    show_json(&show, "words", NULL, list_get(&list));
    show_finish(&show);
    buffer_free(&list);
}

static int draw(struct scoring *scoring, struct context_words *prompt)
{
    struct run *run = scoring->run;
    const struct arguments *arguments = run->arguments;
    bool json = argument_flag(arguments, "json");
    const char *text = argument_text(arguments, "prompt");
    int code = text ? scoring_words(scoring, text, strlen(text), prompt) : EXIT_FINE;
    if (code)
        return code;
    if (!json)
        context_words_warn(run, prompt);
    struct writer writer = {run, scoring->models[0], 0, terminal_width(STDOUT_FILENO)};
    for (size_t k = 0; k < prompt->count && !json; k++)
        write_word(&writer, prompt->texts[k], strlen(prompt->texts[k]), run->palette.dim);
    const psdvec_generate_options *generate = options_take(run, PSDVEC_OPTIONS_GENERATE);
    if (!generate)
        return run->refusal;
    uint32_t *words = lasting_alloc(generate->length, sizeof *words);
    psdvec_status status = psdvec_scorer_generate(scoring->scorer, generate, prompt->words,
                                                  prompt->count, words, json ? NULL : on_draw,
                                                  &writer);
    if (status == PSDVEC_OK && json)
        print_json(run, scoring, prompt, words, generate->length);
    else if (writer.column)
        output_text(&run->out, "\n");
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

static int act(struct run *run)
{
    return scoring_run(run, draw);
}

const struct command cmd_generate = {
    .name = "generate",
    .group = "Documents",
    .summary = "generate random text from a model",
    .synopsis = "MODEL [OPTION]...",
    .description = PARAGRAPHS(
        "Draws words one by one, each from the model's distribution given the words before it, "
        "and prints them as they are drawn. The same seed gives the same words. The text shows "
        "what the model captures: words of the same topic near each other, without grammar."),
    .sources = {OWN_OPTIONS(options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_GENERATE, .except = " seed "),
                OWN_OPTIONS(scoring_options), OWN_OPTIONS(bigram_options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_SCORER, .only = " temperature self "),
                COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec generate wiki.safetensors --length 20 --seed 1", "Twenty words."},
        {"psdvec generate wiki.safetensors --prompt \"folk music\" --counts wiki.counts.safetensors "
         "--top 5",
         "Continue a text, with probable words only and with residuals."}),
    .operands = {1, 1},
    .missing = "give a model",
    .act = act};
