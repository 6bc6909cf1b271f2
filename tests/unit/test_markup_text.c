/* Text extraction from HTML, XML and word processor files, and detection of the type of a file by
 * its first element. */
#include "corpus/markup_text.h"
#include "support/scratch.h"

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

/* The text of a document that is fed in pieces of `step` bytes; the caller frees it. */
static char *text_in_pieces(pv_markup kind, bool blank_lines, const char *document, size_t step)
{
    pv_buffer out = {.ctx = ctx};
    pv_markup_reader r;
    size_t length = strlen(document);
    pv_markup_begin(&r, kind, blank_lines);
    for (size_t at = 0; at < length; at += step)
        assert_int_equal(
            pv_markup_feed(&r, document + at, length - at < step ? length - at : step, &out),
            PSDVEC_OK);
    assert_int_equal(pv_markup_end(&r, &out), PSDVEC_OK);
    assert_int_equal(pv_buffer_byte(&out, '\0'), PSDVEC_OK);
    char *text = strdup(out.data);
    pv_buffer_free(&out);
    return text;
}

/* The text must not depend on where the document is divided. */
static void assert_text(pv_markup kind, bool blank_lines, const char *document, const char *wanted)
{
    static const size_t steps[] = {1, 2, 3, 7, 100000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char *text = text_in_pieces(kind, blank_lines, document, steps[i]);
        assert_string_equal(text, wanted);
        free(text);
    }
}

static void html(const char *document, const char *wanted)
{
    assert_text(PV_MARKUP_HTML, false, document, wanted);
}

static void blocks_end_lines_and_line_ends_are_spaces(void **state)
{
    (void)state;
    html("<p>one\ntwo <b>th</b>ree</p>\n\n<p>four<br>five</P><DIV>six",
         "one two three\nfour\nfive\nsix");
    html("<ul><li>a<li>b</ul><table><tr><td>c</td><td>d</td></tr><tr><td>e</table>",
         "a\nb\nc d\ne");
    html("x<pre>1\n2  3</pre>y z\n", "x\n1\n2 3\ny z");
    assert_text(PV_MARKUP_HTML, true, "<p>a<br>b<p>c", "a\nb\n\nc");
}

static void scripts_styles_comments_and_pictures_have_no_text(void **state)
{
    (void)state;
    html("a<script>if (x < y) document.write('</p>');</script>b", "a b");
    html("a<STYLE>p > b { }</StYlE>b<!-- c --><!-- -> --- d --->e", "a be");
    html("<script src='x'/>a<noscript><p>off</p></noscript>b<svg><text>c</text></svg>d", "abd");
    html("<!DOCTYPE html><?php echo 1 ?>a", "a");
    html("<p title='a > b' class=it's>x</p>", "x");
    html("<template>never closed</body>x", "x");
}

static void references_are_decoded(void **state)
{
    (void)state;
    html("caf&eacute;s &amp; &#8364;5 &#x20AC;&nbsp;6", "caf\u00e9s & \u20ac5 \u20ac 6");
    html("AT&T &unknown; &nbsp &lt;p&gt; &", "AT&T &unknown; <p> &");
    html("&#150;&#0;&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;",
         "\u2013&#0;&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;");
}

static void invalid_tags_are_text(void **state)
{
    (void)state;
    html("a < b, 1<2 and <3", "a < b, 1<2 and <3");
    html("a</>b<", "ab");
}

static void xml_of_any_kind_gives_its_characters(void **state)
{
    (void)state;
    assert_text(PV_MARKUP_XML, false,
                "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b \"junk\">]>\n<a x=\"junk\"><b>one</b>"
                "<b>two</b>\n<![CDATA[three <four> ]] ]>]]></a>",
                "one two\nthree <four> ]] ]>");
}

static void word_has_text_in_some_elements_only(void **state)
{
    (void)state;
    assert_text(PV_MARKUP_WORD, false,
                "<w:document><w:p> <w:r><w:t>Fir</w:t></w:r><w:r><w:t xml:space=\"preserve\">st "
                "</w:t><w:tab/><w:t>x</w:t><w:instrText>junk</w:instrText></w:r></w:p><w:p><w:t/>"
                "<w:delText>junk</w:delText><w:t>second</w:t></w:p><mc:Fallback><w:t>junk</w:t>"
                "</mc:Fallback></w:document>",
                "First x\nsecond");
}

static void opendocument_has_text_in_its_body(void **state)
{
    (void)state;
    assert_text(PV_MARKUP_OPENDOCUMENT, true,
                "<office:document-content><office:styles>junk</office:styles><office:body>"
                "<text:h>Head</text:h><text:p>a<text:s/>b<text:span>c</text:span>"
                "<office:annotation><text:p>junk</text:p></office:annotation></text:p>"
                "</office:body></office:document-content>",
                "Head\n\na bc");
}

/* However damaged or deeply nested the document is, memory use is constant. */
static void deep_and_unclosed_documents_need_constant_memory(void **state)
{
    (void)state;
    pv_buffer out = {.ctx = ctx};
    pv_markup_reader r;
    pv_markup_begin(&r, PV_MARKUP_HTML, false);
    for (int i = 0; i < 200000; i++)
        assert_int_equal(pv_markup_feed(&r, "<svg><b><div a=\"", 16, &out), PSDVEC_OK);
    for (int i = 0; i < 200000; i++)
        assert_int_equal(pv_markup_feed(&r, "&entity", 7, &out), PSDVEC_OK);
    assert_true(out.capacity < 1000);
    pv_buffer_free(&out);
}

static void is(const char *start, pv_markup kind)
{
    if (pv_markup_looks_like(start, strlen(start)) != kind)
        fail_msg("%s: %d, not %d", start, (int)pv_markup_looks_like(start, strlen(start)),
                 (int)kind);
}

static void files_are_recognised_by_their_first_element(void **state)
{
    (void)state;
    is("\xEF\xBB\xBF <!-- x --> <!doctype HTML>", PV_MARKUP_HTML);
    is("<html lang=en>", PV_MARKUP_HTML);
    is("<Body>", PV_MARKUP_HTML);
    is("<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'>\n<html>", PV_MARKUP_HTML);
    is("<?xml version='1.0'?><!DOCTYPE a [ <!ENTITY b '>'> ]><a/>", PV_MARKUP_XML);
    is("<?xml version='1.0'?><w:document xmlns:w='http://x/wordprocessingml/main'>",
       PV_MARKUP_WORD);
    is("<?xml version='1.0'?><office:document-content xmlns:office='urn:x:opendocument:y'>",
       PV_MARKUP_OPENDOCUMENT);
    is("<svg xmlns='x'>", PV_MARKUP_SVG);
    is("<doc id=\"1\">", PV_MARKUP_NONE);
    is("<htmlish>", PV_MARKUP_NONE);
    is("<p>a paragraph", PV_MARKUP_NONE);
    is("a <html>", PV_MARKUP_NONE);
    is("", PV_MARKUP_NONE);
}

static void charsets_are_found(void **state)
{
    (void)state;
    static const char *const starts[] = {
        "<?xml version='1.0' encoding=\"koi8-r\"?>", "<meta charset=koi8-r>",
        "<meta http-equiv='Content-Type' content='text/html; charset=koi8-r'>"};
    size_t length = 0;
    for (size_t i = 0; i < 3; i++) {
        const char *name = pv_markup_charset(starts[i], strlen(starts[i]), &length);
        assert_non_null(name);
        assert_int_equal(length, 6);
        assert_memory_equal(name, "koi8-r", 6);
    }
    assert_null(pv_markup_charset("<p>encoding=x", 13, &length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_end_lines_and_line_ends_are_spaces),
        cmocka_unit_test(scripts_styles_comments_and_pictures_have_no_text),
        cmocka_unit_test(references_are_decoded),
        cmocka_unit_test(invalid_tags_are_text),
        cmocka_unit_test(xml_of_any_kind_gives_its_characters),
        cmocka_unit_test(word_has_text_in_some_elements_only),
        cmocka_unit_test(opendocument_has_text_in_its_body),
        cmocka_unit_test(deep_and_unclosed_documents_need_constant_memory),
        cmocka_unit_test(files_are_recognised_by_their_first_element),
        cmocka_unit_test(charsets_are_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
