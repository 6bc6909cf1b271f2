/* Decoding records, in the worker that tokenises them. */
#include "corpus/records.h"

#include "base/json.h"
#include "corpus/wiki_extractor.h"
#include "corpus/wiki_markup.h"

#include <inttypes.h>
#include <string.h>

/* ---- JSON lines ------------------------------------------------------------ */

/* A text, or a list of texts, which are its paragraphs. */
static bool read_text(pv_json *json, pv_buffer *text)
{
    pv_json_type type = pv_json_peek(json);
    if (type == PV_JSON_STRING)
        return pv_json_read_string(json, text);
    if (type != PV_JSON_ARRAY || !pv_json_enter_array(json))
        return pv_json_reject(json, "the field holds no text");
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

static bool only_white_space(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] > ' ')
            return false;
    return true;
}

static psdvec_status json_to_lines(psdvec_context *ctx, const psdvec_text_options *options,
                                   const pv_segment *segment, pv_buffer *lines, uint64_t *bad)
{
    pv_buffer key, text;
    psdvec_status status = PSDVEC_OK;
    pv_buffer_init(&key, ctx);
    pv_buffer_init(&text, ctx);
    uint64_t number = segment->line;
    const char *end = segment->text.data + segment->text.length;
    for (const char *line = segment->text.data; line < end; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        pv_json json;
        text.length = 0;
        pv_json_init(&json, line, length, PV_JSON_REPLACE_SURROGATES | PV_JSON_ANY_BYTES);
        if (only_white_space(line, length)) {
            /* nothing to say about it */
        } else if (find_field(&json, options->json_field, &key, &text)) {
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
        line += length + 1;
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
    pv_buffer text;
    psdvec_status status = PSDVEC_OK;
    pv_buffer_init(&text, ctx);
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
