/* Pages: one HTML file each, which needs no network. Everything they show is drawn by the templates
 * in cli/pages from the JSON of the command; scripts/embed-pages.sh puts them into the program. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "memory.h"

/* The templates, by the names of their files. */
extern const unsigned char page_explain[], page_table[];

/* `json`: the data. `text`: the same for people, shown where scripts do not run. */
void page_add(struct buffer *to, const unsigned char *page, const struct buffer *json,
              const struct buffer *text);

#endif
