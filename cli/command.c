/* Looking into command declarations. */
#include "command.h"

#include "memory.h"

#include <string.h>

const struct option_spec *command_option(const struct command *command, size_t k)
{
    for (size_t t = 0; t < COMMAND_TABLES && command->tables[t]; t++)
        for (const struct option_spec *option = command->tables[t]; option->name; option++)
            if (k-- == 0)
                return option;
    return NULL;
}

size_t command_option_count(const struct command *command)
{
    size_t count = 0;
    while (command_option(command, count))
        count++;
    return count;
}

char *command_dashed(const struct command *command)
{
    char *name = must_copy(command->name);
    for (char *space; (space = strchr(name, ' '));)
        *space = '-';
    return name;
}

char *option_argument(const struct option_spec *option)
{
    if (option->kind == OPTION_FLAG)
        return NULL;
    if (option->argument)
        return must_copy(option->argument);
    struct buffer words = {0};
    for (size_t k = 0; option->choices[k]; k++)
        buffer_format(&words, "%s%s", k ? "|" : "", option->choices[k]);
    return words.text;
}

const char *option_default(const struct option_spec *option)
{
    return option->fallback ? option->fallback : option->otherwise;
}
