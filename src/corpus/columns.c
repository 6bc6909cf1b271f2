/* Columns of tab-separated lines, and the details of documents. */
#include "corpus/columns.h"

#include "util/utf8.h"

#include <stdio.h>
#include <string.h>

/* ---- Columns --------------------------------------------------------------------------------- */

bool pv_columns_parse(const char *text, pv_columns *columns, char *why, size_t size)
{
    static const char *const names[] = {[PV_COLUMN_LABEL] = "label",
                                        [PV_COLUMN_DATE] = "date",
                                        [PV_COLUMN_NAME] = "name",
                                        [PV_COLUMN_TEXT] = "text",
                                        [PV_COLUMN_IGNORED] = "-"};
    unsigned seen[PV_COLUMN_IGNORED + 1] = {0};
    *columns = (pv_columns){0};
    for (const char *p = text, *next; p; p = next) {
        const char *comma = strchr(p, ',');
        size_t length = comma ? (size_t)(comma - p) : strlen(p);
        unsigned kind = 0;
        next = comma ? comma + 1 : NULL;
        while (kind <= PV_COLUMN_IGNORED &&
               (strlen(names[kind]) != length || memcmp(names[kind], p, length) != 0))
            kind++;
        if (kind > PV_COLUMN_IGNORED) {
            snprintf(
                why, size,
                "`columns` has the column \"%.*s\"; the columns are text, label, date, name, and "
                "- for columns to ignore",
                length < 40 ? (int)length : 40, p);
            return false;
        }
        if (seen[kind]++ && kind != PV_COLUMN_IGNORED) {
            snprintf(why, size, "`columns` has the column %s twice", names[kind]);
            return false;
        }
        if (columns->count == PV_MOST_COLUMNS) {
            snprintf(why, size, "`columns` has more than %d columns", PV_MOST_COLUMNS);
            return false;
        }
        columns->kind[columns->count++] = (unsigned char)kind;
    }
    if (!seen[PV_COLUMN_TEXT])
        snprintf(why, size, "`columns` has no column text");
    return seen[PV_COLUMN_TEXT] > 0;
}

bool pv_columns_split(const pv_columns *columns, const char *line, const char *end,
                      pv_cell cells[PV_COLUMN_IGNORED])
{
    const char *at = line;
    for (unsigned k = 0; k < PV_COLUMN_IGNORED; k++)
        cells[k] = (pv_cell){line, line};
    for (unsigned k = 0; k < columns->count; k++) {
        bool last = k + 1 == columns->count;
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (last && columns->kind[k] == PV_COLUMN_TEXT)
            tab = NULL; /* its tabs separate words */
        if (!tab != last)
            return false;
        if (columns->kind[k] != PV_COLUMN_IGNORED)
            cells[columns->kind[k]] = (pv_cell){at, tab ? tab : end};
        at = tab ? tab + 1 : end;
    }
    return true;
}

/* ---- Details --------------------------------------------------------------------------------- */

bool pv_text_has_details(const psdvec_text_options *options)
{
    pv_columns columns;
    char why[1];
    if (!options->columns || !pv_columns_parse(options->columns, &columns, why, sizeof why))
        return options->label_field || options->date_field || options->name_field;
    for (unsigned k = 0; k < columns.count; k++)
        if (columns.kind[k] < PV_DETAILS)
            return true;
    return false;
}

psdvec_status pv_details_begin(pv_buffer *details, const char *file)
{
    details->length = 0;
    PV_TRY(pv_buffer_append(details, file, strlen(file) + 1));
    for (unsigned k = 0; k < PV_DETAILS; k++)
        PV_TRY(pv_buffer_byte(details, '\0'));
    return PSDVEC_OK;
}

psdvec_status pv_detail_append(pv_buffer *details, const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + length;
    while (p < end && *p <= ' ')
        p++;
    while (end > p && end[-1] <= ' ')
        end--;
    size_t start = details->length;
    while (p < end) {
        uint32_t cp = 0;
        int used = pv_utf8_decode(p, end, &cp);
        bool good = used > 0;
        size_t bytes = good ? (size_t)used : sizeof PV_UTF8_REPLACEMENT - 1;
        if (details->length - start + bytes > PV_LONGEST_DETAIL)
            break;
        PV_TRY(
            good && cp < ' '
                ? pv_buffer_byte(details, ' ')
                : pv_buffer_append(details, good ? (const char *)p : PV_UTF8_REPLACEMENT, bytes));
        p += good ? used : -used;
    }
    return pv_buffer_byte(details, '\0');
}

/* ---- Dates ----------------------------------------------------------------------------------- */

/* Reads `digits` digits whose value is in the range; NULL: there are none. */
static const char *number(const char *p, unsigned digits, unsigned least, unsigned most,
                          unsigned *value)
{
    *value = 0;
    for (unsigned k = 0; p && k < digits; k++, p++) {
        if (*p < '0' || *p > '9')
            return NULL;
        *value = 10 * *value + (unsigned)(*p - '0');
    }
    return p && *value >= least && *value <= most ? p : NULL;
}

/* A time after the date: hours and minutes, seconds, a fraction, a time zone. */
static bool is_time(const char *p)
{
    unsigned value;
    p = number(p, 2, 0, 24, &value);
    if (!p || *p != ':' || !(p = number(p + 1, 2, 0, 59, &value)))
        return false;
    if (*p == ':' && !(p = number(p + 1, 2, 0, 60, &value)))
        return false;
    if (*p == '.' || *p == ',') {
        if (p[1] < '0' || p[1] > '9')
            return false;
        for (p++; *p >= '0' && *p <= '9';)
            p++;
    }
    if (*p == 'Z' || *p == 'z')
        return p[1] == '\0';
    if (*p == '+' || *p == '-') {
        p = number(p + 1, 2, 0, 24, &value);
        if (p && *p)
            p = number(p + (*p == ':'), 2, 0, 59, &value);
    }
    return p && *p == '\0';
}

bool pv_is_date(const char *text)
{
    static const unsigned days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year, month, day;
    const char *p = number(text, 4, 0, 9999, &year);
    if (!p || *p == '\0')
        return p != NULL;
    if (*p != '-' || !(p = number(p + 1, 2, 1, 12, &month)))
        return false;
    if (*p == '\0')
        return true;
    if (*p != '-' || !(p = number(p + 1, 2, 1, days[month - 1], &day)))
        return false;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (month == 2 && day == 29 && !leap)
        return false;
    return *p == '\0' || ((*p == 'T' || *p == 't' || *p == ' ') && is_time(p + 1));
}
