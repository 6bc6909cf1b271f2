/* psdvec explain: why a model finds the words of a text probable or not. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "page.h"
#include "scoring.h"
#include "show.h"
#include "system.h"
#include "word_files.h"
#include "word_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const psdvec_option options[] = {
    FILE_OPTION("file", .group = "Text",
                .help = "read the text from FILE, or from standard input if FILE is -"),
    WHOLE_OPTION("influences", "N", 0, 1000, .fallback = "3", .group = "Output",
                 .help = "for each word, show the N preceding words with the largest influence"),
    NEW_FILE_OPTION(
        "html",
        .help = "write an HTML page to FILE instead, which works offline; point at a word to see "
                "the influence of each preceding word"),
    {0}};

struct explain {
    struct run *run;
    struct scoring scoring;
    size_t most; /* maximum number of influences shown per word */
    double temperature;
    bool counted;      /* residuals are available */
    double surprising; /* minimum bits at which a word is marked */
    const char *html;  /* path of the HTML page; NULL: the result is printed */
    /* The formats that are generated, and the words in them: a page contains JSON and a table. */
    struct show shows[2];
    struct rows words[2];
    size_t show_count;
};

/* The parts of the influence of one word, in bits of log2 P: they add up to `added`. */
struct parts {
    double vectors, residual, shift, added;
};

/* ---- Figures -------------------------------------------------------------------- */

static struct parts explain_parts(const struct explain *e, const psdvec_influence *influence)
{
    double scale = e->temperature * influence->weight;
    return (struct parts){.vectors = -bits(scale * influence->product),
                          .residual = -bits(scale * influence->residual),
                          .shift = -bits(scale * influence->shift),
                          .added = -bits(influence->added)};
}

/* By decreasing strength, ties by distance. */
static int by_strength(const void *left, const void *right)
{
    const psdvec_influence *a = left, *b = right;
    if (fabs(a->added) != fabs(b->added))
        return fabs(a->added) > fabs(b->added) ? -1 : 1;
    return a->place > b->place ? -1 : a->place < b->place;
}

/* ---- Showing ---------------------------------------------------------------------------- */

/* One row per word; the influences of the words before it are in the same row or, with counts,
 * below it with their parts. Output for people is in bits, other formats use natural logarithms. */
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

/* The influences of the words before it, as an array of objects. */
static const char *influences_text(const struct explain *e, const psdvec_word_score *word)
{
    struct buffer list = {0};
    pv_json_writer json;
    json_start(&json, &list);
    pv_json_open_array(&json, NULL);
    for (size_t k = 0; k < word->influence_count; k++) {
        const psdvec_influence *influence = &word->influences[k];
        struct cell text = model_word_cell(e->scoring.models[0], influence->word);
        pv_json_open_object(&json, NULL);
        pv_json_put_string_n(&json, "word", text.text, text.length);
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
    return phrase_of(&list);
}

/* In at least `width` columns. */
static const char *signed_text(double number, int width)
{
    bool none = number > -0.005 && number < 0.005;
    const char *style = none ? "" : number > 0 ? STYLE_GREEN : STYLE_RED;
    return phrase("%s%+*.2f" STYLE_PLAIN, style, width, none ? 0.0 : number);
}

/* "capital +6.20  of +0.91" */
static const char *list_text(const struct explain *e, const psdvec_influence *ranked, size_t count)
{
    struct buffer list = {0};
    for (size_t k = 0; k < count; k++) {
        struct cell word = model_word_cell(e->scoring.models[0], ranked[k].word);
        buffer_format(&list, "%s%s" STYLE_SPACE "%s", k ? "  " : "",
                      phrase_safe(word.text, word.length),
                      signed_text(explain_parts(e, &ranked[k]).added, 0));
    }
    return phrase_of(&list);
}

/* One line for each, with the contributions of the vectors and of the residuals. */
static void add_parts(struct rows *rows, const struct explain *e, const psdvec_influence *ranked,
                      size_t count)
{
    for (size_t k = 0; k < count; k++) {
        struct buffer line = {0};
        struct cell word = model_word_cell(e->scoring.models[0], ranked[k].word);
        struct parts parts = explain_parts(e, &ranked[k]);
        cell_add(&line, word.text, word.length, WORD + FIGURE - 2, false);
        buffer_format(&line, "%s" STYLE_DIM "   vectors %+.2f  residual %+.2f",
                      signed_text(parts.added, FIGURE), parts.vectors, parts.residual);
        if (parts.shift != 0)
            buffer_format(&line, "  shift %+.2f", parts.shift);
        rows_line(rows, 2, phrase_of(&line));
    }
}

static void add_known(struct rows *rows, const struct explain *e, const psdvec_word_score *word)
{
    /* surprise = alone - pull + norm, in bits. */
    double surprise = bits(word->conditional), norm = -bits(word->normaliser);
    double pull = -bits(word->conditional - word->unigram + word->normaliser);
    if (fabs(norm) < 0.005)
        norm = 0; /* without a context, remove the rounding error */
    bool marked = surprise >= e->surprising;
    psdvec_influence *ranked = lasting_alloc(word->influence_count, sizeof *ranked);
    if (word->influence_count) {
        memcpy(ranked, word->influences, word->influence_count * sizeof *ranked);
        qsort(ranked, word->influence_count, sizeof *ranked, by_strength);
    }
    size_t count = word->influence_count < e->most ? word->influence_count : e->most;
    rows_add(rows, word_cell(word->text, word->length), whole_cell(word->place), truth_cell(true),
             real_cell(word->unigram), real_cell(word->paper), real_cell(word->normaliser),
             real_cell(word->conditional), json_cell(influences_text(e, word)),
             real_cell(bits(word->unigram)), shown_as(no_cell(), signed_text(pull, 0)),
             real_cell(norm), styled_as(real_cell(surprise), marked ? YELLOW : PLAIN),
             text_cell(marked ? "!" : ""),
             shown_as(no_cell(), e->counted ? "" : list_text(e, ranked, count)));
    if (e->counted)
        add_parts(rows, e, ranked, count);
}

static void show_word(const struct explain *e, struct show *show, struct rows *rows,
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
        rows_line(rows, 0, phrase_of(&line));
    }
    show_rows_so_far(show, rows);
}

static void show_total(const struct explain *e, struct show *show, struct rows *rows,
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
    const char *scored =
        !d->known ? ""
                  : phrase(", log-likelihood %.2f, perplexity %s, unigram perplexity %s; %s",
                           d->fits[0].conditional,
                           phrase_number(perplexity(d->fits[0].conditional, d->known)),
                           phrase_number(perplexity(d->fits[0].unigram, d->known)),
                           scoring_weights(&e->scoring));
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
    show_title(show, phrase("%s of %s known%s", phrase_count(d->known),
                            phrase_counted(d->words, "word"), scored));
    show_note(show,
              "In bits: surprise = alone - pull + norm. alone: surprisal of the word without "
              "context. pull: contribution of the preceding words; + makes the word more "
              "probable, - less. norm: their contribution to all words. !: less probable than "
              "with a uniform distribution.");
    show_close(show);
}

/* ---- The command ---------------------------------------------------------------------------- */

static void on_word(void *user, const psdvec_word_score *word)
{
    struct explain *e = user;
    size_t mark = lasting_count();
    for (size_t k = 0; k < e->show_count; k++)
        show_word(e, &e->shows[k], &e->words[k], word);
    if (!e->html) {
        show_flush(&e->shows[0]);
        run_flush(e->run);
    }
    lasting_end(mark);
}

static int explain_text(struct explain *e, const char *text, size_t length)
{
    psdvec_status status = psdvec_scorer_text(e->scoring.scorer, text, length);
    if (status != PSDVEC_OK)
        return run_failed(e->run, status);
    const psdvec_document_score *total = psdvec_scorer_total(e->scoring.scorer);
    for (size_t k = 0; k < e->show_count; k++)
        show_total(e, &e->shows[k], &e->words[k], total);
    if (!e->html)
        return EXIT_FINE;
    struct buffer page = {0};
    page_add(&page, page_explain, &e->shows[0].text, &e->shows[1].text);
    int code = run_write(e->run, e->html, &page);
    buffer_free(&page);
    return code;
}

/* The text; NULL after the error was reported. */
static const char *get_text(struct run *run, size_t *length, int *code)
{
    const struct arguments *arguments = run->arguments;
    const char *file = argument_text(arguments, "file");
    bool dash = arguments->operand_count == 2 && !strcmp(arguments->operands[1], "-");
    *code = EXIT_USE;
    if (file && arguments->operand_count > 1) {
        run_use_error(run, "the text is given both as TEXT and with --file; give one of them");
        return NULL;
    }
    if (!file && arguments->operand_count == 1) {
        run_use_error(run, "give a text, or a file with --file");
        return NULL;
    }
    const char *text;
    if (file || dash) {
        const char *path = file ? file : "-";
        if (!strcmp(path, "-") && isatty(STDIN_FILENO))
            talk_say(&run->talk, "reading from the terminal; end the text with Ctrl-D\n");
        char *read = run_read(run, "", path, length);
        if (!read)
            *code = run->refusal;
        text = lasting(read, free);
    } else {
        text = operands_joined(arguments, 1);
        *length = strlen(text);
    }
    return text;
}

static int check(struct run *run)
{
    const char *html = argument_text(run->arguments, "html");
    if (html && run->format != FORMAT_TABLE)
        return run_use_error(run, "--html and --%s cannot be combined",
                             run->format == FORMAT_JSON ? "json" : "format");
    if (html && argument_text(run->arguments, "output"))
        return run_use_error(run, "--html already names the output file; omit -o");
    return EXIT_FINE;
}

static void show_all(struct explain *e)
{
    e->show_count = e->html ? 2 : 1;
    if (e->html)
        e->run->palette = terminal_palette(false);
    for (size_t k = 0; k < e->show_count; k++) {
        show_start_as(&e->shows[k], e->run, false,
                      !e->html ? e->run->format
                      : k      ? FORMAT_TABLE
                               : FORMAT_JSON);
        if (e->html || e->shows[k].width < 80)
            e->shows[k].width = 80;
        e->words[k] = (struct rows)ROWS("per_word", 0, columns);
        e->words[k].heading = BOLD;
        e->words[k].column_count -= e->counted; /* the parts are shown below */
        show_open(&e->shows[k]);
    }
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    size_t length = 0;
    struct explain e = {.run = run,
                        .most = (size_t)argument_integer(arguments, "influences"),
                        .html = argument_text(arguments, "html")};
    psdvec_scorer_options *scorer = options_take(run, PSDVEC_OPTIONS_SCORER);
    if (!scorer)
        return run->refusal;
    scorer->influences = true;
    scorer->on_word = on_word;
    scorer->user = &e;
    int code = check(run);
    const char *text = code ? NULL : get_text(run, &length, &code);
    if (!text)
        return code;
    code = scoring_open(&e.scoring, run, arguments->operands, 1, scorer);
    if (!code) {
        e.temperature = psdvec_scorer_temperature(e.scoring.scorer, 0);
        e.counted = e.scoring.counts[0] != NULL;
        e.surprising = bits(-log((double)psdvec_model_get_info(e.scoring.models[0])->words));
        show_all(&e);
        code = explain_text(&e, text, length);
    }
    for (size_t k = 0; k < e.show_count; k++) {
        if (e.html)
            buffer_clear(&e.shows[k].text);
        show_end(&e.shows[k]);
        rows_free(&e.words[k]);
    }
    return code;
}

const struct command cmd_explain = {
    .name = "explain",
    .group = "Documents",
    .summary = "show why a model finds the words of a text likely or not",
    .synopsis = "MODEL {TEXT... | - | --file FILE} [OPTION]...",
    .description = PARAGRAPHS(
        "For each word of TEXT, shows its surprisal without context, the contribution of the "
        "preceding words in the window, its surprisal in context, and the preceding words with "
        "the largest influence: those that make it more probable (green, +) or less probable "
        "(red, -). With --counts, the contributions of vectors and residuals are shown separately.",
        "TEXT is one document and is tokenised as the model's text was; - reads standard input. "
        "Surprisal is -log2 P, in bits, where P is normalised: it sums to one over all words. "
        "JSON output has natural logarithms."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, OWN_OPTIONS(scoring_options),
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_SCORER, .only = " temperature self "),
                COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec explain wiki.safetensors \"folk music and popular music fill the hall\"",
         "Find the surprising word, and see why the others are expected."},
        {"psdvec explain wiki.safetensors --file notes.txt --counts wiki.counts.safetensors --html "
         "notes.html",
         "An HTML page."},
        {"echo \"the art of music\" | psdvec explain wiki.safetensors - --json", "JSON output for "
                                                                                 "scripts."}),
    .operands = {1, SIZE_MAX},
    .missing = "give a model and a text",
    .act = act};
