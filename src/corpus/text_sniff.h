/* Is it text at all? A look at the first bytes of a file. */
#ifndef PV_CORPUS_TEXT_SNIFF_H
#define PV_CORPUS_TEXT_SNIFF_H

#include <stddef.h>

enum { PV_SNIFF_LENGTH = 16 << 10 };

/* NULL if it may be text in UTF-8; otherwise what it seems to be, and what to
 * do, as the end of a sentence. */
const char *pv_not_text(const char *bytes, size_t length);

#endif
