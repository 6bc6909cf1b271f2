/* Text encodings: detected from the bytes, or given by name, and converted to UTF-8.
 *
 * UTF-16, UTF-32 and Windows-1252 are converted here, all others by iconv(3). Latin-1 is read as
 * Windows-1252, which has letters and punctuation where Latin-1 has control characters that never
 * occur in text; browsers do the same.
 */
#ifndef PV_CORPUS_ENCODING_H
#define PV_CORPUS_ENCODING_H

#include "base/memory.h"

typedef enum pv_encoding {
    PV_ENCODING_AUTO = 0, /* to be detected */
    PV_ENCODING_UTF8,
    PV_ENCODING_WINDOWS_1252,
    PV_ENCODING_UTF16, /* byte order detected from the mark or the bytes */
    PV_ENCODING_UTF16LE,
    PV_ENCODING_UTF16BE,
    PV_ENCODING_UTF32,
    PV_ENCODING_UTF32LE,
    PV_ENCODING_UTF32BE,
    PV_ENCODING_OTHER /* by iconv */
} pv_encoding;

/* Case, hyphens and underscores do not matter. Any other name is OTHER, for which pv_encoding_known
 * asks iconv. NULL is AUTO. */
pv_encoding pv_encoding_of_name(const char *name, size_t length);
bool pv_encoding_known(const char *name);

/* The encoding that a byte order mark indicates, and the length of the mark; AUTO: there is
 * none. */
pv_encoding pv_encoding_of_mark(const char *bytes, size_t length, size_t *mark);

/* Detects UTF-16 or UTF-32 without a mark, in either byte order, if the bytes are text in it and
 * cannot be anything else; otherwise AUTO. */
pv_encoding pv_encoding_guess_wide(const char *bytes, size_t length);

/* For bytes of text that may be UTF-8: Windows-1252 if they contain invalid UTF-8 sequences, hardly
 * any valid ones, and look like a Western European language; otherwise UTF-8. `whole`: the bytes do
 * not end inside a character. */
pv_encoding pv_encoding_guess_narrow(const char *bytes, size_t length, bool whole);

/* The code point of a byte of Windows-1252. */
uint32_t pv_windows_1252(unsigned char byte);

/* ---- Conversion -------------------------------------------------------------------------- */

typedef struct pv_decoder {
    psdvec_context *ctx;
    pv_encoding encoding; /* none of AUTO, UTF16 and UTF32 */
    void *iconv;          /* NULL: not needed */
    uint64_t bad;         /* sequences that were replaced by U+FFFD */
} pv_decoder;

/* `name` is used for OTHER. */
psdvec_status pv_decoder_open(pv_decoder *d, psdvec_context *ctx, pv_encoding encoding,
                              const char *name);
void pv_decoder_close(pv_decoder *d);

/* Appends valid UTF-8 and sets *used to the number of bytes used: all, or fewer if they end inside
 * a character and are not the `last`. */
psdvec_status pv_decoder_feed(pv_decoder *d, const char *bytes, size_t length, bool last,
                              pv_buffer *out, size_t *used);

#endif
