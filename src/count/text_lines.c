/* Reading lines of text. */
#include "count/formats.h"

#include "util/c_locale.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 1 << 20, LONGEST_LINE = 64 << 20 };

psdvec_status pv_text_lines_open(pv_text_lines *l, psdvec_context *ctx, const char *path)
{
    *l = (pv_text_lines){.ctx = ctx, .memory = {.ctx = ctx, .what = "reading lines"}};
    PV_TRY(pv_byte_stream_open(ctx, path, &l->stream));
    bool more;
    PV_TRY(pv_byte_stream_next_member(l->stream, &more));
    l->ended = !more;
    l->capacity = BLOCK;
    PV_TAKE(&l->memory, l->block, l->capacity + PV_BUFFER_PAD);
    PV_TRY(pv_scope_status(&l->memory));
    l->at = l->end = l->block;
    struct stat info;
    bool sized = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    pv_progress_begin(&l->progress, ctx, "reading", "B", sized ? (uint64_t)info.st_size : 0);
    return PSDVEC_OK;
}

void pv_text_lines_close(pv_text_lines *l)
{
    pv_byte_stream_close(l->stream);
    pv_scope_free(&l->memory);
    *l = (pv_text_lines){0};
}

psdvec_status pv_text_lines_reject(const pv_text_lines *l, const char *format, ...)
{
    char cause[400];
    va_list arguments;
    va_start(arguments, format);
    pv_vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    return pv_fail(l->ctx, PSDVEC_ERR_DAMAGED, "%s: line %" PRIu64 ": %s",
                   pv_byte_stream_name(l->stream), l->number, cause);
}

psdvec_status pv_text_lines_only_member(psdvec_context *ctx, pv_byte_stream *stream)
{
    bool more;
    PV_TRY(pv_byte_stream_next_member(stream, &more));
    if (more)
        return pv_fail(ctx, PSDVEC_ERR_DAMAGED,
                       "%s: the archive has more than one file; unpack the file to be imported",
                       pv_byte_stream_name(stream));
    return PSDVEC_OK;
}

/* Reads more data after the rest of the block. */
static psdvec_status refill(pv_text_lines *l)
{
    size_t rest = (size_t)(l->end - l->at), got;
    memmove(l->block, l->at, rest);
    if (rest == l->capacity) {
        l->number++;
        if (l->capacity >= LONGEST_LINE)
            return pv_text_lines_reject(l,
                                        "the line is longer than %d MiB; check that it is the "
                                        "right file",
                                        LONGEST_LINE >> 20);
        l->number--;
        PV_GROW(&l->memory, l->block, 2 * l->capacity + PV_BUFFER_PAD);
        PV_TRY(pv_scope_status(&l->memory));
        l->capacity *= 2;
    }
    l->at = l->block;
    l->end = l->block + rest;
    PV_TRY(pv_check_cancel(l->ctx));
    PV_TRY(pv_byte_stream_read(l->stream, l->end, l->capacity - rest, &got));
    l->end += got;
    memset(l->end, 0, PV_BUFFER_PAD);
    pv_progress_add(&l->progress, pv_byte_stream_consumed(l->stream) - l->consumed);
    l->consumed = pv_byte_stream_consumed(l->stream);
    if (got == 0) {
        l->ended = true;
        PV_TRY(pv_text_lines_only_member(l->ctx, l->stream));
        pv_progress_end(&l->progress);
    }
    return PSDVEC_OK;
}

psdvec_status pv_text_lines_next(pv_text_lines *l, char **line, size_t *length)
{
    char *newline;
    size_t seen = 0; /* bytes known to contain no newline */
    while (!(newline = memchr(l->at + seen, '\n', (size_t)(l->end - l->at) - seen)) && !l->ended) {
        seen = (size_t)(l->end - l->at);
        PV_TRY(refill(l));
    }
    *line = NULL;
    *length = 0;
    if (l->at == l->end)
        return PSDVEC_OK;
    char *end = newline ? newline : l->end;
    *line = l->at;
    *length = (size_t)(end - l->at);
    l->at = newline ? newline + 1 : end;
    if (*length && end[-1] == '\r')
        --*length;
    l->number++;
    return PSDVEC_OK;
}
