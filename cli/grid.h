/* Tables whose columns are as wide as what stands in them.
 *
 * Cells are filled from left to right and from top to bottom; a cell may be made of
 * parts in several colours, and may span columns, as a heading does. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "memory.h"

#include <stdbool.h>

struct grid_column {
    size_t gap;  /* spaces before it */
    bool right;  /* its cells end, rather than begin, under each other */
    size_t most; /* wider text is cut in the middle; 0: no limit */
};

struct grid_cell {
    struct buffer text; /* with escape sequences */
    size_t width, span; /* terminal columns; columns of the grid */
};

struct grid {
    const struct grid_column *columns;
    size_t column_count;
    struct grid_cell *cells; /* the last one is being filled */
    size_t cell_count, cell_room, at;
    const char *plain; /* ends a style */
};

/* `columns` must outlive the grid; `plain` is the palette's. */
void grid_start(struct grid *grid, const struct grid_column *columns, size_t count,
                const char *plain);
void grid_free(struct grid *grid);
/* Adds to the cell that is being filled; `style` is an escape sequence or empty. Control
 * characters become a replacement sign. */
void grid_add(struct grid *grid, const char *style, const char *text);
void grid_format(struct grid *grid, const char *style, const char *format, ...) CLI_PRINTF(3, 4);
/* Ends the cell, which takes `span` columns: at most those left in the row. */
void grid_next(struct grid *grid, size_t span);
/* Ends the row; what is left of it stays empty. */
void grid_row(struct grid *grid);
/* The width of the widest line. */
size_t grid_width(const struct grid *grid);
void grid_print(struct buffer *to, const struct grid *grid);

/* `name` in at most `columns` columns: cut in the middle, as names differ at their ends. */
void shorten(struct buffer *to, const char *name, size_t columns);

#endif
