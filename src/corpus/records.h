/* Records (JSON lines, wiki pages, WikiExtractor articles) as plain text, one record a line.
 *
 * The paragraphs of a record are joined by U+2029 PARAGRAPH SEPARATOR and a space, which no tokenizer
 * takes for a part of a word and which sentence splitting can use. So everything after this point can
 * cut at line ends and never cuts a document.
 */
#ifndef PV_CORPUS_RECORDS_H
#define PV_CORPUS_RECORDS_H

#include "corpus/corpus.h"

#define PV_PARAGRAPH_JOIN "\xE2\x80\xA9 "

/* Replaces what is in `lines` by the texts of the segment. JSON lines without
 * the field are counted in *bad, or an error if the options are strict. */
psdvec_status pv_records_to_lines(psdvec_context *ctx, const psdvec_text_options *options,
                                  const pv_segment *segment, pv_buffer *lines, uint64_t *bad);

/* Paragraphs on lines -> one line, ended by '\n'. Blank lines and blanks at
 * the ends of lines vanish; if nothing remains, nothing is appended. */
psdvec_status pv_wiki_text_to_line(const char *text, size_t length, pv_buffer *out);

/* Whole lines of WikiExtractor's output:
 *
 *     <doc id="12" url="https://..." title="Foo">
 *     Foo
 *
 *     Foo is ...
 *     </doc>
 *
 * The lines of tags vanish, entities are decoded, every document becomes one line as above. The text
 * may start and end inside a document: then there is a join but no '\n' at the cut, so that the
 * outputs of consecutive segments make up the output of the whole (but for a join before a '\n', when
 * one starts with "</doc>"). A last document without "</doc>" is not ended. */
psdvec_status pv_wiki_extractor_to_lines(const char *text, size_t length, pv_buffer *out);

/* True if a file that starts like this is such output. */
bool pv_wiki_extractor_looks_like(const char *start, size_t length);

#endif
