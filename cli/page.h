/* Pages: one HTML file each, which needs no network. The templates in cli/pages draw them from the
 * JSON of the command; scripts/embed-pages.sh embeds the templates in the program. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "memory.h"

/* The templates, by the names of their files. */
extern const unsigned char page_explain[], page_map[], page_report[], page_table[], page_topics[];

/* `json`: the data. `text`: the same as text, shown if JavaScript is not available. */
void page_add(struct buffer *to, const unsigned char *page, const struct buffer *json,
              const struct buffer *text);

#endif
