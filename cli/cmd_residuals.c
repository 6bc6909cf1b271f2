/* psdvec residuals: the targets of pairs that the vectors do not explain. */
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "show.h"
#include "summary.h"
#include "word_files.h"

#include <math.h>
#include <string.h>

#define COUNT_COLUMNS 10
#define ROWS_AT_ONCE 256

static const psdvec_choice orders[] = {{.name = "loss"}, {.name = "more"}, {.name = "less"}, {0}};

static const psdvec_option options[] = {
    WHOLE_OPTION("top", "N", 0, INFINITY, .word = "all", .word_value = INFINITY, .fallback = "10",
                 .group = "Pairs shown", .help = "show N pairs, or all; 0 shows none"),
    CHOICE_OPTION(
        "order", orders, .fallback = "loss",
        .help = "show first the pairs with the largest weighted error; those that occur more often "
                "than the vectors predict; or those that occur less often"),
    REAL_OPTION("min-count", "X", 0, 1e18, .fallback = "10",
                .help = "omit pairs with a count below X"),
    {0}};

struct residuals {
    struct run *run;
    psdvec_model *model;
    psdvec_counts *counts;
    psdvec_residual_report report;
    struct show show;
    struct rows rows;
    bool begun; /* something was printed */
};

/* ---- Showing ------------------------------------------------------------------------------ */

static const struct column columns[] = {
    COLUMN("context", "word", .gap = 2, .width = 15),
    COLUMN("focus", "word", .gap = 1, .width = 15),
    NUMBERS("count", "count", 0, -9, .gap = 1, .width = COUNT_COLUMNS),
    NUMBERS("target", "target", 3, -9, .gap = 1, .width = 8),
    NUMBERS("product", "product", 3, -9, .gap = 1, .width = 8),
    NUMBERS("residual", "residual", 3, -9, .gap = 1, .width = 8),
    NUMBERS("weight", "weight", -3, -9, .gap = 1, .width = 7)};

static void show_figures(struct show *show, const psdvec_residual_report *report)
{
    show_data(show, "pairs", whole_cell(report->pairs));
    show_data(show, "mean", real_cell(report->mean));
    show_data(show, "deviation", real_cell(report->deviation));
    show_data(show, "weighted_square", real_cell(report->weighted_square));
    show_data(show, "explained", real_cell(report->explained));
    show_data(show, "correlation", real_cell(report->correlation));
    show_value(show, "seen", "%s pairs", phrase_count(report->pairs));
    show_value(show, "residuals", "mean %.4f, standard deviation %.4f", report->mean,
               report->deviation);
    show_value(show, "correlation", "%.4f between targets and products, weighted",
               report->correlation);
    show_value(show, "explained", "%.1f%% of the weighted sum of squares of the targets",
               100 * report->explained);
}

static const char *count_text(double count)
{
    const char *text = count < 1e5 && count != floor(count) ? phrase("%.1f", count)
                       : count < 1e9                        ? phrase_count((uint64_t)(count + 0.5))
                                                            : NULL;
    return text && strlen(text) <= COUNT_COLUMNS ? text : phrase_short(count);
}

/* The figures, before the first pair. */
static void begin(struct residuals *r)
{
    r->begun = true;
    r->rows = (struct rows)ROWS("top", 0, columns);
    r->rows.heading = BOLD;
    talk_erase(&r->run->talk);
    show_begin(&r->show, r->run, false);
    show_figures(&r->show, &r->report);
}

static void add_pair(void *user, const psdvec_residual *item)
{
    struct residuals *r = user;
    if (!r->begun) {
        begin(r);
        show_gap(&r->show);
    }
    size_t mark = lasting_count();
    rows_add(
        &r->rows, model_word_cell(r->model, item->context), model_word_cell(r->model, item->focus),
        shown_as(real_cell(item->count), count_text(item->count)), real_cell(item->target),
        real_cell(item->product), real_cell(item->target - item->product), real_cell(item->weight));
    lasting_end(mark); /* the rows have copies */
    if (r->rows.row_count < ROWS_AT_ONCE)
        return;
    show_rows_so_far(&r->show, &r->rows);
    show_flush(&r->show);
    run_flush(r->run);
}

static void finish(struct residuals *r)
{
    if (!r->begun)
        begin(r);
    show_rows(&r->show, &r->rows);
    show_finish(&r->show);
}

/* The list ends early: what was printed stays. */
static void abandon(struct residuals *r)
{
    rows_free(&r->rows);
    show_end(&r->show);
}

/* ---- The command -------------------------------------------------------------------------- */

static int act(struct run *run)
{
    const struct arguments *arguments = run->arguments;
    const char *output = argument_text(arguments, "output");
    struct residuals r = {.run = run};
    int code = model_file_open(run, arguments->operands[0], &r.model);
    if (!code)
        code = counts_file_open(run, arguments->operands[1], &r.counts);
    if (code)
        return code;
    bool all = isinf(argument_real(arguments, "top"));
    psdvec_status status = psdvec_residuals_each(
        run->ctx, r.model, r.counts, output,
        (psdvec_residual_order)argument_integer(arguments, "order"),
        argument_real(arguments, "min-count"),
        all ? UINT64_MAX : argument_integer(arguments, "top"), add_pair, &r, &r.report);
    if (status == PSDVEC_OK)
        finish(&r);
    else if (r.begun)
        abandon(&r);
    if (output && r.begun) /* it was complete before the first pair */
        summary_written(run, output);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(run, status);
}

const struct command cmd_residuals = {
    .name = "residuals",
    .group = "Documents",
    .summary = "show what the vectors do not explain of the counts",
    .synopsis = "MODEL COUNTS [-o RESIDUALS] [OPTION]...",
    .description = PARAGRAPHS(
        "The model approximates the target G of a pair of words, their PMI in the counts, by the "
        "product of their vectors. This command shows how good the approximation is: statistics "
        "over all pairs that occur, and the pairs with the largest error, with their count, "
        "target, product, residual (target minus product) and weight in training. The background "
        "(--rho), which pulls all products towards one value, makes the mean nonzero and can make "
        "the explained share negative; it does not affect the correlation.",
        "COUNTS must be the counts that the model was trained on; a warning is printed if they "
        "are not. A model with smoothed targets (--preset paper) has a residual for each "
        "direction of a pair; the first word precedes the second. With PMI targets, both "
        "directions share one residual, the count is the sum of both, and the words are shown in "
        "their more frequent order. Pairs of a word with itself are included in the statistics "
        "and the file, but not shown.",
        "A list that does not fit into the memory limit (--memory) is sorted in a temporary file "
        "of 40 bytes per pair, in the folder of the output or, without -o, of the model, unless "
        "--temp-dir is given.",
        "With -o, all residuals are written to a file as a sparse matrix in safetensors format "
        "(docs/explanation/residuals.md describes it, with a reader in Python)."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec residuals wiki.safetensors wiki.counts.safetensors",
         "The pairs with the largest error."},
        {"psdvec residuals wiki.safetensors wiki.counts.safetensors --order more --top 20 --tsv",
         "Pairs that occur more often than predicted, as TSV for a spreadsheet."},
        {"psdvec residuals wiki.safetensors wiki.counts.safetensors --top 0 -o "
         "wiki.residuals.safetensors",
         "Write all residuals to a file."}),
    .operands = {2, 2},
    .missing = "give a model and the counts that it was trained on",
    .output_example = "wiki.residuals.safetensors",
    .output_optional = true,
    .sorts_large = true,
    .act = act};
