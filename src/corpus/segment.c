/* Segments. A sentence ends at . ! ? or U+2026 that is followed by white space
 * or the end of the line, closing quotes and brackets passed over; at the full
 * stops of Chinese and Japanese and the danda of Hindi; and at a paragraph
 * separator (U+2029), which joined records contain. */
#include "corpus/segment.h"

#include "util/utf8.h"

#include <stdbool.h>
#include <string.h>

unsigned char *pv_blank_line(unsigned char *line, unsigned char *end)
{
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
        line++;
    return line < end && *line == '\n' ? line + 1 : NULL;
}

static bool closes(uint32_t cp)
{
    return cp == '"' || cp == '\'' || cp == ')' || cp == ']' || cp == 0x2019 || cp == 0x201D ||
           cp == 0xBB;
}

static bool ends_anywhere(uint32_t cp)
{
    return cp == 0x3002 || cp == 0xFF01 || cp == 0xFF1F || cp == 0xFF61 || cp == 0x0964 ||
           cp == 0x0965 || cp == 0x2029;
}

unsigned char *pv_sentence_end(bool only_at_space, unsigned char *begin, unsigned char *end)
{
    bool stop_seen = false;
    for (unsigned char *p = begin; p < end;) {
        uint32_t cp = 0;
        int length = pv_utf8_decode(p, end, &cp);
        if (length < 0) {
            stop_seen = false;
            p -= length;
            continue;
        }
        if (stop_seen && cp <= ' ')
            return p;
        p += length;
        if (ends_anywhere(cp)) {
            if (!only_at_space)
                return p;
            stop_seen = true;
        } else if (cp == '.' || cp == '!' || cp == '?' || cp == 0x2026) {
            stop_seen = true;
        } else if (!closes(cp)) {
            stop_seen = false;
        }
    }
    return stop_seen ? end : NULL;
}

unsigned char *pv_document_end(psdvec_document document, bool mid_line, unsigned char *begin,
                               unsigned char *end, unsigned char **next)
{
    if (document == PSDVEC_DOCUMENT_LINE) {
        unsigned char *newline = memchr(begin, '\n', (size_t)(end - begin));
        *next = newline ? newline + 1 : end;
        return newline;
    }
    if (document == PSDVEC_DOCUMENT_BLANK_LINE) {
        for (unsigned char *line = begin; line < end; mid_line = false) {
            unsigned char *after = mid_line ? NULL : pv_blank_line(line, end);
            if (after) {
                *next = after;
                return line;
            }
            unsigned char *newline = memchr(line, '\n', (size_t)(end - line));
            if (!newline)
                break;
            line = newline + 1;
        }
    }
    *next = end;
    return NULL;
}
