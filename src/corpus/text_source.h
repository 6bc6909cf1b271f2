/* The text of a stream member, converted to UTF-8.
 *
 *     bytes ─► what is it? ─► [convert to UTF-8] ─► [take the text out of markup] ─► text
 *
 * The detected format depends only on the bytes, never on how many bytes a read returns: on the
 * first PV_SNIFF_LENGTH bytes and, if these are ASCII, on PV_NARROW_LENGTH bytes from the first
 * non-ASCII byte. Plain UTF-8 text, the usual case, is read without a copy.
 */
#ifndef PV_CORPUS_TEXT_SOURCE_H
#define PV_CORPUS_TEXT_SOURCE_H

#include "corpus/byte_stream.h"
#include "corpus/encoding.h"

#include <psdvec/psdvec.h>

enum { PV_SNIFF_LENGTH = 16 << 10, PV_NARROW_LENGTH = 64 << 10 };

typedef struct pv_text_source {
    psdvec_context *ctx;
    const psdvec_text_options *options;
    pv_byte_stream *stream;

    bool plain;     /* the bytes need no conversion */
    bool undecided; /* ... and are ASCII so far, so the encoding is not yet known */
    bool in_parts;  /* a document of several parts */
    bool ended;     /* the stream has no more for this member */

    pv_buffer raw; /* read, but not converted; from raw_used on */
    size_t raw_used;
    pv_buffer decoded, text; /* text: from text_used on */
    size_t text_used;
    pv_decoder decoder;
    pv_markup markup;
    pv_markup_reader reader;

    bool guessed; /* the encoding was guessed to be Windows-1252 */
    uint64_t bad; /* invalid sequences in the encoding */
} pv_text_source;

void pv_text_source_init(pv_text_source *s, psdvec_context *ctx,
                         const psdvec_text_options *options);
void pv_text_source_free(pv_text_source *s);

/* Starts the current member of the stream. If it is not text, *is_text is false and *kind is set
 * (file_kind.h). */
psdvec_status pv_text_source_begin(pv_text_source *s, pv_byte_stream *stream, bool *is_text,
                                   size_t *kind);

/* Reads at most `capacity` bytes; *got is 0 only at the end of the member. */
psdvec_status pv_text_source_read(pv_text_source *s, char *bytes, size_t capacity, size_t *got);

#endif
