/* psdvec residuals: what the counts say of pairs beyond the vectors. */
#include "cell.h"
#include "commands.h"
#include "counts_file.h"
#include "exit_status.h"
#include "human.h"
#include "model_file.h"
#include "question.h"
#include "sheet.h"
#include "summary.h"
#include "wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define WORD_COLUMNS 15
#define COUNT_COLUMNS 10

static const psdvec_choice orders[] = {{.name = "loss"}, {.name = "more"}, {.name = "less"}, {0}};

static const psdvec_option options[] = {
    {.name = "top",
     .type = PSDVEC_OPTION_UINT64,
     .argument = "N",
     .least = 0,
     .most = 1000000,
     .fallback = "10",
     .group = "The pairs that are shown",
     .help = "show N pairs; 0: none"},
    {.name = "order",
     .type = PSDVEC_OPTION_CHOICE,
     .choices = orders,
     .fallback = "loss",
     .help = "first those that cost most in training, or those seen more, or less often than the "
             "vectors say"},
    {.name = "min-count",
     .type = PSDVEC_OPTION_DOUBLE,
     .argument = "X",
     .least = 0,
     .most = 1e18,
     .fallback = "10",
     .help = "leave out pairs counted less than X times"},
    {.name = "tsv",
     .type = PSDVEC_OPTION_FLAG,
     .group = "Showing",
     .help = "print the pairs as lines of columns with tabs between them"},
    {.name = "json", .type = PSDVEC_OPTION_FLAG, .help = "print one JSON object"},
    {0}};

static const char *const description[] = {
    "The model explains the mutual information G of two words, which the counts ask for, by the "
    "product of their vectors. Shows how far that goes: figures over all pairs that were seen, and "
    "the pairs where the product fails most, with their count, G (target), the product, the "
    "residual (target less product) and the weight that training gave the pair. A background "
    "(--rho), which pulls all products towards one value, shows as a mean that is not 0, and may "
    "leave less than nothing explained; the correlation does not mind it.",
    "COUNTS must be the counts that the model was trained on; others are warned of. A model with "
    "smoothed targets (--preset paper) has a residual for each direction of a pair: the first word "
    "stands before the second. With PMI targets it has one for both directions, the count is that "
    "of both, and the order of the two words is the more frequent one. Pairs of a word with itself "
    "are in the figures and the file, but never shown.",
    "With -o all residuals are written to a file as a sparse matrix in the safetensors format "
    "(docs/residuals.md has it, with a reader in Python).",
    NULL};

static const struct example examples[] = {
    {"psdvec residuals wiki.safetensors wiki.counts.safetensors", "Where the vectors fail most."},
    {"psdvec residuals wiki.safetensors wiki.counts.safetensors --order more --top 20 --tsv",
     "What is seen more often than they say, for a spreadsheet."},
    {"psdvec residuals wiki.safetensors wiki.counts.safetensors --top 0 -o "
     "wiki.residuals.safetensors",
     "All residuals into a file."},
    {0}};

struct residuals {
    struct run *run;
    psdvec_model *model;
    psdvec_counts *counts;
    enum form form;
    psdvec_residual *top;
    size_t found;
    psdvec_residual_report report;
};

static const char *word_of(const struct residuals *r, uint32_t word, size_t *length)
{
    return psdvec_model_word(r->model, word, length);
}

/* ---- For people ------------------------------------------------------------------------ */

static void add_figures(struct buffer *to, const psdvec_residual_report *report)
{
    struct buffer value = {0};
    human_count(&value, report->pairs);
    buffer_text(&value, " pairs");
    sheet_value(to, "seen", &value);
    buffer_format(&value, "mean %.4f, standard deviation %.4f", report->mean, report->deviation);
    sheet_value(to, "residuals", &value);
    buffer_format(&value, "%.4f of targets and products, by weight", report->correlation);
    sheet_value(to, "correlation", &value);
    buffer_format(&value, "%.1f%% of the weighted squares of the targets", 100 * report->explained);
    sheet_value(to, "explained", &value);
    buffer_free(&value);
}

static void add_count(struct buffer *to, double count)
{
    struct buffer text = {0};
    if (count < 1e5 && count != floor(count))
        buffer_format(&text, "%.1f", count);
    else if (count < 1e9)
        human_count(&text, (uint64_t)(count + 0.5));
    if (!text.length || text.length > COUNT_COLUMNS) {
        buffer_clear(&text);
        human_short(&text, count);
    }
    cell_add(to, buffer_get(&text), text.length, COUNT_COLUMNS, true);
    buffer_free(&text);
}

static void show(struct buffer *to, const struct residuals *r)
{
    const struct palette *palette = &r->run->palette;
    add_figures(to, &r->report);
    if (!r->found)
        return;
    buffer_format(to, "\n%s  %-*s %-*s %*s %8s %8s %8s %7s%s\n", palette->bold, WORD_COLUMNS,
                  "word", WORD_COLUMNS, "word", COUNT_COLUMNS, "count", "target", "product",
                  "residual", "weight", palette->plain);
    for (size_t k = 0; k < r->found; k++) {
        const psdvec_residual *item = &r->top[k];
        size_t first, second;
        const char *context = word_of(r, item->context, &first);
        const char *focus = word_of(r, item->focus, &second);
        buffer_text(to, "  ");
        cell_add(to, context, first, WORD_COLUMNS, false);
        buffer_char(to, ' ');
        cell_add(to, focus, second, WORD_COLUMNS, false);
        buffer_char(to, ' ');
        add_count(to, item->count);
        buffer_format(to, " %8.3f %8.3f %8.3f %7.3g\n", item->target, item->product,
                      item->target - item->product, item->weight);
    }
}

/* ---- For programs ------------------------------------------------------------------------ */

static void tabulate(struct buffer *to, const struct residuals *r)
{
    for (size_t k = 0; k < r->found; k++) {
        const psdvec_residual *item = &r->top[k];
        size_t length;
        const char *word = word_of(r, item->context, &length);
        cell_text(to, word, length);
        buffer_char(to, '\t');
        word = word_of(r, item->focus, &length);
        cell_text(to, word, length);
        buffer_format(to, "\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n", item->count, item->target,
                      item->product, item->target - item->product, item->weight);
    }
}

static void add_json(struct buffer *to, const struct residuals *r)
{
    buffer_format(
        to,
        "{\"pairs\": %" PRIu64 ", \"mean\": %.9g, \"deviation\": %.9g, "
        "\"weighted_square\": %.9g, \"explained\": %.9g, \"correlation\": %.9g, \"top\": [",
        r->report.pairs, r->report.mean, r->report.deviation, r->report.weighted_square,
        r->report.explained, r->report.correlation);
    for (size_t k = 0; k < r->found; k++) {
        const psdvec_residual *item = &r->top[k];
        size_t length;
        const char *word = word_of(r, item->context, &length);
        buffer_text(to, k ? ", {\"context\": " : "{\"context\": ");
        buffer_json(to, word, length);
        word = word_of(r, item->focus, &length);
        buffer_text(to, ", \"focus\": ");
        buffer_json(to, word, length);
        buffer_format(to,
                      ", \"count\": %.9g, \"target\": %.9g, \"product\": %.9g, \"residual\": %.9g, "
                      "\"weight\": %.9g}",
                      item->count, item->target, item->product, item->target - item->product,
                      item->weight);
    }
    buffer_text(to, "]}\n");
}

/* ---- The command -------------------------------------------------------------------------- */

static int compute(struct residuals *r)
{
    const struct arguments *arguments = r->run->arguments;
    const char *output = argument_text(arguments, "output");
    size_t most = argument_integer(arguments, "top");
    r->top = must_alloc(most, sizeof *r->top);
    psdvec_status status = psdvec_residuals(
        r->run->ctx, r->model, r->counts, output,
        (psdvec_residual_order)argument_integer(arguments, "order"),
        argument_real(arguments, "min-count"), most, r->top, &r->found, &r->report);
    return status == PSDVEC_OK ? EXIT_FINE : run_failed(r->run, status);
}

static int act(struct run *run)
{
    static void (*const forms[])(struct buffer *, const struct residuals *) = {show, tabulate,
                                                                               add_json};
    const struct arguments *arguments = run->arguments;
    bool json = argument_flag(arguments, "json"), tsv = argument_flag(arguments, "tsv");
    struct residuals r = {.run = run, .form = json ? FOR_PROGRAMS : tsv ? FOR_TABLES : FOR_PEOPLE};
    if (json && tsv)
        return run_use_error(run, "--json and --tsv exclude each other");
    int code = model_file_open(run, arguments->operands[0], &r.model);
    if (!code)
        code = counts_file_open(run, arguments->operands[1], &r.counts);
    if (!code)
        code = compute(&r);
    if (!code) {
        struct buffer text = {0};
        talk_erase(&run->talk);
        forms[r.form](&text, &r);
        output_add(&run->out, buffer_get(&text), text.length);
        buffer_free(&text);
        if (argument_text(arguments, "output"))
            summary_written(run, argument_text(arguments, "output"));
    }
    free(r.top);
    psdvec_counts_close(r.counts);
    psdvec_model_close(r.model);
    return code;
}

const struct command cmd_residuals = {
    .name = "residuals",
    .group = "Documents",
    .brief = true,
    .summary = "what the counts say of pairs beyond the vectors",
    .synopsis = "MODEL COUNTS [-o RESIDUALS] [OPTION]...",
    .description = description,
    .sources = {OWN_OPTIONS(options), COMMON_OPTIONS},
    .examples = examples,
    .least_operands = 2,
    .most_operands = 2,
    .missing = "say which model, and the counts that it was trained on",
    .output_example = "wiki.residuals.safetensors",
    .output_optional = true,
    .completes = PSDVEC_PATH_FILE,
    .act = act};
