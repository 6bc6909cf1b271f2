/* MediaWiki markup of one article -> plain prose.
 *
 * What is prose and what is apparatus is decided as docs/wikipedia.md says:
 * tables, templates, references, files, categories, formulas, code, headings
 * and addresses vanish; the text of links, lists and HTML elements stays. A
 * dozen templates whose argument is prose ({{lang|fr|mot}}) give up that text.
 */
#ifndef PV_CORPUS_WIKI_MARKUP_H
#define PV_CORPUS_WIKI_MARKUP_H

#include "base/memory.h"

/* Appends the prose of `markup` to `out`: paragraphs separated by one '\n',
 * words by one space, no blanks at either end; at most `length` bytes. A
 * redirect gives nothing. Any bytes are tolerated: nothing but want of memory,
 * or 4 GiB and more of markup, makes it fail. Time and scratch memory are
 * linear in `length` for any input. Safe from several threads at once, each
 * with its own `out`. */
psdvec_status pv_wiki_markup_to_text(const char *markup, size_t length, pv_buffer *out);

#endif
