/* Tables of typed cells: filling them, and converting values to text. */
#include "rows.h"

#include "cell.h"
#include "phrase.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cells --------------------------------------------------------------------------------- */

struct cell no_cell(void)
{
    return (struct cell){.kind = CELL_NONE};
}

struct cell word_cell(const char *text, size_t length)
{
    return (struct cell){.kind = CELL_TEXT, .text = text, .length = length};
}

struct cell text_cell(const char *text)
{
    return word_cell(text, text ? strlen(text) : 0);
}

struct cell whole_cell(uint64_t number)
{
    return (struct cell){.kind = CELL_WHOLE, .whole = number};
}

struct cell real_cell(double number)
{
    return (struct cell){.kind = CELL_REAL, .real = number};
}

struct cell truth_cell(bool truth)
{
    return (struct cell){.kind = CELL_TRUTH, .whole = truth};
}

struct cell json_cell(const char *json)
{
    return (struct cell){.kind = CELL_JSON, .text = json, .length = json ? strlen(json) : 0};
}

struct cell bar_cell(double share)
{
    return (struct cell){.kind = CELL_BAR, .real = share};
}

struct cell shown_as(struct cell cell, const char *shown)
{
    cell.shown = shown;
    return cell;
}

struct cell styled_as(struct cell cell, enum style style)
{
    cell.style = style;
    return cell;
}

void list_add(struct buffer *list, const char *text, size_t length)
{
    if (list->length)
        list->length--; /* the bracket */
    buffer_text(list, list->length ? ", " : "[");
    buffer_json(list, text, length);
    buffer_char(list, ']');
}

const char *list_get(const struct buffer *list)
{
    return list->length ? list->text : "[]";
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Returns the offset of a copy of the text. */
static size_t copy_text(struct rows *rows, const char *text, size_t length)
{
    size_t at = rows->texts.length;
    if (text) {
        buffer_add(&rows->texts, text, length);
        buffer_char(&rows->texts, '\0');
    }
    return at;
}

void rows_more(struct rows *rows, struct cell cell)
{
    if (rows->cell_count == rows->cell_capacity) {
        rows->cell_capacity = 2 * rows->cell_capacity + 64;
        rows->cells = must_grow(rows->cells, rows->cell_capacity, sizeof *rows->cells);
    }
    struct kept_cell *kept = &rows->cells[rows->cell_count++];
    kept->cell = cell;
    kept->text = copy_text(rows, cell.text, cell.length);
    kept->shown = copy_text(rows, cell.shown, cell.shown ? strlen(cell.shown) : 0);
}

void rows_add_cells(struct rows *rows, const struct cell *cells, size_t count)
{
    if (rows->row_count == rows->row_capacity) {
        rows->row_capacity = 2 * rows->row_capacity + 16;
        rows->rows = must_grow(rows->rows, rows->row_capacity, sizeof *rows->rows);
    }
    rows->rows[rows->row_count++] = (struct row){.first = rows->cell_count};
    for (size_t k = 0; k < count; k++)
        rows_more(rows, cells[k]);
}

void rows_line(struct rows *rows, size_t indent, const char *text)
{
    rows_add(rows, shown_as(no_cell(), text));
    struct row *row = &rows->rows[rows->row_count - 1];
    *row = (struct row){.first = row->first, .where = FOR_PEOPLE, .line = true, .indent = indent};
}

void rows_only(struct rows *rows, unsigned where)
{
    rows->rows[rows->row_count - 1].where = where;
}

void rows_clear(struct rows *rows)
{
    rows->row_count = rows->cell_count = 0;
    buffer_clear(&rows->texts);
}

void rows_free(struct rows *rows)
{
    rows_clear(rows);
    free(rows->cells);
    free(rows->rows);
    buffer_free(&rows->texts);
    rows->cells = NULL;
    rows->rows = NULL;
    rows->cell_capacity = rows->row_capacity = 0;
}

struct cell rows_cell(const struct rows *rows, const struct row *row, size_t k)
{
    size_t at = row->first + k;
    size_t end = row + 1 < rows->rows + rows->row_count ? row[1].first : rows->cell_count;
    if (at >= end)
        return no_cell();
    const struct kept_cell *kept = &rows->cells[at];
    struct cell cell = kept->cell;
    cell.text = cell.text ? rows->texts.text + kept->text : NULL;
    cell.shown = cell.shown ? rows->texts.text + kept->shown : NULL;
    return cell;
}

bool visible(unsigned where, unsigned there)
{
    return !where || (where & there);
}

bool column_visible(const struct column *column, unsigned where)
{
    return visible(column->where, where) && (where & FOR_PEOPLE ? column->heading : column->name);
}

size_t style_length(const char *text)
{
    return *text == STYLE_MARK && (text[1] == '_' || (text[1] >= '0' && text[1] < '0' + STYLES))
               ? 2
               : 0;
}

size_t text_length(const char *text)
{
    size_t length = 1;
    if (*text != '\n')
        length += strcspn(text + 1, (const char[]){STYLE_MARK, '\n', 0});
    return length;
}

/* ---- Text ---------------------------------------------------------------------------------- */

/* A number with `digits` as in a column. */
static void add_digits(struct buffer *to, double number, int digits)
{
    char text[400];
    if (digits > 0)
        snprintf(text, sizeof text, "%.*f", digits, number);
    else if (digits < 0)
        snprintf(text, sizeof text, "%.*g", -digits, number);
    else /* the fewest that read back as the same bits */
        for (int k = 15; k <= 17; k++) {
            snprintf(text, sizeof text, "%.*g", k, number);
            if (strtod(text, NULL) == number)
                break;
        }
    buffer_text(to, text);
}

void cell_for_people(struct buffer *to, const struct cell *cell, const struct column *column)
{
    struct buffer plain = {0};
    if (cell->shown)
        buffer_text(to, cell->shown);
    else if (cell->kind == CELL_WHOLE)
        buffer_text(to, human_count(cell->whole).text);
    else if (cell->kind == CELL_REAL && isfinite(cell->real)) {
        buffer_text(to, column->sign && cell->real >= 0 ? "+" : "");
        add_digits(to, cell->real, column->digits);
    } else if (cell->kind == CELL_REAL)
        buffer_char(to, '-');
    else if (cell->kind == CELL_TRUTH)
        buffer_text(to, cell->whole ? "yes" : "no");
    else if (cell->kind == CELL_JSON && cell->text)
        json_plain(&plain, cell->text, cell->length);
    else if (cell->kind == CELL_TEXT && cell->text)
        buffer_add(&plain, cell->text, cell->length);
    cell_text(to, buffer_get(&plain), plain.length);
    buffer_free(&plain);
}

void cell_for_tsv(struct buffer *to, const struct cell *cell, int exact)
{
    if (cell->kind == CELL_WHOLE)
        buffer_format(to, "%" PRIu64, cell->whole);
    else if (cell->kind == CELL_REAL && isfinite(cell->real))
        add_digits(to, cell->real, exact);
    else if (cell->kind == CELL_TRUTH)
        buffer_text(to, cell->whole ? "true" : "false");
    else if (cell->text)
        escape_tsv(to, cell->text, cell->length);
}

void escape_tsv(struct buffer *to, const char *text, size_t length)
{
    static const char from[] = "\t\n\r\\", into[] = "tnr\\";
    for (size_t k = 0; k < length; k++) {
        const char *special = text[k] ? strchr(from, text[k]) : NULL;
        if (special)
            buffer_char(to, '\\');
        buffer_char(to, special ? into[special - from] : text[k]);
    }
}
