/* psdvec help. */
#include "commands.h"
#include "exit_status.h"
#include "help.h"
#include "run.h"

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    struct buffer name = {0}, screen = {0};
    for (size_t k = 0; k < arguments->operand_count; k++)
        buffer_format(&name, "%s%s", k ? " " : "", arguments->operands[k]);
    const struct command *command = command_find(buffer_get(&name));
    int code = EXIT_FINE;
    if (!name.length) {
        help_main(&screen, help_width());
    } else if (command) {
        help_command(&screen, command, help_width());
    } else if (!help_family(&screen, name.text, help_width())) {
        code = run_use_error(run, "%s", command_unknown(name.text));
    }
    output_add(&run->out, buffer_get(&screen), screen.length);
    buffer_free(&name);
    buffer_free(&screen);
    return code;
}

const struct command cmd_help = {
    .name = "help",
    .group = "Help",
    .summary = "show the help of a command",
    .synopsis = "[COMMAND]",
    .description = PARAGRAPHS("Shows the help of a command, or the list of all commands."),
    .sources = {COMMON_OPTIONS},
    .examples = EXAMPLES({"psdvec help count", "The help of psdvec count."},
                         {"psdvec help counts", "The commands for counts files."}),
    .operands = {0, 2},
    .no_files = true,
    .act = act};
