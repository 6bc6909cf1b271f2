/* A file is taken for binary if more than three in ten of its first bytes are
 * control characters or invalid UTF-8. Text in an old 8-bit encoding stays
 * below that in most languages and is read with its bad bytes reported. */
#include "corpus/text_sniff.h"

#include "util/utf8.h"

#include <stdbool.h>
#include <string.h>

static bool is_stray_control(unsigned char c)
{
    return c < 0x20 && !(c >= '\t' && c <= '\r') && c != 0x1B;
}

const char *pv_not_text(const char *bytes, size_t length)
{
    const unsigned char *p = (const unsigned char *)bytes, *end = p + length;
    if (length > PV_SNIFF_LENGTH)
        end = p + PV_SNIFF_LENGTH;
    if (length >= 2 && (memcmp(bytes, "\xFF\xFE", 2) == 0 || memcmp(bytes, "\xFE\xFF", 2) == 0))
        return "is text in UTF-16, not UTF-8; convert it with iconv -f utf-16 -t utf-8";
    size_t strange = 0, looked_at = (size_t)(end - p);
    while (p < end) {
        uint32_t cp;
        int used = pv_utf8_decode(p, end, &cp);
        if (used < 0) {
            if (end - p >= 4) /* not merely cut off where we stopped looking */
                strange += (size_t)-used;
            p -= used;
        } else {
            strange += is_stray_control(*p);
            p += used;
        }
    }
    if (strange * 10 > looked_at * 3)
        return "does not look like text (binary data, or an encoding other than UTF-8; the latter "
               "can be converted with iconv -f ITS-ENCODING -t utf-8)";
    return NULL;
}
