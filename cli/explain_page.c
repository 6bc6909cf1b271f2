/* psdvec explain --html: one file, without a network and nearly without a script. Words are shaded
 * by surprise; the one under the pointer or the focus opens a panel with what each word before it
 * adds. The panel is style alone; the script only marks those words in the text and moves the
 * focus with the arrows. Towards and away differ in sign and in colour; shades of surprise are of
 * one colour, and what is marked is also underlined. On paper the panel is left out, and the table
 * of all words says the same. */
#include "explain.h"
#include "human.h"
#include "page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root { --shade: 117, 81, 168; --most: 0.5; }\n"
    "@media (prefers-color-scheme: dark) { :root { --shade: 166, 130, 222; } }\n"
    "body { padding-bottom: 40vh; }\n"
    ".text { font-size: 1.25rem; line-height: 2.1; }\n"
    ".w { display: inline-block; padding: 0 .2rem; margin: 0 .05rem; border-radius: .25rem;"
    " line-height: 1.5; border-bottom: 3px solid transparent; cursor: default; background:"
    " rgba(var(--shade), calc(var(--s, 0) * var(--most))); }\n"
    ".w.high { text-decoration: underline dotted; text-underline-offset: .2em; }\n"
    ".w.unknown { color: var(--soft); font-style: italic; }\n"
    ".w:focus { outline: 2px solid var(--ink); outline-offset: 1px; }\n"
    ".w.plus { border-bottom-color: var(--plus); }\n"
    ".w.minus { border-bottom-color: var(--minus); border-bottom-style: dashed; }\n"
    ".panel { display: none; position: fixed; left: 0; right: 0; bottom: 0; z-index: 1;"
    " max-height: 38vh; overflow: auto; padding: .75rem 1.25rem; background: var(--panel);"
    " border-top: 1px solid var(--line); font-size: .9rem; line-height: 1.4; cursor: auto; }\n"
    ".w:focus > .panel, .w:focus-within > .panel, .w:hover > .panel { display: block; }\n"
    ".w:hover > .panel { z-index: 2; }\n"
    ".panel > div { max-width: 60rem; margin: 0 auto; }\n"
    "td.list { text-align: left; }\n"
    ".plus-text { color: var(--plus); } .minus-text { color: var(--minus); }\n"
    "@media print { body { padding-bottom: 0; } .panel { display: none !important; }"
    " .w, .key { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }\n";

static const char script[] =
    "(function () {\n"
    "  var words = Array.prototype.slice.call(document.querySelectorAll('.w'));\n"
    "  function mark(word, on) {\n"
    "    word.querySelectorAll('tr[data-of]').forEach(function (row) {\n"
    "      var other = document.getElementById('w' + row.dataset.of);\n"
    "      if (other) other.classList.toggle(row.dataset.sign, on);\n"
    "    });\n"
    "  }\n"
    "  words.forEach(function (word, k) {\n"
    "    word.addEventListener('mouseenter', function () { mark(word, true); });\n"
    "    word.addEventListener('mouseleave', function () { mark(word, false); });\n"
    "    word.addEventListener('focus', function () { mark(word, true); });\n"
    "    word.addEventListener('blur', function () { mark(word, false); });\n"
    "    word.addEventListener('keydown', function (event) {\n"
    "      var step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;\n"
    "      if (event.key === 'Escape') word.blur();\n"
    "      if (step && words[k + step]) words[k + step].focus();\n"
    "    });\n"
    "  });\n"
    "})();\n";

static void escape_word(struct buffer *to, const struct explain *e, uint32_t word)
{
    size_t length;
    const char *text = psdvec_model_word(e->scoring.models[0], word, &length);
    page_escape(to, text, length);
}

/* A signed figure in its colour, with a true minus sign. */
static void add_figure(struct buffer *to, double number)
{
    bool none = fabs(number) < 0.005;
    buffer_format(to, "<span class=\"%s\">%s%.2f</span>",
                  none         ? ""
                  : number > 0 ? "plus-text"
                               : "minus-text",
                  none         ? ""
                  : number > 0 ? "+"
                               : "\xe2\x88\x92",
                  fabs(none ? 0 : number));
}

static void add_cell(struct buffer *to, double number)
{
    buffer_text(to, "<td>");
    add_figure(to, number);
    buffer_text(to, "</td>");
}

/* ---- A word ------------------------------------------------------------------------------ */

static void add_panel(struct buffer *to, const struct explain *e, const psdvec_word_score *word,
                      const psdvec_influence *ranked)
{
    buffer_text(to, "<div class=\"panel\"><div><b>");
    page_escape(to, word->text, word->length);
    buffer_format(to, "</b>: %.2f bits of surprise = %.2f alone, pull ", bits(word->conditional),
                  bits(word->unigram));
    add_figure(to, explain_pull(word));
    buffer_format(to, ", norm %+.2f", explain_norm(word));
    if (!word->influence_count) {
        buffer_text(to, "<br>No known word stands before it in the window.</div></div>");
        return;
    }
    buffer_text(to, "<table><thead><tr><th scope=\"col\">word before it</th>"
                    "<th scope=\"col\">pull</th><th scope=\"col\">vectors</th>");
    if (e->counted)
        buffer_text(to, "<th scope=\"col\">residual</th>");
    buffer_text(to, "<th scope=\"col\">shift</th><th scope=\"col\">weight</th>"
                    "<th scope=\"col\">distance</th></tr></thead><tbody>");
    for (size_t k = 0; k < word->influence_count; k++) {
        const psdvec_influence *influence = &ranked[k];
        struct parts parts = explain_parts(e, influence);
        buffer_format(to, "<tr data-of=\"%" PRIu64 "\" data-sign=\"%s\"><th scope=\"row\">",
                      influence->place, parts.added < 0 ? "minus" : "plus");
        escape_word(to, e, influence->word);
        buffer_text(to, "</th>");
        add_cell(to, parts.added);
        add_cell(to, parts.vectors);
        if (e->counted)
            add_cell(to, parts.residual);
        add_cell(to, parts.shift);
        buffer_format(to, "<td>%.3g</td><td>%" PRIu64 "</td></tr>", influence->weight,
                      word->place - influence->place);
    }
    buffer_text(to, "</tbody></table></div></div>");
}

static void add_row(struct buffer *to, const struct explain *e, const psdvec_word_score *word,
                    const psdvec_influence *ranked)
{
    buffer_text(to, "<tr><th scope=\"row\">");
    page_escape(to, word->text, word->length);
    if (!word->known) {
        buffer_text(to, "</th><td colspan=\"4\">not in the model</td><td></td></tr>\n");
        return;
    }
    buffer_format(to, "</th><td>%.2f</td>", bits(word->unigram));
    add_cell(to, explain_pull(word));
    buffer_format(to, "<td>%+.2f</td><td><b>%.2f</b></td><td class=\"list\">", explain_norm(word),
                  bits(word->conditional));
    for (size_t k = 0; k < word->influence_count && k < e->most; k++) {
        buffer_text(to, k ? ", " : "");
        escape_word(to, e, ranked[k].word);
        buffer_char(to, ' ');
        add_figure(to, explain_parts(e, &ranked[k]).added);
    }
    buffer_text(to, "</td></tr>\n");
}

void explain_page_word(struct explain *e, const psdvec_word_score *word)
{
    struct buffer *to = &e->text;
    psdvec_influence *ranked = word->known ? explain_ranked(word) : NULL;
    double surprise = word->known ? bits(word->conditional) : 0;
    double shade = e->surprising > 0 ? surprise / e->surprising : 1;
    buffer_format(to, "<div class=\"w%s\" id=\"w%" PRIu64 "\" tabindex=\"0\"",
                  !word->known                ? " unknown"
                  : surprise >= e->surprising ? " high"
                                              : "",
                  word->place);
    if (word->known)
        buffer_format(to, " style=\"--s: %.3f\">", shade > 1 ? 1 : shade < 0 ? 0 : shade);
    else
        buffer_text(to, " title=\"not in the model\">");
    page_escape(to, word->text, word->length);
    if (word->known)
        add_panel(to, e, word, ranked);
    buffer_text(to, "</div>\n");
    add_row(&e->table, e, word, ranked);
    free(ranked);
}

/* ---- The page ------------------------------------------------------------------------------ */

static void add_summary(struct buffer *to, const struct explain *e, const psdvec_document_score *d)
{
    struct buffer path = {0};
    page_text(&path, e->run->arguments->operands[0]);
    buffer_text(to, "<p>");
    human_count(to, d->known);
    buffer_text(to, " of ");
    human_count(to, d->words);
    buffer_format(to, " words known to %s", buffer_get(&path));
    if (d->known) {
        buffer_text(to, ". Perplexity ");
        add_number(to, perplexity(d->fits[0].conditional, d->known));
        buffer_text(to, ", of the words by themselves ");
        add_number(to, perplexity(d->fits[0].unigram, d->known));
        char *weights = scoring_weights(&e->scoring);
        buffer_format(to, ". %s", weights);
        free(weights);
    }
    buffer_text(to,
                e->counted ? ", with residuals from counts.</p>\n" : ", without residuals.</p>\n");
    buffer_free(&path);
}

void explain_page(struct buffer *to, const struct explain *e, const psdvec_document_score *d)
{
    page_head(to, "psdvec explain", style);
    buffer_text(to, "<h1>How expected is each word?</h1>\n");
    add_summary(to, e, d);
    buffer_text(to,
                "<p>The more a word is shaded, the more it surprises; dotted lines are under "
                "words less likely than one drawn blindly. Point at a word, or go to it with Tab "
                "and the arrows, to see what the words before it add: <span class=\"plus-text\">+ "
                "pulls towards it</span>, <span class=\"minus-text\">\xe2\x88\x92 pushes away from "
                "it</span>.</p>\n<div class=\"text\">\n");
    buffer_add(to, buffer_get(&e->text), e->text.length);
    buffer_text(to, "</div>\n<h2>Word by word</h2>\n<p>In bits: surprise = alone \xe2\x88\x92 pull "
                    "+ norm. alone: how surprising the word is by itself. pull: what the words "
                    "before it add. norm: what they add to all words.</p>\n"
                    "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">word</th>"
                    "<th scope=\"col\">alone</th><th scope=\"col\">pull</th>"
                    "<th scope=\"col\">norm</th><th scope=\"col\">surprise</th>"
                    "<th scope=\"col\">pulled by</th></tr></thead>\n<tbody>\n");
    buffer_add(to, buffer_get(&e->table), e->table.length);
    buffer_text(to, "</tbody></table></div>\n");
    page_tail(to, script);
}
