/* A text file as rows of fields: the common layer of all forms of test sets.
 *
 *     : capital cities               begins a section
 *     # anything                     is skipped, as are blank lines
 *     "athens";greece;7,5            a row, its fields separated by tabs, bars, semicolons,
 *                                    commas or white space
 *
 * The complete text uses one separator: the first of these that occurs in more than half of the
 * rows.
 */
#ifndef PV_EVAL_TEST_TABLE_H
#define PV_EVAL_TEST_TABLE_H

#include "base/memory.h"

typedef struct pv_field {
    const char *at;
    size_t length;
} pv_field;

typedef struct pv_row {
    uint64_t line;    /* in the file, from 1 */
    size_t first;     /* in `fields` */
    uint32_t count;   /* fields; at least 1 */
    uint32_t section; /* in `sections`; UINT32_MAX: before the first */
} pv_row;

typedef struct pv_table {
    psdvec_context *ctx;
    const char *path; /* owned by the caller; for messages */
    char *text;       /* the complete file, modified where quotes were doubled */
    size_t size;
    char separator; /* ' ': white space */
    pv_row *rows;
    size_t row_count;
    pv_field *fields;
    pv_field *sections;
    uint32_t section_count;
    pv_buffer row_bytes, field_bytes, section_bytes; /* storage of the three above */
} pv_table;

psdvec_status pv_table_open(pv_table *table, psdvec_context *ctx, const char *path);
/* Reads a text in memory, which is copied. */
psdvec_status pv_table_read(pv_table *table, psdvec_context *ctx, const char *path,
                            const char *text, size_t size);
void pv_table_close(pv_table *table);

/* PSDVEC_ERR_DAMAGED with "PATH: line N: CAUSE". */
psdvec_status pv_table_reject(const pv_table *table, uint64_t line, const char *format, ...)
    PV_PRINTF(3, 4);

static inline const pv_field *pv_row_fields(const pv_table *table, const pv_row *row)
{
    return table->fields + row->first;
}

/* ---- The form of a test set, detected from the majority of its rows -------- */

typedef enum pv_form {
    PV_FORM_SIMILARITY = 0, /* two words and a number somewhere after them */
    PV_FORM_ANALOGY,        /* a b c d, optionally with a tag */
    PV_FORM_PAIRS,          /* word, answer/answer/...: any two rows are an analogy */
    PV_FORM_CHOICE,         /* a word, the right choice, other choices */
    PV_FORM_CATEGORIES      /* word, group */
} pv_form;

#define PV_NO_COLUMN UINT32_MAX

typedef struct pv_layout {
    pv_form form;
    bool header;           /* the first row names the columns */
    uint32_t word1, word2; /* columns */
    uint32_t value;
    uint32_t tag; /* of an analogy, or PV_NO_COLUMN */
    bool speech;  /* each word of a pair ends in -n, -v, ...: a part of speech */
} pv_layout;

psdvec_status pv_form_recognise(const pv_table *table, pv_layout *layout);
psdvec_test_kind pv_form_kind(pv_form form);

/* Whether the "words" of a similarity set are numbers: then the file contains vectors as text. */
bool pv_form_of_vectors(const pv_table *table, const pv_layout *layout);
/* Whether hardly any row deviates from a form that does not occur in running text. Lines of two
 * words may be text, so categories and word pairs are certain only with section lines. */
bool pv_form_is_certain(const pv_table *table, const pv_layout *layout);

/* Parses a field that consists of a number. */
bool pv_field_number(const pv_field *field, float *value);

#endif
