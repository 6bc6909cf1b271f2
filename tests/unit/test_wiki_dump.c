/* Wikipedia dumps: which pages are extracted, for any division into chunks, and how damaged and
 * hostile files are rejected. */
#include "corpus/wiki_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
    "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.10/\" version=\"0.10\">\n"           \
    "<siteinfo><sitename>Testpedia</sitename><namespaces><namespace key=\"0\" />"                  \
    "<namespace key=\"1\">Talk</namespace><namespace key=\"4\">Test &amp; co</namespace>"          \
    "</namespaces></siteinfo>\n"
#define TAIL "</mediawiki>\n"
#define PAGE(title, ns, text)                                                                      \
    "<page><title>" title "</title><ns>" ns "</ns><id>1</id><revision><id>2</id>"                  \
    "<contributor><username>title</username></contributor><model>wikitext</model>"                 \
    "<text bytes=\"1\" xml:space=\"preserve\">" text "</text><sha1>x</sha1></revision></page>\n"

typedef struct fixture {
    psdvec_context *ctx;
    pv_buffer seen; /* "title=text;" of every page */
    pv_buffer warnings;
    psdvec_status answer;
    size_t pages;
    size_t longest;
} fixture;

static void note_message(void *user, psdvec_message_level level, const char *text)
{
    fixture *f = user;
    if (level == PSDVEC_WARNING)
        pv_buffer_text(&f->warnings, text);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = (uint64_t)512 << 20;
    options.on_message = note_message;
    options.user = f;
    if (!f || psdvec_context_new(&options, &f->ctx) != PSDVEC_OK)
        return -1;
    pv_buffer_init(&f->seen, f->ctx);
    pv_buffer_init(&f->warnings, f->ctx);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pv_buffer_free(&f->seen);
    pv_buffer_free(&f->warnings);
    psdvec_context_free(f->ctx);
    free(f);
    return 0;
}

static psdvec_status note_page(void *user, const char *title, size_t title_length, const char *text,
                               size_t text_length)
{
    fixture *f = user;
    f->pages++;
    if (text_length > f->longest)
        f->longest = text_length;
    if (text_length < 1000) {
        pv_buffer_append(&f->seen, title, title_length);
        pv_buffer_byte(&f->seen, '=');
        pv_buffer_append(&f->seen, text, text_length);
        pv_buffer_byte(&f->seen, ';');
    }
    return f->answer;
}

/* Reads `xml` in pieces of `chunk` bytes. */
static psdvec_status read_dump(fixture *f, const char *xml, size_t chunk)
{
    f->seen.length = 0;
    f->pages = 0;
    pv_begin(f->ctx);
    pv_wiki_dump *dump = pv_wiki_dump_new(f->ctx, "test.xml", note_page, f);
    assert_non_null(dump);
    size_t length = strlen(xml);
    psdvec_status status = PSDVEC_OK;
    while (length > chunk && status == PSDVEC_OK) {
        status = pv_wiki_dump_feed(dump, xml, chunk, false);
        xml += chunk;
        length -= chunk;
    }
    if (status == PSDVEC_OK)
        status = pv_wiki_dump_feed(dump, xml, length, true);
    pv_wiki_dump_free(dump);
    return status;
}

static void assert_pages(fixture *f, const char *xml, const char *pages)
{
    assert_int_equal(read_dump(f, xml, SIZE_MAX), PSDVEC_OK);
    assert_int_equal(f->seen.length, strlen(pages));
    assert_memory_equal(f->seen.data, pages, strlen(pages));
}

static void assert_refused(fixture *f, const char *xml, const char *cause)
{
    assert_int_equal(read_dump(f, xml, SIZE_MAX), PSDVEC_ERR_DAMAGED);
    const char *message = psdvec_error_message(f->ctx);
    if (!strstr(message, cause) || !strstr(message, "test.xml"))
        fail_msg("\"%s\" names neither \"%s\" nor the file", message, cause);
}

static void test_articles_are_extracted_with_raw_markup(void **state)
{
    assert_pages(*state,
                 HEAD PAGE("A", "0", "'''a''' &lt;ref/&gt; &amp;nbsp;") PAGE("B", "0", "b\n\nc")
                     TAIL,
                 "A='''a''' <ref/> &nbsp;;B=b\n\nc;");
}

static void test_any_chunking_gives_the_same(void **state)
{
    fixture *f = *state;
    static const char xml[] = "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" HEAD PAGE(
        "Mühle", "0", "水車 &amp; <![CDATA[x]]>") PAGE("B", "0", "b") TAIL;
    for (size_t chunk = 1; chunk < 200; chunk += 1 + chunk / 8) {
        assert_int_equal(read_dump(f, xml, chunk), PSDVEC_OK);
        assert_int_equal(f->pages, 2);
        assert_memory_equal(f->seen.data, "Mühle=水車 & x;B=b;", f->seen.length);
    }
}

static void test_other_namespaces_are_skipped(void **state)
{
    assert_pages(*state,
                 HEAD PAGE("Talk:A", "1", "x") PAGE("A", "0", "a") PAGE("Template:B", "10", "y")
                     TAIL,
                 "A=a;");
}

static void test_redirects_are_skipped(void **state)
{
    assert_pages(*state,
                 HEAD "<page><title>R</title><ns>0</ns><redirect title=\"A\" /><revision>"
                      "<text>#REDIRECT [[A]]</text></revision></page>" PAGE("A", "0", "a") TAIL,
                 "A=a;");
}

static void test_the_last_revision_counts(void **state)
{
    assert_pages(*state,
                 HEAD
                 "<page><title>A</title><ns>0</ns><revision><text>old and longer</text></revision>"
                 "<revision><text>new</text></revision></page>" TAIL,
                 "A=new;");
}

static void test_other_content_is_skipped(void **state)
{
    assert_pages(*state,
                 HEAD "<page><title>Q1</title><ns>0</ns><revision><model>wikibase-item</model>"
                      "<text>{}</text></revision></page>" PAGE("A", "0", "a") TAIL,
                 "A=a;");
}

static void test_empty_and_deleted_texts_are_skipped(void **state)
{
    assert_pages(
        *state,
        HEAD PAGE("E", "0", "") "<page><title>D</title><ns>0</ns><revision>"
                                "<text deleted=\"deleted\" /></revision></page><page/>" TAIL,
        "");
}

static void test_without_namespace_numbers_titles_decide(void **state)
{
    assert_pages(*state,
                 HEAD
                 "<page><title>Talk:A</title><revision><text>t</text></revision></page>"
                 "<page><title>Test &amp; co:A</title><revision><text>p</text></revision></page>"
                 "<page><title>Mill: a tale</title><revision><text>m</text></revision></page>" TAIL,
                 "Mill: a tale=m;");
}

static void test_titles_and_texts_elsewhere_are_not_mistaken(void **state)
{
    assert_pages(*state,
                 HEAD "<title>no</title><text>no</text><page><title>A</title><ns>0</ns><revision>"
                      "<content><text>no</text></content><text>a<b>no</b></text></revision>"
                      "<upload><text>no</text></upload></page>" TAIL,
                 "A=a;");
}

static void test_malformed_xml_is_refused_with_position_and_cause(void **state)
{
    assert_refused(*state, HEAD "<page><title>A</titel></page>" TAIL, "mismatched tag at byte");
    assert_refused(*state, HEAD "\n\n<page>\x01</page>" TAIL, "line 5");
    assert_refused(*state, HEAD "<page>&undefined;</page>" TAIL, "undefined entity");
    assert_refused(*state, HEAD "<page><title>\xFF\xFE</title></page>" TAIL, "not well-formed");
    assert_refused(*state, HEAD TAIL "<again/>", "junk after document element");
    assert_refused(*state, "plain text", "not well-formed");
}

static void test_a_truncated_dump_is_refused_after_its_complete_pages(void **state)
{
    fixture *f = *state;
    assert_refused(f, HEAD PAGE("A", "0", "a") "<page><title>B", "the file is truncated");
    assert_int_equal(f->pages, 1);
    assert_refused(f, HEAD PAGE("A", "0", "a") "<page><ti", "the file is truncated");
    assert_refused(f, "", "the file is truncated");
}

static void test_xml_of_another_kind_is_refused(void **state)
{
    assert_refused(*state, "<html><body/></html>", "not a MediaWiki export");
}

static void test_entity_bombs_are_refused(void **state)
{
    assert_refused(*state,
                   "<!DOCTYPE mediawiki [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]>"
                   "<mediawiki><page><title>&b;</title></page></mediawiki>",
                   "document type");
    assert_refused(*state, "<!DOCTYPE mediawiki SYSTEM \"file:///etc/passwd\"><mediawiki/>",
                   "document type");
}

static void test_reading_stops_when_the_callback_fails(void **state)
{
    fixture *f = *state;
    f->answer = PSDVEC_ERR_DISK_FULL;
    static const char xml[] = HEAD PAGE("A", "0", "a") PAGE("B", "0", "b") TAIL;
    assert_int_equal(read_dump(f, xml, SIZE_MAX), PSDVEC_ERR_DISK_FULL);
    assert_int_equal(f->pages, 1);

    pv_wiki_dump *dump = pv_wiki_dump_new(f->ctx, "test.xml", note_page, f);
    assert_int_equal(pv_wiki_dump_feed(dump, xml, strlen(xml), false), PSDVEC_ERR_DISK_FULL);
    assert_int_equal(pv_wiki_dump_feed(dump, "more", 4, true), PSDVEC_ERR_DISK_FULL);
    assert_int_equal(f->pages, 2);
    pv_wiki_dump_free(dump);
}

static psdvec_status feed_many(pv_wiki_dump *dump, char byte, size_t bytes)
{
    static char block[1 << 16];
    memset(block, byte, sizeof block);
    while (bytes > 0) {
        size_t n = bytes < sizeof block ? bytes : sizeof block;
        PV_TRY(pv_wiki_dump_feed(dump, block, n, false));
        bytes -= n;
    }
    return PSDVEC_OK;
}

static psdvec_status feed_text(pv_wiki_dump *dump, const char *text, bool is_last)
{
    return pv_wiki_dump_feed(dump, text, strlen(text), is_last);
}

static void test_a_page_beyond_the_limit_is_skipped_with_a_warning(void **state)
{
    fixture *f = *state;
    static const char start[] = "<page><title>Huge</title><ns>0</ns><revision><text>";
    static const char end[] = "</text></revision></page>";
    pv_wiki_dump *dump = pv_wiki_dump_new(f->ctx, "test.xml", note_page, f);
    assert_int_equal(feed_text(dump, HEAD, false), PSDVEC_OK);
    assert_int_equal(feed_text(dump, start, false), PSDVEC_OK);
    assert_int_equal(feed_many(dump, 'x', PV_WIKI_PAGE_MAX), PSDVEC_OK);
    assert_int_equal(feed_text(dump, end, false), PSDVEC_OK);
    assert_int_equal(f->pages, 1);
    assert_int_equal(f->longest, PV_WIKI_PAGE_MAX);
    assert_int_equal(f->warnings.length, 0);

    assert_int_equal(feed_text(dump, start, false), PSDVEC_OK);
    assert_int_equal(feed_many(dump, 'x', PV_WIKI_PAGE_MAX + 1), PSDVEC_OK);
    assert_int_equal(feed_text(dump, end, false), PSDVEC_OK);
    assert_int_equal(feed_text(dump, PAGE("A", "0", "a") TAIL, true), PSDVEC_OK);
    assert_int_equal(f->pages, 2);
    assert_int_equal(pv_buffer_byte(&f->warnings, '\0'), PSDVEC_OK);
    assert_non_null(strstr(f->warnings.data, "Huge"));
    pv_wiki_dump_free(dump);
}

static void test_a_tag_without_end_does_not_fill_the_memory(void **state)
{
    fixture *f = *state;
    pv_wiki_dump *dump = pv_wiki_dump_new(f->ctx, "test.xml", note_page, f);
    assert_int_equal(feed_text(dump, HEAD "<page a=\"", false), PSDVEC_OK);
    assert_int_equal(feed_many(dump, 'x', (size_t)64 << 20), PSDVEC_ERR_DAMAGED);
    assert_non_null(strstr(psdvec_error_message(f->ctx), "tag"));
    pv_wiki_dump_free(dump);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void test_elements_are_not_nested_without_end(void **state)
{
    static char xml[16 + 3 * 101];
    strcpy(xml, "<mediawiki>");
    for (int depth = 1; depth < 100; depth++)
        strcat(xml, "<a>");
    assert_refused(*state, xml, "truncated");
    strcat(xml, "<a>");
    assert_refused(*state, xml, "nests more than 100 elements");
}

/* expat keeps the name of every element. */
static void test_the_memory_of_the_parser_counts(void **state)
{
    fixture *f = *state;
    psdvec_context_options options;
    psdvec_context *ctx;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = 1 << 20;
    assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
    pv_begin(ctx);
    uint64_t before = pv_memory_left(ctx);
    pv_wiki_dump *dump = pv_wiki_dump_new(ctx, "test.xml", note_page, f);
    assert_non_null(dump);
    psdvec_status status = pv_wiki_dump_feed(dump, "<mediawiki>", 11, false);
    int names = 0;
    for (; names < 100000 && status == PSDVEC_OK; names++) {
        char element[32];
        int length = snprintf(element, sizeof element, "<name%d/>", names);
        status = pv_wiki_dump_feed(dump, element, (size_t)length, false);
    }
    assert_int_equal(status, PSDVEC_ERR_BUDGET);
    assert_non_null(strstr(psdvec_error_message(ctx), "no memory for the XML parser"));
    assert_in_range(names, 1000, 20000);
    pv_wiki_dump_free(dump);
    assert_int_equal(pv_memory_left(ctx), before);
    psdvec_context_free(ctx);
}

static void test_a_cancelled_run_ends(void **state)
{
    (void)state;
    psdvec_context *ctx = NULL;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.should_cancel = always;
    assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
    pv_wiki_dump *dump = pv_wiki_dump_new(ctx, "test.xml", note_page, NULL);
    assert_non_null(dump);
    assert_int_equal(feed_text(dump, HEAD, false), PSDVEC_ERR_CANCELLED);
    pv_wiki_dump_free(dump);
    psdvec_context_free(ctx);
}

static bool sniff(const char *text)
{
    return pv_wiki_dump_looks_like(text, strlen(text));
}

static void test_dumps_are_recognised_by_their_start(void **state)
{
    (void)state;
    assert_true(sniff(HEAD));
    assert_true(sniff("\xEF\xBB\xBF<?xml version=\"1.0\"?>\r\n<!-- x --> <mediawiki>"));
    assert_false(sniff(""));
    assert_false(sniff("<mediawiki"));
    assert_false(sniff("<mediawikis>"));
    assert_false(sniff("text about <mediawiki>"));
    assert_false(sniff("<?xml <mediawiki>"));
    char late[2048];
    memset(late, ' ', sizeof late);
    memcpy(late + 1100, "<mediawiki>", 11);
    assert_false(pv_wiki_dump_looks_like(late, sizeof late));
    pv_wiki_dump_free(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_articles_are_extracted_with_raw_markup),
        TEST(test_any_chunking_gives_the_same),
        TEST(test_other_namespaces_are_skipped),
        TEST(test_redirects_are_skipped),
        TEST(test_the_last_revision_counts),
        TEST(test_other_content_is_skipped),
        TEST(test_empty_and_deleted_texts_are_skipped),
        TEST(test_without_namespace_numbers_titles_decide),
        TEST(test_titles_and_texts_elsewhere_are_not_mistaken),
        TEST(test_malformed_xml_is_refused_with_position_and_cause),
        TEST(test_a_truncated_dump_is_refused_after_its_complete_pages),
        TEST(test_xml_of_another_kind_is_refused),
        TEST(test_entity_bombs_are_refused),
        TEST(test_reading_stops_when_the_callback_fails),
        TEST(test_a_page_beyond_the_limit_is_skipped_with_a_warning),
        TEST(test_a_tag_without_end_does_not_fill_the_memory),
        TEST(test_elements_are_not_nested_without_end),
        TEST(test_the_memory_of_the_parser_counts),
        TEST(test_a_cancelled_run_ends),
        TEST(test_dumps_are_recognised_by_their_start),
    };
    return cmocka_run_group_tests_name("wiki dump", tests, NULL, NULL);
}
