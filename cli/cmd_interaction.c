/* psdvec interaction: how far three words deviate from the model's assumptions. */
#include "cell.h"
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "show.h"
#include "word_files.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const psdvec_option options[] = {
    TEXT_OPTION("model", "MODEL", .letter = 'M', .path = PSDVEC_PATH_FILE, .group = "Query",
                .help = "count the words of this model, with the tokeniser of its text"),
    WHOLE_OPTION("window", "N", 2, 1000, .otherwise = "the model's",
                 .help = "the third word is at most N words after the first"),
    WHOLE_OPTION("top", "N", 0, 1000000, .fallback = "20",
                 .help = "without words: show the N most frequent triples"),
    WHOLE_OPTION("min-count", "N", 1, INFINITY, .fallback = "10",
                 .help = "without words: use only triples that occur at least N times"),
    {0}};

struct inquiry {
    struct run *run;
    psdvec_model *model;
    size_t asked_count; /* number of triples; 0: the most frequent ones are shown */
    psdvec_interaction *found;
    size_t count;
    psdvec_interaction_report report;
    psdvec_information information;
};

/* ---- Showing ------------------------------------------------------------------------------ */

static const struct column columns[] = {COLUMN(NULL, "a b c", .width = 20),
                                        COLUMN("words", NULL, .where = IN_JSON),
                                        COLUMN("a", NULL, .where = IN_TSV),
                                        COLUMN("b", NULL, .where = IN_TSV),
                                        COLUMN("c", NULL, .where = IN_TSV),
                                        NUMBERS("count", "count", 0, 0, .gap = 1, .width = 9),
                                        COLUMN("pairs", NULL, .where = IN_JSON),
                                        COLUMN("singles", NULL, .where = IN_JSON),
                                        COLUMN("count_ab", NULL, .where = IN_TSV),
                                        COLUMN("count_ac", NULL, .where = IN_TSV),
                                        COLUMN("count_bc", NULL, .where = IN_TSV),
                                        NUMBERS("pmi_ab", NULL, 0, 6, .gap = 0),
                                        NUMBERS("pmi_ac", "c;a", 2, 6, .width = 7),
                                        NUMBERS("pmi_bc", "c;b", 2, 6, .width = 7),
                                        NUMBERS("joint", "c;a,b", 2, 6, .width = 7),
                                        NUMBERS(NULL, "rdn", 2, 0, .width = 7),
                                        NUMBERS(NULL, "syn", 2, 0, .width = 7),
                                        COLUMN("interaction", "interaction", .gap = 1, .exact = 6),
                                        NUMBERS("error", NULL, 0, 6, .gap = 0),
                                        NUMBERS("redundant", NULL, 0, 6, .gap = 0),
                                        NUMBERS("synergistic", NULL, 0, 6, .gap = 0)};

static const char *list_of(const uint64_t three[3])
{
    return phrase("[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", three[0], three[1], three[2]);
}

static void add_triple(struct rows *rows, const struct inquiry *q, const psdvec_interaction *i)
{
    struct buffer text = {0}, list = {0};
    struct cell words[3];
    bool seen = i->count > 0;
    psdvec_information terms;
    psdvec_interaction_pointwise(i, &terms);
    for (int k = 0; k < 3; k++) {
        words[k] = model_word_cell(q->model, i->words[k]);
        list_add(&list, words[k].text, words[k].length);
        buffer_text(&text, k ? " " : "");
        cell_text(&text, words[k].text, words[k].length);
    }
    const char *figure = seen ? phrase(STYLE_CYAN "%5.2f" STYLE_PLAIN " %s%.2f", i->information,
                                       terminal_unicode() ? "±" : "+-", i->error)
                              : STYLE_DIM "never occurs";
    rows_add(rows, text_cell(phrase_of(&text)), json_cell(phrase_of(&list)), words[0], words[1],
             words[2], whole_cell(i->count), json_cell(list_of(i->pairs)),
             json_cell(list_of(i->singles)), whole_cell(i->pairs[0]), whole_cell(i->pairs[1]),
             whole_cell(i->pairs[2]), real_cell(i->pmi[0]), real_cell(i->pmi[1]),
             real_cell(i->pmi[2]), seen ? real_cell(i->joint) : shown_as(real_cell(i->joint), ""),
             real_cell(terms.redundant),
             seen ? real_cell(terms.synergistic) : shown_as(real_cell(terms.synergistic), ""),
             shown_as(real_cell(i->information), figure), real_cell(i->error),
             real_cell(terms.redundant), real_cell(terms.synergistic));
}

static void show_number(struct show *show, const char *name, const char *label, double number,
                        const char *meaning)
{
    show_fact(show, &(const struct column)NUMBERS(name, label, 3, 6, .gap = 0), real_cell(number),
              meaning);
}

/* Appendix B: the information of a and b about c, on average. */
static void show_information(struct show *show, const psdvec_information *of, bool any)
{
    show_section(show, NULL, any ? "Average information of a and b about c:" : NULL);
    show_number(show, "information_ac", any ? "I(c;a)" : NULL, of->first, "");
    show_number(show, "information_bc", any ? "I(c;b)" : NULL, of->second, "");
    show_number(show, "information_abc", any ? "I(c;a,b)" : NULL, of->both, "");
    show_number(show, "redundant", any ? "Rdn(c;a,b)" : NULL, of->redundant,
                "given by each of them (redundant)");
    show_number(show, "synergistic", any ? "Syn(c;a,b)" : NULL, of->synergistic,
                "given only by both together (synergistic)");
    show_number(show, "interaction", any ? "Int(a,b,c)" : NULL, of->interaction, "Syn - Rdn");
}

/* Summarises all triples that occurred often enough. */
static void show_all(struct show *show, const struct inquiry *q)
{
    static const char *const names[] = {"q5", "q25", "q50", "q75", "q95"};
    const psdvec_interaction_report *r = &q->report;
    bool any = r->triples > 0;
    show_section(show, "all", NULL);
    show_data(show, "triples", whole_cell(r->triples));
    show_data(show, "occurrences", whole_cell(r->occurrences));
    show_section(show, NULL,
                 any ? "Interaction of the triples, which the model assumes to be 0:" : NULL);
    show_number(show, "mean", any ? "mean" : NULL, r->mean, "");
    show_number(show, "mean_absolute", any ? "mean absolute" : NULL, r->mean_absolute, "");
    for (int k = 0; k < 5; k++)
        show_number(show, names[k], NULL, r->quantiles[k], NULL);
    show_fact(
        show,
        &(const struct column)COLUMN("within_half", any ? "within 0.5 of 0" : NULL, .exact = 6),
        shown_as(real_cell(r->within_half), phrase("%.1f %%", 100 * r->within_half)), "");
    if (any)
        show_value(
            show, "quantiles", "%.2f (5 %%) %.2f (25 %%) %.2f (50 %%) %.2f (75 %%) %.2f (95 %%)",
            r->quantiles[0], r->quantiles[1], r->quantiles[2], r->quantiles[3], r->quantiles[4]);
    show_section(show, NULL, any ? "For comparison, the sum PMI(c;a) + PMI(c;b):" : NULL);
    show_number(show, "sum_absolute", any ? "mean absolute" : NULL, r->sum_absolute, "");
    show_number(show, "slope", any && !isnan(r->slope) ? "best factor" : NULL, r->slope,
                "times the sum fits PMI(c;a,b) best");
    show_information(show, &q->information, any);
    show_section_end(show, "all");
}

static void show_report(struct show *show, const struct inquiry *q)
{
    const psdvec_interaction_report *r = &q->report;
    uint64_t least = argument_integer(q->run->arguments, "min-count");
    show_title(show, phrase("%s known words, window %" PRIu32 ": %s positions of three words",
                            phrase_count(r->known), r->window, phrase_count(r->places)));
    if (q->asked_count)
        return;
    if (r->triples == 0)
        show_title(show,
                   phrase("No triple occurs %" PRIu64 " times; use a lower --min-count.", least));
    else
        show_title(show,
                   phrase("%s %" PRIu64 " times or more, at %.1f %% of the positions",
                          r->triples == 1 ? "1 triple occurs"
                                          : phrase("%s triples occur", phrase_count(r->triples)),
                          least, 100 * (double)r->occurrences / (double)r->places));
    show_all(show, q);
}

static void print(const struct inquiry *q)
{
    const psdvec_interaction_report *r = &q->report;
    struct rows rows = ROWS("triples", 0, columns);
    struct show show;
    rows.heading = BOLD;
    show_begin(&show, q->run, false);
    show.label_width = 16;
    show_data(&show, "window", whole_cell(r->window));
    show_data(&show, "tokens", whole_cell(r->tokens));
    show_data(&show, "known", whole_cell(r->known));
    show_data(&show, "places", whole_cell(r->places));
    for (size_t k = 0; k < q->count; k++)
        add_triple(&rows, q, &q->found[k]);
    show_rows(&show, &rows);
    if (q->count)
        show_gap(&show);
    show_report(&show, q);
    show_finish(&show);
}

/* ---- The question ---------------------------------------------------------------------------- */

/* The number of operands that are texts: the first, and those after it that name existing files. */
static size_t count_inputs(const struct arguments *arguments)
{
    struct stat there;
    size_t count = 1;
    while (
        count < arguments->operand_count && count < arguments->unsigned_from &&
        (!strcmp(arguments->operands[count], "-") || stat(arguments->operands[count], &there) == 0))
        count++;
    return count;
}

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const char *path = argument_text(arguments, "model");
    size_t inputs = count_inputs(arguments), words = arguments->operand_count - inputs;
    size_t asked = words / 3, most = (size_t)argument_integer(arguments, "top");
    struct inquiry q = {.run = run, .asked_count = asked};
    uint32_t(*triples)[3] = lasting_alloc(asked, sizeof *triples);
    if (!path)
        return run_use_error(run, "give the model whose words to count: -M MODEL");
    if (words % 3)
        return run_use_error(run,
                             "words must come in threes, but the last group, which starts with "
                             "'%s', has %zu; put -- before words that are also names of files",
                             arguments->operands[arguments->operand_count - words % 3], words % 3);
    int code = model_file_open(run, path, &q.model);
    for (size_t k = 0; k < words && !code; k++)
        code =
            model_file_find(run, q.model, arguments->operands[inputs + k], &triples[k / 3][k % 3]);
    if (code)
        return code;
    run_announce_terminal(run);
    q.found = lasting_alloc(asked ? asked : most, sizeof *q.found);
    psdvec_status status = psdvec_interactions_full(
        run->ctx, q.model, arguments->operands, inputs,
        (uint32_t)argument(arguments, "window")->integer, (const uint32_t(*)[3])triples, asked,
        most, argument_integer(arguments, "min-count"), q.found, &q.count, &q.report,
        &q.information);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    print(&q);
    return EXIT_FINE;
}

const struct command cmd_interaction = {
    .name = "interaction",
    .group = "Documents",
    .summary = "measure three-word interactions that the model assumes are 0",
    .synopsis = "TEXT... -M MODEL [[--] WORD WORD WORD]... [OPTION]...",
    .description = PARAGRAPHS(
        "The model adds up the information that single context words give about the next word: it "
        "assumes that the pointwise mutual information of a word c with a and b together, "
        "PMI(c;a,b), is PMI(c;a) + PMI(c;b). The difference is the pointwise interaction "
        "information of the three words. This command measures it in text. Below 0, the two words "
        "give partly the same information about the third; above 0, they give more together than "
        "separately. Values are in nats.",
        "The interaction is the difference of two quantities of the paper's Appendix B: the "
        "synergistic information (syn), which only both words together give, and the redundant "
        "information (rdn), which each of them gives. For three words, rdn is the smaller of "
        "PMI(c;a) and PMI(c;b). The summary has their expectations over all triples: I, Rdn, Syn "
        "and Int; with --min-count 1, over the whole text.",
        "WORDs come in threes, a b c, in the order of the text, not necessarily adjacent. Without "
        "words, the output has the most frequent triples and averages over all triples that are "
        "frequent enough, weighted by frequency. The first operand is a text, and so are the "
        "following ones up to the first that is not the name of a file or folder; operands after "
        "-- are words. TEXT is any input of psdvec count, or - for standard input; it is "
        "tokenised as the model's text was.",
        "The standard error assumes that the positions in the text are independent."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec interaction wiki.txt -M model.safetensors", "The most frequent triples."},
                 {"psdvec interaction wiki.txt -M model.safetensors art music hall",
                  "Do art and music give the same information about hall?"},
                 {"psdvec interaction books -M model.safetensors --min-count 5 --json",
                  "A folder of text; JSON output for scripts."}),
    .notes = PARAGRAPHS(
        "Every position in the text counts once, without weights for distance or frequency. If "
        "memory is short, the text is kept in temporary files, in /tmp unless --temp-dir is given."),
    .operands = {1, SIZE_MAX},
    .missing = "give a text: files, folders, or - for standard input",
    .temporary = true,
    .act = act};
