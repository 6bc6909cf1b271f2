/* The table for a terminal: systems in rows, sets in columns, as many of them side by side as fit;
 * then what each step cost; then how to read it. */
#include "table.h"

#include "cell.h"
#include "eval_names.h"
#include "eval_print.h"
#include "grid.h"
#include "human.h"
#include "wrap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 80       /* where it goes to no terminal; and the most of prose */
#define SET_COLUMNS 12 /* of a set's name */
enum { COST_COLUMNS = 6 };

static size_t line_width(void)
{
    return isatty(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : WIDTH;
}

struct table_marks table_marks(void)
{
    return terminal_unicode() ? (struct table_marks){"▲", "≈"} : (struct table_marks){"^", "~"};
}

/* How it is laid out. */
struct layout {
    const struct table *table;
    struct table_columns columns;
    char **sets; /* short names */
    size_t side_by_side;
};

/* ---- Scores ------------------------------------------------------------------------------------- */

static void cell_score(struct grid *grid, const struct table *table, const struct eval_row *row,
                       size_t model)
{
    const struct palette *palette = &table->run->palette;
    struct table_marks marks = table_marks();
    enum table_mark mark = model == SIZE_MAX ? MARK_NONE : table_mark(table, row, model);
    struct buffer text = {0};
    if (model == SIZE_MAX)
        buffer_char(&text, '-');
    else
        table_value(&text, row->scores[model].value);
    grid_add(grid, mark == MARK_BEST ? palette->bold : "", text.text);
    grid_next(grid, 1);
    grid_add(grid, mark == MARK_BEST ? palette->green : palette->dim,
             mark == MARK_BEST    ? marks.best
             : mark == MARK_ALIKE ? marks.alike
                                  : " ");
    grid_next(grid, 1);
    buffer_free(&text);
}

static void fill_heads(struct grid *grid, const struct layout *layout, size_t first, size_t last)
{
    const struct table_columns *columns = &layout->columns;
    const struct palette *palette = &layout->table->run->palette;
    grid_next(grid, 1);
    for (size_t k = first, span; k < last; k += span) {
        span = table_span(columns, k);
        grid_format(grid, palette->bold, "%s ", layout->sets[columns->rows[k]->set]);
        grid_next(grid, 2 * span);
    }
    grid_next(grid, 1);
    for (size_t k = first; k < last; k++) {
        grid_add(grid, palette->dim, measure_heads[columns->rows[k]->measure]);
        grid_next(grid, 1);
        grid_next(grid, 1);
    }
}

static void fill_known(struct grid *grid, const struct layout *layout, size_t first, size_t last)
{
    const struct table_columns *columns = &layout->columns;
    const struct palette *palette = &layout->table->run->palette;
    grid_add(grid, palette->dim, "known");
    grid_next(grid, 1);
    for (size_t k = first; k < last; k++) {
        struct buffer percent = {0};
        if (k == first || columns->rows[k]->set != columns->rows[k - 1]->set) {
            eval_percent(&percent, columns->rows[k]->scores);
            grid_add(grid, palette->dim, percent.text);
        }
        grid_next(grid, 1);
        grid_next(grid, 1);
        buffer_free(&percent);
    }
}

/* The columns from `first` to `last`; returns their width. `to` may be NULL. */
static size_t add_part(struct buffer *to, const struct layout *layout, size_t first, size_t last)
{
    const struct table *table = layout->table;
    size_t count = 1 + 2 * (last - first);
    struct grid_column *columns = must_alloc(count, sizeof *columns);
    struct grid grid;
    for (size_t k = 1; k < count; k += 2)
        columns[k] = (struct grid_column){.gap = 2, .right = true};
    grid_start(&grid, columns, count, table->run->palette.plain);
    fill_heads(&grid, layout, first, last);
    for (size_t s = 0; s < table->system_count; s++) {
        size_t model = table_model(table, s);
        grid_add(&grid, "", table->systems[s].item.name);
        grid_next(&grid, 1);
        for (size_t k = first; k < last; k++)
            cell_score(&grid, table, layout->columns.rows[k], model);
    }
    fill_known(&grid, layout, first, last);
    size_t width = grid_width(&grid);
    if (to) {
        buffer_char(to, '\n');
        grid_print(to, &grid);
    }
    grid_free(&grid);
    free(columns);
    return width;
}

/* All columns, `side_by_side` sets in a row; returns the width of the widest. */
static size_t add_scores(struct buffer *to, const struct layout *layout)
{
    size_t widest = 0, count = layout->columns.count;
    for (size_t first = 0, last; first < count; first = last) {
        last = first;
        for (size_t sets = 0; last < count && sets < layout->side_by_side; sets++)
            last += table_span(&layout->columns, last);
        size_t width = add_part(to, layout, first, last);
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* By the number of tables: 4 and 3 sets rather than 6 and 1. */
static void lay_out(struct layout *layout)
{
    size_t sets = layout->table->eval.set_files.count, width = line_width();
    for (size_t parts = 1; parts <= sets; parts++) {
        layout->side_by_side = (sets + parts - 1) / parts;
        if (add_scores(NULL, layout) <= width)
            return;
    }
}

/* ---- Costs ---------------------------------------------------------------------------------------- */

static void cell_buffer(struct grid *grid, const char *style, struct buffer *text)
{
    grid_add(grid, style, buffer_get(text));
    grid_next(grid, 1);
    buffer_clear(text);
}

static void cells_cost(struct grid *grid, const struct table_item *item, struct buffer *text)
{
    if (!item->done) {
        grid_add(grid, "", "failed");
        grid_next(grid, 1);
        grid_next(grid, 2);
        return;
    }
    table_time(text, &item->cost, item->cost.seconds);
    cell_buffer(grid, "", text);
    table_time(text, &item->cost, item->cost.cpu);
    cell_buffer(grid, "", text);
    human_bytes(text, (double)item->cost.memory);
    cell_buffer(grid, "", text);
}

/* How counts were made is told only where there are several. */
static void cell_from(struct grid *grid, const struct table *table,
                      const struct table_system *system)
{
    const char *from = "text";
    if (system->source != SIZE_MAX)
        from = table->systems[system->source].item.name;
    else if (system->counts != SIZE_MAX)
        from = table->counts_count > 1 ? table->counts[system->counts].item.name : "counts";
    grid_add(grid, table->run->palette.dim, from);
    grid_next(grid, 1);
}

static void fill_costs(struct grid *grid, const struct grid_column *columns,
                       const struct table *table)
{
    static const char *const heads[COST_COLUMNS] = {"", "time", "CPU", "memory", "numbers", "from"};
    const struct palette *palette = &table->run->palette;
    struct buffer text = {0};
    grid_start(grid, columns, COST_COLUMNS, palette->plain);
    for (size_t k = 0; k < COST_COLUMNS; k++) {
        grid_add(grid, palette->dim, heads[k]);
        grid_next(grid, 1);
    }
    for (size_t k = 0; k < table->counts_count; k++) {
        grid_add(grid, palette->dim, "counting");
        grid_next(grid, 1);
        cells_cost(grid, &table->counts[k].item, &text);
        grid_next(grid, 1);
        buffer_text(&text, "text");
        if (table->counts_count > 1)
            buffer_format(&text, ": %s", table->counts[k].item.name);
        cell_buffer(grid, palette->dim, &text);
    }
    for (size_t k = 0; k < table->system_count; k++) {
        size_t model = table_model(table, k);
        grid_add(grid, "", table->systems[k].item.name);
        grid_next(grid, 1);
        cells_cost(grid, &table->systems[k].item, &text);
        if (model != SIZE_MAX)
            table_numbers(&text, table->eval.models[model]);
        cell_buffer(grid, "", &text);
        cell_from(grid, table, &table->systems[k]);
    }
    buffer_free(&text);
}

static void add_costs(struct buffer *to, const struct table *table)
{
    struct grid_column columns[COST_COLUMNS] = {{.gap = 0}};
    struct grid grid;
    for (size_t k = 1; k < COST_COLUMNS; k++)
        columns[k] = (struct grid_column){.gap = 2, .right = k + 1 < COST_COLUMNS};
    /* The last column has what the others leave, and is one wide at least. */
    size_t *most = &columns[COST_COLUMNS - 1].most;
    *most = 1;
    fill_costs(&grid, columns, table);
    size_t others = grid_width(&grid) - *most;
    grid_free(&grid);
    *most = others < line_width() ? line_width() - others : 1;
    fill_costs(&grid, columns, table);
    buffer_char(to, '\n');
    grid_print(to, &grid);
    grid_free(&grid);
}

/* ---- All of it -------------------------------------------------------------------------------------- */

/* Names of files may hold what steers a terminal. */
static void add_wrapped(struct buffer *to, const char *text, size_t indent)
{
    struct buffer safe = {0};
    cell_text(&safe, text, strlen(text));
    wrap(to, buffer_get(&safe), 0, indent, line_width() < WIDTH ? line_width() : WIDTH);
    buffer_free(&safe);
}

static void add_failure(struct buffer *to, const struct table_item *item, const char *what)
{
    if (!item->failure)
        return;
    char *line = must_format("%s failed: %s", what, item->failure);
    add_wrapped(to, line, 2);
    free(line);
}

static void add_failures(struct buffer *to, const struct table *table)
{
    for (size_t k = 0; k < table->counts_count; k++)
        add_failure(to, &table->counts[k].item, "counting");
    for (size_t k = 0; k < table->system_count; k++)
        add_failure(to, &table->systems[k].item, table->systems[k].item.name);
}

void table_print(struct buffer *to, const struct table *table)
{
    struct layout layout = {.table = table, .columns = table_columns(table)};
    struct table_marks marks = table_marks();
    struct buffer text = {0};
    size_t sets = table->eval.set_files.count;
    bool same;
    layout.sets = names_short(table->eval.set_files.names, sets, SET_COLUMNS, &same);
    table_story(&text, table);
    add_wrapped(to, text.text, 0);
    lay_out(&layout);
    add_scores(to, &layout);
    add_costs(to, table);
    buffer_char(to, '\n');
    add_failures(to, table);
    for (size_t k = 0; k < sets && !same; k++)
        if (strcmp(layout.sets[k], table->eval.set_files.names[k]) != 0) {
            char *line = must_format("%s is %s", layout.sets[k], table->eval.set_files.names[k]);
            add_wrapped(to, line, 2);
            free(line);
        }
    buffer_clear(&text);
    table_notes(&text, table, marks.best, marks.alike);
    eval_wrapped(to, &table->eval, text.text);
    buffer_free(&text);
    names_free(layout.sets, sets);
    free(layout.columns.rows);
}
