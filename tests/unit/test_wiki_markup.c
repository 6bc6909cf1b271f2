/* Wiki markup -> prose: case by case what is kept, what is removed, and that broken and hostile
 * markup neither removes the article nor takes very long. */
#include "corpus/html_entities.h"
#include "corpus/wiki_markup.h"
#include "corpus/wiki_parts.h"

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
    options.memory = (uint64_t)512 << 20;
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

/* The markup is at the end of its block, so that sanitizers detect a read beyond it. */
static void assert_prose(void **state, const char *markup, const char *prose)
{
    size_t length = strlen(markup);
    char *exact = malloc(length + 1);
    assert_non_null(exact);
    memcpy(exact + 1, markup, length);
    pv_buffer out;
    pv_buffer_init(&out, *state);
    assert_int_equal(pv_wiki_markup_to_text(exact + 1, length, &out), PSDVEC_OK);
    assert_int_equal(pv_buffer_byte(&out, '\0'), PSDVEC_OK);
    assert_string_equal(out.data, prose);
    pv_buffer_free(&out);
    free(exact);
}

/* ---- Plain prose ----------------------------------------------------------------------------- */

static void test_plain_text_stays_as_it_is(void **state)
{
    assert_prose(state, "", "");
    assert_prose(state, "x", "x");
    assert_prose(state, "A mill stood here.", "A mill stood here.");
    assert_prose(state, "Größe, наука, 水車 & 100 % (all) of it!",
                 "Größe, наука, 水車 & 100 % (all) of it!");
}

static void test_blanks_collapse_and_none_are_left_at_the_ends(void **state)
{
    assert_prose(state, "  a   b \t c  ", "a b c");
    assert_prose(state, "\n\n a b\n\n\n\n", "a b");
    assert_prose(state, "a  {{x}}  b", "a b");
    assert_prose(state, "   ", "");
    assert_prose(state, "\r\na\r\n\r\nb\r\n", "a\nb");
    assert_prose(state, "a long line of some thirty bytes  then two spaces, twice  in all",
                 "a long line of some thirty bytes then two spaces, twice in all");
}

static void test_paragraphs_are_separated_by_one_newline(void **state)
{
    assert_prose(state, "One.\n\nTwo.\n\n\n\nThree.", "One.\nTwo.\nThree.");
}

static void test_a_single_newline_inside_a_paragraph_is_a_space(void **state)
{
    assert_prose(state, "wrapped\nprose\ngoes on", "wrapped prose goes on");
    assert_prose(state, "prose\n[[link]] text", "prose link text");
}

static void test_control_characters_are_blanks(void **state)
{
    assert_prose(state,
                 "a\x01\x02 b\x7F"
                 "c",
                 "a b c");
}

/* ---- Emphasis -------------------------------------------------------------------------------- */

static void test_quotes_for_bold_and_italics_are_removed(void **state)
{
    assert_prose(state, "'''Bold''' and ''italic'' and '''''both'''''.",
                 "Bold and italic and both.");
    assert_prose(state, "''''''", "");
}

static void test_apostrophes_stay(void **state)
{
    assert_prose(state, "the miller's wheel, 'quoted'", "the miller's wheel, 'quoted'");
    assert_prose(state, "d''''Anjou'''", "d'Anjou");
}

static void test_an_apostrophe_before_italics_is_distinguished_from_bold(void **state)
{
    assert_prose(state, "le titre de l'''aube'' est beau", "le titre de l'aube est beau");
    assert_prose(state, "'''gras''' puis d'''ici''", "gras puis d'ici");
}

/* ---- Links ----------------------------------------------------------------------------------- */

static void test_links_give_their_text(void **state)
{
    assert_prose(state, "a [[water mill]] and [[mill (grinding)|another]].",
                 "a water mill and another.");
    assert_prose(state, "[[mill]]s [[mill|wheel]]wright", "mills wheelwright");
    assert_prose(state, "[[#Section]] [[:Category:Mills]]", "Section Category:Mills");
    assert_prose(state, "[[a|''b'' [x] c]]", "b [x] c");
    assert_prose(state, "[[wikt:weir]] and [[wikt:weir|weirs]]", "weir and weirs");
    assert_prose(state, "[[Star: a tale]]", "Star: a tale");
}

static void test_the_pipe_trick_gives_the_bare_title(void **state)
{
    assert_prose(state, "[[Mill (grinding)|]], [[Help:Weir|]].", "Mill, Weir.");
}

static void test_files_are_removed_with_their_captions_in_many_languages(void **state)
{
    assert_prose(state,
                 "a [[File:Mill.jpg|thumb|200px|A [[mill]] at {{convert|2|m}} [http://x y]]] b",
                 "a b");
    assert_prose(state, "[[image:x.png]]a[[Datei:x.png|mini|Ein [[b]]]][[Fichier:x]][[Archivo:x]]",
                 "a");
    assert_prose(state, "[[Файл:x.jpg|мини|Текст]][[файл:y.jpg]]б", "б");
    assert_prose(state, "[[ファイル:x.jpg|thumb|説明]]水[[文件:x.jpg]][[Αρχείο:x.jpg]]", "水");
    assert_prose(state, "[[ File : x.jpg | thumb ]]a[[Tập_tin:x.jpg]]", "a");
}

static void test_categories_and_language_links_are_removed(void **state)
{
    assert_prose(state, "a [[Category:Mills]] [[Kategorie:Mühle|M]][[Категория:М]] [[de:Mühle]] b",
                 "a b");
    assert_prose(state, "[[zh-min-nan:x]][[simple:Mill]][[fr:Moulin]]", "");
    assert_prose(state, "a\n[[Category:X]]\n[[Category:Y]]\n", "a");
}

static void test_external_links_give_their_text_or_nothing(void **state)
{
    assert_prose(state, "see [https://example.org/a?b=c#d the site] now", "see the site now");
    assert_prose(state, "see [https://example.org/] now", "see now");
    assert_prose(state, "[//example.org plain] [mailto:a@b.c write]", "plain write");
    assert_prose(state, "[http://x.y ''it'' [[a|b]]]", "it b");
    assert_prose(state, "a [sic] and [...] stay", "a [sic] and [...] stay");
}

static void test_bare_addresses_are_removed(void **state)
{
    assert_prose(state, "at http://example.org/x_(y)?z=1, and https://b.c.", "at, and.");
    assert_prose(state, "(see http://example.org/x)", "(see)");
    assert_prose(state, "ratio 3:4 and a://b", "ratio 3:4 and a://b");
}

/* ---- Templates ------------------------------------------------------------------------------- */

static void test_nested_templates_are_removed(void **state)
{
    assert_prose(state, "a {{x}} b", "a b");
    assert_prose(state, "{{Infobox\n| a = {{b|{{c}}|d=[[e|f]]}}\n| g = {{{h|}}}\n}}\nProse.",
                 "Prose.");
    assert_prose(state, "{{{1|{{{2|}}}}}}a{{{{{1}}}}}", "a");
    assert_prose(state, "x{{a|<nowiki>}}</nowiki>}}y{{b|<!-- }} -->}}z", "xyz");
    assert_prose(state, "{{a|<math>\\frac{1}{{x}}}</math>}}b", "b");
    assert_prose(state, "{{a|[[b}} c", "c");
}

static void test_the_text_of_prose_templates_is_kept(void **state)
{
    assert_prose(state, "the {{lang|fr|''moulin'' [[a|à]] eau}}.", "the moulin à eau.");
    assert_prose(state, "{{transl|ru|ISO|melnica}} {{transl|ru|mel}}", "melnica mel");
    assert_prose(state, "{{nowrap|10 men}} {{Nobr|a b}} {{small|c}} {{abbr|St|Saint}}",
                 "10 men a b c St");
    assert_prose(state, "{{nihongo|Water mill|水車|suisha}} x", "Water mill x");
    assert_prose(state, "{{w|mill|mills}} {{w|mill}}", "mills mill");
    assert_prose(state, "{{lang|fr|1=x|2=mot}} {{lang|2=mot|1=fr}}", "mot mot");
    assert_prose(state, "{{lang|fr|{{nowrap|a {{small|b}}}} c}}", "a b c");
    assert_prose(state, "{{formatnum:6000}} ha, 5{{nbsp}}km, a{{snd}}b{{'s}}",
                 "6000 ha, 5 km, a \xE2\x80\x93 b's");
    assert_prose(state, "{{LANG|fr|x}}{{ lang |fr|y}}", "xy");
}

static void test_quotation_templates_give_a_paragraph(void **state)
{
    assert_prose(state, "He said: {{quote|The [[mill]] turns.|author=B}} Then",
                 "He said:\nThe mill turns. Then");
    assert_prose(state, "{{blockquote|text=It = turns.|source=x}}", "It = turns.");
}

static void test_measures_give_number_and_unit(void **state)
{
    assert_prose(state, "{{convert|1,300|mi|km|abbr=on}} long", "1,300 mi long");
    assert_prose(state, "{{convert|5|to|6|km}}, {{cvt|2|x|3|m}}", "5 to 6 km, 2 x 3 m");
    assert_prose(state, "{{unité|12|hectares}} {{nombre|7}}", "12 hectares 7");
}

static void test_brackets_and_commas_around_dropped_templates_are_removed(void **state)
{
    assert_prose(state, "The mill ({{IPA|x}}) turns", "The mill turns");
    assert_prose(state, "The mill ({{IPA|x}}; {{lang-fr|y}}) turns", "The mill turns");
    assert_prose(state, "The mill (''{{x}}'', {{y}}), old", "The mill, old");
    assert_prose(state, "Anna ({{x}}; born 1900) was", "Anna (born 1900) was");
    assert_prose(state, "Anna (born 1900 {{x}}) was", "Anna (born 1900) was");
    assert_prose(state, "At {{x}}, she", "At, she");
    assert_prose(state, "水車（{{lang-en|x}}）は", "水車は");
    assert_prose(state, "水車（{{lang-en|x}}） は", "水車 は");
    assert_prose(state, "call f() and g(x)", "call f() and g(x)");
}

/* ---- References, tags, tables ---------------------------------------------------------------- */

static void test_references_are_removed(void **state)
{
    assert_prose(state, "a.<ref>Smith, p. 3.</ref> b", "a. b");
    assert_prose(state, "a<ref name=\"x/y\" group=n>{{cite|a}} [[b]]</ref><ref name=x /> b", "a b");
    assert_prose(state, "a<REF>x</Ref >.<ref>see <nowiki/>http://x</ref>", "a.");
    assert_prose(state, "a<references><ref name=b>c</ref></references>", "a");
    assert_prose(state, "a<references />b</ref>", "ab");
}

static void test_an_unclosed_reference_does_not_swallow_the_next_paragraphs(void **state)
{
    assert_prose(state, "a.<ref>b\n\nProse c.<ref>d</ref> e\n\nf", "a.b\nProse c. e\nf");
    assert_prose(state, "a.<ref name=x <ref>d</ref> e", "a. e");
    assert_prose(state, "a <ref", "a");
}

static void test_comments_are_removed(void **state)
{
    assert_prose(state, "mi<!-- hidden [[ {{ -->ll", "mill");
    assert_prose(state, "a\n<!-- x\n\ny -->\n== H ==\nb", "a\nb");
    assert_prose(state, "a <!-- never closed\nb", "a b");
    assert_prose(state, "<!-- x -->* item", "item");
}

static void test_tags_are_removed_and_their_text_is_kept(void **state)
{
    assert_prose(state, "H<sub>2</sub>O, <b>bold</b> <span style=\"color:red\">red</span>",
                 "H2O, bold red");
    assert_prose(state, "one<br>two<BR />three", "one two three");
    assert_prose(state, "<div class=x>one</div><p>two</p>three", "one\ntwo\nthree");
    assert_prose(state, "<blockquote>said</blockquote>", "said");
    assert_prose(state, "<poem>\none\ntwo\n</poem>", "one two");
}

static void test_signs_that_are_not_tags_are_kept(void **state)
{
    assert_prose(state, "x < y, 3<5, a <b, c, <unknown>", "x < y, 3<5, a <b, c, <unknown>");
}

static void test_the_content_of_code_formulas_and_pictures_is_removed(void **state)
{
    assert_prose(state, "a <math>x^2</math> b <code>int x;</code> c <chem>H2O</chem>", "a b c");
    assert_prose(state, "a<syntaxhighlight lang=c>\nif (a[[0]]) {{\n</syntaxhighlight>b", "ab");
    assert_prose(state, "a<source>}}</source><pre>x</pre><gallery>\nF.jpg|x\n</gallery>b", "ab");
    assert_prose(state,
                 "a<style>p{}</style><script>x</script><timeline>y</timeline>"
                 "<score>z</score><imagemap>w</imagemap>b",
                 "ab");
    assert_prose(state, "a <math>unclosed b", "a unclosed b");
}

static void test_nowiki_is_literal(void **state)
{
    assert_prose(state, "<nowiki>[[a]] '''b''' {{c}}</nowiki>", "[[a]] '''b''' {{c}}");
    assert_prose(state, "a<nowiki/>b <nowiki>&lt;  x</nowiki>", "ab < x");
}

static void test_tables_are_removed(void **state)
{
    assert_prose(state, "a\n{| class=\"wikitable\"\n! h !! i\n|-\n| 1 || colspan=\"2\"|-\n|}\nb",
                 "a\nb");
    assert_prose(state, "a\n{|\n| x\n{|\n| y\n|}\n| z\n|}\nb", "a\nb");
    assert_prose(state, ":{|\n| {{x\n|y=1\n|}}\n|}\nb", "b");
    assert_prose(state, "{{box|\n{|\n| x\n|}\n}}b", "b");
    assert_prose(state, "a<table><tr><td>x<table>y</table></td></tr></table>b", "a\nb");
}

static void test_remains_of_broken_tables_are_removed(void **state)
{
    assert_prose(state, "a\n{| class=x\n! h\n| 1\n|-\n\nProse.", "a\nProse.");
    assert_prose(state, "a\n|-\n| style=x | y\n|}\nb", "a\nb");
    assert_prose(state, "!Kung speakers", "!Kung speakers");
    /* The number ends at the bar, in the middle of the opening of the table. */
    assert_prose(state, "{{formatnum:\n{|}} Prose.", "Prose.");
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void test_headings_are_removed_and_their_sections_are_kept(void **state)
{
    assert_prose(state, "a\n== History ==\nb\n===Early===\nc", "a\nb\nc");
    assert_prose(state, "== H == <!-- x -->\na\n==H==<ref>x\ny</ref>\nb\n= T =\nc", "a\nb\nc");
    assert_prose(state, "== References ==\nkept", "kept");
    assert_prose(state, "== H == tail", "tail");
    assert_prose(state, "a = b\n=c", "a = b\nc");
}

static void test_lists_and_indents_give_their_items(void **state)
{
    assert_prose(state, "* one\n** two\n# three\n#* four\n:five\n; term : six",
                 "one\ntwo\nthree\nfour\nfive\nterm : six");
    assert_prose(state, "* one\nprose", "one\nprose");
}

static void test_rules_magic_words_and_signatures_are_removed(void **state)
{
    assert_prose(state, "a\n----\nb\n-----c", "a\nb\nc");
    assert_prose(state, "__NOTOC__a __INDEX__ b\n__KEIN_INHALT", "a b __KEIN_INHALT");
    assert_prose(state, "a ~~~~ b ~ c", "a b ~ c");
}

static void test_language_variants_give_the_first(void **state)
{
    assert_prose(state, "-{zh-hans:水车;zh-hant:水車;}-转", "水车转");
    assert_prose(state, "-{水}- -{H|zh-hans:x;zh-hant:y}-a", "水 a");
    assert_prose(state, "-{[[a|b]] c}-", "b c");
    assert_prose(state, "x -{ y", "x -{ y");
}

static void test_redirects_give_nothing(void **state)
{
    assert_prose(state, "#REDIRECT [[Mill]]", "");
    assert_prose(state, " #redirect: [[Mill]] {{R}}", "");
    assert_prose(state, "#WEITERLEITUNG [[Mühle]]", "");
    assert_prose(state, "#ПЕРЕНАПРАВЛЕНИЕ [[М]]", "");
    assert_prose(state, "# first\n# second", "first\nsecond");
}

/* ---- Entities -------------------------------------------------------------------------------- */

static void test_entities_are_decoded(void **state)
{
    assert_prose(state, "caf&eacute; &#233;&#xE9; &Eacute; &alpha;&Omega; &ndash; &hellip;",
                 "café éé É αΩ – …");
    assert_prose(state, "a&nbsp;b&thinsp;c &#32; d", "a b c d");
    assert_prose(state, "&lt;ref&gt; &amp; &quot;x&quot; &apos;", "<ref> & \"x\" '");
    assert_prose(state, "AT&T &unknown; &; &#; &#xZZ; &#0; &#55296; &#9999999999;",
                 "AT&T &unknown; &; &#; &#xZZ; &#0; &#55296; &#9999999999;");
    assert_prose(state, "co&shy;operate &#150; &#x1F600;",
                 "cooperate \xE2\x80\x93 \xF0\x9F\x98\x80");
}

static void test_doubly_encoded_entities_are_decoded(void **state)
{
    assert_prose(state, "a&amp;nbsp;b &amp;eacute; &amp;amp; &amp;#233;", "a b é & é");
}

static void test_every_named_entity_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t code;
    } some[] = {{"&AElig;", 0xC6}, {"&zwnj;", 0x200C}, {"&euro;", 0x20AC}, {"&yuml;", 0xFF},
                {"&Zeta;", 0x396}, {"&lt;", '<'},      {"&le;", 0x2264},   {"&lang;", 0x2329},
                {"&sup2;", 0xB2},  {"&sup;", 0x2283},  {"&supe;", 0x2287}, {"&ni;", 0x220B},
                {"&not;", 0xAC},   {"&notin;", 0x2209}};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        uint32_t code = 0;
        assert_int_equal(pv_html_entity(some[i].text, strlen(some[i].text), &code),
                         strlen(some[i].text));
        assert_int_equal(code, some[i].code);
        assert_int_equal(pv_html_entity(some[i].text, strlen(some[i].text) - 1, &code), 0);
    }
}

/* ---- The scanning kernels -------------------------------------------------------------------- */

static void assert_kernels_agree(const char *text, size_t length)
{
    assert_int_equal(pv_wiki_structural_span(text, length),
                     pv_wiki_structural_span_plain(text, length));
    assert_int_equal(pv_wiki_prose_span(text, length), pv_wiki_prose_span_plain(text, length));
}

/* Every byte at every position of three blocks of 16 and at every distance from the first; followed
 * by the bytes that matter to a space. */
static void test_fast_and_portable_scans_agree(void **state)
{
    (void)state;
    enum { LENGTH = 3 * 16 + 1 };
    static const char after[] = {'x', ' ', '\n', 0x1F, '!', (char)0xA0};
    char *text = malloc(LENGTH);
    assert_non_null(text);
    for (int byte = 0; byte < 256; byte++) {
        for (size_t place = 0; place < LENGTH; place++) {
            for (size_t i = 0; i < sizeof after; i++) {
                memset(text, 'x', LENGTH);
                text[place] = (char)byte;
                if (place + 1 < LENGTH)
                    text[place + 1] = after[i];
                for (size_t from = 0; from <= place && from < 17; from++)
                    assert_kernels_agree(text + from, LENGTH - from);
            }
        }
    }
    free(text);
}

/* Bytes that differ from a special one by one bit, and sometimes a special one. */
static void test_fast_scans_stop_at_the_first_of_several(void **state)
{
    (void)state;
    static const char bytes[] = "abcxyz,.(\"^`%*;9\\@\x80\xA0\xDB\xFB\xFD\xFF<[]{}&'):_|~ \n\x7F";
    enum { LENGTH = 80, HARMLESS = 24 /* the number of ordinary bytes at the start */ };
    char *text = malloc(LENGTH);
    assert_non_null(text);
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        size_t brackets = LENGTH;
        for (size_t i = LENGTH; i-- > 0;) {
            random = random * 1664525 + 1013904223;
            size_t kinds = random >> 28 ? HARMLESS : sizeof bytes - 1;
            text[i] = bytes[(random >> 8) % kinds];
            if (memchr("<[]{}", text[i], 5))
                brackets = i;
        }
        assert_int_equal(pv_wiki_structural_span(text, LENGTH), brackets);
        for (size_t from = 0; from < LENGTH; from += 1 + from % 7)
            assert_kernels_agree(text + from, LENGTH - from);
    }
    free(text);
}

/* ---- Broken and hostile markup --------------------------------------------------------------- */

static void test_unbalanced_brackets_do_not_swallow_the_article(void **state)
{
    assert_prose(state, "a [[b c\n\nd", "a b c\nd");
    assert_prose(state, "a b]] c}} d", "a b c d");
    assert_prose(state, "{{Infobox\n| a = b\n| c = d\n\nProse.\n\nMore.", "Prose.\nMore.");
    assert_prose(state, "a [[File:x.jpg|thumb|never closed\nb", "a b");
    assert_prose(state, "{{a {{b}} c\nd", "d");
    assert_prose(state, "the set {{1, 2}, 3} is", "the set 1, 2}, 3} is");
    assert_prose(state, "[[a]", "a]");
    assert_prose(state, "a |} b", "a } b");
}

static void test_output_is_appended(void **state)
{
    pv_buffer out;
    pv_buffer_init(&out, *state);
    assert_int_equal(pv_buffer_text(&out, "first ("), PSDVEC_OK);
    assert_int_equal(pv_wiki_markup_to_text("{{x}}) http://x b", 17, &out), PSDVEC_OK);
    assert_int_equal(pv_buffer_byte(&out, '\0'), PSDVEC_OK);
    assert_string_equal(out.data, "first () b");
    pv_buffer_free(&out);
}

static void repeat(pv_buffer *to, const char *piece, size_t times)
{
    for (size_t i = 0; i < times; i++)
        assert_int_equal(pv_buffer_text(to, piece), PSDVEC_OK);
}

/* If any of these took quadratic time, a megabyte would take hours. The last word must remain where
 * nothing encloses it. */
static void test_a_megabyte_of_openers_takes_linear_time(void **state)
{
    static const char *const pieces[] = {"{{",
                                         "[[",
                                         "<ref",
                                         "<ref>",
                                         "'''",
                                         "''",
                                         "{{{",
                                         "{|\n",
                                         "\n|}",
                                         "<!--",
                                         "<math>",
                                         "<b",
                                         "<table>",
                                         "[http://",
                                         "http://",
                                         "&",
                                         "&#0",
                                         "&amp;",
                                         "__",
                                         "(",
                                         "(;",
                                         "-{",
                                         "-{a:",
                                         "=<b>",
                                         "==",
                                         "=\n",
                                         "{{lang|a|",
                                         "{{quote|",
                                         "[[a|",
                                         "[[File:",
                                         "[[a:b",
                                         "<ref>\n\n",
                                         "{{\n\n",
                                         "<nowiki>",
                                         "<!-- -->",
                                         "}}",
                                         "]]",
                                         "|",
                                         "\n",
                                         "~~~",
                                         "<ref/>",
                                         "= x [[a|\n",
                                         "''b''{{lang|x|''a''}}",
                                         "[[a]]",
                                         "{{x}}",
                                         "\n*",
                                         ";:",
                                         "{{convert|"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        pv_buffer markup, out;
        pv_buffer_init(&markup, *state);
        pv_buffer_init(&out, *state);
        repeat(&markup, pieces[i], (1 << 20) / strlen(pieces[i]));
        repeat(&markup, "\n\nend of it", 1);
        assert_int_equal(pv_wiki_markup_to_text(markup.data, markup.length, &out), PSDVEC_OK);
        assert_true(out.length <= markup.length);
        assert_true(out.length >= 9);
        assert_memory_equal(out.data + out.length - 9, "end of it", 9);
        pv_buffer_free(&markup);
        pv_buffer_free(&out);
    }
}

static void test_deep_nesting_is_handled(void **state)
{
    static const struct {
        const char *open, *close;
    } pairs[] = {{"{{", "}}"},         {"[[a|", "]]"},      {"{{lang|a|", "}}"},     {"{", "}"},
                 {"[", "]"},           {"{|\n", "\n|}"},    {"<table>", "</table>"}, {"-{", "}-"},
                 {"= x [[a|\n", "]]"}, {"<ref>", "</ref>"}, {"{{quote|{{x|", "}}}}"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        pv_buffer markup, out;
        pv_buffer_init(&markup, *state);
        pv_buffer_init(&out, *state);
        repeat(&markup, pairs[i].open, 100000);
        repeat(&markup, pairs[i].close, 100000);
        repeat(&markup, "\n\nend of it", 1);
        assert_int_equal(pv_wiki_markup_to_text(markup.data, markup.length, &out), PSDVEC_OK);
        assert_true(out.length >= 9);
        assert_memory_equal(out.data + out.length - 9, "end of it", 9);
        pv_buffer_free(&markup);
        pv_buffer_free(&out);
    }
}

static void test_unclosed_references_before_a_closed_one_are_handled(void **state)
{
    pv_buffer markup, out;
    pv_buffer_init(&markup, *state);
    pv_buffer_init(&out, *state);
    repeat(&markup, "<ref>", 200000);
    repeat(&markup, "\n\n<ref>x</ref>", 1);
    repeat(&markup, "<ref/>", 200000);
    repeat(&markup, "end", 1);
    assert_int_equal(pv_wiki_markup_to_text(markup.data, markup.length, &out), PSDVEC_OK);
    assert_int_equal(out.length, 3);
    pv_buffer_free(&markup);
    pv_buffer_free(&out);
}

static void test_every_truncation_of_an_article_is_handled(void **state)
{
    static const char article[] =
        "{{Box|a={{b}}|c=[[d]]}}\n'''Weir''' (''{{x}}'') is a [[dam|low dam]].<ref name=a>{{cite|"
        "url=http://x.y}}</ref>\n\n== H ==\n* one &eacute; [[File:a.jpg|thumb|b [[c]]]]\n{|\n| x\n|}\n"
        "<nowiki>[[</nowiki> -{zh:a;b:c}- {{lang|fr|l'''eau''}} [http://x y] __TOC__ ~~~~ H<sub>2";
    for (size_t start = 0; start < sizeof article; start++)
        for (size_t length = 0; start + length < sizeof article; length++) {
            char *exact = malloc(length + 1);
            assert_non_null(exact);
            memcpy(exact + 1, article + start, length);
            pv_buffer out;
            pv_buffer_init(&out, *state);
            assert_int_equal(pv_wiki_markup_to_text(exact + 1, length, &out), PSDVEC_OK);
            assert_true(out.length <= length);
            if (out.length) {
                assert_true((unsigned char)out.data[0] > ' ');
                assert_true((unsigned char)out.data[out.length - 1] > ' ');
            }
            pv_buffer_free(&out);
            free(exact);
        }
}

static void test_too_small_a_memory_budget_is_reported(void **state)
{
    (void)state;
    psdvec_context *ctx = NULL;
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1;
    options.memory = 32 << 20;
    assert_int_equal(psdvec_context_new(&options, &ctx), PSDVEC_OK);
    size_t length = (size_t)30 << 20;
    char *markup = malloc(length);
    assert_non_null(markup);
    memset(markup, '[', length);
    pv_buffer out;
    pv_buffer_init(&out, ctx);
    assert_int_equal(pv_wiki_markup_to_text(markup, length, &out), PSDVEC_ERR_BUDGET);
    assert_int_equal(out.length, 0);
    pv_buffer_free(&out);
    free(markup);
    psdvec_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_text_stays_as_it_is),
        cmocka_unit_test(test_blanks_collapse_and_none_are_left_at_the_ends),
        cmocka_unit_test(test_paragraphs_are_separated_by_one_newline),
        cmocka_unit_test(test_a_single_newline_inside_a_paragraph_is_a_space),
        cmocka_unit_test(test_control_characters_are_blanks),
        cmocka_unit_test(test_quotes_for_bold_and_italics_are_removed),
        cmocka_unit_test(test_apostrophes_stay),
        cmocka_unit_test(test_an_apostrophe_before_italics_is_distinguished_from_bold),
        cmocka_unit_test(test_links_give_their_text),
        cmocka_unit_test(test_the_pipe_trick_gives_the_bare_title),
        cmocka_unit_test(test_files_are_removed_with_their_captions_in_many_languages),
        cmocka_unit_test(test_categories_and_language_links_are_removed),
        cmocka_unit_test(test_external_links_give_their_text_or_nothing),
        cmocka_unit_test(test_bare_addresses_are_removed),
        cmocka_unit_test(test_nested_templates_are_removed),
        cmocka_unit_test(test_the_text_of_prose_templates_is_kept),
        cmocka_unit_test(test_quotation_templates_give_a_paragraph),
        cmocka_unit_test(test_measures_give_number_and_unit),
        cmocka_unit_test(test_brackets_and_commas_around_dropped_templates_are_removed),
        cmocka_unit_test(test_references_are_removed),
        cmocka_unit_test(test_an_unclosed_reference_does_not_swallow_the_next_paragraphs),
        cmocka_unit_test(test_comments_are_removed),
        cmocka_unit_test(test_tags_are_removed_and_their_text_is_kept),
        cmocka_unit_test(test_signs_that_are_not_tags_are_kept),
        cmocka_unit_test(test_the_content_of_code_formulas_and_pictures_is_removed),
        cmocka_unit_test(test_nowiki_is_literal),
        cmocka_unit_test(test_tables_are_removed),
        cmocka_unit_test(test_remains_of_broken_tables_are_removed),
        cmocka_unit_test(test_headings_are_removed_and_their_sections_are_kept),
        cmocka_unit_test(test_lists_and_indents_give_their_items),
        cmocka_unit_test(test_rules_magic_words_and_signatures_are_removed),
        cmocka_unit_test(test_language_variants_give_the_first),
        cmocka_unit_test(test_redirects_give_nothing),
        cmocka_unit_test(test_entities_are_decoded),
        cmocka_unit_test(test_doubly_encoded_entities_are_decoded),
        cmocka_unit_test(test_every_named_entity_is_found),
        cmocka_unit_test(test_fast_and_portable_scans_agree),
        cmocka_unit_test(test_fast_scans_stop_at_the_first_of_several),
        cmocka_unit_test(test_unbalanced_brackets_do_not_swallow_the_article),
        cmocka_unit_test(test_output_is_appended),
        cmocka_unit_test(test_a_megabyte_of_openers_takes_linear_time),
        cmocka_unit_test(test_deep_nesting_is_handled),
        cmocka_unit_test(test_unclosed_references_before_a_closed_one_are_handled),
        cmocka_unit_test(test_every_truncation_of_an_article_is_handled),
        cmocka_unit_test(test_too_small_a_memory_budget_is_reported),
    };
    return cmocka_run_group_tests_name("wiki markup", tests, set_up, tear_down);
}
