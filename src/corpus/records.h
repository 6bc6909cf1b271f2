/* Records (JSON lines, tab-separated lines, wiki pages, WikiExtractor articles) as plain text, one
 * record per line.
 *
 * The paragraphs of a record are joined by U+2029 PARAGRAPH SEPARATOR and a space, which no
 * tokenizer treats as part of a word and which sentence splitting can use. So all later stages can
 * split at line ends without splitting a document.
 */
#ifndef PV_CORPUS_RECORDS_H
#define PV_CORPUS_RECORDS_H

#include "corpus/corpus.h"

#define PV_PARAGRAPH_JOIN "\xE2\x80\xA9 "

/* Replaces the content of `lines` with the texts of the segment. JSON lines without the field, and
 * lines without the columns, are counted in *bad, or an error if the options are strict. The
 * details of each line are appended to `details` (columns.h), unless it is NULL; then a record
 * without text is an empty line. */
psdvec_status pv_records_to_lines(psdvec_context *ctx, const psdvec_text_options *options,
                                  const pv_segment *segment, pv_buffer *lines, pv_buffer *details,
                                  uint64_t *bad);

/* Paragraphs on lines -> one line, ended by '\n'. Blank lines and blanks at line ends are removed;
 * if nothing remains, nothing is appended. */
psdvec_status pv_wiki_text_to_line(const char *text, size_t length, pv_buffer *out);

/* Converts complete lines of WikiExtractor's output:
 *
 *     <doc id="12" url="https://..." title="Foo">
 *     Foo
 *
 *     Foo is ...
 *     </doc>
 *
 * Tag lines are removed, entities are decoded, and every document becomes one line as above. The
 * text may start and end inside a document: then there is a join but no '\n' at the boundary, so
 * that the concatenated outputs of consecutive segments equal the output of the complete text
 * (except for a join before a '\n' if a segment starts with "</doc>"). A last document without
 * "</doc>" is not ended. */
psdvec_status pv_wiki_extractor_to_lines(const char *text, size_t length, pv_buffer *out);

/* True if a file that starts like this is such output. */
bool pv_wiki_extractor_looks_like(const char *start, size_t length);

#endif
