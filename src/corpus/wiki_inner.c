/* See wiki_inner.h. */
#include "corpus/wiki_inner.h"

#include "corpus/wiki_names.h"
#include "corpus/wiki_scan.h"

#include <string.h>

/* ---- Links --------------------------------------------------------------- */

const char *pv_wiki_read_link(pv_wiki_output *out, const char *text, const pv_wiki_event *e)
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
        pv_wiki_put_literal(out, p, q);
        return end;
    }
    while (p < close && (*p == ':' || *p == '#' || pv_wiki_is_blank(*p)))
        p++;
    return pv_wiki_skip_project(p, close);
}

/* ---- The arguments of a template ----------------------------------------- */

enum { ARGUMENTS = 6 };

typedef struct arguments {
    pv_wiki_span by_position[ARGUMENTS]; /* from `count` on, all zero */
    size_t count;
    pv_wiki_span text; /* text= or quote= */
} arguments;

static pv_wiki_span trimmed(pv_wiki_span a)
{
    while (a.start < a.end && (unsigned char)*a.start <= ' ')
        a.start++;
    while (a.end > a.start && (unsigned char)a.end[-1] <= ' ')
        a.end--;
    return a;
}

/* "name = value": takes note of the few names that matter. */
static void add_argument(arguments *list, const char *start, const char *end)
{
    pv_wiki_span a = trimmed((pv_wiki_span){start, end});
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
    pv_wiki_span value = trimmed((pv_wiki_span){equals + 1, a.end});
    if (n == 1 && name[0] >= '1' && name[0] <= '0' + ARGUMENTS) {
        size_t index = (size_t)(name[0] - '1');
        while (list->count <= index)
            list->by_position[list->count++] = (pv_wiki_span){a.start, a.start};
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
static void write_measure(pv_wiki_output *out, const arguments *list)
{
    for (size_t i = 0; i < list->count; i++) {
        pv_wiki_span a = list->by_position[i];
        for (const char *p = a.start; p < a.end; p++)
            if (*p == '{' || *p == '[' || *p == '<')
                return;
        if (i)
            pv_wiki_widen_gap(out, PV_GAP_SPACE);
        pv_wiki_put_literal(out, a.start, a.end);
        bool number = a.start < a.end && strchr("0123456789+-.", *a.start);
        if (i && !number && !pv_wiki_is_connector(a.start, (size_t)(a.end - a.start)))
            return;
    }
}

/* {{formatnum:1234|R}}: "1234" */
static pv_wiki_span after_colon(const char *text, const pv_wiki_event *e)
{
    const char *end = text + e->end - 2;
    const char *colon = memchr(text + e->start, ':', e->end - e->start);
    if (!colon)
        return (pv_wiki_span){NULL, NULL};
    const char *bar = memchr(colon + 1, '|', (size_t)(end - colon - 1));
    return (pv_wiki_span){colon + 1, bar ? bar : end};
}

bool pv_wiki_read_template(pv_wiki_output *out, const char *text, const pv_wiki_event *e,
                           const pv_wiki_event *last, pv_wiki_span *span)
{
    const pv_wiki_template *t = &pv_wiki_templates[e->detail];
    arguments list = {.count = 0};
    if (t->keep != PV_KEEP_LITERAL && t->keep != PV_KEEP_AFTER_COLON)
        list = split_arguments(text, e, last);
    switch ((pv_wiki_keep)t->keep) {
    case PV_KEEP_LITERAL:
        pv_wiki_put_literal(out, t->literal, t->literal + strlen(t->literal));
        return false;
    case PV_KEEP_MEASURE:
        write_measure(out, &list);
        return false;
    case PV_KEEP_AFTER_COLON:
        *span = after_colon(text, e);
        break;
    case PV_KEEP_QUOTE:
        pv_wiki_widen_gap(out, PV_GAP_PARAGRAPH);
        *span = list.text.start ? list.text : list.by_position[0];
        break;
    case PV_KEEP_FIRST:
        *span = list.by_position[0];
        break;
    case PV_KEEP_SECOND:
        *span = list.by_position[1];
        break;
    case PV_KEEP_LAST:
        *span = list.by_position[list.count ? list.count - 1 : 0];
        break;
    }
    if (span->start != span->end)
        return true;
    pv_wiki_note_drop(out);
    return false;
}

/* ---- Variants ------------------------------------------------------------ */

/* -{zh-hans:A;zh-hant:B}- reads "A", -{text}- reads "text"; flags before a bar
 * may hide it. */
bool pv_wiki_read_variant(pv_wiki_output *out, const char *text, const pv_wiki_event *e,
                          pv_wiki_span *span)
{
    const char *p = text + e->start + 2, *end = text + e->end - 2;
    const char *q = p;
    while (q < end && q - p < 30 &&
           (pv_wiki_is_letter(*q) || *q == '-' || *q == ';' || *q == '+' || pv_wiki_is_blank(*q)))
        q++;
    if (q < end && *q == '|') {
        for (; p < q; p++)
            if (*p == 'H' || *p == 'T' || *p == '-') {
                pv_wiki_note_drop(out);
                return false;
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
    *span = (pv_wiki_span){p, end};
    return true;
}
