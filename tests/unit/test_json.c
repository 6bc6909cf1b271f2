/* The JSON reader and writer: what they accept, what they reject and where, and round trips. */
#include "base/json.h"
#include "support/locales.h"
#include "support/scratch.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int set_up(void **state)
{
    psdvec_context *ctx = NULL;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = (uint64_t)64 << 20;
    if (psdvec_context_new(&options, &ctx) != PSDVEC_OK)
        return -1;
    *state = ctx;
    return 0;
}

static int tear_down(void **state)
{
    psdvec_context_free(*state);
    return 0;
}

static void init(pv_json *json, const char *text, unsigned flags)
{
    pv_json_init(json, text, strlen(text), flags);
}

static bool accepts(const char *text)
{
    pv_json json;
    init(&json, text, 0);
    return pv_json_finish(&json);
}

/* The text is rejected at this byte. */
static void assert_refused_at(const char *text, size_t offset)
{
    pv_json json;
    init(&json, text, 0);
    assert_false(pv_json_finish(&json));
    assert_non_null(json.cause);
    assert_false(json.refused);
    assert_int_equal(json.offset, offset);
}

/* Decodes the string `text` (with quotes) and compares. */
static void assert_decodes(psdvec_context *ctx, const char *text, unsigned flags,
                           const char *expected, size_t length)
{
    pv_json json;
    pv_buffer out;
    pv_buffer_init(&out, ctx);
    init(&json, text, flags);
    assert_true(pv_json_read_string(&json, &out));
    assert_true(pv_json_finish(&json));
    assert_int_equal(out.length, length);
    if (length)
        assert_memory_equal(out.data, expected, length);
    pv_buffer_free(&out);
}

/* ---- Iterating ------------------------------------------------------------------------------- */

static void an_object_is_iterated_in_order(void **state)
{
    pv_json json;
    pv_buffer key;
    pv_buffer_init(&key, *state);
    init(&json, " { \"a\" : 1 , \"b\":[true,null],\"c\":\"x\"} ", 0);
    assert_int_equal(pv_json_peek(&json), PV_JSON_OBJECT);
    assert_true(pv_json_enter_object(&json));
    uint64_t number = 0;
    assert_true(pv_json_next_key(&json, &key));
    assert_true(pv_json_text_is(&key, "a"));
    assert_true(pv_json_read_u64(&json, &number));
    assert_int_equal(number, 1);
    key.length = 0;
    assert_true(pv_json_next_key(&json, &key));
    assert_true(pv_json_text_is(&key, "b"));
    assert_int_equal(pv_json_peek(&json), PV_JSON_ARRAY);
    assert_true(pv_json_enter_array(&json));
    bool truth = false;
    assert_true(pv_json_next_element(&json));
    assert_int_equal(pv_json_peek(&json), PV_JSON_BOOL);
    assert_true(pv_json_read_bool(&json, &truth));
    assert_true(truth);
    assert_true(pv_json_next_element(&json));
    assert_int_equal(pv_json_peek(&json), PV_JSON_NULL);
    assert_true(pv_json_read_null(&json));
    assert_false(pv_json_next_element(&json));
    key.length = 0;
    assert_true(pv_json_next_key(&json, &key));
    assert_true(pv_json_text_is(&key, "c"));
    key.length = 0;
    assert_true(pv_json_read_string(&json, &key));
    assert_true(pv_json_text_is(&key, "x"));
    assert_false(pv_json_next_key(&json, &key));
    assert_true(pv_json_finish(&json));
    pv_buffer_free(&key);
}

static void unread_values_are_skipped(void **state)
{
    pv_json json;
    pv_buffer key;
    pv_buffer_init(&key, *state);
    init(&json, "{\"a\":{\"deep\":[1,[2]]},\"b\":7,\"c\":[]}", 0);
    pv_json_enter_object(&json);
    while (pv_json_next_key(&json, &key)) {
    }
    assert_true(pv_json_finish(&json));
    assert_true(pv_json_text_is(&key, "abc"));
    pv_buffer_free(&key);
}

static void a_skipped_value_is_still_validated(void **state)
{
    (void)state;
    pv_json json;
    init(&json, "{\"a\":[1,2,],\"b\":7}", 0);
    pv_json_enter_object(&json);
    assert_true(pv_json_next_key(&json, NULL));
    assert_false(pv_json_next_key(&json, NULL));
    assert_int_equal(json.offset, 10);
}

static void skipping_gives_the_text_as_written(void **state)
{
    (void)state;
    pv_json json;
    const char *span = NULL;
    size_t length = 0;
    init(&json, "[ {\"a\": [1 , \"]\"]} ,2]", 0);
    pv_json_enter_array(&json);
    pv_json_next_element(&json);
    assert_true(pv_json_skip(&json, &span, &length));
    static const char expected[] = "{\"a\": [1 , \"]\"]}";
    assert_int_equal(length, sizeof expected - 1);
    assert_memory_equal(span, expected, length);
}

static void the_first_failure_is_kept(void **state)
{
    (void)state;
    pv_json json;
    uint64_t number = 5;
    init(&json, "[x, 1]", 0);
    pv_json_enter_array(&json);
    assert_true(pv_json_next_element(&json));
    assert_false(pv_json_read_u64(&json, &number));
    const char *cause = json.cause;
    assert_false(pv_json_next_element(&json));
    assert_false(pv_json_enter_array(&json));
    assert_false(pv_json_skip(&json, NULL, NULL));
    assert_false(pv_json_finish(&json));
    assert_int_equal(pv_json_peek(&json), PV_JSON_NONE);
    assert_ptr_equal(json.cause, cause);
    assert_int_equal(number, 5);
}

static void reading_another_type_fails_at_the_value(void **state)
{
    (void)state;
    bool truth;
    double real;
    uint64_t number;
    pv_json json;
    init(&json, "  \"x\"", 0);
    assert_false(pv_json_read_u64(&json, &number));
    assert_int_equal(json.offset, 2);
    init(&json, "1", 0);
    assert_false(pv_json_read_string(&json, NULL));
    init(&json, "1", 0);
    assert_false(pv_json_read_bool(&json, &truth));
    init(&json, "true", 0);
    assert_false(pv_json_read_null(&json));
    init(&json, "null", 0);
    assert_false(pv_json_read_double(&json, &real));
    init(&json, "[]", 0);
    assert_false(pv_json_enter_object(&json));
    init(&json, "{}", 0);
    assert_false(pv_json_enter_array(&json));
}

static void calls_out_of_order_fail_and_do_not_crash(void **state)
{
    (void)state;
    pv_json json;
    init(&json, "[1]", 0);
    assert_true(pv_json_enter_array(&json));
    assert_false(pv_json_next_key(&json, NULL));
    init(&json, "1", 0);
    assert_true(pv_json_skip(&json, NULL, NULL));
    assert_false(pv_json_skip(&json, NULL, NULL));
    init(&json, "[1,2]", 0);
    assert_true(pv_json_enter_array(&json));
    assert_true(pv_json_next_element(&json));
    assert_false(pv_json_finish(&json));
}

static void the_text_need_not_end_with_a_zero(void **state)
{
    (void)state;
    static const char *const texts[] = {"123", "-0.5e+7", "true", "\"ab\\u0041\"", "[1,2]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i]);
        for (size_t n = 0; n <= length; n++) {
            char *exact = malloc(n ? n : 1); /* the sanitizer detects a read beyond the end */
            assert_non_null(exact);
            for (size_t k = 0; k < n; k++)
                exact[k] = texts[i][k];
            pv_json json;
            pv_json_init(&json, exact, n, 0);
            bool good = pv_json_finish(&json);
            if (n == length)
                assert_true(good);
            free(exact);
        }
    }
    pv_json json;
    pv_json_init(&json, NULL, 0, 0);
    assert_false(pv_json_finish(&json));
}

/* ---- Grammar --------------------------------------------------------------------------------- */

static void good_texts_are_accepted(void **state)
{
    (void)state;
    static const char *const good[] = {
        "{}",          "[]",
        " [ ] ",       "\t\r\n0 ",
        "-0",          "0.0",
        "1e5",         "1E+05",
        "-12.5e-3",    "\"\"",
        "null",        "true",
        "false",       "[[],{},[{}]]",
        "{\"\":\"\"}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
        "\"\x7f\"",    "123456789012345678901234567890",
        "1e999",       "{\"a\":1,\"a\":2}",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!accepts(good[i]))
            fail_msg("refused: %s", good[i]);
}

static void bad_texts_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\" 1}",
        "{1:2}",
        "[1}",
        "{\"a\":1]",
        "01",
        "-",
        "+1",
        ".5",
        "5.",
        "1e",
        "1e+",
        "-01",
        "0x10",
        "1.e3",
        "NaN",
        "Infinity",
        "-Infinity",
        "tru",
        "truee",
        "True",
        "nul",
        "falsé",
        "\"",
        "\"a",
        "\"\\\"",
        "\"\\",
        "\"\\x41\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u\"",
        "\"\n\"",
        "\"\t\"",
        "\"\x01\"",
        "1 2",
        "{} {}",
        "[] x",
        "//",
        "/**/1",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\\ud800\\ud800\"",
        "\"\x80\"",
        "\"\xc0\xaf\"",
        "\"\xc3\"",
        "\"\xe2\x82\"",
        "\"\xed\xa0\x80\"",
        "\"\xe0\x80\x80\"",
        "\"\xf0\x80\x80\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\xf5\x80\x80\x80\"",
        "\xef\xbb\xbf{}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (accepts(bad[i]))
            fail_msg("accepted: %s", bad[i]);
}

static void the_position_of_a_failure_is_reported(void **state)
{
    (void)state;
    assert_refused_at("", 0);
    assert_refused_at("[1,2,x]", 5);
    assert_refused_at("[1 2]", 3);
    assert_refused_at("{\"a\":1,}", 7);
    assert_refused_at("{\"ab\" 1}", 6);
    assert_refused_at("\"abc\\q\"", 4);
    assert_refused_at("\"abc\xff\"", 4);
    assert_refused_at("\"ab\nc\"", 3);
    assert_refused_at("\"abc", 4);
    assert_refused_at("[1] ]", 4);
}

static void sixty_four_levels_are_accepted_and_no_more(void **state)
{
    (void)state;
    char text[2 * 65 + 1];
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    text[128] = 0;
    assert_true(accepts(text));
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    text[130] = 0;
    assert_refused_at(text, 64);
}

static void a_depth_bomb_is_refused_at_once(void **state)
{
    (void)state;
    static const char braces[5] = {'{', '"', '"', ':', '['};
    size_t length = 10000000;
    char *bomb = malloc(length);
    assert_non_null(bomb);
    pv_json json;
    memset(bomb, '[', length);
    pv_json_init(&json, bomb, length, 0);
    assert_false(pv_json_finish(&json));
    assert_int_equal(json.offset, 64);
    for (size_t i = 0; i + 5 <= length; i += 5)
        memcpy(bomb + i, braces, sizeof braces);
    pv_json_init(&json, bomb, length, 0);
    assert_false(pv_json_finish(&json));
    assert_in_range(json.offset, 64, 400);
    free(bomb);
}

/* ---- Strings --------------------------------------------------------------------------------- */

static void escapes_are_decoded(void **state)
{
    assert_decodes(*state, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", 0, "\"\\/\b\f\n\r\t", 8);
    assert_decodes(*state, "\"a\\u0041\\u00e9\\u20AC\"", 0, "aA\xc3\xa9\xe2\x82\xac", 7);
    assert_decodes(*state, "\"\\ud83d\\ude00!\"", 0, "\xf0\x9f\x98\x80!", 5);
    assert_decodes(*state, "\"\\uDBFF\\uDFFF\"", 0, "\xf4\x8f\xbf\xbf", 4);
    assert_decodes(*state, "\"a\\u0000b\"", 0, "a\0b", 3);
    assert_decodes(*state, "\"\"", 0, "", 0);
    assert_decodes(*state, "\"h\xc3\xa9llo \xf0\x9f\x98\x80\"", 0, "h\xc3\xa9llo \xf0\x9f\x98\x80",
                   11);
}

static void a_lone_surrogate_becomes_a_replacement_character_on_request(void **state)
{
    unsigned flag = PV_JSON_REPLACE_SURROGATES;
    assert_decodes(*state, "\"\\ud800\"", flag, "\xef\xbf\xbd", 3);
    assert_decodes(*state, "\"\\udc00x\"", flag, "\xef\xbf\xbdx", 4);
    assert_decodes(*state, "\"\\ud800\\u0041\"", flag,
                   "\xef\xbf\xbd"
                   "A",
                   4);
    assert_decodes(*state, "\"\\ud800\\ud83d\\ude00\"", flag, "\xef\xbf\xbd\xf0\x9f\x98\x80", 7);
    assert_decodes(*state, "\"\\ud800\\n\"", flag, "\xef\xbf\xbd\n", 4);
}

static void bad_utf8_passes_untouched_on_request(void **state)
{
    assert_decodes(*state, "\"a\xff\xc3 \x80\"", PV_JSON_ANY_BYTES, "a\xff\xc3 \x80", 5);
    pv_json json;
    init(&json, "\"a\xff\x01\"", PV_JSON_ANY_BYTES);
    assert_false(pv_json_finish(&json));
    assert_int_equal(json.offset, 3);
}

static void strings_are_appended(void **state)
{
    pv_json json;
    pv_buffer out;
    pv_buffer_init(&out, *state);
    assert_int_equal(pv_buffer_text(&out, "before "), PSDVEC_OK);
    init(&json, "\"af\\u0074er\"", 0);
    assert_true(pv_json_read_string(&json, &out));
    assert_true(pv_json_text_is(&out, "before after"));
    pv_buffer_free(&out);
}

static void long_strings_of_every_mixture_are_preserved(void **state)
{
    pv_buffer raw, quoted, back;
    pv_buffer_init(&raw, *state);
    pv_buffer_init(&quoted, *state);
    pv_buffer_init(&back, *state);
    static const char *const pieces[] = {"plain text of some length, ",
                                         "\n",
                                         "\"",
                                         "\\",
                                         "\xc3\xa9",
                                         "\xe4\xb8\xad\xe6\x96\x87",
                                         "\x01",
                                         "\xf0\x9f\x98\x80",
                                         "z"};
    uint32_t random = 12345;
    for (int round = 0; round < 300; round++) {
        raw.length = quoted.length = back.length = 0;
        for (int i = 0; i < round; i++) {
            random = random * 1664525u + 1013904223u;
            assert_int_equal(pv_buffer_text(&raw, pieces[(random >> 16) % 9]), PSDVEC_OK);
        }
        assert_int_equal(pv_json_append_string(&quoted, raw.data, raw.length), PSDVEC_OK);
        pv_json json;
        pv_json_init(&json, quoted.data, quoted.length, 0);
        assert_true(pv_json_read_string(&json, &back));
        assert_true(pv_json_finish(&json));
        assert_int_equal(back.length, raw.length);
        if (raw.length)
            assert_memory_equal(back.data, raw.data, raw.length);
    }
    pv_buffer_free(&raw);
    pv_buffer_free(&quoted);
    pv_buffer_free(&back);
}

static void fast_and_portable_scans_agree(void **state)
{
    (void)state;
    unsigned char data[256];
    for (int byte = 0; byte < 256; byte++)
        for (size_t length = 0; length < 150; length++) {
            memset(data, 'a', sizeof data);
            for (size_t at = 0; at < length; at += 1 + length / 7) {
                data[at] = (unsigned char)byte;
                for (int ascii = 0; ascii < 2; ascii++) {
                    size_t fast = pv_json_plain((char *)data, length, ascii);
                    assert_int_equal(fast, pv_json_plain_reference((char *)data, length, ascii));
                }
                data[at] = 0xc3;
            }
        }
    uint32_t random = 7;
    for (int round = 0; round < 20000; round++) {
        size_t from = round % 17, length = (size_t)(round % 200);
        for (size_t i = 0; i < 256; i++) {
            random = random * 1664525u + 1013904223u;
            data[i] = random >> 26 ? (unsigned char)('b' + (random >> 30))
                                   : (unsigned char)(random >> 16);
        }
        for (int ascii = 0; ascii < 2; ascii++)
            assert_int_equal(pv_json_plain((char *)data + from, length, ascii),
                             pv_json_plain_reference((char *)data + from, length, ascii));
    }
}

static void a_failed_allocation_ends_the_reading(void **state)
{
    psdvec_context *ctx = *state;
    size_t length = (size_t)80 << 20; /* more than the budget */
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, 'a', length);
    text[0] = text[length - 1] = '"';
    pv_json json;
    pv_buffer out;
    pv_buffer_init(&out, ctx);
    pv_json_init(&json, text, length, 0);
    assert_false(pv_json_read_string(&json, &out));
    assert_true(json.refused);
    assert_int_equal(pv_failure(ctx), PSDVEC_ERR_BUDGET);
    pv_begin(ctx);
    pv_json_init(&json, text, length, 0);
    assert_true(pv_json_finish(&json)); /* skipping needs no memory */
    pv_buffer_free(&out);
    free(text);
}

static void a_member_without_memory_for_its_key_is_not_missing(void **state)
{
    psdvec_context *ctx = *state;
    pv_buffer out = {.ctx = ctx};
    uint64_t left = pv_memory_left(ctx);
    assert_int_equal(pv_memory_claim(ctx, left, "all"), PSDVEC_OK);
    assert_int_equal(pv_json_member("{\"a\": 1}", "a", &out), PSDVEC_ERR_BUDGET);
    pv_memory_unclaim(ctx, left);
    pv_begin(ctx);
    assert_int_equal(pv_json_member("{\"a\": 1}", "a", &out), PSDVEC_OK);
    assert_string_equal(out.data, "1");
    pv_buffer_free(&out);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static void u64_is_exact_to_its_limits(void **state)
{
    (void)state;
    pv_json json;
    uint64_t number;
    init(&json, "18446744073709551615", 0);
    assert_true(pv_json_read_u64(&json, &number));
    assert_true(number == UINT64_MAX);
    init(&json, "9007199254740993", 0);
    assert_true(pv_json_read_u64(&json, &number));
    assert_true(number == UINT64_C(9007199254740993));
    static const char *const bad[] = {"18446744073709551616",   "-1", "-0", "1.0", "1e3",
                                      "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        init(&json, bad[i], 0);
        assert_false(pv_json_read_u64(&json, &number));
        assert_int_equal(json.offset, 0);
    }
}

static void i64_is_exact_to_its_limits(void **state)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    pv_json_writer w;
    pv_json_writer_init(&w, &out);
    pv_json_open_array(&w, NULL);
    pv_json_put_i64(&w, NULL, INT64_MIN);
    pv_json_put_i64(&w, NULL, INT64_MAX);
    pv_json_put_i64(&w, NULL, 0);
    pv_json_put_i64(&w, NULL, -1);
    pv_json_close(&w);
    assert_int_equal(pv_json_writer_status(&w), PSDVEC_OK);
    assert_true(pv_json_text_is(&out, "[-9223372036854775808,9223372036854775807,0,-1]"));
    pv_buffer_free(&out);
}

static void doubles_are_rounded_correctly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0.1", 0.1},
                 {"-2.5e-3", -2.5e-3},
                 {"1e22", 1e22},
                 {"9007199254740993", 9007199254740992.0},
                 {"1.7976931348623157e308", DBL_MAX},
                 {"5e-324", 4.9406564584124654e-324},
                 {"1e-999", 0.0},
                 {"123456789012345678901234567890", 123456789012345678901234567890.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pv_json json;
        double value;
        init(&json, cases[i].text, 0);
        assert_true(pv_json_read_double(&json, &value));
        assert_memory_equal(&value, &cases[i].value, sizeof value);
    }
    pv_json json;
    double value;
    init(&json, "-0", 0);
    assert_true(pv_json_read_double(&json, &value));
    assert_true(signbit(value));
}

static void a_number_too_large_or_too_long_is_not_read(void **state)
{
    (void)state;
    pv_json json;
    double value;
    init(&json, "1e309", 0);
    assert_false(pv_json_read_double(&json, &value));
    char digits[1100];
    memset(digits, '1', sizeof digits);
    pv_json_init(&json, digits, sizeof digits, 0);
    assert_false(pv_json_read_double(&json, &value));
    pv_json_init(&json, digits, sizeof digits, 0);
    assert_true(pv_json_finish(&json));
}

static void the_locale_does_not_matter(void **state)
{
    char *folder = scratch_new();
    const char *name = locale_with_comma(folder);
    locale_t comma = name ? newlocale(LC_ALL_MASK, name, (locale_t)0) : (locale_t)0;
    scratch_free(folder);
    locale_t before = comma ? uselocale(comma) : (locale_t)0;
    pv_json json;
    double value;
    init(&json, "0.1", 0);
    assert_true(pv_json_read_double(&json, &value));
    assert_true(value == 0.1);
    pv_buffer out;
    pv_buffer_init(&out, *state);
    pv_json_writer writer;
    pv_json_writer_init(&writer, &out);
    pv_json_put_double(&writer, NULL, 0.1);
    if (comma) {
        assert_ptr_equal(uselocale(before), comma); /* the program's locale is restored */
        freelocale(comma);
    }
    assert_true(pv_json_text_is(&out, "0.1"));
    pv_buffer_free(&out);
    if (!comma)
        skip(); /* no locale with a decimal comma can be made */
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void commas_are_inserted_automatically(void **state)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    pv_json_writer w;
    pv_json_writer_init(&w, &out);
    pv_json_open_object(&w, NULL);
    pv_json_put_u64(&w, "a", UINT64_MAX);
    pv_json_open_array(&w, "b");
    pv_json_put_i64(&w, NULL, INT64_MIN);
    pv_json_put_bool(&w, NULL, true);
    pv_json_put_bool(&w, NULL, false);
    pv_json_put_null(&w, NULL);
    pv_json_put_string(&w, NULL, NULL);
    pv_json_open_object(&w, NULL);
    pv_json_close(&w);
    pv_json_open_array(&w, NULL);
    pv_json_close(&w);
    pv_json_put_raw(&w, NULL, "[1]", 3);
    pv_json_close(&w);
    pv_json_key(&w, "cd", 1);
    pv_json_put_string_n(&w, NULL, "xy", 1);
    pv_json_close(&w);
    assert_int_equal(pv_json_writer_status(&w), PSDVEC_OK);
    assert_true(pv_json_text_is(&out,
                                "{\"a\":18446744073709551615,\"b\":[-9223372036854775808,true,"
                                "false,null,null,{},[],[1]],\"c\":\"x\"}"));
    pv_buffer_free(&out);
}

static void a_spaced_writer_leaves_a_space_after_commas_and_colons(void **state)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    pv_json_writer w;
    pv_json_writer_init(&w, &out);
    w.spaced = true;
    pv_json_open_object(&w, NULL);
    pv_json_put_u64(&w, "a", 1);
    pv_json_open_array(&w, "b");
    pv_json_put_bool(&w, NULL, true);
    pv_json_put_null(&w, NULL);
    pv_json_close(&w);
    pv_json_close(&w);
    assert_int_equal(pv_json_writer_status(&w), PSDVEC_OK);
    assert_true(pv_json_text_is(&out, "{\"a\": 1, \"b\": [true, null]}"));
    pv_buffer_free(&out);
}

static void doubles_have_the_requested_digits(void **state)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    pv_json_writer w;
    pv_json_writer_init(&w, &out);
    pv_json_open_array(&w, NULL);
    pv_json_put_digits(&w, NULL, 2.0 / 3, 3);
    pv_json_put_digits(&w, NULL, 5, 1);
    pv_json_put_digits(&w, NULL, (double)NAN, 3);
    pv_json_put_digits(&w, NULL, 2.0 / 3, 9);
    pv_json_put_digits(&w, NULL, 1e-9, 3);
    pv_json_put_digits(&w, NULL, -(double)INFINITY, 3);
    pv_json_close(&w);
    assert_int_equal(pv_json_writer_status(&w), PSDVEC_OK);
    assert_true(pv_json_text_is(&out, "[0.667,5,null,0.666666667,1e-09,null]"));
    pv_buffer_free(&out);
}

static void a_string_is_escaped(void **state)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    static const char text[] = "\"\\/\b\f\n\r\t\x01\x1f\x7f\0\xc3\xa9";
    assert_int_equal(pv_json_append_string(&out, text, sizeof text - 1), PSDVEC_OK);
    assert_true(
        pv_json_text_is(&out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\\u0000\xc3\xa9\""));
    pv_buffer_free(&out);
}

static void bad_utf8_is_written_as_replacement_characters(void **state)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    assert_int_equal(pv_json_append_string(&out, "a\xff\xe2\x82z", 5), PSDVEC_OK);
    assert_true(pv_json_text_is(&out, "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\""));
    pv_buffer_free(&out);
}

static void assert_written(psdvec_context *ctx, double value, const char *expected)
{
    pv_buffer out;
    pv_buffer_init(&out, ctx);
    pv_json_writer w;
    pv_json_writer_init(&w, &out);
    pv_json_put_double(&w, NULL, value);
    assert_int_equal(pv_buffer_byte(&out, 0), PSDVEC_OK);
    assert_string_equal(out.data, expected);
    pv_buffer_free(&out);
}

static void doubles_are_short(void **state)
{
    assert_written(*state, 0.1, "0.1");
    assert_written(*state, 0.0, "0");
    assert_written(*state, -0.0, "-0.0");
    assert_written(*state, -3, "-3");
    assert_written(*state, 1e20, "1e+20");
    assert_written(*state, 0.1 + 0.2, "0.30000000000000004");
    assert_written(*state, 1.0 / 3, "0.3333333333333333");
    assert_written(*state, (double)NAN, "null");
    assert_written(*state, (double)INFINITY, "null");
    assert_written(*state, -(double)INFINITY, "null");
}

static void doubles_read_back_as_the_same_bits(void **state)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        pv_json_writer w;
        out.length = 0;
        pv_json_writer_init(&w, &out);
        pv_json_put_double(&w, NULL, value);
        pv_json json;
        pv_json_init(&json, out.data, out.length, 0);
        assert_true(pv_json_read_double(&json, &back));
        assert_true(pv_json_finish(&json));
        assert_memory_equal(&back, &value, sizeof value);
    }
    pv_buffer_free(&out);
}

static void an_impossible_order_of_calls_is_a_defect(void **state)
{
    psdvec_context *ctx = *state;
    pv_buffer out;
    pv_buffer_init(&out, ctx);
    for (int wrong = 0; wrong < 6; wrong++) {
        pv_json_writer w;
        pv_begin(ctx);
        pv_json_writer_init(&w, &out);
        if (wrong == 0) {
            pv_json_close(&w);
        } else if (wrong == 1) {
            pv_json_key(&w, "a", 1);
        } else if (wrong == 2) {
            pv_json_open_object(&w, NULL);
            pv_json_put_u64(&w, NULL, 1);
        } else if (wrong == 3) {
            pv_json_open_object(&w, NULL);
            pv_json_key(&w, "a", 1);
            pv_json_close(&w);
        } else if (wrong == 4) {
            pv_json_open_array(&w, NULL);
        } else {
            for (int i = 0; i < 65; i++)
                pv_json_open_array(&w, NULL);
            for (int i = 0; i < 65; i++)
                pv_json_close(&w);
        }
        assert_int_equal(pv_json_writer_status(&w), PSDVEC_ERR_INTERNAL);
    }
    pv_begin(ctx);
    pv_buffer_free(&out);
}

typedef struct figures {
    double mean, spread;
    uint64_t pairs;
    uint32_t words;
} figures;

static const pv_json_field figure_fields[] = {PV_JSON_FIELD(figures, mean),
                                              PV_JSON_FIELD(figures, spread),
                                              PV_JSON_FIELD(figures, pairs),
                                              PV_JSON_FIELD(figures, words),
                                              {0}};

static void a_record_is_written_by_its_table(void **state)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    for (int known = 0; known < 2; known++) {
        figures f = {NAN, 0.5, UINT64_MAX, UINT32_MAX};
        pv_json_writer w;
        out.length = 0;
        pv_json_writer_init(&w, &out);
        pv_json_open_object(&w, NULL);
        pv_json_put_fields(&w, figure_fields, &f, known);
        pv_json_close(&w);
        assert_int_equal(pv_json_writer_status(&w), PSDVEC_OK);
        assert_true(pv_json_text_is(
            &out, known ? "{\"spread\":0.5,\"pairs\":18446744073709551615,\"words\":4294967295}"
                        : "{\"mean\":null,\"spread\":0.5,\"pairs\":18446744073709551615,"
                          "\"words\":4294967295}"));
    }
    pv_buffer_free(&out);
}

static void a_record_is_read_by_its_table(void **state)
{
    (void)state;
    pv_json json;
    figures f = {.mean = 3, .spread = 4, .pairs = 5};
    init(&json,
         "{\"words\": 4294967295, \"more\": {\"words\": [1]}, \"mean\": null, "
         "\"a key that is far too long to be the name of a field of any table at all\": 1, "
         "\"wordsworth\": 1, \"word\": 1, \"spre\\u0061d\": -1e-3}",
         0);
    assert_true(pv_json_read_record(&json, figure_fields, &f));
    assert_true(pv_json_finish(&json));
    assert_true(f.mean == 3 && f.spread == -1e-3 && f.pairs == 5 && f.words == UINT32_MAX);
}

static void a_record_with_other_values_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"[]",
                                      "{\"mean\":\"1\"}",
                                      "{\"mean\":1e999}",
                                      "{\"pairs\":-1}",
                                      "{\"pairs\":1.5}",
                                      "{\"words\":4294967296}",
                                      "{\"words\":1"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        pv_json json;
        figures f;
        init(&json, bad[k], 0);
        assert_false(pv_json_read_record(&json, figure_fields, &f));
        assert_non_null(json.cause);
        assert_false(pv_json_finish(&json));
    }
}

static void a_text_is_known_by_its_type(void **state)
{
    (void)state;
    assert_true(pv_json_is(" {\"a\": [1]} ", PV_JSON_OBJECT));
    assert_true(pv_json_is("[]", PV_JSON_ARRAY));
    assert_false(pv_json_is("[]", PV_JSON_OBJECT));
    assert_false(pv_json_is("{} {}", PV_JSON_OBJECT));
    assert_false(pv_json_is("{", PV_JSON_OBJECT));
    assert_false(pv_json_is("", PV_JSON_OBJECT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_iterated_in_order),
        cmocka_unit_test(unread_values_are_skipped),
        cmocka_unit_test(a_skipped_value_is_still_validated),
        cmocka_unit_test(skipping_gives_the_text_as_written),
        cmocka_unit_test(the_first_failure_is_kept),
        cmocka_unit_test(reading_another_type_fails_at_the_value),
        cmocka_unit_test(calls_out_of_order_fail_and_do_not_crash),
        cmocka_unit_test(the_text_need_not_end_with_a_zero),
        cmocka_unit_test(good_texts_are_accepted),
        cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(the_position_of_a_failure_is_reported),
        cmocka_unit_test(sixty_four_levels_are_accepted_and_no_more),
        cmocka_unit_test(a_depth_bomb_is_refused_at_once),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(a_lone_surrogate_becomes_a_replacement_character_on_request),
        cmocka_unit_test(bad_utf8_passes_untouched_on_request),
        cmocka_unit_test(strings_are_appended),
        cmocka_unit_test(long_strings_of_every_mixture_are_preserved),
        cmocka_unit_test(fast_and_portable_scans_agree),
        cmocka_unit_test(a_failed_allocation_ends_the_reading),
        cmocka_unit_test(a_member_without_memory_for_its_key_is_not_missing),
        cmocka_unit_test(u64_is_exact_to_its_limits),
        cmocka_unit_test(i64_is_exact_to_its_limits),
        cmocka_unit_test(doubles_are_rounded_correctly),
        cmocka_unit_test(a_number_too_large_or_too_long_is_not_read),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(commas_are_inserted_automatically),
        cmocka_unit_test(a_spaced_writer_leaves_a_space_after_commas_and_colons),
        cmocka_unit_test(doubles_have_the_requested_digits),
        cmocka_unit_test(a_string_is_escaped),
        cmocka_unit_test(a_record_is_written_by_its_table),
        cmocka_unit_test(a_record_is_read_by_its_table),
        cmocka_unit_test(a_record_with_other_values_is_refused),
        cmocka_unit_test(a_text_is_known_by_its_type),
        cmocka_unit_test(bad_utf8_is_written_as_replacement_characters),
        cmocka_unit_test(doubles_are_short),
        cmocka_unit_test(doubles_read_back_as_the_same_bits),
        cmocka_unit_test(an_impossible_order_of_calls_is_a_defect),
    };
    return cmocka_run_group_tests_name("json", tests, set_up, tear_down);
}
