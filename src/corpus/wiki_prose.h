/* The prose of wiki markup, written between the events of its structure.
 *
 * This is the second of two passes (wiki_markup.c has the first). It copies what is between the
 * events, handles the markup that needs no partner (quotes, entities, lists, headings, bare
 * addresses), and decides what stays of an event.
 *
 * There is no recursion that nested templates could drive: the argument of a template that stays is
 * a passage, and the walk goes on behind the template when it is through with it. Beyond 16 of them
 * inside one another, the inner ones are dropped. Time is linear in the markup; nothing is allocated.
 */
#ifndef PV_CORPUS_WIKI_PROSE_H
#define PV_CORPUS_WIKI_PROSE_H

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

/* `length` more bytes fit into `out`, and no more are written. */
void pv_wiki_write_prose(const char *text, size_t length, const pv_wiki_event *events, size_t count,
                         pv_buffer *out);

#endif
