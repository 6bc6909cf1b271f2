/* psdvec next: the words that a model expects after a text. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "question.h"
#include "scoring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_COLUMNS = 26, BAR_COLUMNS = 24 };

static const psdvec_option options[] = {
    {.name = "top",
     .type = PSDVEC_OPTION_UINT64,
     .argument = "N",
     .least = 0,
     .most = UINT32_MAX,
     .word = "all",
     .fallback = "10",
     .group = "The question",
     .help = "show N words; 0 or all: all of them, and their probabilities sum to one"},
    {0}};

static const char *const description[] = {
    "Shows the words that MODEL finds most probable after TEXT, with their probability, and how "
    "many times as probable the text makes them as they are by themselves. Without a TEXT, words "
    "are as probable as they are by themselves. TEXT is cut into words as the model's text was. "
    "Only its last words, as many as the window has, make a difference; unknown ones keep their "
    "place in it and add nothing.",
    "The model knows which words stand near each other, not grammar: expect words of the topic. "
    "The columns of --tsv are word, probability, unigram and lift.",
    NULL};

static const struct example examples[] = {
    {"psdvec next wiki.safetensors \"the art of\"", "What comes next?"},
    {"psdvec next wiki.safetensors \"the art of\" --counts wiki.counts.safetensors --top 5",
     "With what only the counts know."},
    {"psdvec next wiki.safetensors popular music --top all --tsv",
     "The probability of every word."},
    {0}};

struct answer {
    const struct scoring *scoring;
    const struct context_words *context;
    const psdvec_prediction *words;
    size_t count;
};

static double lift(const psdvec_prediction *p)
{
    return p->unigram > 0 ? p->probability / p->unigram : NAN;
}

/* 12.3 %, 0.00123 % */
static void add_percent(struct buffer *to, double share)
{
    double percent = 100 * share;
    int digits = percent >= 10 ? 1 : percent >= 1 ? 2 : percent >= 0.1 ? 3 : 4;
    char *text = percent >= 0.001 || percent == 0 ? must_format("%.*f", digits, percent)
                                                  : must_format("%.2e", percent);
    buffer_format(to, "%9s %%", text);
    free(text);
}

static void show(struct buffer *to, const struct answer *answer)
{
    const struct palette *palette = &answer->scoring->run->palette;
    const struct context_words *context = answer->context;
    buffer_text(to, palette->bold);
    for (size_t k = 0; k < context->count; k++) {
        bool unknown = context->words[k] == PSDVEC_UNKNOWN_WORD;
        buffer_text(to, unknown ? "(" : "");
        cell_text(to, context->texts[k], strlen(context->texts[k]));
        buffer_text(to, unknown ? ") " : " ");
    }
    buffer_format(to, "...%s\n", palette->plain);
    double most = answer->count ? answer->words[0].probability : 1;
    for (size_t k = 0; k < answer->count; k++) {
        const psdvec_prediction *p = &answer->words[k];
        size_t length;
        const char *word = psdvec_model_word(answer->scoring->models[0], p->word, &length);
        struct buffer times = {0};
        add_number(&times, lift(p));
        buffer_text(to, "  ");
        cell_add(to, word, length, WORD_COLUMNS, false);
        buffer_format(to, " %s", palette->cyan);
        cell_bar(to, p->probability / most, BAR_COLUMNS, terminal_unicode());
        buffer_text(to, palette->plain);
        add_percent(to, p->probability);
        buffer_format(to, "  %s\xc3\x97 %s%s\n", palette->dim, times.text, palette->plain);
        buffer_free(&times);
    }
}

static void tabulate(struct buffer *to, const struct answer *answer)
{
    for (size_t k = 0; k < answer->count; k++) {
        const psdvec_prediction *p = &answer->words[k];
        size_t length;
        const char *word = psdvec_model_word(answer->scoring->models[0], p->word, &length);
        cell_text(to, word, length);
        buffer_format(to, "\t%.12g\t%.12g\t%.6g\n", p->probability, p->unigram, lift(p));
    }
}

static void add_json(struct buffer *to, const struct answer *answer)
{
    buffer_char(to, '{');
    context_words_json(to, "context", answer->context);
    json_real(to, "temperature", psdvec_scorer_temperature(answer->scoring->scorer, 0));
    buffer_text(to, ", \"next\": [");
    for (size_t k = 0; k < answer->count; k++) {
        const psdvec_prediction *p = &answer->words[k];
        buffer_text(to, k ? ", {\"word\": " : "{\"word\": ");
        json_word(to, answer->scoring->models[0], p->word);
        json_real(to, "probability", p->probability);
        json_real(to, "unigram", p->unigram);
        json_real(to, "lift", lift(p));
        buffer_char(to, '}');
    }
    buffer_text(to, "]}\n");
}

static int answer_text(struct scoring *scoring, struct context_words *context)
{
    struct run *run = scoring->run;
    const struct arguments *arguments = run->arguments;
    char *text = operands_joined(arguments, 1);
    int code = scoring_words(scoring, text, strlen(text), context);
    free(text);
    if (code)
        return code;
    bool json = argument_flag(arguments, "json"), tsv = argument_flag(arguments, "tsv");
    if (!json)
        context_words_warn(run, context);
    size_t words = psdvec_model_get_info(scoring->models[0])->words, found = 0;
    uint64_t top = argument_integer(arguments, "top");
    size_t most = top && top < words ? (size_t)top : words;
    psdvec_prediction *predictions = must_alloc(most, sizeof *predictions);
    psdvec_status status = psdvec_scorer_next(scoring->scorer, context->words, context->count, most,
                                              predictions, &found);
    if (status == PSDVEC_OK) {
        struct answer answer = {scoring, context, predictions, found};
        struct buffer to = {0};
        (json ? add_json : tsv ? tabulate : show)(&to, &answer);
        output_add(&run->out, buffer_get(&to), to.length);
        buffer_free(&to);
    }
    free(predictions);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

static int act(struct run *run)
{
    struct scoring scoring = {0};
    struct context_words context = {0};
    psdvec_scorer_options *scorer = options_take(run, PSDVEC_OPTIONS_SCORER);
    if (!scorer)
        return run->refusal;
    if (argument_flag(run->arguments, "json") && argument_flag(run->arguments, "tsv"))
        return run_use_error(run, "--json and --tsv exclude each other");
    int code = scoring_open(&scoring, run, run->arguments->operands, 1, scorer);
    if (!code)
        code = answer_text(&scoring, &context);
    context_words_free(&context);
    scoring_close(&scoring);
    return code;
}

const struct command cmd_next = {
    .name = "next",
    .group = "Documents",
    .brief = true,
    .summary = "the most probable words after a text",
    .synopsis = "MODEL [TEXT]... [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(options), OWN_OPTIONS(scoring_options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_SCORER, .only = " temperature self "),
                OWN_OPTIONS(form_options), COMMON_OPTIONS},
    .examples = examples,
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .missing = "say which model to ask, and after which text",
    .completes = PSDVEC_PATH_FILE,
    .act = act};
