/* WikiExtractor's output, and one document per line. */
#include "corpus/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define JOIN PV_PARAGRAPH_JOIN
#define DOC "<doc id=\"12\" url=\"https://x.y/?curid=12\" title=\"Mill &amp; weir\">\n"

static int set_up(void **state)
{
    psdvec_context *ctx = NULL;
    if (psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        return -1;
    *state = ctx;
    return 0;
}

static int tear_down(void **state)
{
    psdvec_context_free(*state);
    return 0;
}

typedef psdvec_status convert_fn(const char *text, size_t length, pv_buffer *out);

static void assert_converts(void **state, convert_fn *convert, const char *text, const char *lines)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    size_t length = strlen(text);
    char *exact = malloc(length + 1);
    assert_non_null(exact);
    memcpy(exact + 1, text, length);
    assert_int_equal(convert(exact + 1, length, &out), PSDVEC_OK);
    assert_int_equal(pv_buffer_byte(&out, '\0'), PSDVEC_OK);
    assert_string_equal(out.data, lines);
    free(exact);
    pv_buffer_free(&out);
}

static void assert_lines(void **state, const char *text, const char *lines)
{
    assert_converts(state, pv_wiki_extractor_to_lines, text, lines);
}

static void test_paragraphs_are_joined_into_one_line(void **state)
{
    assert_converts(state, pv_wiki_text_to_line, "one\ntwo", "one" JOIN "two\n");
    assert_converts(state, pv_wiki_text_to_line, "\n one \r\n\n\n two\n", "one" JOIN "two\n");
    assert_converts(state, pv_wiki_text_to_line, "one", "one\n");
}

static void test_an_empty_text_gives_no_line(void **state)
{
    assert_converts(state, pv_wiki_text_to_line, "", "");
    assert_converts(state, pv_wiki_text_to_line, "\n \n", "");
}

static void test_every_document_becomes_one_line(void **state)
{
    assert_lines(state, DOC "Mill\n\nIt turns.\nIt grinds.\n</doc>\n" DOC "Weir\n</doc>\n",
                 "Mill" JOIN "It turns." JOIN "It grinds.\nWeir\n");
    assert_lines(state, DOC "Mill\r\n</doc>\r\n", "Mill\n");
}

static void test_an_empty_document_gives_no_line(void **state)
{
    assert_lines(state, DOC "\n</doc>\n" DOC "</doc>\n", "");
}

static void test_entities_are_decoded_once_or_twice(void **state)
{
    assert_lines(state, DOC "a &lt;b&gt; AT&amp;T &amp;eacute; &x; &\n</doc>\n",
                 "a <b> AT&T é &x; &\n");
    assert_lines(state, DOC "a&#10;b\n</doc>\n", "a b\n");
}

static void test_lines_that_only_resemble_tags_are_text(void **state)
{
    assert_lines(state, DOC "the <doc id=\"1\"> tag\n<doc\n</doc> x\n</doc>\n",
                 "the <doc id=\"1\"> tag" JOIN "<doc" JOIN "</doc> x\n");
}

static void test_a_document_without_end_is_ended_by_the_next(void **state)
{
    assert_lines(state, DOC "a\n" DOC "b\n</doc>\n", "a\nb\n");
}

static void test_a_cut_document_gets_no_line_end_at_the_cut(void **state)
{
    assert_lines(state, DOC "a\nb\n", "a" JOIN "b" JOIN);
    assert_lines(state, "c\n</doc>\n" DOC "d\n</doc>\n", "c\nd\n");
    assert_lines(state, "</doc>\n", "\n");
    assert_lines(state, "c\n", "c" JOIN);
}

/* Divided at any line end, the parts give the same result as the whole, except for a join that a
 * "</doc>" at the start of a block can no longer undo. */
static void test_consecutive_blocks_give_the_same_as_the_whole(void **state)
{
    static const char text[] = DOC "a\n\nb\n</doc>\n" DOC "\n</doc>\n\n" DOC "c\nd\n</doc>\n";
    static const char whole[] = "a" JOIN "b\nc" JOIN "d\n";
    for (size_t cut = 0; cut < sizeof text; cut++) {
        if (cut > 0 && text[cut - 1] != '\n')
            continue;
        pv_buffer out;
        pv_buffer_init(&out, *state);
        assert_int_equal(pv_wiki_extractor_to_lines(text, cut, &out), PSDVEC_OK);
        assert_int_equal(pv_wiki_extractor_to_lines(text + cut, sizeof text - 1 - cut, &out),
                         PSDVEC_OK);
        assert_int_equal(pv_buffer_byte(&out, '\0'), PSDVEC_OK);
        char *join;
        while ((join = strstr(out.data, JOIN "\n")))
            memmove(join, join + sizeof JOIN - 1, strlen(join + sizeof JOIN - 1) + 1);
        char *empty = strstr(out.data, "\n\n"); /* divided inside the empty document */
        if (empty)
            memmove(empty, empty + 1, strlen(empty));
        assert_string_equal(out.data, whole);
        pv_buffer_free(&out);
    }
}

static void test_a_byte_order_mark_is_skipped(void **state)
{
    assert_lines(state, "\xEF\xBB\xBF" DOC "a\n</doc>\n", "a\n");
}

static bool sniff(const char *text)
{
    return pv_wiki_extractor_looks_like(text, strlen(text));
}

static void test_the_output_is_recognised_by_its_start(void **state)
{
    (void)state;
    assert_true(sniff(DOC "text"));
    assert_true(sniff("\xEF\xBB\xBF\n" DOC));
    assert_true(sniff("<doc id=\"12\" url=\"https://x"));
    assert_false(sniff(""));
    assert_false(sniff("text\n" DOC));
    assert_false(sniff("<doc id=\"12\" is an element\nof"));
    assert_false(sniff("<document>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paragraphs_are_joined_into_one_line),
        cmocka_unit_test(test_an_empty_text_gives_no_line),
        cmocka_unit_test(test_every_document_becomes_one_line),
        cmocka_unit_test(test_an_empty_document_gives_no_line),
        cmocka_unit_test(test_entities_are_decoded_once_or_twice),
        cmocka_unit_test(test_lines_that_only_resemble_tags_are_text),
        cmocka_unit_test(test_a_document_without_end_is_ended_by_the_next),
        cmocka_unit_test(test_a_cut_document_gets_no_line_end_at_the_cut),
        cmocka_unit_test(test_consecutive_blocks_give_the_same_as_the_whole),
        cmocka_unit_test(test_a_byte_order_mark_is_skipped),
        cmocka_unit_test(test_the_output_is_recognised_by_its_start),
    };
    return cmocka_run_group_tests_name("wiki extractor", tests, set_up, tear_down);
}
