/* Detecting and converting encodings. */
#include "corpus/encoding.h"

#include "util/utf8.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <utf8proc.h>

/* Windows-1252 where it differs from Latin-1: 0x80 to 0x9F. Bytes that it does not define are the
 * control characters of Latin-1. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
    0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

uint32_t pv_windows_1252(unsigned char byte)
{
    return byte >= 0x80 && byte < 0xA0 ? windows_1252[byte - 0x80] : byte;
}

/* ---- Names ----------------------------------------------------------------------------------- */

enum { NAME_MOST = 40 };

pv_encoding pv_encoding_of_name(const char *name, size_t length)
{
    static const struct {
        const char *name;
        pv_encoding encoding;
    } names[] = {
        {"auto", PV_ENCODING_AUTO},
        {"utf8", PV_ENCODING_UTF8},
        {"ascii", PV_ENCODING_UTF8},
        {"usascii", PV_ENCODING_UTF8},
        {"latin1", PV_ENCODING_WINDOWS_1252},
        {"iso88591", PV_ENCODING_WINDOWS_1252},
        {"windows1252", PV_ENCODING_WINDOWS_1252},
        {"cp1252", PV_ENCODING_WINDOWS_1252},
        {"utf16", PV_ENCODING_UTF16},
        {"utf16le", PV_ENCODING_UTF16LE},
        {"utf16be", PV_ENCODING_UTF16BE},
        {"utf32", PV_ENCODING_UTF32},
        {"utf32le", PV_ENCODING_UTF32LE},
        {"utf32be", PV_ENCODING_UTF32BE},
    };
    char plain[NAME_MOST + 1];
    size_t n = 0;
    if (!name)
        return PV_ENCODING_AUTO;
    for (size_t i = 0; i < length && n < NAME_MOST; i++)
        if (name[i] != '-' && name[i] != '_')
            plain[n++] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    plain[n] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(plain, names[i].name) == 0)
            return names[i].encoding;
    return PV_ENCODING_OTHER;
}

bool pv_encoding_known(const char *name)
{
    if (pv_encoding_of_name(name, name ? strlen(name) : 0) != PV_ENCODING_OTHER)
        return true;
    iconv_t conversion = iconv_open("UTF-8", name);
    if (conversion == (iconv_t)-1) /* NOLINT(performance-no-int-to-ptr): POSIX says so */
        return false;
    iconv_close(conversion);
    return true;
}

/* ---- Guessing -------------------------------------------------------------------------------- */

pv_encoding pv_encoding_of_mark(const char *bytes, size_t length, size_t *mark)
{
    static const struct {
        const char *mark;
        size_t length;
        pv_encoding encoding;
    } marks[] = {
        {"\xEF\xBB\xBF", 3, PV_ENCODING_UTF8},
        {"\xFF\xFE\0\0", 4, PV_ENCODING_UTF32LE}, /* before its prefix, the mark of UTF-16 */
        {"\0\0\xFE\xFF", 4, PV_ENCODING_UTF32BE},
        {"\xFF\xFE", 2, PV_ENCODING_UTF16LE},
        {"\xFE\xFF", 2, PV_ENCODING_UTF16BE},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (length >= marks[i].length && memcmp(bytes, marks[i].mark, marks[i].length) == 0) {
            *mark = marks[i].length;
            return marks[i].encoding;
        }
    *mark = 0;
    return PV_ENCODING_AUTO;
}

static uint32_t unit16(const unsigned char *p, bool little)
{
    return little ? p[0] | (uint32_t)p[1] << 8 : p[1] | (uint32_t)p[0] << 8;
}

static uint32_t unit32(const unsigned char *p, bool little)
{
    return little ? unit16(p, true) | unit16(p + 2, true) << 16
                  : unit16(p + 2, false) | unit16(p, false) << 16;
}

static bool is_surrogate(uint32_t unit)
{
    return unit >= 0xD800 && unit <= 0xDFFF;
}

/* Decodes one code point. Returns its length in bytes, negative if it is invalid, 0 if bytes are
 * missing. */
static int decode16(const unsigned char *p, size_t length, bool little, uint32_t *cp)
{
    if (length < 2)
        return 0;
    *cp = unit16(p, little);
    if (!is_surrogate(*cp))
        return 2;
    if (*cp >= 0xDC00)
        return -2;
    if (length < 4)
        return 0;
    uint32_t second = unit16(p + 2, little);
    if (second < 0xDC00 || second > 0xDFFF)
        return -2;
    *cp = 0x10000 + ((*cp - 0xD800) << 10) + (second - 0xDC00);
    return 4;
}

static int decode32(const unsigned char *p, size_t length, bool little, uint32_t *cp)
{
    if (length < 4)
        return 0;
    *cp = unit32(p, little);
    return *cp <= 0x10FFFF && !is_surrogate(*cp) ? 4 : -4;
}

static int decode_wide(pv_encoding encoding, const unsigned char *p, size_t length, uint32_t *cp)
{
    switch (encoding) {
    case PV_ENCODING_UTF16LE:
        return decode16(p, length, true, cp);
    case PV_ENCODING_UTF16BE:
        return decode16(p, length, false, cp);
    case PV_ENCODING_UTF32LE:
        return decode32(p, length, true, cp);
    default:
        return decode32(p, length, false, cp);
    }
}

/* Every unit is a character that occurs in text, and some are separators. In the wrong byte order,
 * U+0020 would be U+2000 and U+000A the unassigned U+0A00. */
static bool is_wide_text(pv_encoding encoding, const unsigned char *p, size_t length)
{
    size_t characters = 0, ascii = 0, letters = 0, separators = 0;
    while (length > 0) {
        uint32_t cp;
        int used = decode_wide(encoding, p, length, &cp);
        if (used == 0)
            break;
        if (used < 0)
            return false;
        utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)cp);
        bool space = cp == ' ' || cp == '\n' || cp == 0x3000 || cp == 0x3001 || cp == 0x3002;
        if ((category == UTF8PROC_CATEGORY_CC && !(cp >= '\t' && cp <= '\r')) ||
            category == UTF8PROC_CATEGORY_CN || category == UTF8PROC_CATEGORY_CO)
            return false;
        letters += category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
        ascii += cp < 0x80;
        separators += space;
        characters++;
        p += used;
        length -= (size_t)used;
    }
    if (characters < 4)
        return false;
    /* Mostly Latin letters, or enough of another script to rule out coincidence. */
    return ascii * 10 >= characters * 4 ||
           (characters >= 32 && separators * 200 >= characters && letters * 2 >= characters);
}

pv_encoding pv_encoding_guess_wide(const char *bytes, size_t length)
{
    static const pv_encoding order[] = {PV_ENCODING_UTF32LE, PV_ENCODING_UTF32BE,
                                        PV_ENCODING_UTF16LE, PV_ENCODING_UTF16BE};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (is_wide_text(order[i], (const unsigned char *)bytes, length))
            return order[i];
    return PV_ENCODING_AUTO;
}

static bool is_ascii_letter(unsigned char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* In the languages of Western Europe, non-ASCII letters are few, hardly ever three in a row, and
 * signs such as ¹, ³ or ¿ never occur between two letters: where they seem to, the text is Polish
 * or Czech in Windows-1250. Other alphabets and Asian encodings have runs of such bytes. */
static bool looks_western(const unsigned char *p, size_t length)
{
    size_t high = 0, in_runs = 0, odd = 0, letters = 0, run = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = p[i];
        unsigned char before = i > 0 ? p[i - 1] : ' ', after = i + 1 < length ? p[i + 1] : ' ';
        letters += is_ascii_letter(c) || c >= 0x80;
        run = c < 0x80 ? 0 : run + 1;
        if (run == 0)
            continue;
        bool letter = (c >= 0xC0 && c != 0xD7 && c != 0xF7) || c == 0x8A || c == 0x8C ||
                      c == 0x8E || c == 0x9A || c == 0x9C || c == 0x9E || c == 0x9F || c == 0xAA ||
                      c == 0xBA || c == 0x83;
        bool apostrophe = c == 0x92 || c == 0xB4 || c == 0xAD || c == 0xB7 || c == 0x96 ||
                          c == 0x97 || c == 0x85;
        /* ÿ hardly ever occurs in words; þ, ý and ð never occur alone. */
        bool alone = !is_ascii_letter(before) && !is_ascii_letter(after);
        bool undefined = c == 0x81 || c == 0x8D || c == 0x8F || c == 0x90 || c == 0x9D ||
                         c == 0xFF || (alone && (c == 0xF0 || c == 0xFD || c == 0xFE));
        high++;
        in_runs += run == 3 ? 3 : run > 3;
        odd += undefined ||
               (!letter && !apostrophe && is_ascii_letter(before) && is_ascii_letter(after));
    }
    return in_runs * 5 <= high && odd * 20 <= high && high * 2 <= letters;
}

pv_encoding pv_encoding_guess_narrow(const char *bytes, size_t length, bool whole)
{
    const unsigned char *p = (const unsigned char *)bytes, *end = p + length;
    size_t good = 0, bad = 0;
    while (p < end) {
        uint32_t cp;
        int used = pv_utf8_decode(p, end, &cp);
        if (used > 1)
            good++;
        else if (used < 0 && (whole || end - p >= 4))
            bad++;
        p += used < 0 ? -used : used;
    }
    return bad > good && looks_western((const unsigned char *)bytes, length)
               ? PV_ENCODING_WINDOWS_1252
               : PV_ENCODING_UTF8;
}

/* ---- Conversion ------------------------------------------------------------------------------ */

psdvec_status pv_decoder_open(pv_decoder *d, psdvec_context *ctx, pv_encoding encoding,
                              const char *name)
{
    *d = (pv_decoder){.ctx = ctx, .encoding = encoding};
    if (encoding != PV_ENCODING_OTHER)
        return PSDVEC_OK;
    iconv_t conversion = iconv_open("UTF-8", name);
    if (conversion == (iconv_t)-1) /* NOLINT(performance-no-int-to-ptr): POSIX says so */
        return pv_fail(ctx, PSDVEC_ERR_OPTION,
                       "`encoding` is \"%s\", which iconv does not "
                       "support; iconv -l lists the names",
                       name);
    d->iconv = conversion;
    return PSDVEC_OK;
}

void pv_decoder_close(pv_decoder *d)
{
    if (d->iconv)
        iconv_close((iconv_t)d->iconv);
    d->iconv = NULL;
}

static psdvec_status append_code_point(pv_buffer *out, uint32_t cp)
{
    char utf8[4];
    return pv_buffer_append(out, utf8, (size_t)pv_utf8_encode(cp, utf8));
}

static psdvec_status replace(pv_decoder *d, pv_buffer *out)
{
    d->bad++;
    return pv_buffer_append(out, PV_UTF8_REPLACEMENT, sizeof PV_UTF8_REPLACEMENT - 1);
}

static psdvec_status feed_utf8(pv_decoder *d, const char *bytes, size_t length, bool last,
                               pv_buffer *out, size_t *used)
{
    while (*used < length) {
        size_t valid = pv_utf8_valid(bytes + *used, length - *used);
        PV_TRY(pv_buffer_append(out, bytes + *used, valid));
        *used += valid;
        const unsigned char *p = (const unsigned char *)bytes + *used;
        size_t left = length - *used;
        uint32_t cp;
        if (left == 0)
            break;
        size_t wrong = (size_t)-pv_utf8_decode(p, p + left, &cp);
        if (wrong == left && !last && p[0] >= 0xC2 && p[0] <= 0xF4)
            break; /* more of the character may come */
        PV_TRY(replace(d, out));
        *used += wrong;
    }
    return PSDVEC_OK;
}

static psdvec_status feed_wide(pv_decoder *d, const char *bytes, size_t length, bool last,
                               pv_buffer *out, size_t *used)
{
    const unsigned char *p = (const unsigned char *)bytes;
    while (*used < length) {
        uint32_t cp;
        int taken = decode_wide(d->encoding, p + *used, length - *used, &cp);
        if (taken == 0) {
            if (last) {
                PV_TRY(replace(d, out));
                *used = length;
            }
            break;
        }
        PV_TRY(taken > 0 ? append_code_point(out, cp) : replace(d, out));
        *used += (size_t)(taken > 0 ? taken : -taken);
    }
    return PSDVEC_OK;
}

static psdvec_status feed_iconv(pv_decoder *d, const char *bytes, size_t length, bool last,
                                pv_buffer *out, size_t *used)
{
    char *in = (char *)bytes; /* iconv does not write there */
    size_t left = length;
    while (left > 0) {
        char text[4096], *to = text;
        size_t space = sizeof text;
        size_t result = iconv((iconv_t)d->iconv, &in, &left, &to, &space);
        int error = result == (size_t)-1 ? errno : 0;
        PV_TRY(pv_buffer_append(out, text, (size_t)(to - text)));
        if (error == EILSEQ || (error == EINVAL && last)) {
            PV_TRY(replace(d, out));
            in++;
            left--;
        } else if (error && error != E2BIG) {
            break; /* more of the character may come */
        }
    }
    *used = length - left;
    return PSDVEC_OK;
}

psdvec_status pv_decoder_feed(pv_decoder *d, const char *bytes, size_t length, bool last,
                              pv_buffer *out, size_t *used)
{
    *used = 0;
    PV_TRY(pv_buffer_reserve(out, length));
    switch (d->encoding) {
    case PV_ENCODING_OTHER:
        return feed_iconv(d, bytes, length, last, out, used);
    case PV_ENCODING_UTF16LE:
    case PV_ENCODING_UTF16BE:
    case PV_ENCODING_UTF32LE:
    case PV_ENCODING_UTF32BE:
        return feed_wide(d, bytes, length, last, out, used);
    case PV_ENCODING_WINDOWS_1252:
        for (; *used < length; ++*used)
            PV_TRY(append_code_point(out, pv_windows_1252((unsigned char)bytes[*used])));
        return PSDVEC_OK;
    default:
        return feed_utf8(d, bytes, length, last, out, used);
    }
}
