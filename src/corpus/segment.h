/* Where documents and sentences end inside a text. */
#ifndef PV_CORPUS_SEGMENT_H
#define PV_CORPUS_SEGMENT_H

#include <psdvec/psdvec.h>

/* The end of the document that `begin` is in, and where the next one begins;
 * NULL if none ends before `end`, and *next is `end`. With `mid_line`, `begin`
 * is not the start of a line, so what looks like a blank line there is none. */
unsigned char *pv_document_end(psdvec_document document, bool mid_line, unsigned char *begin,
                               unsigned char *end, unsigned char **next);

/* The end of the first sentence in [begin, end), or NULL if none ends. With
 * `only_at_space`, sentences end nowhere but at white space and at `end`. */
unsigned char *pv_sentence_end(bool only_at_space, unsigned char *begin, unsigned char *end);

/* If the line at `line` is blank (spaces, tabs, carriage returns), the start
 * of the line after it; otherwise NULL. Needs the line's '\n' before `end`. */
unsigned char *pv_blank_line(unsigned char *line, unsigned char *end);

#endif
