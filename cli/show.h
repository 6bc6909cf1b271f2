/* How commands show their results: as a table for people, as tab-separated values, as JSON or as
 * Markdown.
 *
 * A command describes its results once, as documents made of titles, facts, tables and notes. The
 * format determines how they appear:
 *
 *              table              markdown          tsv                     json
 *   document   blank lines between them             -                       an object on a line
 *   title      a line             a paragraph       -                       -
 *   fact       label and value    a table of them   name and value (1)      a member
 *   section    a heading          a heading         "name." before names    an object
 *   rows       a table            a table           lines, with a header    an array of objects
 *   note       a paragraph        a paragraph       -                       -
 *
 * (1) for commands whose result is a sheet of facts rather than rows; then rows are facts, too:
 * "contexts.1.word". */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "rows.h"
#include "run.h"

struct show {
    struct run *run;
    const struct show_form *form;
    bool sheet;         /* facts rather than rows */
    bool compact;       /* no blank lines between documents */
    size_t label_width; /* of facts, on a terminal */
    size_t width;       /* of the terminal; 80 if there is none */
    struct buffer text; /* output that has not been printed yet */

    size_t documents;    /* so far */
    struct buffer path;  /* dotted path of the section */
    unsigned depth;      /* depth of that, within JSON of the library */
    pv_json_writer json; /* of the document */
    uint64_t row_number; /* number of the current row */
    bool begun;          /* Markdown: there is a previous block */
    bool headed;         /* the header line was written; the table of facts was started */
};

/* Uses the format of --format, or another one. */
void show_start(struct show *show, struct run *run, bool sheet);
void show_start_as(struct show *show, struct run *run, bool sheet, enum format format);
/* Prints what was shown; and frees everything. */
void show_flush(struct show *show);
void show_end(struct show *show);

/* A document. */
void show_open(struct show *show);
void show_close(struct show *show);
/* A complete document, for commands with only one. */
void show_begin(struct show *show, struct run *run, bool sheet);
void show_finish(struct show *show);

/* The text may contain styles. */
void show_title(struct show *show, const char *text);
/* The file that a sheet describes, as a title and as a fact. */
void show_path(struct show *show, const char *name, const char *path);
/* A paragraph, dim. */
void show_note(struct show *show, const char *text);
/* A blank line, on a terminal. */
void show_gap(struct show *show);
/* A chart made of characters: complete lines. */
void show_chart(struct show *show, const char *text);

/* A fact: the column has its name, label (heading) and digits. On a terminal, `meaning` follows the
 * value; NULL: none. */
void show_fact(struct show *show, const struct column *column, struct cell cell,
               const char *meaning);
/* Only in machine-readable formats; and only in output for people. */
void show_data(struct show *show, const char *name, struct cell cell);
void show_value(struct show *show, const char *label, const char *format, ...) CLI_PRINTF(3, 4);
/* A JSON value of the library: an object of facts, or a list. Without a title it appears only in
 * machine-readable formats, without a name only in output for people. NULL: null in
 * machine-readable formats, nothing in output for people. */
void show_json(struct show *show, const char *name, const char *title, const char *json);

/* Starts a section of facts and rows. Without a name it appears only in output for people, without
 * a title only in machine-readable formats. */
void show_section(struct show *show, const char *name, const char *title);
void show_section_end(struct show *show, const char *name);

/* Shows all rows, and frees them; or those so far, if more will follow. */
void show_rows(struct show *show, struct rows *rows);
void show_rows_so_far(struct show *show, struct rows *rows);
/* Shows the headings, before there are rows. */
void show_head(struct show *show, struct rows *rows);
/* Shows two tables side by side if the format supports that. Their columns have fixed widths. */
void show_pair(struct show *show, struct rows *left, struct rows *right, size_t gap);

/* ---- Formats --------------------------------------------------------------------------------- */

/* Functions may be NULL: nothing to do. */
struct show_form {
    unsigned where; /* IN_... */
    void (*open)(struct show *show), (*close)(struct show *show);
    void (*title)(struct show *show, const char *text);
    void (*note)(struct show *show, const char *text);
    void (*chart)(struct show *show, const char *text);
    void (*fact)(struct show *show, const struct column *column, const struct cell *cell,
                 const char *meaning);
    void (*json)(struct show *show, const char *name, const char *title, const char *json);
    void (*section)(struct show *show, const char *name, const char *title);
    void (*section_end)(struct show *show);
    /* `last`: no more rows follow. rows->begun: some were shown before. */
    void (*rows)(struct show *show, struct rows *rows, bool last);
    void (*pair)(struct show *show, struct rows *left, struct rows *right, size_t gap);
};
/* The `json` function of the formats for people. */
void show_json_for_people(struct show *show, const char *name, const char *title, const char *json);
/* Adds text with Markdown characters escaped; of its styles, only bold is kept. */
void markdown_text(struct buffer *to, const char *text, size_t length, bool bold);
extern const struct show_form show_terminal, show_tsv, show_as_json, show_markdown;

#endif
