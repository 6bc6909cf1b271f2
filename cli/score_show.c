/* What psdvec score shows of words, documents and all of them. Documents are shown when they are
 * done, so columns have fixed widths; the document's name gets what is left. docs/documents.md
 * describes the data, whose logarithms are natural ones. */
#include "cell.h"
#include "human.h"
#include "score.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Columns ----------------------------------------------------------------------------- */

enum { NUMBER = 4, NAME = 14, MOST_COLUMNS = 12 };

/* Of one model: words, unknown, log-lik., paper, perplexity, unigram and bigram. Of several:
 * words, unknown, best model, posterior, log-lik., perplexity. */
static void people_columns(struct score *s)
{
    bool one = s->model_count == 1;
    const struct column all[MOST_COLUMNS] = {
        COLUMN(NULL, "", .width = NUMBER, .right = true),
        COLUMN(NULL, "document", .gap = 1, .width = 1),
        NUMBERS(NULL, "words", 0, 0, .width = 7),
        NUMBERS(NULL, "unknown", 0, 0, .width = 8),
        COLUMN(NULL, one ? NULL : "best model", .gap = 2, .width = NAME),
        NUMBERS(NULL, one ? NULL : "posterior", 4, 0, .width = 10),
        NUMBERS(NULL, "log-lik.", 0, 0, .width = 9),
        NUMBERS(NULL, s->sampled ? "\xc2\xb1" : NULL, 0, 0, .width = 8),
        NUMBERS(NULL, one ? "paper's" : NULL, 0, 0, .width = 9),
        NUMBERS(NULL, "perplex.", 0, 0, .width = 9),
        NUMBERS(NULL, one ? "unigram" : NULL, 0, 0, .width = 8),
        NUMBERS(NULL, one && s->scoring.counts[0] ? "bigram" : NULL, 0, 0, .width = 8)};
    size_t used = 0;
    memcpy(s->columns, all, sizeof all);
    for (size_t k = 0; k < MOST_COLUMNS; k++)
        used += k != 1 && all[k].heading ? all[k].gap + all[k].width : 0;
    s->columns[1].width = s->show.width > used + 9 ? s->show.width - used - 1 : 8;
    s->people = (struct rows){
        .where = FOR_PEOPLE, .columns = s->columns, .column_count = MOST_COLUMNS, .heading = BOLD};
}

#define FIT(name) COLUMN(name, NULL, .exact = -12)
static const struct column fit_columns[] = {
    COLUMN("document", NULL, .where = IN_TSV),
    COLUMN("source", NULL, .where = IN_TSV),
    COLUMN("model", NULL, .where = IN_TSV),
    COLUMN("model", NULL, .where = IN_JSON),
    COLUMN("words", NULL, .where = IN_TSV),
    COLUMN("known", NULL, .where = IN_TSV),
    FIT("log_likelihood"),
    FIT("error"),
    FIT("perplexity"),
    FIT("log_paper"),
    FIT("log_unigram"),
    FIT("perplexity_unigram"),
    FIT("log_bigram"),
    FIT("perplexity_bigram"),
    COLUMN("posterior", NULL, .where = IN_TSV, .exact = -12),
    COLUMN("posterior", NULL, .where = IN_JSON, .exact = -12),
    COLUMN("won", NULL, .where = IN_JSON),
    COLUMN("beginning", NULL, .where = IN_TSV)};
static const struct column word_columns[] = {COLUMN("document", NULL, .where = IN_TSV),
                                             COLUMN("place", NULL, .where = IN_TSV),
                                             DATA("word"),
                                             COLUMN("known", NULL, .where = IN_TSV),
                                             COLUMN("known", NULL, .where = IN_JSON),
                                             FIT("log_probability"),
                                             FIT("log_unigram"),
                                             FIT("log_paper"),
                                             COLUMN("surprising", NULL, .where = IN_TSV),
                                             COLUMN("surprising", NULL, .where = IN_JSON)};

void score_show_start(struct score *s)
{
    s->show.compact = true;
    people_columns(s);
    s->fits = (struct rows)ROWS("models", s->per_word ? IN_JSON : FOR_PROGRAMS, fit_columns);
    s->fits.merged = s->model_count == 1;
    s->words = (struct rows)ROWS("per_word", FOR_PROGRAMS, word_columns);
    show_head(&s->show, &s->people);
    show_head(&s->show, s->per_word ? &s->words : &s->fits);
}

/* ---- Words ------------------------------------------------------------------------------- */

void score_show_word(struct score *s, const psdvec_word_score *word)
{
    bool marked = score_is_surprising(s, word), known = word->known;
    rows_add(&s->words, whole_cell(word->document), whole_cell(word->place),
             word_cell(word->text, word->length), whole_cell(known), truth_cell(known),
             known ? real_cell(word->conditional) : no_cell(),
             known ? real_cell(word->unigram) : no_cell(),
             known ? real_cell(word->paper) : no_cell(), whole_cell(marked),
             known ? truth_cell(marked) : no_cell());
    struct buffer *text = &s->paragraph;
    buffer_text(text, text->length ? "  " : "");
    buffer_text(text, marked ? STYLE_YELLOW : known ? "" : "(");
    cell_text(text, word->text, word->length);
    if (known)
        buffer_format(text, STYLE_SPACE "%s%.1f%s" STYLE_PLAIN, marked ? "" : STYLE_DIM,
                      bits(word->conditional), marked ? "!" : "");
    else
        buffer_char(text, ')');
}

void score_show_words(struct score *s, bool last)
{
    if (!s->per_word)
        return;
    if (s->paragraph.length)
        rows_line(&s->people, NUMBER + 1, s->paragraph.text);
    buffer_clear(&s->paragraph);
    show_rows_so_far(&s->show, &s->people);
    if (last)
        show_rows(&s->show, &s->words);
    else
        show_rows_so_far(&s->show, &s->words);
}

/* ---- Documents --------------------------------------------------------------------------- */

static struct cell number_cell(double number, struct buffer *text)
{
    buffer_clear(text);
    add_number(text, number);
    return shown_as(no_cell(), text->text);
}

/* The file, where documents of several come one after the other. */
static void add_source(struct score *s, const char *source)
{
    struct buffer line = {0};
    if (s->by_name || s->sort || !source || (s->source && !strcmp(s->source, source)))
        return;
    bool only = !s->source && s->input_count == 1 && !strcmp(s->inputs[0], source);
    free(s->source);
    s->source = must_copy(source);
    if (only || !strcmp(source, "-"))
        return;
    buffer_text(&line, STYLE_CYAN);
    cell_text(&line, source, strlen(source));
    rows_line(&s->people, 0, line.text);
    buffer_free(&line);
}

static void add_people(struct score *s, const psdvec_document_score *d)
{
    size_t best = d->fit_count > 1 ? score_best(d) : 0;
    const psdvec_document_fit *fit = &d->fits[best < d->fit_count ? best : 0];
    double known = d->known ? 0 : NAN; /* adds nothing, or takes the number away */
    const double figures[] = {fit->conditional + known,
                              fit->error + known,
                              fit->paper + known,
                              perplexity(fit->conditional, d->known),
                              perplexity(fit->unigram, d->known),
                              perplexity(score_bigram(fit), d->known)};
    struct buffer text = {0};
    add_source(s, d->source);
    shorten(&text, s->by_name && d->source ? d->source : d->beginning,
            s->by_name && d->source ? s->columns[1].width : SIZE_MAX);
    rows_add(&s->people, whole_cell(d->number), text_cell(buffer_get(&text)), whole_cell(d->words),
             whole_cell(d->words - d->known));
    buffer_clear(&text);
    shorten(&text, best < d->fit_count ? s->names[best] : "-", NAME);
    rows_more(&s->people, text_cell(text.text));
    rows_more(&s->people, real_cell(best < d->fit_count ? fit->posterior : NAN));
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        rows_more(&s->people, number_cell(figures[k], &text));
    buffer_free(&text);
}

/* Of each model; `name` is that of the document, or "total". */
static void add_fits(struct score *s, const psdvec_document_score *d, const char *name, bool total)
{
    bool one = d->fit_count == 1;
    for (size_t m = 0; m < d->fit_count; m++) {
        const psdvec_document_fit *fit = &d->fits[m];
        double bigram = s->scoring.counts[m] ? score_bigram(fit) : NAN;
        rows_add(&s->fits, text_cell(name), text_cell(d->source), text_cell(s->names[m]),
                 one ? no_cell() : text_cell(s->names[m]), whole_cell(d->words),
                 whole_cell(d->known), real_cell(fit->conditional), real_cell(fit->error),
                 real_cell(perplexity(fit->conditional, d->known)), real_cell(fit->paper),
                 real_cell(fit->unigram), real_cell(perplexity(fit->unigram, d->known)),
                 real_cell(bigram), real_cell(perplexity(bigram, d->known)),
                 real_cell(fit->posterior), one ? no_cell() : real_cell(fit->posterior),
                 total && !one ? whole_cell(s->won[m]) : no_cell(), text_cell(d->beginning));
    }
    if (!one) {
        size_t best = score_best(d);
        show_data(&s->show, "best", text_cell(best < d->fit_count ? s->names[best] : NULL));
    }
    show_rows(&s->show, &s->fits);
}

void score_show_document(struct score *s, const psdvec_document_score *d)
{
    struct show *show = &s->show;
    char *name = must_format("%" PRIu64, d->number);
    add_people(s, d);
    score_show_words(s, true);
    show_rows_so_far(show, &s->people);
    show_data(show, "document", whole_cell(d->number));
    show_data(show, "source", text_cell(d->source));
    show_data(show, "beginning", text_cell(d->beginning));
    show_data(show, "words", whole_cell(d->words));
    show_data(show, "known", whole_cell(d->known));
    add_fits(s, d, name, false);
    free(name);
}

/* ---- Totals ------------------------------------------------------------------------------ */

/* A log-likelihood, what it is a word, and the perplexity. */
static void total_line(struct rows *rows, const char *name, double logarithm, double error,
                       uint64_t known, bool normalised)
{
    struct buffer texts[3] = {{0}};
    double value = normalised ? perplexity(logarithm, known) : NAN;
    add_number(&texts[0], known ? logarithm : NAN);
    add_number(&texts[1], known ? bits(logarithm) / (double)known : NAN);
    add_number(&texts[2], value);
    if (error > 0)
        buffer_format(&texts[0], " \xc2\xb1 %.2g", error);
    if (error > 0 && known && isfinite(value))
        buffer_format(&texts[2], " \xc2\xb1 %.2g", value * error / (double)known);
    rows_add(rows, text_cell(name), text_cell(texts[0].text), text_cell(texts[1].text),
             text_cell(texts[2].text));
    for (size_t k = 0; k < 3; k++)
        buffer_free(&texts[k]);
}

static void one_model(struct score *s, const psdvec_document_score *d)
{
    static const struct column columns[] = {COLUMN(NULL, "", .gap = 2),
                                            COLUMN(NULL, "log-likelihood", .gap = 2, .right = true),
                                            COLUMN(NULL, "bits a word", .gap = 2, .right = true),
                                            COLUMN(NULL, "perplexity", .gap = 2, .right = true)};
    struct rows rows = ROWS(NULL, FOR_PEOPLE, columns);
    const psdvec_document_fit *fit = d->fits;
    char *weights = scoring_weights(&s->scoring);
    char *name = must_format("the model, %s", weights);
    total_line(&rows, name, fit->conditional, fit->error, d->known, true);
    total_line(&rows, "unigrams", fit->unigram, 0, d->known, true);
    free(weights);
    free(name);
    if (s->scoring.counts[0]) {
        double weight = psdvec_scorer_interpolation(s->scoring.scorer, 0);
        name = isfinite(weight) ? must_format("bigrams, kappa = %.4g", weight)
                                : must_copy("bigrams, the model's kappa");
        total_line(&rows, name, score_bigram(fit), 0, d->known, true);
        free(name);
    }
    total_line(&rows, "the paper's value", fit->paper, 0, d->known, false);
    show_rows(&s->show, &rows);
    rows_free(&rows);
}

static void several_models(struct score *s, const psdvec_document_score *d)
{
    const struct column columns[] = {
        COLUMN(NULL, "", .gap = 2, .most = 20),
        NUMBERS(NULL, s->show.width > 84 ? "documents won" : "won", 0, 0, .gap = 2),
        COLUMN(NULL, "log-lik.", .gap = 2, .right = true),
        COLUMN(NULL, "paper's", .gap = 2, .right = true),
        COLUMN(NULL, "perplexity", .gap = 2, .right = true),
        COLUMN(NULL, "unigram", .gap = 2, .right = true),
        COLUMN(NULL, s->scoring.counts[0] ? "bigram" : NULL, .gap = 2, .right = true)};
    struct rows rows = ROWS(NULL, FOR_PEOPLE, columns);
    double known = d->known ? 0 : NAN;
    for (size_t m = 0; m < d->fit_count; m++) {
        const psdvec_document_fit *fit = &d->fits[m];
        const double figures[] = {
            fit->conditional + known, fit->paper + known, perplexity(fit->conditional, d->known),
            perplexity(fit->unigram, d->known), perplexity(score_bigram(fit), d->known)};
        struct buffer text = {0};
        rows_add(&rows, text_cell(s->names[m]), whole_cell(s->won[m]));
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
            rows_more(&rows, number_cell(figures[k], &text));
        buffer_free(&text);
    }
    show_rows(&s->show, &rows);
    rows_free(&rows);
}

static void show_total_data(struct score *s, const psdvec_document_score *d)
{
    struct show *show = &s->show;
    const psdvec_scorer *scorer = s->scoring.scorer;
    show_data(show, "total", truth_cell(true));
    show_data(show, "documents", whole_cell(d->number));
    show_data(show, "words", whole_cell(d->words));
    show_data(show, "known", whole_cell(d->known));
    show_data(show, "coverage", real_cell(d->words ? (double)d->known / (double)d->words : NAN));
    if (d->fit_count == 1) {
        show_data(show, "temperature", real_cell(psdvec_scorer_temperature(scorer, 0)));
        show_data(show, "self", real_cell(psdvec_scorer_self(scorer, 0)));
    }
    if (d->fit_count == 1 && s->scoring.counts[0])
        show_data(show, "bigram_weight", real_cell(psdvec_scorer_interpolation(scorer, 0)));
    add_fits(s, d, "total", true);
}

void score_show_total(struct score *s, const psdvec_document_score *d)
{
    struct show *show = &s->show;
    struct buffer text = {0};
    show_open(show);
    show_rows(show, &s->people);
    show_total_data(s, d);
    buffer_text(&text, STYLE_BOLD);
    human_count(&text, d->number);
    buffer_text(&text, d->number == 1 ? " document, " : " documents, ");
    human_count(&text, d->words);
    buffer_text(&text, d->words == 1 ? " word, " : " words, ");
    human_count(&text, d->known);
    buffer_text(&text, " of them known");
    if (d->words)
        buffer_format(&text, " (%.1f%%)", 100 * (double)d->known / (double)d->words);
    show_gap(show);
    show_title(show, text.text);
    if (d->fit_count > 1)
        several_models(s, d);
    else
        one_model(s, d);
    show_note(show, "Log-likelihoods are natural logarithms. The model's probabilities are "
                    "normalised: over all words they sum to one, and perplexity is of them. The "
                    "paper's value leaves the normaliser out; it does not sum to one and has no "
                    "perplexity.");
    show_close(show);
    buffer_free(&text);
}
