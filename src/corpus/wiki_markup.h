/* MediaWiki markup of one article -> plain prose.
 *
 * docs/how-to/wikipedia.md says what stays: the text of links, lists and HTML elements, and of a dozen
 * templates whose argument is prose ({{lang|fr|mot}}); all apparatus vanishes.
 */
#ifndef PV_CORPUS_WIKI_MARKUP_H
#define PV_CORPUS_WIKI_MARKUP_H

#include "base/memory.h"

/* Appends the prose of `markup` to `out`: paragraphs separated by one '\n', words by one space, no
 * blanks at either end; at most `length` bytes. A redirect gives nothing. Any bytes are tolerated:
 * nothing but want of memory, or 4 GiB and more of markup, makes it fail. Time and memory are linear
 * in `length` for any input. */
psdvec_status pv_wiki_markup_to_text(const char *markup, size_t length, pv_buffer *out);

#endif
