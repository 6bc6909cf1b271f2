/* The bracket structure of wiki markup. Two passes, both linear: this file pairs the brackets and
 * builds a list of events in text order; wiki_prose.c writes the text between the events and the
 * kept part of the events.
 *
 *   text    '''Foo''' {{box|a=[[b]]}} is a [[bar|baz]].<ref>x</ref>
 *   events            ^drop.........^      ^link       ^drop......^
 *
 * The first pass visits only the brackets ({{ [[ {| < and -{) and pairs them with a stack. Events
 * inside a dropped range are discarded at once, so the list stays short.
 *
 * An unmatched opening bracket must not swallow the rest of the article, and detecting it must not
 * require a second scan: the unmatched ones are those left on the stack at the end. Searches for a
 * particular closing tag remember that there is none ahead. Memory is 12 bytes per event and 12 per
 * open bracket.
 */
#include "corpus/wiki_markup.h"

#include "base/platform.h"
#include "corpus/wiki_parts.h"

#include <string.h>

typedef enum open_kind {
    OPEN_LINK,
    OPEN_BRACES,
    OPEN_TABLE,
    OPEN_HTML_TABLE,
    OPEN_KINDS
} open_kind;

typedef struct opening {
    uint32_t event;  /* its index */
    uint32_t braces; /* of OPEN_BRACES: how many are not yet paired */
    uint32_t kind;
} opening;

typedef struct structure {
    const char *text;
    size_t length;
    pv_buffer *events;                /* pv_wiki_event[] */
    pv_buffer stack;                  /* opening[] */
    size_t open[OPEN_KINDS];          /* how many of each are on the stack */
    bool no_closer[PV_WIKI_TAGS_MAX]; /* none ahead: do not search again */
    size_t no_ref_end;                /* a <ref> before this place has no end (find_closer) */
    bool no_comment_end;
    bool in_url;        /* an odd ']' belongs to "[http://... text]" */
    size_t variant_end; /* of the next "}-", if already searched for */
} structure;

static pv_wiki_event *event_at(structure *s, uint32_t index)
{
    return (pv_wiki_event *)(void *)s->events->data + index;
}

/* pv_buffer_append() for a known size; takes a few instructions. */
static inline psdvec_status append(pv_buffer *to, const void *element, size_t size)
{
    PV_TRY(pv_buffer_reserve(to, size));
    memcpy(to->data + to->length, element, size);
    to->length += size;
    return PSDVEC_OK;
}

static psdvec_status add_event(structure *s, size_t start, size_t end, pv_wiki_event_kind kind)
{
    pv_wiki_event e = {(uint32_t)start, (uint32_t)end, (uint8_t)kind, 0};
    return append(s->events, &e, sizeof e);
}

/* `lonely` is the kind of the event if it stays unmatched. */
static psdvec_status push(structure *s, open_kind kind, size_t start, size_t end,
                          pv_wiki_event_kind lonely, size_t braces)
{
    opening o = {(uint32_t)(s->events->length / sizeof(pv_wiki_event)), (uint32_t)braces, kind};
    PV_TRY(add_event(s, start, end, lonely));
    PV_TRY(append(&s->stack, &o, sizeof o));
    s->open[kind]++;
    return PSDVEC_OK;
}

/* The last opening, which exists. */
static opening *last(structure *s)
{
    return (opening *)(void *)(s->stack.data + s->stack.length - sizeof(opening));
}

static opening *top(structure *s)
{
    return s->stack.length ? last(s) : NULL;
}

static void pop(structure *s)
{
    s->open[last(s)->kind]--;
    s->stack.length -= sizeof(opening);
}

/* Pops the stack down to the last opening of `kind`, which exists. */
static opening *pop_to(structure *s, open_kind kind)
{
    while (last(s)->kind != kind)
        pop(s);
    return last(s);
}

/* Drops the range of the opening's event and the events inside it. */
static void drop_range(structure *s, uint32_t index, size_t end, pv_wiki_event_kind kind)
{
    pv_wiki_event *e = event_at(s, index);
    e->end = (uint32_t)end;
    e->kind = (uint8_t)kind;
    s->events->length = (index + 1) * sizeof(pv_wiki_event);
}

/* The last table of `kind`, which exists, ends here. */
static void close_table(structure *s, open_kind kind, size_t end)
{
    drop_range(s, pop_to(s, kind)->event, end, PV_EV_BLOCK_DROP);
    pop(s);
}

static size_t repeats_at(const structure *s, size_t p, char c)
{
    return pv_wiki_repeats(s->text + p, s->length - p, c);
}

/* The first '>' among the next `within` bytes, or NULL. */
static const char *find_tag_end(const structure *s, size_t p, size_t within)
{
    size_t left = s->length - p;
    return memchr(s->text + p, '>', left < within ? left : within);
}

/* ---- Tags ---------------------------------------------------------------- */

static bool name_is_at(const structure *s, size_t p, const char *name, size_t n)
{
    if (s->length - p < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (pv_wiki_lower(s->text[p + i]) != name[i])
            return false;
    return p + n == s->length || (!pv_wiki_is_letter(s->text[p + n]) && s->text[p + n] != '-');
}

static bool is_self_closed(const structure *s, size_t p)
{
    const char *gt = find_tag_end(s, p, 1000);
    return gt && gt[-1] == '/';
}

/* The end of "</name ... >" after `from`, or 0. An unclosed <ref> would remove the text up to the
 * end of the next reference: it is treated as unclosed if a blank line and then another <ref> come
 * first. */
static size_t find_closer(structure *s, size_t from, const pv_wiki_tag *tag)
{
    const char *name = tag->name;
    size_t n = strlen(name);
    bool is_ref = strcmp(name, "ref") == 0;
    bool *no_closer = &s->no_closer[tag - pv_wiki_tags];
    size_t blank_line = 0, checked = from; /* no blank line before `checked` */
    if (*no_closer || (is_ref && from < s->no_ref_end))
        return 0;
    for (size_t p = from; p < s->length; p++) {
        const char *lt = memchr(s->text + p, '<', s->length - p);
        if (!lt)
            break;
        p = (size_t)(lt - s->text);
        if (p + 1 < s->length && s->text[p + 1] == '/' && name_is_at(s, p + 2, name, n)) {
            size_t end = p + 2 + n;
            const char *gt = find_tag_end(s, end, 80);
            return gt ? (size_t)(gt - s->text) + 1 : end;
        }
        if (is_ref && name_is_at(s, p + 1, name, n)) {
            if (!blank_line) {
                const char *found = pv_find_bytes(s->text + checked, p - checked, "\n\n", 2);
                blank_line = found ? (size_t)(found - s->text) + 1 : 0;
                checked = p;
            }
            if (blank_line && !is_self_closed(s, p)) {
                s->no_ref_end = blank_line;
                return 0;
            }
        }
    }
    *no_closer = true;
    return 0;
}

static psdvec_status scan_comment(structure *s, size_t *p)
{
    const char *from = s->text + *p;
    size_t left = s->length - *p;
    const char *close = s->no_comment_end ? NULL : pv_find_bytes(from + 4, left - 4, "-->", 3);
    size_t end;
    if (close) {
        end = (size_t)(close - s->text) + 3;
    } else {
        s->no_comment_end = true;
        const char *newline = memchr(from, '\n', left);
        end = newline ? (size_t)(newline - s->text) : s->length;
    }
    PV_TRY(add_event(s, *p, end, PV_EV_DROP));
    *p = end;
    return PSDVEC_OK;
}

/* At '<'. A tag ends at the first '>'; not beyond the next '<', a blank line
 * or 2,000 bytes, so that "a <b" in a formula does not swallow a page. */
static psdvec_status scan_tag(structure *s, size_t *position)
{
    const char *text = s->text;
    size_t start = *position, p = start + 1;
    if (s->length - start >= 4 && memcmp(text + start, "<!--", 4) == 0)
        return scan_comment(s, position);
    *position = p;
    bool closing = p < s->length && text[p] == '/';
    if (closing)
        p++;

    char name[17] = {0};
    size_t n = 0;
    while (p < s->length && n < sizeof name - 1 &&
           (pv_wiki_is_letter(text[p]) || (n && text[p] >= '0' && text[p] <= '9')))
        name[n++] = pv_wiki_lower(text[p++]);
    const pv_wiki_tag *tag = n ? pv_wiki_find_tag(name) : NULL;
    if (!tag || (p < s->length && (pv_wiki_is_letter(text[p]) || text[p] == '-')))
        return PSDVEC_OK;

    size_t limit = s->length - p < 2000 ? s->length : p + 2000;
    bool one_line = true;
    while (p < limit && text[p] != '>' && text[p] != '<') {
        if (text[p] == '\n') {
            one_line = false;
            if (p + 1 < limit && text[p + 1] == '\n')
                break;
        }
        p++;
    }
    pv_wiki_tag_kind kind = (pv_wiki_tag_kind)tag->kind;
    if (p == s->length || text[p] != '>') {
        /* "<ref name=x" without end: not prose in any case. */
        if (kind == PV_TAG_DROP && one_line && p - start < 200) {
            PV_TRY(add_event(s, start, p, PV_EV_DROP));
            *position = p;
        }
        return PSDVEC_OK;
    }
    bool self_closed = text[p - 1] == '/';
    size_t end = p + 1;
    *position = end;

    switch (kind) {
    case PV_TAG_INLINE:
        return add_event(s, start, end, PV_EV_TAG);
    case PV_TAG_SPACE:
        return add_event(s, start, end, PV_EV_SPACE);
    case PV_TAG_BLOCK:
        return add_event(s, start, end, PV_EV_BLOCK);
    case PV_TAG_TABLE:
        if (!closing && !self_closed)
            return push(s, OPEN_HTML_TABLE, start, end, PV_EV_BLOCK, 0);
        if (closing && s->open[OPEN_HTML_TABLE]) {
            close_table(s, OPEN_HTML_TABLE, end);
            return PSDVEC_OK;
        }
        return add_event(s, start, end, PV_EV_BLOCK);
    case PV_TAG_DROP:
    case PV_TAG_NOWIKI:
        break;
    }
    size_t closer = closing || self_closed ? 0 : find_closer(s, end, tag);
    if (closer == 0)
        return add_event(s, start, end, kind == PV_TAG_NOWIKI ? PV_EV_TAG : PV_EV_DROP);
    *position = closer;
    return add_event(s, start, closer, kind == PV_TAG_NOWIKI ? PV_EV_NOWIKI : PV_EV_DROP);
}

/* ---- Square brackets ----------------------------------------------------- */

/* Opening square brackets: a single one is a bracket or "[http://..."; pairs are links. */
static psdvec_status scan_open_brackets(structure *s, size_t *p)
{
    size_t n = repeats_at(s, *p, '[');
    if (n == 1) {
        size_t start = *p, at = start + 1;
        size_t scheme = pv_wiki_scheme(s->text + at, s->length - at);
        *p = at;
        if (scheme == 0)
            return PSDVEC_OK;
        at += scheme;
        at += pv_wiki_url_span(s->text + at, s->length - at);
        while (at < s->length && pv_wiki_is_blank(s->text[at]))
            at++;
        *p = at;
        s->in_url = true;
        return add_event(s, start, at, PV_EV_URL);
    }
    size_t end = *p + n;
    for (*p += n % 2; *p < end; *p += 2)
        PV_TRY(push(s, OPEN_LINK, *p, *p + 2, PV_EV_OPEN_LINK, 0));
    return PSDVEC_OK;
}

static void scan_close_brackets(structure *s, size_t *p)
{
    size_t n = repeats_at(s, *p, ']');
    size_t end = *p + n;
    if (s->in_url && n % 2)
        *p += 1;
    s->in_url = false;
    for (; *p + 2 <= end && top(s) && top(s)->kind == OPEN_LINK; *p += 2) {
        uint32_t index = top(s)->event;
        pop(s);
        pv_wiki_event *e = event_at(s, index);
        const char *target = s->text + e->start + 2;
        pv_wiki_link_kind kind = pv_wiki_classify_link(target, s->text + *p);
        if (kind == PV_LINK_FILE || (kind == PV_LINK_ASIDE && *p - e->start < 1000)) {
            drop_range(s, index, *p + 2, PV_EV_DROP);
        } else {
            e->kind = PV_EV_LINK;
            e->end = (uint32_t)(*p + 2);
        }
    }
    *p = end;
}

/* ---- Braces -------------------------------------------------------------- */

/* Only indentation before `p` on its line. Text that ends in '>' or '}' may be a tag or template
 * that is removed. */
static bool starts_line(const char *text, size_t p)
{
    for (size_t i = 0; i < 32; i++, p--) {
        if (p == 0 || text[p - 1] == '\n')
            return true;
        char c = text[p - 1];
        if (c == '>' || c == '}')
            return true;
        if (!pv_wiki_is_blank(c) && c != ':' && c != '*' && c != '#' && c != ';')
            return false;
    }
    return false;
}

static psdvec_status scan_open_braces(structure *s, size_t *p)
{
    size_t start = *p, n = repeats_at(s, start, '{');
    *p += n;
    if (n >= 2)
        return push(s, OPEN_BRACES, start, start + n, PV_EV_OPEN_BRACES, n);

    char next = *p < s->length ? s->text[*p] : '\0';
    if (next == '|' && starts_line(s->text, start)) {
        *p += 1;
        return push(s, OPEN_TABLE, start, *p, PV_EV_OPEN_TABLE, 0);
    }
    if (start > 0 && s->text[start - 1] == '-' && next != '|') {
        if (s->variant_end <= *p) {
            const char *close = pv_find_bytes(s->text + *p, s->length - *p, "}-", 2);
            s->variant_end = close ? (size_t)(close - s->text) + 2 : SIZE_MAX;
        }
        if (s->variant_end != SIZE_MAX && s->variant_end - start < 2000)
            return add_event(s, start - 1, s->variant_end, PV_EV_VARIANT);
    }
    return PSDVEC_OK;
}

/* Closing braces. MediaWiki's rule: pairs of three ({{{argument}}}) before
 * pairs of two, and braces before tables, so that in "|}}" the template wins. */
static void scan_close_braces(structure *s, size_t *p)
{
    size_t start = *p, n = repeats_at(s, start, '}');
    size_t end = start + n;
    if (start > 0 && s->text[start - 1] == '|' && s->open[OPEN_TABLE] &&
        (n == 1 || s->open[OPEN_BRACES] == 0) && starts_line(s->text, start - 1)) {
        close_table(s, OPEN_TABLE, start + 1);
        *p = start + 1;
        return;
    }
    while (n >= 2 && s->open[OPEN_BRACES]) {
        opening *o = pop_to(s, OPEN_BRACES);
        uint32_t paired = n >= 3 && o->braces >= 3 ? 3 : 2;
        o->braces -= paired;
        n -= paired;
        pv_wiki_event *e = event_at(s, o->event);
        const pv_wiki_template *prose =
            paired == 2 && o->braces == 0 && e->kind == PV_EV_OPEN_BRACES
                ? pv_wiki_find_template(s->text + e->start + 2, s->text + end - n)
                : NULL;
        if (prose) {
            e->end = (uint32_t)(end - n);
            e->kind = PV_EV_TEMPLATE;
            e->detail = (uint8_t)(prose - pv_wiki_templates);
        } else {
            drop_range(s, o->event, end - n, PV_EV_DROP);
        }
        if (o->braces < 2)
            pop(s);
    }
    *p = end;
}

/* ---- The walk ------------------------------------------------------------ */

static psdvec_status walk(structure *s)
{
    size_t p = 0;
    for (;;) {
        p += pv_wiki_structural_span(s->text + p, s->length - p);
        if (p >= s->length)
            return PSDVEC_OK;
        switch (s->text[p]) {
        case '<':
            PV_TRY(scan_tag(s, &p));
            break;
        case '[':
            PV_TRY(scan_open_brackets(s, &p));
            break;
        case ']':
            scan_close_brackets(s, &p);
            break;
        case '{':
            PV_TRY(scan_open_braces(s, &p));
            break;
        default:
            scan_close_braces(s, &p);
        }
    }
}

/* Appends pv_wiki_event[] to `events`, which is empty. `length` < 4 GiB. */
static psdvec_status find_structure(const char *text, size_t length, pv_buffer *events)
{
    structure s = {.text = text, .length = length, .events = events, .stack = {.ctx = events->ctx}};
    psdvec_status status;
    PV_TRY_DONE(pv_buffer_reserve(events, length / 8));
    PV_TRY_DONE(pv_buffer_reserve(&s.stack, 64 * sizeof(opening)));
    PV_TRY_DONE(walk(&s));
done:
    pv_buffer_free(&s.stack);
    return status;
}

psdvec_status pv_wiki_markup_to_text(const char *markup, size_t length, pv_buffer *out)
{
    if (length == 0 || pv_wiki_is_redirect(markup, markup + length))
        return PSDVEC_OK;
    if (length >= UINT32_MAX)
        return pv_fail(out->ctx, PSDVEC_ERR_OVERFLOW,
                       "an article of %zu bytes of wiki markup is longer than the 4 GiB that can "
                       "be handled",
                       length);
    PV_TRY(pv_buffer_reserve(out, length));

    pv_buffer events = {.ctx = out->ctx};
    psdvec_status status = find_structure(markup, length, &events);
    if (status == PSDVEC_OK)
        pv_wiki_write_prose(markup, length, (const pv_wiki_event *)(const void *)events.data,
                            events.length / sizeof(pv_wiki_event), out);
    pv_buffer_free(&events);
    return status;
}
