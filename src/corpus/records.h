/* Records (JSON lines, wiki pages, WikiExtractor articles) as plain text, one
 * record a line.
 */
#ifndef PV_CORPUS_RECORDS_H
#define PV_CORPUS_RECORDS_H

#include "corpus/corpus.h"

/* Replaces what is in `lines` by the texts of the segment. JSON lines without
 * the field are counted in *bad, or an error if the options are strict. */
psdvec_status pv_records_to_lines(psdvec_context *ctx, const psdvec_text_options *options,
                                  const pv_segment *segment, pv_buffer *lines, uint64_t *bad);

#endif
