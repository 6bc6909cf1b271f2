/* Reports for people: a table for one model with intervals, one for several models side by
 * side, and what must be known to read them.
 *
 * Both fit 80 columns. Of many models, as many stand side by side as the terminal holds; the
 * others follow in tables of their own, and "best" still means best of all. */
#include "cell.h"
#include "eval_names.h"
#include "eval_print.h"
#include "grid.h"
#include "wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 80
#define NAME_COLUMNS 28       /* of sets and sections ... */
#define NAME_COLUMNS_LEAST 18 /* ... or where models would not fit beside each other */
#define LABEL_COLUMNS 11      /* of a model's name over its scores */
#define BAR_LEAST 8
#define BAR_MOST 20
#define LOW_COVERAGE 0.8

/* How wide things are, and what they are called in that room. */
struct layout {
    size_t name_columns, bar_columns;
    size_t side_by_side; /* models */
    char **sets, **labels;
    bool same;     /* the names of the sets were not cut */
    bool sections; /* are shown */
};

/* True if the row above is about the same set and section. */
static bool repeats(const struct eval *eval, size_t r)
{
    const struct eval_row *row = &eval->rows[r], *above = row - 1;
    if (r == 0 || above->set != row->set || !above->section != !row->section)
        return false;
    return !row->section || !strcmp(above->section, row->section);
}

static const char *coverage_style(const struct eval *eval, const psdvec_score *score)
{
    const struct palette *palette = &eval->run->palette;
    return (double)score->known < LOW_COVERAGE * score->total ? palette->yellow : palette->dim;
}

static void cell_value(struct grid *grid, const char *style, double value)
{
    struct buffer text = {0};
    eval_value(&text, value);
    grid_add(grid, style, text.text);
    grid_next(grid, 1);
    buffer_free(&text);
}

/* The name of the set, or that of the section below it; nothing if it stands above already.
 * Then the measure. */
static void cell_name(struct grid *grid, const struct eval *eval, const struct layout *layout,
                      size_t r)
{
    const struct eval_row *row = &eval->rows[r];
    if (repeats(eval, r))
        ;
    else if (row->section)
        grid_format(grid, "", "  %s", row->section);
    else
        grid_add(grid, "", layout->sets[row->set]);
    grid_next(grid, 1);
    grid_add(grid, eval->run->palette.dim, measure_names[row->measure]);
    grid_next(grid, 1);
}

static void cell_percent(struct grid *grid, const struct eval *eval, const psdvec_score *score)
{
    struct buffer percent = {0};
    eval_percent(&percent, score);
    grid_add(grid, coverage_style(eval, score), percent.text);
    grid_next(grid, 1);
    buffer_free(&percent);
}

static void cell_heading(struct grid *grid, const struct eval *eval, const char *text, size_t span)
{
    grid_add(grid, eval->run->palette.dim, text);
    grid_next(grid, span);
}

/* ---- One model ------------------------------------------------------------------- */

static void cell_score_bar(struct grid *grid, const struct eval *eval, double value, size_t columns)
{
    struct buffer bar = {0};
    cell_bar(&bar, value, columns, terminal_unicode());
    if (columns)
        grid_add(grid, eval->run->palette.cyan, bar.text);
    grid_next(grid, 1);
    buffer_free(&bar);
}

static void cell_interval(struct grid *grid, const struct eval *eval, const psdvec_score *score)
{
    const char *style = eval->run->palette.dim;
    if (isnan(score->low) || isnan(score->high)) {
        grid_next(grid, 3);
        return;
    }
    cell_value(grid, style, score->low);
    grid_add(grid, style, terminal_unicode() ? "–" : "-");
    grid_next(grid, 1);
    cell_value(grid, style, score->high);
}

static void fill_one(struct grid *grid, const struct eval *eval, const struct layout *layout)
{
    struct buffer interval = {0};
    if (eval->options.resamples)
        buffer_format(&interval, "%g%% interval", 100 * eval->options.confidence);
    cell_heading(grid, eval, "set", 1);
    cell_heading(grid, eval, "measure", 1);
    cell_heading(grid, eval, "score", 1);
    grid_next(grid, 1);
    cell_heading(grid, eval, buffer_get(&interval), 3);
    cell_heading(grid, eval, "known", 3);
    buffer_free(&interval);
    for (size_t r = 0; r < eval->row_count; r++) {
        const psdvec_score *score = eval->rows[r].scores;
        const char *style = coverage_style(eval, score);
        if (!eval_shown(&eval->rows[r], layout->sections))
            continue;
        cell_name(grid, eval, layout, r);
        cell_value(grid, eval->run->palette.bold, score->value);
        cell_score_bar(grid, eval, score->value, layout->bar_columns);
        cell_interval(grid, eval, score);
        grid_format(grid, style, "%" PRIu32, score->known);
        grid_next(grid, 1);
        grid_format(grid, style, "/%" PRIu32, score->total);
        grid_next(grid, 1);
        cell_percent(grid, eval, score);
    }
}

static void add_one(struct buffer *to, const struct eval *eval, struct layout *layout)
{
    struct grid_column columns[] = {{.most = layout->name_columns},
                                    {.gap = 2},
                                    {.gap = 2, .right = true}, /* the score, and its bar */
                                    {.gap = 0},
                                    {.gap = 2, .right = true}, /* from ... to */
                                    {.gap = 1},
                                    {.gap = 1, .right = true},
                                    {.gap = 2, .right = true}, /* known, of so many, share */
                                    {.gap = 0},
                                    {.gap = 2, .right = true}};
    const struct palette *palette = &eval->run->palette;
    struct grid grid;
    size_t count = sizeof columns / sizeof *columns;
    grid_start(&grid, columns, count, "");
    fill_one(&grid, eval, layout);
    size_t width = grid_width(&grid) + 1;
    grid_free(&grid);
    if (width + BAR_LEAST <= WIDTH) { /* the rest of the line is for bars */
        layout->bar_columns = WIDTH - width < BAR_MOST ? WIDTH - width : BAR_MOST;
        columns[3].gap = 1;
    }
    buffer_text(to, palette->bold);
    cell_text(to, eval->model_files.paths[0], strlen(eval->model_files.paths[0]));
    buffer_format(to, "%s  ", palette->plain);
    eval_facts(to, eval->models[0]);
    buffer_text(to, "\n\n");
    grid_start(&grid, columns, count, palette->plain);
    fill_one(&grid, eval, layout);
    grid_print(to, &grid);
    grid_free(&grid);
}

/* ---- Several --------------------------------------------------------------------- */

enum { NAMING = 2, PER_MODEL = 3 }; /* columns of the grid */

/* One model's score, mark and share of known questions. */
static void cell_model(struct grid *grid, const struct eval *eval, const struct eval_row *row,
                       size_t best, size_t model)
{
    const struct palette *palette = &eval->run->palette;
    const psdvec_score *score = &row->scores[model];
    struct eval_marks marks = eval_marks();
    bool is_best = best != SIZE_MAX && score->value == row->scores[best].value;
    cell_value(grid, is_best ? palette->bold : "", score->value);
    if (is_best && !row->section)
        grid_add(grid, palette->green, marks.best);
    else if (!is_best && eval_is_worse(eval, row, best, model))
        grid_add(grid, palette->red, marks.worse);
    else
        grid_add(grid, "", " ");
    grid_next(grid, 1);
    cell_percent(grid, eval, score);
}

/* The table of `count` models from `first` on. */
static void fill_several(struct grid *grid, const struct eval *eval, const struct layout *layout,
                         size_t first, size_t count)
{
    cell_heading(grid, eval, "set", 1);
    cell_heading(grid, eval, "measure", 1);
    for (size_t m = first; m < first + count; m++) {
        grid_add(grid, eval->run->palette.bold, layout->labels[m]);
        grid_next(grid, PER_MODEL);
    }
    for (size_t r = 0; r < eval->row_count; r++) {
        const struct eval_row *row = &eval->rows[r];
        size_t best = eval_best(eval, row);
        if (!eval_shown(row, layout->sections))
            continue;
        cell_name(grid, eval, layout, r);
        for (size_t m = first; m < first + count; m++)
            cell_model(grid, eval, row, best, m);
    }
}

static struct grid_column *columns_for(const struct layout *layout)
{
    size_t count = NAMING + PER_MODEL * layout->side_by_side;
    struct grid_column *columns = must_alloc(count, sizeof *columns);
    columns[0].most = layout->name_columns;
    columns[1].gap = 2;
    for (size_t k = NAMING; k < count; k += PER_MODEL) {
        columns[k] = (struct grid_column){.gap = 3, .right = true};
        columns[k + 1] = (struct grid_column){.gap = 0};
        columns[k + 2] = (struct grid_column){.gap = 1, .right = true};
    }
    return columns;
}

/* The tables, one below the other; returns the width of the widest. `to` may be NULL. */
static size_t add_groups(struct buffer *to, const struct eval *eval, const struct layout *layout)
{
    size_t models = eval->model_files.count, widest = 0;
    struct grid_column *columns = columns_for(layout);
    for (size_t first = 0, count; first < models; first += count) {
        struct grid grid;
        count = models - first < layout->side_by_side ? models - first : layout->side_by_side;
        grid_start(&grid, columns, NAMING + PER_MODEL * count, eval->run->palette.plain);
        fill_several(&grid, eval, layout, first, count);
        size_t width = grid_width(&grid);
        widest = width > widest ? width : widest;
        if (to) {
            buffer_char(to, '\n');
            grid_print(to, &grid);
        }
        grid_free(&grid);
    }
    free(columns);
    return widest;
}

static void name_sets(const struct eval *eval, struct layout *layout, size_t columns)
{
    names_free(layout->sets, eval->set_files.count);
    layout->name_columns = columns;
    layout->sets =
        names_short(eval->set_files.names, eval->set_files.count, columns, &layout->same);
}

/* As many models side by side as fit; shorter names of sets only if that helps. */
static void lay_out(const struct eval *eval, struct layout *layout)
{
    size_t models = eval->model_files.count, width = WIDTH;
    if (isatty(STDOUT_FILENO) && terminal_width(STDOUT_FILENO) > width)
        width = terminal_width(STDOUT_FILENO);
    layout->side_by_side = models;
    if (add_groups(NULL, eval, layout) <= width)
        return;
    name_sets(eval, layout, NAME_COLUMNS_LEAST);
    /* By the number of tables: 3 and 2 models rather than 4 and 1. */
    for (size_t groups = 1; groups <= models; groups++) {
        layout->side_by_side = (models + groups - 1) / groups;
        if (add_groups(NULL, eval, layout) <= width)
            return;
    }
}

static void add_legend(struct buffer *to, const struct eval *eval, const struct layout *layout)
{
    const struct grid_column columns[] = {{0}, {.gap = 2}, {.gap = 2}};
    struct grid grid;
    grid_start(&grid, columns, 3, eval->run->palette.plain);
    for (size_t m = 0; m < eval->model_files.count; m++) {
        struct buffer facts = {0};
        eval_facts(&facts, eval->models[m]);
        grid_add(&grid, eval->run->palette.bold, layout->labels[m]);
        grid_next(&grid, 1);
        grid_add(&grid, "", eval->model_files.paths[m]);
        grid_next(&grid, 1);
        grid_add(&grid, eval->run->palette.dim, facts.text);
        grid_next(&grid, 1);
        buffer_free(&facts);
    }
    grid_print(to, &grid);
    grid_free(&grid);
}

static void add_several(struct buffer *to, const struct eval *eval, struct layout *layout)
{
    bool same;
    layout->labels =
        names_short(eval->model_files.names, eval->model_files.count, LABEL_COLUMNS, &same);
    lay_out(eval, layout);
    add_legend(to, eval, layout);
    add_groups(to, eval, layout);
    names_free(layout->labels, eval->model_files.count);
}

/* ---- All of it ------------------------------------------------------------------------ */

void eval_wrapped(struct buffer *to, const struct eval *eval, const char *text)
{
    size_t width = WIDTH;
    if (isatty(STDOUT_FILENO) && terminal_width(STDOUT_FILENO) < width)
        width = terminal_width(STDOUT_FILENO);
    for (const char *end; *text; text = end + 1) {
        struct buffer line = {0}, wrapped = {0};
        end = strchr(text, '\n');
        buffer_add(&line, text, (size_t)(end - text));
        wrap(&wrapped, line.text, 0, 0, width);
        buffer_text(to, eval->run->palette.dim);
        buffer_add(to, wrapped.text, wrapped.length - 1);
        buffer_format(to, "%s\n", eval->run->palette.plain);
        buffer_free(&line);
        buffer_free(&wrapped);
    }
}

void eval_table(struct buffer *to, const struct eval *eval, bool sections)
{
    struct layout layout = {.sections = sections};
    struct buffer notes = {0};
    name_sets(eval, &layout, NAME_COLUMNS);
    if (eval->model_files.count > 1)
        add_several(to, eval, &layout);
    else
        add_one(to, eval, &layout);
    buffer_char(to, '\n');
    for (size_t k = 0; k < eval->set_files.count && !layout.same; k++)
        if (strcmp(layout.sets[k], eval->set_files.names[k]) != 0) {
            buffer_format(to, "%s is ", layout.sets[k]);
            cell_text(to, eval->set_files.names[k], strlen(eval->set_files.names[k]));
            buffer_char(to, '\n');
        }
    eval_notes(&notes, eval, false);
    eval_wrapped(to, eval, notes.text);
    buffer_free(&notes);
    names_free(layout.sets, eval->set_files.count);
}
