/* psdvec tokenize: the tokens as counting would see them. */
#include "commands.h"
#include "exit_status.h"
#include "run.h"
#include "system.h"
#include "text_options.h"
#include "word_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const description[] = {
    "Prints the words of a plain text file, or of standard input, exactly as psdvec count would "
    "see them: separated by spaces, one document a line (with --sentences, one sentence a line). "
    "Documents without words are left out.",
    NULL};

static const struct example examples[] = {
    {"psdvec tokenize wiki.txt", "See what a text becomes."},
    {"echo \"It's a well-known caf\xc3\xa9.\" | psdvec tokenize --hyphens join --accents strip",
     "Try options out."},
    {0}};

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
    const struct arguments *arguments = run->arguments;
    const char *path = arguments->operand_count ? arguments->operands[0] : "-";
    psdvec_text_options options;
    size_t length;
    text_options_read(arguments, false, &options);
    int code = run_library(run);
    if (code)
        return code;
    if (!strcmp(path, "-") && isatty(STDIN_FILENO))
        talk_say(&run->talk, "reading from the terminal; end the text with Ctrl-D\n");
    char *text = read_whole(path, &length);
    if (!text)
        return errno == EINTR
                   ? exit_for(PSDVEC_ERR_CANCELLED)
                   : run_error(run, EXIT_INPUT, "cannot read %s: %s",
                               strcmp(path, "-") ? path : "standard input", system_error(errno));
    struct line line = {.out = &run->out};
    psdvec_status status = psdvec_tokenize(run->ctx, &options, text, length, on_token, &line);
    on_token(&line, NULL, 0);
    if (status != PSDVEC_OK)
        code = run_failed(run, status);
    free(text);
    return code;
}

const struct command cmd_tokenize = {.name = "tokenize",
                                     .group = "Counting",
                                     .summary = "print the words as counting would see them",
                                     .synopsis = "[FILE] [OPTION]...",
                                     .description = description,
                                     .tables = {text_options, common_options},
                                     .examples = examples,
                                     .least_operands = 0,
                                     .most_operands = 1,
                                     .completes = COMPLETES_FILES,
                                     .act = act};
