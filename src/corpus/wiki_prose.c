/* See wiki_prose.h. */
#include "corpus/wiki_prose.h"

#include "base/platform.h"
#include "corpus/wiki_inner.h"
#include "corpus/wiki_names.h"
#include "corpus/wiki_output.h"
#include "corpus/wiki_scan.h"

#include <string.h>

enum { SEGMENTS = 16 };

typedef struct writer {
    const char *text; /* the markup */
    const pv_wiki_event *next_event, *last_event;

    /* The part being written, and where to go on after it: the argument of a
     * template inside the article. */
    const char *limit;
    struct segment {
        const char *limit, *resume;
    } outer[SEGMENTS];
    size_t depth;

    pv_wiki_output out;
    bool list_item;           /* this line is one */
    bool in_url;              /* a ']' ends the text of "[http://... text]" */
    bool broken_table;        /* a table without end was met */
    const char *quotes_until; /* the line whose quotes were counted ends here */
    const char *apostrophe;   /* there: ''' that means ' and '' */
} writer;

/* Where the next event at or after `p` starts; at most `limit`. */
static const char *next_stop(writer *w, const char *p)
{
    while (w->next_event < w->last_event && w->text + w->next_event->start < p)
        w->next_event++;
    if (w->next_event < w->last_event && w->text + w->next_event->start < w->limit)
        return w->text + w->next_event->start;
    return w->limit;
}

static bool vanishes(const pv_wiki_event *e)
{
    return e->kind == PV_EV_DROP || e->kind == PV_EV_TAG || e->kind == PV_EV_BLOCK_DROP;
}

/* ---- Lines --------------------------------------------------------------- */

/* The end of the line at `p`, over what vanishes and contains newlines. */
static const char *line_end(const writer *w, const char *p)
{
    const pv_wiki_event *e = w->next_event;
    for (;;) {
        if (p >= w->limit) /* beyond: {{formatnum:{|}} is cut inside its "{|" */
            return w->limit;
        const char *newline = memchr(p, '\n', (size_t)(w->limit - p));
        if (!newline)
            return w->limit;
        while (e < w->last_event && w->text + e->start < newline &&
               (w->text + e->end <= newline || !vanishes(e)))
            e++;
        if (e == w->last_event || w->text + e->start >= newline)
            return newline;
        p = w->text + e->end;
    }
}

/* At '=' where a line starts. "== Title ==" and what may follow it (comments,
 * references) is a heading, and goes. */
static const char *skip_heading(writer *w, const char *p)
{
    const char *end = line_end(w, p);
    char last = '\0';
    const char *from = p;
    for (const pv_wiki_event *e = w->next_event;; e++) {
        bool past = e == w->last_event || w->text + e->start >= end;
        const char *to = past ? end : w->text + e->start;
        if (to > from) {
            const char *q = to;
            while (q > from && pv_wiki_is_blank(q[-1]))
                q--;
            if (q > from)
                last = q[-1];
        }
        if (past)
            break;
        if (vanishes(e) && w->text + e->end > from)
            from = w->text + e->end;
    }
    if (last == '=')
        return end;

    w->out.line_start = false; /* else "=<b>=<b>=" would be looked at ever again */
    const char *q = p + pv_wiki_run_of(p, (size_t)(end - p), '=');
    const char *second = q - p < 2 ? NULL : pv_find_bytes(q, (size_t)(end - q), "==", 2);
    return second ? second + pv_wiki_run_of(second, (size_t)(end - second), '=') : q;
}

/* After a newline, or what vanished behind it: the markup that only counts at
 * the start of a line. */
static const char *start_line(writer *w, const char *p)
{
    p = pv_wiki_skip_blanks(p, w->limit);
    if (p == w->limit || p == next_stop(w, p))
        return p;
    switch (*p) {
    case '=':
        pv_wiki_widen_gap(&w->out, PV_GAP_PARAGRAPH);
        return skip_heading(w, p);
    case '*':
    case '#':
    case ':':
    case ';':
        w->list_item = true;
        pv_wiki_widen_gap(&w->out, PV_GAP_PARAGRAPH);
        while (p < w->limit &&
               (*p == '*' || *p == '#' || *p == ':' || *p == ';' || pv_wiki_is_blank(*p)))
            p++;
        return p;
    case '|': /* a table that lost its beginning or its end */
        pv_wiki_widen_gap(&w->out, PV_GAP_PARAGRAPH);
        return line_end(w, p);
    case '!':
        return w->broken_table ? line_end(w, p) : p;
    case '-':
        if (w->limit - p >= 4 && memcmp(p, "----", 4) == 0) {
            pv_wiki_widen_gap(&w->out, PV_GAP_PARAGRAPH);
            p += pv_wiki_run_of(p, (size_t)(w->limit - p), '-');
        }
        return p;
    default:
        return p;
    }
}

/* At a newline. One between two lines of prose is a space; a paragraph ends at
 * a blank line, a list item, or anything that does not start like prose. */
static const char *cross_newline(writer *w, const char *p)
{
    bool ends = w->list_item;
    size_t newlines = 0;
    while (p < w->limit && (*p == '\n' || pv_wiki_is_blank(*p))) {
        newlines += *p == '\n';
        p++;
    }
    if (newlines > 1 || pv_wiki_is_blank(p[-1]) || (p < w->limit && strchr("*#:;={<|!-", *p)))
        ends = true;
    pv_wiki_widen_gap(&w->out, ends ? PV_GAP_PARAGRAPH : PV_GAP_SPACE);
    w->out.line_start = true;
    w->list_item = false;
    w->in_url = false;
    return start_line(w, p);
}

/* ---- Bytes that are special ---------------------------------------------- */

/* MediaWiki's rule for l'''amour'' (an apostrophe and italics): if bold and
 * italic marks are both odd in number on a line, one ''' is ' and ''; the one
 * after a single letter, else after a longer word, else after a space. */
static void count_quotes(writer *w, const char *p)
{
    const char *end = memchr(p, '\n', (size_t)(w->limit - p));
    if (!end)
        end = w->limit;
    w->quotes_until = end;
    w->apostrophe = NULL;
    const char *start = p, *letter = NULL, *word = NULL, *space = NULL;
    bool bold = false, italic = false;
    while (p < end && (p = memchr(p, '\'', (size_t)(end - p)))) {
        size_t n = pv_wiki_run_of(p, (size_t)(end - p), '\'');
        if (n == 2 || n >= 5)
            italic = !italic;
        if (n >= 3)
            bold = !bold;
        if (n == 3) {
            char before = p > start ? p[-1] : ' ';
            char earlier = p - start > 1 ? p[-2] : ' ';
            const char **first = before == ' ' ? &space : earlier == ' ' ? &letter : &word;
            if (!*first)
                *first = p;
        }
        p += n;
    }
    if (bold && italic)
        w->apostrophe = letter ? letter : word ? word : space;
}

/* At "://": a bare address vanishes with the scheme that was written already. */
static const char *skip_bare_url(writer *w, const char *p)
{
    size_t n = 0;
    while (n < 8 && w->out.length - w->out.first > n && p - w->text > (ptrdiff_t)n &&
           pv_wiki_is_letter(p[-1 - (ptrdiff_t)n]))
        n++;
    if (n == 0 || pv_wiki_scheme(p - n, n + 3) != n + 3 || !pv_wiki_ends_with(&w->out, p - n, n)) {
        pv_wiki_put(&w->out, p, 1);
        return p + 1;
    }
    const char *url = p + 3;
    const char *end = url + pv_wiki_url_run(url, (size_t)(w->limit - url));
    while (end > url && strchr(",.;:!?", end[-1]))
        end--;
    if (end > url && end[-1] == ')' && !memchr(url, '(', (size_t)(end - url)))
        end--;
    pv_wiki_take_back(&w->out, n);
    pv_wiki_note_drop(&w->out);
    return end;
}

/* At "__": __TOC__ and the like vanish. */
static const char *skip_magic_word(writer *w, const char *p)
{
    const char *q = p + 2;
    while (q < w->limit && q - p < 60 && ((*q >= 'A' && *q <= 'Z') || (unsigned char)*q >= 0x80))
        q++;
    if (q - p > 4 && w->limit - q >= 2 && q[0] == '_' && q[1] == '_')
        return q + 2;
    for (; p < w->limit && *p == '_'; p++)
        pv_wiki_put(&w->out, p, 1);
    return p;
}

/* A byte at which pv_wiki_prose_run() stopped. */
static const char *write_special(writer *w, const char *p)
{
    size_t left = (size_t)(w->limit - p);
    bool twice = left >= 2 && p[1] == p[0];
    size_t n; /* of those that go together */
    switch (*p) {
    case '\n':
        return cross_newline(w, p);
    case '&':
        return pv_wiki_put_entity(&w->out, p, w->limit);
    case '\'':
        if (!twice)
            break;
        n = pv_wiki_run_of(p, left, '\'');
        if (p >= w->quotes_until && w->depth == 0)
            count_quotes(w, p);
        if (n == 4 || (n == 3 && p == w->apostrophe))
            pv_wiki_put(&w->out, p, 1);
        return p + n;
    case ')':
        pv_wiki_put_bracket(&w->out, p, '(');
        return p + 1;
    case ':':
        if (left >= 3 && p[1] == '/' && p[2] == '/')
            return skip_bare_url(w, p);
        break;
    case ']':
        if (twice)
            return p + 2;
        if (w->in_url)
            w->in_url = false;
        else
            pv_wiki_put_bracket(&w->out, p, '[');
        return p + 1;
    case '_':
        if (twice)
            return skip_magic_word(w, p);
        break;
    case '}':
        if (twice)
            return p + pv_wiki_run_of(p, left, '}');
        break;
    case '~':
        n = pv_wiki_run_of(p, left, '~');
        if (n < 3)
            pv_wiki_put(&w->out, p, n);
        return p + n;
    default: /* '|', blanks and control characters */
        pv_wiki_widen_gap(&w->out, PV_GAP_SPACE);
        return p + 1;
    }
    pv_wiki_put(&w->out, p, 1);
    return p + 1;
}

/* ---- Events -------------------------------------------------------------- */

/* Goes on with the span, and then at `resume`. */
static const char *enter_segment(writer *w, pv_wiki_span span, const char *resume)
{
    if (w->depth == SEGMENTS || span.end > w->limit) {
        pv_wiki_note_drop(&w->out);
        return resume;
    }
    w->outer[w->depth++] = (struct segment){w->limit, resume};
    w->limit = span.end;
    while (span.start < span.end && (pv_wiki_is_blank(*span.start) || *span.start == '\n'))
        span.start++;
    return span.start;
}

/* "{{" without end: a template to the end of its line (what follows starts
 * with bars, and goes too), unless it does not look like one. */
static const char *skip_open_braces(writer *w, const pv_wiki_event *e)
{
    const char *p = w->text + e->end;
    if (p > w->limit)
        return p;
    const char *q = p;
    while (q < w->limit && q - p < 60 && *q != '\n' && *q != '|' && *q != '}' && *q != ',' &&
           *q != '{')
        q++;
    if (q > p &&
        (q == w->limit || *q == '\n' || *q == '|' || (*q == '{' && pv_wiki_is_letter(*p)))) {
        pv_wiki_widen_gap(&w->out, PV_GAP_PARAGRAPH);
        return line_end(w, q);
    }
    return p;
}

static const char *write_event(writer *w, const pv_wiki_event *e)
{
    const char *start = w->text + e->start, *end = w->text + e->end;
    pv_wiki_span span;
    switch ((pv_wiki_event_kind)e->kind) {
    case PV_EV_TAG:
        return end;
    case PV_EV_DROP:
        pv_wiki_note_drop(&w->out);
        return end;
    case PV_EV_BLOCK_DROP:
    case PV_EV_BLOCK:
        pv_wiki_widen_gap(&w->out, PV_GAP_PARAGRAPH);
        return end;
    case PV_EV_SPACE:
        pv_wiki_widen_gap(&w->out, PV_GAP_SPACE);
        return end;
    case PV_EV_NOWIKI: {
        const char *from = memchr(start, '>', (size_t)(end - start));
        const char *to = pv_find_last(start, '<', (size_t)(end - start));
        if (from && to > from)
            pv_wiki_put_literal(&w->out, from + 1, to < w->limit ? to : w->limit);
        return end;
    }
    case PV_EV_LINK:
        return pv_wiki_read_link(&w->out, w->text, e);
    case PV_EV_TEMPLATE:
        if (pv_wiki_read_template(&w->out, w->text, e, w->last_event, &span))
            return enter_segment(w, span, end);
        return end;
    case PV_EV_URL:
        pv_wiki_note_drop(&w->out);
        if (end < w->limit && *end == ']')
            return end + 1;
        w->in_url = true;
        return end;
    case PV_EV_VARIANT:
        if (pv_wiki_read_variant(&w->out, w->text, e, &span))
            return enter_segment(w, span, end);
        return end;
    case PV_EV_OPEN_LINK:
        if (pv_wiki_classify_link(end, w->limit) != PV_LINK_TEXT)
            return line_end(w, end);
        return end;
    case PV_EV_OPEN_BRACES:
        return skip_open_braces(w, e);
    case PV_EV_OPEN_TABLE:
        w->broken_table = true;
        pv_wiki_widen_gap(&w->out, PV_GAP_PARAGRAPH);
        return line_end(w, end);
    }
    return end;
}

/* ---- The walk ------------------------------------------------------------ */

static void walk(writer *w, const char *p)
{
    p = start_line(w, p);
    for (;;) {
        if (p >= w->limit) {
            if (w->depth == 0)
                return;
            struct segment outer = w->outer[--w->depth];
            w->limit = outer.limit;
            if (p < outer.resume)
                p = outer.resume;
            continue;
        }
        const char *stop = next_stop(w, p);
        if (p == stop) {
            const pv_wiki_event *e = w->next_event++;
            p = write_event(w, e);
            if (!vanishes(e) && e->kind != PV_EV_BLOCK)
                w->out.line_start = false;
            if (w->out.line_start && p < w->limit)
                p = start_line(w, p);
            continue;
        }
        size_t n = pv_wiki_prose_run(p, (size_t)(stop - p));
        if (n)
            pv_wiki_put_run(&w->out, p, n);
        p += n;
        if (p < stop)
            p = write_special(w, p);
    }
}

void pv_wiki_write_prose(const char *text, size_t length, const pv_wiki_event *events, size_t count,
                         pv_buffer *out)
{
    writer w = {
        .text = text,
        .next_event = events,
        .last_event = events + count,
        .limit = text + length,
        .out = {.text = out->data, .length = out->length, .first = out->length, .line_start = true},
        .quotes_until = text};
    walk(&w, text);
    out->length = w.out.length;
}
