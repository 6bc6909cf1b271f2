/* Converts the MediaWiki markup of one article to plain prose.
 *
 * docs/how-to/wikipedia.md lists what is kept: the text of links, lists and HTML elements, and of a
 * dozen templates whose argument is prose ({{lang|fr|mot}}); everything else is removed.
 */
#ifndef PV_CORPUS_WIKI_MARKUP_H
#define PV_CORPUS_WIKI_MARKUP_H

#include "base/memory.h"

/* Appends the prose of `markup` to `out`: paragraphs separated by one '\n', words by one space, no
 * blanks at either end; at most `length` bytes. A redirect gives no text. Any bytes are accepted:
 * it fails only if memory is exhausted or the markup is 4 GiB or longer. Time and memory are linear
 * in `length` for any input. */
psdvec_status pv_wiki_markup_to_text(const char *markup, size_t length, pv_buffer *out);

#endif
