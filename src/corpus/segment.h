/* Where documents and sentences end inside a text. */
#ifndef PV_CORPUS_SEGMENT_H
#define PV_CORPUS_SEGMENT_H

#include "corpus/tokenizer.h"

/* From `begin` to the end of the segment; *next is where the following one
 * begins. *ends_with is BREAK, PAUSE or, if the text ends first, READY. */
unsigned char *pv_segment_end(psdvec_document document, bool sentences, unsigned char *begin,
                              unsigned char *end, unsigned char **next,
                              pv_token_kind *ends_with);

/* If the line at `line` is blank (spaces, tabs, carriage returns), the start
 * of the line after it; otherwise NULL. Needs the line's '\n' before `end`. */
unsigned char *pv_blank_line(unsigned char *line, unsigned char *end);

#endif
