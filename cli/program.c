/* The program: finds the command, parses its options and runs it. */
#include "program.h"

#include "arguments.h"
#include "exit_status.h"
#include "help.h"
#include "output.h"
#include "phrase.h"
#include "run.h"
#include "system.h"
#include "terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Prints a help screen or the version; write errors are detected here too. */
static int print(struct buffer *text)
{
    struct output out;
    output_open(&out, NULL);
    output_add(&out, buffer_get(text), text->length);
    buffer_free(text);
    if (output_close(&out, true) || out.error == EPIPE)
        return EXIT_FINE;
    fprintf(stderr, "psdvec: cannot write to standard output: %s\n", output_error(&out));
    return EXIT_OUTPUT;
}

static int no_command(void)
{
    struct buffer screen = {0};
    help_main(&screen, help_width());
    fputs(buffer_get(&screen), stderr);
    buffer_free(&screen);
    return EXIT_USE;
}

/* Handles words that start with a dash in the place of a command. */
static int leading_option(const char *word)
{
    struct buffer text = {0};
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
        help_main(&text, help_width());
        return print(&text);
    }
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        buffer_format(&text, "psdvec %s\n", psdvec_version());
        return print(&text);
    }
    return use_error("",
                     phrase("options such as %s must follow a command, as in psdvec train INPUT "
                            "-o MODEL; only --help and --version need no command",
                            word));
}

/* Handles "counts" alone, or with a second word that is not one of its commands. */
static int family(const char *word, const char *second)
{
    struct buffer text = {0};
    if (second && (!strcmp(second, "--help") || !strcmp(second, "-h"))) {
        help_family(&text, word, help_width());
        return print(&text);
    }
    if (second && second[0] != '-')
        return use_error(word, command_unknown(phrase("%s %s", word, second)));
    const char *sentence = phrase("'%s' needs a second word:", word);
    size_t length = strlen(word);
    for (size_t k = 0; commands[k]; k++)
        if (!strncmp(commands[k]->name, word, length) && commands[k]->name[length] == ' ')
            sentence = phrase("%s %s", sentence, commands[k]->name + length + 1);
    return use_error(word, sentence);
}

static int run_line(const struct command *command, int argc, char **argv)
{
    struct arguments arguments;
    const char *error;
    int code;
    if (!arguments_parse(&arguments, command, argc, argv, &error)) {
        code = use_error(command->name, error);
    } else if (arguments.help) {
        struct buffer screen = {0};
        help_command(&screen, command, help_width());
        code = print(&screen);
    } else {
        code = run_command(&arguments);
    }
    arguments_free(&arguments);
    return code;
}

/* More than any command uses: each runs in 48 KiB (tests/cli/process.bats). Work with large frames
 * runs on threads, whose stacks do not depend on this limit. */
enum { STACK_KIB = 64 };

int program_run(int argc, char **argv)
{
    unsigned long stack = stack_too_small(STACK_KIB);
    if (stack > 0) {
        fprintf(stderr,
                "psdvec: the stack is limited to %lu KiB, and at least %d KiB are needed; raise "
                "the limit (ulimit -s)\n",
                stack, STACK_KIB);
        return EXIT_RESOURCE;
    }
    terminal_start();
    signals_start();
    if (argc < 2)
        return no_command();
    const char *word = argv[1];
    if (word[0] == '-' && word[1])
        return leading_option(word);

    const struct command *command = command_find(word);
    if (command)
        return run_line(command, argc - 2, argv + 2);
    if (!command_family(word))
        return use_error("", command_unknown(word));
    const char *second = argc > 2 ? argv[2] : NULL;
    command = command_find(phrase("%s %s", word, second ? second : ""));
    return command ? run_line(command, argc - 3, argv + 3) : family(word, second);
}
