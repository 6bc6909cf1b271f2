/* Option values as text: parsing, error messages, and conditions on options. */
#include "base/options.h"

#include "util/c_locale.h"
#include "util/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends to the text in `to`, truncated at `size`. */
PV_PRINTF(3, 4)
static void add(char *to, size_t size, const char *format, ...)
{
    size_t length = strlen(to);
    va_list list;
    va_start(list, format);
    if (length < size)
        pv_vsnprintf(to + length, size - length, format, list);
    va_end(list);
}

static void add_number(char *to, size_t size, double value)
{
    char text[PV_DOUBLE_SIZE];
    add(to, size, "%s", pv_double_to_text(value, text) ? text : "?");
}

static bool is_integer(const psdvec_option *row)
{
    return row->type == PSDVEC_OPTION_INT || row->type == PSDVEC_OPTION_UINT32 ||
           row->type == PSDVEC_OPTION_UINT64 || row->type == PSDVEC_OPTION_UINT32S;
}

static void add_limits(const psdvec_option *row, char *to, size_t size)
{
    if (row->least == 0 && row->most == 0) {
        if (row->type == PSDVEC_OPTION_UINT64)
            add(to, size, " from 0 to 2^64 - 1");
        return;
    }
    bool endless = isinf(row->most);
    if (!row->above && !row->below && !endless) {
        add(to, size, " from ");
        add_number(to, size, row->least);
        add(to, size, " to ");
        add_number(to, size, row->most);
        return;
    }
    add(to, size, row->above ? " above " : endless ? " of at least " : " from ");
    add_number(to, size, row->least);
    if (endless)
        return;
    add(to, size, row->below ? row->above ? " and below " : " to below " : " and at most ");
    add_number(to, size, row->most);
}

static void add_number_range(const psdvec_option *row, char *to, size_t size)
{
    bool list = row->type == PSDVEC_OPTION_DOUBLES || row->type == PSDVEC_OPTION_UINT32S;
    if (row->unit == PSDVEC_UNIT_BYTES)
        add(to, size, "a size such as 512M or 4G, or a share of the machine's memory such as 50%%");
    else
        add(to, size, "%s%snumber%s", list ? "" : "a ", is_integer(row) ? "whole " : "",
            list ? "s" : "");
    if (row->unit != PSDVEC_UNIT_BYTES)
        add_limits(row, to, size);
    if (row->unit == PSDVEC_UNIT_COUNT)
        add(to, size, ", such as 300, 200k or 5M");
    if (list)
        add(to, size, ", separated by commas");
    if (row->word && !row->otherwise)
        add(to, size, ", or %s", row->word);
    if (row->second_word)
        add(to, size, ", or %s", row->second_word);
}

void psdvec_option_range(const psdvec_option *option, char *text, size_t room)
{
    if (!text || !room)
        return;
    *text = 0;
    if (!option)
        return;
    switch (option->type) {
    case PSDVEC_OPTION_FLAG:
        add(text, room, "yes or no");
        break;
    case PSDVEC_OPTION_CHOICE:
        for (size_t k = 0; option->choices[k].name; k++) /* "a, b or c" */
            add(text, room, "%s%s",
                k == 0                        ? ""
                : option->choices[k + 1].name ? ", "
                                              : " or ",
                option->choices[k].name);
        break;
    case PSDVEC_OPTION_TEXT:
        add(text, room, "a text");
        break;
    case PSDVEC_OPTION_TEXTS:
        add(text, room, "texts, separated by commas");
        break;
    default:
        add_number_range(option, text, room);
    }
}

static const char *nearest_choice(const psdvec_option *row, const char *text)
{
    const char *names[64] = {NULL};
    for (size_t k = 0; k + 1 < sizeof names / sizeof *names && row->choices[k].name; k++)
        names[k] = row->choices[k].name;
    return psdvec_suggest(text, names);
}

static bool parse_flag(const char *text, psdvec_option_value *value)
{
    static const char *const words[] = {"no", "yes", "false", "true", "0", "1"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strcmp(text, words[k])) {
            value->integer = k % 2;
            return true;
        }
    return false;
}

static bool parse_choice(const psdvec_option *row, const char *text, psdvec_option_value *value)
{
    for (size_t k = 0; row->choices[k].name; k++)
        if (!strcmp(row->choices[k].name, text)) {
            value->integer = k;
            return true;
        }
    return false;
}

static bool parse_number(const psdvec_option *row, const char *text, psdvec_option_value *value)
{
    if (row->type == PSDVEC_OPTION_DOUBLE || row->type == PSDVEC_OPTION_DOUBLES)
        return pv_text_real(text, &value->real) && (value->real += 0.0, true); /* -0 is 0 */
    bool fine = row->unit == PSDVEC_UNIT_BYTES
                    ? pv_text_bytes(text, psdvec_machine_memory(), &value->integer)
                : row->unit == PSDVEC_UNIT_COUNT ? pv_text_count(text, &value->integer)
                                                 : pv_text_integer(text, &value->integer);
    value->real = (double)value->integer;
    return fine && value->integer <= pv_option_widest(row);
}

bool pv_option_within(const psdvec_option *row, double value)
{
    if (row->least == 0 && row->most == 0)
        return !isnan(value);
    /* Written so that NaN fails. */
    return (row->above ? value > row->least : value >= row->least) &&
           (row->below ? value < row->most : value <= row->most);
}

static bool parse_list(const psdvec_option *row, const char *text, psdvec_option_value *value)
{
    char item[PV_DOUBLE_SIZE];
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof item)
            return false;
        memcpy(item, at, length);
        item[length] = 0;
        if (!parse_number(row, item, value) || !pv_option_within(row, value->real))
            return false;
        at += length;
        if (!*at)
            return true;
    }
}

static bool parse(const psdvec_option *row, const char *text, psdvec_option_value *value)
{
    switch (row->type) {
    case PSDVEC_OPTION_FLAG:
        return parse_flag(text, value);
    case PSDVEC_OPTION_CHOICE:
        return parse_choice(row, text, value);
    case PSDVEC_OPTION_TEXT:
    case PSDVEC_OPTION_TEXTS:
        return *text != 0;
    case PSDVEC_OPTION_DOUBLES:
    case PSDVEC_OPTION_UINT32S:
        return parse_list(row, text, value);
    default:
        break;
    }
    const char *const words[] = {row->word, row->second_word};
    const double values[] = {row->word_value, row->second_value};
    for (size_t k = 0; k < 2; k++)
        if (words[k] && !strcmp(text, words[k])) {
            value->real = values[k];
            value->integer = values[k] > 0 && isfinite(values[k]) ? (uint64_t)values[k] : 0;
            return true;
        }
    return parse_number(row, text, value) && pv_option_within(row, value->real);
}

bool psdvec_option_parse(const psdvec_option *option, const char *shown, const char *text,
                         psdvec_option_value *value, char *why, size_t room)
{
    char name[100];
    if (why && room)
        *why = 0;
    if (value)
        *value = (psdvec_option_value){0};
    const char *missing = !option ? "option" : !text ? "text" : !value ? "value" : NULL;
    if (!missing && parse(option, text, value))
        return true;
    if (!why || !room)
        return false;
    if (missing) {
        add(why, room, "NULL was given for `%s`, which is required", missing);
        return false;
    }
    if (!shown) {
        snprintf(name, sizeof name, "`%s`", option->name);
        shown = name;
    }
    if (option->type == PSDVEC_OPTION_TEXT || option->type == PSDVEC_OPTION_TEXTS) {
        add(why, room, "%s must not be empty", shown);
        return false;
    }
    char range[400];
    psdvec_option_range(option, range, sizeof range);
    add(why, room, "%s must be %s, not '%s'", shown, range, text);
    const char *near = option->type == PSDVEC_OPTION_CHOICE ? nearest_choice(option, text) : NULL;
    if (near)
        add(why, room, "; did you mean '%s'?", near);
    return false;
}

/* ---- Conditions: "weights=raw|smoothed rho>0 model:cut" -------------------------------------- */

/* Whether a list of words, separated by `separators`, contains this word. */
static bool has_word(const char *list, const char *end, const char *separators, const char *word,
                     size_t word_length)
{
    for (size_t length; list < end; list += length + 1) {
        length = strcspn(list, separators);
        if (length == word_length && !memcmp(list, word, length))
            return true;
    }
    return false;
}

/* Whether a choice is one of "=a|b", or uses the option in ":option". */
static bool passes(const psdvec_choice *choice, const char *sign, const char *end)
{
    const char *uses = choice->uses ? choice->uses : "";
    if (*sign == '=')
        return has_word(sign + 1, end, "| ", choice->name, strlen(choice->name));
    return has_word(uses, uses + strlen(uses), " ", sign + 1, (size_t)(end - sign) - 1);
}

/* The option that a comparison refers to, and the operator; NULL if there is none. */
static const psdvec_option *compared(const pv_options_table *table, const char *text,
                                     const char **sign)
{
    size_t length = strcspn(text, "=>:");
    *sign = text + length;
    for (const psdvec_option *row = table->rows; row->name && text[length]; row++)
        if (strlen(row->name) == length && !memcmp(row->name, text, length))
            return row;
    return NULL;
}

bool pv_options_hold(const pv_options_table *table, const void *options, const char *condition)
{
    const char *sign, *end;
    for (const char *at = condition; at && *at; at = end + strspn(end, " ")) {
        const psdvec_option *row = compared(table, at, &sign);
        end = at + strcspn(at, " ");
        if (!row)
            return false;
        const psdvec_choice *choice = pv_option_choice(row, options);
        if (*sign == '>' ? !(pv_option_number(row, options) > strtol(sign + 1, NULL, 10))
                         : !choice || !passes(choice, sign, end))
            return false;
    }
    return true;
}

static void add_comparison(const psdvec_option *row, const char *sign, const char *end, char *to,
                           size_t size)
{
    size_t fit = 0, named = 0;
    int length = (int)(end - sign) - 1;
    if (*sign == '>' && row->type == PSDVEC_OPTION_FLAG)
        add(to, size, "`%s=yes`", row->name);
    else if (*sign == '>' && row->word && row->word_value == 0 &&
             !strncmp(sign + 1, "0", (size_t)length))
        add(to, size, "`%s` other than %s", row->name, row->word);
    else if (*sign == '>')
        add(to, size, "`%s` above %.*s", row->name, length, sign + 1);
    if (*sign == '>')
        return;
    for (const psdvec_choice *c = row->choices; c->name; c++)
        fit += passes(c, sign, end);
    for (const psdvec_choice *c = row->choices; c->name; c++)
        if (passes(c, sign, end)) {
            const char *joint = named == 0 ? "" : named + 1 < fit ? ", " : " or ";
            add(to, size, "%s`%s=%s`", joint, row->name, c->name);
            named++;
        }
}

void pv_condition_text(const pv_options_table *table, const char *condition, char *to, size_t size)
{
    const char *sign, *end;
    *to = 0;
    for (const char *at = condition; *at; at = end + strspn(end, " ")) {
        const psdvec_option *row = compared(table, at, &sign);
        end = at + strcspn(at, " ");
        add(to, size, "%s", at == condition ? "" : " and ");
        if (row)
            add_comparison(row, sign, end, to, size);
    }
}
