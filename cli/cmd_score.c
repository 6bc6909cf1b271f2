/* psdvec score: how probable documents are under one or several models. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "scoring.h"
#include "show.h"
#include "word_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const psdvec_option options[] = {
    FILES_OPTION(
        "counts", .group = "Model",
        .help = "the counts that the model was trained on: adds residuals, and a bigram model for "
                "comparison; once per model, in the same order"),
    FILES_OPTION("bigrams", .group = "Model",
                 .help = "counts of adjacent words (psdvec count --window 1): mix their bigrams "
                         "with the model's probabilities; once per model, in the same order"),
    FLAG_OPTION("sort", .group = "Output", .help = "list documents by perplexity, highest first"),
    WHOLE_OPTION("top", "N", 0, UINT32_MAX, .word = "all", .fallback = "all",
                 .help = "with --sort: list only the first N documents"),
    FLAG_OPTION("per-word",
                .help = "show every word with its surprisal in bits, and mark surprising words"),
    REAL_OPTION("surprising", "BITS", 0, INFINITY, .otherwise = "log2 of the number of words",
                .help =
                    "surprisal from which a word is marked as surprising; by default, a word is "
                    "marked if it is less probable than with a uniform distribution"),
    {0}};

/* A document whose output is delayed until all documents have been scored. */
struct ranked {
    double perplexity; /* NAN: it has no known word and is last */
    uint64_t number;
    char *text;
};

struct score {
    struct run *run;
    struct scoring scoring;
    struct show show;

    const char **models, **inputs; /* paths; the operands, classified */
    size_t model_count, input_count;
    const char **names; /* of the models: short and distinct */

    bool per_word, sort, sampled;
    bool by_name; /* documents are complete files: their name is more useful than their beginning */
    size_t top;   /* with `sort`; 0: all */
    double surprising; /* minimum bits at which a word is marked */

    struct column columns[12]; /* of `people` */
    struct rows people;        /* documents, in output for people */
    struct rows fits, words;   /* of the current document, in machine-readable formats */
    struct buffer head;        /* headings that have not been printed yet */
    struct buffer paragraph;   /* the words of the document, in output for people */
    bool open;                 /* some of it has been shown */
    char *source;              /* file of the last document that was shown */
    struct ranked *ranked;
    size_t ranked_count, ranked_capacity;
    uint64_t *won; /* number of documents for which each model is best */
};

/* ---- Figures -------------------------------------------------------------- */

/* The model with the highest likelihood; SIZE_MAX if there is no single one. */
static size_t best_model(const psdvec_document_score *d)
{
    size_t best = 0;
    bool tie = d->known == 0;
    for (size_t m = 1; m < d->fit_count; m++) {
        if (d->fits[m].conditional > d->fits[best].conditional) {
            best = m;
            tie = false;
        } else if (d->fits[m].conditional == d->fits[best].conditional) {
            tie = true;
        }
    }
    return tie || d->known == 0 ? SIZE_MAX : best;
}

/* The log-likelihood of the bigrams with the current weight. */
static double bigram_of(const psdvec_document_fit *fit)
{
    return isfinite(fit->bigram_fitted) ? fit->bigram_fitted : fit->bigram;
}

/* ---- Columns ----------------------------------------------------------------------------- */

/* Documents are shown as soon as they are scored, so columns have fixed widths; the name of the
 * document gets the remaining width. docs/explanation/documents.md describes the data. */

enum { NUMBER = 4, NAME = 14, MOST_COLUMNS = 12 };

/* For one model: words, unknown, log-lik., paper, perplexity, unigram and bigram. For several:
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

/* ---- Words ------------------------------------------------------------------------------- */

static void add_word(struct score *s, const psdvec_word_score *word)
{
    bool known = word->known, marked = known && bits(word->conditional) >= s->surprising;
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

/* Shows the words so far; `last`: all words of the document. */
static void show_words_so_far(struct score *s, bool last)
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

static struct cell number_cell(double number)
{
    return shown_as(no_cell(), phrase_number(number));
}

/* `name` in at most this many columns. */
static const char *short_name(const char *name, size_t columns)
{
    struct buffer text = {0};
    shorten(&text, name, columns);
    return phrase_of(&text);
}

/* Shows the file name where documents come from several files. */
static void add_source(struct score *s, const char *source)
{
    if (s->by_name || s->sort || !source || (s->source && !strcmp(s->source, source)))
        return;
    bool only = !s->source && s->input_count == 1 && !strcmp(s->inputs[0], source);
    free(s->source);
    s->source = must_copy(source);
    if (only || !strcmp(source, "-"))
        return;
    rows_line(&s->people, 0, phrase(STYLE_CYAN "%s", phrase_safe(source, strlen(source))));
}

static void add_people(struct score *s, const psdvec_document_score *d)
{
    size_t best = d->fit_count > 1 ? best_model(d) : 0;
    const psdvec_document_fit *fit = &d->fits[best < d->fit_count ? best : 0];
    double known = d->known ? 0 : NAN; /* adds nothing, or makes the number missing */
    const double figures[] = {fit->conditional + known,
                              fit->error + known,
                              fit->paper + known,
                              perplexity(fit->conditional, d->known),
                              perplexity(fit->unigram, d->known),
                              perplexity(bigram_of(fit), d->known)};
    bool named = s->by_name && d->source;
    add_source(s, d->source);
    rows_add(&s->people, whole_cell(d->number),
             text_cell(short_name(named ? d->source : d->beginning,
                                  named ? s->columns[1].width : SIZE_MAX)),
             whole_cell(d->words), whole_cell(d->words - d->known),
             text_cell(short_name(best < d->fit_count ? s->names[best] : "-", NAME)),
             real_cell(best < d->fit_count ? fit->posterior : NAN));
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        rows_more(&s->people, number_cell(figures[k]));
}

/* One row per model; `name` is that of the document, or "total". */
static void add_fits(struct score *s, const psdvec_document_score *d, const char *name, bool total)
{
    bool one = d->fit_count == 1;
    for (size_t m = 0; m < d->fit_count; m++) {
        const psdvec_document_fit *fit = &d->fits[m];
        double bigram = s->scoring.counts[m] ? bigram_of(fit) : NAN;
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
        size_t best = best_model(d);
        show_data(&s->show, "best", text_cell(best < d->fit_count ? s->names[best] : NULL));
    }
    show_rows(&s->show, &s->fits);
}

static void show_document(struct score *s, const psdvec_document_score *d)
{
    struct show *show = &s->show;
    add_people(s, d);
    show_words_so_far(s, true);
    show_rows_so_far(show, &s->people);
    show_data(show, "document", whole_cell(d->number));
    show_data(show, "source", text_cell(d->source));
    show_data(show, "beginning", text_cell(d->beginning));
    show_data(show, "words", whole_cell(d->words));
    show_data(show, "known", whole_cell(d->known));
    add_fits(s, d, phrase("%" PRIu64, d->number), false);
}

/* ---- Totals ------------------------------------------------------------------------------ */

/* A log-likelihood, its value per word, and the perplexity. */
static void total_line(struct rows *rows, const char *name, double logarithm, double error,
                       uint64_t known, bool normalised)
{
    double value = normalised ? perplexity(logarithm, known) : NAN;
    const char *errors[2] = {"", ""};
    if (error > 0)
        errors[0] = phrase(" \xc2\xb1 %.2g", error);
    if (error > 0 && known && isfinite(value))
        errors[1] = phrase(" \xc2\xb1 %.2g", value * error / (double)known);
    rows_add(rows, text_cell(name),
             text_cell(phrase("%s%s", phrase_number(known ? logarithm : NAN), errors[0])),
             text_cell(phrase_number(known ? bits(logarithm) / (double)known : NAN)),
             text_cell(phrase("%s%s", phrase_number(value), errors[1])));
}

static void one_model(struct score *s, const psdvec_document_score *d)
{
    static const struct column columns[] = {COLUMN(NULL, "", .gap = 2),
                                            COLUMN(NULL, "log-likelihood", .gap = 2, .right = true),
                                            COLUMN(NULL, "bits per word", .gap = 2, .right = true),
                                            COLUMN(NULL, "perplexity", .gap = 2, .right = true)};
    struct rows rows = ROWS(NULL, FOR_PEOPLE, columns);
    const psdvec_document_fit *fit = d->fits;
    total_line(&rows, phrase("the model, %s", scoring_weights(&s->scoring)), fit->conditional,
               fit->error, d->known, true);
    total_line(&rows, "unigrams", fit->unigram, 0, d->known, true);
    double weight = psdvec_scorer_interpolation(s->scoring.scorer, 0);
    if (s->scoring.counts[0])
        total_line(&rows,
                   isfinite(weight) ? phrase("bigrams, kappa = %.4g", weight)
                                    : "bigrams, the model's kappa",
                   bigram_of(fit), 0, d->known, true);
    total_line(&rows, "the paper's value", fit->paper, 0, d->known, false);
    show_rows(&s->show, &rows);
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
            perplexity(fit->unigram, d->known), perplexity(bigram_of(fit), d->known)};
        rows_add(&rows, text_cell(s->names[m]), whole_cell(s->won[m]));
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
            rows_more(&rows, number_cell(figures[k]));
    }
    show_rows(&s->show, &rows);
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
    if (d->fit_count == 1 && s->scoring.bigrams[0]) {
        show_data(show, "discount_once", real_cell(psdvec_scorer_discount(scorer, 0, 1)));
        show_data(show, "discount_twice", real_cell(psdvec_scorer_discount(scorer, 0, 2)));
        show_data(show, "discount_more", real_cell(psdvec_scorer_discount(scorer, 0, 3)));
    }
    add_fits(s, d, "total", true);
}

static void show_total(struct score *s, const psdvec_document_score *d)
{
    struct show *show = &s->show;
    show_open(show);
    show_rows(show, &s->people);
    show_total_data(s, d);
    show_gap(show);
    show_title(show, phrase(STYLE_BOLD "%s, %s, %s", phrase_counted(d->number, "document"),
                            phrase_counted(d->words, "word"), phrase_known(d->known, d->words)));
    if (d->fit_count > 1)
        several_models(s, d);
    else
        one_model(s, d);
    show_note(show, "Log-likelihoods are natural logarithms. The model's probabilities are "
                    "normalised: they sum to one over all words, and perplexity is computed from "
                    "them. The paper's value omits the normaliser; it does not sum to one and has "
                    "no perplexity.");
    show_close(show);
}

/* ---- While documents are scored -------------------------------------------------------- */

static int by_surprise(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (isnan(a->perplexity) != isnan(b->perplexity))
        return isnan(a->perplexity) ? 1 : -1;
    if (a->perplexity > b->perplexity)
        return -1;
    if (a->perplexity < b->perplexity)
        return 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Sorts the documents and drops all after the first `top`. */
static void rank(struct score *s)
{
    if (s->ranked_count)
        qsort(s->ranked, s->ranked_count, sizeof *s->ranked, by_surprise);
    while (s->top && s->ranked_count > s->top)
        free(s->ranked[--s->ranked_count].text);
}

static void keep(struct score *s, const psdvec_document_score *d, const char *text)
{
    size_t best = d->fit_count > 1 ? best_model(d) : 0;
    const psdvec_document_fit *fit = &d->fits[best < d->fit_count ? best : 0];
    if (s->ranked_count == s->ranked_capacity) {
        rank(s); /* if few are wanted, this frees half of the capacity */
        if (!s->top || 2 * s->ranked_count >= s->ranked_capacity) {
            s->ranked_capacity = 2 * s->ranked_capacity + 64;
            s->ranked = must_grow(s->ranked, s->ranked_capacity, sizeof *s->ranked);
        }
    }
    s->ranked[s->ranked_count++] =
        (struct ranked){.perplexity = perplexity(fit->conditional, d->known),
                        .number = d->number,
                        .text = must_copy(text)};
}

/* Words of a document longer than this are printed before the line of the document. */
#define MOST_WAITING ((size_t)1 << 20)

/* Prints the headings when there is something to print below them. */
static void print_head(struct score *s)
{
    output_add(&s->run->out, buffer_get(&s->head), s->head.length);
    buffer_clear(&s->head);
}

static void open_document(struct score *s)
{
    if (!s->open)
        show_open(&s->show);
    s->open = true;
}

static void on_word(void *user, const psdvec_word_score *word)
{
    struct score *s = user;
    open_document(s);
    add_word(s, word);
    if (s->paragraph.length > MOST_WAITING && !s->sort) {
        show_words_so_far(s, false);
        print_head(s);
        show_flush(&s->show);
    }
}

static void on_document(void *user, const psdvec_document_score *d)
{
    struct score *s = user;
    size_t best = best_model(d), mark = lasting_count();
    if (best < d->fit_count)
        s->won[best]++;
    open_document(s);
    show_document(s, d);
    show_close(&s->show);
    s->open = false;
    if (s->sort) {
        keep(s, d, buffer_get(&s->show.text));
        buffer_clear(&s->show.text);
    } else {
        print_head(s);
        show_flush(&s->show);
        run_flush(s->run);
    }
    lasting_end(mark);
}

/* ---- The command ---------------------------------------------------------------------- */

static int classify_operands(struct score *s)
{
    const struct arguments *arguments = s->run->arguments;
    s->models = lasting_alloc(arguments->operand_count, sizeof *s->models);
    s->inputs = lasting_alloc(arguments->operand_count + 1, sizeof *s->inputs);
    for (size_t k = 0; k < arguments->operand_count; k++) {
        const char *path = arguments->operands[k];
        if (k == 0 || (!s->run->only_open && counts_file_likely(path)))
            s->models[s->model_count++] = path;
        else
            s->inputs[s->input_count++] = path;
    }
    if (!s->input_count)
        s->inputs[s->input_count++] = "-";
    s->names = lasting_alloc(s->model_count, sizeof *s->names);
    for (size_t m = 0; m < s->model_count; m++)
        s->names[m] = name_of_file(s->models[m]);
    names_differ(s->names, s->models, s->model_count);
    s->won = lasting_alloc(s->model_count, sizeof *s->won);
    if (argument(arguments, "top")->given && !s->sort)
        return run_use_error(s->run, "--top needs --sort, which orders the documents");
    if (argument(arguments, "surprising")->given && !s->per_word)
        return run_use_error(s->run, "--surprising needs --per-word");
    return EXIT_FINE;
}

static int open_scorer(struct score *s)
{
    const struct arguments *arguments = s->run->arguments;
    psdvec_scorer_options *scorer = options_take(s->run, PSDVEC_OPTIONS_SCORER);
    if (!scorer)
        return s->run->refusal;
    scorer->on_document = on_document;
    scorer->on_word = s->per_word ? on_word : NULL;
    scorer->user = s;
    int code = scoring_open(&s->scoring, s->run, s->models, s->model_count, scorer);
    if (code)
        return code;
    const psdvec_model_info *info = psdvec_model_get_info(s->scoring.models[0]);
    s->surprising = argument(arguments, "surprising")->given
                        ? argument_real(arguments, "surprising")
                        : bits(-log((double)info->words));
    s->show.compact = true;
    people_columns(s);
    s->fits = (struct rows)ROWS("models", s->per_word ? IN_JSON : FOR_PROGRAMS, fit_columns);
    s->fits.merged = s->model_count == 1;
    s->words = (struct rows)ROWS("per_word", FOR_PROGRAMS, word_columns);
    show_head(&s->show, &s->people);
    show_head(&s->show, s->per_word ? &s->words : &s->fits);
    s->head = s->show.text;
    s->show.text = (struct buffer){0};
    return EXIT_FINE;
}

static int score_inputs(struct score *s)
{
    psdvec_text_options text = *psdvec_scorer_text_options(s->scoring.scorer);
    text.min_document_words = 1;
    options_plain(&text);
    int code = options_apply(s->run, PSDVEC_OPTIONS_TEXT, &text);
    if (code)
        return code;
    s->by_name = text.document == PSDVEC_DOCUMENT_FILE || text.document == PSDVEC_DOCUMENT_NONE;
    for (size_t k = 0; k < s->input_count; k++)
        if (!strcmp(s->inputs[k], "-") && isatty(STDIN_FILENO))
            talk_say(&s->run->talk, "reading from the terminal; end the text with Ctrl-D\n");
    psdvec_status status =
        s->run->text ? psdvec_scorer_text(s->scoring.scorer, s->run->text, s->run->text_length)
                     : psdvec_scorer_inputs(s->scoring.scorer, &text, s->inputs, s->input_count);
    if (status != PSDVEC_OK)
        return run_failed(s->run, status);
    rank(s);
    print_head(s);
    for (size_t k = 0; k < s->ranked_count; k++)
        output_text(&s->run->out, s->ranked[k].text);
    show_total(s, psdvec_scorer_total(s->scoring.scorer));
    return EXIT_FINE;
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    struct score score = {.run = run,
                          .per_word = argument_flag(arguments, "per-word"),
                          .sort = argument_flag(arguments, "sort"),
                          .sampled = argument_integer(arguments, "sampled") != 0,
                          .top = (size_t)argument_integer(arguments, "top")};
    show_start(&score.show, run, false);
    score.show.width = score.show.width < 80 ? 80 : score.show.width > 120 ? 120 : score.show.width;
    int code = classify_operands(&score);
    if (!code)
        code = open_scorer(&score);
    if (!code)
        code = score_inputs(&score);
    for (size_t k = 0; k < score.ranked_count; k++)
        free(score.ranked[k].text);
    free(score.ranked);
    free(score.source);
    show_end(&score.show);
    rows_free(&score.people);
    rows_free(&score.fits);
    rows_free(&score.words);
    buffer_free(&score.paragraph);
    buffer_free(&score.head);
    return code;
}

const struct command cmd_score = {
    .name = "score",
    .group = "Documents",
    .summary = "compute the probability of documents under one or more models",
    .synopsis = "MODEL... [FILE]... [OPTION]...",
    .description = PARAGRAPHS(
        "Computes the log-probability and perplexity of each document and, for comparison, its "
        "perplexity under a unigram model and, with --counts, a Jelinek-Mercer bigram model. "
        "Totals come last. Without a FILE, standard input is read. Perplexities are those of "
        "normalised probabilities; the paper's value, which omits the normaliser and does not sum "
        "to one, is shown as well.",
        "With several models, score is a classifier: each document is assigned to the model that "
        "explains it best, with the posterior probability of that model, given equal priors. The "
        "first operand is a model, and so is every other one that is a psdvec file; the rest are "
        "texts.",
        "By default, text is tokenised as the model's text was. Unknown words are skipped and "
        "counted. With --sort, only the scores and the beginnings of documents are kept in memory."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS,
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_SCORER, .except = " influences "),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TEXT, .except = DETAIL_OPTIONS),
                COMMON_OPTIONS},
    .inherited = options_of_model,
    .inherited_from = "the model's",
    .examples = EXAMPLES(
        {"psdvec score wiki.safetensors notes.txt", "Every line of a text is a document."},
        {"psdvec score wiki.safetensors notes.txt --counts wiki.counts.safetensors --sort --top 5",
         "The five least probable documents, with residuals."},
        {"psdvec score wiki.safetensors notes.txt --bigrams wiki.bigrams.safetensors",
         "Mix the model with bigrams of adjacent words."},
        {"psdvec score wiki.safetensors posts.jsonl --json-field text --per-word",
         "Mark the surprising words."},
        {"psdvec score wiki.safetensors books.safetensors notes.txt --format json",
         "Which model explains each line better; JSON output for scripts."}),
    .notes = PARAGRAPHS(
        "Surprisal is -log2 P, in bits. Log-likelihoods, and all logarithms in json and tsv, are "
        "natural logarithms. docs/explanation/documents.md has the formulas and describes the columns."),
    .operands = {1, SIZE_MAX},
    .missing = "give a model and a text: files, folders, or - for standard input",
    .act = act};
