/* How commands show their results: as a table for people, as tab-separated values, as JSON or as
 * Markdown.
 *
 * A command says what there is, once: documents made of titles, facts, tables and notes. What
 * becomes of them is the format's business:
 *
 *              table              markdown          tsv                     json
 *   document   blank lines between them             -                       an object on a line
 *   title      a line             a paragraph       -                       -
 *   fact       label and value    a table of them   name and value (1)      a member
 *   section    a heading          a heading         "name." before names    an object
 *   rows       a table            a table           lines, with a header    an array of objects
 *   note       a paragraph        a paragraph       -                       -
 *
 * (1) of commands that answer with a sheet of facts rather than with rows; then rows are facts,
 * too: "contexts.1.word". */
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
    struct buffer text; /* what was not printed yet */

    size_t documents;    /* so far */
    struct buffer path;  /* of the section, with points */
    unsigned depth;      /* of that, within JSON of the library */
    pv_json_writer json; /* of the document */
    uint64_t row_number; /* of the rows that are shown */
    bool begun;          /* Markdown: there is a block before */
    bool headed;         /* the header line was written; the table of facts was begun */
};

/* In the format of --format, or another one. */
void show_start(struct show *show, struct run *run, bool sheet);
void show_start_as(struct show *show, struct run *run, bool sheet, enum format format);
/* Prints what was shown; and frees everything. */
void show_flush(struct show *show);
void show_end(struct show *show);

/* A document. */
void show_open(struct show *show);
void show_close(struct show *show);
/* All of it, where there is only one. */
void show_begin(struct show *show, struct run *run, bool sheet);
void show_finish(struct show *show);

/* Text may have styles. */
void show_title(struct show *show, const char *text);
/* The file that a sheet is about, as a title and as a fact. */
void show_path(struct show *show, const char *name, const char *path);
/* A paragraph, dim. */
void show_note(struct show *show, const char *text);
/* A blank line, on a terminal. */
void show_gap(struct show *show);
/* A picture made of characters: lines with their ends. */
void show_chart(struct show *show, const char *text);

/* A fact: the column has its name, label (heading) and digits. On a terminal, a `meaning` stands
 * behind the value; NULL: none. */
void show_fact(struct show *show, const struct column *column, struct cell cell,
               const char *meaning);
/* For programs only; and for people only. */
void show_data(struct show *show, const char *name, struct cell cell);
void show_value(struct show *show, const char *label, const char *format, ...) CLI_PRINTF(3, 4);
/* A JSON value of the library: an object of facts, or a list. Without a title it is for programs
 * only, without a name for people only. NULL: null for programs, nothing for people. */
void show_json(struct show *show, const char *name, const char *title, const char *json);

/* Facts and rows until the end of the section belong together. Without a name only for people;
 * without a title only for programs. */
void show_section(struct show *show, const char *name, const char *title);
void show_section_end(struct show *show, const char *name);

/* All rows, which are freed then; or those so far, if more will follow. */
void show_rows(struct show *show, struct rows *rows);
void show_rows_so_far(struct show *show, struct rows *rows);
/* The headings, before there are rows. */
void show_head(struct show *show, struct rows *rows);
/* Two tables beside each other where the format can do that. Their columns have fixed widths. */
void show_pair(struct show *show, struct rows *left, struct rows *right, size_t gap);

/* ---- Formats ---------------------------------------------------------------------------------- */

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
/* `json` of the formats for people. */
void show_json_for_people(struct show *show, const char *name, const char *title, const char *json);
/* Adds text in which nothing is markup but its styles, of which Markdown has one. */
void markdown_text(struct buffer *to, const char *text, size_t length, bool bold);
extern const struct show_form show_terminal, show_tsv, show_as_json, show_markdown;

#endif
