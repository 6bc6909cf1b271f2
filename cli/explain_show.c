/* What psdvec explain shows: a row for each word; what the words before it added stands beside it
 * or, with counts, below it in its parts. People see bits, programs natural logarithms. */
#include "cell.h"
#include "explain.h"
#include "human.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 18, FIGURE = 8 };

static const struct column columns[] = {COLUMN("word", "word", .width = WORD),
                                        DATA("place"),
                                        DATA("known"),
                                        COLUMN("log_unigram", NULL, .exact = -12),
                                        COLUMN("log_paper", NULL, .exact = -12),
                                        COLUMN("log_normaliser", NULL, .exact = -12),
                                        COLUMN("log_probability", NULL, .exact = -12),
                                        DATA("influences"),
                                        NUMBERS(NULL, "alone", 2, 0, .width = FIGURE),
                                        NUMBERS(NULL, "pull", 2, 0, .width = FIGURE),
                                        NUMBERS(NULL, "norm", 2, 0, .width = FIGURE, .sign = true),
                                        NUMBERS(NULL, "surprise", 2, 0, .width = 10, .style = BOLD),
                                        COLUMN(NULL, "", .width = 1),
                                        COLUMN(NULL, "pulled by", .gap = 1, .wraps = true)};

/* What the words before it added, as an array of objects. */
static void add_influences(struct buffer *to, const struct explain *e,
                           const psdvec_word_score *word)
{
    pv_json_writer json;
    json_start(&json, to);
    pv_json_open_array(&json, NULL);
    for (size_t k = 0; k < word->influence_count; k++) {
        const psdvec_influence *influence = &word->influences[k];
        size_t length;
        const char *text = psdvec_model_word(e->scoring.models[0], influence->word, &length);
        pv_json_open_object(&json, NULL);
        pv_json_put_string_n(&json, "word", text, length);
        pv_json_put_u64(&json, "place", influence->place);
        pv_json_put_digits(&json, "weight", influence->weight, 12);
        pv_json_put_digits(&json, "product", influence->product, 12);
        pv_json_put_digits(&json, "residual", influence->residual, 12);
        pv_json_put_digits(&json, "shift", influence->shift, 12);
        pv_json_put_digits(&json, "added", influence->added, 12);
        pv_json_close(&json);
    }
    pv_json_close(&json);
    json_end(&json);
}

static void add_signed(struct buffer *to, double number, int width)
{
    bool none = number > -0.005 && number < 0.005;
    buffer_format(to, "%s%+*.2f" STYLE_PLAIN,
                  none         ? ""
                  : number > 0 ? STYLE_GREEN
                               : STYLE_RED,
                  width, none ? 0.0 : number);
}

/* "capital +6.20  of +0.91" */
static void add_list(struct buffer *to, const struct explain *e, const psdvec_influence *ranked,
                     size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t length;
        const char *text = psdvec_model_word(e->scoring.models[0], ranked[k].word, &length);
        buffer_text(to, k ? "  " : "");
        cell_text(to, text, length);
        buffer_text(to, STYLE_SPACE);
        add_signed(to, explain_parts(e, &ranked[k]).added, 0);
    }
}

/* A line for each, with what the vectors say and what only the counts know. */
static void add_parts(struct rows *rows, const struct explain *e, const psdvec_influence *ranked,
                      size_t count)
{
    for (size_t k = 0; k < count; k++) {
        struct buffer line = {0};
        size_t length;
        const char *text = psdvec_model_word(e->scoring.models[0], ranked[k].word, &length);
        struct parts parts = explain_parts(e, &ranked[k]);
        cell_add(&line, text, length, WORD + FIGURE - 2, false);
        add_signed(&line, parts.added, FIGURE);
        buffer_format(&line, STYLE_DIM "   vectors %+.2f  residual %+.2f", parts.vectors,
                      parts.residual);
        if (parts.shift != 0)
            buffer_format(&line, "  shift %+.2f", parts.shift);
        rows_line(rows, 2, line.text);
        buffer_free(&line);
    }
}

static void add_known(struct rows *rows, const struct explain *e, const psdvec_word_score *word)
{
    double surprise = bits(word->conditional);
    bool marked = surprise >= e->surprising;
    struct buffer influences = {0}, pull = {0}, list = {0};
    psdvec_influence *ranked = explain_ranked(word);
    size_t count = word->influence_count < e->most ? word->influence_count : e->most;
    add_influences(&influences, e, word);
    add_signed(&pull, explain_pull(word), 0);
    if (!e->counted)
        add_list(&list, e, ranked, count);
    rows_add(rows, word_cell(word->text, word->length), whole_cell(word->place), truth_cell(true),
             real_cell(word->unigram), real_cell(word->paper), real_cell(word->normaliser),
             real_cell(word->conditional), json_cell(influences.text),
             real_cell(bits(word->unigram)), shown_as(no_cell(), pull.text),
             real_cell(explain_norm(word)), styled_as(real_cell(surprise), marked ? YELLOW : PLAIN),
             text_cell(marked ? "!" : ""), shown_as(no_cell(), buffer_get(&list)));
    if (e->counted)
        add_parts(rows, e, ranked, count);
    free(ranked);
    buffer_free(&influences);
    buffer_free(&pull);
    buffer_free(&list);
}

void explain_show_start(struct explain *e, struct show *show, struct rows *rows)
{
    *rows = (struct rows)ROWS("per_word", 0, columns);
    rows->heading = BOLD;
    rows->column_count -= e->counted; /* parts stand below */
    show->width = show->width < 80 ? 80 : show->width;
    show_open(show);
}

void explain_show_word(const struct explain *e, struct show *show, struct rows *rows,
                       const psdvec_word_score *word)
{
    if (word->known)
        add_known(rows, e, word);
    else {
        struct buffer line = {0};
        rows_add(rows, word_cell(word->text, word->length), whole_cell(word->place),
                 truth_cell(false));
        rows_only(rows, FOR_PROGRAMS);
        cell_add(&line, word->text, word->length, WORD, false);
        buffer_text(&line, "   " STYLE_DIM "not in the model");
        rows_line(rows, 0, line.text);
        buffer_free(&line);
    }
    show_rows_so_far(show, rows);
}

void explain_show_total(const struct explain *e, struct show *show, struct rows *rows,
                        const psdvec_document_score *d)
{
    const struct {
        const char *name;
        double number;
    } figures[] = {{"log_likelihood", d->fits[0].conditional},
                   {"perplexity", perplexity(d->fits[0].conditional, d->known)},
                   {"log_paper", d->fits[0].paper},
                   {"log_unigram", d->fits[0].unigram},
                   {"perplexity_unigram", perplexity(d->fits[0].unigram, d->known)},
                   {"self", psdvec_scorer_self(e->scoring.scorer, 0)}};
    struct buffer text = {0};
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
    show_rows(show, rows);
    show_data(show, "words", whole_cell(d->words));
    show_data(show, "known", whole_cell(d->known));
    show_data(show, "temperature", real_cell(e->temperature));
    show_data(show, "residuals", truth_cell(e->counted));
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        show_data(show, figures[k].name, real_cell(figures[k].number));
    show_data(show, "model", text_cell(e->run->arguments->operands[0]));
    show_data(show, "model_words", whole_cell(psdvec_model_get_info(e->scoring.models[0])->words));
    show_data(show, "show_influences", whole_cell(e->most));
    show_gap(show);
    show_title(show, text.text);
    show_note(show,
              "In bits: surprise = alone - pull + norm. alone: how surprising the word is by "
              "itself. pull: what the words before it add to its probability; + towards it, - "
              "away from it. norm: what they add to all words. !: less likely than a word drawn "
              "blindly.");
    show_close(show);
    buffer_free(&text);
}
