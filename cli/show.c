/* Showing results: the parts common to all formats, and the machine-readable formats. */
#include "show.h"

#include "cell.h"
#include "phrase.h"
#include "util/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void show_start_as(struct show *show, struct run *run, bool sheet, enum format format)
{
    static const struct show_form *const forms[] = {[FORMAT_TABLE] = &show_terminal,
                                                    [FORMAT_TSV] = &show_tsv,
                                                    [FORMAT_JSON] = &show_as_json,
                                                    [FORMAT_MARKDOWN] = &show_markdown};
    *show = (struct show){.run = run,
                          .form = forms[format],
                          .sheet = sheet,
                          .label_width = 18,
                          .width = isatty(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : 80};
}

void show_start(struct show *show, struct run *run, bool sheet)
{
    show_start_as(show, run, sheet, run->format);
}

void show_begin(struct show *show, struct run *run, bool sheet)
{
    show_start(show, run, sheet);
    show_open(show);
}

void show_flush(struct show *show)
{
    output_add(&show->run->out, buffer_get(&show->text), show->text.length);
    buffer_clear(&show->text);
}

void show_finish(struct show *show)
{
    show_close(show);
    show_end(show);
}

void show_end(struct show *show)
{
    show_flush(show);
    buffer_free(&show->text);
    buffer_free(&show->path);
}

void show_open(struct show *show)
{
    if (show->form->open)
        show->form->open(show);
    show->documents++;
}

void show_close(struct show *show)
{
    if (show->form->close)
        show->form->close(show);
}

void show_title(struct show *show, const char *text)
{
    if (show->form->title)
        show->form->title(show, text);
}

void show_path(struct show *show, const char *name, const char *path)
{
    struct buffer title = {0};
    buffer_text(&title, STYLE_BOLD);
    cell_text(&title, path, strlen(path));
    show_title(show, title.text);
    show_data(show, name, text_cell(path));
    buffer_free(&title);
}

void show_note(struct show *show, const char *text)
{
    if (show->form->note)
        show->form->note(show, text);
}

void show_chart(struct show *show, const char *text)
{
    if (show->form->chart)
        show->form->chart(show, text);
}

void show_gap(struct show *show)
{
    if (show->form == &show_terminal)
        buffer_char(&show->text, '\n');
}

void show_fact(struct show *show, const struct column *column, struct cell cell,
               const char *meaning)
{
    if (column_visible(column, show->form->where) && show->form->fact)
        show->form->fact(show, column, &cell, meaning);
}

void show_data(struct show *show, const char *name, struct cell cell)
{
    show_fact(show, &(const struct column){.name = name}, cell, NULL);
}

void show_value(struct show *show, const char *label, const char *format, ...)
{
    struct buffer text = {0};
    va_list list;
    va_start(list, format);
    buffer_vformat(&text, format, list);
    va_end(list);
    show_fact(show, &(const struct column){.heading = label}, text_cell(buffer_get(&text)), NULL);
    buffer_free(&text);
}

void show_json(struct show *show, const char *name, const char *title, const char *json)
{
    const struct column column = {.name = name, .heading = json ? title : NULL};
    if (column_visible(&column, show->form->where))
        show->form->json(show, name, title, json ? json : "null");
}

void show_section(struct show *show, const char *name, const char *title)
{
    const struct column column = {.name = name, .heading = title};
    if (column_visible(&column, show->form->where))
        show->form->section(show, name, title);
}

void show_section_end(struct show *show, const char *name)
{
    if (name && show->form->section_end)
        show->form->section_end(show);
}

static void show_some(struct show *show, struct rows *rows, bool last)
{
    bool empty = !rows->row_count && show->form->where & FOR_PEOPLE;
    if (visible(rows->where, show->form->where) && !empty)
        show->form->rows(show, rows, last);
    rows->begun = !last;
    if (last)
        rows_free(rows);
    else
        rows_clear(rows);
}

void show_head(struct show *show, struct rows *rows)
{
    rows->begun = show->form != &show_as_json && visible(rows->where, show->form->where);
    if (rows->begun) {
        rows->begun = false;
        show->form->rows(show, rows, false);
        rows->begun = true;
    }
}

void show_rows(struct show *show, struct rows *rows)
{
    show_some(show, rows, true);
}

void show_rows_so_far(struct show *show, struct rows *rows)
{
    show_some(show, rows, false);
}

void show_pair(struct show *show, struct rows *left, struct rows *right, size_t gap)
{
    if (show->form->pair && left->row_count + right->row_count)
        show->form->pair(show, left, right, gap);
    else {
        show_rows(show, left);
        show_rows(show, right);
    }
    rows_free(left);
    rows_free(right);
}

/* ---- JSON of the library, in output for people ----------------------------------------------- */

/* For an object in an entry, which is too long for a line, shows the names of its inputs. */
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

/* An entry of a list: its name, if it has one, and its other members. */
static void show_entry(struct show *show, const char *json, size_t json_length)
{
    struct json_walk walk;
    struct buffer key = {0}, name = {0}, rest = {0};
    const char *text;
    size_t length;
    bool object = json_enter(&walk, json, '{');
    if (!object)
        json_plain(&name, json, json_length);
    while (object && json_next(&walk, &key, &text, &length)) {
        bool named = !strcmp(key.text, "path") || !strcmp(key.text, "name") ||
                     !strcmp(key.text, "file") || !strcmp(key.text, "input");
        uint64_t number;
        struct buffer value = {0};
        json_plain(&value, text, length);
        if (named && !name.length)
            buffer_text(&name, buffer_get(&value));
        else if (*text == '{')
            add_inputs(&rest, text);
        else {
            buffer_format(&rest, "%s%s ", rest.length ? ", " : "", key.text);
            if (*text != '"' && pv_text_integer(buffer_get(&value), &number))
                buffer_text(&rest, human_count(number).text);
            else
                buffer_text(&rest, buffer_get(&value));
        }
        buffer_free(&value);
    }
    show_value(show, buffer_get(&name), "%s", buffer_get(&rest));
    buffer_free(&key);
    buffer_free(&name);
    buffer_free(&rest);
}

#define SHOWN 20

void show_json_for_people(struct show *show, const char *name, const char *title, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0}, value = {0};
    const char *text;
    size_t length, count = 0;
    bool object = json_enter(&walk, json, '{');
    (void)name;
    for (bool more = object || json_enter(&walk, json, '[');
         more && json_next(&walk, &key, &text, &length); count++) {
        if (count == 0)
            show_section(show, NULL, title);
        if (object) {
            json_plain(&value, text, length);
            for (char *c = key.text; c && *c; c++)
                *c = *c == '_' ? ' ' : *c;
            show_value(show, buffer_get(&key), "%s", buffer_get(&value));
            buffer_clear(&value);
        } else if (count < SHOWN)
            show_entry(show, text, length);
    }
    if (!object && count > SHOWN) {
        buffer_format(&value, "and %zu more; --format json shows all", count - SHOWN);
        show_title(show, value.text);
    }
    buffer_free(&key);
    buffer_free(&value);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_open(struct show *show)
{
    json_start(&show->json, &show->text);
    pv_json_open_object(&show->json, NULL);
}

static void json_close(struct show *show)
{
    pv_json_close(&show->json);
    json_end(&show->json);
    buffer_char(&show->text, '\n');
}

static void json_section(struct show *show, const char *name, const char *title)
{
    (void)title;
    pv_json_open_object(&show->json, name);
}

static void json_section_end(struct show *show)
{
    pv_json_close(&show->json);
}

static void json_fact(struct show *show, const struct column *column, const struct cell *cell,
                      const char *meaning)
{
    struct buffer number = {0};
    (void)meaning;
    if (cell->kind == CELL_TEXT && cell->text)
        pv_json_put_string_n(&show->json, column->name, cell->text, cell->length);
    else if (cell->kind == CELL_JSON && cell->text)
        pv_json_put_raw(&show->json, column->name, cell->text, cell->length);
    else if (cell->kind != CELL_NONE) {
        cell_for_tsv(&number, cell, column->exact);
        if (number.length)
            pv_json_put_raw(&show->json, column->name, number.text, number.length);
        else
            pv_json_put_null(&show->json, column->name);
    }
    buffer_free(&number);
}

static void json_raw(struct show *show, const char *name, const char *title, const char *json)
{
    (void)title;
    pv_json_put_raw(&show->json, name, json, strlen(json));
}

static void json_rows(struct show *show, struct rows *rows, bool last)
{
    if (!rows->begun && !rows->merged)
        pv_json_open_array(&show->json, rows->name);
    for (size_t r = 0; r < rows->row_count; r++) {
        if (!visible(rows->rows[r].where, IN_JSON))
            continue;
        if (!rows->merged)
            pv_json_open_object(&show->json, NULL);
        for (size_t k = 0; k < rows->column_count; k++) {
            struct cell cell = rows_cell(rows, &rows->rows[r], k);
            if (column_visible(&rows->columns[k], IN_JSON))
                json_fact(show, &rows->columns[k], &cell, NULL);
        }
        if (!rows->merged)
            pv_json_close(&show->json);
    }
    if (last && !rows->merged)
        pv_json_close(&show->json);
}

const struct show_form show_as_json = {.where = IN_JSON,
                                       .open = json_open,
                                       .close = json_close,
                                       .fact = json_fact,
                                       .json = json_raw,
                                       .section = json_section,
                                       .section_end = json_section_end,
                                       .rows = json_rows};

/* ---- Tab-separated values -------------------------------------------------------------------- */

static void tsv_section(struct show *show, const char *name, const char *title)
{
    (void)title;
    buffer_format(&show->path, "%s.", name);
}

static void tsv_section_end(struct show *show)
{
    if (show->path.length)
        show->path.text[--show->path.length] = 0;
    while (show->path.length && show->path.text[show->path.length - 1] != '.')
        show->path.text[--show->path.length] = 0;
}

static void tsv_fact(struct show *show, const struct column *column, const struct cell *cell,
                     const char *meaning)
{
    (void)meaning;
    if (!show->sheet || cell->kind == CELL_NONE)
        return;
    buffer_text(&show->text, show->headed ? "" : "name\tvalue\n");
    show->headed = true;
    escape_tsv(&show->text, buffer_get(&show->path), show->path.length);
    escape_tsv(&show->text, column->name, strlen(column->name));
    buffer_char(&show->text, '\t');
    cell_for_tsv(&show->text, cell, column->exact);
    buffer_char(&show->text, '\n');
}

/* Objects, and lists of objects, become dotted names; other lists do not change. */
static void tsv_json(struct show *show, const char *name, const char *title, const char *json)
{
    struct json_walk walk;
    struct buffer key = {0};
    const char *text;
    size_t length, number = 0;
    bool object = json_enter(&walk, json, '{');
    json += strspn(json, " \t\r\n");
    (void)title;
    if (!show->sheet)
        return;
    bool deep = show->depth < 8 &&
                (object || (*json == '[' && json[1 + strspn(json + 1, " \t\r\n")] == '{'));
    if (!deep) {
        struct buffer value = {0};
        const struct column column = {.name = name};
        struct cell cell = json_cell(json);
        if (*json == '"' || !strcmp(json, "null")) {
            if (*json == '"')
                json_plain(&value, json, strlen(json));
            cell = text_cell(buffer_get(&value));
        }
        tsv_fact(show, &column, &cell, NULL);
        buffer_free(&value);
        return;
    }
    tsv_section(show, name, NULL);
    show->depth++;
    for (bool more = object || json_enter(&walk, json, '[');
         more && json_next(&walk, &key, &text, &length);) {
        char *member = object ? must_copy(buffer_get(&key)) : must_format("%zu", ++number);
        char *value = must_format("%.*s", (int)length, text);
        tsv_json(show, member, NULL, value);
        free(member);
        free(value);
    }
    show->depth--;
    tsv_section_end(show);
    buffer_free(&key);
}

/* A row of a sheet: "contexts.1.word". */
static void tsv_row_facts(struct show *show, const struct rows *rows, const struct row *row)
{
    struct buffer number = {0};
    buffer_format(&number, "%s.%" PRIu64, rows->name, ++show->row_number);
    tsv_section(show, number.text, NULL);
    for (size_t k = 0; k < rows->column_count; k++) {
        struct cell cell = rows_cell(rows, row, k);
        if (column_visible(&rows->columns[k], IN_TSV))
            tsv_fact(show, &rows->columns[k], &cell, NULL);
    }
    tsv_section_end(show); /* the number, and the name */
    tsv_section_end(show);
    buffer_free(&number);
}

static void tsv_rows(struct show *show, struct rows *rows, bool last)
{
    (void)last;
    if (!rows->begun)
        show->row_number = 0;
    /* `r` 0 is the header. */
    for (size_t r = show->headed || show->sheet; r <= rows->row_count; r++) {
        const struct row *row = r ? &rows->rows[r - 1] : NULL;
        if (row && !visible(row->where, IN_TSV))
            continue;
        if (show->sheet) {
            tsv_row_facts(show, rows, row);
            continue;
        }
        bool first = true;
        for (size_t k = 0; k < rows->column_count; k++) {
            if (!column_visible(&rows->columns[k], IN_TSV))
                continue;
            buffer_text(&show->text, first ? "" : "\t");
            first = false;
            struct cell cell = row ? rows_cell(rows, row, k) : text_cell(rows->columns[k].name);
            cell_for_tsv(&show->text, &cell, rows->columns[k].exact);
        }
        buffer_char(&show->text, '\n');
        show->headed = true;
    }
}

const struct show_form show_tsv = {.where = IN_TSV,
                                   .fact = tsv_fact,
                                   .json = tsv_json,
                                   .section = tsv_section,
                                   .section_end = tsv_section_end,
                                   .rows = tsv_rows};
