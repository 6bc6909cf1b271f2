/* Shared parts of the wiki markup reader: byte scans, names, and the prose writer. */
#ifndef PV_CORPUS_WIKI_PARTS_H
#define PV_CORPUS_WIKI_PARTS_H

#include "base/memory.h"

/* ---- Bytes of wiki markup: character classes, and scans for the next significant byte
 *
 * Nine in ten bytes of an article are plain text. The two scans that skip them process 16 bytes at
 * a time where the processor has SSE2; each has a scalar version, which is the reference and is
 * also used on other processors. */

/* A blank inside a line; newlines are handled separately. */
static inline bool pv_wiki_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline bool pv_wiki_is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static inline char pv_wiki_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static inline const char *pv_wiki_skip_blanks(const char *p, const char *end)
{
    while (p < end && pv_wiki_is_blank(*p))
        p++;
    return p;
}

/* The number of leading bytes among the `n` at `p` that equal `c`. */
static inline size_t pv_wiki_repeats(const char *p, size_t n, char c)
{
    size_t i = 0;
    while (i < n && p[i] == c)
        i++;
    return i;
}

/* Bytes before the first bracket: one of < [ ] { } */
size_t pv_wiki_structural_span(const char *p, size_t n);
size_t pv_wiki_structural_span_plain(const char *p, size_t n);

/* Bytes before the first that prose does not copy verbatim: a control character, & ' ) : ] _ | } ~
 * or a space before another blank. */
size_t pv_wiki_prose_span(const char *p, size_t n);
size_t pv_wiki_prose_span_plain(const char *p, size_t n);

/* Bytes of a URL, bracketed or bare. */
size_t pv_wiki_url_span(const char *p, size_t n);

/* ---- Names in wiki markup: HTML tags, namespaces, languages, sister projects, URL schemes, and
 * templates whose text is prose
 *
 * To add another language's word for "file", or another template, add a line in wiki_names.c. A
 * lookup is a binary search or a search in a kilobyte of text. */

/* ---- Tags ---------------------------------------------------------------- */

typedef enum pv_wiki_tag_kind {
    PV_TAG_INLINE, /* the tag is removed: H<sub>2</sub>O */
    PV_TAG_SPACE,  /* it separates words: <br> */
    PV_TAG_BLOCK,  /* it ends a paragraph: <p> */
    PV_TAG_DROP,   /* removed with its content: <ref> */
    PV_TAG_TABLE,  /* the same, and it nests: <table> */
    PV_TAG_NOWIKI  /* its content is literal text */
} pv_wiki_tag_kind;

typedef struct pv_wiki_tag {
    char name[17];
    uint8_t kind;
} pv_wiki_tag;

enum { PV_WIKI_TAGS_MAX = 128 }; /* there are no more */
extern const pv_wiki_tag pv_wiki_tags[];

/* NULL if there is no such tag. `name` is in lower case. */
const pv_wiki_tag *pv_wiki_find_tag(const char *name);

/* ---- Templates ----------------------------------------------------------- */

typedef enum pv_wiki_keep {
    PV_KEEP_FIRST,   /* the first argument */
    PV_KEEP_SECOND,  /* the second */
    PV_KEEP_LAST,    /* the last */
    PV_KEEP_QUOTE,   /* text=, quote= or the first */
    PV_KEEP_MEASURE, /* {{convert|5|to|6|km|mi}}: "5 to 6 km" */
    PV_KEEP_AFTER_COLON,
    PV_KEEP_LITERAL
} pv_wiki_keep;

typedef struct pv_wiki_template {
    char name[19];
    uint8_t keep;
    char literal[6]; /* never longer than "{{name}}" */
} pv_wiki_template;

extern const pv_wiki_template pv_wiki_templates[]; /* fewer than 256 */

/* The prose template whose name follows "{{" at `p`, or NULL: all others are
 * dropped. */
const pv_wiki_template *pv_wiki_find_template(const char *p, const char *end);

/* True for a word between two numbers of a measure: "to", "by", a dash. */
bool pv_wiki_is_connector(const char *p, size_t n);

/* ---- Links --------------------------------------------------------------- */

typedef enum pv_wiki_link_kind {
    PV_LINK_TEXT,
    PV_LINK_FILE,
    PV_LINK_ASIDE /* category, language */
} pv_wiki_link_kind;

/* Classifies the link whose "[[" is followed by `p`, by the prefix before ':'. */
pv_wiki_link_kind pv_wiki_classify_link(const char *p, const char *end);

/* The position after "wikt:" or another sister project's prefix; `p` if there is none. */
const char *pv_wiki_skip_project(const char *p, const char *end);

/* Length of the URL scheme at `p` ("https://"), 0 if there is none. */
size_t pv_wiki_scheme(const char *p, size_t n);

/* ---- Other --------------------------------------------------------------- */

/* "#REDIRECT [[Foo]]", in any supported language. */
bool pv_wiki_is_redirect(const char *p, const char *end);

/* Copies a name in its canonical form: lower case (ASCII, Latin-1, Greek, Cyrillic), '_' as space,
 * no surrounding blanks. Returns its length, or 0 if it does not fit; the rest of `to` is
 * zero-filled. */
size_t pv_wiki_canonical_name(const char *p, const char *end, char *to, size_t size);

/* ---- The prose of wiki markup, written between the events of its structure.
 *
 * This is the second of two passes (wiki_markup.c has the first). It copies the text between the
 * events, handles unpaired markup (quotes, entities, lists, headings, bare URLs), and decides what
 * is kept of an event.
 *
 * Nested templates cause no recursion: the kept argument of a template is a passage, and the walk
 * continues after the template when the passage ends. Beyond 16 nested passages, the inner ones are
 * dropped. Time is linear in the markup; nothing is allocated. */
typedef enum pv_wiki_event_kind {
    PV_EV_DROP,       /* [start, end) is removed */
    PV_EV_BLOCK_DROP, /* the same, and a paragraph ends there */
    PV_EV_TAG,        /* an inline tag: removed without separating words */
    PV_EV_SPACE,      /* <br> */
    PV_EV_BLOCK,      /* <p> */
    PV_EV_NOWIKI,     /* literal text between two tags */
    PV_EV_LINK,       /* [[...]] whose text is kept */
    PV_EV_TEMPLATE,   /* {{...}} of pv_wiki_templates[detail] */
    PV_EV_URL,        /* "[http://... ": the URL up to the text */
    PV_EV_VARIANT,    /* -{...}- */
    PV_EV_OPEN_LINK,  /* unmatched */
    PV_EV_OPEN_BRACES,
    PV_EV_OPEN_TABLE
} pv_wiki_event_kind;

/* In the order of `start`. Links, templates and variants may contain others. */
typedef struct pv_wiki_event {
    uint32_t start, end; /* in the text */
    uint8_t kind;
    uint8_t detail;
} pv_wiki_event;

/* `out` has capacity for `length` more bytes, which is never exceeded. */
void pv_wiki_write_prose(const char *text, size_t length, const pv_wiki_event *events, size_t count,
                         pv_buffer *out);

#endif
