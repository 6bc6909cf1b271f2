/* The text of a member of a stream in UTF-8, whatever it is stored as.
 *
 *     bytes ─► what is it? ─► [convert to UTF-8] ─► [take the text out of markup] ─► text
 *
 * What a member is depends on its bytes alone, never on how many a read happens to give: on the first
 * PV_SNIFF_LENGTH of them and, if these are ASCII, on the first PV_NARROW_LENGTH from the first byte
 * on that is not. Plain text in UTF-8, the usual case, is read without a copy.
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

    bool plain;     /* bytes are text as they are */
    bool undecided; /* ... and were ASCII so far, so they may yet turn out not to be UTF-8 */
    bool in_parts;  /* a document of several parts */
    bool ended;     /* the stream has no more for this member */

    pv_buffer raw; /* read, but not converted; from raw_used on */
    size_t raw_used;
    pv_buffer decoded, text; /* text: from text_used on */
    size_t text_used;
    pv_decoder decoder;
    pv_markup markup;
    pv_markup_reader reader;

    bool guessed; /* it is Windows-1252 because it looks so */
    uint64_t bad; /* sequences that were no characters of the encoding */
} pv_text_source;

void pv_text_source_init(pv_text_source *s, psdvec_context *ctx,
                         const psdvec_text_options *options);
void pv_text_source_free(pv_text_source *s);

/* For the current member of the stream. If it is not text, *is_text is false and *kind says what it
 * is (file_kind.h). */
psdvec_status pv_text_source_begin(pv_text_source *s, pv_byte_stream *stream, bool *is_text,
                                   size_t *kind);

/* Fills at most `capacity` bytes; *got is 0 at the end of the member only. */
psdvec_status pv_text_source_read(pv_text_source *s, char *bytes, size_t capacity, size_t *got);

#endif
