/* Results as Markdown: tables without bars, in which nothing is truncated. */
#include "cell.h"
#include "show.h"

#include <string.h>

/* Adds a blank line before every block except the first. */
static void begin(struct show *show)
{
    buffer_text(&show->text, show->begun ? "\n" : "");
    show->begun = true;
    show->headed = false;
}

void markdown_text(struct buffer *to, const char *text, size_t length, bool bold)
{
    while (length && text[length - 1] == ' ')
        length--;
    bool open = bold && length;
    buffer_text(to, open ? "**" : "");
    for (size_t k = 0, bytes; k < length; k += bytes) {
        bytes = k + 1 < length ? style_length(text + k) : 0;
        if (bytes) {
            bool space = text[k + 1] == '_', wanted = text[k + 1] == '1';
            wanted |= bold && text[k + 1] == '0';
            buffer_text(to, space ? " " : wanted != open ? "**" : "");
            open = space ? open : wanted;
            continue;
        }
        bytes = pv_utf8_sequence(text + k, length - k);
        bytes = bytes ? bytes : 1;
        if (text[k] && strchr("|*_`\\<[&", text[k]))
            buffer_char(to, '\\');
        cell_text(to, text + k, bytes); /* control characters, too, may come from files */
    }
    buffer_text(to, open ? "**" : "");
}

static void add_text(struct show *show, const char *text, bool bold)
{
    markdown_text(&show->text, text, strlen(text), bold);
}

static void markdown_title(struct show *show, const char *text)
{
    begin(show);
    add_text(show, text + strspn(text, " "), false);
    buffer_char(&show->text, '\n');
}

static void markdown_section(struct show *show, const char *name, const char *title)
{
    (void)name;
    begin(show);
    buffer_text(&show->text, "### ");
    add_text(show, title, false);
    buffer_char(&show->text, '\n');
}

static void markdown_note(struct show *show, const char *text)
{
    for (const char *end = text; *text; text = end + (*end == '\n')) {
        struct buffer line = {0};
        end = text + strcspn(text, "\n");
        buffer_add(&line, text, (size_t)(end - text));
        markdown_title(show, buffer_get(&line));
        buffer_free(&line);
    }
}

static void markdown_chart(struct show *show, const char *text)
{
    begin(show);
    buffer_format(&show->text, "```\n%s```\n", text);
}

static void markdown_fact(struct show *show, const struct column *column, const struct cell *cell,
                          const char *meaning)
{
    struct buffer value = {0};
    if (!show->headed) {
        begin(show);
        buffer_text(&show->text, "| | |\n|---|---|\n");
    }
    show->headed = true;
    cell_for_people(&value, cell, column);
    if (meaning && *meaning)
        buffer_format(&value, " (%s)", meaning);
    buffer_text(&show->text, "| ");
    add_text(show, column->heading, false);
    buffer_text(&show->text, " | ");
    add_text(show, buffer_get(&value), false);
    buffer_text(&show->text, " |\n");
    buffer_free(&value);
}

static void add_head(struct show *show, const struct rows *rows)
{
    struct buffer line = {0};
    begin(show);
    buffer_char(&show->text, '|');
    for (size_t k = 0; k < rows->column_count; k++) {
        const struct column *column = &rows->columns[k];
        if (!column_visible(column, IN_MARKDOWN))
            continue;
        const char *group = column->group ? column->group : "";
        struct buffer safe = {0};
        cell_text(&safe, group, strlen(group));
        buffer_text(&safe, *group && *column->heading ? " " : "");
        cell_text(&safe, column->heading, strlen(column->heading));
        buffer_char(&show->text, ' ');
        add_text(show, buffer_get(&safe), false);
        buffer_text(&show->text, " |");
        buffer_free(&safe);
        buffer_text(&line, column->right ? "--:|" : "---|");
    }
    buffer_format(&show->text, "\n|%s\n", buffer_get(&line));
    buffer_free(&line);
}

static void markdown_rows(struct show *show, struct rows *rows, bool last)
{
    (void)last;
    if (!rows->begun)
        add_head(show, rows);
    for (size_t r = 0; r < rows->row_count; r++) {
        const struct row *row = &rows->rows[r];
        if (!visible(row->where, IN_MARKDOWN))
            continue;
        bool first = true;
        for (size_t k = 0; k < rows->column_count; k++) {
            const struct column *column = &rows->columns[k];
            struct cell cell = row->line ? no_cell() : rows_cell(rows, row, k);
            struct buffer text = {0};
            if (!column_visible(column, IN_MARKDOWN))
                continue;
            if (row->line && first)
                cell = rows_cell(rows, row, 0);
            cell_for_people(&text, &cell, column);
            buffer_text(&show->text, first ? "| " : " ");
            add_text(show, buffer_get(&text), cell.style == BOLD);
            buffer_text(&show->text, " |");
            buffer_free(&text);
            first = false;
        }
        buffer_char(&show->text, '\n');
    }
}

const struct show_form show_markdown = {.where = IN_MARKDOWN,
                                        .title = markdown_title,
                                        .note = markdown_note,
                                        .chart = markdown_chart,
                                        .fact = markdown_fact,
                                        .json = show_json_for_people,
                                        .section = markdown_section,
                                        .rows = markdown_rows};
