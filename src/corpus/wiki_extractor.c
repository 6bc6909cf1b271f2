/* See wiki_extractor.h. */
#include "corpus/wiki_extractor.h"

#include "corpus/html_entities.h"
#include "util/utf8.h"

#include <string.h>

typedef struct line {
    const char *start, *end; /* without newline and blanks around */
} line;

/* Takes the next line off *p. */
static line next_line(const char **p, const char *end)
{
    const char *newline = memchr(*p, '\n', (size_t)(end - *p));
    line l = {*p, newline ? newline : end};
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
        line l = next_line(&p, end);
        if (l.start == l.end)
            continue;
        if (any)
            PV_TRY(pv_buffer_append(out, PV_PARAGRAPH_JOIN, sizeof PV_PARAGRAPH_JOIN - 1));
        PV_TRY(pv_buffer_append(out, l.start, (size_t)(l.end - l.start)));
        any = true;
    }
    return any ? pv_buffer_byte(out, '\n') : PSDVEC_OK;
}

static bool starts_with(line l, const char *prefix)
{
    size_t n = strlen(prefix);
    return (size_t)(l.end - l.start) >= n && memcmp(l.start, prefix, n) == 0;
}

static bool is_doc_start(line l)
{
    return starts_with(l, "<doc id=\"") && l.end[-1] == '>';
}

static bool is_doc_end(line l)
{
    return l.end - l.start == 6 && starts_with(l, "</doc>");
}

/* WikiExtractor escapes '<', '>' and '&', and leaves what was escaped twice. */
static psdvec_status append_decoded(pv_buffer *out, line l)
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
            utf8[0] = ' '; /* no new line ends */
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
    bool cut = true;  /* the document may have begun before this block */
    bool any = false; /* it has text in this block, with a join behind it */
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    while (p < end) {
        line l = next_line(&p, end);
        if (l.start == l.end)
            continue;
        bool starts = is_doc_start(l);
        if (starts || is_doc_end(l)) {
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
        line l = next_line(&p, end);
        if (l.start == l.end)
            continue;
        /* The sniffed bytes may end within the line. */
        return starts_with(l, "<doc id=\"") && (p == end || l.end[-1] == '>');
    }
    return false;
}
