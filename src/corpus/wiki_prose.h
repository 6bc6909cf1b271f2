/* The prose of wiki markup, written between the events of its structure.
 *
 * This is the second of two passes (wiki_structure.h is the first). It copies
 * what is between the events, in stretches as long as possible, and takes care
 * of the markup that needs no partner: quotes, entities, lists, headings, bare
 * addresses. What stays of an event is decided here too.
 *
 * One walk from the first byte to the last: the argument of a template that
 * stays is a segment, and the walk goes on behind the template when it is
 * through with it. So there is no recursion that nested templates could drive;
 * beyond 16 of them inside one another, the inner ones are dropped. Time is
 * linear in the markup; nothing is allocated.
 */
#ifndef PV_CORPUS_WIKI_PROSE_H
#define PV_CORPUS_WIKI_PROSE_H

#include "corpus/wiki_structure.h"

/* `out` has room for `length` more bytes, and will not be given more. */
void pv_wiki_write_prose(const char *text, size_t length, const pv_wiki_event *events, size_t count,
                         pv_buffer *out);

#endif
