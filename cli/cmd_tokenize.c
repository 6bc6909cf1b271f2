/* psdvec tokenize: the tokens of a text, as in counting. */
#include "commands.h"
#include "options.h"
#include "run.h"

struct line {
    struct output *out;
    bool started;
};

static void on_token(void *user, const char *word, size_t length)
{
    struct line *line = user;
    if (word) {
        if (line->started)
            output_add(line->out, " ", 1);
        output_add(line->out, word, length);
        line->started = true;
    } else if (line->started) {
        output_add(line->out, "\n", 1);
        line->started = false;
    }
}

static int act(struct run *run)
{
    static const char *const standard_input[] = {"-"};
    const struct arguments *arguments = run->arguments;
    const char *const *inputs = standard_input;
    size_t input_count = 1;
    const psdvec_text_options *options = options_take(run, PSDVEC_OPTIONS_TEXT);
    if (!options)
        return run->refusal;
    int code = run_library(run);
    if (code)
        return code;
    if (arguments->operand_count) {
        inputs = (const char *const *)arguments->operands;
        input_count = arguments->operand_count;
    }
    run_announce_terminal(run);
    struct line line = {.out = &run->out};
    psdvec_status status =
        psdvec_tokenize_inputs(run->ctx, options, inputs, input_count, on_token, &line);
    return status == PSDVEC_OK ? 0 : run_failed(run, status);
}

const struct command cmd_tokenize = {
    .name = "tokenize",
    .group = "Counting",
    .summary = "print the tokens of a text as counting sees them",
    .synopsis = "[INPUT]... [OPTION]...",
    .description = PARAGRAPHS(
        "Prints the tokens of its inputs, or of standard input, exactly as psdvec count sees "
        "them: separated by spaces, one document per line (with --sentences, one sentence per "
        "line). Documents without words are omitted."),
    .sources = {LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TEXT, .except = DETAIL_OPTIONS),
                COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec tokenize wiki.txt", "Show how a text is tokenised."},
        {"psdvec tokenize books --sentences", "A folder, one sentence per line."},
        {"echo \"It's a well-known caf\xc3\xa9.\" | psdvec tokenize --hyphens join --accents strip",
         "Try out options."}),
    .operands = {0, SIZE_MAX},
    .act = act};
