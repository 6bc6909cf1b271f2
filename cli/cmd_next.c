/* psdvec next: the words that a model expects after a text. */
#include "commands.h"
#include "exit_status.h"
#include "scoring.h"
#include "word_files.h"

#include <string.h>

static const psdvec_option options[] = {
    WHOLE_OPTION("top", "N", 0, UINT32_MAX, .word = "all", .fallback = "10", .group = "Query",
                 .help = "show N words; 0 or all shows all words, whose probabilities sum to one"),
    {0}};

static const struct column columns[] = {
    COLUMN("word", "word", .gap = 2, .width = 26), BARS(.gap = 1, .width = 24),
    NUMBERS("probability", "probability", 0, -12, .width = 11),
    NUMBERS("unigram", NULL, 0, -12, .gap = 0),
    COLUMN("lift", "lift", .gap = 2, .style = DIM, .exact = -12)};

/* 12.3 %, 0.00123 % */
static const char *percent_text(double share)
{
    double percent = 100 * share;
    int digits = percent >= 10 ? 1 : percent >= 1 ? 2 : percent >= 0.1 ? 3 : 4;
    return percent >= 0.001 || percent == 0 ? phrase("%.*f %%", digits, percent)
                                            : phrase("%.2e %%", percent);
}

static void show_context(struct show *show, const struct context_words *context)
{
    struct buffer title = {0};
    buffer_text(&title, STYLE_BOLD);
    for (size_t k = 0; k < context->count; k++) {
        bool known = context->words[k] != PSDVEC_UNKNOWN_WORD;
        const char *text = phrase_safe(context->texts[k], strlen(context->texts[k]));
        buffer_format(&title, known ? "%s " : "(%s) ", text);
    }
    buffer_text(&title, "...");
    show_title(show, phrase_of(&title));
    context_words_show(show, "context", context);
}

static void print(const struct scoring *scoring, const struct context_words *context,
                  const psdvec_prediction *words, size_t count)
{
    struct rows rows = ROWS("next", 0, columns);
    struct show show;
    rows.bare = true;
    show_begin(&show, scoring->run, false);
    show_context(&show, context);
    show_data(&show, "temperature", real_cell(psdvec_scorer_temperature(scoring->scorer, 0)));
    for (size_t k = 0; k < count; k++) {
        const psdvec_prediction *p = &words[k];
        double lift = p->unigram > 0 ? p->probability / p->unigram : NAN;
        rows_add(&rows, model_word_cell(scoring->models[0], p->word),
                 bar_cell(p->probability / words[0].probability),
                 shown_as(real_cell(p->probability), percent_text(p->probability)),
                 real_cell(p->unigram),
                 shown_as(real_cell(lift), phrase("\xc3\x97 %s", phrase_number(lift))));
    }
    show_rows(&show, &rows);
    show_finish(&show);
}

static int answer_text(struct scoring *scoring, struct context_words *context)
{
    struct run *run = scoring->run;
    const struct arguments *arguments = run->arguments;
    const char *text = run->text ? run->text : operands_joined(arguments, 1);
    int code = scoring_words(scoring, text, strlen(text), context);
    if (code)
        return code;
    if (run->format != FORMAT_JSON)
        context_words_warn(run, context);
    size_t words = psdvec_model_get_info(scoring->models[0])->words, found = 0;
    uint64_t top = argument_integer(arguments, "top");
    size_t most = top && top < words ? (size_t)top : words;
    psdvec_prediction *predictions = lasting_alloc(most, sizeof *predictions);
    psdvec_status status = psdvec_scorer_next(scoring->scorer, context->words, context->count, most,
                                              predictions, &found);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    print(scoring, context, predictions, found);
    return EXIT_FINE;
}

static int act(struct run *run)
{
    return scoring_run(run, answer_text);
}

const struct command cmd_next = {
    .name = "next",
    .group = "Documents",
    .summary = "list the most probable words after a text",
    .synopsis = "MODEL [TEXT]... [OPTION]...",
    .description = PARAGRAPHS(
        "Lists the words that MODEL finds most probable after TEXT, with their probability and "
        "its ratio to the unigram probability. Without a TEXT, the probabilities are those of the "
        "unigrams. TEXT is tokenised as the model's text was. Only the last words, as many as fit "
        "into the window, have an influence; unknown words keep their place in the window and "
        "contribute nothing.",
        "The model captures which words occur near each other, but no grammar: expect words of "
        "the same topic."),
    .sources = {OWN_OPTIONS(options), OWN_OPTIONS(scoring_options), OWN_OPTIONS(bigram_options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_SCORER, .only = " temperature self "),
                FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec next wiki.safetensors \"the art of\"", "List the most probable next words."},
        {"psdvec next wiki.safetensors \"the art of\" --counts wiki.counts.safetensors --top 5",
         "With residuals from the counts."},
        {"psdvec next wiki.safetensors popular music --top all --tsv",
         "The probability of every word."}),
    .operands = {1, SIZE_MAX},
    .missing = "give a model and a text",
    .act = act};
