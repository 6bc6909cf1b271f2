/* What the pages have in common: one file each, opened without a network, in the colours that the
 * reader's system has, light or dark, and fit for paper. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "memory.h"

/* Text between tags or in an attribute; bad UTF-8 and control characters become a replacement
 * sign. */
void page_escape(struct buffer *to, const char *text, size_t length);
void page_text(struct buffer *to, const char *text);

/* From the doctype to the start of the body. `style` is added to what all pages have: the colours
 * --paper, --ink, --soft, --line, --panel, --plus and --minus, text, tables, and .scroll around
 * what may be wider than the window. */
void page_head(struct buffer *to, const char *title, const char *style);
/* The rest; `script` may be NULL. */
void page_tail(struct buffer *to, const char *script);

#endif
