/* Labelled values, from the program or from JSON in a file. */
#include "sheet.h"

#include "cell.h"
#include "human.h"
#include "json.h"
#include "util/number.h"
#include "wrap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LABEL 18
#define SHOWN 20

static void add_row(struct buffer *to, const char *label, const char *value, size_t length,
                    size_t width)
{
    struct buffer safe = {0};
    cell_text(&safe, value, length);
    buffer_format(to, "  %-*s ", LABEL, label);
    /* A label too wide for its column has a line to itself. */
    if (strlen(label) > LABEL) {
        buffer_char(to, '\n');
        add_spaces(to, LABEL + 3);
    }
    wrap(to, buffer_get(&safe), LABEL + 3, LABEL + 3, width);
    buffer_free(&safe);
}

void sheet_value(struct buffer *to, const char *label, struct buffer *value)
{
    add_row(to, label, buffer_get(value), value->length, 80);
    buffer_clear(value);
}

void sheet_settings(struct buffer *to, const char *title, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0}, value = {0};
    const char *text;
    size_t length;
    if (!json || !json_enter(&walk, json, '{'))
        return;
    buffer_format(to, "\n%s\n", title);
    while (json_next(&walk, &key, &text, &length)) {
        json_plain(&value, text, length);
        for (char *c = key.text; c && *c; c++)
            *c = *c == '_' ? ' ' : *c;
        sheet_value(to, buffer_get(&key), &value);
    }
    buffer_free(&key);
    buffer_free(&value);
}

/* Whole numbers with commas, anything else as it is. */
static void add_number_or_text(struct buffer *to, const char *json, size_t length)
{
    struct buffer plain = {0};
    uint64_t number;
    json_plain(&plain, json, length);
    if (*json != '"' && pv_text_integer(buffer_get(&plain), &number))
        human_count(to, number);
    else
        buffer_text(to, buffer_get(&plain));
    buffer_free(&plain);
}

/* Of an object in an entry, which is too much for a line, the names of its inputs. */
static void add_inputs(struct buffer *to, const char *json)
{
    struct json_walk walk, list, input;
    struct buffer key = {0};
    const char *text;
    size_t length;
    for (bool more = json_enter(&walk, json, '{');
         more && json_next(&walk, &key, &text, &length);) {
        if (strcmp(key.text, "inputs") != 0 || !json_enter(&list, text, '['))
            continue;
        while (json_next(&list, &key, &text, &length))
            for (bool inside = json_enter(&input, text, '{');
                 inside && json_next(&input, &key, &text, &length);)
                if (!strcmp(key.text, "name")) {
                    buffer_text(to, to->length ? ", from " : "from ");
                    json_plain(to, text, length);
                }
    }
    buffer_free(&key);
}

/* One entry: its name, if it has one, then what else is known of it on a second line. */
static void add_entry(struct buffer *to, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0}, name = {0}, rest = {0};
    const char *text;
    size_t length;
    if (json_enter(&walk, json, '{')) {
        while (json_next(&walk, &key, &text, &length)) {
            bool named = !strcmp(key.text, "path") || !strcmp(key.text, "name") ||
                         !strcmp(key.text, "file") || !strcmp(key.text, "input");
            if (named && !name.length) {
                json_plain(&name, text, length);
                continue;
            }
            if (*text == '{') {
                add_inputs(&rest, text);
                continue;
            }
            buffer_format(&rest, "%s%s ", rest.length ? ", " : "", key.text);
            add_number_or_text(&rest, text, length);
        }
    }
    if (name.length) {
        buffer_text(to, "  ");
        cell_text(to, name.text, name.length);
        buffer_char(to, '\n');
    }
    if (rest.length) {
        struct buffer safe = {0};
        size_t indent = name.length ? 4 : 2;
        cell_text(&safe, rest.text, rest.length);
        add_spaces(to, indent);
        wrap(to, safe.text, indent, indent, 80);
        buffer_free(&safe);
    }
    buffer_free(&key);
    buffer_free(&name);
    buffer_free(&rest);
}

void sheet_list(struct buffer *to, const char *title, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0};
    const char *text;
    size_t length, count = 0;
    if (!json || !json_enter(&walk, json, '['))
        return;
    while (json_next(&walk, &key, &text, &length)) {
        if (count == 0)
            buffer_format(to, "\n%s\n", title);
        if (count++ >= SHOWN)
            continue;
        if (*text == '{') {
            add_entry(to, text);
        } else {
            struct buffer plain = {0};
            json_plain(&plain, text, length);
            buffer_text(to, "  ");
            cell_text(to, buffer_get(&plain), plain.length);
            buffer_char(to, '\n');
            buffer_free(&plain);
        }
    }
    if (count > SHOWN)
        buffer_format(to, "  and %zu more; --json shows all\n", count - SHOWN);
    buffer_free(&key);
}
