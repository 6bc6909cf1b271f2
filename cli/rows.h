/* Tables of typed cells. They are filled independently of the output format, which is handled by
 * show.h.
 *
 * Text for people may change its style inside: STYLE_BOLD "king" STYLE_PLAIN. Data that becomes
 * part of such text should go through cell_text(), which replaces control characters, so that it
 * cannot change the style. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "memory.h"

#include <stdbool.h>
#include <stdint.h>

enum style { PLAIN, BOLD, DIM, RED, YELLOW, CYAN, GREEN, STYLES };
#define STYLE_MARK '\1' /* followed by the style as a digit; it takes no column on the screen */
#define STYLE_PLAIN "\0010"
#define STYLE_BOLD "\0011"
#define STYLE_DIM "\0012"
#define STYLE_RED "\0013"
#define STYLE_YELLOW "\0014"
#define STYLE_CYAN "\0015"
#define STYLE_GREEN "\0016"
#define STYLE_SPACE "\001_" /* a non-breaking space */

/* The length of a style at the start of the text, 0 if there is none; and of the text before the next
 * style or line end, at least 1. The text is not empty. */
size_t style_length(const char *text);
size_t text_length(const char *text);

/* Formats in which something appears; 0: in all. */
enum {
    IN_TABLE = 1,
    IN_MARKDOWN = 2,
    IN_TSV = 4,
    IN_JSON = 8,
    FOR_PEOPLE = IN_TABLE | IN_MARKDOWN,
    FOR_PROGRAMS = IN_TSV | IN_JSON
};

enum cell_kind { CELL_NONE, CELL_TEXT, CELL_WHOLE, CELL_REAL, CELL_TRUTH, CELL_JSON, CELL_BAR };

struct cell {
    enum cell_kind kind;
    enum style style; /* PLAIN: the style of the column */
    uint64_t whole;
    double real;       /* also the share of a bar that is filled */
    const char *text;  /* of TEXT and JSON; NULL: there is no value */
    const char *shown; /* replaces the value in output for people; NULL: the value */
    size_t length;     /* of the text */
};

struct cell no_cell(void); /* omitted in JSON */
struct cell text_cell(const char *text);
struct cell word_cell(const char *text, size_t length);
struct cell whole_cell(uint64_t number);
struct cell real_cell(double number); /* not finite: there is no value */
struct cell truth_cell(bool truth);
struct cell json_cell(const char *json);
struct cell bar_cell(double share);
struct cell shown_as(struct cell cell, const char *shown);
struct cell styled_as(struct cell cell, enum style style);

/* Digits: n after the point, or -n significant ones, or with 0 all that are needed. */
struct column {
    const char *name;    /* in machine-readable formats; NULL: omitted there */
    const char *heading; /* in output for people; NULL: omitted there */
    const char *group;   /* a heading above adjacent columns with the same group */
    unsigned where;      /* formats with this column; 0: all */
    enum style style;
    int digits, exact; /* digits in output for people, and in machine-readable formats */
    bool sign;         /* with a plus sign, in output for people */
    bool right;        /* right-aligned */
    bool names;        /* shortened in the middle, with notes that give the full names */
    bool wraps;        /* the last column: wrapped to additional lines */
    bool rest;         /* uses the width that the other columns leave; shortened in the middle */
    size_t gap;        /* spaces before it */
    size_t width;      /* columns on a terminal; 0: as many as its cells need */
    size_t most;       /* then the maximum; 0: no limit */
};

#define COLUMN(name_, heading_, ...)                                                               \
    {                                                                                              \
        .name = (name_), .heading = (heading_), __VA_ARGS__                                        \
    }
#define DATA(name_)                                                                                \
    {                                                                                              \
        .name = (name_)                                                                            \
    }
#define NUMBERS(name_, heading_, digits_, exact_, ...)                                             \
    {                                                                                              \
        .name = (name_), .heading = (heading_), .digits = (digits_), .exact = (exact_),            \
        .right = true, __VA_ARGS__                                                                 \
    }
#define BARS(...)                                                                                  \
    {                                                                                              \
        .heading = "", .where = IN_TABLE, .style = CYAN, __VA_ARGS__                               \
    }

/* A cell whose texts are in rows->texts. */
struct kept_cell {
    struct cell cell;
    size_t text, shown;
};

struct row {
    size_t first;   /* cell */
    unsigned where; /* as for a column */
    bool line;      /* its only cell is a line across all columns, for people */
    size_t indent;  /* of that */
};

struct rows {
    const char *name; /* of the array in JSON */
    unsigned where;
    const struct column *columns;
    size_t column_count;
    bool bare;          /* no headings on a terminal */
    bool merged;        /* in JSON, the members of its rows belong to the surrounding object */
    bool begun;         /* some of it has been shown */
    enum style heading; /* style of these */
    size_t keys;        /* first columns, repeated if the others must be divided; 0: never */
    size_t group_most;  /* maximum width of a group's heading on a terminal; 0: no limit */

    struct kept_cell *cells;
    size_t cell_count, cell_capacity;
    struct row *rows;
    size_t row_count, row_capacity;
    struct buffer texts;
};

#define ROWS(name_, where_, columns_)                                                              \
    {                                                                                              \
        .name = (name_), .columns = (columns_),                                                    \
        .column_count = sizeof(columns_) / sizeof *(columns_), .where = (where_)                   \
    }
/* Adds a row; texts are copied. */
#define rows_add(rows, ...)                                                                        \
    rows_add_cells(rows, (const struct cell[]){__VA_ARGS__},                                       \
                   sizeof(const struct cell[]){__VA_ARGS__} / sizeof(struct cell))
void rows_add_cells(struct rows *rows, const struct cell *cells, size_t count);
/* Adds a cell to the last row, for rows whose cells are not known at once. */
void rows_more(struct rows *rows, struct cell cell);
/* Adds a line between the rows, in output for people: wrapped, with all lines but the first
 * indented. */
void rows_line(struct rows *rows, size_t indent, const char *text);
/* Restricts the last row to these formats. */
void rows_only(struct rows *rows, unsigned where);
/* Removes all rows. */
void rows_clear(struct rows *rows);
void rows_free(struct rows *rows);

/* A growing JSON array of strings; list_get(): "[]" while it is empty. */
void list_add(struct buffer *list, const char *text, size_t length);
const char *list_get(const struct buffer *list);

/* ---- For the output formats ---------------------------------------------------------------- */

/* The k-th cell of a row, or none; its texts are valid until rows are added. */
struct cell rows_cell(const struct rows *rows, const struct row *row, size_t k);
bool column_visible(const struct column *column, unsigned where);
bool visible(unsigned where, unsigned there);

/* Adds a value as in output for people, and as in TSV. */
void cell_for_people(struct buffer *to, const struct cell *cell, const struct column *column);
void cell_for_tsv(struct buffer *to, const struct cell *cell, int exact);
/* Adds text with tabs, line ends and backslashes escaped as \t, \n, \r and \\. */
void escape_tsv(struct buffer *to, const char *text, size_t length);

#endif
