/* Encodings of text: found out from the bytes, or from a name, and converted to UTF-8.
 *
 * UTF-16, UTF-32 and Windows-1252 are converted here, all others by iconv(3). Latin-1 is read as
 * Windows-1252, which has letters and punctuation where Latin-1 has control characters that no text
 * contains; so do browsers.
 */
#ifndef PV_CORPUS_ENCODING_H
#define PV_CORPUS_ENCODING_H

#include "base/memory.h"

typedef enum pv_encoding {
    PV_ENCODING_AUTO = 0, /* to be found out */
    PV_ENCODING_UTF8,
    PV_ENCODING_WINDOWS_1252,
    PV_ENCODING_UTF16, /* in the order that its mark or its bytes say */
    PV_ENCODING_UTF16LE,
    PV_ENCODING_UTF16BE,
    PV_ENCODING_UTF32,
    PV_ENCODING_UTF32LE,
    PV_ENCODING_UTF32BE,
    PV_ENCODING_OTHER /* by iconv */
} pv_encoding;

/* Case, hyphens and underscores do not matter. A name that is none of the above is OTHER, which
 * pv_encoding_known asks iconv about. NULL is AUTO. */
pv_encoding pv_encoding_of_name(const char *name, size_t length);
bool pv_encoding_known(const char *name);

/* The encoding that a byte order mark says, and its length; AUTO: there is none. */
pv_encoding pv_encoding_of_mark(const char *bytes, size_t length, size_t *mark);

/* UTF-16 or UTF-32 without a mark, in one of the orders, if the bytes are text in it and cannot be
 * anything else; otherwise AUTO. */
pv_encoding pv_encoding_guess_wide(const char *bytes, size_t length);

/* For bytes of text that may be UTF-8: Windows-1252 if they contain sequences that are no UTF-8,
 * hardly any that are, and look like a language of Western Europe; otherwise UTF-8. `whole`: the
 * bytes do not end inside of a character. */
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

/* Appends valid UTF-8 and says how many bytes were used: all, or fewer if they end inside of a
 * character and are not the `last`. */
psdvec_status pv_decoder_feed(pv_decoder *d, const char *bytes, size_t length, bool last,
                              pv_buffer *out, size_t *used);

#endif
