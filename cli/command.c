/* Access to command declarations. */
#include "commands.h"
#include "memory.h"
#include "phrase.h"

#include <stdlib.h>
#include <string.h>

#define COMMAND_ADDRESS(name) &cmd_##name
const struct command *const commands[] = {ALL_COMMANDS(COMMAND_ADDRESS), NULL};

const struct family families[] = {{"counts", "inspect, merge, export and import counts files"},
                                  {"topics", "find the topics of documents"},
                                  {"baseline", "train other methods: word2vec, GloVe, ..."},
                                  {0}};

/* ---- Options ------------------------------------------------------------------------------- */

/* " dim form " lists names between blanks. */
static bool lists(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; at && (at = strstr(at, name)); at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static bool belongs(const struct option_source *source, const struct command *command,
                    const psdvec_option *row)
{
    if ((source->only && !lists(source->only, row->name)) ||
        (source->except && lists(source->except, row->name)))
        return false;
    /* Of the baseline options, those that the methods of the command use: "method=svd|cca". */
    const char *needs = row->needs, *method = "method=";
    if (row->selects_preset && source->kind == PSDVEC_OPTIONS_BASELINE)
        return false;
    if (!needs || strncmp(needs, method, strlen(method)) != 0)
        return true;
    char *words = must_format(" %s ", needs + strlen(method));
    for (char *bar; (bar = strchr(words, '|'));)
        *bar = ' ';
    bool used = lists(words, command->presets[0]);
    free(words);
    return used;
}

/* "min-count" for min_count; on the heap. */
static char *dashed(const char *name)
{
    char *flag = must_copy(name);
    for (char *line; (line = strchr(flag, '_'));)
        *line = '-';
    return flag;
}

struct option_list {
    const struct command *command;
    struct option_spec *options;
    size_t count;
    struct option_list *next;
};

/* The help as the command line shows it, including that of the choices where requested; on the
 * heap. */
static char *full_help(const struct command *command, const psdvec_option *row)
{
    struct buffer text = {0};
    size_t length = strlen(row->help);
    bool with_choices = row->choices && row->help[length - 1] == ':';
    buffer_add(&text, row->help, length - with_choices);
    for (size_t k = 0; with_choices && row->choices[k].name; k++)
        buffer_format(&text, "%s %s: %s", k ? ";" : ".", row->choices[k].name,
                      row->choices[k].help);
    char *help = command_spell(command, text.text);
    buffer_free(&text);
    return help;
}

static void add_option(struct option_list *list, const struct option_source *source,
                       const psdvec_option *row, const char *group)
{
    list->options = must_grow(list->options, list->count + 1, sizeof *list->options);
    struct option_spec *option = &list->options[list->count++];
    *option = (struct option_spec){.row = *row, .library = source->library, .kind = source->kind};
    option->row.group = group;
    option->name = row->flag ? row->flag : source->library ? dashed(row->name) : row->name;
    char *help = row->help ? full_help(list->command, row) : NULL;
    option->row.help = help; /* never freed */
}

static void add_source(struct option_list *list, const struct option_source *source)
{
    const psdvec_option *row;
    const char *group = NULL;
    for (size_t k = 0;
         (row = source->library ? psdvec_options_at(source->kind, k) : &source->rows[k]) &&
         row->name;
         k++) {
        group = row->group ? row->group : group;
        if (!source->library || belongs(source, list->command, row))
            add_option(list, source, row, group);
    }
}

/* Groups options by heading, headings in the order of their first occurrence. Then only the first
 * option of a group has the heading. */
static void sort_options(struct option_list *list)
{
    struct option_spec *sorted = must_alloc(list->count, sizeof *sorted);
    size_t count = 0;
    for (size_t first = 0; first < list->count; first++) {
        const char *group = list->options[first].row.group;
        bool met = false;
        for (size_t k = 0; k < first && !met; k++)
            met = !strcmp(list->options[k].row.group, group);
        for (size_t k = first; k < list->count && !met; k++)
            if (!strcmp(list->options[k].row.group, group)) {
                sorted[count] = list->options[k];
                sorted[count++].row.group = k == first ? group : NULL;
            }
    }
    free(list->options);
    list->options = sorted;
}

/* Created at the first access to a command, and never freed. */
static const struct option_list *options_of(const struct command *command)
{
    static struct option_list *all;
    for (const struct option_list *list = all; list; list = list->next)
        if (list->command == command)
            return list;
    struct option_list *list = must_alloc(1, sizeof *list);
    *list = (struct option_list){.command = command, .next = all};
    all = list;
    for (size_t s = 0; s < COMMAND_SOURCES; s++)
        if (command->sources[s].rows || command->sources[s].library)
            add_source(list, &command->sources[s]);
    sort_options(list);
    return list;
}

const struct option_spec *command_option(const struct command *command, size_t k)
{
    const struct option_list *list = options_of(command);
    return k < list->count ? &list->options[k] : NULL;
}

size_t command_option_count(const struct command *command)
{
    return options_of(command)->count;
}

const char *option_group(const struct command *command, size_t k)
{
    const struct option_list *list = options_of(command);
    while (!list->options[k].row.group)
        k--;
    return list->options[k].row.group;
}

bool option_is_switch(const struct option_spec *option)
{
    return option->row.type == PSDVEC_OPTION_FLAG && !option->row.yes_no;
}

const char *option_argument(const struct option_spec *option)
{
    struct buffer words = {0};
    if (option_is_switch(option))
        return NULL;
    if (option->row.argument)
        return option->row.argument;
    if (option->row.type == PSDVEC_OPTION_FLAG)
        return "no|yes";
    for (const psdvec_choice *choice = option->row.choices; choice && choice->name; choice++)
        buffer_format(&words, "%s%s", words.length ? "|" : "", choice->name);
    const char *all = words.text ? phrase("%s", words.text) : NULL;
    buffer_free(&words);
    return all;
}

/* ---- Formats --------------------------------------------------------------------------------- */

static const psdvec_choice formats[] = {
    {.name = "table"}, {.name = "tsv"}, {.name = "json"}, {.name = "markdown"}, {0}};
#define FORMAT_ROW(usual)                                                                          \
    {                                                                                              \
        .name = "format", .type = PSDVEC_OPTION_CHOICE, .choices = formats, .fallback = (usual),   \
        .group = "Output",                                                                         \
        .help = "output format: a readable table, tab-separated values with a header line, JSON "  \
                "(one object per line) or a Markdown table; --tsv and --json are short forms"      \
    }
const psdvec_option format_options[] = {FORMAT_ROW("table"), {0}};
const psdvec_option format_options_tsv[] = {FORMAT_ROW("tsv"), {0}};

bool option_is_format(const struct option_spec *option)
{
    return option->row.choices == formats;
}

/* ---- Spelling -------------------------------------------------------------------------------- */

static const psdvec_option *find_in(psdvec_options_kind kind, const char *name, size_t length)
{
    const psdvec_option *row;
    for (size_t k = 0; (row = psdvec_options_at(kind, k)); k++)
        if (strlen(row->name) == length && !strncmp(row->name, name, length))
            return row;
    return NULL;
}

/* Finds the row with this name, `length` bytes long: in the command's tables, or otherwise in
 * another one, because a remedy may be an option of another command. NULL: there is none. */
static const psdvec_option *find_row(const struct command *command, const char *name, size_t length)
{
    const psdvec_option *row = NULL;
    for (size_t s = 0; s < COMMAND_SOURCES && !row; s++)
        if (command->sources[s].library)
            row = find_in(command->sources[s].kind, name, length);
    for (unsigned kind = 0; kind < PSDVEC_OPTIONS_KINDS && !row; kind++)
        row = find_in((psdvec_options_kind)kind, name, length);
    return row;
}

char *command_spell(const struct command *command, const char *text)
{
    struct buffer to = {0};
    while (*text) {
        const char *end = *text == '`' ? strchr(text + 1, '`') : NULL;
        size_t length = end ? strcspn(text + 1, "=`") : 0;
        const psdvec_option *row = length ? find_row(command, text + 1, length) : NULL;
        if (!row) {
            buffer_char(&to, *text++);
            continue;
        }
        char *flag = row->flag ? must_copy(row->flag) : dashed(row->name);
        buffer_format(&to, "--%s", flag);
        free(flag);
        if (text[1 + length] == '=')
            buffer_format(&to, " %.*s", (int)(end - text - 2 - (ptrdiff_t)length),
                          text + 2 + length);
        text = end + 1;
    }
    return to.text ? to.text : must_copy("");
}

/* ---- Names ----------------------------------------------------------------------------------- */

const char *command_page(const struct command *command)
{
    char *name = must_format("psdvec-%s", command->name);
    for (char *space; (space = strchr(name, ' '));)
        *space = '-';
    const char *page = phrase("%s", name);
    free(name);
    return page;
}

const struct family *family_find(const char *word, size_t length)
{
    for (const struct family *family = families; family->word; family++)
        if (strlen(family->word) == length && !strncmp(family->word, word, length))
            return family;
    return NULL;
}

/* ---- Defaults -------------------------------------------------------------------------------- */

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
    if (is_inherited(command, option))
        return NULL;
    return psdvec_option_default(&option->row, command ? command->presets[preset] : NULL);
}

const char *option_default(const struct command *command, const struct option_spec *option)
{
    if (is_inherited(command, option))
        return option_is_switch(option) ? NULL : command->inherited_from;
    const char *first = option_fallback(command, option, 0), *text = option->row.otherwise;
    if (text ? !*text : option_is_switch(option) || !first)
        return NULL;
    text = text ? text : first;
    for (size_t k = 1; command && k < COMMAND_PRESETS && command->presets[k]; k++) {
        const char *other = option_fallback(command, option, k);
        if (other && (!first || strcmp(first, other) != 0))
            text = phrase("%s; %s%s: %s", text, command->presets[0] ? "" : "preset ",
                          command->presets[k], other);
    }
    return text;
}
