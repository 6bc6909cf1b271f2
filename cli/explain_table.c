/* psdvec explain for people: a line a word; what the words before it added stands beside it or,
 * with counts, below it in its parts. */
#include "cell.h"
#include "explain.h"
#include "human.h"
#include "utf8.h"
#include "wrap.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 18, COLUMN = 8, SURPRISE = 10, LIST = WORD + 3 * COLUMN + SURPRISE + 2 };

void explain_table_head(struct buffer *to, const struct explain *e)
{
    buffer_text(to, e->run->palette.bold);
    cell_add(to, "word", 4, WORD, false);
    buffer_format(to, "%*s%*s%*s%*s%s%s\n", COLUMN, "alone", COLUMN, "pull", COLUMN, "norm",
                  SURPRISE, "surprise", e->counted ? "" : "  pulled by", e->run->palette.plain);
}

static void add_signed(struct buffer *to, const struct explain *e, double number, int columns)
{
    const struct palette *palette = &e->run->palette;
    bool none = number > -0.005 && number < 0.005;
    buffer_format(to, "%s%+*.2f%s",
                  none         ? ""
                  : number > 0 ? palette->green
                               : palette->red,
                  columns, none ? 0.0 : number, none ? "" : palette->plain);
}

/* "capital +6.20  of +0.91", broken where the line ends. */
static void add_list(struct buffer *to, const struct explain *e, const psdvec_influence *ranked,
                     size_t count)
{
    size_t column = LIST;
    for (size_t k = 0; k < count; k++) {
        struct buffer word = {0}, figure = {0};
        size_t length;
        const char *text = psdvec_model_word(e->scoring.models[0], ranked[k].word, &length);
        cell_text(&word, text, length);
        double added = explain_parts(e, &ranked[k]).added;
        buffer_format(&figure, " %+.2f", added);
        size_t columns = utf8_columns(word.text, word.length) + figure.length;
        buffer_clear(&figure);
        if (k && column + 2 + columns > e->width) {
            buffer_char(to, '\n');
            add_spaces(to, LIST);
            column = LIST;
        } else if (k) {
            buffer_text(to, "  ");
            column += 2;
        }
        buffer_format(to, "%s ", word.text);
        add_signed(to, e, added, 0);
        column += columns;
        buffer_free(&word);
        buffer_free(&figure);
    }
}

/* A line for each, with what the vectors say and what only the counts know. */
static void add_parts(struct buffer *to, const struct explain *e, const psdvec_influence *ranked,
                      size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t length;
        const char *text = psdvec_model_word(e->scoring.models[0], ranked[k].word, &length);
        struct parts parts = explain_parts(e, &ranked[k]);
        buffer_text(to, "\n  ");
        cell_add(to, text, length, WORD + COLUMN - 2, false);
        add_signed(to, e, parts.added, COLUMN);
        buffer_format(to, "%s   vectors %+.2f  residual %+.2f", e->run->palette.dim, parts.vectors,
                      parts.residual);
        if (parts.shift != 0)
            buffer_format(to, "  shift %+.2f", parts.shift);
        buffer_text(to, e->run->palette.plain);
    }
}

void explain_table_word(struct buffer *to, const struct explain *e, const psdvec_word_score *word)
{
    const struct palette *palette = &e->run->palette;
    cell_add(to, word->text, word->length, WORD, false);
    if (!word->known) {
        buffer_format(to, "   %snot in the model%s\n", palette->dim, palette->plain);
        return;
    }
    double surprise = bits(word->conditional);
    bool marked = surprise >= e->surprising;
    buffer_format(to, "%*.2f", COLUMN, bits(word->unigram));
    add_signed(to, e, explain_pull(word), COLUMN);
    buffer_format(to, "%+*.2f%s%*.2f%s%s", COLUMN, explain_norm(word),
                  marked ? palette->yellow : palette->bold, SURPRISE, surprise, palette->plain,
                  marked ? "!" : "");
    psdvec_influence *ranked = explain_ranked(word);
    size_t count = word->influence_count < e->most ? word->influence_count : e->most;
    if (e->counted) {
        add_parts(to, e, ranked, count);
    } else if (count) {
        add_spaces(to, marked ? 1 : 2);
        add_list(to, e, ranked, count);
    }
    buffer_char(to, '\n');
    free(ranked);
}

void explain_table_total(struct buffer *to, const struct explain *e, const psdvec_document_score *d)
{
    struct buffer text = {0};
    size_t width = e->width < 80 ? e->width : 80;
    buffer_char(to, '\n');
    human_count(&text, d->known);
    buffer_text(&text, " of ");
    human_count(&text, d->words);
    buffer_text(&text, d->words == 1 ? " word known" : " words known");
    if (d->known) {
        buffer_format(&text, ", log-likelihood %.2f, perplexity ", d->fits[0].conditional);
        add_number(&text, perplexity(d->fits[0].conditional, d->known));
        buffer_text(&text, "; of the words by themselves ");
        add_number(&text, perplexity(d->fits[0].unigram, d->known));
        char *weights = scoring_weights(&e->scoring);
        buffer_format(&text, "; %s", weights);
        free(weights);
    }
    wrap(to, text.text, 0, 0, width);
    buffer_text(to, e->run->palette.dim);
    wrap(to,
         "In bits: surprise = alone - pull + norm. alone: how surprising the word is by itself. "
         "pull: what the words before it add to its probability; + towards it, - away from it. "
         "norm: what they add to all words. !: less likely than a word drawn blindly.",
         0, 0, width);
    buffer_text(to, e->run->palette.plain);
    buffer_free(&text);
}
