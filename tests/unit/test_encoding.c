/* Encodings: names, detection and conversion; and types of files that are not text. */
#include "corpus/encoding.h"
#include "corpus/file_kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static psdvec_context *ctx;

static int set_up(void **state)
{
    (void)state;
    return psdvec_context_new(NULL, &ctx) == PSDVEC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    psdvec_context_free(ctx);
    return 0;
}

/* ---- Names and detection --------------------------------------------------------------------- */

static void names_may_be_spelled_in_several_ways(void **state)
{
    (void)state;
    assert_int_equal(pv_encoding_of_name("UTF-8", 5), PV_ENCODING_UTF8);
    assert_int_equal(pv_encoding_of_name("utf_16le", 8), PV_ENCODING_UTF16LE);
    assert_int_equal(pv_encoding_of_name("ISO-8859-1", 10), PV_ENCODING_WINDOWS_1252);
    assert_int_equal(pv_encoding_of_name("Latin1", 6), PV_ENCODING_WINDOWS_1252);
    assert_int_equal(pv_encoding_of_name(NULL, 0), PV_ENCODING_AUTO);
    assert_int_equal(pv_encoding_of_name("koi8-r", 6), PV_ENCODING_OTHER);
    assert_true(pv_encoding_known("koi8-r"));
    assert_true(pv_encoding_known(NULL));
    assert_false(pv_encoding_known("nosuch"));
}

static void byte_order_marks_determine_the_encoding(void **state)
{
    (void)state;
    size_t mark;
    assert_int_equal(pv_encoding_of_mark("\xEF\xBB\xBFx", 4, &mark), PV_ENCODING_UTF8);
    assert_int_equal(mark, 3);
    assert_int_equal(pv_encoding_of_mark("\xFF\xFEx\0", 4, &mark), PV_ENCODING_UTF16LE);
    assert_int_equal(mark, 2);
    assert_int_equal(pv_encoding_of_mark("\xFF\xFE\0\0x\0\0\0", 8, &mark), PV_ENCODING_UTF32LE);
    assert_int_equal(mark, 4);
    assert_int_equal(pv_encoding_of_mark("x", 1, &mark), PV_ENCODING_AUTO);
    assert_int_equal(mark, 0);
}

/* Writes code points in UTF-16 or UTF-32; returns the number of bytes. */
static size_t write_wide(const uint32_t *points, size_t count, int width, bool little, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < width; k++)
            out[n++] = (char)(points[i] >> 8 * (little ? k : width - 1 - k));
    return n;
}

static void wide_text_without_a_mark_is_recognised(void **state)
{
    (void)state;
    static const pv_encoding wanted[] = {PV_ENCODING_UTF16BE, PV_ENCODING_UTF16LE,
                                         PV_ENCODING_UTF32BE, PV_ENCODING_UTF32LE};
    static const uint32_t greek[] = {0x3BB, 0x3CC, 0x3B3, 0x3BF, 0x3C2, ' '};
    static const uint32_t chinese[] = {0x6211, 0x559C, 0x6B22, 0x81EA, 0x7136, 0x3002};
    uint32_t text[120];
    char bytes[480];
    for (int script = 0; script < 3; script++)
        for (int k = 0; k < 4; k++) {
            for (size_t i = 0; i < 120; i++)
                text[i] = script == 0 ? (uint32_t) "some words "[i % 11]
                                      : (script == 1 ? greek : chinese)[i % 6];
            size_t length = write_wide(text, 120, k < 2 ? 2 : 4, k % 2, bytes);
            assert_int_equal(pv_encoding_guess_wide(bytes, length), wanted[k]);
        }
    assert_int_equal(pv_encoding_guess_wide("a\0b\0c\0d\0", 8), PV_ENCODING_UTF16LE);
}

static void binary_data_is_not_taken_for_wide_text(void **state)
{
    (void)state;
    uint64_t random = 1;
    char bytes[1000];
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (char)(random >> 56);
        }
        assert_int_equal(pv_encoding_guess_wide(bytes, sizeof bytes), PV_ENCODING_AUTO);
        assert_int_equal(pv_encoding_guess_narrow(bytes, sizeof bytes, true), PV_ENCODING_UTF8);
    }
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(pv_encoding_guess_wide(bytes, sizeof bytes), PV_ENCODING_AUTO);
    for (size_t i = 0; i < sizeof bytes; i++) /* small 32-bit numbers */
        bytes[i] = (char)(i % 4 == 0 ? i % 251 : 0);
    assert_int_equal(pv_encoding_guess_wide(bytes, sizeof bytes), PV_ENCODING_AUTO);
}

static void narrow(const char *text, pv_encoding wanted)
{
    if (pv_encoding_guess_narrow(text, strlen(text), true) != wanted)
        fail_msg("wrong guess for: %s", text);
}

static void western_text_that_is_not_utf8_is_windows_1252(void **state)
{
    (void)state;
    narrow("Der M\xFCller sa\xDF auf der Stra\xDF"
           "e",
           PV_ENCODING_WINDOWS_1252);
    narrow("\x93"
           "Don\x92t go,\x94 he said \x96 and left",
           PV_ENCODING_WINDOWS_1252);
    narrow("L'\xE9t\xE9 \xE0 No\xEBl", PV_ENCODING_WINDOWS_1252);
    narrow("plain", PV_ENCODING_UTF8);
    narrow("caf\u00e9 and na\u00efve", PV_ENCODING_UTF8);
    narrow("caf\u00e9 and na\u00efve, one bad \xE9 byte", PV_ENCODING_UTF8);
    /* Russian in Windows-1251, Polish in Windows-1250, Japanese in Shift JIS, stray bytes. */
    narrow("\xCF\xF0\xE8\xE2\xE5\xF2 \xEC\xE8\xF0", PV_ENCODING_UTF8);
    narrow("z\xB3oty sza\xB3 s\xB3ony ma\xB3"
           "a",
           PV_ENCODING_UTF8);
    narrow("\x93\xFA\x96{\x8C\xEA\x82\xCC\x95\xB6", PV_ENCODING_UTF8);
    narrow("a bad \xFF byte and \xFE more", PV_ENCODING_UTF8);
}

static void a_character_cut_at_the_end_is_not_bad(void **state)
{
    (void)state;
    assert_int_equal(pv_encoding_guess_narrow("only ascii, then \xC3", 18, false),
                     PV_ENCODING_UTF8);
    assert_int_equal(pv_encoding_guess_narrow("only ascii, then \xC3", 18, true),
                     PV_ENCODING_WINDOWS_1252);
}

/* ---- Conversion ------------------------------------------------------------------------------ */

static void converts(pv_encoding encoding, const char *name, const char *bytes, size_t length,
                     const char *wanted, uint64_t bad)
{
    for (size_t step = 1; step <= length; step++) {
        pv_decoder d;
        pv_buffer out = {.ctx = ctx};
        assert_int_equal(pv_decoder_open(&d, ctx, encoding, name), PSDVEC_OK);
        for (size_t at = 0, have = step; at < length;) {
            size_t used, end = have < length ? have : length;
            assert_int_equal(pv_decoder_feed(&d, bytes + at, end - at, end == length, &out, &used),
                             PSDVEC_OK);
            at += used;
            have += step;
        }
        assert_int_equal(pv_buffer_byte(&out, '\0'), PSDVEC_OK);
        assert_string_equal(out.data, wanted);
        assert_int_equal(d.bad, bad);
        pv_buffer_free(&out);
        pv_decoder_close(&d);
    }
}

#define CONVERTS(encoding, name, bytes, wanted, bad)                                               \
    converts(encoding, name, bytes, sizeof(bytes) - 1, wanted, bad)

static void text_is_converted_for_any_division(void **state)
{
    (void)state;
    CONVERTS(PV_ENCODING_WINDOWS_1252, NULL,
             "\x80"
             "5 caf\xE9",
             "\u20ac5 caf\u00e9", 0);
    CONVERTS(PV_ENCODING_UTF16LE, NULL, "a\0\xE9\0\x3D\xD8\x00\xDE", "a\u00e9\U0001F600", 0);
    CONVERTS(PV_ENCODING_UTF16BE, NULL, "\0a\xD8\x3D\0b", "a\uFFFDb", 1);
    CONVERTS(PV_ENCODING_UTF16BE, NULL, "\0a\xD8\x3D", "a\uFFFD", 1);
    CONVERTS(PV_ENCODING_UTF16LE, NULL, "a\0b", "a\uFFFD", 1);
    CONVERTS(PV_ENCODING_UTF32LE, NULL, "a\0\0\0\0\0\x11\0\x00\xF6\x01\0", "a\uFFFD\U0001F600", 1);
    CONVERTS(PV_ENCODING_UTF32BE, NULL, "\0\0\0a\0\1\xF6\0", "a\U0001F600", 0);
    CONVERTS(PV_ENCODING_UTF8, NULL, "a\xC3\xA9\xFF\xE2\x82\xAC", "a\u00e9\uFFFD\u20ac", 1);
    CONVERTS(PV_ENCODING_UTF8, NULL, "a\xE2\x82", "a\uFFFD", 1);
    CONVERTS(PV_ENCODING_OTHER, "koi8-r", "\xF0\xD2\xC9", "\u041f\u0440\u0438", 0);
    CONVERTS(PV_ENCODING_OTHER, "shift_jis", "\x93\xFA\x96\x7B", "\u65e5\u672c", 0);
}

/* ---- Kinds of files -------------------------------------------------------------------------- */

static void kind(const char *bytes, size_t length, const char *name)
{
    size_t k;
    bool found = pv_file_kind_find(bytes, length, &k);
    assert_true(found == (name != NULL));
    if (found)
        assert_string_equal(pv_file_kind_of(k)->name, name);
}

static void files_that_are_not_text_are_recognised(void **state)
{
    (void)state;
    kind("%PDF-1.7\n", 9, "PDF");
    kind("{\\rtf1\\ansi", 11, "RTF");
    kind("\xFF\xD8\xFF\xE0", 4, "JPEG");
    kind("MM\0*", 4, "TIFF");
    kind("MZ\x90\0\3\0", 6, "program");
    kind("\177ELF\2\1\1", 7, "program");
    kind("SQLite format 3\0", 16, "SQLite database");
    kind("PK\3\4", 4, "zip archive");
    kind("MZ and BM are letters of a text", 31, NULL);
    kind("GIF8 is a text", 14, NULL);
    kind("PDF", 3, NULL);
    kind("", 0, NULL);
    for (size_t k = 0; k < pv_file_kinds(); k++)
        assert_non_null(pv_file_kind_of(k)->name);
}

static void binary_data_is_recognised(void **state)
{
    (void)state;
    assert_false(pv_looks_binary("", 0, true));
    assert_false(pv_looks_binary("plain text\r\n\ttoo\f\x1b[1m", 20, true));
    assert_false(pv_looks_binary("\u4e2d\u6587\u0416", 8, true));
    assert_false(pv_looks_binary("caf\xe9 in Latin-1 is mostly fine", 30, true));
    assert_true(pv_looks_binary("\0\1\2\3\4\5\6\7", 8, true));
    assert_true(pv_looks_binary("a\0b\0c\0d\0", 8, true));
    assert_true(pv_looks_binary("\xCF\xF0\xE8\xE2\xE5\xF2 \xEC\xE8\xF0", 10, true));
    assert_false(pv_looks_binary("\xCF\xF0\xE8\xE2\xE5\xF2 \xEC\xE8\xF0", 10, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_may_be_spelled_in_several_ways),
        cmocka_unit_test(byte_order_marks_determine_the_encoding),
        cmocka_unit_test(wide_text_without_a_mark_is_recognised),
        cmocka_unit_test(binary_data_is_not_taken_for_wide_text),
        cmocka_unit_test(western_text_that_is_not_utf8_is_windows_1252),
        cmocka_unit_test(a_character_cut_at_the_end_is_not_bad),
        cmocka_unit_test(text_is_converted_for_any_division),
        cmocka_unit_test(files_that_are_not_text_are_recognised),
        cmocka_unit_test(binary_data_is_recognised),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
