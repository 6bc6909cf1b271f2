/* The output of WikiExtractor, and the form in which articles go on from here.
 *
 * One document is one line. Its paragraphs are joined by U+2029 PARAGRAPH
 * SEPARATOR and a space, which no tokeniser takes for a part of a word and
 * which sentence splitting can use; a '\n' ends it. Then everything after this
 * point can cut at line ends and never cut a document.
 */
#ifndef PV_CORPUS_WIKI_EXTRACTOR_H
#define PV_CORPUS_WIKI_EXTRACTOR_H

#include "base/memory.h"

#define PV_PARAGRAPH_JOIN "\xE2\x80\xA9 "

/* Paragraphs on lines -> one line, ended by '\n'. Blank lines and blanks at
 * the ends of lines vanish; if nothing remains, nothing is appended. */
psdvec_status pv_wiki_text_to_line(const char *text, size_t length, pv_buffer *out);

/* A block of whole lines of WikiExtractor's output:
 *
 *     <doc id="12" url="https://..." title="Foo">
 *     Foo
 *
 *     Foo is ...
 *     </doc>
 *
 * The lines of tags vanish, entities are decoded, every document becomes one
 * line as above. The block may start and end inside a document: then the text
 * goes on in the next block, the join at its end written already, and no '\n'
 * at the cut. So the outputs of consecutive blocks, one after the other, are
 * the output of the whole (but for a join before a '\n', when a block starts
 * with "</doc>"). A last document without "</doc>" is not ended. */
psdvec_status pv_wiki_extractor_to_lines(const char *text, size_t length, pv_buffer *out);

/* True if a file that starts like this is such output. */
bool pv_wiki_extractor_looks_like(const char *start, size_t length);

#endif
