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

const struct family *family_find(const char *word, size_t length)
{
    for (const struct family *family = families; family->word; family++)
        if (strlen(family->word) == length && !strncmp(family->word, word, length))
            return family;
    return NULL;
}

static const struct preset_default *find_preset(const struct command *command,
                                                const struct option_spec *option)
{
    const struct preset_default *preset = command ? command->presets : NULL;
    for (; preset && preset->option; preset++)
        if (!strcmp(preset->option, option->name))
            return preset;
    return NULL;
}

static bool is_inherited(const struct command *command, const struct option_spec *option)
{
    const char *const *name = command ? command->inherited : NULL;
    for (; name && *name; name++)
        if (!strcmp(*name, option->name))
            return true;
    return false;
}

const char *option_fallback(const struct command *command, const struct option_spec *option,
                            size_t preset)
{
    const struct preset_default *found = find_preset(command, option);
    if (is_inherited(command, option))
        return NULL;
    return found ? found->values[preset] : option->fallback;
}

/* The words of the command's --preset. */
static const char *const *preset_names(const struct command *command)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(command, k)); k++)
        if (!strcmp(option->name, "preset"))
            return option->choices;
    return NULL;
}

char *option_default(const struct command *command, const struct option_spec *option)
{
    const struct preset_default *preset = find_preset(command, option);
    if (preset) {
        struct buffer text = {0};
        const char *const *names = preset_names(command);
        buffer_text(&text, preset->values[0]);
        for (size_t k = 1; names && k < COMMAND_PRESETS; k++)
            buffer_format(&text, "; %s: %s", names[k], preset->values[k]);
        return text.text;
    }
    if (is_inherited(command, option) && option->kind != OPTION_FLAG)
        return must_copy(command->inherited_from);
    const char *plain = option->fallback ? option->fallback : option->otherwise;
    return plain ? must_copy(plain) : NULL;
}
