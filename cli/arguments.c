/* Reading the command line.
 *
 * Like getopt_long, options may follow operands, -- ends them and - is an operand. Unlike it, a
 * long option must be written in full: a shortened one that works today is ambiguous after the next
 * release, and then a script breaks. A shortened or misspelt one gets a suggestion instead. */
#include "arguments.h"

#include "memory.h"
#include "other_programs.h"
#include "phrase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stores `text` as the option's value; returns an error message if it is invalid. `shown`: the
 * option as the user wrote it. */
static const char *store(struct option_value *value, const struct option_spec *option,
                         const char *shown, const char *text)
{
    char why[500];
    psdvec_option_value parsed;
    value->known = true;
    value->text = text;
    if (!psdvec_option_parse(&option->row, shown, text, &parsed, why, sizeof why))
        return phrase("%s", why);
    value->integer = parsed.integer;
    value->real = parsed.real;
    if (option->row.type == PSDVEC_OPTION_TEXTS) {
        value->texts = must_grow(value->texts, value->text_count + 1, sizeof *value->texts);
        value->texts[value->text_count++] = text;
    }
    return NULL;
}

/* `written`: as on the command line, with its dashes; the name after them has `length` bytes. */
static const char *unknown_option(const struct command *command, const char *written, size_t length)
{
    const char *name = written + strspn(written, "-");
    const char *shown = phrase("%.*s", (int)(name - written + (ptrdiff_t)length), written);
    const char *wanted = phrase("%.*s", (int)length, name);
    const struct option_spec *option;
    const char *advice = other_program_option(command, wanted, &option);
    if (!advice && shown[1] == '-') {
        size_t count = command_option_count(command);
        const char **names = must_alloc(count + 1, sizeof *names);
        for (size_t k = 0; k < count; k++)
            names[k] = command_option(command, k)->name;
        const char *near = psdvec_suggest(wanted, names);
        free(names);
        advice = near ? phrase("did you mean --%s?", near) : NULL;
    }
    const char *sentence = advice ? phrase("there is no option %s; %s", shown, advice)
                                  : phrase("there is no option %s", shown);
    /* The argument could be a word. */
    if (command->signed_operands && shown[1] != '-')
        sentence = phrase("%s%s subtract the word '%s', write: - %s", sentence,
                          sentence[strlen(sentence) - 1] == '?' ? " To" : "; to", wanted, wanted);
    return sentence;
}

static bool is_help(const struct option_spec *option)
{
    return option_is_switch(option) && !strcmp(option->name, "help");
}

/* --json is short for --format json, and --tsv for --format tsv. */
static const char *parse_short_format(struct arguments *arguments, const char *name, size_t length)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++) {
        struct option_value *value = &arguments->values[k], before = *value;
        if (!option_is_format(option) || (strcmp(name, "json") != 0 && strcmp(name, "tsv") != 0))
            continue;
        value->given = true;
        const char *error = store(value, option, "--format", name);
        if (!error && before.given && value->integer != before.integer)
            error = phrase("--%s%s and --%s cannot be combined",
                           before.integer == FORMAT_MARKDOWN ? "format " : "",
                           option->row.choices[before.integer].name, name);
        return error;
    }
    return unknown_option(arguments->command, name - 2, length);
}

/* Parses one --name, --name=value or --name value; advances *at past a separate value. */
static const char *parse_long(struct arguments *arguments, int argc, char **argv, int *at)
{
    const char *name = argv[*at] + 2;
    size_t length = strcspn(name, "=");
    const char *inside = name[length] == '=' ? name + length + 1 : NULL;
    size_t index = 0;
    const struct option_spec *option;
    while ((option = command_option(arguments->command, index))) {
        if (strlen(option->name) == length && !strncmp(option->name, name, length))
            break;
        index++;
    }
    if (!option)
        return parse_short_format(arguments, name, length);
    struct option_value *value = &arguments->values[index];
    if (option_is_switch(option)) {
        if (inside)
            return phrase("--%s takes no value; omit '=%s'", option->name, inside);
        value->given = true;
        arguments->help |= is_help(option);
        return store(value, option, "", "yes");
    }
    if (!inside && *at + 1 >= argc)
        return phrase("--%s needs a value: --%s %s", option->name, option->name,
                      option_argument(option));
    if (!inside)
        inside = argv[++*at];
    /* The former name of JSON where it has one object per line. */
    if (option_is_format(option) && !strcmp(inside, "jsonl"))
        inside = "json";
    value->given = true;
    return store(value, option, phrase("--%s", option->name), inside);
}

/* Finds the option with this letter; NULL: none. *index: its index among the options. */
static const struct option_spec *find_letter(const struct arguments *arguments, char letter,
                                             size_t *index)
{
    const struct option_spec *option;
    for (*index = 0; (option = command_option(arguments->command, *index)); ++*index)
        if (option->row.letter == letter)
            return option;
    return NULL;
}

/* Finds the option that is meant by a long name after a single dash, of this or another program,
 * such as -window or -minCount; NULL if there is none. -help is a group of letters that includes
 * -h. */
static const struct option_spec *long_with_one_dash(const struct arguments *arguments,
                                                    const char *word)
{
    const struct option_spec *option;
    const char *advice =
        word[1] && word[2] ? other_program_option(arguments->command, word + 1, &option) : NULL;
    return advice && option && !is_help(option) ? option : NULL;
}

/* A group of letters: -q, -qv, -ofile, -o file. */
static const char *parse_letters(struct arguments *arguments, int argc, char **argv, int *at)
{
    size_t length = strcspn(argv[*at] + 1, "=");
    const struct option_spec *other;
    const char *name = phrase("%.*s", (int)length, argv[*at] + 1);
    if (length > 1 && strcmp(name, "help") != 0 &&
        other_program_option(arguments->command, name, &other))
        return unknown_option(arguments->command, argv[*at], length);
    for (const char *letter = argv[*at] + 1; *letter; letter++) {
        size_t index;
        const struct option_spec *option = find_letter(arguments, *letter, &index);
        if (!option)
            return unknown_option(arguments->command, phrase("-%c", *letter), 1);
        struct option_value *value = &arguments->values[index];
        value->given = true;
        if (option_is_switch(option)) {
            store(value, option, "", "yes");
            arguments->help |= is_help(option);
            if (arguments->help)
                return NULL;
            continue;
        }
        const char *text = letter[1] ? letter + 1 : *at + 1 < argc ? argv[++*at] : NULL;
        return text ? store(value, option, phrase("-%c", option->row.letter), text)
                    : phrase("-%c needs a value: -%c %s", option->row.letter, option->row.letter,
                             option->row.argument);
    }
    return NULL;
}

/* Whether `next` could be the value of the option before it. */
static bool could_be_value(const struct option_spec *option, const char *next)
{
    if (option_is_switch(option) || option_is_format(option))
        return true; /* -json has no value */
    if (!next)
        return false;
    for (const psdvec_choice *choice = option->row.choices; choice && choice->name; choice++)
        if (!strcmp(choice->name, next))
            return true;
    if (option->row.type == PSDVEC_OPTION_TEXT || option->row.type == PSDVEC_OPTION_TEXTS)
        return strpbrk(next, "./") != NULL;
    return next[0] >= '0' && next[0] <= '9';
}

/* "-man" where words may have signs. A single letter is never a word, because it may be an option
 * of another program, as in "-n 3"; nor is what looks like an option with a value, as in "-topn
 * 3". */
static bool is_signed_word(const struct arguments *arguments, const char *word, const char *next)
{
    if (!arguments->command->signed_operands || arguments->operand_count == 0 || word[1] == '-' ||
        !word[2])
        return false;
    const struct option_spec *option = long_with_one_dash(arguments, word);
    return !(option && could_be_value(option, next)) && strcmp(word, "-help") != 0;
}

/* A sign of the word after it: king - man + woman. */
static bool is_sign(const struct arguments *arguments, const char *word)
{
    return arguments->command->signed_operands && arguments->operand_count > 0 &&
           (word[0] == '-' || word[0] == '+') && !word[1];
}

static const char *parse_all(struct arguments *arguments, int argc, char **argv)
{
    bool only_operands = false;
    for (int at = 0; at < argc; at++) {
        const char *word = argv[at], *next = at + 1 < argc ? argv[at + 1] : NULL;
        const char *error = NULL;
        if (!only_operands && is_sign(arguments, word)) {
            if (!next || !*next)
                return phrase("a word is missing after the sign '%s'", word);
            arguments->operands[arguments->operand_count++] = phrase("%s%s", word, next);
            at++;
        } else if (only_operands || word[0] != '-' || !word[1] ||
                   is_signed_word(arguments, word, next)) {
            arguments->operands[arguments->operand_count++] = word;
        } else if (!strcmp(word, "--")) {
            only_operands = true;
            arguments->unsigned_from = arguments->operand_count;
        } else if (word[1] == '-') {
            error = parse_long(arguments, argc, argv, &at);
        } else {
            error = parse_letters(arguments, argc, argv, &at);
        }
        if (error || arguments->help)
            return error;
    }
    return NULL;
}

static void set_defaults(struct arguments *arguments)
{
    const struct command *command = arguments->command;
    const struct option_spec *option;
    /* If not given, it is still 0, which is the first choice or a switch that is off. */
    if (command->preset_option)
        arguments->preset = argument_integer(arguments, command->preset_option);
    for (size_t k = 0; (option = command_option(command, k)); k++) {
        struct option_value *value = &arguments->values[k];
        const char *fallback = option_fallback(command, option, arguments->preset);
        if (value->given || !fallback || option_is_switch(option) ||
            option->row.type == PSDVEC_OPTION_TEXTS)
            continue;
        const char *error = store(value, option, option->name, fallback);
        if (error) {
            fprintf(stderr, "psdvec: internal error in the table of options: %s\n", error);
            abort();
        }
    }
}

bool arguments_alone(const struct arguments *arguments)
{
    const char *alone = arguments->command->alone;
    return alone && argument_flag(arguments, alone);
}

static const char *check_operands(const struct arguments *arguments)
{
    const struct command *command = arguments->command;
    if (arguments->operand_count < command->operands.least && !arguments_alone(arguments))
        return command->missing;
    if (arguments->operand_count > command->operands.most)
        return phrase("unexpected argument '%s'; usage: psdvec %s %s",
                      arguments->operands[command->operands.most], command->name,
                      *command->synopsis ? command->synopsis : "[OPTION]...");
    for (size_t k = 0; k < arguments->operand_count; k++)
        if (!*arguments->operands[k])
            return "a file name or word on the command line is empty; is a shell variable unset?";
    return NULL;
}

bool arguments_parse(struct arguments *arguments, const struct command *command, int argc,
                     char **argv, const char **error)
{
    *arguments = (struct arguments){.command = command};
    arguments->values = must_alloc(command_option_count(command), sizeof *arguments->values);
    arguments->operands = must_alloc((size_t)argc + 1, sizeof *arguments->operands);
    arguments->unsigned_from = SIZE_MAX;
    *error = parse_all(arguments, argc, argv);
    if (*error)
        return false;
    set_defaults(arguments);
    if (!arguments->help)
        *error = check_operands(arguments);
    return !*error;
}

void arguments_free(struct arguments *arguments)
{
    if (arguments->values)
        for (size_t k = 0; k < command_option_count(arguments->command); k++)
            free(arguments->values[k].texts);
    free(arguments->values);
    free(arguments->operands);
    *arguments = (struct arguments){0};
}

static const struct option_value *find_value(const struct arguments *arguments, const char *name)
{
    const struct option_spec *option;
    for (size_t k = 0; (option = command_option(arguments->command, k)); k++)
        if (!strcmp(option->name, name))
            return &arguments->values[k];
    return NULL;
}

const struct option_value *argument(const struct arguments *arguments, const char *name)
{
    const struct option_value *value = find_value(arguments, name);
    if (value)
        return value;
    fprintf(stderr, "psdvec: internal error: psdvec %s declares no option --%s\n",
            arguments->command->name, name);
    abort();
}

bool arguments_have(const struct arguments *arguments, const char *name)
{
    return find_value(arguments, name) != NULL;
}

char argument_sign(const struct arguments *arguments, size_t k, const char **word)
{
    const char *operand = *word = arguments->operands[k];
    bool has = (operand[0] == '-' || operand[0] == '+') && operand[1] &&
               arguments->command->signed_operands && k > 0 && k < arguments->unsigned_from;
    *word += has;
    return has ? operand[0] : 0;
}

bool argument_flag(const struct arguments *arguments, const char *name)
{
    return argument(arguments, name)->integer != 0;
}

uint64_t argument_integer(const struct arguments *arguments, const char *name)
{
    return argument(arguments, name)->integer;
}

double argument_real(const struct arguments *arguments, const char *name)
{
    return argument(arguments, name)->real;
}

const char *argument_text(const struct arguments *arguments, const char *name)
{
    return argument(arguments, name)->text;
}

const char *arguments_output(const struct arguments *arguments)
{
    const char *path = argument_text(arguments, "output");
    if (!path && arguments->command->output_operand && arguments->operand_count > 1)
        path = arguments->operands[arguments->operand_count - 1];
    return path;
}
