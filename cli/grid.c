/* Laying out tables. */
#include "grid.h"

#include "cell.h"
#include "utf8.h"
#include "wrap.h"

#include <stdlib.h>
#include <string.h>

void grid_start(struct grid *grid, const struct grid_column *columns, size_t count,
                const char *plain)
{
    *grid = (struct grid){.columns = columns, .column_count = count, .plain = plain};
}

void grid_free(struct grid *grid)
{
    for (size_t k = 0; k < grid->cell_count; k++)
        buffer_free(&grid->cells[k].text);
    free(grid->cells);
    *grid = (struct grid){0};
}

/* The cell that is being filled: one without a span. */
static struct grid_cell *open_cell(struct grid *grid)
{
    if (grid->cell_count == 0 || grid->cells[grid->cell_count - 1].span) {
        if (grid->cell_count == grid->cell_room) {
            grid->cell_room = 2 * grid->cell_room + 64;
            grid->cells = must_grow(grid->cells, grid->cell_room, sizeof *grid->cells);
        }
        grid->cells[grid->cell_count++] = (struct grid_cell){0};
    }
    return &grid->cells[grid->cell_count - 1];
}

void grid_add(struct grid *grid, const char *style, const char *text)
{
    struct grid_cell *cell = open_cell(grid);
    size_t most = grid->columns[grid->at].most;
    struct buffer safe = {0};
    if (most)
        shorten(&safe, text, most);
    else
        cell_text(&safe, text, strlen(text));
    cell->width += utf8_columns(buffer_get(&safe), safe.length);
    buffer_format(&cell->text, "%s%s%s", style, buffer_get(&safe), *style ? grid->plain : "");
    buffer_free(&safe);
}

void grid_format(struct grid *grid, const char *style, const char *format, ...)
{
    struct buffer text = {0};
    va_list list;
    va_start(list, format);
    buffer_vformat(&text, format, list);
    va_end(list);
    grid_add(grid, style, buffer_get(&text));
    buffer_free(&text);
}

void grid_next(struct grid *grid, size_t span)
{
    open_cell(grid)->span = span;
    grid->at = (grid->at + span) % grid->column_count;
}

void grid_row(struct grid *grid)
{
    if (grid->at)
        grid_next(grid, grid->column_count - grid->at);
}

/* Columns `at` to `at + span` with the gaps between them. */
static size_t span_width(const struct grid *grid, const size_t *widths, size_t at, size_t span)
{
    size_t width = 0;
    for (size_t k = at; k < at + span; k++)
        width += widths[k] + (k > at ? grid->columns[k].gap : 0);
    return width;
}

/* On the heap. What spans columns and is wider than they are widens the first. */
static size_t *find_widths(const struct grid *grid)
{
    size_t *widths = must_alloc(grid->column_count, sizeof *widths);
    for (int spanning = 0; spanning < 2; spanning++) {
        size_t at = 0;
        for (size_t k = 0; k < grid->cell_count; k++) {
            const struct grid_cell *cell = &grid->cells[k];
            size_t width = span_width(grid, widths, at, cell->span);
            if ((cell->span > 1) == (spanning == 1) && cell->width > width)
                widths[at] += cell->width - width;
            at = (at + cell->span) % grid->column_count;
        }
    }
    return widths;
}

size_t grid_width(const struct grid *grid)
{
    size_t *widths = find_widths(grid);
    size_t width = grid->columns[0].gap + span_width(grid, widths, 0, grid->column_count);
    free(widths);
    return width;
}

void grid_print(struct buffer *to, const struct grid *grid)
{
    size_t *widths = find_widths(grid), at = 0;
    for (size_t k = 0; k < grid->cell_count; k++) {
        const struct grid_cell *cell = &grid->cells[k];
        size_t padding = span_width(grid, widths, at, cell->span) - cell->width;
        const struct grid_column *column = &grid->columns[at];
        add_spaces(to, column->gap + (column->right ? padding : 0));
        buffer_add(to, buffer_get(&cell->text), cell->text.length);
        at = (at + cell->span) % grid->column_count;
        if (at == 0) {
            drop_spaces(to);
            buffer_char(to, '\n');
        } else {
            add_spaces(to, column->right ? 0 : padding);
        }
    }
    free(widths);
}

void shorten(struct buffer *to, const char *name, size_t columns)
{
    struct buffer safe = {0};
    size_t head, used;
    cell_text(&safe, name, strlen(name));
    const char *text = buffer_get(&safe);
    if (utf8_columns(text, safe.length) <= columns) {
        buffer_text(to, text);
    } else if (columns) {
        head = utf8_fit(text, safe.length, columns / 2, &used);
        size_t tail = head;
        while (utf8_columns(text + tail, safe.length - tail) > columns - 1 - used) {
            size_t bytes = pv_utf8_sequence(text + tail, safe.length - tail);
            tail += bytes ? bytes : 1;
        }
        buffer_add(to, text, head);
        buffer_text(to, "…");
        buffer_text(to, text + tail);
    }
    buffer_free(&safe);
}
