/* The names that wiki markup is read by: HTML tags, namespaces, languages, sister projects, schemes
 * of addresses, and the templates whose text is prose.
 *
 * To teach the converter another language's word for "file", or another template, is a line in
 * wiki_names.c. A look-up is a binary search or one search in a kilobyte of text.
 */
#ifndef PV_CORPUS_WIKI_NAMES_H
#define PV_CORPUS_WIKI_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Tags ---------------------------------------------------------------- */

typedef enum pv_wiki_tag_kind {
    PV_TAG_INLINE, /* the tag vanishes: H<sub>2</sub>O */
    PV_TAG_SPACE,  /* it separates words: <br> */
    PV_TAG_BLOCK,  /* it ends a paragraph: <p> */
    PV_TAG_DROP,   /* it vanishes with all that it contains: <ref> */
    PV_TAG_TABLE,  /* the same, and it nests: <table> */
    PV_TAG_NOWIKI  /* its content is text as it stands */
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

/* Between two numbers of a measure: "to", "by", a dash. */
bool pv_wiki_is_connector(const char *p, size_t n);

/* ---- Links --------------------------------------------------------------- */

typedef enum pv_wiki_link_kind {
    PV_LINK_TEXT,
    PV_LINK_FILE,
    PV_LINK_ASIDE /* category, language */
} pv_wiki_link_kind;

/* What "[[" followed by `p` leads to: only a prefix before ':' matters. */
pv_wiki_link_kind pv_wiki_classify_link(const char *p, const char *end);

/* Behind "wikt:" or another sister project's prefix; `p` if there is none. */
const char *pv_wiki_skip_project(const char *p, const char *end);

/* Bytes of the address scheme at `p` ("https://"), 0 if there is none. */
size_t pv_wiki_scheme(const char *p, size_t n);

/* ---- Other --------------------------------------------------------------- */

/* "#REDIRECT [[Foo]]", in any of some languages. */
bool pv_wiki_is_redirect(const char *p, const char *end);

/* Copies a name in its canonical form: lower case (ASCII, Latin-1, Greek,
 * Cyrillic), '_' as space, no blanks around. Returns its length, or 0 if it
 * does not fit; the rest of `to` is zero. */
size_t pv_wiki_canonical_name(const char *p, const char *end, char *to, size_t size);

#endif
