/* The structure of wiki markup: its brackets, paired, as a list of events.
 *
 *   text    '''Foo''' {{box|a=[[b]]}} is a [[bar|baz]].<ref>x</ref>
 *   events            ^drop.........^      ^link       ^drop......^
 *
 * This is the first of two passes (wiki_prose.h is the second). It walks over
 * the brackets only ({{ [[ {| < and -{) and pairs them with a stack. What lies
 * inside a dropped range is forgotten at once, so the list stays short.
 *
 * An opening bracket without a partner must not swallow the rest of the
 * article, and finding that out must not cost a second look at the rest: the
 * stack says it at the end, for all of them together. Searches for one certain
 * closing tag remember that there is none ahead.
 *
 * Time is linear in the text, whatever it contains; memory is 12 bytes for an
 * event and 12 for a bracket that is open, so linear as well.
 */
#ifndef PV_CORPUS_WIKI_STRUCTURE_H
#define PV_CORPUS_WIKI_STRUCTURE_H

#include "base/memory.h"

typedef enum pv_wiki_event_kind {
    PV_EV_DROP,       /* [start, end) vanishes */
    PV_EV_BLOCK_DROP, /* the same, and a paragraph ends there */
    PV_EV_TAG,        /* an inline tag: vanishes, and the words around it stay one */
    PV_EV_SPACE,      /* <br> */
    PV_EV_BLOCK,      /* <p> */
    PV_EV_NOWIKI,     /* literal text between two tags */
    PV_EV_LINK,       /* [[...]] whose text stays */
    PV_EV_TEMPLATE,   /* {{...}} of pv_wiki_templates[detail] */
    PV_EV_URL,        /* "[http://... ": the address up to the text */
    PV_EV_VARIANT,    /* -{...}- */
    PV_EV_OPEN_LINK,  /* without partner */
    PV_EV_OPEN_BRACES,
    PV_EV_OPEN_TABLE
} pv_wiki_event_kind;

/* In the order of `start`. Links, templates and variants may contain others. */
typedef struct pv_wiki_event {
    uint32_t start, end; /* in the text */
    uint8_t kind;
    uint8_t detail;
} pv_wiki_event;

/* Appends pv_wiki_event[] to `events`, which is empty. `length` < 4 GiB. */
psdvec_status pv_wiki_find_structure(const char *text, size_t length, pv_buffer *events);

#endif
