/* Decoding records; runs in the worker that tokenises them. */
#include "corpus/records.h"

#include "base/json.h"
#include "corpus/columns.h"
#include "corpus/html_entities.h"
#include "corpus/wiki_markup.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <string.h>

/* ---- Lines --------------------------------------------------------------------- */

typedef struct text_line {
    const char *start, *end; /* without newline and surrounding blanks */
} text_line;

/* Returns the line at *p and advances *p. */
static text_line next_line(const char **p, const char *end)
{
    const char *newline = memchr(*p, '\n', (size_t)(end - *p));
    text_line l = {*p, newline ? newline : end};
    *p = newline ? newline + 1 : end;
    while (l.start < l.end && (unsigned char)*l.start <= ' ')
        l.start++;
    while (l.end > l.start && (unsigned char)l.end[-1] <= ' ')
        l.end--;
    return l;
}

psdvec_status pv_wiki_text_to_line(const char *text, size_t length, pv_buffer *out)
{
    const char *p = text, *end = text + length;
    bool any = false;
    while (p < end) {
        text_line l = next_line(&p, end);
        if (l.start == l.end)
            continue;
        if (any)
            PV_TRY(pv_buffer_append(out, PV_PARAGRAPH_JOIN, sizeof PV_PARAGRAPH_JOIN - 1));
        PV_TRY(pv_buffer_append(out, l.start, (size_t)(l.end - l.start)));
        any = true;
    }
    return any ? pv_buffer_byte(out, '\n') : PSDVEC_OK;
}

/* ---- JSON lines ------------------------------------------------------------ */

/* A text, or a list of texts, which are its paragraphs. */
static bool read_text(pv_json *json, pv_buffer *text)
{
    pv_json_type type = pv_json_peek(json);
    if (type == PV_JSON_STRING)
        return pv_json_read_string(json, text);
    if (type != PV_JSON_ARRAY || !pv_json_enter_array(json))
        return pv_json_reject(json, "the field is not a string");
    while (pv_json_next_element(json))
        if (!pv_json_read_string(json, text) || pv_buffer_byte(text, '\n') != PSDVEC_OK)
            return pv_json_refuse(json);
    return json->cause == NULL;
}

/* A JSON object. */
typedef struct record {
    pv_buffer key;
    pv_buffer parts[PV_COLUMN_IGNORED]; /* label, date, name, text */
} record;

static void record_init(record *r, psdvec_context *ctx)
{
    r->key = (pv_buffer){.ctx = ctx};
    for (unsigned k = 0; k < PV_COLUMN_IGNORED; k++)
        r->parts[k] = (pv_buffer){.ctx = ctx};
}

static void record_free(record *r)
{
    pv_buffer_free(&r->key);
    for (unsigned k = 0; k < PV_COLUMN_IGNORED; k++)
        pv_buffer_free(&r->parts[k]);
}

/* A label, date or name: a string or a number; null if there is none. */
static bool read_detail(pv_json *json, pv_buffer *text)
{
    const char *span;
    size_t length;
    switch (pv_json_peek(json)) {
    case PV_JSON_STRING:
        return pv_json_read_string(json, text);
    case PV_JSON_NULL:
        return pv_json_read_null(json);
    case PV_JSON_NUMBER:
    case PV_JSON_BOOL:
        if (!pv_json_skip(json, &span, &length))
            return false;
        return pv_buffer_append(text, span, length) == PSDVEC_OK || pv_json_refuse(json);
    default:
        return pv_json_reject(json, "a label, date or name is not a string or number");
    }
}

/* Reads the text and, with `details`, label, date and name; false if the line has no text. */
static bool read_record(pv_json *json, const psdvec_text_options *options, bool details, record *r)
{
    const char *const fields[] = {[PV_COLUMN_LABEL] = details ? options->label_field : NULL,
                                  [PV_COLUMN_DATE] = details ? options->date_field : NULL,
                                  [PV_COLUMN_NAME] = details ? options->name_field : NULL,
                                  [PV_COLUMN_TEXT] = options->json_field};
    bool found[PV_COLUMN_IGNORED] = {false};
    for (unsigned k = 0; k < PV_COLUMN_IGNORED; k++)
        r->parts[k].length = 0;
    if (!pv_json_enter_object(json))
        return false;
    for (r->key.length = 0; pv_json_next_key(json, &r->key); r->key.length = 0) {
        unsigned k = 0;
        while (k < PV_COLUMN_IGNORED &&
               (found[k] || !fields[k] || !pv_json_text_is(&r->key, fields[k])))
            k++;
        if (!(k == PV_COLUMN_TEXT  ? read_text(json, &r->parts[k])
              : k < PV_COLUMN_TEXT ? read_detail(json, &r->parts[k])
                                   : pv_json_skip(json, NULL, NULL)))
            return false;
        if (k < PV_COLUMN_IGNORED)
            found[k] = true;
    }
    if (!found[PV_COLUMN_TEXT])
        return pv_json_reject(json, "the field is missing");
    return pv_json_finish(json);
}

/* Appends the text of a record as a line. */
static psdvec_status add_record(const pv_segment *segment, const pv_cell *cells, pv_buffer *lines,
                                pv_buffer *details)
{
    pv_cell text = cells[PV_COLUMN_TEXT];
    size_t before = lines->length;
    PV_TRY(pv_wiki_text_to_line(text.start, (size_t)(text.end - text.start), lines));
    if (!details)
        return PSDVEC_OK;
    if (lines->length == before) /* the document stays, because it has a label */
        PV_TRY(pv_buffer_byte(lines, '\n'));
    PV_TRY(pv_buffer_append(details, segment->name.data, segment->name.length));
    for (unsigned k = 0; k < PV_DETAILS; k++)
        PV_TRY(pv_detail_append(details, cells[k].start, (size_t)(cells[k].end - cells[k].start)));
    return PSDVEC_OK;
}

static psdvec_status json_to_lines(psdvec_context *ctx, const psdvec_text_options *options,
                                   const pv_segment *segment, pv_buffer *lines, pv_buffer *details,
                                   uint64_t *bad)
{
    record r;
    psdvec_status status = PSDVEC_OK;
    uint64_t number = segment->line;
    const char *end = segment->text.data + segment->text.length;
    record_init(&r, ctx);
    for (const char *p = segment->text.data; p < end; number++) {
        const char *line = p;
        text_line l = next_line(&p, end);
        if (l.start == l.end)
            continue;
        size_t length = (size_t)(p - line) - (p[-1] == '\n');
        pv_json json;
        pv_json_init(&json, line, length, PV_JSON_REPLACE_SURROGATES | PV_JSON_ANY_BYTES);
        if (read_record(&json, options, details != NULL, &r)) {
            pv_cell cells[PV_COLUMN_IGNORED];
            for (unsigned k = 0; k < PV_COLUMN_IGNORED; k++) {
                const char *start = r.parts[k].data ? r.parts[k].data : "";
                cells[k] = (pv_cell){start, start + r.parts[k].length};
            }
            PV_TRY_DONE(add_record(segment, cells, lines, details));
        } else if (json.refused) {
            status = pv_failure(ctx);
            goto done;
        } else if (options->strict) {
            status = pv_fail(ctx, PSDVEC_ERR_DAMAGED,
                             "%s: line %" PRIu64 ", character %zu: %s (field \"%s\")",
                             segment->name.data, number, json.offset + 1,
                             json.cause ? json.cause : "not a JSON object", options->json_field);
            goto done;
        } else {
            ++*bad;
        }
    }
done:
    record_free(&r);
    return status;
}

/* ---- Tab-separated lines ------------------------------------------------------- */

static psdvec_status columns_to_lines(psdvec_context *ctx, const psdvec_text_options *options,
                                      const pv_segment *segment, pv_buffer *lines,
                                      pv_buffer *details, uint64_t *bad)
{
    pv_columns columns;
    char why[200];
    uint64_t number = segment->line;
    const char *end = segment->text.data + segment->text.length;
    if (!pv_columns_parse(options->columns, &columns, why, sizeof why))
        return pv_fail(ctx, PSDVEC_ERR_OPTION, "%s", why);
    for (const char *p = segment->text.data; p < end; number++) {
        const char *line = p;
        text_line l = next_line(&p, end);
        if (l.start == l.end)
            continue;
        pv_cell cells[PV_COLUMN_IGNORED];
        const char *line_end = p[-1] == '\n' ? p - 1 : p;
        if (pv_columns_split(&columns, line, line_end, cells)) {
            PV_TRY(add_record(segment, cells, lines, details));
        } else if (options->strict) {
            return pv_fail(
                ctx, PSDVEC_ERR_DAMAGED,
                "%s: line %" PRIu64
                ": does not have the columns %s, separated by tabs; correct the line, or "
                "read the text without `strict`",
                segment->name.data, number, options->columns);
        } else {
            ++*bad;
        }
    }
    return PSDVEC_OK;
}

/* ---- Wiki pages -------------------------------------------------------------- */

static psdvec_status pages_to_lines(psdvec_context *ctx, const pv_segment *segment,
                                    pv_buffer *lines)
{
    pv_buffer text = {.ctx = ctx};
    psdvec_status status = PSDVEC_OK;
    const char *page = segment->text.data, *end = page + segment->text.length;
    while (page < end) {
        size_t length = strnlen(page, (size_t)(end - page));
        text.length = 0;
        PV_TRY_DONE(pv_wiki_markup_to_text(page, length, &text));
        PV_TRY_DONE(pv_wiki_text_to_line(text.data ? text.data : "", text.length, lines));
        page += length + 1;
    }
done:
    pv_buffer_free(&text);
    return status;
}

/* ---- WikiExtractor ------------------------------------------------------------- */

static bool starts_with(text_line l, const char *prefix)
{
    size_t n = strlen(prefix);
    return (size_t)(l.end - l.start) >= n && memcmp(l.start, prefix, n) == 0;
}

/* WikiExtractor escapes '<', '>' and '&', and leaves double escapes in place. */
static psdvec_status append_decoded(pv_buffer *out, text_line l)
{
    const char *p = l.start;
    while (p < l.end) {
        const char *mark = memchr(p, '&', (size_t)(l.end - p));
        if (!mark)
            return pv_buffer_append(out, p, (size_t)(l.end - p));
        PV_TRY(pv_buffer_append(out, p, (size_t)(mark - p)));
        uint32_t code;
        size_t taken = pv_html_entity_twice(mark, (size_t)(l.end - mark), &code);
        char utf8[4] = "&";
        size_t n = 1;
        if (taken == 0)
            taken = 1;
        else if (code < 0x20 || code == 0x2028 || code == 0x2029)
            utf8[0] = ' '; /* does not create line ends */
        else
            n = (size_t)pv_utf8_encode(code, utf8);
        PV_TRY(pv_buffer_append(out, utf8, n));
        p = mark + taken;
    }
    return PSDVEC_OK;
}

psdvec_status pv_wiki_extractor_to_lines(const char *text, size_t length, pv_buffer *out)
{
    enum { JOIN = sizeof PV_PARAGRAPH_JOIN - 1 };
    const char *p = text, *end = text + length;
    bool cut = true;  /* the document may have begun before this segment */
    bool any = false; /* it has text in this segment, followed by a join */
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    while (p < end) {
        text_line l = next_line(&p, end);
        if (l.start == l.end)
            continue;
        bool starts = starts_with(l, "<doc id=\"") && l.end[-1] == '>';
        if (starts || (l.end - l.start == 6 && starts_with(l, "</doc>"))) {
            if (any)
                out->length -= JOIN;
            if (any || (cut && !starts))
                PV_TRY(pv_buffer_byte(out, '\n'));
            cut = any = false;
            continue;
        }
        PV_TRY(append_decoded(out, l));
        PV_TRY(pv_buffer_append(out, PV_PARAGRAPH_JOIN, JOIN));
        any = true;
    }
    return PSDVEC_OK;
}

bool pv_wiki_extractor_looks_like(const char *start, size_t length)
{
    if (length >= 3 && memcmp(start, "\xEF\xBB\xBF", 3) == 0)
        start += 3, length -= 3;
    const char *p = start, *end = start + length;
    while (p < end) {
        text_line l = next_line(&p, end);
        if (l.start == l.end)
            continue;
        /* The sample may end within the line. */
        return starts_with(l, "<doc id=\"") && (p == end || l.end[-1] == '>');
    }
    return false;
}

psdvec_status pv_records_to_lines(psdvec_context *ctx, const psdvec_text_options *options,
                                  const pv_segment *segment, pv_buffer *lines, pv_buffer *details,
                                  uint64_t *bad)
{
    lines->length = 0;
    *bad = 0;
    PV_TRY(pv_buffer_reserve(lines, segment->text.length));
    switch (segment->kind) {
    case PV_SEGMENT_JSON_LINES:
        return json_to_lines(ctx, options, segment, lines, details, bad);
    case PV_SEGMENT_COLUMNS:
        return columns_to_lines(ctx, options, segment, lines, details, bad);
    case PV_SEGMENT_WIKI_PAGES:
        return pages_to_lines(ctx, segment, lines);
    case PV_SEGMENT_WIKI_EXTRACTOR:
        return pv_wiki_extractor_to_lines(segment->text.data, segment->text.length, lines);
    default:
        return pv_buffer_append(lines, segment->text.data, segment->text.length);
    }
}
