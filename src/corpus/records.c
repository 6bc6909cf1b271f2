/* Decoding records; runs in the worker that tokenises them. */
#include "corpus/records.h"

#include "base/json.h"
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

/* Appends the field's text; false if the line has none. */
static bool find_field(pv_json *json, const char *field, pv_buffer *key, pv_buffer *text)
{
    bool found = false;
    if (!pv_json_enter_object(json))
        return false;
    for (key->length = 0; pv_json_next_key(json, key); key->length = 0) {
        bool here = !found && pv_json_text_is(key, field);
        if (!(here ? read_text(json, text) : pv_json_skip(json, NULL, NULL)))
            return false;
        found |= here;
    }
    if (!found)
        return pv_json_reject(json, "the field is missing");
    return pv_json_finish(json);
}

static psdvec_status json_to_lines(psdvec_context *ctx, const psdvec_text_options *options,
                                   const pv_segment *segment, pv_buffer *lines, uint64_t *bad)
{
    pv_buffer key = {.ctx = ctx}, text = {.ctx = ctx};
    psdvec_status status = PSDVEC_OK;
    uint64_t number = segment->line;
    const char *end = segment->text.data + segment->text.length;
    for (const char *p = segment->text.data; p < end; number++) {
        const char *line = p;
        text_line l = next_line(&p, end);
        if (l.start == l.end)
            continue;
        size_t length = (size_t)(p - line) - (p[-1] == '\n');
        pv_json json;
        text.length = 0;
        pv_json_init(&json, line, length, PV_JSON_REPLACE_SURROGATES | PV_JSON_ANY_BYTES);
        if (find_field(&json, options->json_field, &key, &text)) {
            PV_TRY_DONE(pv_wiki_text_to_line(text.data ? text.data : "", text.length, lines));
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
    pv_buffer_free(&key);
    pv_buffer_free(&text);
    return status;
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
                                  const pv_segment *segment, pv_buffer *lines, uint64_t *bad)
{
    lines->length = 0;
    *bad = 0;
    PV_TRY(pv_buffer_reserve(lines, segment->text.length));
    switch (segment->kind) {
    case PV_SEGMENT_JSON_LINES:
        return json_to_lines(ctx, options, segment, lines, bad);
    case PV_SEGMENT_WIKI_PAGES:
        return pages_to_lines(ctx, segment, lines);
    case PV_SEGMENT_WIKI_EXTRACTOR:
        return pv_wiki_extractor_to_lines(segment->text.data, segment->text.length, lines);
    default:
        return pv_buffer_append(lines, segment->text.data, segment->text.length);
    }
}
