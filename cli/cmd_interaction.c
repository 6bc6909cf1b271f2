/* psdvec interaction: how far three words are from what the model assumes of them. */
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
    TEXT_OPTION("model", "MODEL", .letter = 'M', .path = PSDVEC_PATH_FILE, .group = "The question",
                .help = "the model whose words are counted, as its text was"),
    WHOLE_OPTION("window", "N", 2, 1000, .otherwise = "the model's",
                 .help = "the third word is at most N words behind the first"),
    WHOLE_OPTION("top", "N", 0, 1000000, .fallback = "20",
                 .help = "without words: show the N most frequent triples"),
    WHOLE_OPTION("min-count", "N", 1, INFINITY, .fallback = "10",
                 .help = "without words: of triples seen at least N times"),
    {0}};

struct inquiry {
    struct run *run;
    psdvec_model *model;
    size_t asked_count; /* triples; 0: the most frequent ones are shown */
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
                              : STYLE_DIM "never seen";
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

/* Appendix B: what a and b say about c, on average. */
static void show_information(struct show *show, const psdvec_information *of, bool any)
{
    show_section(show, NULL, any ? "What a and b say about c, on average:" : NULL);
    show_number(show, "information_ac", any ? "I(c;a)" : NULL, of->first, "");
    show_number(show, "information_bc", any ? "I(c;b)" : NULL, of->second, "");
    show_number(show, "information_abc", any ? "I(c;a,b)" : NULL, of->both, "");
    show_number(show, "redundant", any ? "Rdn(c;a,b)" : NULL, of->redundant,
                "what each of them says");
    show_number(show, "synergistic", any ? "Syn(c;a,b)" : NULL, of->synergistic,
                "what only both together say");
    show_number(show, "interaction", any ? "Int(a,b,c)" : NULL, of->interaction, "Syn - Rdn");
}

/* What all triples that were seen often enough say together. */
static void show_all(struct show *show, const struct inquiry *q)
{
    static const char *const names[] = {"q5", "q25", "q50", "q75", "q95"};
    const psdvec_interaction_report *r = &q->report;
    bool any = r->triples > 0;
    show_section(show, "all", NULL);
    show_data(show, "triples", whole_cell(r->triples));
    show_data(show, "occurrences", whole_cell(r->occurrences));
    show_section(show, NULL, any ? "Their interaction, where the model assumes 0:" : NULL);
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
    show_section(show, NULL, any ? "Beside it, the sum PMI(c;a) + PMI(c;b):" : NULL);
    show_number(show, "sum_absolute", any ? "mean absolute" : NULL, r->sum_absolute, "");
    show_number(show, "slope", any && !isnan(r->slope) ? "best factor" : NULL, r->slope,
                "times the sum comes nearest to PMI(c;a,b)");
    show_information(show, &q->information, any);
    show_section_end(show, "all");
}

static void show_report(struct show *show, const struct inquiry *q)
{
    const psdvec_interaction_report *r = &q->report;
    uint64_t least = argument_integer(q->run->arguments, "min-count");
    show_title(show, phrase("%s known words, window %" PRIu32 ": %s places of three words",
                            phrase_count(r->known), r->window, phrase_count(r->places)));
    if (q->asked_count)
        return;
    if (r->triples == 0)
        show_title(show, phrase("No triple was seen %" PRIu64 " times; lower --min-count.", least));
    else
        show_title(show,
                   phrase("%s seen %" PRIu64 " times or more, at %.1f %% of the places",
                          r->triples == 1 ? "1 triple was"
                                          : phrase("%s triples were", phrase_count(r->triples)),
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

/* Which operands are texts: the first, and those behind it that name something that exists. */
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
        return run_use_error(run, "say which model the words are of: -M MODEL");
    if (words % 3)
        return run_use_error(run,
                             "words come in threes, and '%s' begins a triple of %zu; operands that "
                             "name files are texts unless they stand behind --",
                             arguments->operands[arguments->operand_count - words % 3], words % 3);
    int code = model_file_open(run, path, &q.model);
    for (size_t k = 0; k < words && !code; k++)
        code =
            model_file_find(run, q.model, arguments->operands[inputs + k], &triples[k / 3][k % 3]);
    if (code)
        return code;
    run_tell_of_terminal(run);
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
    .summary = "measure what the model takes to be 0 for three words",
    .synopsis = "TEXT... -M MODEL [[--] WORD WORD WORD]... [OPTION]...",
    .description = PARAGRAPHS(
        "The model adds up what single words of the context say about the next one: it takes the "
        "pointwise mutual information of a word c with a and b together, PMI(c;a,b), to be "
        "PMI(c;a) + PMI(c;b). The difference is the pointwise interaction information of the "
        "three words. It is measured in the text here, beside the 0 that the model assumes: below "
        "0, the two words say partly the same about the third; above 0, they say more together "
        "than each on its own. Figures are in nats.",
        "The interaction is the difference of two quantities of the paper's Appendix B: the "
        "synergistic information (syn), which only both words together give, and the redundant "
        "information (rdn), which each of them gives. For three words the latter is the smaller "
        "of PMI(c;a) and PMI(c;b). Over all triples the summary has the expectations I, Rdn, Syn "
        "and Int; --min-count 1 takes them over the whole text.",
        "WORDs come in threes, a b c, in the order in which they stand in the text, not "
        "necessarily next to each other. Without words the most frequent triples are shown, and "
        "what all triples seen often enough say together, each by how often it occurs. Operands "
        "are texts as long as they name a file or a folder, the first one in any case; those "
        "behind -- are words. TEXT may be whatever psdvec count reads, - is standard input; it is "
        "read as the model's own text was.",
        "The standard error takes the places of the text for independent draws."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples =
        EXAMPLES({"psdvec interaction wiki.txt -M model.safetensors", "The most frequent triples."},
                 {"psdvec interaction wiki.txt -M model.safetensors art music hall",
                  "Do art and music say the same about a hall?"},
                 {"psdvec interaction books -M model.safetensors --min-count 5 --json",
                  "The texts of a folder, for a program."}),
    .notes = PARAGRAPHS(
        "Every place of the text counts once, without weights for distance or frequency. Where "
        "memory is short, the text goes to temporary files, in /tmp unless --temp-dir names a "
        "folder."),
    .operands = {1, SIZE_MAX},
    .missing = "say in which text to look, and for which three words",
    .act = act};
