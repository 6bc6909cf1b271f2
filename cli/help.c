/* Help screens. */
#include "help.h"

#include "exit_status.h"
#include "suggest.h"
#include "terminal.h"
#include "utf8.h"
#include "wrap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The column where the explanation of an option starts. */
#define OPTION_COLUMN 26

const struct example main_examples[] = {
    {"psdvec count wiki.txt -o wiki.counts.safetensors", "Count the word pairs of a text."},
    {"psdvec counts show wiki.counts.safetensors music", "See which words stand around a word."},
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

char *command_unknown(const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (size_t k = 0; commands[k] && count + 1 < sizeof names / sizeof *names; k++)
        if (commands[k]->group)
            names[count++] = commands[k]->name;
    names[count] = NULL;
    const char *near = suggest(name, names);
    if (!near) { /* "dump" for "counts dump" */
        for (size_t k = 0; k < count && !near; k++) {
            const char *space = strchr(names[k], ' ');
            if (space && !strcmp(space + 1, name))
                near = names[k];
        }
    }
    return near ? must_format("there is no command '%s'; did you mean '%s'?", name, near)
                : must_format("there is no command '%s'", name);
}

/* The second words of a family, on one line. */
static void list_family(struct buffer *to, const char *word, size_t width)
{
    struct buffer names = {0};
    for (size_t k = 0; commands[k]; k++)
        if (commands[k]->group && in_family(commands[k], word))
            buffer_format(&names, "%s%s", names.length ? ", " : "",
                          commands[k]->name + strlen(word) + 1);
    buffer_format(to, "  %-10s ...  ", word);
    wrap(to, buffer_get(&names), 18, 18, width);
    buffer_free(&names);
}

/* Those of a family with a line each; or all of them, with a line for a family: the
 * main screen must fit a small terminal. */
static void list_commands(struct buffer *to, const char *family, size_t width)
{
    const char *group = "";
    char *last = must_copy("");
    for (size_t k = 0; commands[k]; k++) {
        const struct command *command = commands[k];
        if (!command->group || (family && !in_family(command, family)))
            continue;
        if (strcmp(group, command->group) != 0) {
            group = command->group;
            buffer_format(to, "\n%s:\n", group);
        }
        const char *space = strchr(command->name, ' ');
        if (!family && space) {
            char *word = must_format("%.*s", (int)(space - command->name), command->name);
            if (strcmp(word, last) != 0)
                list_family(to, word, width);
            free(last);
            last = word;
            continue;
        }
        buffer_format(to, "  %-14s  ", command->name);
        wrap(to, command->summary, 18, 18, width);
    }
    free(last);
}

void help_main(struct buffer *to, size_t width)
{
    buffer_text(to, "psdvec: " HELP_SUMMARY "\n\n"
                    "Usage: psdvec COMMAND [OPTION]... [FILE]...\n"
                    "       psdvec --version\n");
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
    buffer_format(to, "\nMore about one of them: psdvec %s COMMAND --help\n", word);
    return true;
}

static void one_option(struct buffer *to, const struct option_spec *option, size_t width)
{
    struct buffer left = {0}, right = {0};
    char *value = option_argument(option);
    if (option->letter)
        buffer_format(&left, "  -%c, --%s", option->letter, option->name);
    else
        buffer_format(&left, "      --%s", option->name);
    if (value)
        buffer_format(&left, " %s", value);
    buffer_text(&right, option->help);
    if (option->kind == OPTION_TEXTS)
        buffer_text(&right, "; may be repeated");
    if (option_default(option))
        buffer_format(&right, " (default: %s)", option_default(option));
    buffer_add(to, left.text, left.length);
    if (left.length + 2 > OPTION_COLUMN) {
        buffer_char(to, '\n');
        add_spaces(to, OPTION_COLUMN);
    } else {
        add_spaces(to, OPTION_COLUMN - left.length);
    }
    wrap(to, right.text, OPTION_COLUMN, OPTION_COLUMN, width);
    buffer_free(&left);
    buffer_free(&right);
    free(value);
}

void help_command(struct buffer *to, const struct command *command, size_t width)
{
    buffer_format(to, "psdvec %s: %s\n\n", command->name, command->summary);
    struct buffer usage = {0};
    buffer_format(&usage, "Usage: psdvec %s %s", command->name, command->synopsis);
    wrap(to, usage.text, 0, 14, width);
    buffer_free(&usage);
    for (const char *const *paragraph = command->description; paragraph && *paragraph;
         paragraph++) {
        buffer_char(to, '\n');
        wrap(to, *paragraph, 0, 0, width);
    }
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        if (option->group)
            buffer_format(to, "\n%s:\n", option->group);
        one_option(to, option, width);
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
