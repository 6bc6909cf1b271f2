/* What a record says about a document besides its text: a label, a date and a name.
 *
 * Tab-separated lines have them in columns (`columns`), JSON lines in members (`label_field`,
 * `date_field`, `name_field`). The details of a document are four strings, one after the other, each
 * ended by a zero byte:
 *
 *     name of the file | label | date | name
 *
 * An empty string means that there is none.
 */
#ifndef PV_CORPUS_COLUMNS_H
#define PV_CORPUS_COLUMNS_H

#include "base/memory.h"

enum { PV_MOST_COLUMNS = 64 };

typedef enum pv_column {
    PV_COLUMN_LABEL = 0,
    PV_COLUMN_DATE,
    PV_COLUMN_NAME,
    PV_DETAILS, /* the number of those above */
    PV_COLUMN_TEXT = PV_DETAILS,
    PV_COLUMN_IGNORED
} pv_column;

typedef struct pv_columns {
    unsigned count;
    unsigned char kind[PV_MOST_COLUMNS]; /* pv_column */
} pv_columns;

/* Parses the option `columns`, such as "label,-,text". False: why it is not valid. */
bool pv_columns_parse(const char *text, pv_columns *columns, char *why, size_t size);

/* A part of a line. */
typedef struct pv_cell {
    const char *start, *end;
} pv_cell;

/* Splits a line at tabs; the last column extends to the end of the line if it is the text. False: the
 * line has fewer columns, or more. Columns that the line does not name are empty. */
bool pv_columns_split(const pv_columns *columns, const char *line, const char *end,
                      pv_cell cells[PV_COLUMN_IGNORED]);

/* True if the options name a label, a date or a name, so that documents have details. */
bool pv_text_has_details(const psdvec_text_options *options);

/* Replaces the details by those of a document of which only the file is known. */
psdvec_status pv_details_begin(pv_buffer *details, const char *file);
/* Appends a string of the details, and a zero byte. Blanks at both ends are removed, control
 * characters become blanks, invalid UTF-8 becomes U+FFFD; at most PV_LONGEST_DETAIL bytes. */
enum { PV_LONGEST_DETAIL = 1000 };
psdvec_status pv_detail_append(pv_buffer *details, const char *text, size_t length);

/* True if the text is a date of ISO 8601: YYYY, YYYY-MM or YYYY-MM-DD, and after a complete date a
 * time, such as T12:30, T12:30:05.25Z or T12:30+01:00; a blank may stand for T. */
bool pv_is_date(const char *text);

#endif
