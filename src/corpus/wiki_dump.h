/* Parser of MediaWiki XML exports, as published by Wikipedia (*-pages-articles.xml). It reads a
 * stream of bytes and makes one call per article.
 *
 * An article is a page of namespace 0 that is not a redirect and whose content is wiki text. Of a
 * page with several revisions, the last one is used. The callback gets the raw markup; it is
 * converted to prose (wiki_markup.h) later, in the worker threads.
 *
 * A dump may be malicious: document types, and with them entity bombs, are rejected, and so are
 * tags of more than a megabyte; a page of more than PV_WIKI_PAGE_MAX is skipped with a warning.
 */
#ifndef PV_CORPUS_WIKI_DUMP_H
#define PV_CORPUS_WIKI_DUMP_H

#include "base/memory.h"

#define PV_WIKI_PAGE_MAX ((size_t)64 << 20)

typedef struct pv_wiki_dump pv_wiki_dump;

/* `title` and `text` (raw markup, UTF-8) are valid until the callback returns. Not called for empty
 * pages. A status other than PSDVEC_OK stops the parser. */
typedef psdvec_status pv_wiki_page_fn(void *user, const char *title, size_t title_length,
                                      const char *text, size_t text_length);

/* NULL after a recorded failure. `name` is what messages call the input; it must outlive the
 * dump. */
pv_wiki_dump *pv_wiki_dump_new(psdvec_context *ctx, const char *name, pv_wiki_page_fn *on_page,
                               void *user);
void pv_wiki_dump_free(pv_wiki_dump *dump);

/* Parses the next bytes, which may be split anywhere; `is_last` with the last ones (or with none).
 * Malformed or truncated XML is PSDVEC_ERR_DAMAGED with byte, line and cause; pages complete before
 * it have been delivered. After a failure, or the last bytes, every further call returns the same
 * status and does nothing. */
psdvec_status pv_wiki_dump_feed(pv_wiki_dump *dump, const char *bytes, size_t length, bool is_last);

/* True if a file that starts like this is such an export: <mediawiki> within
 * its first kilobyte, nothing but a byte order mark, an XML declaration and
 * comments before it. */
bool pv_wiki_dump_looks_like(const char *start, size_t length);

#endif
