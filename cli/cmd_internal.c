/* Hidden commands that generate files from the declarations: manual pages, completion scripts, the
 * options reference, the description of the HTTP interface, the list of examples for the tests. */
#include "api.h"
#include "commands.h"
#include "exit_status.h"
#include "help.h"
#include "phrase.h"
#include "run.h"

static int act_man(struct run *run)
{
    const char *folder = run->arguments->operands[0];
    struct buffer text = {0};
    man_main(&text);
    int code = run_write(run, phrase("%s/psdvec.1", folder), &text);
    for (size_t k = 0; commands[k] && !code; k++) {
        if (!commands[k]->group)
            continue;
        buffer_clear(&text);
        man_command(&text, commands[k]);
        code = run_write(run, phrase("%s/%s.1", folder, command_page(commands[k])), &text);
    }
    buffer_free(&text);
    return code;
}

static int act_completion(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const char *shell = arguments->operands[0], *script = completion_script(shell);
    if (!script && *shell != '+')
        return run_use_error(run, "the shell must be bash, zsh or fish, not '%s'", shell);
    struct buffer text = {0};
    if (!script) {
        for (size_t k = 0; k < arguments->operand_count; k++)
            arguments->operands[k]++; /* without the plus */
        completion_offer(&text, arguments->operands, arguments->operand_count);
    }
    output_text(&run->out, script ? script : buffer_get(&text));
    buffer_free(&text);
    return EXIT_FINE;
}

static int act_examples(struct run *run)
{
    for (const struct example *example = main_examples; example->line; example++)
        output_format(&run->out, "%s\n", example->line);
    for (size_t k = 0; commands[k]; k++)
        for (const struct example *example = commands[k]->examples; example && example->line;
             example++)
            output_format(&run->out, "%s\n", example->line);
    return EXIT_FINE;
}

static int act_options(struct run *run)
{
    struct buffer text = {0};
    reference_options(&text);
    output_add(&run->out, text.text, text.length);
    buffer_free(&text);
    return EXIT_FINE;
}

static int act_openapi(struct run *run)
{
    struct buffer text = {0};
    api_describe(&text);
    output_add(&run->out, text.text, text.length);
    buffer_free(&text);
    return EXIT_FINE;
}

const struct command cmd_internal_man = {.name = "internal-man",
                                         .summary = "write the manual pages",
                                         .synopsis = "DIR",
                                         .sources = {COMMON_OPTIONS},
                                         .operands = {1, 1},
                                         .missing = "give a folder",
                                         .act = act_man};

const struct command cmd_internal_completion = {
    .name = "internal-completion",
    .summary = "print a completion script, or the completions that it requests",
    .synopsis = "bash|zsh|fish|+WORD...",
    .sources = {COMMON_OPTIONS},
    .operands = {1, SIZE_MAX},
    .no_files = true,
    .missing = "give a shell: bash, zsh or fish",
    .act = act_completion};

const struct command cmd_internal_examples = {.name = "internal-examples",
                                              .summary = "print the example command lines",
                                              .synopsis = "",
                                              .sources = {COMMON_OPTIONS},
                                              .act = act_examples};

const struct command cmd_internal_options = {.name = "internal-options",
                                             .summary = "print docs/reference/options.md",
                                             .synopsis = "",
                                             .sources = {COMMON_OPTIONS},
                                             .act = act_options};

const struct command cmd_internal_openapi = {.name = "internal-openapi",
                                             .summary = "print docs/reference/openapi.json",
                                             .synopsis = "",
                                             .sources = {COMMON_OPTIONS},
                                             .act = act_openapi};
