/* The bytes of an input, decompressed and extracted from archives.
 *
 * A stream is a sequence of members: one for a plain or a compressed file, one for each file inside
 * a tar or zip. Compression and archives are recognised by their first bytes, not by their names.
 *
 * An office document or an e-book is a zip file too, but it is one member with parts: the files
 * that contain its text, in order. Its other files are skipped. It may also be a member of an
 * archive.
 */
#ifndef PV_CORPUS_BYTE_STREAM_H
#define PV_CORPUS_BYTE_STREAM_H

#include "base/context.h"
#include "corpus/markup_text.h"

typedef struct pv_byte_stream pv_byte_stream;

/* "-" is standard input. */
psdvec_status pv_byte_stream_open(psdvec_context *ctx, const char *path, pv_byte_stream **stream);
void pv_byte_stream_close(pv_byte_stream *stream);

/* Advances to the next member; *more is false after the last. */
psdvec_status pv_byte_stream_next_member(pv_byte_stream *stream, bool *more);

/* *is_one: the member is a document. Returns the markup of its parts. */
pv_markup pv_byte_stream_document(const pv_byte_stream *stream, bool *is_one);
/* The kind (file_kind.h) of a document without parts; known after the last part. */
size_t pv_byte_stream_document_kind(const pv_byte_stream *stream);
/* Advances to the first or next part of a document; *more is false after the last. */
psdvec_status pv_byte_stream_next_part(pv_byte_stream *stream, bool *more);

/* Reads at most `capacity` bytes; *got is 0 only at the end of the member or part. */
psdvec_status pv_byte_stream_read(pv_byte_stream *stream, char *bytes, size_t capacity,
                                  size_t *got);

/* "notes.zip: chapter 1.txt"; valid until the next member. */
const char *pv_byte_stream_name(const pv_byte_stream *stream);

/* True if this is one of possibly several files in an archive. */
bool pv_byte_stream_in_archive(const pv_byte_stream *stream);

/* Bytes read from the file itself so far, for progress. */
uint64_t pv_byte_stream_consumed(const pv_byte_stream *stream);

#endif
