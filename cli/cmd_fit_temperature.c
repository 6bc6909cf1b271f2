/* psdvec fit-temperature: fits the weight of the context to text that the model has not seen. */
#include "commands.h"
#include "exit_status.h"
#include "options.h"
#include "scoring.h"
#include "show.h"
#include "word_files.h"

#include <math.h>
#include <stdlib.h>

static const psdvec_option options[] = {
    FILE_OPTION("counts", .group = "Fitting",
                .help =
                    "the counts that the model was trained on: also fit T with residuals, and the "
                    "weight of unigrams in the bigram model"),
    FILE_OPTION("bigrams",
                .help =
                    "counts of adjacent words (psdvec count --window 1): also fit the discounts "
                    "of their bigrams, which --bigrams of other commands mixes with the model; "
                    "to the model without residuals"),
    WHOLE_OPTION("most-words", "N", 0, INFINITY, .word = "all", .fallback = "10000",
                 .help = "if the text is longer, score N known words at equal distances, and sum "
                         "over a sample of the vocabulary"),
    FLAG_OPTION("all", .help = "score every word and sum exactly, like --most-words all"),
    FLAG_OPTION("in-place", .help = "write the fitted values into MODEL"),
    {0}};

struct fit {
    struct run *run;
    psdvec_model *model;
    psdvec_counts *counts;  /* or NULL */
    psdvec_counts *bigrams; /* or NULL */
    const char *output;     /* or NULL */
    uint64_t most;          /* maximum number of words to score; 0: all */
    psdvec_fit_report report;
    psdvec_bigram_fit mixture; /* with bigrams */
};

/* ---- Showing ---------------------------------------------------------------------------- */

static const struct column columns[] = {COLUMN(NULL, "", .gap = 2),
                                        NUMBERS(NULL, "perplexity", 0, 0, .gap = 2),
                                        COLUMN(NULL, "", .gap = 2)};

static void add_line(struct rows *rows, enum style style, const char *name, double value,
                     const char *note)
{
    rows_add(rows, styled_as(text_cell(name), style),
             styled_as(text_cell(phrase_number(value)), style), text_cell(note));
}

static void add_lines(struct rows *rows, const struct fit *fit)
{
    const psdvec_fit_report *r = &fit->report;
    add_line(rows, PLAIN, "unigrams", r->unigram, "");
    add_line(rows, PLAIN, "vectors, T = 1", r->before, "as in the paper");
    add_line(rows, isnan(r->self) ? BOLD : PLAIN, phrase("vectors, T = %.4f", r->temperature_alone),
             r->alone, "fitted");
    if (!isnan(r->self)) /* otherwise the words' own products are more likely than any e */
        add_line(rows, BOLD, phrase("vectors, T = %.4f, e = %.4f", r->temperature, r->self),
                 r->after, "fitted");
    if (fit->counts) {
        add_line(rows, PLAIN, "with residuals, T = 1", r->counts_before, "as in the paper");
        add_line(rows, BOLD, phrase("with residuals, T = %.4f", r->temperature_counts),
                 r->counts_after, "fitted");
        add_line(rows, PLAIN, phrase("bigrams, kappa = %.4f", r->kappa), r->bigram, "");
        add_line(rows, PLAIN, phrase("bigrams, kappa = %.4f", r->interpolation), r->bigram_after,
                 "fitted");
    }
    if (fit->bigrams) {
        const psdvec_bigram_fit *m = &fit->mixture;
        add_line(rows, PLAIN,
                 phrase("vectors and bigrams, D = %.3f, %.3f, %.3f", m->estimated_once,
                        m->estimated_twice, m->estimated_more),
                 m->before, "estimated");
        add_line(rows, BOLD,
                 phrase("vectors and bigrams, D = %.3f, %.3f, %.3f", m->discount_once,
                        m->discount_twice, m->discount_more),
                 m->after, "fitted");
    }
}

static void show_data_of(struct show *show, const struct fit *fit)
{
    const psdvec_fit_report *r = &fit->report;
    const struct {
        const char *name;
        double number;
        bool counts; /* only with them */
    } figures[] = {{"temperature", r->temperature, false},
                   {"self", r->self, false},
                   {"temperature_alone", r->temperature_alone, false},
                   {"temperature_counts", r->temperature_counts, true},
                   {"interpolation", r->interpolation, true},
                   {"kappa", r->kappa, true},
                   {"perplexity_before", r->before, false},
                   {"perplexity_alone", r->alone, false},
                   {"perplexity", r->after, false},
                   {"perplexity_unigram", r->unigram, false},
                   {"perplexity_counts_before", r->counts_before, true},
                   {"perplexity_counts", r->counts_after, true},
                   {"perplexity_bigram_before", r->bigram, true},
                   {"perplexity_bigram", r->bigram_after, true},
                   {"seconds", r->seconds + fit->mixture.seconds, false}};
    const struct {
        const char *name;
        double number;
    } mixture[] = {{"discount_once", fit->mixture.discount_once},
                   {"discount_twice", fit->mixture.discount_twice},
                   {"discount_more", fit->mixture.discount_more},
                   {"perplexity_mixed_before", fit->mixture.before},
                   {"perplexity_mixed", fit->mixture.after}};
    show_data(show, "words", whole_cell(r->words));
    show_data(show, "known", whole_cell(r->known));
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        show_data(show, figures[k].name,
                  real_cell(figures[k].counts && !fit->counts ? NAN : figures[k].number));
    for (size_t k = 0; k < sizeof mixture / sizeof *mixture; k++)
        show_data(show, mixture[k].name, real_cell(fit->bigrams ? mixture[k].number : NAN));
    show_data(show, "rounds", whole_cell(r->rounds));
    show_data(show, "written", text_cell(fit->output));
}

static void print(const struct fit *fit)
{
    const psdvec_fit_report *r = &fit->report;
    struct rows rows = ROWS(NULL, FOR_PEOPLE, columns);
    struct show show;
    show_begin(&show, fit->run, true);
    bool sampled = fit->most && fit->most < r->known;
    show_title(&show,
               phrase(STYLE_BOLD "%s words, %s%s", phrase_count(r->words),
                      phrase_known(r->known, r->words),
                      sampled ? phrase(", of which %s were scored", phrase_count(fit->most)) : ""));
    show_data_of(&show, fit);
    add_lines(&rows, fit);
    show_rows(&show, &rows);
    if (!fit->output)
        show_title(&show, "Nothing was written; use -o FILE or --in-place to store the values in "
                          "the model.");
    show_finish(&show);
}

/* ---- The command ------------------------------------------------------------------------ */

static int check(struct fit *fit)
{
    const struct arguments *arguments = fit->run->arguments;
    const char *model = arguments->operands[0];
    bool in_place = argument_flag(arguments, "in-place");
    fit->output = argument_text(arguments, "output");
    bool all = argument_flag(arguments, "all");
    if (all && argument(arguments, "most-words")->given)
        return run_use_error(fit->run, "--all and --most-words cannot be combined");
    fit->most = all ? 0 : argument_integer(arguments, "most-words");
    if (in_place && fit->output)
        return run_use_error(fit->run, "-o and --in-place cannot be combined");
    if (in_place)
        fit->output = model;
    return EXIT_FINE;
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    struct fit fit = {.run = run};
    const char *counts = argument_text(arguments, "counts");
    const char *bigrams = argument_text(arguments, "bigrams");
    psdvec_text_options text;
    int code = check(&fit);
    if (!code)
        code = model_file_open(run, arguments->operands[0], &fit.model);
    if (!code && counts)
        code = counts_file_open(run, counts, &fit.counts);
    if (!code && bigrams)
        code = counts_file_open(run, bigrams, &fit.bigrams);
    if (code)
        return code;
    code = model_file_text(run, fit.model, &text);
    if (code)
        return code;
    code = options_apply(run, PSDVEC_OPTIONS_TEXT, &text);
    if (code)
        return code;
    run_announce_terminal(run);
    const psdvec_text_options *as = options_given(arguments, PSDVEC_OPTIONS_TEXT) ? &text : NULL;
    psdvec_status status =
        psdvec_fit_temperature(run->ctx, fit.model, fit.counts, as, arguments->operands + 1,
                               arguments->operand_count - 1, fit.most, &fit.report);
    if (status == PSDVEC_OK && fit.bigrams)
        status = psdvec_fit_bigrams(run->ctx, fit.model, NULL, fit.bigrams, as,
                                    arguments->operands + 1, arguments->operand_count - 1, fit.most,
                                    &fit.report, &fit.mixture);
    if (status == PSDVEC_OK && fit.output)
        status = psdvec_model_write_fits(run->ctx, fit.model, &fit.report,
                                         fit.bigrams ? &fit.mixture : NULL, fit.output);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    print(&fit);
    return EXIT_FINE;
}

const struct command cmd_fit_temperature = {
    .name = "fit-temperature",
    .group = "Vectors",
    .summary = "fit the temperature of a model's document probabilities",
    .synopsis = "MODEL TEXT... [-o FILE | --in-place] [OPTION]...",
    .description = PARAGRAPHS(
        "The words before a word are not independent, so the sum of their contributions counts "
        "shared information more than once. A temperature T below 1 on that sum corrects this. "
        "This command finds the T that maximises the probability of text that the model was not "
        "trained on, together with e, a number used as the product of every word with itself, "
        "which training does not fit. It prints the perplexities before and after, next to that "
        "of a unigram model; with --counts, also with residuals, which have a separate T, and of "
        "a bigram model, with the model's kappa and with the best one. With --bigrams, it also "
        "finds the best discounts for the mixture of the vectors with bigrams of adjacent words: "
        "what is taken from pairs that were counted once, twice, or more often.",
        "With -o FILE or --in-place, the fitted values are stored in the model, and score, next, "
        "explain and generate use them; psdvec info shows them. Without either, nothing is "
        "written. Fit with --counts if you score with --counts. By default, text is tokenised as "
        "the model's text was."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS,
                LIBRARY_OPTIONS(.kind = PSDVEC_OPTIONS_TEXT, .except = DETAIL_OPTIONS),
                COMMON_OPTIONS},
    .inherited = options_of_model,
    .inherited_from = "the model's",
    .examples =
        EXAMPLES({"psdvec fit-temperature wiki.safetensors books", "Show the fitted values and "
                                                                   "perplexities."},
                 {"psdvec fit-temperature wiki.safetensors books --counts wiki.counts.safetensors "
                  "-o fitted.safetensors",
                  "Store the values in another file."}),
    .notes = PARAGRAPHS(
        "Use text that the model was not trained on; on its training text, the best T is too "
        "large. The default of --most-words, 10,000 words, determines T and e well enough: "
        "perplexity is within 0.1 percent of the best."),
    .operands = {2, SIZE_MAX},
    .missing = "give a model and a text: files, folders, or - for standard input",
    .output_example = "fitted.safetensors",
    .output_input = true,
    .output_kind = OUTPUT_MODEL,
    .output_optional = true,
    .act = act};
