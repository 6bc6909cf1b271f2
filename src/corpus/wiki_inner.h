/* What links, templates and variants read: which part of the inside of
 *
 *     [[target|text]]    {{lang|fr|mot}}    -{zh-hans:text;zh-hant:text}-
 *
 * is prose. Where that part may contain markup itself it is not written but
 * named, for wiki_prose.c to go on with; numbers, literals and bare titles are
 * written at once.
 *
 * Time is linear in the event's length, except that a link looks at its first
 * 1,000 bytes only. Nothing is allocated; a template's arguments beyond the
 * sixth are not seen, except by name.
 */
#ifndef PV_CORPUS_WIKI_INNER_H
#define PV_CORPUS_WIKI_INNER_H

#include "corpus/wiki_output.h"
#include "corpus/wiki_structure.h"

typedef struct pv_wiki_span {
    const char *start, *end;
} pv_wiki_span;

/* Where the text of the link goes on, which ends at its "]]"; the end of the
 * link if it was written already. */
const char *pv_wiki_read_link(pv_wiki_output *out, const char *text, const pv_wiki_event *e);

/* True: `span` is to be read as markup. False: all is done, or it vanishes,
 * which is noted. The events inside the template are between `e` and `last`. */
bool pv_wiki_read_template(pv_wiki_output *out, const char *text, const pv_wiki_event *e,
                           const pv_wiki_event *last, pv_wiki_span *span);
bool pv_wiki_read_variant(pv_wiki_output *out, const char *text, const pv_wiki_event *e,
                          pv_wiki_span *span);

#endif
