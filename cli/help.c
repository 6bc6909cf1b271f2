/* Help screens. */
#include "help.h"

#include "cell.h"
#include "exit_status.h"
#include "other_programs.h"
#include "phrase.h"
#include "terminal.h"

#include <string.h>
#include <unistd.h>

/* The column of the help text of an option. */
#define OPTION_COLUMN 26

const struct example main_examples[] = {
    {"psdvec train wiki.txt -o wiki.safetensors", "Train vectors on a text."},
    {"psdvec similar wiki.safetensors music", "List the nearest neighbours of a word."},
    {0}};

size_t help_width(void)
{
    size_t width = terminal_width(STDOUT_FILENO);
    return width < 40 ? 40 : width > 80 ? 80 : width;
}

const struct command *command_find(const char *name)
{
    for (size_t k = 0; commands[k]; k++)
        if (!strcmp(commands[k]->name, name))
            return commands[k];
    return NULL;
}

static bool in_family(const struct command *command, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(command->name, word, length) && command->name[length] == ' ';
}

bool command_family(const char *word)
{
    for (size_t k = 0; commands[k]; k++)
        if (in_family(commands[k], word))
            return true;
    return false;
}

const char *command_unknown(const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (size_t k = 0; commands[k] && count + 1 < sizeof names / sizeof *names; k++)
        if (commands[k]->group)
            names[count++] = commands[k]->name;
    names[count] = NULL;
    const char *advice = other_program_command(name);
    if (advice)
        return phrase("there is no command '%s'; %s", name, advice);
    const char *near = psdvec_suggest(name, names);
    for (size_t k = 0; k < count && !near; k++) { /* "dump" for "counts dump" */
        const char *space = strchr(names[k], ' ');
        if (space && !strcmp(space + 1, name))
            near = names[k];
    }
    return near ? phrase("there is no command '%s'; did you mean '%s'?", name, near)
                : phrase("there is no command '%s'", name);
}

/* Lists all commands, with a family by its name in the place of its first command; or those of one
 * family. The help command is not listed: the screen itself mentions help. */
static void list_commands(struct buffer *to, const char *word, size_t width)
{
    const char *group = "";
    const struct family *last = NULL;
    for (size_t k = 0; commands[k]; k++) {
        const struct command *command = commands[k];
        const struct family *family =
            word ? NULL : family_find(command->name, strcspn(command->name, " "));
        if (!command->group || (word && !in_family(command, word)) || (family && family == last) ||
            (!word && !strcmp(command->name, "help")))
            continue;
        last = family ? family : last;
        /* A family is listed under the current heading. */
        if (!family && strcmp(group, command->group) != 0) {
            group = command->group;
            buffer_format(to, "\n%s:\n", group);
        }
        buffer_format(to, "  %-15s  ", family ? phrase("%s ...", family->word) : command->name);
        wrap(to, family ? family->summary : command->summary, 19, 19, width);
    }
}

void help_main(struct buffer *to, size_t width)
{
    buffer_text(to, "psdvec: " HELP_SUMMARY "\n\n"
                    "Usage: psdvec COMMAND [OPTION]... [FILE]... | help COMMAND | --version\n");
    list_commands(to, NULL, width);
    buffer_text(to, "\nExamples:\n");
    for (const struct example *example = main_examples; example->line; example++)
        buffer_format(to, "  %s\n", example->line);
}

bool help_family(struct buffer *to, const char *word, size_t width)
{
    if (!command_family(word))
        return false;
    buffer_format(to, "Usage: psdvec %s COMMAND [OPTION]... [FILE]...\n", word);
    list_commands(to, word, width);
    buffer_format(to, "\nFor the help of a command, run psdvec %s COMMAND --help\n", word);
    return true;
}

static void one_option(struct buffer *to, const struct command *command,
                       const struct option_spec *option, size_t width)
{
    const char *value = option_argument(option), *otherwise = option_default(command, option);
    char letter[] = {option->row.letter ? '-' : ' ', option->row.letter ? option->row.letter : ' ',
                     option->row.letter ? ',' : ' ', '\0'};
    const char *left =
        phrase("  %s --%s%s%s", letter, option->name, value ? " " : "", value ? value : "");
    const char *right = phrase("%s%s%s%s%s", option->row.help,
                               option->row.type == PSDVEC_OPTION_TEXTS ? "; may be repeated" : "",
                               otherwise ? " (default: " : "", otherwise ? otherwise : "",
                               otherwise ? ")" : "");
    bool wide = strlen(left) + 2 > OPTION_COLUMN;
    buffer_format(to, "%s%s%*s", left, wide ? "\n" : "",
                  OPTION_COLUMN - (wide ? 0 : (int)strlen(left)), "");
    wrap(to, right, OPTION_COLUMN, OPTION_COLUMN, width);
}

void help_command(struct buffer *to, const struct command *command, size_t width)
{
    buffer_format(to, "psdvec %s: %s\n\n", command->name, command->summary);
    wrap(to, phrase("Usage: psdvec %s %s", command->name, command->synopsis), 0, 14, width);
    for (const char *const *paragraph = command->description; paragraph && *paragraph;
         paragraph++) {
        buffer_char(to, '\n');
        wrap(to, *paragraph, 0, 0, width);
    }
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        if (option->row.group)
            buffer_format(to, "\n%s:\n", option->row.group);
        one_option(to, command, option, width);
    }
    if (command->examples) {
        buffer_text(to, "\nExamples:\n");
        for (const struct example *example = command->examples; example->line; example++) {
            buffer_text(to, "  ");
            wrap(to, example->meaning, 2, 2, width);
            wrap_command(to, example->line, 6, width);
        }
    }
    for (const char *const *note = command->notes; note && *note; note++) {
        buffer_char(to, '\n');
        wrap(to, *note, 0, 0, width);
    }
    buffer_text(to, "\nExit status:\n");
    for (const struct exit_line *line = exit_lines; line->status; line++) {
        buffer_format(to, "  %-13s  ", line->status);
        wrap(to, line->meaning, 17, 17, width);
    }
}
