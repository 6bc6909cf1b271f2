/* The lines of a text file, packed or not, one after the other, with their
 * numbers. Shows progress and notices requests to stop by itself.
 */
#ifndef PV_COUNT_TEXT_LINES_H
#define PV_COUNT_TEXT_LINES_H

#include "base/memory.h"
#include "base/progress.h"
#include "corpus/byte_stream.h"

typedef struct pv_text_lines {
    psdvec_context *ctx;
    pv_scope memory;
    pv_byte_stream *stream;
    pv_progress progress;
    char *block;
    size_t capacity;
    char *at, *end;    /* not yet given */
    bool ended;        /* nothing more to read */
    uint64_t number;   /* of the last line given, from 1 */
    uint64_t consumed; /* bytes of the file, as told to progress */
} pv_text_lines;

psdvec_status pv_text_lines_open(pv_text_lines *l, psdvec_context *ctx, const char *path);
void pv_text_lines_close(pv_text_lines *l);

/* The next line, without its end ("\n" or "\r\n"), followed by '\n' or '\0' (and
 * PV_BUFFER_PAD - 1 more bytes that may be read); *line is NULL after the last.
 * Valid, and the caller's to change, until the next call. */
psdvec_status pv_text_lines_next(pv_text_lines *l, char **line, size_t *length);

/* PSDVEC_ERR_DAMAGED with "NAME: line N: CAUSE". */
psdvec_status pv_text_lines_reject(const pv_text_lines *l, const char *format, ...) PV_PRINTF(2, 3);

/* At the end of a stream's member: it must be the only one. */
psdvec_status pv_text_lines_only_member(psdvec_context *ctx, pv_byte_stream *stream);

#endif
