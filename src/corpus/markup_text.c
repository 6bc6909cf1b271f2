/* A tag scanner that builds no tree. */
#include "corpus/markup_text.h"

#include "base/platform.h"
#include "corpus/html_entities.h"
#include "util/utf8.h"

#include <string.h>

/* ---- What elements do ---------------------------------------------------------------------- */

/* White space before the next character, the strongest that was requested. */
enum { NOTHING, SPACE, LINE, BLOCK };

typedef enum action {
    INLINE = 0, /* nothing */
    SEPARATES,  /* words */
    BREAKS,     /* the line */
    IS_BLOCK,
    DROPS, /* its content is not document text */
    RAW,   /* the same, and "<" in it is not markup until its end tag */
    PRE,   /* a block in which line ends are line ends */
    TEXT,  /* contains text, in formats where other elements do not */
} action;

typedef struct element {
    const char *name;
    action action;
} element;

static const element html_elements[] = {{"address", IS_BLOCK},
                                        {"article", IS_BLOCK},
                                        {"aside", IS_BLOCK},
                                        {"audio", DROPS},
                                        {"blockquote", IS_BLOCK},
                                        {"body", IS_BLOCK},
                                        {"br", BREAKS},
                                        {"button", SEPARATES},
                                        {"canvas", DROPS},
                                        {"caption", IS_BLOCK},
                                        {"center", IS_BLOCK},
                                        {"dd", IS_BLOCK},
                                        {"details", IS_BLOCK},
                                        {"dialog", IS_BLOCK},
                                        {"dir", IS_BLOCK},
                                        {"div", IS_BLOCK},
                                        {"dl", IS_BLOCK},
                                        {"dt", IS_BLOCK},
                                        {"fieldset", IS_BLOCK},
                                        {"figcaption", IS_BLOCK},
                                        {"figure", IS_BLOCK},
                                        {"footer", IS_BLOCK},
                                        {"form", IS_BLOCK},
                                        {"frameset", IS_BLOCK},
                                        {"h1", IS_BLOCK},
                                        {"h2", IS_BLOCK},
                                        {"h3", IS_BLOCK},
                                        {"h4", IS_BLOCK},
                                        {"h5", IS_BLOCK},
                                        {"h6", IS_BLOCK},
                                        {"head", IS_BLOCK},
                                        {"header", IS_BLOCK},
                                        {"hgroup", IS_BLOCK},
                                        {"hr", IS_BLOCK},
                                        {"html", IS_BLOCK},
                                        {"iframe", RAW},
                                        {"img", SEPARATES},
                                        {"input", SEPARATES},
                                        {"label", SEPARATES},
                                        {"legend", IS_BLOCK},
                                        {"li", IS_BLOCK},
                                        {"main", IS_BLOCK},
                                        {"math", DROPS},
                                        {"menu", IS_BLOCK},
                                        {"nav", IS_BLOCK},
                                        {"noscript", DROPS},
                                        {"object", DROPS},
                                        {"ol", IS_BLOCK},
                                        {"optgroup", SEPARATES},
                                        {"option", SEPARATES},
                                        {"p", IS_BLOCK},
                                        {"pre", PRE},
                                        {"script", RAW},
                                        {"section", IS_BLOCK},
                                        {"select", SEPARATES},
                                        {"style", RAW},
                                        {"summary", IS_BLOCK},
                                        {"svg", DROPS},
                                        {"table", IS_BLOCK},
                                        {"tbody", BREAKS},
                                        {"td", SEPARATES},
                                        {"template", DROPS},
                                        {"textarea", SEPARATES},
                                        {"tfoot", BREAKS},
                                        {"th", SEPARATES},
                                        {"thead", BREAKS},
                                        {"title", IS_BLOCK},
                                        {"tr", BREAKS},
                                        {"ul", IS_BLOCK},
                                        {"video", DROPS},
                                        {0}};

/* Word stores a text box twice, the second time in a Fallback element for older programs. */
static const element word_elements[] = {{"t", TEXT},      {"p", IS_BLOCK},     {"br", BREAKS},
                                        {"cr", BREAKS},   {"tab", SEPARATES},  {"ptab", SEPARATES},
                                        {"tc", IS_BLOCK}, {"Fallback", DROPS}, {0}};

static const element opendocument_elements[] = {
    {"body", TEXT},           {"p", IS_BLOCK},
    {"h", IS_BLOCK},          {"line-break", BREAKS},
    {"s", SEPARATES},         {"tab", SEPARATES},
    {"annotation", DROPS},    {"tracked-changes", DROPS},
    {"note-citation", DROPS}, {0}};

static const element *const tables[PV_MARKUP_SVG] = {
    [PV_MARKUP_HTML] = html_elements,
    [PV_MARKUP_WORD] = word_elements,
    [PV_MARKUP_OPENDOCUMENT] = opendocument_elements};

static action action_of(const pv_markup_reader *r)
{
    const char *name = r->name;
    if (r->kind == PV_MARKUP_XML)
        return SEPARATES;
    const char *colon = strchr(name, ':'); /* prefixes of namespaces */
    if (colon)
        name = colon + 1;
    for (const element *e = tables[r->kind]; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e->action;
    return INLINE;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void ask(pv_markup_reader *r, int space)
{
    if (r->pending < space)
        r->pending = space;
}

static psdvec_status write_pending(pv_markup_reader *r, pv_buffer *out)
{
    int space = r->any ? r->pending : NOTHING;
    r->pending = NOTHING;
    r->any = true;
    if (space == BLOCK && r->blank_lines)
        PV_TRY(pv_buffer_byte(out, '\n'));
    return space == NOTHING ? PSDVEC_OK : pv_buffer_byte(out, space == SPACE ? ' ' : '\n');
}

static bool is_shown(const pv_markup_reader *r)
{
    return !r->dropped[0] && r->in_text;
}

/* Bytes of text without markup in them. */
static psdvec_status write_text(pv_markup_reader *r, const char *bytes, size_t length,
                                pv_buffer *out)
{
    const char *end = bytes + length;
    bool lines = r->pre > 0 || r->kind == PV_MARKUP_XML;
    if (!is_shown(r))
        return PSDVEC_OK;
    while (bytes < end) {
        const char *from = bytes;
        while (bytes < end && (unsigned char)*bytes > ' ')
            bytes++;
        if (bytes > from) {
            PV_TRY(write_pending(r, out));
            PV_TRY(pv_buffer_append(out, from, (size_t)(bytes - from)));
        }
        for (; bytes < end && (unsigned char)*bytes <= ' '; bytes++)
            ask(r, *bytes == '\n' && lines ? LINE : SPACE);
    }
    return PSDVEC_OK;
}

static psdvec_status write_code_point(pv_markup_reader *r, uint32_t code, pv_buffer *out)
{
    char utf8[4] = " ";
    size_t length = 1;
    /* Spaces that HTML uses for layout, and line ends, become plain spaces. */
    if (code > ' ' && code != 0xA0 && code != 0x2028 && code != 0x2029 && code != 0x85)
        length = (size_t)pv_utf8_encode(code, utf8);
    return write_text(r, utf8, length, out);
}

/* ---- Tags ------------------------------------------------------------------------------------ */

enum {
    IN_TEXT = 0,
    IN_ENTITY,   /* after & */
    AT_TAG,      /* after < */
    AT_END_TAG,  /* after </ */
    IN_NAME,     /* of a tag */
    IN_TAG,      /* after its name */
    AT_MARK,     /* after <! */
    IN_COMMENT,  /* until --> */
    IN_DECLARED, /* <!DOCTYPE ... >, which may have [...] inside */
    IN_CDATA,    /* until ]]> */
    IN_BOGUS,    /* until > */
    IN_RAW,      /* <script>: until </ */
    IN_RAW_NAME  /* after </ in raw text */
};

static void add_to_name(pv_markup_reader *r, char c)
{
    if (r->kind == PV_MARKUP_HTML && r->state != IN_ENTITY && c >= 'A' && c <= 'Z')
        c = (char)(c + 32);
    if (r->name_length + 1 < sizeof r->name)
        r->name[r->name_length++] = c;
    r->name[r->name_length] = '\0';
}

static void start_name(pv_markup_reader *r, int state)
{
    r->state = state;
    r->name_length = 0;
    r->name[0] = '\0';
    r->quote = r->previous = 0;
    r->empty = false;
}

static void begin_dropping(pv_markup_reader *r)
{
    memcpy(r->dropped, r->name, sizeof r->dropped);
    r->dropped_depth = 1;
}

/* True if the tag is inside a dropped element, or ends it. */
static bool in_dropped_element(pv_markup_reader *r)
{
    if (!r->dropped[0])
        return false;
    if (strcmp(r->dropped, r->name) == 0) {
        if (r->end_tag)
            r->dropped_depth--;
        else if (!r->empty)
            r->dropped_depth++;
    }
    /* An element that was never closed must not hide the rest of a page. */
    bool over = r->kind == PV_MARKUP_HTML &&
                (strcmp(r->name, "body") == 0 || (r->end_tag && strcmp(r->name, "html") == 0));
    if (r->dropped_depth == 0 || over)
        r->dropped[0] = '\0';
    return true;
}

static void end_of_tag(pv_markup_reader *r)
{
    r->empty = r->previous == '/';
    r->state = IN_TEXT;
    if (in_dropped_element(r))
        return;
    bool begins = !r->end_tag && !r->empty;
    switch (action_of(r)) {
    case INLINE:
        break;
    case SEPARATES:
        ask(r, SPACE);
        break;
    case BREAKS:
        ask(r, LINE);
        break;
    case IS_BLOCK:
        ask(r, BLOCK);
        break;
    case PRE:
        ask(r, BLOCK);
        if (begins)
            r->pre++;
        else if (r->end_tag && r->pre > 0)
            r->pre--;
        break;
    case RAW:
        ask(r, SPACE);
        if (begins) {
            begin_dropping(r);
            r->state = IN_RAW;
            r->matched = 0;
        }
        break;
    case DROPS:
        if (begins)
            begin_dropping(r);
        break;
    case TEXT:
        if (!r->empty)
            r->in_text = begins;
        break;
    }
}

/* Writes the character that the reference encodes. An unknown reference is copied, with its
 * semicolon if `ended`. */
static psdvec_status end_entity(pv_markup_reader *r, bool ended, pv_buffer *out)
{
    char reference[sizeof r->name + 3];
    uint32_t code;
    size_t n = r->name_length;
    reference[0] = '&';
    memcpy(reference + 1, r->name, n);
    reference[n + 1] = ';';
    r->state = IN_TEXT;
    if (pv_html_entity(reference, n + 2, &code))
        return write_code_point(r, code, out);
    return write_text(r, reference, n + 1 + ended, out);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Counts how many bytes of `ending` match up to c; true when all do. */
static bool at_ending(pv_markup_reader *r, const char *ending, char c)
{
    size_t length = strlen(ending);
    if (c == ending[r->matched])
        r->matched++;
    else if (!(c == ending[0] && r->matched == length - 1)) /* "--->" */
        r->matched = c == ending[0];
    if (r->matched < length)
        return false;
    r->matched = 0;
    r->state = IN_TEXT;
    return true;
}

static void begin_declaration(pv_markup_reader *r, char c)
{
    add_to_name(r, c);
    if (strcmp(r->name, "--") == 0) {
        r->state = IN_COMMENT;
        r->matched = 0;
    } else if (r->xml && strcmp(r->name, "[CDATA[") == 0) {
        r->state = IN_CDATA;
        r->matched = 0;
    } else if (c == '>') {
        r->state = IN_TEXT;
    } else if (r->name_length >= 7 || (r->name[0] != '-' && r->name[0] != '[')) {
        r->state = IN_DECLARED;
        r->depth = r->xml && c == '[';
        r->quote = 0;
    }
}

static void go_on_declared(pv_markup_reader *r, char c)
{
    if (c == '[' && r->xml)
        r->depth++;
    else if (c == ']' && r->depth > 0)
        r->depth--;
    else if (c == '>' && r->depth == 0)
        r->state = IN_TEXT;
}

static void go_on_tag(pv_markup_reader *r, char c)
{
    if (r->quote) {
        if (c == r->quote) {
            r->quote = 0;
            r->previous = ' ';
        }
    } else if (c == '>') {
        end_of_tag(r);
    } else if ((c == '"' || c == '\'') && r->previous == '=') {
        r->quote = c;
    } else if ((unsigned char)c > ' ') {
        r->previous = c;
    }
}

static psdvec_status go_on_cdata(pv_markup_reader *r, char c, pv_buffer *out)
{
    unsigned before = r->matched;
    if (at_ending(r, "]]>", c))
        return PSDVEC_OK;
    /* The partial match of the ending was text. */
    unsigned text = before + 1 - r->matched;
    PV_TRY(write_text(r, "]]", text < before ? text : before, out));
    return r->matched == 0 ? write_text(r, &c, 1, out) : PSDVEC_OK;
}

static void go_on_raw(pv_markup_reader *r, char c)
{
    if (r->state == IN_RAW) {
        if (c == '/' && r->previous == '<')
            start_name(r, IN_RAW_NAME);
        else
            r->previous = c;
        return;
    }
    if (is_letter(c)) {
        add_to_name(r, c);
        return;
    }
    if (strcmp(r->name, r->dropped) == 0) {
        r->end_tag = true;
        r->state = IN_TAG;
        go_on_tag(r, c);
    } else {
        r->state = IN_RAW;
        r->previous = c;
    }
}

/* A byte that is not plain text. */
static psdvec_status step(pv_markup_reader *r, char c, pv_buffer *out)
{
    switch (r->state) {
    case IN_TEXT:
        if (c == '<')
            r->state = AT_TAG;
        else
            start_name(r, IN_ENTITY);
        return PSDVEC_OK;
    case IN_ENTITY:
        if (is_letter(c) || (c >= '0' && c <= '9') || (c == '#' && r->name_length == 0)) {
            add_to_name(r, c);
            return r->name_length + 1 < sizeof r->name ? PSDVEC_OK : end_entity(r, false, out);
        }
        PV_TRY(end_entity(r, c == ';', out));
        if (c == ';')
            return PSDVEC_OK;
        return c == '<' || c == '&' ? step(r, c, out) : write_text(r, &c, 1, out);
    case AT_TAG:
    case AT_END_TAG:
        r->end_tag = r->state == AT_END_TAG;
        if (is_letter(c) || (r->xml && (c == '_' || (unsigned char)c >= 0x80))) {
            start_name(r, IN_NAME);
            add_to_name(r, c);
            return PSDVEC_OK;
        }
        if (r->end_tag || c == '?') {
            r->state = c == '>' ? IN_TEXT : IN_BOGUS;
            return PSDVEC_OK;
        }
        if (c == '/' || c == '!') {
            start_name(r, c == '/' ? AT_END_TAG : AT_MARK);
            return PSDVEC_OK;
        }
        r->state = IN_TEXT; /* "a < b" */
        PV_TRY(write_text(r, "<", 1, out));
        return c == '<' || c == '&' ? step(r, c, out) : write_text(r, &c, 1, out);
    case IN_NAME:
        if ((unsigned char)c > ' ' && c != '>' && c != '/') {
            add_to_name(r, c);
            return PSDVEC_OK;
        }
        r->state = IN_TAG;
        go_on_tag(r, c);
        return PSDVEC_OK;
    case IN_TAG:
        go_on_tag(r, c);
        return PSDVEC_OK;
    case AT_MARK:
        begin_declaration(r, c);
        return PSDVEC_OK;
    case IN_COMMENT:
        (void)at_ending(r, "-->", c);
        return PSDVEC_OK;
    case IN_CDATA:
        return go_on_cdata(r, c, out);
    case IN_DECLARED:
        go_on_declared(r, c);
        return PSDVEC_OK;
    case IN_BOGUS:
        r->state = c == '>' ? IN_TEXT : IN_BOGUS;
        return PSDVEC_OK;
    default:
        go_on_raw(r, c);
        return PSDVEC_OK;
    }
}

void pv_markup_begin(pv_markup_reader *r, pv_markup kind, bool blank_lines)
{
    *r = (pv_markup_reader){.kind = kind,
                            .blank_lines = blank_lines,
                            .xml = kind != PV_MARKUP_HTML,
                            .in_text = kind == PV_MARKUP_HTML || kind == PV_MARKUP_XML};
}

psdvec_status pv_markup_feed(pv_markup_reader *r, const char *bytes, size_t length, pv_buffer *out)
{
    const char *end = bytes + length;
    while (bytes < end) {
        if (r->state == IN_TEXT) {
            const char *from = bytes;
            while (bytes < end && *bytes != '<' && *bytes != '&')
                bytes++;
            PV_TRY(write_text(r, from, (size_t)(bytes - from), out));
            if (bytes == end)
                break;
        }
        PV_TRY(step(r, *bytes++, out));
    }
    return PSDVEC_OK;
}

psdvec_status pv_markup_end(pv_markup_reader *r, pv_buffer *out)
{
    if (r->state == IN_ENTITY)
        PV_TRY(end_entity(r, false, out));
    bool any = r->any;
    pv_markup_begin(r, r->kind, r->blank_lines);
    r->any = any;
    ask(r, BLOCK);
    return PSDVEC_OK;
}

/* ---- What a file is -------------------------------------------------------------------------- */

static bool begins(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(end - p) < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((p[i] >= 'A' && p[i] <= 'Z' ? p[i] + 32 : p[i]) != word[i])
            return false;
    return true;
}

static bool names(const char *p, const char *end, const char *wanted)
{
    size_t n = strlen(wanted);
    return begins(p, end, wanted) &&
           (p + n == end || (unsigned char)p[n] <= ' ' || p[n] == '>' || p[n] == '/');
}

/* The kind of a file whose first element begins at p, after its "<". */
static pv_markup kind_of_root(const char *p, const char *end, bool is_xml)
{
    const char *tag_end = memchr(p, '>', (size_t)(end - p));
    if (!tag_end)
        tag_end = end;
    if (names(p, end, "html") || names(p, end, "head") || names(p, end, "body"))
        return PV_MARKUP_HTML;
    const char *local = p;
    while (local < tag_end && (unsigned char)*local > ' ' && *local != ':')
        local++;
    local = local < tag_end && *local == ':' ? local + 1 : p;
    size_t length = (size_t)(tag_end - p);
    if (pv_find_bytes(p, length, "wordprocessingml", 16) &&
        (names(local, end, "document") || names(local, end, "footnotes") ||
         names(local, end, "endnotes")))
        return PV_MARKUP_WORD;
    if (names(local, end, "document-content") && pv_find_bytes(p, length, "opendocument", 12))
        return PV_MARKUP_OPENDOCUMENT;
    if (names(local, end, "svg"))
        return PV_MARKUP_SVG;
    return is_xml ? PV_MARKUP_XML : PV_MARKUP_NONE;
}

pv_markup pv_markup_looks_like(const char *start, size_t length)
{
    const char *p = start, *end = start + length;
    bool is_xml = false;
    if (length >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    for (;;) {
        while (p < end && (unsigned char)*p <= ' ' && *p)
            p++;
        size_t left = (size_t)(end - p), n;
        const char *close;
        if (left < 2 || *p != '<')
            return is_xml && left == 0 ? PV_MARKUP_XML : PV_MARKUP_NONE;
        if (begins(p, end, "<?xml")) {
            is_xml = true;
            close = pv_find_bytes(p, left, "?>", n = 2);
        } else if (is_xml && p[1] == '?') {
            close = pv_find_bytes(p, left, "?>", n = 2);
        } else if (begins(p, end, "<!--")) {
            close = pv_find_bytes(p + 4, left - 4, "-->", n = 3);
        } else if (begins(p, end, "<!doctype html") &&
                   (left == 14 || (unsigned char)p[14] <= ' ' || p[14] == '>')) {
            return PV_MARKUP_HTML;
        } else if (is_xml && begins(p, end, "<!doctype")) {
            const char *subset = memchr(p, '[', left);
            close = memchr(p, '>', left);
            if (subset && close && subset < close)
                close = pv_find_bytes(subset, (size_t)(end - subset), "]>", 2);
            n = close && *close == ']' ? 2 : 1;
        } else {
            return kind_of_root(p + 1, end, is_xml);
        }
        if (!close)
            return is_xml ? PV_MARKUP_XML : PV_MARKUP_NONE;
        p = close + n;
    }
}

const char *pv_markup_charset(const char *start, size_t length, size_t *name_length)
{
    enum { LOOKED_AT = 2048 };
    const char *p = start, *end = start + (length < LOOKED_AT ? length : LOOKED_AT);
    for (; p < end; p++) {
        bool declared = begins(start, end, "<?xml") && begins(p, end, "encoding=");
        if (!declared && !begins(p, end, "charset="))
            continue;
        const char *name = p + (declared ? 9 : 8);
        if (name < end && (*name == '"' || *name == '\''))
            name++;
        const char *stop = name;
        while (stop < end && (is_letter(*stop) || (*stop >= '0' && *stop <= '9') || *stop == '-' ||
                              *stop == '_' || *stop == ':' || *stop == '.'))
            stop++;
        if (stop > name) {
            *name_length = (size_t)(stop - name);
            return name;
        }
    }
    return NULL;
}
