/* The bytes of an input, whatever it is packed in.
 *
 * A stream is a sequence of members: one for a plain or a compressed file, one
 * for each file inside a tar or zip. Compression and archives are recognised
 * by their first bytes, not by their names, and undone by libarchive.
 *
 * A document of an office program or an e-book is a zip, too, but one member, with parts: the files
 * in it that have its text, in their order. All others in it are passed over. It may also be a member
 * of an archive.
 */
#ifndef PV_CORPUS_BYTE_STREAM_H
#define PV_CORPUS_BYTE_STREAM_H

#include "base/context.h"
#include "corpus/markup_text.h"

typedef struct pv_byte_stream pv_byte_stream;

/* "-" is standard input. */
psdvec_status pv_byte_stream_open(psdvec_context *ctx, const char *path, pv_byte_stream **stream);
void pv_byte_stream_close(pv_byte_stream *stream);

/* Goes to the next member; *more is false after the last. */
psdvec_status pv_byte_stream_next_member(pv_byte_stream *stream, bool *more);

/* What the parts of the member consist of if it is a document, *is_one. */
pv_markup pv_byte_stream_document(const pv_byte_stream *stream, bool *is_one);
/* What a document without parts is (file_kind.h), known when there are no more. */
size_t pv_byte_stream_document_kind(const pv_byte_stream *stream);
/* Goes to the first and the next part of a document; *more is false after the last. */
psdvec_status pv_byte_stream_next_part(pv_byte_stream *stream, bool *more);

/* Fills at most `capacity` bytes; *got is 0 at the end of the member, or of the part, only. */
psdvec_status pv_byte_stream_read(pv_byte_stream *stream, char *bytes, size_t capacity,
                                  size_t *got);

/* "notes.zip: chapter 1.txt"; valid until the next member. */
const char *pv_byte_stream_name(const pv_byte_stream *stream);

/* True if this is one of possibly several files in an archive. */
bool pv_byte_stream_in_archive(const pv_byte_stream *stream);

/* Bytes taken from the file itself so far, for progress. */
uint64_t pv_byte_stream_consumed(const pv_byte_stream *stream);

#endif
