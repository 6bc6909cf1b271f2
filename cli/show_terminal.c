/* Results on a terminal, for people: aligned columns, bars, styles. */
#include "cell.h"
#include "phrase.h"
#include "show.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, BAR_LEAST = 8, MEANT_WIDTH = 11 };

/* Adds text with its styles as escape sequences, and without control characters except line ends:
 * names and words from files are part of it. */
static void add_styled(struct show *show, const char *text, enum style base)
{
    const struct palette *p = &show->run->palette;
    const char *const codes[STYLES] = {p->plain,  p->bold, p->dim,  p->red,
                                       p->yellow, p->cyan, p->green};
    struct buffer *to = &show->text;
    enum style style = *text ? base : PLAIN;
    buffer_text(to, style ? codes[style] : "");
    for (size_t bytes; *text; text += bytes) {
        bytes = style_length(text);
        if (!bytes) {
            bytes = text_length(text);
            if (*text == '\n') {
                drop_spaces(to);
                buffer_char(to, '\n');
            } else
                cell_text(to, text, bytes);
        } else if (text[1] == '_')
            buffer_char(to, ' ');
        else {
            buffer_text(to, style ? p->plain : "");
            style = text[1] == '0' ? base : (enum style)(text[1] - '0');
            buffer_text(to, style ? codes[style] : "");
        }
    }
    buffer_text(to, style ? p->plain : "");
}

static size_t columns_of(const char *text)
{
    return utf8_columns(text, strlen(text));
}

/* Adds text that starts at column `at`, wrapped to as many lines as it needs, without the end of
 * the last line. */
static void add_wrapped(struct show *show, const char *text, size_t at, size_t indent, size_t width,
                        enum style style)
{
    struct buffer wrapped = {0};
    wrap(&wrapped, text, at, indent, width);
    wrapped.text[wrapped.length - 1] = 0;
    add_styled(show, wrapped.text, style);
    buffer_free(&wrapped);
}

static void end_line(struct show *show)
{
    drop_spaces(&show->text);
    buffer_char(&show->text, '\n');
}

/* ---- Text and facts ------------------------------------------------------------------------ */

static void terminal_open(struct show *show)
{
    if (show->documents && !show->compact)
        buffer_char(&show->text, '\n');
}

static size_t prose_width(const struct show *show)
{
    return show->width < WIDTH ? show->width : WIDTH;
}

static void terminal_title(struct show *show, const char *text)
{
    add_wrapped(show, text, 0, strspn(text, " "), prose_width(show), PLAIN);
    buffer_char(&show->text, '\n');
}

static void terminal_section(struct show *show, const char *name, const char *title)
{
    (void)name;
    buffer_char(&show->text, '\n');
    terminal_title(show, title);
}

static void terminal_note(struct show *show, const char *text)
{
    add_wrapped(show, text, 0, 0, prose_width(show), DIM);
    if (!*text || text[strlen(text) - 1] != '\n')
        buffer_char(&show->text, '\n');
}

static void terminal_chart(struct show *show, const char *text)
{
    buffer_text(&show->text, text);
}

static void terminal_fact(struct show *show, const struct column *column, const struct cell *cell,
                          const char *meaning)
{
    struct buffer value = {0};
    bool labelled = *column->heading;
    size_t width = columns_of(column->heading), indent = labelled ? show->label_width + 3 : 2;
    bool wide = width > show->label_width;
    cell_for_people(&value, cell, column);
    size_t columns = columns_of(buffer_get(&value));
    buffer_text(&show->text, "  ");
    cell_text(&show->text, column->heading, strlen(column->heading));
    add_spaces(&show->text, wide || !labelled ? 0 : show->label_width - width);
    if (meaning) {
        add_spaces(&show->text, columns < MEANT_WIDTH ? MEANT_WIDTH - columns : 0);
        buffer_format(&value, "%s%s", *meaning ? "   " STYLE_DIM : "", meaning);
        add_styled(show, value.text, PLAIN);
    } else {
        if (wide && columns) /* a label that is too wide for its column has a separate line */
            end_line(show);
        add_spaces(&show->text, wide && columns ? indent : labelled);
        add_wrapped(show, buffer_get(&value), indent, indent, WIDTH, PLAIN);
    }
    end_line(show);
    buffer_free(&value);
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* Names that are shortened, with their short forms. */
struct cut_names {
    const char **names, **cut;
    size_t count;
};

struct layout {
    const struct rows *rows;
    size_t *shown; /* indices of the visible columns */
    size_t count;
    size_t *widths;         /* of each of these */
    struct cut_names *cuts; /* and of its names, if it has any; after the last: of groups */
};

static void add_cut_name(struct cut_names *names, const char *name)
{
    for (size_t k = 0; k < names->count; k++)
        if (!strcmp(names->names[k], name))
            return;
    names->names = must_grow(names->names, names->count + 1, sizeof *names->names);
    names->names[names->count++] = phrase("%s", name);
}

static const char *cut_name(const struct cut_names *names, const char *name)
{
    for (size_t k = 0; k < names->count; k++)
        if (!strcmp(names->names[k], name))
            return names->cut[k];
    return name;
}

static const struct column *column_at(const struct layout *layout, size_t k)
{
    return &layout->rows->columns[layout->shown[k]];
}

static const char *group_at(const struct layout *layout, size_t k)
{
    const char *group = column_at(layout, k)->group;
    return group ? cut_name(&layout->cuts[layout->count], group) : "";
}

/* The number of columns from `k` on with the same group. */
static size_t span(const struct layout *layout, size_t k, size_t end)
{
    const char *group = column_at(layout, k)->group;
    size_t last = k + 1;
    while (group && last < end && column_at(layout, last)->group &&
           !strcmp(column_at(layout, last)->group, group))
        last++;
    return last - k;
}

/* The text of a cell; its bar, if it has one, in `width` columns. */
static void add_value(struct buffer *to, const struct layout *layout, const struct row *row,
                      size_t k, size_t width)
{
    const struct column *column = column_at(layout, k);
    struct cell cell = rows_cell(layout->rows, row, layout->shown[k]);
    struct buffer text = {0};
    if (cell.kind == CELL_BAR)
        cell_bar(&text, cell.real, width, terminal_unicode());
    drop_spaces(&text);
    if (cell.kind != CELL_BAR)
        cell_for_people(&text, &cell, column);
    if (column->names)
        buffer_text(to, cut_name(&layout->cuts[k], buffer_get(&text)));
    else if (column->most && cell.kind != CELL_BAR)
        shorten(to, buffer_get(&text), column->most);
    else
        buffer_text(to, buffer_get(&text));
    buffer_free(&text);
}

static size_t width_of(const struct layout *layout, size_t from, size_t to)
{
    size_t width = 0;
    for (size_t k = from; k < to; k++)
        width += layout->widths[k] + column_at(layout, k)->gap;
    return width;
}

static void cut_names(struct layout *layout)
{
    const struct rows *rows = layout->rows;
    bool same;
    layout->cuts = must_alloc(layout->count + 1, sizeof *layout->cuts);
    for (size_t k = 0; k <= layout->count; k++) {
        struct cut_names *names = &layout->cuts[k];
        const struct column *column = k < layout->count ? column_at(layout, k) : NULL;
        for (size_t r = 0; column && column->names && r < rows->row_count; r++) {
            struct cell cell = rows_cell(rows, &rows->rows[r], layout->shown[k]);
            struct buffer text = {0};
            cell_for_people(&text, &cell, column);
            add_cut_name(names, buffer_get(&text));
            buffer_free(&text);
        }
        for (size_t c = rows->keys; !column && rows->group_most && c < layout->count; c++)
            if (column_at(layout, c)->group)
                add_cut_name(names, column_at(layout, c)->group);
        names->cut = names_short(names->names, names->count,
                                 column ? column->most : rows->group_most, &same);
    }
}

static void find_widths(struct layout *layout, size_t line)
{
    const struct rows *rows = layout->rows;
    size_t bar = SIZE_MAX;
    layout->widths = must_alloc(layout->count, sizeof *layout->widths);
    for (size_t k = 0; k < layout->count; k++) {
        const struct column *column = column_at(layout, k);
        size_t widest = rows->bare ? 0 : columns_of(column->heading);
        for (size_t r = 0; r < rows->row_count && !column->width; r++) {
            struct buffer text = {0};
            if (rows->rows[r].line || !visible(rows->rows[r].where, IN_TABLE))
                continue;
            if (rows_cell(rows, &rows->rows[r], layout->shown[k]).kind == CELL_BAR)
                bar = k;
            else
                add_value(&text, layout, &rows->rows[r], k, 0);
            size_t width = columns_of(buffer_get(&text));
            widest = width > widest ? width : widest;
            buffer_free(&text);
        }
        layout->widths[k] = column->width ? column->width : widest;
    }
    for (size_t k = 0, count; k < layout->count && !rows->bare; k += count) {
        count = span(layout, k, layout->count);
        size_t width = columns_of(group_at(layout, k));
        size_t have = width_of(layout, k, k + count) - column_at(layout, k)->gap;
        layout->widths[k] += width > have ? width - have : 0;
    }
    /* Bars, or text that may be shortened, use the remaining width. */
    size_t total = width_of(layout, 0, layout->count);
    for (size_t k = 0; k < layout->count; k++) {
        size_t *width = &layout->widths[k], most = k == bar ? column_at(layout, k)->most : *width;
        size_t limit = k == bar && line > WIDTH ? WIDTH : line;
        size_t rest = limit + *width > total ? limit + *width - total : 1;
        if (k == bar || column_at(layout, k)->rest)
            *width = k == bar && rest < BAR_LEAST ? 0 : rest < most ? rest : most;
    }
}

static void lay_out(struct layout *layout, const struct rows *rows, size_t line)
{
    *layout = (struct layout){.rows = rows};
    layout->shown = must_alloc(rows->column_count, sizeof *layout->shown);
    for (size_t k = 0; k < rows->column_count; k++)
        if (column_visible(&rows->columns[k], IN_TABLE))
            layout->shown[layout->count++] = k;
    cut_names(layout);
    find_widths(layout, line);
}

static void layout_free(struct layout *layout)
{
    for (size_t k = 0; k <= layout->count; k++) {
        free(layout->cuts[k].names);
        free(layout->cuts[k].cut);
    }
    free(layout->cuts);
    free(layout->shown);
    free(layout->widths);
}

/* Text in a cell. Numbers are never truncated: a line that is too long is better. */
static void put(struct show *show, const char *text, const struct column *column, size_t width,
                enum style style)
{
    struct buffer cut = {0};
    size_t used = columns_of(text);
    if (used > width && column->rest) {
        shorten(&cut, text, width);
        text = buffer_get(&cut);
        used = columns_of(text);
    } else if (used > width && !column->right && width) {
        size_t bytes = utf8_fit(text, strlen(text), width - 1, &used);
        buffer_add(&cut, text, bytes);
        buffer_text(&cut, "…");
        text = cut.text;
        used++;
    }
    size_t padding = width > used ? width - used : 0;
    add_spaces(&show->text, column->gap + (column->right ? padding : 0));
    add_styled(show, text, style);
    add_spaces(&show->text, column->right ? 0 : padding);
    buffer_free(&cut);
}

/* Widths for a row in which a number that is too wide takes columns from the text before it. On the
 * heap, and so are the texts. */
static size_t *fit_row(const struct layout *layout, const struct row *row, struct buffer *texts)
{
    size_t *widths = must_alloc(layout->count, sizeof *widths);
    memcpy(widths, layout->widths, layout->count * sizeof *widths);
    for (size_t k = 0, text = SIZE_MAX; k < layout->count; k++) {
        const struct column *column = column_at(layout, k);
        add_value(&texts[k], layout, row, k, widths[k]);
        size_t used = columns_of(buffer_get(&texts[k]));
        size_t excess = column->right && used > widths[k] ? used - widths[k] : 0;
        if (excess && text != SIZE_MAX && widths[text] > excess + 1) {
            widths[text] -= excess;
            widths[k] += excess;
        }
        text = !column->right && column->where != IN_TABLE ? k : text;
    }
    return widths;
}

static void add_row(struct show *show, const struct layout *layout, const struct row *row,
                    size_t from, size_t to)
{
    struct buffer *texts = must_alloc(layout->count, sizeof *texts);
    size_t *widths = fit_row(layout, row, texts);
    for (size_t k = from; k < to; k++) {
        const struct column *column = column_at(layout, k);
        enum style style = rows_cell(layout->rows, row, layout->shown[k]).style;
        size_t at = width_of(layout, 0, k) + column->gap;
        style = style ? style : column->style;
        if (column->wraps) {
            add_spaces(&show->text, column->gap);
            add_wrapped(show, buffer_get(&texts[k]), at, at, show->width, style);
        } else
            put(show, buffer_get(&texts[k]), column, widths[k], style);
    }
    for (size_t k = 0; k < layout->count; k++)
        buffer_free(&texts[k]);
    free(texts);
    free(widths);
}

/* Adds the headings of groups, if there are any, or those of columns. */
static bool add_headings(struct show *show, const struct layout *layout, bool groups, size_t from,
                         size_t to)
{
    bool any = false;
    for (size_t k = from, count; k < to; k += count) {
        const struct column *column = column_at(layout, k);
        count = groups ? span(layout, k, to) : 1;
        while (!groups && !column->right && k + count < to &&
               !*column_at(layout, k + count)->heading)
            count++;
        size_t width = width_of(layout, k, k + count) - column->gap;
        const char *text = groups ? group_at(layout, k) : column->heading;
        any |= *text != 0;
        width = columns_of(text) > width && k + count == to ? columns_of(text) : width;
        put(show, text, column, width, groups ? BOLD : layout->rows->heading);
    }
    return any;
}

/* Adds the key columns, and the columns from `from` to `to`. */
static void add_part(struct show *show, const struct layout *layout, size_t from, size_t to)
{
    const struct rows *rows = layout->rows;
    size_t keys = from ? rows->keys : 0;
    for (int groups = 1; groups >= 0 && !rows->bare && !rows->begun; groups--) {
        size_t before = show->text.length;
        bool any = add_headings(show, layout, groups, 0, keys);
        any |= add_headings(show, layout, groups, from, to);
        if (any)
            end_line(show);
        else
            show->text.length = before;
    }
    for (size_t r = 0; r < rows->row_count; r++) {
        const struct row *row = &rows->rows[r];
        if (!visible(row->where, IN_TABLE))
            continue;
        if (row->line) {
            add_spaces(&show->text, row->indent);
            add_wrapped(show, rows_cell(rows, row, 0).shown, row->indent, row->indent, show->width,
                        PLAIN);
        } else {
            add_row(show, layout, row, 0, keys);
            add_row(show, layout, row, from, to);
        }
        end_line(show);
    }
}

/* The end of the part that starts at `from` and has this many groups of columns. */
static size_t part_end(const struct layout *layout, size_t from, size_t groups)
{
    while (groups-- && from < layout->count)
        from += span(layout, from, layout->count);
    return from;
}

/* The number of groups of columns side by side, balanced over the parts: 3 and 2 rather than 4 and
 * 1. */
static size_t groups_beside(const struct layout *layout, size_t keys, size_t width)
{
    size_t groups = 0, beside = 0;
    for (size_t k = keys; k < layout->count; k = part_end(layout, k, 1))
        groups++;
    for (size_t parts = 1; parts <= groups; parts++) {
        bool fits = true;
        beside = (groups + parts - 1) / parts;
        for (size_t k = keys, end; k < layout->count; k = end) {
            end = part_end(layout, k, beside);
            fits &= width_of(layout, 0, keys) + width_of(layout, k, end) <= width;
        }
        if (fits)
            break;
    }
    return beside;
}

static void terminal_rows(struct show *show, struct rows *rows, bool last)
{
    struct layout layout;
    (void)last;
    lay_out(&layout, rows, show->width);
    if (!rows->keys)
        add_part(show, &layout, 0, layout.count);
    size_t beside = rows->keys ? groups_beside(&layout, rows->keys, show->width) : 0;
    for (size_t k = rows->keys, end; rows->keys && k < layout.count; k = end) {
        end = part_end(&layout, k, beside);
        buffer_text(&show->text, k > rows->keys ? "\n" : "");
        add_part(show, &layout, k, end);
    }
    for (size_t k = 0; k <= layout.count; k++)
        for (size_t n = 0; n < layout.cuts[k].count; n++)
            if (strcmp(layout.cuts[k].names[n], layout.cuts[k].cut[n]) != 0)
                buffer_format(&show->text, "%s is %s\n", layout.cuts[k].cut[n],
                              layout.cuts[k].names[n]);
    layout_free(&layout);
}

static void terminal_pair(struct show *show, struct rows *left, struct rows *right, size_t gap)
{
    struct layout layouts[2];
    lay_out(&layouts[0], left, show->width);
    lay_out(&layouts[1], right, show->width);
    size_t lines = left->row_count > right->row_count ? left->row_count : right->row_count;
    for (size_t r = 0; r <= lines; r++) { /* 0: headings */
        for (size_t side = 0; side < 2; side++) {
            const struct layout *layout = &layouts[side];
            add_spaces(&show->text, side ? gap : 0);
            if (!r)
                add_headings(show, layout, false, 0, layout->count);
            else if (r <= layout->rows->row_count)
                add_row(show, layout, &layout->rows->rows[r - 1], 0, layout->count);
            else
                add_spaces(&show->text, width_of(layout, 0, layout->count));
        }
        end_line(show);
    }
    layout_free(&layouts[0]);
    layout_free(&layouts[1]);
}

const struct show_form show_terminal = {.where = IN_TABLE,
                                        .open = terminal_open,
                                        .title = terminal_title,
                                        .note = terminal_note,
                                        .chart = terminal_chart,
                                        .fact = terminal_fact,
                                        .json = show_json_for_people,
                                        .section = terminal_section,
                                        .rows = terminal_rows,
                                        .pair = terminal_pair};
