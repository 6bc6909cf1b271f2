/* Scores for people: a line a document, and what all of them come to. Lines are printed as
 * documents are done, so columns have fixed widths; the document's name gets what is left. */
#include "cell.h"
#include "grid.h"
#include "human.h"
#include "score.h"
#include "utf8.h"
#include "wrap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lines of documents ----------------------------------------------------------------- */

/* Of one model: words, unknown, log-lik., paper, perplexity, unigram and bigram. Of several:
 * words, unknown, best model, posterior, log-lik., perplexity. */
enum {
    NUMBER = 4,
    WORDS = 7,
    UNKNOWN = 8,
    FIGURE = 9,
    ERROR = 8,
    BASELINE = 8,
    NAME = 15,
    POSTERIOR = 10
};

static bool has_counts(const struct score *s)
{
    return s->scoring.counts[0] != NULL;
}

/* What is left for the name of a document. */
static size_t label_columns(const struct score *s)
{
    size_t used = NUMBER + 1 + WORDS + UNKNOWN + FIGURE + (s->sampled ? ERROR : 0) + FIGURE;
    if (s->model_count > 1)
        used += NAME + 1 + POSTERIOR;
    else
        used += FIGURE + BASELINE + (has_counts(s) ? BASELINE : 0);
    return s->width > used + 8 ? s->width - used : 8;
}

static void right(struct buffer *to, const char *text, size_t columns)
{
    size_t width = utf8_columns(text, strlen(text));
    add_spaces(to, width < columns ? columns - width : 1);
    buffer_text(to, text); /* rather a line too long than a number cut off */
}

static void right_number(struct buffer *to, double number, size_t columns)
{
    struct buffer text = {0};
    add_number(&text, number);
    right(to, buffer_get(&text), columns);
    buffer_free(&text);
}

static void right_count(struct buffer *to, uint64_t count, size_t columns)
{
    char *text = must_format("%" PRIu64, count);
    right(to, text, columns);
    free(text);
}

static void table_head(struct buffer *to, struct score *s)
{
    buffer_text(to, s->run->palette.bold);
    cell_add(to, "document", 8, NUMBER + 1 + label_columns(s), false);
    right(to, "words", WORDS);
    right(to, "unknown", UNKNOWN);
    if (s->model_count > 1) {
        buffer_char(to, ' ');
        cell_add(to, " best model", 11, NAME, false);
        right(to, "posterior", POSTERIOR);
    }
    right(to, "log-lik.", FIGURE);
    if (s->sampled)
        right(to, "\xc2\xb1", ERROR);
    if (s->model_count == 1)
        right(to, "paper's", FIGURE);
    right(to, "perplex.", FIGURE);
    if (s->model_count == 1) {
        right(to, "unigram", BASELINE);
        if (has_counts(s))
            right(to, "bigram", BASELINE);
    }
    buffer_format(to, "%s\n", s->run->palette.plain);
}

/* The file, where documents of several come one after the other. */
static void add_source(struct buffer *to, struct score *s, const char *source)
{
    if (s->by_name || s->sort || !source || (s->source && !strcmp(s->source, source)))
        return;
    bool only = !s->source && s->input_count == 1 && !strcmp(s->inputs[0], source);
    free(s->source);
    s->source = must_copy(source);
    if (only || !strcmp(source, "-"))
        return;
    buffer_text(to, s->run->palette.cyan);
    cell_text(to, source, strlen(source));
    buffer_format(to, "%s\n", s->run->palette.plain);
}

static void add_label(struct buffer *to, const struct score *s, const psdvec_document_score *d)
{
    size_t columns = label_columns(s);
    buffer_format(to, "%*" PRIu64 " ", NUMBER, d->number);
    if (s->by_name && d->source) {
        struct buffer name = {0};
        shorten(&name, d->source, columns);
        cell_add(to, buffer_get(&name), name.length, columns, false);
        buffer_free(&name);
    } else {
        cell_add(to, d->beginning, strlen(d->beginning), columns, false);
    }
}

static void add_fit(struct buffer *to, const struct score *s, const psdvec_document_score *d,
                    const psdvec_document_fit *fit)
{
    uint64_t known = d->known;
    right_number(to, known ? fit->conditional : NAN, FIGURE);
    if (s->sampled)
        right_number(to, known ? fit->error : NAN, ERROR);
    if (s->model_count == 1)
        right_number(to, known ? fit->paper : NAN, FIGURE);
    right_number(to, perplexity(fit->conditional, known), FIGURE);
    if (s->model_count == 1) {
        right_number(to, perplexity(fit->unigram, known), BASELINE);
        if (has_counts(s))
            right_number(to, perplexity(score_bigram(fit), known), BASELINE);
    }
}

static void table_document(struct buffer *to, struct score *s, const psdvec_document_score *d)
{
    size_t best = s->model_count > 1 ? score_best(d) : 0;
    add_source(to, s, d->source);
    add_label(to, s, d);
    right_count(to, d->words, WORDS);
    right_count(to, d->words - d->known, UNKNOWN);
    if (s->model_count > 1) {
        const char *name = best < d->fit_count ? s->names[best] : "-";
        struct buffer cut = {0};
        shorten(&cut, name, NAME - 1);
        buffer_text(to, "  ");
        cell_add(to, buffer_get(&cut), cut.length, NAME - 1, false);
        buffer_free(&cut);
        if (best < d->fit_count)
            buffer_format(to, "%*.4f", POSTERIOR, d->fits[best].posterior);
        else
            right(to, "-", POSTERIOR);
    }
    add_fit(to, s, d, &d->fits[best < d->fit_count ? best : 0]);
    buffer_char(to, '\n');
}

/* Words and their bits, as a paragraph under the line of the document. */
static void table_word(struct buffer *to, struct score *s, const psdvec_word_score *word)
{
    const struct palette *palette = &s->run->palette;
    struct buffer text = {0};
    bool marked = score_is_surprising(s, word);
    if (!word->known)
        buffer_char(&text, '(');
    cell_text(&text, word->text, word->length);
    if (!word->known)
        buffer_char(&text, ')');
    char *figure = word->known ? must_format(" %.1f%s", bits(word->conditional), marked ? "!" : "")
                               : must_copy("");
    size_t columns = utf8_columns(text.text, text.length) + strlen(figure);
    if (!s->word_count || s->column + 2 + columns > s->width) {
        buffer_text(to, s->word_count ? "\n" : "");
        add_spaces(to, NUMBER + 1);
        s->column = NUMBER + 1;
    } else {
        buffer_text(to, "  ");
        s->column += 2;
    }
    if (marked)
        buffer_format(to, "%s%s%s%s", palette->yellow, text.text, figure, palette->plain);
    else if (*figure)
        buffer_format(to, "%s%s%s%s", text.text, palette->dim, figure, palette->plain);
    else
        buffer_text(to, text.text);
    s->column += columns;
    free(figure);
    buffer_free(&text);
}

/* ---- Totals ------------------------------------------------------------------------------ */

/* A log-likelihood, what it is a word, and the perplexity. */
static void total_line(struct grid *grid, const char *name, double logarithm, double error,
                       uint64_t known, bool normalised)
{
    struct buffer text = {0};
    grid_add(grid, "", name);
    grid_next(grid, 1);
    add_number(&text, known ? logarithm : NAN);
    if (error > 0)
        buffer_format(&text, " \xc2\xb1 %.2g", error);
    grid_add(grid, "", buffer_get(&text));
    grid_next(grid, 1);
    buffer_clear(&text);
    add_number(&text, known ? bits(logarithm) / (double)known : NAN);
    grid_add(grid, "", buffer_get(&text));
    grid_next(grid, 1);
    buffer_clear(&text);
    double value = normalised ? perplexity(logarithm, known) : NAN;
    add_number(&text, value);
    if (error > 0 && known && isfinite(value))
        buffer_format(&text, " \xc2\xb1 %.2g", value * error / (double)known);
    grid_add(grid, "", buffer_get(&text));
    grid_next(grid, 1);
    buffer_free(&text);
}

static void one_model(struct buffer *to, const struct score *s, const psdvec_document_score *d)
{
    static const struct grid_column columns[] = {
        {2, false, 0}, {2, true, 0}, {2, true, 0}, {2, true, 0}};
    const psdvec_scorer *scorer = s->scoring.scorer;
    const psdvec_document_fit *fit = d->fits;
    struct grid grid;
    grid_start(&grid, columns, 4, s->run->palette.plain);
    grid_next(&grid, 1);
    grid_add(&grid, "", "log-likelihood");
    grid_next(&grid, 1);
    grid_add(&grid, "", "bits a word");
    grid_next(&grid, 1);
    grid_add(&grid, "", "perplexity");
    grid_next(&grid, 1);
    char *weights = scoring_weights(&s->scoring);
    char *name = must_format("the model, %s", weights);
    free(weights);
    total_line(&grid, name, fit->conditional, fit->error, d->known, true);
    free(name);
    total_line(&grid, "unigrams", fit->unigram, 0, d->known, true);
    if (has_counts(s)) {
        double weight = psdvec_scorer_interpolation(scorer, 0);
        name = isfinite(weight) ? must_format("bigrams, kappa = %.4g", weight)
                                : must_copy("bigrams, the model's kappa");
        total_line(&grid, name, score_bigram(fit), 0, d->known, true);
        free(name);
    }
    total_line(&grid, "the paper's value", fit->paper, 0, d->known, false);
    grid_print(to, &grid);
    grid_free(&grid);
}

static void several_models(struct buffer *to, const struct score *s, const psdvec_document_score *d)
{
    static const char *const heads[] = {"documents won", "log-lik.", "paper's",
                                        "perplexity",    "unigram",  "bigram"};
    static const struct grid_column columns[] = {{2, false, 20}, {2, true, 0}, {2, true, 0},
                                                 {2, true, 0},   {2, true, 0}, {2, true, 0},
                                                 {2, true, 0}};
    size_t count = has_counts(s) ? 7 : 6;
    struct grid grid;
    grid_start(&grid, columns, count, s->run->palette.plain);
    grid_next(&grid, 1);
    for (size_t k = 0; k + 1 < count; k++) {
        grid_add(&grid, "", k || s->width > 84 ? heads[k] : "won");
        grid_next(&grid, 1);
    }
    for (size_t m = 0; m < d->fit_count; m++) {
        const psdvec_document_fit *fit = &d->fits[m];
        double known = d->known ? 0 : NAN; /* adds nothing, or takes the number away */
        const double figures[] = {
            fit->conditional + known, fit->paper + known, perplexity(fit->conditional, d->known),
            perplexity(fit->unigram, d->known), perplexity(score_bigram(fit), d->known)};
        grid_add(&grid, "", s->names[m]);
        grid_next(&grid, 1);
        grid_format(&grid, "", "%" PRIu64, s->won[m]);
        grid_next(&grid, 1);
        for (size_t k = 0; k + 2 < count; k++) {
            struct buffer text = {0};
            add_number(&text, figures[k]);
            grid_add(&grid, "", buffer_get(&text));
            grid_next(&grid, 1);
            buffer_free(&text);
        }
    }
    grid_print(to, &grid);
    grid_free(&grid);
}

static void table_total(struct buffer *to, struct score *s, const psdvec_document_score *d)
{
    struct buffer text = {0};
    buffer_char(to, '\n');
    human_count(&text, d->number);
    buffer_text(&text, d->number == 1 ? " document, " : " documents, ");
    human_count(&text, d->words);
    buffer_text(&text, d->words == 1 ? " word, " : " words, ");
    human_count(&text, d->known);
    buffer_text(&text, " of them known");
    if (d->words)
        buffer_format(&text, " (%.1f%%)", 100 * (double)d->known / (double)d->words);
    buffer_format(to, "%s%s%s\n", s->run->palette.bold, text.text, s->run->palette.plain);
    if (d->fit_count > 1)
        several_models(to, s, d);
    else
        one_model(to, s, d);
    buffer_text(to, s->run->palette.dim);
    wrap(to,
         "Log-likelihoods are natural logarithms. The model's probabilities are normalised: over "
         "all words they sum to one, and perplexity is of them. The paper's value leaves the "
         "normaliser out; it does not sum to one and has no perplexity.",
         0, 0, s->width < 80 ? s->width : 80);
    buffer_text(to, s->run->palette.plain);
    buffer_free(&text);
}

const struct score_form score_table = {
    .head = table_head, .word = table_word, .document = table_document, .total = table_total};
