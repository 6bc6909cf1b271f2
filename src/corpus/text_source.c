/* Detecting the format of a member and converting it. */
#include "corpus/text_source.h"

#include "corpus/file_kind.h"
#include "corpus/wiki_dump.h"

#include <string.h>

enum { RAW_SIZE = 64 << 10 };

void pv_text_source_init(pv_text_source *s, psdvec_context *ctx, const psdvec_text_options *options)
{
    pv_buffer none = {.ctx = ctx};
    *s = (pv_text_source){
        .ctx = ctx, .options = options, .raw = none, .decoded = none, .text = none};
}

void pv_text_source_free(pv_text_source *s)
{
    pv_decoder_close(&s->decoder);
    pv_buffer_free(&s->raw);
    pv_buffer_free(&s->decoded);
    pv_buffer_free(&s->text);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Reads until `wanted` bytes are in `raw` or the member, or its part, ends. */
static psdvec_status fill_raw(pv_text_source *s, size_t wanted)
{
    size_t left = s->raw.length - s->raw_used;
    if (s->raw_used > 0) {
        memmove(s->raw.data, s->raw.data + s->raw_used, left);
        s->raw.length = left;
        s->raw_used = 0;
    }
    while (!s->ended && s->raw.length < wanted) {
        size_t missing = wanted - s->raw.length, got;
        PV_TRY(pv_buffer_reserve(&s->raw, missing));
        PV_TRY(pv_byte_stream_read(s->stream, s->raw.data + s->raw.length, missing, &got));
        s->raw.length += got;
        s->ended = got == 0;
    }
    return PSDVEC_OK;
}

/* The number of ASCII bytes before the first other byte. */
static size_t ascii_length(const char *bytes, size_t length)
{
    enum { BLOCK = 64 };
    size_t i = 0;
    for (; i + BLOCK <= length; i += BLOCK) {
        unsigned char any = 0;
        for (size_t k = 0; k < BLOCK; k++)
            any |= (unsigned char)bytes[i + k];
        if (any & 0x80)
            break;
    }
    while (i < length && (unsigned char)bytes[i] < 0x80)
        i++;
    return i;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

static pv_encoding wanted_encoding(const pv_text_source *s)
{
    const char *name = s->options->encoding;
    return pv_encoding_of_name(name, name ? strlen(name) : 0);
}

static psdvec_status convert_from(pv_text_source *s, pv_encoding encoding, const char *name)
{
    s->plain = s->undecided = false;
    pv_decoder_close(&s->decoder);
    return pv_decoder_open(&s->decoder, s->ctx, encoding, name);
}

/* Converts HTML and XML from the declared encoding, if it is known, or else from the one detected
 * as for other text. */
static psdvec_status convert_markup(pv_text_source *s)
{
    const char *start = s->raw.data + s->raw_used;
    size_t length = s->raw.length - s->raw_used, name_length = 0;
    const char *declared = pv_markup_charset(start, length, &name_length);
    char name[64];
    pv_encoding encoding = PV_ENCODING_AUTO;
    if (declared && name_length < sizeof name) {
        memcpy(name, declared, name_length);
        name[name_length] = '\0';
        encoding = pv_encoding_of_name(name, name_length);
        if (encoding == PV_ENCODING_OTHER && pv_encoding_known(name))
            return convert_from(s, encoding, name);
    }
    /* Text that declares UTF-16 in ASCII letters is not UTF-16. */
    if (encoding == PV_ENCODING_WINDOWS_1252)
        return convert_from(s, encoding, NULL);
    PV_TRY(fill_raw(s, PV_NARROW_LENGTH));
    encoding = s->options->strict ? PV_ENCODING_UTF8
                                  : pv_encoding_guess_narrow(s->raw.data, s->raw.length, s->ended);
    s->guessed = encoding == PV_ENCODING_WINDOWS_1252;
    return convert_from(s, encoding, NULL);
}

/* Detects the encoding from the first bytes; AUTO: ASCII or a superset of it. False: binary
 * data. */
static bool find_encoding(pv_text_source *s, pv_encoding *encoding)
{
    const char *bytes = s->raw.data ? s->raw.data : "";
    size_t length = s->raw.length, mark;
    pv_encoding wanted = wanted_encoding(s);
    *encoding = pv_encoding_of_mark(bytes, length, &mark);
    if (*encoding != PV_ENCODING_AUTO) {
        s->raw_used = *encoding == PV_ENCODING_UTF8 ? 0 : mark; /* the corpus removes the former */
        return true;
    }
    if (wanted == PV_ENCODING_UTF16 || wanted == PV_ENCODING_UTF32) {
        pv_encoding guess = pv_encoding_guess_wide(bytes, length);
        bool is_32 = guess == PV_ENCODING_UTF32LE || guess == PV_ENCODING_UTF32BE;
        if (guess != PV_ENCODING_AUTO && is_32 == (wanted == PV_ENCODING_UTF32))
            *encoding = guess;
        else
            *encoding = wanted == PV_ENCODING_UTF16 ? PV_ENCODING_UTF16LE : PV_ENCODING_UTF32LE;
        return true;
    }
    *encoding = wanted;
    if (wanted == PV_ENCODING_AUTO || wanted == PV_ENCODING_UTF8) {
        if (!pv_looks_binary(bytes, length, true))
            return true;
        if (wanted == PV_ENCODING_AUTO) {
            *encoding = pv_encoding_guess_wide(bytes, length);
            if (*encoding == PV_ENCODING_AUTO && !pv_looks_binary(bytes, length, false))
                *encoding = pv_encoding_guess_narrow(bytes, length, s->ended);
        }
        return *encoding != PV_ENCODING_AUTO && *encoding != PV_ENCODING_UTF8;
    }
    return wanted != PV_ENCODING_WINDOWS_1252 || !pv_looks_binary(bytes, length, false);
}

/* Detects the format of the member or part from its first bytes. */
static psdvec_status begin_part(pv_text_source *s)
{
    s->ended = false;
    s->raw.length = s->raw_used = 0;
    return fill_raw(s, PV_SNIFF_LENGTH);
}

static psdvec_status begin_document(pv_text_source *s, bool *is_text)
{
    PV_TRY(pv_byte_stream_next_part(s->stream, &s->in_parts));
    *is_text = s->in_parts;
    if (!*is_text)
        return PSDVEC_OK;
    PV_TRY(begin_part(s));
    (void)pv_encoding_of_mark(s->raw.data, s->raw.length, &s->raw_used);
    return convert_from(s, PV_ENCODING_UTF8, NULL);
}

/* Converts the first bytes; wide encodings can be examined only after conversion. */
static psdvec_status decode(pv_text_source *s)
{
    size_t used;
    s->decoded.length = 0;
    PV_TRY(pv_decoder_feed(&s->decoder, s->raw.data + s->raw_used, s->raw.length - s->raw_used,
                           s->ended, &s->decoded, &used));
    s->raw_used += used;
    return PSDVEC_OK;
}

psdvec_status pv_text_source_begin(pv_text_source *s, pv_byte_stream *stream, bool *is_text,
                                   size_t *kind)
{
    bool blank_lines = s->options->document == PSDVEC_DOCUMENT_BLANK_LINE;
    pv_encoding encoding;
    s->stream = stream;
    s->guessed = s->undecided = false;
    s->plain = true;
    s->text.length = s->text_used = 0;
    s->bad = 0;
    s->markup = pv_byte_stream_document(stream, &s->in_parts);
    if (s->in_parts) {
        pv_markup_begin(&s->reader, s->markup, blank_lines);
        PV_TRY(begin_document(s, is_text));
        if (!*is_text) /* all of it has been examined */
            *kind = pv_byte_stream_document_kind(stream);
        return PSDVEC_OK;
    }
    PV_TRY(begin_part(s));
    *is_text = !pv_file_kind_find(s->raw.data ? s->raw.data : "", s->raw.length, kind);
    if (!*is_text)
        return PSDVEC_OK;
    *is_text = find_encoding(s, &encoding);
    *kind = PV_KIND_BINARY;
    if (!*is_text)
        return PSDVEC_OK;
    s->undecided = encoding == PV_ENCODING_AUTO && !s->options->strict;
    const pv_buffer *first = &s->raw;
    bool converted = encoding != PV_ENCODING_AUTO && encoding != PV_ENCODING_UTF8;
    if (converted) {
        s->guessed = encoding == PV_ENCODING_WINDOWS_1252 && wanted_encoding(s) == PV_ENCODING_AUTO;
        PV_TRY(convert_from(s, encoding, s->options->encoding));
        PV_TRY(decode(s));
        first = &s->decoded;
    }
    const char *start = first->data ? first->data : "";
    if (s->options->json_field || s->options->columns ||
        pv_wiki_dump_looks_like(start, first->length))
        s->markup = PV_MARKUP_NONE;
    else
        s->markup = pv_markup_looks_like(start, first->length);
    if (s->markup == PV_MARKUP_SVG) {
        *kind = PV_KIND_SVG;
        *is_text = false;
        return PSDVEC_OK;
    }
    if (s->markup != PV_MARKUP_NONE) {
        pv_markup_begin(&s->reader, s->markup, blank_lines);
        if (encoding == PV_ENCODING_AUTO)
            return convert_markup(s);
        if (encoding == PV_ENCODING_UTF8) {
            (void)pv_encoding_of_mark(start, first->length, &s->raw_used);
            return convert_from(s, encoding, NULL);
        }
        return pv_markup_feed(&s->reader, s->decoded.data, s->decoded.length, &s->text);
    }
    return converted ? pv_buffer_append(&s->text, s->decoded.data, s->decoded.length) : PSDVEC_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Provides converted text, if there is any more. */
static psdvec_status refill(pv_text_source *s)
{
    s->text.length = s->text_used = 0;
    while (s->text.length == 0) {
        PV_TRY(fill_raw(s, RAW_SIZE));
        PV_TRY(decode(s));
        if (s->markup == PV_MARKUP_NONE) {
            PV_TRY(pv_buffer_append(&s->text, s->decoded.data, s->decoded.length));
        } else {
            PV_TRY(pv_markup_feed(&s->reader, s->decoded.data, s->decoded.length, &s->text));
            if (s->ended)
                PV_TRY(pv_markup_end(&s->reader, &s->text));
        }
        s->bad += s->decoder.bad;
        s->decoder.bad = 0;
        if (!s->ended)
            continue;
        bool more = false;
        if (s->in_parts) /* to the next part, with text to come from it */
            PV_TRY(begin_document(s, &more));
        if (!more)
            break;
    }
    return PSDVEC_OK;
}

/* The first byte that is not ASCII is next: is it UTF-8? */
static psdvec_status decide(pv_text_source *s)
{
    s->undecided = false;
    PV_TRY(fill_raw(s, PV_NARROW_LENGTH));
    if (pv_encoding_guess_narrow(s->raw.data, s->raw.length, s->ended) == PV_ENCODING_UTF8)
        return PSDVEC_OK;
    s->guessed = true;
    s->markup = PV_MARKUP_NONE;
    return convert_from(s, PV_ENCODING_WINDOWS_1252, NULL);
}

static size_t take(const pv_buffer *from, size_t *used, char *bytes, size_t capacity)
{
    size_t left = from->length - *used, count = left < capacity ? left : capacity;
    if (count)
        memcpy(bytes, from->data + *used, count);
    *used += count;
    return count;
}

psdvec_status pv_text_source_read(pv_text_source *s, char *bytes, size_t capacity, size_t *got)
{
    *got = 0;
    while (s->plain) {
        *got = take(&s->raw, &s->raw_used, bytes, capacity);
        bool from_raw = *got > 0;
        if (!from_raw && !s->ended) {
            PV_TRY(pv_byte_stream_read(s->stream, bytes, capacity, got));
            s->ended = *got == 0;
        }
        if (*got == 0 || !s->undecided)
            return PSDVEC_OK;
        size_t ascii = ascii_length(bytes, *got);
        if (ascii == *got)
            return PSDVEC_OK;
        /* Returns the ASCII before it, and decides with the bytes that follow. */
        if (from_raw) {
            s->raw_used -= *got - ascii;
        } else {
            s->raw.length = s->raw_used = 0;
            PV_TRY(pv_buffer_append(&s->raw, bytes + ascii, *got - ascii));
        }
        *got = ascii;
        PV_TRY(decide(s));
        if (ascii > 0)
            return PSDVEC_OK;
    }
    if (s->text_used == s->text.length)
        PV_TRY(refill(s));
    *got = take(&s->text, &s->text_used, bytes, capacity);
    return PSDVEC_OK;
}
