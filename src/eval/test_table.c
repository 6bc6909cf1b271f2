/* Parsing tables: lines, separators, quotes. */
#include "eval/test_table.h"

#include "base/file.h"
#include "util/c_locale.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char separators[] = {'\t', '|', ';', ',', ' '};
enum { SEPARATORS = sizeof separators };

psdvec_status pv_table_reject(const pv_table *table, uint64_t line, const char *format, ...)
{
    char cause[400];
    va_list args;
    va_start(args, format);
    pv_vsnprintf(cause, sizeof cause, format, args);
    va_end(args);
    return pv_fail(table->ctx, PSDVEC_ERR_DAMAGED, "%s: line %" PRIu64 ": %s", table->path, line,
                   cause);
}

/* ---- Lines ------------------------------------------------------------------------ */

typedef enum line_sort { LINE_NOTHING, LINE_SECTION, LINE_ROW } line_sort;

typedef struct line_reader {
    char *at, *end; /* the remaining text */
    uint64_t number;
    pv_field line; /* without white space at its ends */
} line_reader;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static pv_field trim(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    while (end > at && is_space(end[-1]))
        end--;
    return (pv_field){at, (size_t)(end - at)};
}

static line_reader first_line(const pv_table *t)
{
    line_reader w = {.at = t->text, .end = t->text + t->size};
    if (t->size >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0)
        w.at += 3;
    return w;
}

/* False at the end. A single carriage return also ends a line, as on old systems. */
static bool next_line(line_reader *w)
{
    if (w->at >= w->end)
        return false;
    char *stop = w->at;
    while (stop < w->end && *stop != '\n' && *stop != '\r')
        stop++;
    w->line = trim(w->at, stop);
    w->number++;
    if (stop + 1 < w->end && stop[0] == '\r' && stop[1] == '\n')
        stop++;
    w->at = stop + 1;
    return true;
}

static line_sort sort_of(const pv_field *line)
{
    if (line->length == 0 || line->at[0] == '#')
        return LINE_NOTHING;
    return line->at[0] == ':' ? LINE_SECTION : LINE_ROW;
}

/* ---- The separator ------------------------------------------------------------------ */

static char find_separator(const pv_table *t)
{
    uint64_t rows = 0, with[SEPARATORS] = {0};
    for (line_reader w = first_line(t); next_line(&w);) {
        if (sort_of(&w.line) != LINE_ROW)
            continue;
        rows++;
        for (int s = 0; s < SEPARATORS; s++)
            with[s] += memchr(w.line.at, separators[s], w.line.length) != NULL;
    }
    for (int s = 0; s < SEPARATORS; s++)
        if (2 * with[s] > rows)
            return separators[s];
    return ' ';
}

/* ---- Fields --------------------------------------------------------------------------- */

static psdvec_status add_field(pv_table *t, pv_field field)
{
    return pv_buffer_append(&t->field_bytes, &field, sizeof field);
}

/* Reads a field in quotation marks and replaces doubled ones in place. *at is then after the
 * separator. */
static psdvec_status take_quoted(pv_table *t, uint64_t line, const char **at, const char *end)
{
    char *to = t->text + (*at - t->text) + 1;
    const char *from = *at + 1, *begin = to;
    while (from < end && (*from != '"' || (from + 1 < end && from[1] == '"'))) {
        from += *from == '"';
        *to++ = *from++;
    }
    if (from == end)
        return pv_table_reject(t, line, "a quotation mark is not closed");
    pv_field rest = trim(from + 1, end);
    if (rest.length > 0 && *rest.at != t->separator)
        return pv_table_reject(t, line, "a quoted field is not followed by the separator '%c'",
                               t->separator);
    *at = rest.length > 0 ? rest.at + 1 : end;
    return add_field(t, trim(begin, to));
}

static bool is_quoted(const pv_table *t, const char *at, const char *end)
{
    if (*at != '"')
        return false;
    if (t->separator == ',' || t->separator == ';')
        return true;
    const char *stop =
        memchr(at, t->separator, (size_t)(end - at)); /* tabs: only if both ends are */
    pv_field whole = trim(at, stop ? stop : end);
    return t->separator == '\t' && whole.length >= 2 && whole.at[whole.length - 1] == '"';
}

static psdvec_status split(pv_table *t, uint64_t line, const char *at, const char *end)
{
    while (at < end) {
        while (at < end && is_space(*at) && *at != t->separator)
            at++;
        if (at < end && is_quoted(t, at, end)) {
            PV_TRY(take_quoted(t, line, &at, end));
            continue;
        }
        const char *stop = at;
        while (stop < end && *stop != t->separator)
            stop++;
        PV_TRY(add_field(t, trim(at, stop)));
        at = stop < end ? stop + 1 : end;
    }
    return PSDVEC_OK;
}

static psdvec_status split_at_spaces(pv_table *t, const char *at, const char *end)
{
    while (at < end) {
        const char *stop = at;
        while (stop < end && !is_space(*stop))
            stop++;
        PV_TRY(add_field(t, (pv_field){at, (size_t)(stop - at)}));
        while (stop < end && is_space(*stop))
            stop++;
        at = stop;
    }
    return PSDVEC_OK;
}

static psdvec_status add_row(pv_table *t, const line_reader *w)
{
    pv_row row = {.line = w->number,
                  .first = t->field_bytes.length / sizeof(pv_field),
                  .section = UINT32_MAX};
    const char *end = w->line.at + w->line.length;
    if (t->section_count > 0)
        row.section = t->section_count - 1;
    if (t->separator == ' ')
        PV_TRY(split_at_spaces(t, w->line.at, end));
    else
        PV_TRY(split(t, w->number, w->line.at, end));
    const pv_field *fields = (const pv_field *)(const void *)t->field_bytes.data;
    size_t all = t->field_bytes.length / sizeof *fields;
    while (all > row.first && fields[all - 1].length == 0) /* separators at the end */
        all--;
    t->field_bytes.length = all * sizeof *fields;
    if (all == row.first)
        return PSDVEC_OK;
    if (all - row.first > UINT32_MAX)
        return pv_table_reject(t, w->number, "there are too many fields");
    row.count = (uint32_t)(all - row.first);
    return pv_buffer_append(&t->row_bytes, &row, sizeof row);
}

static psdvec_status add_section(pv_table *t, const line_reader *w)
{
    pv_field name = trim(w->line.at + 1, w->line.at + w->line.length);
    if (name.length == 0)
        return pv_table_reject(t, w->number, "the name of a section is expected after the colon");
    if (t->section_count == UINT32_MAX - 1)
        return pv_table_reject(t, w->number, "there are too many sections");
    t->section_count++;
    return pv_buffer_append(&t->section_bytes, &name, sizeof name);
}

/* ---- Complete tables ------------------------------------------------------------------------ */

static psdvec_status check_text(const pv_table *t)
{
    for (line_reader w = first_line(t); next_line(&w);) {
        if (w.line.length > 0 && memchr(w.line.at, '\0', w.line.length))
            return pv_fail(t->ctx, PSDVEC_ERR_NOT_TEXT,
                           "%s: line %" PRIu64 ": contains a zero byte, so the file is not text; "
                           "a test set is a text file or a folder of text files",
                           t->path, w.number);
        if (pv_utf8_valid(w.line.at, w.line.length) < w.line.length)
            return pv_fail(t->ctx, PSDVEC_ERR_NOT_TEXT,
                           "%s: line %" PRIu64 ": is not valid UTF-8; convert the file with iconv",
                           t->path, w.number);
    }
    return PSDVEC_OK;
}

static psdvec_status cut(pv_table *t)
{
    PV_TRY(check_text(t));
    t->separator = find_separator(t);
    for (line_reader w = first_line(t); next_line(&w);) {
        line_sort sort = sort_of(&w.line);
        if (w.number % 65536 == 0)
            PV_TRY(pv_check_cancel(t->ctx));
        if (sort == LINE_SECTION)
            PV_TRY(add_section(t, &w));
        else if (sort == LINE_ROW)
            PV_TRY(add_row(t, &w));
    }
    t->rows = (pv_row *)(void *)t->row_bytes.data;
    t->row_count = t->row_bytes.length / sizeof *t->rows;
    t->fields = (pv_field *)(void *)t->field_bytes.data;
    t->sections = (pv_field *)(void *)t->section_bytes.data;
    if (t->row_count == 0)
        return pv_fail(t->ctx, PSDVEC_ERR_EMPTY, "%s: has no questions", t->path);
    return PSDVEC_OK;
}

psdvec_status pv_table_read(pv_table *table, psdvec_context *ctx, const char *path,
                            const char *text, size_t size)
{
    *table = (pv_table){.ctx = ctx, .path = path, .size = size};
    table->row_bytes.ctx = table->field_bytes.ctx = table->section_bytes.ctx = ctx;
    table->text = pv_alloc(ctx, size + 1, 1, "a test");
    if (!table->text)
        return pv_failure(ctx);
    if (size > 0)
        memcpy(table->text, text, size);
    table->text[size] = '\0';
    return cut(table);
}

psdvec_status pv_table_open(pv_table *table, psdvec_context *ctx, const char *path)
{
    pv_map map;
    *table = (pv_table){.ctx = ctx};
    PV_TRY(pv_map_open(ctx, path, false, &map));
    psdvec_status status = pv_table_read(table, ctx, path, (const char *)map.data, map.size);
    pv_map_close(ctx, &map);
    return status;
}

void pv_table_close(pv_table *table)
{
    if (!table->ctx)
        return;
    pv_buffer_free(&table->row_bytes);
    pv_buffer_free(&table->field_bytes);
    pv_buffer_free(&table->section_bytes);
    pv_free(table->ctx, table->text);
    *table = (pv_table){0};
}
