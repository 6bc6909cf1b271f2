/* The options reference, which is generated so that it always agrees with the library. Only the
 * titles and introductions of the tables are written here. */
#include "help.h"

#include "commands.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct section {
    psdvec_options_kind kind;
    const char *title, *introduction;
};

/* In the order of the page. */
static const struct section sections[] = {
    {PSDVEC_OPTIONS_CONTEXT, "Common options",
     "Threads, memory, random numbers and temporary files: the resources of a context."},
    {PSDVEC_OPTIONS_TEXT, "Text",
     "How text is split into words, sentences and documents ([details](tokeniser.md))."},
    {PSDVEC_OPTIONS_PHRASES, "Phrases",
     "How phrases such as new_york are found ([details](../how-to/phrases.md))."},
    {PSDVEC_OPTIONS_COUNT, "Counting",
     "Which word pairs are counted, and for which words ([details](counting.md)). The struct "
     "also contains the options of [Text](#text), in its member `text`."},
    {PSDVEC_OPTIONS_IMPORT, "Importing counts",
     "How to read the co-occurrence counts of another program ([details](../how-to/exchange-counts.md))."},
    {PSDVEC_OPTIONS_TRAIN, "Training",
     "The model, and how it is fitted to counts ([guide](../how-to/train.md), "
     "[formulas](../explanation/model.md))."},
    {PSDVEC_OPTIONS_EXTEND, "Adding words",
     "Vectors for words that are not in a trained model "
     "([guide](../how-to/new-words.md))."},
    {PSDVEC_OPTIONS_BASELINE, "Other systems",
     "word2vec, GloVe and other systems to compare with ([details](../explanation/baselines.md))."},
    {PSDVEC_OPTIONS_QUERY, "Queries",
     "Which words may be results of a query for neighbours or analogies."},
    {PSDVEC_OPTIONS_EVAL, "Evaluation",
     "How models are scored on test sets ([details](../how-to/evaluate.md))."},
    {PSDVEC_OPTIONS_SCORER, "Documents",
     "How the probability of a text is computed ([details](../explanation/documents.md))."},
    {PSDVEC_OPTIONS_GENERATE, "Generating text", "How text is drawn from a model."},
    {PSDVEC_OPTIONS_SIMULATE, "Simulation",
     "How a random model, and a text drawn from it, are made ([details](../explanation/simulation.md))."},
    {PSDVEC_OPTIONS_TOPIC, "Topics",
     "How topics are learnt from documents ([formulas](../explanation/topics.md))."},
    {PSDVEC_OPTIONS_MAP, "Maps",
     "How a map of the words of a model is computed ([details](../explanation/map.md))."},
    {PSDVEC_OPTIONS_DRAWING, "Pictures of maps", "How a map is drawn."},
    {PSDVEC_OPTIONS_DESCRIBE, "Reports",
     "What a report on a model contains ([guide](../how-to/report.md))."},
    {PSDVEC_OPTIONS_CONVERT, "Converting vectors",
     "The format and the size of exported vectors ([details](model-file.md))."},
};
#define SECTIONS (sizeof sections / sizeof *sections)
static_assert(SECTIONS == PSDVEC_OPTIONS_KINDS, "every table needs a section");

static const char *const introduction[] = {
    "Every option of the library, with its name, value and default. The program has the same "
    "options; `psdvec help COMMAND` also lists those that concern only its input and output.",
    "In C, an option is a member of the struct named below, which the function `..._default` "
    "fills in. The member has the name of the option unless stated otherwise; a list has a second "
    "member, `NAME_count`, with the number of its elements. From other languages, options are set "
    "by name with `psdvec_settings_set` ([how](../how-to/embed-in-c.md#other-languages)).",
    "*Default* is the value of an option that is not set. Some presets have other defaults: the "
    "presets of training are `default` and `paper`, and each method of another system is a preset "
    "of its options and of counting. *Stored* options are recorded in the files made with them. "
    "If a file was written by a version without the option, it is read as if the option had its "
    "default, unless another value is named.",
    NULL};

/* ---- Pieces of text -------------------------------------------------------------------------- */

/* A phrase in Markdown. Text in backquotes does not change; elsewhere, characters with a meaning in
 * Markdown are escaped. */
static void add_phrase(struct buffer *to, const char *text)
{
    for (bool code = false; *text; text++) {
        code ^= *text == '`';
        if (!code && strchr("\\*_<[#|", *text))
            buffer_char(to, '\\');
        buffer_char(to, *text);
    }
}

static void add_condition(struct buffer *to, psdvec_options_kind kind, const char *condition)
{
    char text[300];
    psdvec_condition_text(kind, condition, text, sizeof text);
    buffer_text(to, text);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* The command's option for this row of a table; NULL: it has none. Without a row, its first option
 * of the table. */
static const struct option_spec *find_option(const struct command *command,
                                             psdvec_options_kind kind, const psdvec_option *row)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        bool text = kind == PSDVEC_OPTIONS_TEXT && option->kind == PSDVEC_OPTIONS_COUNT &&
                    psdvec_options_find(kind, option->row.name);
        if (option->library && (option->kind == kind || text) &&
            (!row || !strcmp(option->row.name, row->name)))
            return option;
    }
    return NULL;
}

static const struct option_spec *any_option(psdvec_options_kind kind, const psdvec_option *row)
{
    const struct option_spec *option = NULL;
    for (size_t k = 0; commands[k] && !option; k++)
        option = commands[k]->group ? find_option(commands[k], kind, row) : NULL;
    return option;
}

/* "`count`, `train`": the commands with the option or, without a row, with any of the table; on the
 * heap. */
static char *commands_with(psdvec_options_kind kind, const psdvec_option *row)
{
    struct buffer names = {0};
    bool all = true;
    for (size_t k = 0; commands[k]; k++) {
        if (!commands[k]->group)
            continue;
        if (find_option(commands[k], kind, row))
            buffer_format(&names, "%s`%s`", names.length ? ", " : "", commands[k]->name);
        else
            all = false;
    }
    if (all) {
        buffer_clear(&names);
        buffer_text(&names, "all");
    }
    return names.text ? names.text : must_copy("");
}

/* ---- One option ------------------------------------------------------------------------------ */

static void add_spelling(struct buffer *to, const struct option_spec *option)
{
    const char *argument = option_argument(option);
    buffer_char(to, '`');
    if (option->row.letter)
        buffer_format(to, "-%c, ", option->row.letter);
    buffer_format(to, "--%s", option->name);
    if (argument)
        buffer_format(to, " %s", argument);
    buffer_char(to, '`');
}

static void add_command_line(struct buffer *to, psdvec_options_kind kind, const psdvec_option *row)
{
    const struct option_spec *option = any_option(kind, row);
    const psdvec_option *same = psdvec_options_find(PSDVEC_OPTIONS_CONTEXT, row->name);
    const struct option_spec *common = same ? any_option(PSDVEC_OPTIONS_CONTEXT, same) : NULL;
    buffer_text(to, "  - Command line: ");
    if (option) {
        char *users = commands_with(kind, row), *all = commands_with(kind, NULL);
        add_spelling(to, option);
        if (row->type == PSDVEC_OPTION_TEXTS)
            buffer_text(to, ", may be repeated");
        if (strcmp(users, all) != 0)
            buffer_format(to, " (%s)", users);
        free(users);
        free(all);
    } else if (common) {
        add_spelling(to, common);
        buffer_text(to, ", the common option");
    } else {
        buffer_text(to, "none");
    }
    buffer_char(to, '\n');
}

static const char *type_name(psdvec_option_type type)
{
    static const char *const names[] = {[PSDVEC_OPTION_FLAG] = "bool",
                                        [PSDVEC_OPTION_INT] = "int",
                                        [PSDVEC_OPTION_UINT32] = "uint32_t",
                                        [PSDVEC_OPTION_UINT64] = "uint64_t",
                                        [PSDVEC_OPTION_DOUBLE] = "double",
                                        [PSDVEC_OPTION_CHOICE] = "enumeration",
                                        [PSDVEC_OPTION_TEXT] = "const char *",
                                        [PSDVEC_OPTION_TEXTS] = "const char *const *",
                                        [PSDVEC_OPTION_DOUBLES] = "const double *",
                                        [PSDVEC_OPTION_UINT32S] = "const uint32_t *"};
    return (size_t)type < sizeof names / sizeof *names ? names[type] : "?";
}

static void add_value(struct buffer *to, const psdvec_option *row)
{
    const char *const words[] = {row->word, row->second_word};
    psdvec_option plain = *row; /* choices are added below, as code */
    char range[400];
    plain.word = plain.second_word = NULL;
    psdvec_option_range(&plain, range, sizeof range);
    if (row->type == PSDVEC_OPTION_CHOICE) {
        buffer_text(to, "  - Value: one of\n");
        for (const psdvec_choice *choice = row->choices; choice->name; choice++) {
            buffer_format(to, "    - `%s`", choice->name);
            if (choice->help) {
                buffer_text(to, ": ");
                add_phrase(to, choice->help);
            }
            buffer_char(to, '\n');
        }
        return;
    }
    buffer_text(to, "  - Value: ");
    if (row->path != PSDVEC_PATH_NONE)
        buffer_format(to, "the path of a %s", row->path == PSDVEC_PATH_FOLDER ? "folder" : "file");
    else
        add_phrase(to, range);
    for (size_t k = 0; k < 2; k++)
        if (words[k])
            buffer_format(to, ", or `%s`", words[k]);
    buffer_format(to, " (`%s`)\n", type_name(row->type));
}

static void add_default(struct buffer *to, psdvec_options_kind kind, const psdvec_option *row)
{
    const psdvec_option *selector; /* whose value is the preset; NULL: the table has none */
    for (size_t k = 0; (selector = psdvec_options_at(kind, k)) && !selector->selects_preset;)
        k++;
    bool word = row->fallback && ((row->word && !strcmp(row->fallback, row->word)) ||
                                  (row->second_word && !strcmp(row->fallback, row->second_word)));
    const char *described = row->otherwise && *row->otherwise ? row->otherwise : NULL;
    buffer_text(to, "  - Default: ");
    if (row->fallback)
        buffer_format(to, "`%s`", row->fallback);
    if (described) {
        buffer_text(to, !row->fallback ? "" : word ? ": " : "; on the command line ");
        add_phrase(to, described);
    } else if (!row->fallback) {
        buffer_text(to, "none");
    }
    for (const psdvec_preset_value *p = row->presets; p && p->preset; p++)
        if (selector)
            buffer_format(to, "; `%s` with `%s=%s`", p->value, selector->name, p->preset);
        else
            buffer_format(to, "; `%s` with preset `%s`", p->value, p->preset);
    if (row->default_if) {
        buffer_format(to, "; `%s` unless ", row->default_else);
        add_condition(to, kind, row->default_if);
    }
    buffer_char(to, '\n');
}

static void add_option(struct buffer *to, psdvec_options_kind kind, const psdvec_option *row)
{
    buffer_format(to, "- **`%s`**: ", row->name);
    /* A colon at the end introduces the choices, which are listed below. */
    char *help = must_format(
        "%.*s", (int)(strlen(row->help) - (row->help[strlen(row->help) - 1] == ':')), row->help);
    add_phrase(to, help);
    buffer_text(to, !*help || !strchr(".?!", help[strlen(help) - 1]) ? ".\n" : "\n");
    free(help);
    add_command_line(to, kind, row);
    add_value(to, row);
    add_default(to, kind, row);
    if (row->needs) {
        buffer_text(to, "  - Needs: ");
        add_condition(to, kind, row->needs);
        buffer_char(to, '\n');
    }
    if (row->stored)
        buffer_text(to, "  - Stored");
    if (row->stored && row->absent)
        buffer_format(to, "; files without it mean `%s`", row->absent);
    if (row->stored)
        buffer_char(to, '\n');
    if (row->member && strcmp(row->member, row->name) != 0)
        buffer_format(to, "  - Member of the struct: `%s`\n", row->member);
}

/* ---- The page -------------------------------------------------------------------------------- */

/* Counting also has the rows of the text options, which have a separate section. */
static bool belongs(psdvec_options_kind kind, const psdvec_option *row)
{
    return kind != PSDVEC_OPTIONS_COUNT || !psdvec_options_find(PSDVEC_OPTIONS_TEXT, row->name);
}

/* Whether an earlier row of the table has the same heading. */
static bool is_met(psdvec_options_kind kind, size_t k)
{
    const char *group = psdvec_options_at(kind, k)->group;
    for (size_t i = 0; i < k; i++)
        if (!strcmp(psdvec_options_at(kind, i)->group, group))
            return true;
    return false;
}

static bool has_headings(psdvec_options_kind kind)
{
    const psdvec_option *row;
    const char *group = psdvec_options_at(kind, 0)->group;
    for (size_t k = 0; (row = psdvec_options_at(kind, k)); k++)
        if (belongs(kind, row) && strcmp(row->group, group) != 0)
            return true;
    return false;
}

static void add_rows(struct buffer *to, const struct section *section, const char *group)
{
    const psdvec_option *row;
    if (has_headings(section->kind) && strcmp(group, section->title) != 0)
        buffer_format(to, "\n### %s: %c%s\n", section->title, tolower((unsigned char)*group),
                      group + 1);
    buffer_char(to, '\n');
    for (size_t k = 0; (row = psdvec_options_at(section->kind, k)); k++)
        if (belongs(section->kind, row) && !strcmp(row->group, group))
            add_option(to, section->kind, row);
}

static void add_section(struct buffer *to, const struct section *section)
{
    const char *name = psdvec_options_name(section->kind);
    const psdvec_option *row;
    char *users = commands_with(section->kind, NULL);
    buffer_format(to, "\n## %s\n\n%s\n\n", section->title, section->introduction);
    buffer_format(to, "In C: `psdvec_%s_options`, `PSDVEC_OPTIONS_", name);
    for (; *name; name++)
        buffer_char(to, (char)toupper((unsigned char)*name));
    buffer_format(to, "`. Commands: %s.\n", *users ? users : "none");
    for (size_t k = 0; (row = psdvec_options_at(section->kind, k)); k++)
        if (belongs(section->kind, row) && !is_met(section->kind, k))
            add_rows(to, section, row->group);
    free(users);
}

void reference_options(struct buffer *to)
{
    buffer_text(to, "<!-- Generated from include/psdvec/options/*.def by `make reference`. -->\n"
                    "# Options\n");
    for (const char *const *paragraph = introduction; *paragraph; paragraph++)
        buffer_format(to, "\n%s\n", *paragraph);
    buffer_char(to, '\n');
    for (size_t s = 0; s < SECTIONS; s++) {
        buffer_format(to, "- [%s](#", sections[s].title);
        for (const char *c = sections[s].title; *c; c++)
            buffer_char(to, *c == ' ' ? '-' : (char)tolower((unsigned char)*c));
        buffer_text(to, ")\n");
    }
    for (size_t s = 0; s < SECTIONS; s++)
        add_section(to, &sections[s]);
}
