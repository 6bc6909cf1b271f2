/* Text extraction from HTML, XML, and the XML of word processors.
 *
 * One tolerant scanner reads all of them, with a table per format that defines the effect of each
 * element: it ends a line, separates words, or has no document text. The scanner builds no tree and
 * stores only the name of the current tag, so memory does not grow with the input, however deeply
 * nested or damaged it is. Entities that a document declares are not expanded.
 *
 *     <p>Caf&eacute; &amp; <b>bar</b></p><script>x</script><p>next  ->  Café & bar
 *                                                                      next
 *
 * White space is collapsed as in browsers: a line end becomes a space, except in <pre>. In XML of
 * an unknown kind line ends are kept, and every tag separates words.
 */
#ifndef PV_CORPUS_MARKUP_TEXT_H
#define PV_CORPUS_MARKUP_TEXT_H

#include "base/memory.h"

typedef enum pv_markup {
    PV_MARKUP_NONE = 0,
    PV_MARKUP_HTML,
    PV_MARKUP_XML,          /* any other XML */
    PV_MARKUP_WORD,         /* the text of a .docx: word/document.xml and its notes */
    PV_MARKUP_OPENDOCUMENT, /* the text of an .odt: content.xml */
    PV_MARKUP_SVG           /* an image */
} pv_markup;

/* Detects the format of a file from its first bytes, in UTF-8, by its first element. NONE if it
 * begins neither with <!DOCTYPE html>, <html>, <head> or <body> nor with an XML declaration. */
pv_markup pv_markup_looks_like(const char *start, size_t length);

/* The encoding that the first bytes of HTML or XML declare: in the XML declaration, or as charset
 * in a <meta>. The result points into `start`; NULL: none. */
const char *pv_markup_charset(const char *start, size_t length, size_t *name_length);

typedef struct pv_markup_reader {
    pv_markup kind;
    bool blank_lines; /* an empty line between blocks instead of a line end */

    int state;
    bool xml;         /* <![CDATA[ contains text, and <!DOCTYPE may contain [ ] */
    bool end_tag;     /* the tag begins with "</" */
    bool empty;       /* ... ends with "/>" */
    char quote;       /* around the attribute; 0: none */
    char previous;    /* previous byte in a tag, ignoring white space */
    unsigned matched; /* matched bytes of the end of a comment or similar */
    unsigned depth;   /* of [ in a declaration */
    char name[24];    /* of the tag or entity; longer names are truncated */
    unsigned name_length;
    char dropped[24]; /* the element being dropped; empty: none */
    unsigned dropped_depth;
    unsigned pre; /* depth of <pre> */
    bool in_text; /* in an element whose text is extracted, for formats with such elements */
    int pending;  /* white space before the next character */
    bool any;     /* something was written */
} pv_markup_reader;

void pv_markup_begin(pv_markup_reader *r, pv_markup kind, bool blank_lines);

/* Appends the text of the next bytes, which may be split anywhere. */
psdvec_status pv_markup_feed(pv_markup_reader *r, const char *bytes, size_t length, pv_buffer *out);

/* The end of the document, or of a part of it that another part follows. */
psdvec_status pv_markup_end(pv_markup_reader *r, pv_buffer *out);

#endif
