/* psdvec residuals: what the counts say of pairs beyond the vectors. */
#include "commands.h"
#include "exit_status.h"
#include "phrase.h"
#include "show.h"
#include "summary.h"
#include "word_files.h"

#include <math.h>
#include <string.h>

#define COUNT_COLUMNS 10

static const psdvec_choice orders[] = {{.name = "loss"}, {.name = "more"}, {.name = "less"}, {0}};

static const psdvec_option options[] = {
    WHOLE_OPTION("top", "N", 0, INFINITY, .fallback = "10", .group = "The pairs that are shown",
                 .help = "show N pairs; 0: none"),
    CHOICE_OPTION(
        "order", orders, .fallback = "loss",
        .help =
            "first those that cost most in training, or those seen more, or less often than the "
            "vectors say"),
    REAL_OPTION("min-count", "X", 0, 1e18, .fallback = "10",
                .help = "leave out pairs counted less than X times"),
    {0}};

struct residuals {
    struct run *run;
    psdvec_model *model;
    psdvec_counts *counts;
    psdvec_residual *top;
    size_t found;
    psdvec_residual_report report;
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
    show_value(show, "correlation", "%.4f of targets and products, by weight", report->correlation);
    show_value(show, "explained", "%.1f%% of the weighted squares of the targets",
               100 * report->explained);
}

static const char *count_text(double count)
{
    const char *text = count < 1e5 && count != floor(count) ? phrase("%.1f", count)
                       : count < 1e9                        ? phrase_count((uint64_t)(count + 0.5))
                                                            : NULL;
    return text && strlen(text) <= COUNT_COLUMNS ? text : phrase_short(count);
}

static void print(const struct residuals *r)
{
    struct rows rows = ROWS("top", 0, columns);
    struct show show;
    rows.heading = BOLD;
    show_begin(&show, r->run, false);
    show_figures(&show, &r->report);
    for (size_t k = 0; k < r->found; k++) {
        const psdvec_residual *item = &r->top[k];
        rows_add(&rows, model_word_cell(r->model, item->context),
                 model_word_cell(r->model, item->focus),
                 shown_as(real_cell(item->count), count_text(item->count)), real_cell(item->target),
                 real_cell(item->product), real_cell(item->target - item->product),
                 real_cell(item->weight));
    }
    if (r->found)
        show_gap(&show);
    show_rows(&show, &rows);
    show_finish(&show);
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
    /* A pair has at most a residual for each direction that was seen. */
    uint64_t pairs = psdvec_counts_get_info(r.counts)->bigrams;
    uint64_t wanted = argument_integer(arguments, "top");
    size_t most = (size_t)(wanted < pairs ? wanted : pairs);
    r.top = lasting_alloc(most, sizeof *r.top);
    psdvec_status status =
        psdvec_residuals(run->ctx, r.model, r.counts, output,
                         (psdvec_residual_order)argument_integer(arguments, "order"),
                         argument_real(arguments, "min-count"), most, r.top, &r.found, &r.report);
    if (status != PSDVEC_OK)
        return run_failed(run, status);
    talk_erase(&run->talk);
    print(&r);
    if (output)
        summary_written(run, output);
    return EXIT_FINE;
}

const struct command cmd_residuals = {
    .name = "residuals",
    .group = "Documents",
    .summary = "what the counts say of pairs beyond the vectors",
    .synopsis = "MODEL COUNTS [-o RESIDUALS] [OPTION]...",
    .description = PARAGRAPHS(
        "The model explains the mutual information G of two words, which the counts ask for, by "
        "the product of their vectors. Shows how far that goes: figures over all pairs that were "
        "seen, and the pairs where the product fails most, with their count, G (target), the "
        "product, the residual (target less product) and the weight that training gave the pair. "
        "A background (--rho), which pulls all products towards one value, shows as a mean that "
        "is not 0, and may leave less than nothing explained; the correlation does not mind it.",
        "COUNTS must be the counts that the model was trained on; others are warned of. A model "
        "with smoothed targets (--preset paper) has a residual for each direction of a pair: the "
        "first word stands before the second. With PMI targets it has one for both directions, "
        "the count is that of both, and the order of the two words is the more frequent one. "
        "Pairs of a word with itself are in the figures and the file, but never shown.",
        "With -o all residuals are written to a file as a sparse matrix in the safetensors format "
        "(docs/explanation/residuals.md has it, with a reader in Python)."),
    .sources = {OWN_OPTIONS(options), FORMAT_OPTIONS, COMMON_OPTIONS},
    .examples = EXAMPLES(
        {"psdvec residuals wiki.safetensors wiki.counts.safetensors",
         "Where the vectors fail most."},
        {"psdvec residuals wiki.safetensors wiki.counts.safetensors --order more --top 20 --tsv",
         "What is seen more often than they say, for a spreadsheet."},
        {"psdvec residuals wiki.safetensors wiki.counts.safetensors --top 0 -o "
         "wiki.residuals.safetensors",
         "All residuals into a file."}),
    .operands = {2, 2},
    .missing = "say which model, and the counts that it was trained on",
    .output_example = "wiki.residuals.safetensors",
    .output_optional = true,
    .act = act};
