/* Writing the prose of wiki markup. See wiki_parts.h. */
#include "corpus/wiki_parts.h"

#include "base/platform.h"
#include "corpus/html_entities.h"
#include "util/utf8.h"

#include <string.h>

/* ---- Writing ---------------------------------------------------------------
 *
 * A blank is not written at once but recorded in `gap` and written before the next word. So there
 * are no blanks at the ends and no repeated ones. Removed markup is recorded too, so that the
 * punctuation around it can be cleaned up before the next word: "(''{{x}}''; born 1900)" -> "(born
 * 1900)".
 *
 * No function writes more than its input plus the blank before it, which corresponds to at least
 * one byte of markup; so prose is never longer than its markup. */

typedef enum gap_kind { GAP_NONE, GAP_SPACE, GAP_PARAGRAPH } gap_kind;

typedef struct output {
    char *text; /* large enough for all of the markup */
    size_t length;
    size_t first;      /* where this article's prose starts */
    gap_kind gap;      /* to be written before the next word */
    bool dropped;      /* something was removed since the last word */
    size_t dropped_at; /* and the length of the prose then */
    bool line_start;   /* nothing was written since the newline */
} output;

/* At least this gap will precede the next word. */
static void widen_gap(output *out, gap_kind gap)
{
    if (out->gap < gap)
        out->gap = gap;
}

static void note_drop(output *out)
{
    out->dropped = true;
    out->dropped_at = out->length;
}

static bool ends_with(const output *out, const char *tail, size_t n)
{
    return out->length - out->first >= n && memcmp(out->text + out->length - n, tail, n) == 0;
}

/* Removes the last `n` bytes of prose, and blanks before them. */
static void remove_last(output *out, size_t n)
{
    out->length -= n;
    while (out->length > out->first) {
        char last = out->text[out->length - 1];
        if (last != ' ' && last != '\n')
            return;
        widen_gap(out, last == ' ' ? GAP_SPACE : GAP_PARAGRAPH);
        out->length--;
    }
}

/* Where something was dropped just before `p`, the punctuation before it is removed too: "At {{x}},
 * a" -> "At, a". Returns how many of the `n` bytes are not to be written either. */
static size_t fix_punctuation(output *out, const char *p, size_t n)
{
    size_t i = 0;
    if (ends_with(out, "(", 1))
        while (i < n && (p[i] == ',' || p[i] == ';' || p[i] == ':' || p[i] == ' '))
            i++;
    if (n - i >= 3 && memcmp(p + i, "\xEF\xBC\x89", 3) == 0 && out->dropped_at == out->length &&
        ends_with(out, "\xEF\xBC\x88", 3)) { /* full-width brackets */
        remove_last(out, 3);
        i += 3;
        if (i < n && p[i] == ' ') {
            widen_gap(out, GAP_SPACE);
            i++;
        }
    }
    if (i < n && out->gap == GAP_SPACE &&
        ((out->length > out->first && strchr(",.;:!?)", p[i])) || ends_with(out, "(", 1)))
        out->gap = GAP_NONE;
    return i;
}

/* A word, or a few, without blanks at the ends. */
static void put(output *out, const char *p, size_t n)
{
    if (PV_UNLIKELY(out->dropped)) {
        size_t gone = fix_punctuation(out, p, n);
        p += gone;
        n -= gone;
        if (n == 0)
            return;
    }
    if (out->gap != GAP_NONE && out->length > out->first)
        out->text[out->length++] = out->gap == GAP_SPACE ? ' ' : '\n';
    out->gap = GAP_NONE;
    out->dropped = false;
    out->line_start = false;
    memcpy(out->text + out->length, p, n);
    out->length += n;
}

/* A span of pv_wiki_prose_span(): single spaces, perhaps at its ends. n > 0. */
static void put_span(output *out, const char *p, size_t n)
{
    if (*p == ' ') {
        widen_gap(out, GAP_SPACE);
        p++, n--;
    }
    if (n == 0)
        return;
    bool space_after = p[n - 1] == ' ';
    n -= space_after;
    if (n)
        put(out, p, n);
    if (space_after)
        widen_gap(out, GAP_SPACE);
}

/* ')' or ']' at `p`: removes brackets that contained only dropped text. */
static void put_bracket(output *out, const char *p, char opening_bracket)
{
    size_t i = out->length;
    while (i > out->first && out->length - i < 64 && strchr(" ,;:/", out->text[i - 1]))
        i--;
    if (i > out->first && out->text[i - 1] == opening_bracket && out->dropped_at >= i &&
        out->gap != GAP_PARAGRAPH) {
        out->gap = GAP_NONE;
        remove_last(out, out->length - i + 1);
        note_drop(out);
        return;
    }
    put(out, p, 1);
}

/* Spaces of any width, and control characters. */
static bool is_space(uint32_t code)
{
    return code <= 0x20 || (code >= 0x7F && code <= 0xA0) || (code >= 0x2000 && code <= 0x200A) ||
           code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

static bool is_invisible(uint32_t code)
{
    return code == 0xAD || code == 0x200B || code == 0x200E || code == 0x200F || code == 0x2060 ||
           code == 0xFEFF;
}

/* The entity at `p`, or the '&' alone. Returns the position after it. */
static const char *put_entity(output *out, const char *p, const char *end)
{
    uint32_t code;
    size_t taken = pv_html_entity_twice(p, (size_t)(end - p), &code);
    if (taken == 0) {
        put(out, p, 1);
        return p + 1;
    }
    if (is_space(code)) {
        widen_gap(out, GAP_SPACE);
    } else if (!is_invisible(code)) {
        char utf8[4];
        put(out, utf8, (size_t)pv_utf8_encode(code, utf8));
    }
    return p + taken;
}

/* Text in which nothing but blanks and entities is special. */
static void put_literal(output *out, const char *p, const char *end)
{
    while (p < end) {
        if ((unsigned char)*p <= 0x20) {
            widen_gap(out, GAP_SPACE);
            p++;
        } else if (*p == '&') {
            p = put_entity(out, p, end);
        } else {
            const char *q = p;
            while (q < end && (unsigned char)*q > 0x20 && *q != '&')
                q++;
            put(out, p, (size_t)(q - p));
            p = q;
        }
    }
}

typedef struct range {
    const char *start, *end;
} range;

/* ---- Links --------------------------------------------------------------- */

/* Returns where the text of the link continues, which ends at its "]]", or the end of the link if
 * the text has been written. Examines only its first 1,000 bytes. */
static const char *read_link(output *out, const char *text, const pv_wiki_event *e)
{
    const char *p = text + e->start + 2, *end = text + e->end, *close = end - 2;
    const char *q = p;
    while (q < close && q - p < 1000 && *q != '|' && *q != '[' && *q != '{' && *q != '\n')
        q++;
    if (q < close && *q == '|') {
        if (q + 1 < close)
            return q + 1;
        /* The pipe trick: [[Help:Foo (bar)|]] reads "Foo". */
        const char *colon = memchr(p, ':', (size_t)(q - p));
        if (colon)
            p = colon + 1;
        const char *bracket = memchr(p, '(', (size_t)(q - p));
        if (bracket)
            q = bracket;
        while (q > p && pv_wiki_is_blank(q[-1]))
            q--;
        put_literal(out, p, q);
        return end;
    }
    while (p < close && (*p == ':' || *p == '#' || pv_wiki_is_blank(*p)))
        p++;
    return pv_wiki_skip_project(p, close);
}

/* ---- The arguments of a template ----------------------------------------- */

enum { ARGUMENTS = 6 };

typedef struct arguments {
    range by_position[ARGUMENTS]; /* from `count` on, all zero */
    size_t count;
    range text; /* text= or quote= */
} arguments;

static range trimmed(range a)
{
    while (a.start < a.end && (unsigned char)*a.start <= ' ')
        a.start++;
    while (a.end > a.start && (unsigned char)a.end[-1] <= ' ')
        a.end--;
    return a;
}

/* "name = value": records the few names that matter. */
static void add_argument(arguments *list, const char *start, const char *end)
{
    range a = trimmed((range){start, end});
    const char *name_end = a.start;
    while (name_end < a.end && name_end - a.start < 20 &&
           (pv_wiki_is_letter(*name_end) || (*name_end >= '0' && *name_end <= '9') ||
            *name_end == '-' || *name_end == '_'))
        name_end++;
    const char *equals = pv_wiki_skip_blanks(name_end, a.end);
    if (name_end == a.start || equals == a.end || *equals != '=') {
        if (list->count < ARGUMENTS)
            list->by_position[list->count++] = a;
        return;
    }
    char name[24];
    size_t n = pv_wiki_canonical_name(a.start, name_end, name, sizeof name);
    range value = trimmed((range){equals + 1, a.end});
    if (n == 1 && name[0] >= '1' && name[0] <= '0' + ARGUMENTS) {
        size_t index = (size_t)(name[0] - '1');
        while (list->count <= index)
            list->by_position[list->count++] = (range){a.start, a.start};
        list->by_position[index] = value;
    } else if (strcmp(name, "text") == 0 || strcmp(name, "quote") == 0) {
        list->text = value;
    }
}

/* Splits at the bars that belong to this template, not to what is inside. */
static arguments split_arguments(const char *text, const pv_wiki_event *e,
                                 const pv_wiki_event *last)
{
    arguments list = {.count = 0};
    const char *end = text + e->end - 2;
    const char *p = memchr(text + e->start, '|', (size_t)(end - text - e->start));
    if (!p)
        return list;
    const char *start = ++p;
    const pv_wiki_event *inner = e + 1;
    for (;;) {
        while (inner < last && text + inner->start < p)
            inner++;
        const char *stop = inner < last && text + inner->start < end ? text + inner->start : end;
        const char *bar = memchr(p, '|', (size_t)(stop - p));
        if (bar) {
            add_argument(&list, start, bar);
            p = start = bar + 1;
        } else if (stop == end) {
            add_argument(&list, start, end);
            return list;
        } else {
            p = text + inner->end;
            if (p > end)
                p = end;
            if (p == text + inner->start)
                p++;
        }
    }
}

/* ---- Templates ----------------------------------------------------------- */

/* {{convert|5|to|6|km|mi}} -> "5 to 6 km" */
static void write_measure(output *out, const arguments *list)
{
    for (size_t i = 0; i < list->count; i++) {
        range a = list->by_position[i];
        for (const char *p = a.start; p < a.end; p++)
            if (*p == '{' || *p == '[' || *p == '<')
                return;
        if (i)
            widen_gap(out, GAP_SPACE);
        put_literal(out, a.start, a.end);
        bool number = a.start < a.end && strchr("0123456789+-.", *a.start);
        if (i && !number && !pv_wiki_is_connector(a.start, (size_t)(a.end - a.start)))
            return;
    }
}

/* {{formatnum:1234|R}}: "1234" */
static range after_colon(const char *text, const pv_wiki_event *e)
{
    const char *end = text + e->end - 2;
    const char *colon = memchr(text + e->start, ':', e->end - e->start);
    if (!colon)
        return (range){NULL, NULL};
    const char *bar = memchr(colon + 1, '|', (size_t)(end - colon - 1));
    return (range){colon + 1, bar ? bar : end};
}

/* Returns the range to be read as markup; empty if the template has been written or is removed,
 * which is recorded. The events inside the template are between `e` and `last`. */
static range read_template(output *out, const char *text, const pv_wiki_event *e,
                           const pv_wiki_event *last)
{
    range kept = {NULL, NULL};
    const pv_wiki_template *t = &pv_wiki_templates[e->detail];
    arguments list = {.count = 0};
    if (t->keep != PV_KEEP_LITERAL && t->keep != PV_KEEP_AFTER_COLON)
        list = split_arguments(text, e, last);
    switch ((pv_wiki_keep)t->keep) {
    case PV_KEEP_LITERAL:
        put_literal(out, t->literal, t->literal + strlen(t->literal));
        return kept;
    case PV_KEEP_MEASURE:
        write_measure(out, &list);
        return kept;
    case PV_KEEP_AFTER_COLON:
        kept = after_colon(text, e);
        break;
    case PV_KEEP_QUOTE:
        widen_gap(out, GAP_PARAGRAPH);
        kept = list.text.start ? list.text : list.by_position[0];
        break;
    case PV_KEEP_FIRST:
        kept = list.by_position[0];
        break;
    case PV_KEEP_SECOND:
        kept = list.by_position[1];
        break;
    case PV_KEEP_LAST:
        kept = list.by_position[list.count ? list.count - 1 : 0];
        break;
    }
    if (kept.start != kept.end)
        return kept;
    note_drop(out);
    return (range){NULL, NULL};
}

/* ---- Variants ------------------------------------------------------------ */

/* -{zh-hans:A;zh-hant:B}- reads "A", -{text}- reads "text"; flags before a bar
 * may hide it. */
static range read_variant(output *out, const char *text, const pv_wiki_event *e)
{
    const char *p = text + e->start + 2, *end = text + e->end - 2;
    const char *q = p;
    while (q < end && q - p < 30 &&
           (pv_wiki_is_letter(*q) || *q == '-' || *q == ';' || *q == '+' || pv_wiki_is_blank(*q)))
        q++;
    if (q < end && *q == '|') {
        for (; p < q; p++)
            if (*p == 'H' || *p == 'T' || *p == '-') {
                note_drop(out);
                return (range){NULL, NULL};
            }
        p = q + 1;
    }
    p = q = pv_wiki_skip_blanks(p, end);
    while (q < end && q - p < 16 && ((*q >= 'a' && *q <= 'z') || *q == '-'))
        q++;
    if (q > p && q < end && *q == ':') {
        p = q + 1;
        const char *semicolon = memchr(p, ';', (size_t)(end - p));
        if (semicolon)
            end = semicolon;
    }
    return (range){p, end};
}

/* ---- The walk's state ----------------------------------------------------- */

enum { PASSAGES = 16 };

typedef struct writer {
    const char *text; /* the markup */
    const pv_wiki_event *next_event, *last_event;

    /* The passage being written (the argument of a template), and where to continue after it. */
    const char *limit;
    struct passage {
        const char *limit, *resume;
    } outer[PASSAGES];
    size_t depth;

    output out;
    bool list_item;           /* this line is one */
    bool in_url;              /* a ']' ends the text of "[http://... text]" */
    bool broken_table;        /* an unclosed table was found */
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

/* The end of the line at `p`, skipping removed ranges, which may contain newlines. */
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

/* At '=' where a line starts. "== Title ==" and what may follow it (comments, references) is a
 * heading, and is removed. */
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

    w->out.line_start = false; /* else "=<b>=<b>=" would be scanned repeatedly */
    const char *q = p + pv_wiki_repeats(p, (size_t)(end - p), '=');
    const char *second = q - p < 2 ? NULL : pv_find_bytes(q, (size_t)(end - q), "==", 2);
    return second ? second + pv_wiki_repeats(second, (size_t)(end - second), '=') : q;
}

/* Called after a newline, or after removed markup that follows it: handles markup that is special
 * only at the start of a line. */
static const char *start_line(writer *w, const char *p)
{
    p = pv_wiki_skip_blanks(p, w->limit);
    if (p == w->limit || p == next_stop(w, p))
        return p;
    switch (*p) {
    case '=':
        widen_gap(&w->out, GAP_PARAGRAPH);
        return skip_heading(w, p);
    case '*':
    case '#':
    case ':':
    case ';':
        w->list_item = true;
        widen_gap(&w->out, GAP_PARAGRAPH);
        while (p < w->limit &&
               (*p == '*' || *p == '#' || *p == ':' || *p == ';' || pv_wiki_is_blank(*p)))
            p++;
        return p;
    case '|': /* a table that lost its beginning or its end */
        widen_gap(&w->out, GAP_PARAGRAPH);
        return line_end(w, p);
    case '!':
        return w->broken_table ? line_end(w, p) : p;
    case '-':
        if (w->limit - p >= 4 && memcmp(p, "----", 4) == 0) {
            widen_gap(&w->out, GAP_PARAGRAPH);
            p += pv_wiki_repeats(p, (size_t)(w->limit - p), '-');
        }
        return p;
    default:
        return p;
    }
}

/* At a newline. Between two lines of prose it becomes a space; a paragraph ends at a blank line, a
 * list item, or anything that does not start like prose. */
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
    widen_gap(&w->out, ends ? GAP_PARAGRAPH : GAP_SPACE);
    w->out.line_start = true;
    w->list_item = false;
    w->in_url = false;
    return start_line(w, p);
}

/* ---- Bytes that are special ---------------------------------------------- */

/* MediaWiki's rule for l'''amour'' (an apostrophe and italics): if the numbers of bold and italic
 * marks on a line are both odd, one ''' is read as ' and '': the one after a single letter, else
 * after a longer word, else after a space. */
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
        size_t n = pv_wiki_repeats(p, (size_t)(end - p), '\'');
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

/* At "://": a bare URL is removed together with its scheme, which was already written. */
static const char *skip_bare_url(writer *w, const char *p)
{
    size_t n = 0;
    while (n < 8 && w->out.length - w->out.first > n && p - w->text > (ptrdiff_t)n &&
           pv_wiki_is_letter(p[-1 - (ptrdiff_t)n]))
        n++;
    if (n == 0 || pv_wiki_scheme(p - n, n + 3) != n + 3 || !ends_with(&w->out, p - n, n)) {
        put(&w->out, p, 1);
        return p + 1;
    }
    const char *url = p + 3;
    const char *end = url + pv_wiki_url_span(url, (size_t)(w->limit - url));
    while (end > url && strchr(",.;:!?", end[-1]))
        end--;
    if (end > url && end[-1] == ')' && !memchr(url, '(', (size_t)(end - url)))
        end--;
    remove_last(&w->out, n);
    note_drop(&w->out);
    return end;
}

/* At "__": __TOC__ and similar words are removed. */
static const char *skip_magic_word(writer *w, const char *p)
{
    const char *q = p + 2;
    while (q < w->limit && q - p < 60 && ((*q >= 'A' && *q <= 'Z') || (unsigned char)*q >= 0x80))
        q++;
    if (q - p > 4 && w->limit - q >= 2 && q[0] == '_' && q[1] == '_')
        return q + 2;
    for (; p < w->limit && *p == '_'; p++)
        put(&w->out, p, 1);
    return p;
}

/* A byte at which pv_wiki_prose_span() stopped. */
static const char *write_special(writer *w, const char *p)
{
    size_t left = (size_t)(w->limit - p);
    bool twice = left >= 2 && p[1] == p[0];
    size_t n; /* of those that go together */
    switch (*p) {
    case '\n':
        return cross_newline(w, p);
    case '&':
        return put_entity(&w->out, p, w->limit);
    case '\'':
        if (!twice)
            break;
        n = pv_wiki_repeats(p, left, '\'');
        if (p >= w->quotes_until && w->depth == 0)
            count_quotes(w, p);
        if (n == 4 || (n == 3 && p == w->apostrophe))
            put(&w->out, p, 1);
        return p + n;
    case ')':
        put_bracket(&w->out, p, '(');
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
            put_bracket(&w->out, p, '[');
        return p + 1;
    case '_':
        if (twice)
            return skip_magic_word(w, p);
        break;
    case '}':
        if (twice)
            return p + pv_wiki_repeats(p, left, '}');
        break;
    case '~':
        n = pv_wiki_repeats(p, left, '~');
        if (n < 3)
            put(&w->out, p, n);
        return p + n;
    default: /* '|', blanks and control characters */
        widen_gap(&w->out, GAP_SPACE);
        return p + 1;
    }
    put(&w->out, p, 1);
    return p + 1;
}

/* ---- Events -------------------------------------------------------------- */

/* Continues with the range, if it is not empty, and then at `resume`. */
static const char *enter_passage(writer *w, range kept, const char *resume)
{
    if (!kept.start)
        return resume;
    if (w->depth == PASSAGES || kept.end > w->limit) {
        note_drop(&w->out);
        return resume;
    }
    w->outer[w->depth++] = (struct passage){w->limit, resume};
    w->limit = kept.end;
    while (kept.start < kept.end && (pv_wiki_is_blank(*kept.start) || *kept.start == '\n'))
        kept.start++;
    return kept.start;
}

/* An unclosed "{{": a template up to the end of its line (following lines that start with bars are
 * removed too), unless it does not look like one. */
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
        widen_gap(&w->out, GAP_PARAGRAPH);
        return line_end(w, q);
    }
    return p;
}

static const char *write_event(writer *w, const pv_wiki_event *e)
{
    const char *start = w->text + e->start, *end = w->text + e->end;
    switch ((pv_wiki_event_kind)e->kind) {
    case PV_EV_TAG:
        return end;
    case PV_EV_DROP:
        note_drop(&w->out);
        return end;
    case PV_EV_BLOCK_DROP:
    case PV_EV_BLOCK:
        widen_gap(&w->out, GAP_PARAGRAPH);
        return end;
    case PV_EV_SPACE:
        widen_gap(&w->out, GAP_SPACE);
        return end;
    case PV_EV_NOWIKI: {
        const char *from = memchr(start, '>', (size_t)(end - start));
        const char *to = pv_find_last(start, '<', (size_t)(end - start));
        if (from && to > from)
            put_literal(&w->out, from + 1, to < w->limit ? to : w->limit);
        return end;
    }
    case PV_EV_LINK:
        return read_link(&w->out, w->text, e);
    case PV_EV_TEMPLATE:
        return enter_passage(w, read_template(&w->out, w->text, e, w->last_event), end);
    case PV_EV_URL:
        note_drop(&w->out);
        if (end < w->limit && *end == ']')
            return end + 1;
        w->in_url = true;
        return end;
    case PV_EV_VARIANT:
        return enter_passage(w, read_variant(&w->out, w->text, e), end);
    case PV_EV_OPEN_LINK:
        if (pv_wiki_classify_link(end, w->limit) != PV_LINK_TEXT)
            return line_end(w, end);
        return end;
    case PV_EV_OPEN_BRACES:
        return skip_open_braces(w, e);
    case PV_EV_OPEN_TABLE:
        w->broken_table = true;
        widen_gap(&w->out, GAP_PARAGRAPH);
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
            struct passage outer = w->outer[--w->depth];
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
        size_t n = pv_wiki_prose_span(p, (size_t)(stop - p));
        if (n)
            put_span(&w->out, p, n);
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
