/* Detecting texts with wrapped lines, and texts written without spaces. */
#include "corpus/text_shape.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 200000 };
static char text[SIZE];
static size_t length;

static void add(const char *word)
{
    size_t n = strlen(word);
    assert_true(length + n < SIZE);
    memcpy(text + length, word, n);
    length += n;
}

static const char *const words[] = {"the",          "of",     "a",           "government", "in",
                                    "which",        "people", "established", "by",         "some",
                                    "considerable", "and"};

/* Paragraphs of sentences: each on one line (width 0), or wrapped at a width. */
static void write_prose(unsigned width, unsigned paragraphs, bool line_per_sentence)
{
    dice d = {7};
    length = 0;
    for (unsigned p = 0; p < paragraphs; p++) {
        unsigned column = 0, sentences = 3 + (unsigned)dice_below(&d, 5);
        for (unsigned s = 0; s < sentences; s++) {
            unsigned count = 5 + (unsigned)dice_below(&d, 20);
            for (unsigned w = 0; w < count; w++) {
                char word[32];
                snprintf(word, sizeof word, "%s%s", words[dice_below(&d, 12)],
                         w + 1 == count ? "." : "");
                if (w == 0)
                    word[0] = (char)(word[0] - 32);
                bool breaks = width && column + 1 + strlen(word) > width;
                add(column == 0 ? "" : breaks ? "\n" : " ");
                column = (breaks || column == 0 ? 0 : column + 1) + (unsigned)strlen(word);
                add(word);
            }
            if (line_per_sentence) {
                add("\n");
                column = 0;
            }
        }
        add("\n\n");
    }
}

static unsigned width_of_text(void)
{
    return pv_wrapped_at(text, length, true);
}

static void wrapped_paragraphs_are_recognised(void **state)
{
    (void)state;
    for (unsigned width = 60; width <= 100; width += 5) {
        write_prose(width, 30, false);
        unsigned found = width_of_text();
        if (found + 4 < width || found > width)
            fail_msg("%u columns were taken for %u", width, found);
    }
}

static void other_lines_are_not_wrapped(void **state)
{
    (void)state;
    write_prose(0, 60, false); /* one paragraph per line */
    assert_int_equal(width_of_text(), 0);
    write_prose(0, 60, true); /* one sentence per line */
    assert_int_equal(width_of_text(), 0);
    for (size_t i = 0; i < length; i++) /* without punctuation and capitals */
        text[i] = (char)(text[i] == '.'                     ? ' '
                         : text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32
                                                            : text[i]);
    assert_int_equal(width_of_text(), 0);
    length = 0; /* a list of words */
    for (int i = 0; i < 3000; i++) {
        add(words[i % 12]);
        add("\n");
    }
    assert_int_equal(width_of_text(), 0);
    length = 0; /* verses, with and without capitals */
    for (int i = 0; i < 400; i++)
        add(i % 5 == 4 ? "\n"
            : i % 2    ? "And whisper to the golden light of dreams\n"
                       : "remember winter and the falling river\n");
    assert_int_equal(width_of_text(), 0);
    length = 0;
    assert_int_equal(width_of_text(), 0);
}

/* Tokens of equal length, the same number on each line: records, not prose. */
static void lines_of_one_length_are_not_wrapped(void **state)
{
    (void)state;
    dice d = {5};
    length = 0;
    for (unsigned i = 0; i < 300 * 20; i++) {
        char word[8] = {'s', (char)('a' + dice_below(&d, 20)), (char)('a' + dice_below(&d, 20)),
                        i % 20 == 19 ? '\n' : ' '};
        add(word);
    }
    assert_int_equal(width_of_text(), 0);
    length = 0;
    for (unsigned i = 0; i < 60; i++)
        add("<b>x</b> <script>alert</script> a record without letters in front\n");
    assert_int_equal(width_of_text(), 0);
}

static void titles_and_short_texts_are_not_wrapped(void **state)
{
    (void)state;
    write_prose(72, 2, false);
    size_t whole = length;
    for (length = 0; length < whole && length < 600; length++)
        assert_int_equal(width_of_text(), 0);
    length = 0;
    for (int i = 0; i < 100; i++) /* titles of one length, each beginning with a capital */
        add("A Government of Considerable People Which Some Established by the\n");
    assert_int_equal(width_of_text(), 0);
}

static void only_the_beginning_is_examined(void **state)
{
    (void)state;
    write_prose(72, 200, false);
    unsigned width = width_of_text();
    assert_true(length > PV_SHAPE_LENGTH && width > 0);
    assert_int_equal(pv_wrapped_at(text, PV_SHAPE_LENGTH, false), width);
}

static bool spaceless(const char *sample, int times)
{
    pv_script_counts counts = {0};
    for (int i = 0; i < times; i++)
        pv_count_scripts(sample, strlen(sample), &counts);
    return pv_is_spaceless(&counts);
}

static void text_without_spaces_is_recognised(void **state)
{
    (void)state;
    assert_true(spaceless("我喜欢自然语言处理。今天天气很好。", 20));
    assert_true(spaceless("日本語の文章です。ひらがなとカタカナ", 20));
    assert_true(spaceless("ภาษาไทยเขียนไม่เว้นวรรค", 20));
    assert_true(spaceless("我喜欢自然语言处理 with English", 20) == false);
    assert_false(spaceless("我 喜欢 自然 语言 处理 ", 20)); /* already separated */
    assert_false(spaceless("한국어는 띄어쓰기를 합니다 ", 20));
    assert_false(spaceless("An English text with 漢字 in it", 20));
    assert_false(spaceless("我喜欢自然语言处理", 1)); /* too short to decide */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrapped_paragraphs_are_recognised),
        cmocka_unit_test(other_lines_are_not_wrapped),
        cmocka_unit_test(lines_of_one_length_are_not_wrapped),
        cmocka_unit_test(titles_and_short_texts_are_not_wrapped),
        cmocka_unit_test(only_the_beginning_is_examined),
        cmocka_unit_test(text_without_spaces_is_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
