/* Fuzzes the command line: the first byte selects a command, and the remaining bytes are its
 * arguments, separated by zero bytes or line ends.
 *
 * A rejected line has a message. For an accepted one, every option has a value or none, and the
 * option structs of the library that are filled from it pass the checks of the library. */
#include "arguments.h"
#include "exit_status.h"
#include "fuzz/fuzz.h"
#include "memory.h"
#include "options.h"
#include "run.h"

enum { MOST_ARGUMENTS = 200 };

static void check(const struct arguments *arguments)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++) {
        const struct option_value *value = &arguments->values[k];
        require(!value->given || value->known);
        require(argument(arguments, option->name) == value);
        for (size_t l = 0; l < value->text_count; l++)
            require(value->texts[l] != NULL);
    }
    for (size_t k = 0; k < arguments->operand_count; k++) {
        const char *word;
        (void)argument_sign(arguments, k, &word);
        require(word != NULL);
    }
}

/* What the commands do with the options before they act. */
static void take_options(const struct arguments *arguments)
{
    struct run run = {.arguments = arguments};
    talk_start(&run.talk, "fuzz", &run.log);
    require(log_open(&run.log, NULL));
    for (int kind = 0; kind < PSDVEC_OPTIONS_KINDS; kind++) {
        bool has = false;
        for (size_t k = 0; command_option(arguments->command, k); k++)
            has |= command_option(arguments->command, k)->library &&
                   (int)command_option(arguments->command, k)->kind == kind;
        if (has && !options_take(&run, (psdvec_options_kind)kind))
            require(run.refusal != EXIT_FINE);
    }
    lasting_end(0);
    for (size_t k = 0; k < run.settings_count; k++)
        psdvec_settings_free(run.settings[k]);
    free(run.settings);
    word_list_free(&run.words);
    require(log_close(&run.log));
    talk_end(&run.talk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[MOST_ARGUMENTS + 1];
    int argc = 0;
    size_t count = 0;
    if (size < 2)
        return 0;
    while (commands[count])
        count++;
    const struct command *command = commands[data[0] % count];
    char *text = fuzz_text(data + 1, size - 1), *end = text + size - 1;
    for (char *at = text; at < end && argc < MOST_ARGUMENTS; at += strlen(at) + 1) {
        argv[argc++] = at;
        char *newline = strchr(at, '\n');
        if (newline)
            *newline = '\0';
    }
    argv[argc] = NULL;
    struct arguments arguments;
    const char *error = NULL;
    if (!arguments_parse(&arguments, command, argc, argv, &error)) {
        require(error && *error);
    } else if (!arguments.help) {
        check(&arguments);
        take_options(&arguments);
    }
    arguments_free(&arguments);
    lasting_end(0);
    free(text);
    return 0;
}
